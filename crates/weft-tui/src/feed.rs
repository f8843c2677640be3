//! A source on a thread of its own, so that keys always answer: orders go in, what it says comes out, both through bounded channels.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::source::{
    Ask, Completions, FilterFault, More, Opening, Page, Place, Source, SourceError, Steer, Steered,
};

/// Most records that are handed over at once.
const RECORDS_MAX: usize = 2048;
/// How many of what is said can wait to be heard.
const TOLD_MAX: usize = 4;
/// How many orders can wait.
const ORDERS_MAX: usize = 64;
/// How long a look for more takes at most: then orders are noticed.
const LOOK: Duration = Duration::from_millis(40);

/// What a source is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Go to a place, and give what comes after it.
    Open {
        /// The place.
        place: Place,
        /// What relative times count from.
        now_ns: i64,
    },
    /// Set which records match.
    Filter {
        /// The filter.
        text: String,
        /// What relative times count from.
        now_ns: i64,
    },
    /// Give records of the past.
    Page(Ask),
    /// Say how a filter could go on.
    Complete {
        /// The filter.
        text: String,
        /// Where in it, in bytes.
        cursor: usize,
    },
    /// Change a loop.
    Steer(Steer),
    /// Give no more records.
    Hold,
    /// Give more records again.
    Go,
}

/// What a source says.
#[derive(Debug)]
pub enum Told {
    /// It went to a place, or could not.
    Opened(Result<Box<Opening>, SourceError>),
    /// Records came.
    More(More),
    /// A filter was set, or could not be.
    Filter {
        /// The filter.
        text: String,
        /// What is wrong with it.
        result: Result<(), FilterFault>,
    },
    /// Records of the past.
    Page {
        /// What was asked.
        ask: Ask,
        /// The answer.
        result: Result<Page, SourceError>,
    },
    /// How a filter could go on.
    Completions(Completions),
    /// A loop was changed, or was not.
    Steered {
        /// What was wished.
        steer: Steer,
        /// What came of it.
        result: Result<Steered, SourceError>,
    },
    /// Nothing more comes.
    Broken(SourceError),
}

/// A source at work.
pub(crate) struct Feed {
    orders: SyncSender<Order>,
    told: Receiver<Told>,
    thread: JoinHandle<()>,
}

/// The thread of the source is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone;

impl Feed {
    /// Starts a thread, on which the source is made, too.
    pub(crate) fn start<S: Source>(
        make: impl FnOnce() -> Result<S, SourceError> + Send + 'static,
    ) -> std::io::Result<Self> {
        let (orders, ordered) = mpsc::sync_channel(ORDERS_MAX);
        let (tell, told) = mpsc::sync_channel(TOLD_MAX);
        let thread = thread::Builder::new().name("weft-source".to_owned());
        let thread = thread.spawn(move || match make() {
            // Whoever listened is gone, and so there is nothing left to do.
            Ok(source) => drop(serve(source, &ordered, &tell)),
            Err(error) => drop(tell.send(Told::Broken(error))),
        })?;
        Ok(Self { orders, told, thread })
    }

    /// Passes an order on. One that finds no room is dropped: so many are not given by hand before any is answered.
    pub(crate) fn order(&self, order: Order) {
        self.orders.try_send(order).unwrap_or_default();
    }

    /// Returns what was said, if there is something.
    pub(crate) fn hear(&self) -> Result<Option<Told>, Gone> {
        match self.told.try_recv() {
            Ok(told) => Ok(Some(told)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(Gone),
        }
    }

    /// Ends the thread. Returns whether it ended well.
    pub(crate) fn end(self) -> thread::Result<()> {
        drop((self.orders, self.told));
        self.thread.join()
    }
}

/// Answers orders, and gives more whenever there are none, until nobody listens.
fn serve<S: Source>(
    mut source: S,
    orders: &Receiver<Order>,
    tell: &SyncSender<Told>,
) -> Result<(), mpsc::SendError<Told>> {
    let (mut is_open, mut is_held, mut head) = (false, false, 0);
    loop {
        let order = if is_open && !is_held {
            match orders.try_recv() {
                Ok(order) => Some(order),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => return Ok(()),
            }
        } else {
            match orders.recv_timeout(LOOK) {
                Ok(order) => Some(order),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        };
        let told = match order {
            Some(Order::Open { place, now_ns }) => {
                let opened = source.open(&place, now_ns);
                if opened.is_ok() {
                    (is_open, is_held) = (true, false);
                }
                Told::Opened(opened.map(Box::new))
            }
            Some(Order::Filter { text, now_ns }) => {
                let result = source.set_filter(&text, now_ns);
                Told::Filter { text, result }
            }
            Some(Order::Page(ask)) => {
                let result = source.page(&ask);
                Told::Page { ask, result }
            }
            Some(Order::Complete { text, cursor }) => {
                Told::Completions(source.complete(&text, cursor))
            }
            Some(Order::Steer(steer)) => {
                let result = source.steer(&steer);
                Told::Steered { steer, result }
            }
            Some(Order::Hold) => {
                is_held = true;
                continue;
            }
            Some(Order::Go) => {
                is_held = false;
                continue;
            }
            None => match source.more(RECORDS_MAX, LOOK) {
                Ok(More { leap: None, records, head: same })
                    if records.is_empty() && same == head =>
                {
                    continue;
                }
                Ok(more) => {
                    head = more.head;
                    Told::More(more)
                }
                Err(error) => {
                    is_open = false;
                    Told::Broken(error)
                }
            },
        };
        tell.send(told)?;
    }
}

//! Where an event of a hook goes: to the server if it answers in time, else to the spool, or into the log with what is decided about
//! it; and what is none, to what was refused.

use std::borrow::Cow;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use uuid::Uuid;
use weft_event::Dialect;
use weft_event::hook::Caller;
use weft_event::problem::Problem;
use weft_log::Network;
use weft_log::log::{Condition, Durability};
use weft_log::query::Records;
use weft_log::rejected::{Reason, Refusal, Rejected, With};
use weft_log::spool::{self, Entry};
use weft_server::socket::answer::Fate;
use weft_server::socket::client::{Client, ClientError, Wait};
use weft_server::socket::request::{Append, Sent};

use super::VIA;
use crate::output::{Shown, tell};
use crate::posting::{Place, Post, Posted, Ready, Report, post_last};
use crate::stores;

/// How long the server may take in all: to be found, to be told, and to answer.
const PATIENCE: Duration = Duration::from_millis(50);

/// One delivery to a store.
pub(super) struct Delivery<'d> {
    folder: &'d Path,
    at_us: i64,
    caller: Option<Caller>,
    id: Uuid,
}

impl<'d> Delivery<'d> {
    pub(super) fn new(folder: &'d Path, at_us: i64, caller: Option<Caller>) -> Self {
        Self { folder, at_us, caller, id: Uuid::now_v7() }
    }

    /// Brings the event to the server, or leaves it in the spool. It is durable when this returns.
    pub(super) fn deliver(&self, line: &[u8]) -> anyhow::Result<()> {
        match self.send(line) {
            Ok(Some(fate)) => {
                tell_refused(&fate);
                return Ok(());
            }
            Ok(None) | Err(ClientError::NotRunning) => {}
            // Whether it is in the log or not, the spool is safe: a repeat is recognised.
            Err(error) => {
                let error = format!("{:#}", anyhow::Error::from(error));
                tell(format_args!("note: {}; the event waits in the spool", Shown(&error)));
            }
        }
        self.spool(line)
    }

    /// Leaves the event in the spool. It is durable when this returns.
    fn spool(&self, line: &[u8]) -> anyhow::Result<()> {
        let entry = Entry {
            at_us: self.at_us,
            via: VIA.into(),
            id: self.id,
            dialect: Some(Dialect::Collector),
            topic: None,
            line,
        };
        let store = stores::make(self.folder, Network::Refuse)?;
        spool::put(&store, &entry).context("the event of a hook is lost")
    }

    /// Keeps what is no event, with the reason.
    pub(super) fn keep_refused(&self, bytes: Vec<u8>, problem: &Problem) -> anyhow::Result<()> {
        let origin = match self.caller {
            Some(caller) => format!("{VIA}:{}", caller.as_str()),
            None => VIA.to_owned(),
        };
        let with = With { delivery: Some(Entry::delivery(self.id)), ..With::default() };
        let (via, reasons) = (VIA.to_owned(), vec![Reason::from(problem)]);
        let refusal = Refusal { at_us: self.at_us, via, origin, with, reasons, bytes };
        let store = stores::make(self.folder, Network::Refuse)?;
        let ids = Rejected::new(&store).put(&[refusal])?;
        let id = ids.first().map(ToString::to_string).unwrap_or_default();
        let why = Shown(&problem.message);
        tell(format_args!("what came is refused ({why}); it is kept: weft rejects show {id}"));
        Ok(())
    }

    fn send(&self, line: &[u8]) -> Result<Option<Fate>, ClientError> {
        let wait = Wait::Until(Instant::now() + PATIENCE);
        let sent = Sent {
            line,
            via: None,
            dialect: Some(Dialect::Collector),
            delivery: Some(Cow::Owned(Entry::delivery(self.id))),
            topic: None,
        };
        let append = Append {
            via: VIA.into(),
            durability: Durability::Synced,
            patience: Some(PATIENCE),
            conditions: Vec::new(),
            events: vec![sent],
        };
        let appended = Client::append_once(self.folder, append, wait)?;
        Ok(appended.fates.into_iter().next())
    }
}

fn tell_refused(fate: &Fate) {
    if let Fate::Refused { id, reasons } = fate {
        let why = Shown(reasons.first().map_or("", |reason| reason.message.as_str()));
        tell(format_args!("the event was refused ({why}); it is kept: weft rejects show {id}"));
    }
}

/// The event of a hook that decides, until it is durable.
///
/// It goes into the log with what is decided: one group and one sync instead of two. Whoever is about to do what may take long has it
/// delivered before.
pub(super) struct InHand<'d> {
    delivery: Delivery<'d>,
    line: Vec<u8>,
    /// What came of delivering it, once that was tried.
    delivered: Option<anyhow::Result<()>>,
    /// The store, where it is ready for what is posted.
    ready: Option<Ready>,
}

impl<'d> InHand<'d> {
    pub(super) fn new(delivery: Delivery<'d>, line: Vec<u8>) -> Self {
        Self { delivery, line, delivered: None, ready: None }
    }

    /// Keeps what was said, where no event can be made of it that fits.
    pub(super) fn refused(delivery: Delivery<'d>, payload: Vec<u8>, problem: &Problem) -> Self {
        let delivered = Some(delivery.keep_refused(payload, problem));
        Self { delivery, line: Vec::new(), delivered, ready: None }
    }

    /// Gets the store ready for what is posted, once nothing more is looked up in it: whoever waits for git has the time. It is held
    /// no longer than until the event is delivered.
    pub(super) fn get_ready(&mut self, records: Records) {
        if self.delivered.is_none() {
            self.ready = Ready::begin(records);
        }
    }

    /// Delivers the event by itself, unless that was done before, and lets others have the store.
    pub(super) fn deliver(&mut self) {
        self.ready = None;
        if self.delivered.is_none() {
            self.delivered = Some(self.delivery.deliver(&self.line));
        }
    }

    /// Returns whether it went well, once it was delivered; does so where nobody did.
    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        self.deliver();
        self.delivered.unwrap_or(Ok(()))
    }

    /// Posts what was decided, and the event before it.
    pub(super) fn post(
        &mut self,
        place: Place,
        posts: &[Post],
        conditions: &[Condition],
    ) -> anyhow::Result<Posted> {
        let place = self.ready.take().map_or(place, Place::Ready);
        if self.delivered.is_some() {
            return post_last(place, VIA, (posts, conditions), None);
        }
        let late = || {
            // Whatever goes wrong shows when it is delivered by itself.
            let spooled = self.delivery.spool(&self.line);
            drop(spooled);
        };
        let mut report = Report {
            line: &self.line,
            dialect: Dialect::Collector,
            delivery: Entry::delivery(self.delivery.id),
            late: &late,
            fate: None,
        };
        let posted = post_last(place, VIA, (posts, conditions), Some(&mut report));
        if let Some(fate) = report.fate {
            tell_refused(&fate);
            self.delivered = Some(Ok(()));
        }
        posted
    }
}

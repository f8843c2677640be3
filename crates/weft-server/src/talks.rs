//! Sessions as they were talked, kept for those who read them: a conversation is read from the log once, and extended by what came
//! since whenever it is asked for again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use weft_log::filter::quoted;
use weft_log::query::{Ask, Order, QueryError, Records, by_producer};
use weft_log::snapshots::{SPACING, Snapshots};
use weft_log::{Filter, Position, Store};
use weft_view::sessions::{Conversation, TalkList};

use crate::reads::ReadsError;
use crate::views::Reading;

/// Conversations that are kept, those asked for last.
const TALKS_MAX: usize = 8;
/// Bytes of the records of all that are kept but for the last.
const TALKS_BYTES_MAX: usize = 256 << 20;
/// Bytes of the records of one session that are read; the rest of it is left out.
const SESSION_BYTES_MAX: usize = 512 << 20;
/// Records that are read at a time; inside of these a producer's order is put right.
const STEP_RECORDS: usize = 4096;

/// The conversations.
#[derive(Default)]
pub struct Talks {
    /// The last asked for first.
    slots: Mutex<VecDeque<Slot>>,
}

struct Slot {
    session: String,
    bytes: usize,
    kept: Arc<Mutex<Option<Kept>>>,
}

/// One conversation, and how far the log was read for it.
struct Kept {
    conversation: Conversation,
    /// What it was read from: it counts for nothing once something was pruned or redacted.
    origin: Snapshots,
    /// The position up to which the log was read.
    upto: u64,
    /// The session's last record.
    last: u64,
    bytes: usize,
    /// The list as it is now, which grows.
    now: TalkList,
    /// The list as it was at the position of the past that was asked for last.
    then: TalkList,
}

/// A conversation up to a position.
pub struct Talk<'t> {
    /// What was said and done.
    pub list: &'t TalkList,
    /// The position up to which the log was read.
    pub position: u64,
}

impl Talks {
    /// Hands on a session as it was talked up to a position, or up to now; `None` if there is no such session. Reads the disk.
    pub fn with<T>(
        &self,
        store: &Store,
        session: &str,
        upto: Option<Position>,
        take: impl FnOnce(Talk<'_>) -> T,
    ) -> Result<Option<T>, ReadsError> {
        let kept = self.slot(session);
        // What another one panicked over is read anew.
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let talk = match kept.take() {
            Some(talk) if talk.origin.is_current(store).unwrap_or(false) => talk,
            Some(_) | None => Kept::new(store)?,
        };
        let talk = kept.insert(talk);
        talk.catch_up(store, session)?;
        self.weigh(session, talk.bytes);
        let upto = upto.map_or(talk.upto, Position::get).min(talk.upto);
        let is_any = talk.last > 0;
        let list = talk.list(upto);
        Ok(is_any.then(|| take(Talk { list, position: upto })))
    }

    /// Returns where a session's conversation is kept, which is the last one asked for from now on.
    fn slot(&self, session: &str) -> Arc<Mutex<Option<Kept>>> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let known = slots.iter().position(|slot| slot.session == session);
        let slot = known.and_then(|idx| slots.remove(idx)).unwrap_or_else(|| Slot {
            session: session.to_owned(),
            bytes: 0,
            kept: Arc::default(),
        });
        let kept = Arc::clone(&slot.kept);
        slots.push_front(slot);
        slots.truncate(TALKS_MAX);
        kept
    }

    /// Notes how large a conversation is, and lets those go that are too many with it.
    fn weigh(&self, session: &str, bytes: usize) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.iter_mut().find(|slot| slot.session == session) {
            slot.bytes = bytes;
        }
        let mut sum = 0;
        let n_kept = slots.iter().take_while(|slot| {
            sum += slot.bytes;
            sum <= TALKS_BYTES_MAX
        });
        let n_kept = n_kept.count().max(1);
        slots.truncate(n_kept);
    }
}

impl Kept {
    fn new(store: &Store) -> Result<Self, ReadsError> {
        let origin = Snapshots::open(store, "talks", SPACING).map_err(QueryError::from)?;
        let (now, then) = (TalkList::default(), TalkList::default());
        let conversation = Conversation::default();
        Ok(Self { conversation, origin, upto: 0, last: 0, bytes: 0, now, then })
    }

    /// Reads what came since.
    fn catch_up(&mut self, store: &Store, session: &str) -> Result<(), ReadsError> {
        let mut records = Records::open(store.clone())?;
        let Some(end) = records.head().last() else { return Ok(()) };
        let filter = Filter::parse(&format!("session={}", quoted(session)), 0);
        // A name that is too long for a filter is too long for a session.
        let Ok(filter) = filter.map(Filter::without_bookkeeping) else { return Ok(()) };
        let mut reading = Reading::default();
        let mut next = Position::new(self.upto.saturating_add(1));
        while let Some(first) = next.filter(|next| *next <= end && self.bytes < SESSION_BYTES_MAX) {
            let (range, order) = (first..=end, Order::Ascending);
            let page = records.page(&Ask { filter: &filter, range, order, limit: STEP_RECORDS })?;
            next = page.next;
            for found in by_producer(page.records) {
                self.bytes += found.line.len();
                self.last = self.last.max(found.meta.position.get());
                reading.entry(&found.meta, &found.line, |entry| {
                    if !entry.is_carried {
                        self.conversation.add(entry);
                    }
                });
            }
            // What cannot be read next is read from here on when it is asked for again.
            self.upto = next.map_or(end.get(), |next| next.get() - 1);
        }
        self.upto = end.get();
        Ok(())
    }

    /// Returns the list up to a position.
    fn list(&mut self, upto: u64) -> &TalkList {
        let list = if upto < self.last { &mut self.then } else { &mut self.now };
        list.catch_up(&self.conversation, upto.min(self.last));
        list
    }
}

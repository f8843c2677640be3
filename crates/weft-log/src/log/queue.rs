//! Where producers wait: whose batches are written together, who leads, and how all are told.
//!
//! With many producers to a processor most of the time goes into waking them. So a few of them wait at one place, as a crowd, and
//! are woken with one call of the system; the last of them wakes the next crowd. Were all woken at once, a leader that waits for
//! the disk would wait for all of them as well, each time the disk is done with a step of a sync. The first of a crowd waits
//! alone, so that it can be called to lead.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread::{self, Thread};

use super::written::Written;
use super::{Answer, AppendError, Appended, Batch, lock};
use crate::writer::{GROUP_BYTES_MAX, GROUP_RECORDS_MAX};

/// Bytes that may wait to be written before producers have to wait with theirs.
const QUEUE_BYTES_MAX: usize = 8 * GROUP_BYTES_MAX;

/// Producers that wait at one place: the fewer, the more calls to wake them; the more, the longer a leader waits for them.
const CROWD_MAX: usize = 8;

/// What waits to be written.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    /// Signalled when there is room again.
    room: Condvar,
}

#[derive(Default)]
struct Waiting {
    /// In the order in which they came; none is empty.
    parties: VecDeque<Party>,
    bytes: usize,
    is_led: bool,
    /// Producers that wait for room.
    n_outside: usize,
}

/// A crowd, and what it wants to have written.
struct Party {
    crowd: Arc<Crowd>,
    batches: Vec<Batch>,
    bytes: usize,
    n_records: usize,
}

/// A producer's place in the queue.
pub(super) struct Place {
    crowd: Arc<Crowd>,
    idx: usize,
}

/// What a producer has waited for.
pub(super) enum Turn {
    /// To write for all.
    Lead,
    Answer(Result<Answer, AppendError>),
}

/// What each of a crowd is told, until it has heard it.
type Answers = Vec<Mutex<Option<Result<Answer, AppendError>>>>;

/// Producers that wait at one place.
struct Crowd {
    answers: OnceLock<Answers>,
    /// Whom the last of them is to tell.
    others: Mutex<Option<Told>>,
    /// Who came first.
    first: Thread,
    leads: AtomicBool,
}

/// What those are to be told whose batches were written together, crowd by crowd.
pub(super) struct Told {
    group: Group,
    answers: std::vec::IntoIter<Result<Answer, AppendError>>,
    /// What was written for them: the last who tells lets go of it, and the writer goes on.
    written: Option<Written>,
}

/// Those whose batches are written together. Who is dropped untold, because the leader panicked, is told that, so that nobody
/// waits for ever.
#[derive(Default)]
pub(super) struct Group(VecDeque<(Arc<Crowd>, usize)>);

/// The lead, handed on when it is dropped, also by a leader that panics.
pub(super) struct Lead<'q>(&'q Queue);

impl Queue {
    /// Puts a batch into the queue, once there is room.
    pub(super) fn join(&self, batch: Batch) -> Place {
        let bytes = batch.events.iter().map(|event| event.entry.group_bytes()).sum::<usize>();
        let mut waiting = lock(&self.waiting);
        waiting.n_outside += 1;
        while !waiting.parties.is_empty() && waiting.bytes + bytes > QUEUE_BYTES_MAX {
            waiting = self.room.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        waiting.n_outside -= 1;
        waiting.bytes += bytes;
        let n_records = batch.events.len();
        let fits = |party: &&mut Party| {
            party.batches.len() < CROWD_MAX
                && party.bytes + bytes <= GROUP_BYTES_MAX
                && party.n_records + n_records <= GROUP_RECORDS_MAX
        };
        if let Some(party) = waiting.parties.back_mut().filter(fits) {
            party.bytes += bytes;
            party.n_records += n_records;
            party.batches.push(batch);
            return Place { crowd: Arc::clone(&party.crowd), idx: party.batches.len() - 1 };
        }
        let is_led = std::mem::replace(&mut waiting.is_led, true);
        let crowd = Arc::new(Crowd {
            answers: OnceLock::new(),
            others: Mutex::default(),
            first: thread::current(),
            leads: AtomicBool::new(!is_led),
        });
        let place = Place { crowd: Arc::clone(&crowd), idx: 0 };
        let mut batches = Vec::with_capacity(CROWD_MAX);
        batches.push(batch);
        waiting.parties.push_back(Party { crowd, batches, bytes, n_records });
        place
    }

    pub(super) fn is_empty(&self) -> bool {
        lock(&self.waiting).parties.is_empty()
    }

    /// Takes up the lead that a producer was called for.
    pub(super) fn lead(&self) -> Lead<'_> {
        Lead(self)
    }

    /// Takes as much as one group holds; a batch that is larger than a group is taken alone.
    pub(super) fn take(&self) -> (Vec<Batch>, Group) {
        let mut waiting = lock(&self.waiting);
        let (mut batches, mut group) = (Vec::new(), Group::default());
        let (mut bytes, mut n_records) = (0, 0);
        let mut fits = |party: &mut Party| {
            bytes += party.bytes;
            n_records += party.n_records;
            n_records == party.n_records
                || (bytes <= GROUP_BYTES_MAX && n_records <= GROUP_RECORDS_MAX)
        };
        while let Some(party) = waiting.parties.pop_front_if(&mut fits) {
            waiting.bytes -= party.bytes;
            group.0.push_back((party.crowd, party.batches.len()));
            batches.extend(party.batches);
        }
        if waiting.n_outside > 0 {
            self.room.notify_all();
        }
        (batches, group)
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        let mut waiting = lock(&self.0.waiting);
        match waiting.parties.front() {
            Some(next) => next.crowd.lead(),
            None => waiting.is_led = false,
        }
    }
}

impl Place {
    /// Waits for the answer, or for the lead.
    pub(super) fn wait(&self) -> Turn {
        let Self { crowd, idx } = self;
        if *idx > 0 {
            crowd.answers.wait();
        }
        loop {
            if let Some(answers) = crowd.answers.get() {
                if idx + 1 == answers.len()
                    && let Some(others) = lock(&crowd.others).take()
                {
                    others.tell();
                }
                let answer = answers.get(*idx).and_then(|answer| lock(answer).take());
                return Turn::Answer(answer.unwrap_or(Err(AppendError::Left)));
            }
            if crowd.leads.swap(false, Ordering::AcqRel) {
                return Turn::Lead;
            }
            thread::park();
        }
    }
}

impl Group {
    /// Returns what those of the group are to be told.
    pub(super) fn told(self, Appended { answers, written }: Appended) -> Told {
        Told { group: self, answers: answers.into_iter(), written }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.0.drain(..).for_each(|(crowd, _)| crowd.tell(Vec::new()));
    }
}

impl Told {
    /// Tells the first crowd, and leaves it to the last of that to tell the next. One who waits alone may be the leader, who goes
    /// on before it hears anything, and is left nothing.
    pub(super) fn tell(mut self) {
        while let Some((crowd, n)) = self.group.0.pop_front() {
            let answers = self.answers.by_ref().take(n).map(|answer| Mutex::new(Some(answer)));
            let answers = answers.collect();
            if n > 1 {
                *lock(&crowd.others) = Some(self);
                return crowd.tell(answers);
            }
            crowd.tell(answers);
        }
        drop(self.written);
    }
}

impl Crowd {
    fn tell(&self, answers: Answers) {
        self.answers.get_or_init(|| answers);
        self.first.unpark();
    }

    /// Calls the first to lead.
    fn lead(&self) {
        self.leads.store(true, Ordering::Release);
        self.first.unpark();
    }
}

#[cfg(test)]
mod tests;

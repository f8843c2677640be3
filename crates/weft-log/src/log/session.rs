//! One hold of a store: its lock, its writer, what is known of earlier records, and the index close behind.

mod keep;
mod near;
mod spooled;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::background::{FollowerThread, forget};
use super::judge::{self, Group, Judge, JudgeError, Verdict};
use super::knowledge::Knowledge;
use super::recent::Recent;
use super::written::{Written, WrittenEntries};
use super::{
    Answer, AppendError, Appended, Batch, BeginError, Durability, Hold, Indexing, Options, Outcome,
    TellSpooled, lock, now_us,
};
use crate::admit::Admitted;
use crate::disk::RealDisk;
use crate::follow::{self, Follow, Progress};
use crate::index::{self, Follower, Index, IndexError};
use crate::known::Tail;
use crate::lines::Lines;
use crate::lock::Lock;
use crate::reader::Mileage;
use crate::recover::Finding;
use crate::spool::KnownEmpty;
use crate::writer::{GROUP_BYTES_MAX, GROUP_RECORDS_MAX, WriteError, Writer, WrittenGroup};
use crate::{Position, Store, TopicKey, redact};

pub use near::LATER_RECORDS_MAX;
use spooled::Spooled;

/// Records that a single event waits for to be indexed.
const BEHIND_RECORDS_MAX: u64 = 10_000;

/// Keys of records that the index has not reached, at most; beyond it producers wait for the index. They take 6 bytes each, and the
/// place of a record 8.
const TAIL_KEYS_MAX: usize = 2 << 20;

/// How long a store is held before it is let go for others, and how often that is looked at.
const HOLD_MIN: Duration = Duration::from_millis(50);

/// How far the clock may be behind the last record without a word: so much is put right all the time.
pub const CLOCK_SLACK_US: i64 = 1_000_000;

/// A store that is written to, held or not.
pub(super) struct Session {
    store: Store,
    options: Options,
    /// Taken and in order, and not ready to be written yet.
    taken: Option<(Lock, Writer<RealDisk>)>,
    held: Option<Held>,
    findings: Vec<Finding>,
    /// The filter over all keys; none where the store is held too briefly to fill one.
    known: Option<Knowledge>,
    /// A connection to the index that somebody had already.
    reader: Option<index::Reader>,
    /// What the spool held when the store was taken, if it was read before there was anything to append.
    spooled: Option<Spooled>,
    /// Whether the spool is known to hold nothing.
    spool: KnownEmpty,
    /// Whoever is told what becomes of what the spool holds.
    tell_spooled: Option<TellSpooled>,
}

struct Held {
    writer: Writer<RealDisk>,
    follow: Arc<Mutex<Follow>>,
    tail: Arc<Mutex<Tail>>,
    /// The last position that the index has.
    indexed: Arc<AtomicU64>,
    recent: Recent,
    index: index::Reader,
    lines: Lines,
    follower: Option<FollowerThread>,
    since: Instant,
    /// Dropped last: the store is let go when everything else is closed.
    lock: Lock,
}

impl Session {
    /// Takes a store and brings its log in order, which takes no longer where it is large.
    pub(super) fn begin(store: Store, options: Options) -> Result<Self, BeginError> {
        let (taken, held, findings, known) = (None, None, Vec::new(), None);
        let (reader, spooled, spool, tell_spooled) = (None, None, KnownEmpty::No, None);
        let mut session = Self {
            store,
            options,
            taken,
            held,
            findings,
            known,
            reader,
            spooled,
            spool,
            tell_spooled,
        };
        session.taken = Some(session.take()?);
        Ok(session)
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    pub(super) fn how_long(&self) -> Hold {
        self.options.hold
    }

    fn take(&mut self) -> Result<(Lock, Writer<RealDisk>), BeginError> {
        let lock = Lock::take(self.store.root(), &self.options.owner, self.options.patience)?;
        let now_us = now_us();
        let (writer, findings) = Writer::open(RealDisk, self.store.root().to_owned(), now_us)?;
        self.findings.extend(findings);
        let by_us = writer.head().at_us.saturating_sub(now_us);
        if by_us > CLOCK_SLACK_US {
            self.findings.push(Finding::ClockBehind { by_us });
        }
        Ok((lock, writer))
    }

    /// Makes the store ready for writing, unless it is.
    pub(super) fn hold_if_free(
        &mut self,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), BeginError> {
        if self.held.is_none() { self.hold(progress) } else { Ok(()) }
    }

    /// Makes the store ready for writing: the index is brought up to date, and the spool moved into the log.
    fn hold(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), BeginError> {
        self.hold_before_spool(progress)?;
        self.take_spool_held()
    }

    /// Does the same, and leaves the spool to be moved before anything else is written.
    fn hold_before_spool(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), BeginError> {
        let (lock, writer) = match self.taken.take() {
            Some(taken) => taken,
            None => self.take()?,
        };
        let last = writer.next().get() - 1;
        let is_redacting = redact::is_interrupted(&self.store);
        if is_redacting && last > BEHIND_RECORDS_MAX && self.options.hold == Hold::Briefly {
            return Err(BeginError::Behind { records: last });
        }
        if is_redacting {
            // It knows lines that are masked now.
            Index::recreate(&self.store.index(), &writer.head().store)?;
        }
        let near = if is_redacting { None } else { self.near(&writer)? };
        if let Some(near) = near {
            self.held = Some(near.hold(lock, writer));
            return Ok(());
        }
        let mut follow = self.open_index(&writer)?;
        let behind = last.saturating_sub(follow.watermark(Follower::Core).position);
        if behind > BEHIND_RECORDS_MAX && self.options.hold == Hold::Briefly {
            return Err(BeginError::Behind { records: behind });
        }
        if behind > BEHIND_RECORDS_MAX && follow.watermark(Follower::Core).position == 0 {
            drop(follow);
            follow::rebuild(&self.store, progress)?;
            follow = self.open_index(&writer)?;
        }
        follow.catch_up(Follower::Core, progress)?;
        if is_redacting {
            redact::unmark(&self.store).map_err(BeginError::Redaction)?;
        }
        let index = index::Reader::open(&self.store.index())?.beside_writer()?;
        let lines = Lines::new(self.store.clone(), Some(&index))?;
        let follow = Arc::new(Mutex::new(follow));
        let (tail, indexed) = (Arc::default(), Arc::default());
        if self.options.hold == Hold::Long {
            self.know(&index, writer.next())?;
        }
        let follower = match (self.options.hold, self.options.indexing) {
            (Hold::Long, Indexing::Meanwhile) => {
                let (follow, tail) = (Arc::clone(&follow), Arc::clone(&tail));
                Some(FollowerThread::start(follow, tail, Arc::clone(&indexed)))
            }
            (Hold::Briefly, _) | (_, Indexing::AtTheEnd | Indexing::Later) => None,
        };
        let (recent, since) = (Recent::default(), Instant::now());
        self.held = Some(Held {
            writer,
            follow,
            tail,
            indexed,
            recent,
            index,
            lines,
            follower,
            since,
            lock,
        });
        Ok(())
    }

    /// Opens the index, or an empty one in the place of one that is of no use.
    fn open_index(&self, writer: &Writer<RealDisk>) -> Result<Follow, BeginError> {
        let (path, head) = (self.store.index(), writer.head());
        let index = match Index::open(&path, &head.store) {
            Ok(index) if follow::fits(index.watermark(Follower::Core), head) => index,
            Ok(index) => {
                drop(index);
                Index::recreate(&path, &head.store)?
            }
            Err(IndexError::Stale { .. }) => Index::recreate(&path, &head.store)?,
            Err(error) => return Err(error.into()),
        };
        Ok(Follow::new(self.store.clone(), index))
    }

    /// Brings the filter of all keys up to `next`.
    fn know(&mut self, index: &index::Reader, next: Position) -> Result<(), BeginError> {
        match &mut self.known {
            Some(known) => {
                known.learn(&self.store, next).map_err(|error| BeginError::Follow(error.into()))?
            }
            None => self.known = Some(Knowledge::of(&self.store, index, next)?),
        }
        Ok(())
    }

    /// Appends batches together, and answers each. Where the store has to be taken for it, what the spool holds goes before them.
    pub(super) fn commit(&mut self, batches: Vec<Batch>) -> Appended {
        if let Err(error) = self.get_ready() {
            let error = Arc::new(error);
            let failed = |_| Err(AppendError::Begin(Arc::clone(&error)));
            return Appended { answers: batches.iter().map(failed).collect(), written: None };
        }
        let appended = match self.spooled.take() {
            Some(spooled) => self.commit_after(spooled, batches),
            None => self.commit_held(None, batches),
        };
        self.let_others();
        appended
    }

    /// Lets the store go for a moment if it was held long enough and another process waits for it.
    pub(super) fn let_others(&mut self) {
        let is_due = self.held.as_ref().is_some_and(|held| held.since.elapsed() > HOLD_MIN);
        if self.options.hold == Hold::Long && is_due && self.is_wanted() {
            // What failed here fails again, and is told, when the store is taken next.
            drop(self.end());
        }
    }

    fn is_wanted(&mut self) -> bool {
        self.held.as_mut().is_some_and(|held| {
            held.since = Instant::now();
            held.lock.is_wanted()
        })
    }

    /// Appends batches together, and answers each, first the one before them all: where that cannot be taken, none of them is.
    fn commit_held(&mut self, before: Option<Batch>, batches: Vec<Batch>) -> Appended {
        let held = self.held.as_mut().expect("the store is held");
        let mut commit = Commit::new(held, self.known.as_ref());
        let before = before.map(|batch| commit.take(batch));
        let barred = before.as_ref().and_then(|answer| answer.as_ref().err().cloned());
        let take = |batch| barred.clone().map_or_else(|| commit.take(batch), Err);
        let mut answers: Vec<_> = before.into_iter().chain(batches.into_iter().map(take)).collect();
        let written = commit.finish().unwrap_or_else(|error| {
            // The store is taken anew before the next write: what the failed one left is then made good or cut.
            self.held = None;
            // Which of them the failed write held is not worth telling apart: to ask again is safe.
            for answer in answers.iter_mut().filter(|answer| answer.is_ok()) {
                *answer = Err(AppendError::Write(Arc::clone(&error)));
            }
            None
        });
        if let (Some(held), Some(known)) = (&self.held, &mut self.known) {
            known.upto = held.writer.next();
            known.tend(&self.store, held.indexed.load(Ordering::Acquire));
        }
        Appended { answers, written }
    }

    pub(super) fn latest(&mut self, topic: &TopicKey) -> Result<Option<Position>, AppendError> {
        if self.held.is_none() {
            self.hold(&mut |_| {}).map_err(|error| AppendError::Begin(Arc::new(error)))?;
        }
        let held = self.held.as_ref().expect("the store is held");
        judge::latest(&lock(&held.tail), &held.index, topic)
            .map_err(|error| AppendError::Identity(Arc::new(error)))
    }

    pub(super) fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    pub(super) fn last(&self) -> Option<Position> {
        self.held.as_ref().and_then(|held| held.writer.head().last())
    }

    pub(super) fn is_warm(&self) -> bool {
        self.known.as_ref().is_none_or(Knowledge::is_ready)
    }

    /// Indexes everything that is durable.
    pub(super) fn catch_up(
        &mut self,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), BeginError> {
        let Some(held) = &mut self.held else { return Ok(()) };
        let synced = held.sync();
        let mut follow = lock(&held.follow);
        follow.catch_up(Follower::Core, progress)?;
        forget(&follow, &held.tail, &held.indexed);
        synced.map_err(BeginError::Sync)
    }

    /// Makes everything durable, indexes it unless that is left to others, and lets the store go.
    pub(super) fn end(&mut self) -> Result<(), BeginError> {
        let ended = match &mut self.held {
            Some(held) if self.options.indexing == Indexing::Later && held.is_near() => {
                held.sync().map_err(BeginError::Sync)
            }
            Some(_) | None => self.catch_up(&mut |_| {}),
        };
        // What was read of the spool and not written is there for the next one.
        (self.held, self.taken, self.spooled) = (None, None, None);
        ended
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Whoever wants to know calls `close` before; what is acknowledged is durable in any case.
        drop(self.end());
    }
}

/// One commit on its way.
struct Commit<'s> {
    held: &'s mut Held,
    known: Option<&'s Knowledge>,
    group: Group,
    needs_sync: bool,
    /// Why a group of it could not be written; nothing more is then.
    failed: Option<Arc<WriteError>>,
    written: Vec<WrittenEntries>,
}

impl<'s> Commit<'s> {
    fn new(held: &'s mut Held, known: Option<&'s Knowledge>) -> Self {
        let group = Group::new(held.writer.next());
        Self { held, known, group, needs_sync: false, failed: None, written: Vec::new() }
    }

    /// Takes a batch into the group; its outcomes are true once the group is written.
    fn take(&mut self, batch: Batch) -> Result<Answer, AppendError> {
        let identity = |error: JudgeError| AppendError::Identity(Arc::new(error));
        let tail = Arc::clone(&self.held.tail);
        for condition in &batch.conditions {
            let actual = self.judge().latest(&condition.topic, &lock(&tail)).map_err(identity)?;
            if actual != condition.last {
                return Err(AppendError::Condition { topic: condition.topic.clone(), actual });
            }
        }
        // Under one lock, so that no key goes from the tail to the index between the two looks.
        let seen = self.judge().seen(&batch.events, &lock(&tail)).map_err(identity)?;
        let n_events = batch.events.len();
        let (mut outcomes, mut n_repeats) = (Vec::with_capacity(n_events), 0);
        let n_before = self.group.entries.len();
        for event in batch.events {
            let verdict = self.judge().judge(&event, &seen).map_err(identity)?;
            let conflict = match verdict {
                Verdict::Repeat(position) => {
                    // The first may be written and not synced yet.
                    self.needs_sync |= batch.durability == Durability::Synced;
                    outcomes.push(Outcome::Repeat { position });
                    n_repeats += 1;
                    continue;
                }
                Verdict::Conflict(position) => Some(position),
                Verdict::New => None,
            };
            let position = self.push(event, conflict).map_err(AppendError::Write)?;
            outcomes.push(Outcome::Stored { position, conflict });
        }
        if n_repeats > n_events / 2 {
            self.group.set_apart(n_before);
        }
        self.needs_sync |= batch.durability == Durability::Synced;
        Ok(Answer { outcomes, durability: batch.durability })
    }

    /// Puts an event into the group, or into the next one where that is full.
    fn push(
        &mut self,
        event: Admitted,
        conflict: Option<Position>,
    ) -> Result<Position, Arc<WriteError>> {
        let bytes = self.group.bytes + event.entry.group_bytes();
        if self.group.entries.len() >= GROUP_RECORDS_MAX
            || (bytes > GROUP_BYTES_MAX && !self.group.entries.is_empty())
        {
            self.write()?;
        }
        Ok(self.group.push(event, conflict))
    }

    fn judge(&mut self) -> Judge<'_> {
        Judge {
            known: self.known,
            recent: &self.held.recent,
            index: &self.held.index,
            lines: &mut self.held.lines,
            group: &self.group,
        }
    }

    /// Writes the rest, and makes it durable if that is asked for; returns what was written if it is durable.
    fn finish(mut self) -> Result<Option<Written>, Arc<WriteError>> {
        self.write()?;
        if self.needs_sync {
            self.held.sync().map_err(Arc::new)?;
        }
        if let Some(follower) = &self.held.follower {
            follower.wake();
        }
        self.held.wait_for_index();
        let is_durable = self.needs_sync;
        Ok(Written::of(self.written, self.held.mileage()).filter(|_| is_durable))
    }

    /// Writes the group and begins the next.
    fn write(&mut self) -> Result<(), Arc<WriteError>> {
        if let Some(error) = &self.failed {
            return Err(Arc::clone(error));
        }
        let (first, entries, keys) = self.group.take();
        if entries.is_empty() {
            return Ok(());
        }
        let synced = self.held.sync();
        let written = synced.and_then(|()| self.held.writer.write(&entries, now_us()));
        let written = written.map_err(|error| {
            let error = Arc::new(error);
            self.failed = Some(Arc::clone(&error));
            error
        })?;
        assert_eq!(written, first, "one writer gives positions out");
        self.held
            .note_places(first, entries.iter().map(|entry| (entry.line.len(), entry.mark.crc)));
        let mut tail = lock(&self.held.tail);
        let mut position = first;
        for (entry, keys) in entries.iter().zip(&keys) {
            tail.add(position, keys, entry.mark.topic.as_ref());
            if let Some(known) = self.known {
                known.add(keys);
            }
            position = position.plus(1);
        }
        drop(tail);
        self.written.push(WrittenEntries { first, at_us: self.held.writer.group().at_us, entries });
        Ok(())
    }
}

impl Held {
    fn sync(&mut self) -> Result<(), WriteError> {
        let before = self.writer.group();
        self.writer.sync()?;
        let after = self.writer.group();
        if after != before {
            self.recent.move_group(after.first, after.segment, after.offset);
            self.lines.note(after.segment, self.writer.head().segment);
        }
        Ok(())
    }

    /// Returns how far a reader of everything that is durable has come.
    fn mileage(&self) -> Mileage {
        let head = self.writer.head();
        Mileage { next: head.next, segment: head.number, offset: head.end, hash: Some(head.hash) }
    }

    fn note_places(&mut self, first: Position, lines: impl Iterator<Item = (usize, u32)>) {
        let WrittenGroup { segment, offset, .. } = self.writer.group();
        self.lines.note(segment, self.writer.head().segment);
        self.recent.set(first, (segment, offset), lines);
    }

    /// Indexes on the producer's own time when the index is too far behind, and forgets what it has.
    fn wait_for_index(&mut self) {
        while lock(&self.tail).n_keys() > TAIL_KEYS_MAX {
            // An index that cannot be written is told of when the store is let go; until then memory grows.
            if !lock(&self.follow).step(Follower::Core).unwrap_or(false) {
                break;
            }
            forget(&lock(&self.follow), &self.tail, &self.indexed);
        }
        self.recent.forget(self.indexed.load(Ordering::Acquire));
    }
}

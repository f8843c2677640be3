//! Telling repeats from first events: by the filter of all known keys, the records that the index has not reached, and the index.
//!
//! A key that was seen makes a candidate and no more: its record is read, and identity and content are compared in full.

use std::collections::HashMap;

use bytes::Bytes;

use super::knowledge::Knowledge;
use super::likeness::{Likeness, compare};
use super::recent::Recent;
use crate::admit::Admitted;
use crate::index::{self, IndexError};
use crate::known::{Seen, Tail};
use crate::lines::{LineError, Lines};
use crate::writer::Entry;
use crate::{Mark, Position, TopicKey};

/// Why it cannot be told whether an event is a repeat.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The index cannot be asked.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// An earlier record cannot be read.
    #[error(transparent)]
    Line(#[from] LineError),
}

/// What an event is to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    New,
    Repeat(Position),
    /// The same identity as an earlier record, and other content.
    Conflict(Position),
}

/// Earlier records that share a key with events in hand.
#[derive(Debug, Default)]
pub(super) struct SeenBefore {
    by_key: HashMap<i64, Vec<Position>>,
    /// Where those stand that the index knows.
    places: HashMap<Position, index::Found>,
}

/// Everything that is known of earlier records.
pub(super) struct Judge<'s> {
    /// `None` where building it would take longer than asking the index.
    pub(super) known: Option<&'s Knowledge>,
    pub(super) recent: &'s Recent,
    pub(super) index: &'s index::Reader,
    pub(super) lines: &'s mut Lines,
    pub(super) group: &'s Group,
}

/// The records of the group that is being put together.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) first: Position,
    pub(super) entries: Vec<Entry>,
    pub(super) keys: Vec<index::Keys>,
    pub(super) bytes: usize,
    /// Also of the groups before it that belong to the same commit: neither tail nor index were asked for them.
    known: Tail,
}

impl Group {
    pub(super) fn new(first: Position) -> Self {
        Self { first, entries: Vec::new(), keys: Vec::new(), bytes: 0, known: Tail::default() }
    }

    /// Returns the record at a position, if it is not written yet.
    fn get(&self, position: Position) -> Option<&Entry> {
        let idx = position.get().checked_sub(self.first.get())?;
        self.entries.get(usize::try_from(idx).ok()?)
    }

    /// Takes the records out, and goes on behind them.
    pub(super) fn take(&mut self) -> (Position, Vec<Entry>, Vec<index::Keys>) {
        let (entries, keys) = (std::mem::take(&mut self.entries), std::mem::take(&mut self.keys));
        let first = self.first;
        self.first = first.plus(entries.len() as u64);
        self.bytes = 0;
        (first, entries, keys)
    }

    /// Gives lines from the `n`th on memory of their own: what they shared it with is not kept.
    pub(super) fn set_apart(&mut self, n: usize) {
        for entry in self.entries.iter_mut().skip(n) {
            entry.line = Bytes::copy_from_slice(&entry.line);
        }
    }

    pub(super) fn push(&mut self, event: Admitted, conflict: Option<Position>) -> Position {
        let idx = self.entries.len();
        let position = self.first.plus(idx as u64);
        self.known.add(position, &event.keys, event.entry.mark.topic.as_ref());
        self.bytes += event.entry.group_bytes();
        self.keys.push(event.keys);
        let mut entry = event.entry;
        entry.mark.conflict = conflict;
        self.entries.push(entry);
        position
    }
}

impl Judge<'_> {
    /// Returns the records that tail and index have under the keys of these events, all asked for at once.
    pub(super) fn seen(&self, events: &[Admitted], tail: &Tail) -> Result<SeenBefore, JudgeError> {
        let mut seen = SeenBefore::default();
        let mut keys = Vec::new();
        for key in events.iter().flat_map(|event| event.keys.as_slice()).copied() {
            if self.known.is_some_and(|known| known.has(key) == Seen::No) {
                continue;
            }
            keys.push(key);
            let found = tail.find(key).map(|position| (key, position));
            found.for_each(|(key, position)| seen.by_key.entry(key).or_default().push(position));
        }
        if !keys.is_empty() {
            for (key, found) in self.index.candidates(&keys)? {
                seen.places.insert(found.position, found);
                seen.by_key.entry(key).or_default().push(found.position);
            }
        }
        Ok(seen)
    }

    /// Returns what an event is to those before it.
    pub(super) fn judge(
        &mut self,
        event: &Admitted,
        seen: &SeenBefore,
    ) -> Result<Verdict, JudgeError> {
        let mut candidates: Vec<Position> = Vec::new();
        for key in event.keys.as_slice() {
            candidates.extend(seen.by_key.get(key).into_iter().flatten());
            candidates.extend(self.group.known.find(*key));
        }
        candidates.sort_unstable();
        candidates.dedup();
        let mut content = None;
        let mut verdict = Verdict::New;
        for position in candidates {
            let likeness = match self.group.get(position) {
                Some(earlier) => {
                    let Mark { dialect, delivery, .. } = &earlier.mark;
                    compare(event, &earlier.line, *dialect, delivery.as_deref(), &mut content)
                }
                None => self.compare_record(event, position, seen, &mut content)?,
            };
            match likeness {
                Likeness::Repeat => return Ok(Verdict::Repeat(position)),
                Likeness::Conflict if verdict == Verdict::New => {
                    verdict = Verdict::Conflict(position)
                }
                Likeness::Conflict | Likeness::None => {}
            }
        }
        Ok(verdict)
    }

    /// Returns the newest record of a last-value key.
    pub(super) fn latest(
        &self,
        topic: &TopicKey,
        tail: &Tail,
    ) -> Result<Option<Position>, JudgeError> {
        if let Some(position) = self.group.known.latest(topic) {
            return Ok(Some(position));
        }
        latest(tail, self.index, topic)
    }

    fn compare_record(
        &mut self,
        event: &Admitted,
        position: Position,
        seen: &SeenBefore,
        content: &mut Option<[u8; 16]>,
    ) -> Result<Likeness, JudgeError> {
        let (place, crc) = match self.recent.get(position) {
            Some((place, crc)) => (place, Some(crc)),
            None => match seen.places.get(&position) {
                Some(found) => (found.place, found.crc),
                None => return Ok(Likeness::None),
            },
        };
        let line = match self.lines.read(place, crc) {
            Ok(line) => line,
            // What is damaged or gone is nobody's first any more.
            Err(LineError::Damaged { .. } | LineError::Segment { .. }) => {
                return Ok(Likeness::None);
            }
            Err(error) => return Err(error.into()),
        };
        let delivery = match event.entry.mark.delivery {
            None => None,
            Some(_) => self.lines.read_mark(place, position)?.and_then(|(mark, _)| mark.delivery),
        };
        let dialect = event.entry.mark.dialect;
        Ok(compare(event, &line, dialect, delivery.as_deref(), content))
    }
}

/// Returns the newest record of a last-value key that is written.
pub(super) fn latest(
    tail: &Tail,
    index: &index::Reader,
    topic: &TopicKey,
) -> Result<Option<Position>, JudgeError> {
    if let Some(position) = tail.latest(topic) {
        return Ok(Some(position));
    }
    let Some(key) = &topic.key else { return Ok(None) };
    Ok(index.latest(&topic.topic, key)?)
}

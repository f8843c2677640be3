//! Secrets in a segment: masked where they stand, so that no byte moves, with what a note has to say of each group.

use std::ops::Range;

use memchr::memchr;
use weft_event::Dialect;
use weft_event::json::Tape;

use super::moved::Moved;
use crate::redact::{Note, NotedRecord, Notes, Redaction};
use crate::seal::{self, Seal};
use crate::{Hash, Position};

/// How a record of Weft's own begins.
const OWN_BEGIN: &[u8] = b"{\"weft\":1,";

/// The ways by which Weft's own records come in. Whatever else looks like one was taken from somebody before it was refused.
const OWN_VIAS: [&str; 3] = ["prune", "scan", "subscription"];

/// What was found in a segment.
#[derive(Debug, Default)]
pub(super) struct Masked {
    /// The records that have secrets, with the rules that found them.
    pub(super) found: Vec<(Position, Vec<String>)>,
    /// What has to be said of each group that changed.
    pub(super) notes: Vec<Note>,
    /// The rules that found something where no record stands: in what a failed write or damage left.
    pub(super) elsewhere: Vec<String>,
}

impl Masked {
    pub(super) fn is_empty(&self) -> bool {
        self.notes.is_empty() && self.elsewhere.is_empty()
    }
}

/// Masks the secrets in the bytes of a segment.
pub(super) fn mask(
    segment: &mut [u8],
    redaction: &Redaction,
    moved: &Moved,
    notes: &Notes,
) -> Masked {
    let mut masked = Masked::default();
    let mut tape = Tape::new();
    let (mut group, mut start) = (Group::default(), 0);
    while start < segment.len() {
        let end = memchr(b'\n', &segment[start..]).map_or(segment.len(), |newline| start + newline);
        let line = &mut segment[start..end];
        if line.starts_with(seal::PREFIX) {
            if let Ok((seal, _)) = Seal::decode(line, &mut tape) {
                for own in std::mem::take(&mut group.own_looking) {
                    if !is_foreign(&seal, group.before[own.idx]) {
                        continue;
                    }
                    group.mask(own.idx, &mut segment[own.place], redaction, moved);
                }
                let body = &segment[group.start..start];
                group.close(body, &seal, notes, &mut masked);
                group = Group { start: end + 1, ..Group::default() };
            }
        } else {
            let crc = crc32c::crc32c(line);
            group.before.push(crc);
            group.hasher.update(line);
            group.hasher.update(b"\n");
            let idx = group.before.len() - 1;
            match line.starts_with(OWN_BEGIN) {
                true => group.own_looking.push(OwnLooking { idx, place: start..end }),
                false => group.mask(idx, line, redaction, moved),
            }
        }
        start = end + 1;
    }
    masked.elsewhere.extend(group.changed.into_iter().flat_map(|changed| changed.rules));
    masked
}

/// Returns whether the record with this checksum is none of Weft's own.
fn is_foreign(seal: &Seal, crc: u32) -> bool {
    let mark = seal.marks.iter().find(|mark| mark.crc == crc);
    mark.is_some_and(|mark| mark.dialect != Dialect::Weft || !OWN_VIAS.contains(&&*mark.via))
}

/// Masks the secrets of a line and the references to blobs that had some; returns whether it changed.
fn mask_line(
    line: &mut [u8],
    redaction: &Redaction,
    moved: &Moved,
    rules: &mut Vec<String>,
) -> bool {
    let mut is_changed = moved.refer(line, rules);
    let mut found = Vec::new();
    if let Some(masked) = redaction.mask(line, &mut found) {
        line.copy_from_slice(&masked);
        rules.extend(found.into_iter().map(ToOwned::to_owned));
        is_changed = true;
    }
    is_changed
}

/// The lines of a group on the way to its seal.
#[derive(Default)]
struct Group {
    start: usize,
    /// The checksums before anything was masked.
    before: Vec<u32>,
    /// Hashes the lines as they were.
    hasher: blake3::Hasher,
    changed: Vec<Changed>,
    /// What looks like records of Weft's own: the seal says which are.
    own_looking: Vec<OwnLooking>,
}

struct OwnLooking {
    idx: usize,
    place: Range<usize>,
}

struct Changed {
    idx: usize,
    rules: Vec<String>,
    crc: u32,
}

impl Group {
    /// Masks the secrets of one of its lines.
    fn mask(&mut self, idx: usize, line: &mut [u8], redaction: &Redaction, moved: &Moved) {
        let mut rules = Vec::new();
        if mask_line(line, redaction, moved, &mut rules) {
            self.changed.push(Changed { idx, rules, crc: crc32c::crc32c(line) });
        }
    }

    /// Ends the group with its seal: what changed is noted, by the position of each line.
    fn close(self, body: &[u8], seal: &Seal, notes: &Notes, masked: &mut Masked) {
        if self.changed.is_empty() {
            return;
        }
        let was = Hash::of_pieces(&self.hasher);
        let noted = notes.find(seal.first, was);
        let is_noted = noted.is_some_and(|note| note.body == Some(was));
        let was_whole = body.len() as u64 == seal.bytes
            && self.before.len() == seal.marks.len()
            && (was == seal.body || is_noted);
        let mut records: Vec<NotedRecord> = Vec::new();
        // What an earlier redaction changed is said again: the newest note stands for the group.
        if let Some(noted) = noted {
            records.extend(noted.records.iter().cloned());
        }
        for Changed { idx, rules, crc } in self.changed {
            let idx = match was_whole {
                true => Some(idx),
                false => seal.marks.iter().position(|mark| mark.crc == self.before[idx]),
            };
            let Some(idx) = idx else {
                masked.elsewhere.extend(rules);
                continue;
            };
            let position = seal.first.plus(idx as u64);
            records.retain(|record| record.position != position);
            masked.found.push((position, rules.clone()));
            records.push(NotedRecord { position, rules, crc });
        }
        records.sort_by_key(|record| record.position);
        let body = was_whole.then(|| Hash::of(body));
        masked.notes.push(Note { first: seal.first, body, records });
    }
}

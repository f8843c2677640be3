//! The walk along the log: what Weft's own reader sees, and beyond it every seal, checksum and time.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::ErrorKind;

use weft_event::Dialect;
use weft_event::json::Tape;

use super::rows::Rows;
use super::{Absent, Against, Fault, Note, Report, Teller, VerifyError, blobs_of, look_at_spool};
use crate::archive::{self, State};
use crate::blobs::BlobError;
use crate::index::Place;
use crate::prune::{Mode, PRUNED};
use crate::reader::Batch;
use crate::seal::Seal;
use crate::segment::{Form, SegmentName};
use crate::{Hash, Head, Position, Store, blobs, redact, scan};

/// What is known on the way.
pub(super) struct Walk<'s> {
    store: &'s Store,
    head: &'s Head,
    against: Option<Hash>,
    found: Option<Against>,
    current: Option<Current>,
    /// The seal read last: its hash, the position after it, its time.
    last: Option<(Hash, Position, i64)>,
    /// Where the log begins: position and the hash before it.
    start: Option<(u64, Position, Hash)>,
    gone: Vec<Pruned>,
    pruned: Vec<Pruned>,
    /// Groups that are what a redaction left, with the hash of their lines.
    redacted: Vec<(Position, Hash)>,
    notes: Vec<redact::Note>,
    blobs: HashSet<Hash>,
    /// What looks like a reference, and refers to no blob that this store had.
    foreign: HashSet<Hash>,
    blob_bytes: u64,
    /// Blobs that are missing, and those that nothing shows to have been here.
    missing: Absent,
    unknown: Absent,
    counts: Report,
}

/// The segment that is walked.
struct Current {
    name: SegmentName,
    number: u64,
    end: u64,
    archive: Option<archive::Reader>,
    is_hit: bool,
}

/// Positions that are not there, and the hash of the last seal of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pruned {
    pub(crate) first: Position,
    pub(crate) last: Position,
    pub(crate) hash: Hash,
}

impl<'s> Walk<'s> {
    pub(super) fn new(store: &'s Store, head: &'s Head, against: Option<Hash>) -> Self {
        Self {
            store,
            head,
            against,
            found: None,
            current: None,
            last: None,
            start: None,
            gone: Vec::new(),
            pruned: Vec::new(),
            redacted: Vec::new(),
            notes: Vec::new(),
            blobs: HashSet::new(),
            foreign: HashSet::new(),
            blob_bytes: 0,
            missing: Absent::default(),
            unknown: Absent::default(),
            counts: Report::default(),
        }
    }

    /// Returns whether a batch stands in another segment than the one before.
    pub(super) fn is_new_segment(&self, batch: &Batch<'_>) -> bool {
        self.current.as_ref().is_none_or(|current| current.number != batch.number)
    }

    /// Returns the offset that was reached in the segment.
    pub(super) fn end(&self) -> u64 {
        self.current.as_ref().map_or(0, |current| current.end)
    }

    /// Takes what stands next.
    pub(super) fn take(
        &mut self,
        batch: &Batch<'_>,
        rows: &mut Option<Rows>,
        teller: &mut Teller<'_>,
    ) -> Result<(), VerifyError> {
        if self.is_new_segment(batch) {
            self.leave(teller)?;
            self.enter(batch, teller)?;
        }
        let (segment, offset) = (batch.segment, batch.stretch.offset);
        for fault in &batch.stretch.faults {
            if let scan::Fault::Gone { first, last, hash } = *fault {
                self.gone.push(Pruned { first, last, hash });
                continue;
            }
            self.current.as_mut().expect("a segment was entered").is_hit = true;
            teller.fault(Fault::Log { segment, offset, fault: fault.clone() });
        }
        for (first, last) in batch.lost() {
            if let Some(rows) = rows {
                rows.skip(first, last, teller)?;
            }
        }
        self.take_lines(batch, rows, teller)?;
        self.redacted.extend(batch.stretch.redacted.map(|body| (batch.first(), body)));
        if let Some((seal, hash)) = &batch.stretch.seal {
            self.take_seal(batch, seal, *hash, teller);
            if let Some(rows) = rows {
                rows.check_mark((batch.number, batch.stretch.end), *hash, teller);
            }
        }
        self.current.as_mut().expect("a segment was entered").end = batch.stretch.end;
        Ok(())
    }

    fn take_lines(
        &mut self,
        batch: &Batch<'_>,
        rows: &mut Option<Rows>,
        teller: &mut Teller<'_>,
    ) -> Result<(), VerifyError> {
        for (line, mark, bytes) in batch.lines() {
            let offset = batch.stretch.offset + line.start as u64;
            let position = line.position;
            self.counts.n_records += 1;
            if mark.is_some_and(|mark| crc32c::crc32c(bytes) != mark.crc) {
                teller.fault(Fault::Checksum { segment: batch.segment, offset, position });
            }
            if let Some(rows) = rows {
                let bytes = u32::try_from(bytes.len()).expect("a line is shorter than 4 GiB");
                let place = Place { segment: batch.number, offset, bytes };
                rows.check(position, place, mark.map(|mark| mark.crc), teller)?;
            }
            if mark.is_some_and(|mark| mark.dialect == Dialect::Weft) {
                self.pruned.extend(pruned(bytes));
                self.notes.extend(redact::Note::read(bytes));
            }
            self.refer(position, bytes, teller);
        }
        Ok(())
    }

    /// Checks the blobs that a line refers to, each once.
    fn refer(&mut self, position: Position, line: &[u8], teller: &mut Teller<'_>) {
        let references = blobs::references(line).unwrap_or_default();
        let bytes: u64 = references.iter().map(|reference| reference.bytes).sum();
        let event_bytes = bytes.saturating_add(line.len() as u64);
        for reference in references {
            let hash = reference.hash;
            let text = Hash::of(reference.to_string().as_bytes());
            if self.blobs.contains(&hash) || self.foreign.contains(&text) {
                continue;
            }
            let blobs = blobs_of(self.store);
            match blobs.get(&reference) {
                Ok(blob) => self.blob_bytes += blob.len() as u64,
                Err(BlobError::NotAsReferred { .. }) => {
                    self.foreign.insert(text);
                }
                Err(BlobError::Missing { .. }) if blobs.may_have_had(&reference, event_bytes) => {
                    self.missing.add(position, hash);
                }
                Err(BlobError::Missing { .. }) => {
                    self.foreign.insert(text);
                }
                Err(error) => teller.fault(Fault::Blob { position, message: error.to_string() }),
            }
            if self.foreign.contains(&text) {
                self.unknown.add(position, hash);
            } else {
                self.blobs.insert(hash);
            }
        }
    }

    fn take_seal(&mut self, batch: &Batch<'_>, seal: &Seal, hash: Hash, teller: &mut Teller<'_>) {
        let (segment, offset) = (batch.segment, batch.stretch.offset);
        self.counts.n_seals += 1;
        if let Some(opening) = seal.opening.as_ref() {
            if opening.store != self.head.store {
                teller.fault(Fault::Foreign { segment, store: opening.store.clone() });
            }
            if self.last.is_none() && self.start.is_none() {
                self.start = Some((opening.segment, seal.first, seal.prev));
                if self.against == Some(seal.prev) {
                    self.found = Some(Against::Found { upto: seal.first.get() - 1 });
                }
            }
        }
        if let Some((_, expected, at_us)) = self.last {
            if seal.first < expected {
                let first = seal.first;
                teller.fault(Fault::Overlap { segment, offset, first, expected });
            }
            if seal.at_us < at_us {
                teller.fault(Fault::Backward { segment, offset });
            }
        }
        if self.against == Some(hash) {
            self.found = Some(Against::Found { upto: seal.next().get() - 1 });
        }
        self.last = Some((hash, seal.next(), seal.at_us));
    }

    fn enter(&mut self, batch: &Batch<'_>, teller: &mut Teller<'_>) -> Result<(), VerifyError> {
        let (segment, number) = (batch.segment, batch.number);
        self.counts.n_segments += 1;
        let path = |form| self.store.log().join(segment.file(form));
        let (plain, packed) = (path(Form::Plain), path(Form::Archive));
        let mut archive = None;
        if plain.exists() {
            if packed.exists() {
                teller.note(Note::BothForms { segment });
            }
        } else {
            self.counts.n_archives += 1;
            let opened =
                File::open(&packed).map_err(archive::OpenError::Io).and_then(archive::Reader::open);
            archive = match opened {
                Ok(reader) => Some(reader),
                // Which was told before the walk.
                Err(archive::OpenError::NotAnArchive) => None,
                // It was pruned while it was read.
                Err(archive::OpenError::Io(error)) if error.kind() == ErrorKind::NotFound => None,
                Err(archive::OpenError::Io(source)) => {
                    return Err(VerifyError::Io { path: packed, source });
                }
            };
            if archive.as_ref().is_some_and(|reader| reader.state() != State::Whole) {
                teller.fault(Fault::Table { segment });
            }
        }
        self.current = Some(Current { name: segment, number, end: 0, archive, is_hit: false });
        Ok(())
    }

    /// Ends a segment: its damaged frames, and what stands after its last seal.
    fn leave(&mut self, teller: &mut Teller<'_>) -> Result<(), VerifyError> {
        let Some(Current { name: segment, end, archive, is_hit, .. }) = self.current.take() else {
            return Ok(());
        };
        self.counts.bytes += end;
        let path = self.store.log().join(segment.file(Form::Plain));
        let len = match archive {
            Some(mut archive) => {
                let len = archive.len();
                if is_hit || len > end {
                    let damaged =
                        archive.find_damage().map_err(|source| VerifyError::Io { path, source })?;
                    for damaged in damaged {
                        teller.fault(Fault::Frame { segment, damaged });
                    }
                }
                len
            }
            None => fs::metadata(&path).map_or(end, |file| file.len()),
        };
        let bytes = len.saturating_sub(end);
        if bytes > 0 && segment == self.head.segment {
            teller.note(Note::Beyond { segment, bytes });
        } else if bytes > 0 {
            teller.note(Note::Leftover { segment, bytes });
        }
        Ok(())
    }

    /// Looks at the spool; returns how many entries it has.
    pub(super) fn spool(&mut self, teller: &mut Teller<'_>) -> Result<u64, VerifyError> {
        let looked = look_at_spool(self.store, |line| {
            let found = blobs::references(line).unwrap_or_default();
            self.blobs.extend(found.into_iter().map(|reference| reference.hash));
        })?;
        if looked.n_damaged > 0 {
            teller.fault(Fault::Spool { n: looked.n_damaged });
        }
        Ok(looked.n_entries)
    }

    /// Ends the walk: what only the whole log can tell.
    pub(super) fn finish(
        mut self,
        teller: &mut Teller<'_>,
        report: &mut Report,
    ) -> Result<(), VerifyError> {
        let reached = self.current.as_ref().map(|current| (current.name, current.end));
        self.leave(teller)?;
        if reached == Some((self.head.segment, self.head.end)) {
            let is_named = self
                .last
                .is_some_and(|(hash, next, _)| (hash, next) == (self.head.hash, self.head.next));
            if !is_named {
                let (segment, offset) = (self.head.segment, self.head.end);
                teller.fault(Fault::Head { segment, offset });
            }
        }
        self.tell_absent(teller);
        self.check_pruned(teller);
        report.n_redacted = self.check_redacted(teller);
        let Report { n_segments, n_archives, n_seals, n_records, bytes, .. } = self.counts;
        report.n_segments = n_segments;
        report.n_archives = n_archives;
        report.n_seals = n_seals;
        report.n_records = n_records;
        report.bytes = bytes;
        let first = self.start.map_or(Position::FIRST, |(_, first, _)| first);
        report.range = self.head.last().filter(|last| *last >= first).map(|last| (first, last));
        report.against = self.found.or(self.pruned_range());
        (report.n_blobs, report.blob_bytes) = (self.blobs.len() as u64, self.blob_bytes);
        let listed = blobs_of(self.store).list()?.blobs;
        report.n_unreferenced =
            listed.iter().filter(|blob| !self.blobs.contains(&blob.hash)).count() as u64;
        Ok(())
    }

    /// Tells which blobs are not there: few of them one by one, many at once.
    fn tell_absent(&self, teller: &mut Teller<'_>) {
        let (blobs, folder) = (blobs_of(self.store), self.store.blobs());
        let absent = self.missing.clone();
        if absent.n > 0 && !folder.is_dir() {
            teller.fault(Fault::NoBlobs { absent, folder });
        } else if absent.is_few() {
            for (position, hash) in absent.examples {
                let message = BlobError::Missing { path: blobs.path_of(&hash) }.to_string();
                teller.fault(Fault::Blob { position, message });
            }
        } else {
            teller.fault(Fault::Blobs { absent, folder });
        }
        let absent = self.unknown.clone();
        if absent.is_few() {
            for (position, hash) in absent.examples {
                teller.note(Note::ForeignBlob { position, hash });
            }
        } else {
            teller.note(Note::ForeignBlobs { absent });
        }
    }

    /// Compares what redactions left with the records that say so; returns how many records changed.
    fn check_redacted(&self, teller: &mut Teller<'_>) -> u64 {
        let mut n_redacted = 0;
        for (first, body) in &self.redacted {
            let is_note = |note: &&redact::Note| note.first == *first && note.body == Some(*body);
            let Some(note) = self.notes.iter().rev().find(is_note) else {
                teller.fault(Fault::Redacted { first: *first });
                continue;
            };
            for redact::NotedRecord { position, rules, .. } in &note.records {
                n_redacted += 1;
                let (position, rules) = (*position, rules.clone());
                teller.note(Note::Redacted { position, rules });
            }
        }
        n_redacted
    }

    /// Returns what stands for a hash that may have been that of a seal which was pruned; `None` if none was, by the records that say
    /// so.
    fn pruned_range(&self) -> Option<Against> {
        let first = self.pruned.iter().map(|record| record.first).min()?;
        let last = self.pruned.iter().map(|record| record.last).max()?;
        self.against.map(|_| Against::Pruned { first, last })
    }

    /// Compares what is not there with the records that say what was pruned.
    fn check_pruned(&mut self, teller: &mut Teller<'_>) {
        for record in &self.pruned {
            if self.against == Some(record.hash) && self.found.is_none() {
                self.found = Some(Against::Found { upto: record.last.get() });
            }
        }
        for gone in &self.gone {
            // Several prunings, one after the other, may have made one gap; each says how far it went.
            let mut first = gone.first;
            while let Some(record) = self.pruned.iter().find(|record| record.first == first)
                && record.last < gone.last
            {
                first = record.last.plus(1);
            }
            let is_said = self.pruned.iter().any(|record| {
                (record.first, record.last, record.hash) == (first, gone.last, gone.hash)
            });
            if !is_said {
                teller.fault(Fault::Gone { first: gone.first, last: gone.last });
            }
        }
        let Some((number, first, prev)) = self.start else { return };
        if number == 1 && (first, prev) == (Position::FIRST, Hash::ZERO) {
            return;
        }
        let ends_before = |record: &&Pruned| record.last.plus(1) == first;
        if self.pruned.iter().filter(ends_before).any(|record| record.hash == prev) {
            return;
        }
        if self.pruned.iter().any(|record| record.first <= first && first <= record.last) {
            teller.note(Note::Unfinished { first });
        } else {
            teller.fault(Fault::Start { first, prev });
        }
    }
}

/// Reads a prune record that says what was deleted; `None` if the line is another.
pub(crate) fn pruned(line: &[u8]) -> Option<Pruned> {
    let mut tape = Tape::new();
    let record = tape.parse_bytes(line).ok()?;
    let data = record.get("data")?;
    let is_deletion =
        record.get("type")?.is_text(PRUNED) && data.get("mode")?.is_text(Mode::Delete.as_str());
    let position = |name| Position::new(data.get(name)?.as_u64()?);
    is_deletion.then_some(())?;
    let hash = Hash::parse(&data.text_at("hash")?)?;
    Some(Pruned { first: position("first")?, last: position("last")?, hash })
}

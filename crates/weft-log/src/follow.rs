//! Keeping the index close behind the log: reading on from where it stands, and making it again from the beginning.

use std::path::Path;

use crate::disk::RealDisk;
use crate::index::{
    Adding, Entry, Follower, Gap, Index, IndexError, PARSED_TOGETHER, Rebuild, Segment, Watermark,
};
use crate::priority::yield_turn;
use crate::reader::{Batch, Mileage, Place, ReadError, Reader};
use crate::segment::{Form, SegmentName};
use crate::{Head, Meta, Position, Record, Store};

/// Records that go into one transaction, where so many are there: as many as a bucket of keys of the second level has, so that those
/// of the first are never written, and pages that every transaction changes are written less often.
const RECORDS_TOGETHER: usize = 1 << 14;

/// Records that are handed over together where the whole index is made.
const REBUILT_TOGETHER: usize = 4096;

/// The same for texts, which take longer.
const TEXTS_TOGETHER: usize = 1024;

/// Bytes of lines after which a transaction is closed early.
const BYTES_TOGETHER: usize = 16 << 20;

/// Why the index could not follow.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The index cannot be written.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The index does not fit the log: it knows more than there is, or of other records.
    #[error("the index does not fit the log: make it again with `weft index rebuild`")]
    Unfit,
}

/// How far a long piece of work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The last position done.
    pub position: u64,
    /// The last position there is.
    pub last: u64,
}

/// The index and where it reads on.
pub struct Follow {
    store: Store,
    index: Index,
    core: Option<Reader<RealDisk>>,
    text: Option<Reader<RealDisk>>,
    /// The segment noted last.
    segment: u64,
}

impl Follow {
    /// Returns a follower of a store's log that goes on from where the index is.
    pub fn new(store: Store, index: Index) -> Self {
        // The segment it stands in is noted with the position of its first record, not of the next one.
        let segment = index.watermark(Follower::Core).segment;
        Self { store, index, core: None, text: None, segment }
    }

    /// Returns how far the index is.
    pub fn watermark(&self, follower: Follower) -> Watermark {
        self.index.watermark(follower)
    }

    /// Returns the index.
    pub fn index(&mut self) -> &mut Index {
        &mut self.index
    }

    /// Indexes what comes next, in one transaction; returns whether there was anything.
    pub fn step(&mut self, follower: Follower) -> Result<bool, FollowError> {
        let stepped = match follower {
            Follower::Core => self.step_core(),
            Follower::Text => self.step_text(),
        };
        if stepped.is_err() {
            // It may have read what the index did not take.
            match follower {
                Follower::Core => self.core = None,
                Follower::Text => self.text = None,
            }
        }
        stepped
    }

    /// Hands records over as they are read, so that those of a large transaction are never in memory together.
    fn step_core(&mut self) -> Result<bool, FollowError> {
        let reader = match &mut self.core {
            Some(reader) => reader,
            None => self.core.insert(open(&self.store, self.index.watermark(Follower::Core))?),
        };
        let Some(first) = reader.read()? else { return Ok(false) };
        let mut adding = self.index.begin()?;
        let (mut n_records, mut n_bytes) = add(&mut adding, &first)?;
        let (mut gaps, mut upto) = (gaps(&first), watermark(&first));
        let mut noted = note(&mut adding, self.segment, &first)?;
        while n_records < RECORDS_TOGETHER
            && n_bytes < BYTES_TOGETHER
            && let Some(batch) = reader.read()?
        {
            let (records, bytes) = add(&mut adding, &batch)?;
            (n_records, n_bytes) = (n_records + records, n_bytes + bytes);
            gaps.extend(self::gaps(&batch));
            noted = note(&mut adding, noted, &batch)?;
            upto = watermark(&batch);
        }
        adding.commit(&gaps, upto)?;
        self.segment = noted;
        Ok(true)
    }

    fn step_text(&mut self) -> Result<bool, FollowError> {
        let reader = match &mut self.text {
            Some(reader) => reader,
            None => self.text.insert(open(&self.store, self.index.watermark(Follower::Text))?),
        };
        let mut gathered = Gathered::default();
        while !gathered.is_full(TEXTS_TOGETHER)
            && let Some(batch) = reader.read()?
        {
            gathered.take(&batch);
        }
        let Some(upto) = gathered.upto else { return Ok(false) };
        self.index.add_text(&gathered.entries(), upto)?;
        Ok(true)
    }

    /// Indexes everything there is.
    pub fn catch_up(
        &mut self,
        follower: Follower,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), FollowError> {
        while self.step(follower)? {
            let reader = match follower {
                Follower::Core => &self.core,
                Follower::Text => &self.text,
            };
            let last = reader.as_ref().and_then(|reader| reader.head().last());
            let last = last.map_or(0, Position::get);
            progress(Progress { position: self.index.watermark(follower).position, last });
        }
        Ok(())
    }
}

/// Makes the index of a store again from its log, and puts it in the place of the old one.
pub fn rebuild(store: &Store, progress: &mut dyn FnMut(Progress)) -> Result<(), FollowError> {
    build(store, &store.index(), progress)
}

/// Makes an index of a store's log at a path.
pub(crate) fn build(
    store: &Store,
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), FollowError> {
    let mut reader = Reader::open(RealDisk, store.root().to_owned(), Position::FIRST)?;
    let mut rebuild = Rebuild::begin(path, &reader.head().store)?;
    let mut noted = 0;
    loop {
        let mut gathered = Gathered::default();
        while !gathered.is_full(REBUILT_TOGETHER)
            && let Some(batch) = reader.read()?
        {
            gathered.take(&batch);
        }
        let Some(upto) = gathered.upto else { break };
        for segment in gathered.segments.iter().filter(|segment| segment.number > noted) {
            rebuild.add_segment(segment.clone())?;
        }
        noted = upto.segment;
        rebuild.add(&gathered.entries(), &gathered.gaps, upto)?;
        let last = reader.head().last().map_or(0, Position::get);
        progress(Progress { position: upto.position, last });
    }
    Ok(rebuild.finish()?)
}

/// Returns whether what the index says of itself fits the log.
pub fn fits(mark: Watermark, head: &Head) -> bool {
    let is_within = mark.position < head.next.get() && mark.segment <= head.number;
    let is_at_end = mark.segment == head.number && mark.offset == head.end;
    is_within && (!is_at_end || mark.hash == head.hash)
}

/// Opens the log where a follower stands.
fn open(store: &Store, mark: Watermark) -> Result<Reader<RealDisk>, FollowError> {
    let reader = open_after(store, mark)?;
    if !fits(mark, reader.head()) {
        return Err(FollowError::Unfit);
    }
    Ok(reader)
}

/// Opens the log right after what a mark says was read. Nothing that stands before is read again.
pub(crate) fn open_after(store: &Store, mark: Watermark) -> Result<Reader<RealDisk>, ReadError> {
    let root = store.root().to_owned();
    if mark.segment == 0 {
        return Reader::open(RealDisk, root, Position::FIRST);
    }
    let next = Position::new(mark.position + 1).expect("it is one more than another");
    let hash = (mark.hash != crate::Hash::ZERO).then_some(mark.hash);
    let mileage = Mileage { next, segment: mark.segment, offset: mark.offset, hash };
    match Reader::resume(RealDisk, root.clone(), mileage)? {
        Some(reader) => Ok(reader),
        // The segment was pruned before the follower had read all of it.
        None => Reader::open(RealDisk, root, next),
    }
}

/// Hands over the records of a batch; returns how many they are, and how many bytes they have.
fn add(adding: &mut Adding<'_>, batch: &Batch<'_>) -> Result<(usize, usize), IndexError> {
    let (mut n_records, mut n_bytes) = (0, 0);
    let mut records = batch.records();
    let mut some: Vec<(Record<'_>, Place)> = Vec::with_capacity(PARSED_TOGETHER);
    loop {
        some.extend(records.by_ref().take(PARSED_TOGETHER));
        if some.is_empty() {
            return Ok((n_records, n_bytes));
        }
        let entries: Vec<Entry<'_>> = some
            .iter()
            .map(|(Record { meta, line }, place)| Entry { meta, place: *place, line })
            .collect();
        adding.push(&entries)?;
        n_records += entries.len();
        n_bytes += entries.iter().map(|entry| entry.line.len()).sum::<usize>();
        drop(entries);
        some.clear();
    }
}

/// Notes the segment of a batch if it is behind the one noted last; returns which is that now.
fn note(adding: &mut Adding<'_>, noted: u64, batch: &Batch<'_>) -> Result<u64, IndexError> {
    if batch.number > noted {
        adding.add_segment(segment(batch.segment, batch.number, batch.first()))?;
    }
    Ok(noted.max(batch.number))
}

fn gaps(batch: &Batch<'_>) -> Vec<Gap> {
    let gap = |(first, last, reason): (_, _, &str)| Gap { first, last, reason: reason.to_owned() };
    batch.gaps().map(gap).collect()
}

fn watermark(batch: &Batch<'_>) -> Watermark {
    let Mileage { next, segment, offset, hash } = batch.mileage;
    let hash = hash.unwrap_or(crate::Hash::ZERO);
    Watermark { position: next.get() - 1, segment, offset, hash }
}

/// Records of several groups that are handed over together.
#[derive(Default)]
struct Gathered {
    bytes: Vec<u8>,
    records: Vec<(Meta, Place, usize)>,
    gaps: Vec<Gap>,
    segments: Vec<Segment>,
    upto: Option<Watermark>,
}

impl Gathered {
    fn is_full(&self, together: usize) -> bool {
        self.records.len() >= together || self.bytes.len() >= BYTES_TOGETHER
    }

    fn take(&mut self, batch: &Batch<'_>) {
        yield_turn();
        for (record, place) in batch.records() {
            let start = self.bytes.len();
            self.bytes.extend_from_slice(record.line);
            self.records.push((record.meta, place, start));
        }
        self.gaps.extend(gaps(batch));
        if self.segments.last().is_none_or(|segment| segment.number != batch.number) {
            self.segments.push(segment(batch.segment, batch.number, batch.first()));
        }
        self.upto = Some(watermark(batch));
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        self.records
            .iter()
            .map(|(meta, place, start)| Entry {
                meta,
                place: *place,
                line: &self.bytes[*start..*start + place.bytes as usize],
            })
            .collect()
    }
}

fn segment(name: SegmentName, number: u64, first: Position) -> Segment {
    Segment { number, name: name.file(Form::Plain), first }
}

#[cfg(test)]
mod tests;

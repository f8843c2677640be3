//! Keeping the index close behind the log: reading on from where it stands, and making it again from the beginning.

use std::path::Path;

use crate::disk::RealDisk;
use crate::index::{Entry, Follower, Gap, Index, IndexError, Rebuild, Segment, Watermark};
use crate::priority::yield_turn;
use crate::reader::{Batch, Mileage, Place, ReadError, Reader};
use crate::segment::{Form, SegmentName};
use crate::{Head, Meta, Position, Store};

/// Records that go into one transaction.
const RECORDS_TOGETHER: usize = 4096;

/// The same for their texts, which take longer.
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
        let mark = self.index.watermark(follower);
        let reader = match follower {
            Follower::Core => &mut self.core,
            Follower::Text => &mut self.text,
        };
        let reader = match reader {
            Some(reader) => reader,
            None => reader.insert(open(&self.store, mark)?),
        };
        let together = match follower {
            Follower::Core => RECORDS_TOGETHER,
            Follower::Text => TEXTS_TOGETHER,
        };
        let mut gathered = Gathered::default();
        while !gathered.is_full(together)
            && let Some(batch) = reader.read()?
        {
            gathered.take(&batch);
        }
        let Some(upto) = gathered.upto else { return Ok(false) };
        for segment in &gathered.segments {
            if segment.number > self.segment {
                self.index.add_segment(segment.clone())?;
                self.segment = segment.number;
            }
        }
        match follower {
            Follower::Core => self.index.add(&gathered.entries(), &gathered.gaps, upto)?,
            Follower::Text => self.index.add_text(&gathered.entries(), upto)?,
        }
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
        while !gathered.is_full(RECORDS_TOGETHER)
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

/// Records of several groups on their way into one transaction.
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
        let gap =
            |(first, last, reason): (_, _, &str)| Gap { first, last, reason: reason.to_owned() };
        self.gaps.extend(batch.gaps().map(gap));
        if self.segments.last().is_none_or(|segment| segment.number != batch.number) {
            self.segments.push(segment(batch.segment, batch.number, batch.first()));
        }
        let Mileage { next, segment, offset, hash } = batch.mileage;
        let hash = hash.unwrap_or(crate::Hash::ZERO);
        self.upto = Some(Watermark { position: next.get() - 1, segment, offset, hash });
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

//! What can be wrong with a store, and what is only to be known of it.

use std::fmt;
use std::path::PathBuf;

use super::Absent;
use crate::archive::Damaged;
use crate::index::{Difference, Stale};
use crate::segment::SegmentName;
use crate::{Hash, Position, scan};

/// Something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `head` is missing or damaged.
    NoHead {
        /// The file.
        path: PathBuf,
    },
    /// `head` does not name the last seal of the log.
    Head {
        /// The segment.
        segment: SegmentName,
        /// Where `head` says that the log ends.
        offset: u64,
    },
    /// The log is damaged.
    Log {
        /// The segment.
        segment: SegmentName,
        /// Where what is hit begins.
        offset: u64,
        /// What is wrong.
        fault: scan::Fault,
    },
    /// A line is not the one that its checksum was made of.
    Checksum {
        /// The segment.
        segment: SegmentName,
        /// Where the line begins.
        offset: u64,
        /// The record.
        position: Position,
    },
    /// A group repeats positions of the one before it.
    Overlap {
        /// The segment.
        segment: SegmentName,
        /// Where the group begins.
        offset: u64,
        /// Its first position.
        first: Position,
        /// What that should be.
        expected: Position,
    },
    /// A group was received before the one that it follows.
    Backward {
        /// The segment.
        segment: SegmentName,
        /// Where the group begins.
        offset: u64,
    },
    /// A segment belongs to another store.
    Foreign {
        /// The segment.
        segment: SegmentName,
        /// That store's id.
        store: String,
    },
    /// A frame of an archive cannot be decoded.
    Frame {
        /// The segment.
        segment: SegmentName,
        /// What is lost with it.
        damaged: Damaged,
    },
    /// The seek table of an archive is damaged.
    Table {
        /// The segment.
        segment: SegmentName,
    },
    /// Nothing of an archive can be read.
    NoArchive {
        /// The segment.
        segment: SegmentName,
    },
    /// Segments are gone, and no record says that they were pruned.
    Gone {
        /// The first position of them.
        first: Position,
        /// The last position of them.
        last: Position,
    },
    /// The log begins where no prune record says that it does.
    Start {
        /// The first position.
        first: Position,
        /// The hash that its first seal follows.
        prev: Hash,
    },
    /// A group is not what its seal says, and the record that says what was redacted is not proven itself.
    Redacted {
        /// The first position of the group.
        first: Position,
    },
    /// The index does not fit the log.
    Index(IndexFault),
    /// A blob that a record refers to is missing or damaged.
    Blob {
        /// The first record that refers to it.
        position: Position,
        /// What is wrong with it.
        message: String,
    },
    /// Blobs that records refer to are missing, more than are told one by one.
    Blobs {
        /// The blobs.
        absent: Absent,
        /// Where they should be.
        folder: PathBuf,
    },
    /// Records refer to blobs, and the store has no folder of them.
    NoBlobs {
        /// The blobs.
        absent: Absent,
        /// The folder.
        folder: PathBuf,
    },
    /// The spool has bytes that are no entry.
    Spool {
        /// How many stretches of them.
        n: u64,
    },
    /// A line of what was refused cannot be read.
    Rejected {
        /// The file.
        path: PathBuf,
        /// The line's number.
        number: u64,
    },
    /// No seal has the hash that was asked for.
    Against {
        /// The hash.
        hash: Hash,
        /// The first and the last position that were pruned: a seal among them may have had it.
        pruned: Option<(Position, Position)>,
    },
}

/// What is wrong with the index; it can be made again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexFault {
    /// There is none.
    Missing,
    /// It is of no use.
    Stale(Stale),
    /// It says that it has followed another log than this.
    Unfit,
    /// Records have no row.
    NoRow {
        /// The first of them.
        first: Position,
        /// The last of them.
        last: Position,
    },
    /// Rows have no record.
    NoRecord {
        /// The first of them.
        first: Position,
        /// The last of them.
        last: Position,
    },
    /// Rows say another place or checksum than the log.
    Wrong {
        /// The first of them.
        first: Position,
        /// The last of them.
        last: Position,
    },
    /// It counts other than there are rows.
    Count {
        /// What it counts.
        counted: u64,
        /// The rows there are.
        rows: u64,
    },
    /// Its pages contradict each other.
    Pages {
        /// What SQLite says.
        message: String,
    },
    /// An index made anew says otherwise.
    Differs {
        /// About what, and how much.
        difference: Difference,
    },
}

impl Fault {
    /// Returns where in the log it is: the segment, and a byte of it.
    pub fn place(&self) -> Option<(SegmentName, u64)> {
        match self {
            Fault::Head { segment, offset }
            | Fault::Log { segment, offset, .. }
            | Fault::Checksum { segment, offset, .. }
            | Fault::Overlap { segment, offset, .. }
            | Fault::Backward { segment, offset } => Some((*segment, *offset)),
            Fault::Frame { segment, damaged } => Some((*segment, damaged.offset)),
            Fault::Foreign { segment, .. }
            | Fault::Table { segment }
            | Fault::NoArchive { segment } => Some((*segment, 0)),
            Fault::NoHead { .. }
            | Fault::Gone { .. }
            | Fault::Start { .. }
            | Fault::Redacted { .. }
            | Fault::Index(_)
            | Fault::Blob { .. }
            | Fault::Blobs { .. }
            | Fault::NoBlobs { .. }
            | Fault::Spool { .. }
            | Fault::Rejected { .. }
            | Fault::Against { .. } => None,
        }
    }

    /// Returns the positions that are hit, the first and the last.
    pub fn positions(&self) -> Option<(Position, Position)> {
        match self {
            Fault::Log { fault, .. } => match fault {
                scan::Fault::Lost { first, last }
                | scan::Fault::Gone { first, last, .. }
                | scan::Fault::Unsealed { first, last } => Some((*first, *last)),
                scan::Fault::Unlinked { .. }
                | scan::Fault::LineEnd
                | scan::Fault::Stray { .. }
                | scan::Fault::Unknown => None,
            },
            Fault::Checksum { position, .. } | Fault::Blob { position, .. } => {
                Some((*position, *position))
            }
            Fault::Overlap { first, .. }
            | Fault::Start { first, .. }
            | Fault::Redacted { first } => Some((*first, *first)),
            Fault::Gone { first, last }
            | Fault::Index(
                IndexFault::NoRow { first, last }
                | IndexFault::NoRecord { first, last }
                | IndexFault::Wrong { first, last },
            ) => Some((*first, *last)),
            Fault::NoHead { .. }
            | Fault::Head { .. }
            | Fault::Backward { .. }
            | Fault::Foreign { .. }
            | Fault::Frame { .. }
            | Fault::Table { .. }
            | Fault::NoArchive { .. }
            | Fault::Index(_)
            | Fault::Blobs { .. }
            | Fault::NoBlobs { .. }
            | Fault::Spool { .. }
            | Fault::Rejected { .. }
            | Fault::Against { .. } => None,
        }
    }

    /// Returns the part of the store that it is about.
    pub fn part(&self) -> &'static str {
        match self {
            Fault::NoHead { .. } | Fault::Head { .. } => "head",
            Fault::Log { .. }
            | Fault::Checksum { .. }
            | Fault::Overlap { .. }
            | Fault::Backward { .. }
            | Fault::Foreign { .. }
            | Fault::Frame { .. }
            | Fault::Table { .. }
            | Fault::NoArchive { .. }
            | Fault::Gone { .. }
            | Fault::Start { .. }
            | Fault::Redacted { .. }
            | Fault::Against { .. } => "log",
            Fault::Index(_) => "index",
            Fault::Blob { .. } | Fault::Blobs { .. } | Fault::NoBlobs { .. } => "blobs",
            Fault::Spool { .. } => "spool",
            Fault::Rejected { .. } => "rejected",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NoHead { path } => write!(f, "{} is missing or damaged", path.display()),
            Fault::Head { .. } => f.write_str("head does not name the last seal"),
            Fault::Log { fault, .. } => fault.fmt(f),
            Fault::Checksum { position, .. } => {
                write!(f, "record {position} does not have its checksum")
            }
            Fault::Overlap { first, expected, .. } => {
                write!(f, "a group begins at position {first}, and should at {expected}")
            }
            Fault::Backward { .. } => {
                f.write_str("a group was received before the one that it follows")
            }
            Fault::Foreign { store, .. } => write!(f, "the segment belongs to the store {store}"),
            Fault::Frame { damaged, .. } => damaged.fmt(f),
            Fault::Table { .. } => f.write_str("the archive's seek table is damaged"),
            Fault::NoArchive { .. } => f.write_str("nothing of the archive can be read"),
            Fault::Gone { first, last } => write!(
                f,
                "the segments of records {first} to {last} are gone, and no record says that they were pruned"
            ),
            Fault::Start { first, prev } => write!(
                f,
                "the log begins at position {first} after {prev}, and no record says that what was before was pruned"
            ),
            Fault::Redacted { first } => write!(
                f,
                "the group of record {first} is not what its seal says, and no whole record says that it was redacted"
            ),
            Fault::Index(fault) => fault.fmt(f),
            Fault::Blob { position, message } => write!(f, "record {position}: {message}"),
            Fault::Blobs { absent, folder } => write!(
                f,
                "records refer to {absent} that are missing in {}: copy them from where this store came from, or from a backup",
                folder.display()
            ),
            Fault::NoBlobs { absent, folder } => write!(
                f,
                "records refer to {absent}, and there is no folder {}: copy it from where this store came from, or from a backup; if this store never had blobs, make the folder, empty",
                folder.display()
            ),
            Fault::Spool { n } => write!(f, "the spool has {n} stretches that are no entry"),
            Fault::Rejected { path, number } => {
                write!(f, "line {number} of {} cannot be read", path.display())
            }
            Fault::Against { hash, pruned: None } => write!(f, "no seal has the hash {hash}"),
            Fault::Against { hash, pruned: Some((first, last)) } => write!(
                f,
                "no seal that is there has the hash {hash}; whether one had it cannot be told, because seals of records {first} to {last} were pruned"
            ),
        }
    }
}

impl fmt::Display for IndexFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexFault::Missing => f.write_str("there is no index"),
            IndexFault::Stale(reason) => write!(f, "the index is of no use: {reason}"),
            IndexFault::Unfit => f.write_str("the index has followed another log"),
            IndexFault::NoRow { first, last } => {
                write!(f, "the index lacks records {first} to {last}")
            }
            IndexFault::NoRecord { first, last } => {
                write!(f, "the index has rows {first} to {last}, and the log no such records")
            }
            IndexFault::Wrong { first, last } => {
                write!(f, "the index is wrong about records {first} to {last}")
            }
            IndexFault::Count { counted, rows } => {
                write!(f, "the index counts {counted} records and has {rows} rows")
            }
            IndexFault::Pages { message } => write!(f, "the index is damaged: {message}"),
            IndexFault::Differs { difference: Difference { table, n_first, n_second } } => write!(
                f,
                "the index has {n_first} {table} that an index made anew has not, and lacks {n_second}"
            ),
        }
    }
}

/// Something is to be known, and nothing wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A closed segment ends with what a failed write left; the next segment has what counts.
    Leftover {
        /// The segment.
        segment: SegmentName,
        /// How many bytes.
        bytes: u64,
    },
    /// Bytes follow the end of what is durable: somebody writes at this moment, or was interrupted.
    Beyond {
        /// The last segment.
        segment: SegmentName,
        /// How many bytes.
        bytes: u64,
    },
    /// A segment is there as lines and as an archive: archiving was interrupted, and the lines count.
    BothForms {
        /// The segment.
        segment: SegmentName,
    },
    /// A deletion of old segments was interrupted; the next one completes it.
    Unfinished {
        /// The first position that is there nevertheless.
        first: Position,
    },
    /// Secrets were taken out of a record.
    Redacted {
        /// The record.
        position: Position,
        /// The rules that found them.
        rules: Vec<String>,
    },
    /// A record has what looks like a reference to a blob, and nothing shows that this store had it.
    ForeignBlob {
        /// The first record that has it.
        position: Position,
        /// The blob's hash.
        hash: Hash,
    },
    /// The same of more blobs than are told one by one.
    ForeignBlobs {
        /// The blobs.
        absent: Absent,
    },
    /// The index has not reached the end of the log yet.
    Behind {
        /// How many records it lacks.
        records: u64,
    },
    /// The index was not compared with one made anew, because the log grew meanwhile.
    NotCompared,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Leftover { segment, bytes } => {
                write!(f, "{segment} ends with {bytes} bytes that a failed write left")
            }
            Note::Beyond { segment, bytes } => write!(
                f,
                "{segment} has {bytes} bytes beyond what is known durable; `weft verify --repair` brings them in order"
            ),
            Note::BothForms { segment } => {
                write!(
                    f,
                    "{segment} is there as lines and as an archive; `weft prune` completes it"
                )
            }
            Note::Unfinished { first } => write!(
                f,
                "a deletion was interrupted, the log still begins at position {first}; `weft prune` completes it"
            ),
            Note::Redacted { position, rules } => {
                write!(f, "record {position} is redacted ({})", rules.join(", "))
            }
            Note::ForeignBlob { position, hash } => write!(
                f,
                "record {position} has what looks like a reference to blob {hash}, and nothing shows that this store had it: it is \
                 the producer's own text, or was exported by another store without its blobs, or this store was copied without its own"
            ),
            Note::ForeignBlobs { absent } => write!(
                f,
                "records have what looks like references to {absent}, and nothing shows that this store had them: it is the \
                 producer's own text, or was exported by another store without its blobs, or this store was copied without its own"
            ),
            Note::Behind { records } => write!(f, "the index lacks the last {records} records"),
            Note::NotCompared => f.write_str(
                "the log grew meanwhile, so that the index was not compared with a new one",
            ),
        }
    }
}

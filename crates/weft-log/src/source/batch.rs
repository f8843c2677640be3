//! What was read, in batches: lines and faults with where they come from, and what happened to the files on the way.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weft_event::input::{Ending, Fault, Item, Line};

use super::checkpoint::{Checkpoint, Incarnation};
use super::form::Form;

/// The most bytes of lines in a batch; one line more may be longer.
pub const BATCH_BYTES_MAX: usize = 1 << 20;
/// The most lines and faults in a batch.
pub const BATCH_LINES_MAX: usize = 2048;

/// Lines and faults that were read, in the order read.
#[derive(Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    pieces: Vec<Piece>,
    origins: Vec<Origin>,
    pub(super) notices: Vec<Notice>,
    /// How far the files are read with this batch.
    pub(super) progress: Vec<Arc<Checkpoint>>,
}

#[derive(Debug)]
struct Piece {
    origin_idx: usize,
    number: u64,
    offset: u64,
    what: What,
}

#[derive(Debug)]
enum What {
    Line { start: usize, end: usize, ending: Ending },
    Fault(Fault),
}

/// Where lines come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file.
    File {
        /// Where it stands.
        path: Arc<Path>,
        /// What its lines are named by.
        name: Arc<str>,
        /// Which of the files of that name it is; `None` before its first line.
        incarnation: Option<Incarnation>,
        /// What its lines are.
        form: Form,
    },
    /// Standard input, or a pipe.
    Stream {
        /// What its lines are named by.
        name: Arc<str>,
    },
}

impl Origin {
    /// Returns what the lines are.
    pub fn form(&self) -> Form {
        match self {
            Origin::File { form, .. } => *form,
            Origin::Stream { .. } => Form::Events,
        }
    }

    /// Returns the name for messages.
    pub fn shown(&self) -> String {
        match self {
            Origin::File { path, .. } => path.display().to_string(),
            Origin::Stream { name } => name.to_string(),
        }
    }
}

/// One line or fault, and where it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Arrived<'b> {
    /// The file or stream.
    pub origin: &'b Origin,
    /// The line, on one line, or what is wrong at this place. Number and offset are those in the file.
    pub item: Item<'b>,
}

impl Arrived<'_> {
    /// Returns what tells this line from every other, and is the same when the file is read again; `None` for a fault.
    pub fn delivery(&self) -> Option<String> {
        Deliveries::default().of(self).map(ToOwned::to_owned)
    }
}

/// Says what tells lines from every other. What those of one file have in common is written once.
#[derive(Debug, Default)]
pub struct Deliveries<'b> {
    origin: Option<&'b Origin>,
    common_bytes: usize,
    text: String,
}

impl<'b> Deliveries<'b> {
    /// Returns what tells a line from every other, and is the same when the file is read again; `None` for a fault.
    pub fn of(&mut self, arrived: &Arrived<'b>) -> Option<&str> {
        let offset = match arrived.item {
            Item::Line(line) => line.offset,
            Item::Fault(_) => return None,
        };
        if !self.origin.is_some_and(|origin| std::ptr::eq(origin, arrived.origin)) {
            self.text = common(arrived.origin);
            self.common_bytes = self.text.len();
            self.origin = Some(arrived.origin);
        }
        self.text.truncate(self.common_bytes);
        write!(self.text, "{offset}").expect("a string takes all");
        Some(&self.text)
    }
}

/// Returns what the delivery ids of one file or stream have in common.
fn common(origin: &Origin) -> String {
    match origin {
        Origin::Stream { name } => format!("stream:{name}@"),
        Origin::File { name, incarnation, .. } => {
            let Incarnation { first_line, generation } =
                incarnation.expect("a line that was read settles the incarnation");
            match generation {
                0 => format!("file:{name}#{first_line:016x}@"),
                1.. => format!("file:{name}#{first_line:016x}.{generation}@"),
            }
        }
    }
}

/// Something that happened to an input, for a person.
#[derive(Debug, thiserror::Error)]
pub enum Notice {
    /// A file that was named is not there.
    #[error("{path} does not exist")]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A folder that was not there has come.
    #[error("{path} is there now")]
    Appeared {
        /// The folder.
        path: PathBuf,
    },
    /// A folder holds no file that would be read.
    #[error("{path} has no files {}", wanted(*form))]
    NoFiles {
        /// The folder.
        path: PathBuf,
        /// What was looked for.
        form: Form,
    },
    /// A file or folder cannot be read; the others are.
    #[error("cannot read {path}")]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is shorter than what was read of it; it is read from its start.
    #[error("{path} was truncated; reading it from its start")]
    Truncated {
        /// The file.
        path: PathBuf,
    },
    /// A file is not the one that was read before; it is read from its start.
    #[error("{path} was rewritten; reading it from its start")]
    Rewritten {
        /// The file.
        path: PathBuf,
    },
    /// A file has moved on and a new one stands in its place; the old one is read to its end, the new one from its start.
    #[error("{path} was rotated; reading the new one from its start")]
    Rotated {
        /// The file.
        path: PathBuf,
    },
    /// A file is gone.
    #[error("{path} is gone")]
    Gone {
        /// The file.
        path: PathBuf,
    },
    /// There are more files than can be kept track of; those beyond the limit are not read.
    #[error("too many files: {path} and those after it are not read, the limit is {max}")]
    TooMany {
        /// The first file that is not read.
        path: PathBuf,
        /// The limit.
        max: usize,
    },
}

fn wanted(form: Form) -> String {
    match form {
        Form::Events => "named *.jsonl, *.ndjson or *.json".to_owned(),
        Form::Sessions(client) => format!("with sessions of {}", client.as_str()),
    }
}

/// A place in a batch to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    n_bytes: usize,
    n_pieces: usize,
    n_origins: usize,
}

impl Batch {
    /// Returns the lines and faults.
    pub fn arrived(&self) -> impl Iterator<Item = Arrived<'_>> {
        self.pieces.iter().map(|piece| {
            let Piece { number, offset, .. } = *piece;
            let item = match piece.what {
                What::Fault(fault) => Item::Fault(fault),
                What::Line { start, end, ending } => {
                    Item::Line(Line { number, offset, bytes: &self.bytes[start..end], ending })
                }
            };
            Arrived { origin: &self.origins[piece.origin_idx], item }
        })
    }

    /// Returns what happened to the inputs.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Returns how many lines and faults there are.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Returns whether there is no line and no fault.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Returns how many bytes the lines have.
    pub fn n_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Empties it, and keeps its memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.pieces.clear();
        self.origins.clear();
        self.notices.clear();
        self.progress.clear();
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() >= BATCH_BYTES_MAX || self.pieces.len() >= BATCH_LINES_MAX
    }

    /// Says where the items come from that are added next.
    pub(super) fn begin(&mut self, origin: Origin) {
        self.origins.push(origin);
    }

    /// Settles the incarnation of the file that is being read.
    pub(super) fn settle(&mut self, settled: Incarnation) {
        if let Some(Origin::File { incarnation, .. }) = self.origins.last_mut() {
            *incarnation = Some(settled);
        }
    }

    /// Adds an item; its number and offset are those in the file.
    pub(super) fn push(&mut self, item: Item<'_>) {
        let (number, offset, what) = match item {
            Item::Fault(fault) => (fault.number, fault.offset, What::Fault(fault)),
            Item::Line(line) => {
                let start = self.bytes.len();
                self.bytes.extend_from_slice(&line.on_one_line());
                let what = What::Line { start, end: self.bytes.len(), ending: line.ending };
                (line.number, line.offset, what)
            }
        };
        let origin_idx = self.origins.len() - 1;
        self.pieces.push(Piece { origin_idx, number, offset, what });
    }

    pub(super) fn mark(&self) -> Mark {
        let (n_bytes, n_pieces) = (self.bytes.len(), self.pieces.len());
        Mark { n_bytes, n_pieces, n_origins: self.origins.len() }
    }

    /// Takes back all lines and faults since the mark.
    pub(super) fn go_back(&mut self, mark: Mark) {
        self.bytes.truncate(mark.n_bytes);
        self.pieces.truncate(mark.n_pieces);
        self.origins.truncate(mark.n_origins);
    }
}

//! Reading a file from a place in it as far as there are whole lines.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt as _;

use memchr::{memchr, memchr_iter};
use weft_event::input::{Ending, Fault, FaultKind, Item, Line, Lines};

use super::batch::Batch;

/// How much is looked through at once for the end of a line.
const SCAN_BYTES: usize = 64 << 10;
/// Blank lines before a place inside a file: whether the file is UTF-16 or has a byte-order mark is settled by its start only.
const LEAD: &[u8] = b"\n\n\n\n";

/// What a line means that has no line break yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtEnd {
    /// It is the last one, and comes as it is.
    Give,
    /// The rest of it is still to come.
    KeepBack,
}

/// A place in a file, and the number of the line there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) offset: u64,
    pub(super) number: u64,
}

/// How a passage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passed {
    /// The batch is full.
    Full,
    /// The file's end was reached, at this offset.
    End(u64),
    /// The file is nothing that can be read.
    Unfit,
}

/// Reads lines from `place` on, which goes along, until the batch is full that `take` puts them into.
///
/// A line that ends with the file does not move `place`: when more of it comes, it is read again.
pub(super) fn read(
    file: &File,
    place: &mut Place,
    at_end: AtEnd,
    batch: &mut Batch,
    mut take: impl FnMut(&mut Batch, Item<'_>),
) -> io::Result<Passed> {
    let lead = if place.offset > 0 { LEAD } else { b"" };
    let from = *place;
    let at = Cell::new(place.offset);
    let mut lines = Lines::new(Passage { file, lead, at: &at, at_end });
    while !batch.is_full() {
        let item = match lines.read() {
            Ok(Some(item)) => in_file(item, from, lead.len() as u64),
            Ok(None) => return Ok(Passed::End(at.get())),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Ok(Passed::End(at.get()));
            }
            Err(error) => return Err(error),
        };
        take(batch, item);
        match end_of(item) {
            Some(_) if item_is_open(item, at.get()) => return Ok(Passed::End(at.get())),
            Some(end) => *place = end,
            None => return Ok(Passed::Unfit),
        }
    }
    Ok(Passed::Full)
}

/// Turns the places of an item into those in the file, where reading began at `from` and with `n_lead` lines of ours.
fn in_file(item: Item<'_>, from: Place, n_lead: u64) -> Item<'_> {
    let offset = |offset: u64| from.offset + offset - n_lead;
    let number = |number: u64| from.number + number - n_lead - 1;
    match item {
        Item::Line(line) => {
            Item::Line(Line { number: number(line.number), offset: offset(line.offset), ..line })
        }
        Item::Fault(fault) => Item::Fault(Fault {
            number: number(fault.number),
            offset: offset(fault.offset),
            ..fault
        }),
    }
}

/// Returns where reading goes on after an item: before the blanks and the line break that end its last line. `None` if nothing
/// of the file can be read.
fn end_of(item: Item<'_>) -> Option<Place> {
    match item {
        Item::Line(Line { number, offset, bytes, .. }) => {
            let n_breaks = memchr_iter(b'\n', bytes).count() as u64;
            Some(Place { offset: offset + bytes.len() as u64, number: number + n_breaks })
        }
        Item::Fault(Fault { number, offset, kind }) => {
            let n_bytes = match kind {
                FaultKind::ByteOrderMark => 3,
                FaultKind::NulBytes { n } => n,
                FaultKind::TooLong { bytes } => bytes,
                FaultKind::Utf16 => return None,
            };
            Some(Place { offset: offset + n_bytes, number })
        }
    }
}

/// Returns whether an item may go on when the file grows; `read_to` is how far the file was read.
fn item_is_open(item: Item<'_>, read_to: u64) -> bool {
    match item {
        Item::Line(line) => line.ending == Ending::EndOfInput,
        Item::Fault(Fault { offset, kind, .. }) => match kind {
            FaultKind::TooLong { bytes } => offset + bytes >= read_to,
            FaultKind::ByteOrderMark | FaultKind::NulBytes { .. } | FaultKind::Utf16 => false,
        },
    }
}

/// Returns whether nothing but a line break is left in a file: most files of a folder are read to their end already.
pub(super) fn is_at_end(file: &File, offset: u64) -> io::Result<bool> {
    let mut rest = [0; 3];
    let n = file.read_at(&mut rest, offset)?;
    Ok(n < rest.len() && rest[..n].iter().all(u8::is_ascii_whitespace))
}

/// Returns whether a line ends between two places of a file.
pub(super) fn has_line_end(file: &File, from: u64, to: u64) -> io::Result<bool> {
    let mut buffer = vec![0; SCAN_BYTES];
    let mut at = from;
    while at < to {
        let n = match file.read_at(&mut buffer, at) {
            Ok(0) => return Ok(false),
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if memchr(b'\n', &buffer[..n]).is_some() {
            return Ok(true);
        }
        at += n as u64;
    }
    Ok(false)
}

/// A file's bytes from a place on, after lines of ours.
struct Passage<'f> {
    file: &'f File,
    lead: &'static [u8],
    at: &'f Cell<u64>,
    at_end: AtEnd,
}

impl Read for Passage<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.lead.is_empty() {
            return self.lead.read(buffer);
        }
        let n = self.file.read_at(buffer, self.at.get())?;
        self.at.set(self.at.get() + n as u64);
        match (n, self.at_end) {
            (0, AtEnd::KeepBack) => Err(io::ErrorKind::WouldBlock.into()),
            (_, AtEnd::KeepBack | AtEnd::Give) => Ok(n),
        }
    }
}

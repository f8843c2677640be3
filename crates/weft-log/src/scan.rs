//! Walking a segment from seal to seal. Whatever is damaged, the walk goes on: what is hit is confined to the records hit.
//!
//! A seal says how many bytes of lines stand before it, so that a group is found from its end, and one bad group or seal hides no
//! other. Lines whose own seal is bad are given by the seals around them: their positions are known, and nothing vouches for them.

mod salvage;
mod window;

use std::{fmt, io};

use memchr::{memchr, memchr_iter};
use weft_event::json::{Kind, Tape};

use crate::disk::DiskFile;
use crate::redact::Note;
use crate::seal::{self, Seal};
use crate::{Hash, Position};
use window::Window;

/// Bytes read at a time: few at first, because most walks are short.
const READ_BYTES: std::ops::RangeInclusive<usize> = 16 << 10..=256 << 10;

/// Bytes of a segment, wherever they are kept.
pub trait Bytes {
    /// Reads at an offset; fewer bytes than asked for only at the end.
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
}

impl<F: DiskFile> Bytes for F {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        DiskFile::read_at(self, buffer, offset)
    }
}

impl Bytes for Box<dyn Bytes + Send> {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        (**self).read_at(buffer, offset)
    }
}

/// Where the chain stands: what the next seal must say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The position of the next record.
    pub next: Position,
    /// The hash of the seal before; `None` where it is not known.
    pub hash: Option<Hash>,
}

/// What stands between two places in a segment: a group with its seal, or what a damaged seal left.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// Offset of its first byte in the segment.
    pub offset: u64,
    /// Offset after its last byte.
    pub end: u64,
    /// The seal that closes it, and its hash; `None` if that is damaged.
    pub seal: Option<(Seal, Hash)>,
    /// The lines that are its records, by position.
    pub lines: Vec<Line>,
    /// Whether the group is there to the last byte, whatever stands before it; a redacted one as it was left.
    pub is_whole: bool,
    /// The hash of the lines, if they are what a redaction left.
    pub redacted: Option<Hash>,
    /// What is wrong with it.
    pub faults: Vec<Fault>,
}

impl Stretch {
    /// Drops the records at and after a position, and what is told of them.
    pub(crate) fn clip(&mut self, upto: Position) {
        self.lines.retain(|line| line.position < upto);
        self.faults.retain_mut(|fault| match fault {
            Fault::Lost { first, last } | Fault::Unsealed { first, last } => {
                *last = Position::new(upto.get() - 1).map_or(*first, |before| before.min(*last));
                *first < upto
            }
            Fault::Gone { .. }
            | Fault::Unlinked { .. }
            | Fault::LineEnd
            | Fault::Stray { .. }
            | Fault::Unknown => true,
        });
    }
}

/// One record's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its position.
    pub position: Position,
    /// Where it begins, from the stretch's first byte.
    pub start: usize,
    /// Where it ends, without the newline.
    pub end: usize,
    /// Its mark in the seal; `None` if there is no good seal to vouch for it.
    pub mark_idx: Option<usize>,
}

/// What is wrong with a stretch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Records are damaged or gone.
    Lost {
        /// The first of them.
        first: Position,
        /// The last of them.
        last: Position,
    },
    /// Whole segments are not there: they were pruned, or their files are lost.
    Gone {
        /// The first record of them.
        first: Position,
        /// The last record of them.
        last: Position,
        /// The hash of the last seal of them.
        hash: Hash,
    },
    /// A seal is damaged: its records are there, and what only it knew of them is gone.
    Unsealed {
        /// The first record.
        first: Position,
        /// The last record.
        last: Position,
    },
    /// The seal does not follow from the one before it.
    Unlinked {
        /// The hash that it names as the one before.
        named: Hash,
    },
    /// A line end is damaged; nothing is lost by it.
    LineEnd,
    /// Bytes that are no record.
    Stray {
        /// How many.
        bytes: u64,
    },
    /// The seal says what this version does not know.
    Unknown,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Lost { first, last } if first == last => write!(f, "record {first} is lost"),
            Fault::Lost { first, last } => write!(f, "records {first} to {last} are lost"),
            Fault::Gone { first, last, .. } => {
                write!(f, "the segments of records {first} to {last} are gone")
            }
            Fault::Unsealed { first, last } => {
                write!(
                    f,
                    "the seal of records {first} to {last} is damaged, so that nothing vouches for them"
                )
            }
            Fault::Unlinked { named } => {
                write!(f, "the seal follows {named}, and not the one before it")
            }
            Fault::LineEnd => f.write_str("a line end is damaged, nothing is lost"),
            Fault::Stray { bytes } => write!(f, "{bytes} bytes are no record"),
            Fault::Unknown => f.write_str("a seal says what this version does not know"),
        }
    }
}

/// A walk over one segment.
#[derive(Debug)]
pub struct Scan<B> {
    source: B,
    /// Where the walk ends.
    limit: u64,
    link: Link,
    /// Bytes to read next.
    read_bytes: usize,
    /// Offset of the buffer's first byte.
    base: u64,
    buffer: Window,
    /// Bytes of the buffer that the stretch given last takes.
    given: usize,
    /// Start of the first line of the buffer that was not looked at.
    looked: usize,
    tape: Tape,
    /// A good seal whose group stands behind bytes that have to be given first.
    ahead: Option<Closing>,
}

/// A good seal, by its place in the buffer.
#[derive(Debug)]
struct Closing {
    seal: Seal,
    hash: Hash,
    start: usize,
    /// After its line end.
    end: usize,
    /// Whether it stands on a line of its own.
    is_own_line: bool,
}

impl<B: Bytes> Scan<B> {
    /// Returns a walk that starts at the end of a seal, or at 0, and ends before `limit`.
    pub fn new(source: B, offset: u64, limit: u64, link: Link) -> Self {
        Self {
            source,
            limit,
            link,
            read_bytes: *READ_BYTES.start(),
            base: offset,
            buffer: Window::default(),
            given: 0,
            looked: 0,
            tape: Tape::new(),
            ahead: None,
        }
    }

    /// Returns what the next seal must say.
    pub fn link(&self) -> Link {
        self.link
    }

    /// Moves the end of the walk, as a segment grows.
    pub fn extend(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Returns the offset after the stretch given last.
    pub fn offset(&self) -> u64 {
        self.base + self.given as u64
    }

    /// Returns the bytes of the stretch given last.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[..self.given]
    }

    /// Returns the next stretch that a good seal bounds; `None` if there is no further good seal before the limit.
    pub fn read(&mut self) -> io::Result<Option<Stretch>> {
        self.drop_given();
        if let Some(closing) = self.ahead.take() {
            return Ok(Some(self.closed_by(closing)));
        }
        loop {
            while let Some(newline) = memchr(b'\n', &self.buffer[self.looked..]) {
                let (start, end) = (self.looked, self.looked + newline);
                self.looked = end + 1;
                let line = &self.buffer[start..end];
                if !line.starts_with(seal::PREFIX) {
                    continue;
                }
                match Seal::decode(line, &mut self.tape) {
                    Ok((seal, hash)) => {
                        let closing =
                            Closing { seal, hash, start, end: end + 1, is_own_line: true };
                        return Ok(Some(self.closed_by(closing)));
                    }
                    Err(seal::Bad::Hash) => {}
                    Err(seal::Bad::Content) => return Ok(Some(self.unknown())),
                }
            }
            if !self.read_more()? {
                let hidden = salvage::hidden_seal(&self.buffer, &mut self.tape);
                return Ok(hidden.map(|closing| self.closed_by(closing)));
            }
        }
    }

    /// Returns how many bytes stand between the last good seal and the limit, after [`Scan::read`] returned none.
    pub fn rest(&self) -> &[u8] {
        &self.buffer[self.given..]
    }

    /// Takes the rest as the lines of groups whose seals are gone, up to but without `next`.
    pub fn take_rest(&mut self, next: Position) -> Stretch {
        self.drop_given();
        self.unsealed(self.buffer.len(), next, Bound::End)
    }

    fn drop_given(&mut self) {
        self.buffer.drop_first(self.given);
        self.base += self.given as u64;
        self.looked = self.looked.saturating_sub(self.given);
        if let Some(Closing { start, end, .. }) = &mut self.ahead {
            *start -= self.given;
            *end -= self.given;
        }
        self.given = 0;
    }

    fn read_more(&mut self) -> io::Result<bool> {
        let at = self.base + self.buffer.len() as u64;
        let room = usize::try_from(self.limit.saturating_sub(at)).unwrap_or(usize::MAX);
        let wanted = room.min(self.read_bytes.max(self.buffer.len()));
        self.read_bytes = (self.read_bytes * 2).min(*READ_BYTES.end());
        let source = &mut self.source;
        let n_read = self.buffer.read(wanted, |room| source.read_at(room, at))?;
        Ok(n_read > 0)
    }

    /// Gives the group that a good seal closes, or first what stands before it.
    fn closed_by(&mut self, closing: Closing) -> Stretch {
        let bytes = usize::try_from(closing.seal.bytes).unwrap_or(usize::MAX);
        let group_start = closing.start.saturating_sub(bytes);
        if group_start == 0 {
            return self.group(closing);
        }
        let before = match salvage::hidden_seal(&self.buffer[..group_start], &mut self.tape) {
            Some(hidden) => Ok(hidden),
            None => Err(closing.seal.first),
        };
        self.ahead = Some(closing);
        match before {
            Ok(hidden) => self.closed_by_hidden(hidden),
            Err(next) => self.unsealed(group_start, next, Bound::Seal),
        }
    }

    /// Gives the group of a seal that a damaged line end hid, with what may stand before it.
    fn closed_by_hidden(&mut self, hidden: Closing) -> Stretch {
        let ahead = self.ahead.take();
        let stretch = self.closed_by(hidden);
        // The seal itself comes again after what stood before its group, by the same search.
        self.ahead = ahead;
        stretch
    }

    /// Gives the buffer up to a seal as its group.
    fn group(&mut self, closing: Closing) -> Stretch {
        let Closing { seal, hash, start: seal_start, end, is_own_line } = closing;
        self.given = end;
        self.looked = self.looked.max(end);
        let mut faults = Vec::new();
        if seal.first > self.link.next {
            let last = Position::new(seal.first.get() - 1).expect("it is after another");
            faults.push(Fault::Lost { first: self.link.next, last });
        }
        let is_linked = match self.link.hash {
            Some(hash) => hash == seal.prev,
            // Nothing says what came before, but a segment begins with an opening seal.
            None => self.base > 0 || seal.opening.is_some(),
        };
        if !is_linked {
            faults.push(Fault::Unlinked { named: seal.prev });
        }
        if seal.first < self.link.next {
            return self.misplaced(faults);
        }
        let body = &self.buffer[..seal_start];
        let is_body_whole = is_whole(body, &seal, seal.body);
        let n_faults = faults.len();
        let lines = match is_body_whole {
            true => lines_of(body, seal.first),
            false => salvage::by_checksum(body, &seal, &mut faults, &mut self.tape),
        };
        if (!is_body_whole && faults.len() == n_faults) || !is_own_line {
            faults.push(Fault::LineEnd);
        }
        self.link = Link { next: seal.next(), hash: Some(hash) };
        Stretch {
            offset: self.base,
            end: self.base + self.given as u64,
            seal: Some((seal, hash)),
            lines,
            is_whole: is_body_whole && is_own_line,
            redacted: None,
            faults,
        }
    }

    /// Reads the group given last again, of which a redaction changed some lines. It has so many bytes of lines.
    pub(crate) fn redacted(&mut self, mut stretch: Stretch, bytes: usize, note: &Note) -> Stretch {
        let Some((seal, _)) = &mut stretch.seal else { return stretch };
        let first = seal.first;
        for record in &note.records {
            let idx = record.position.get().checked_sub(first.get());
            let mark = idx.and_then(|idx| seal.marks.get_mut(usize::try_from(idx).ok()?));
            mark.into_iter().for_each(|mark| mark.crc = record.crc);
        }
        let body = &self.buffer[..bytes];
        let hash = note.body.filter(|hash| is_whole(body, seal, *hash));
        let was_line_end = stretch.faults.contains(&Fault::LineEnd);
        stretch.faults.retain(|fault| match fault {
            Fault::Lost { first: lost, .. } => *lost < first,
            Fault::LineEnd => false,
            Fault::Gone { .. }
            | Fault::Unsealed { .. }
            | Fault::Unlinked { .. }
            | Fault::Stray { .. }
            | Fault::Unknown => true,
        });
        stretch.lines = match hash {
            Some(_) => lines_of(body, first),
            None => salvage::by_checksum(body, seal, &mut stretch.faults, &mut self.tape),
        };
        if was_line_end {
            stretch.faults.push(Fault::LineEnd);
        }
        stretch.is_whole = hash.is_some() && !was_line_end;
        stretch.redacted = hash;
        stretch
    }

    /// Gives a group that stands behind its place as bytes that are no record: positions only go up.
    fn misplaced(&self, mut faults: Vec<Fault>) -> Stretch {
        faults.push(Fault::Stray { bytes: self.given as u64 });
        let (offset, end) = (self.base, self.base + self.given as u64);
        Stretch {
            offset,
            end,
            seal: None,
            lines: Vec::new(),
            is_whole: false,
            redacted: None,
            faults,
        }
    }

    /// Gives the first `len` bytes of the buffer as lines that no good seal vouches for, and whose positions end before `next`.
    fn unsealed(&mut self, len: usize, next: Position, bound: Bound) -> Stretch {
        self.given = len;
        let first = self.link.next;
        let (lines, faults) =
            salvage::unsealed(&self.buffer[..len], first, next, bound, &mut self.tape);
        // What the damaged seal's hash was is not known: the next seal alone says what came before it.
        self.link = Link { next: next.max(first), hash: None };
        let (offset, end) = (self.base, self.base + len as u64);
        Stretch { offset, end, seal: None, lines, is_whole: false, redacted: None, faults }
    }

    /// Gives everything up to the line looked at last as what this version cannot read.
    fn unknown(&mut self) -> Stretch {
        self.given = self.looked;
        let (offset, end) = (self.base, self.base + self.given as u64);
        let faults = vec![Fault::Unknown];
        Stretch {
            offset,
            end,
            seal: None,
            lines: Vec::new(),
            is_whole: false,
            redacted: None,
            faults,
        }
    }
}

/// What ends a stretch without a seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    /// A group with a good seal.
    Seal,
    /// The end of what there is: the lines that are missing are the last.
    End,
}

/// Returns whether a body is what has a hash, and as long and as many lines as its seal says.
fn is_whole(body: &[u8], seal: &Seal, hash: Hash) -> bool {
    body.len() as u64 == seal.bytes && Hash::of(body) == hash && is_lines(body, seal.marks.len())
}

/// Returns the lines of a whole body.
fn lines_of(body: &[u8], first: Position) -> Vec<Line> {
    let mut start = 0;
    let line = |(idx, end)| {
        let line = Line { position: first.plus(idx as u64), start, end, mark_idx: Some(idx) };
        start = end + 1;
        line
    };
    memchr_iter(b'\n', body).enumerate().map(line).collect()
}

/// Returns whether a body is so many lines, each with its end.
fn is_lines(body: &[u8], n: usize) -> bool {
    body.last().is_none_or(|last| *last == b'\n') && memchr_iter(b'\n', body).count() == n
}

/// Returns whether a line is one JSON object.
fn is_object(line: &[u8], tape: &mut Tape) -> bool {
    tape.parse_bytes(line).is_ok_and(|value| value.kind() == Kind::Object)
}

#[cfg(test)]
mod tests;

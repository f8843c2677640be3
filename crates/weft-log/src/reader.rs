//! Reading the log in order, from any position to the end of what is durable, and on from there as it grows.

mod source;

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{Access, Disk};
use crate::recover::{self, LOG_FOLDER};
use crate::redact::Notes;
use crate::scan::{Bytes as _, Fault, Line, Link, Scan, Stretch};
use crate::seal::Seal;
use crate::segment::{Form, SegmentName};
use crate::{Hash, Head, Mark, Meta, Position, Record};

pub(crate) use source::Source;

/// How often `head` is read again while a writer is overwriting it.
const HEAD_TRIES_MAX: usize = 100;

/// What became of records that are damaged.
pub const DAMAGED: &str = "damaged";
/// What became of records whose segments are not there.
pub const GONE: &str = "gone";

/// Why the log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// A file could not be read.
    #[error("cannot read {path}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// What is durable is not known: `head` is missing or damaged, and opening the store for writing makes it again.
    #[error("{path} is missing or damaged")]
    Head {
        /// The file.
        path: PathBuf,
    },
    /// The position is before the first one kept.
    #[error("position {position} was pruned: the log begins at {first}")]
    Pruned {
        /// The position.
        position: Position,
        /// The first one kept.
        first: Position,
    },
    /// The segments could not be listed or are of a newer version.
    #[error(transparent)]
    Open(#[from] recover::Error),
}

/// Where a record's line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the segment in the store, from 1.
    pub segment: u64,
    /// Offset of the line's first byte, uncompressed.
    pub offset: u64,
    /// Bytes of the line without its end.
    pub bytes: u32,
}

/// How far a reader of the log has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mileage {
    /// The position that comes next.
    pub next: Position,
    /// Number of the segment.
    pub segment: u64,
    /// Offset in it, after a seal.
    pub offset: u64,
    /// Hash of that seal; `None` if it is damaged.
    pub hash: Option<Hash>,
}

/// A reader of the log.
#[derive(Debug)]
pub struct Reader<D: Disk> {
    disk: D,
    root: PathBuf,
    head: Head,
    current: Option<Current<D::File>>,
    /// The segments after the current one that were there when the reader last looked.
    ahead: VecDeque<(SegmentName, Form)>,
    /// Records before it are not given.
    from: Position,
    /// What the next seal must say; `None` before the first.
    link: Option<Link>,
    /// Number of the segment entered last.
    number: u64,
    /// The segments between the last two entered, if they are not there.
    gone: Option<Fault>,
    /// Whether the segment that the reader was to begin with went after it was listed.
    is_late: bool,
    /// How many segments after the current one are there and have nothing good in them.
    n_bad: u64,
    /// What was redacted.
    notes: Notes,
}

#[derive(Debug)]
struct Current<F> {
    name: SegmentName,
    form: Form,
    number: u64,
    scan: Scan<Source<F>>,
    is_last: bool,
    upto: Upto,
    /// Whether what stands after the last good seal was given as damage.
    is_rest_given: bool,
}

/// Where a segment's records end.
#[derive(Clone, Copy, Debug, Default)]
struct Upto {
    /// The first position after it; `None` while it is the last, or if the segment after it is not there.
    reaches: Option<Position>,
    /// A position before which they all stand, whether or not they reach to it; `None` while it is the last.
    before: Option<Position>,
}

impl Upto {
    fn exactly(next: Position) -> Self {
        Self { reaches: Some(next), before: Some(next) }
    }
}

/// A group of the log, or what damage left of one.
#[derive(Debug)]
pub struct Batch<'r> {
    /// Name of its segment.
    pub segment: SegmentName,
    /// Number of its segment in the store.
    pub number: u64,
    /// What stands there.
    pub stretch: Stretch,
    /// How far the log is read with it.
    pub mileage: Mileage,
    bytes: &'r [u8],
    from: Position,
}

impl Batch<'_> {
    /// Returns the records with their places, from the position that was asked for.
    pub fn records(&self) -> impl Iterator<Item = (Record<'_>, Place)> {
        let seal = self.stretch.seal.as_ref().map(|(seal, _)| seal);
        let lines = self.stretch.lines.iter().filter(|line| line.position >= self.from);
        lines.map(move |line| {
            let mark = line.mark_idx.and_then(|idx| Some(seal?.marks[idx].clone()));
            let carried = mark.as_ref().and_then(|mark| mark.carried);
            let at_us = carried.map(|carried| carried.at_us).or(seal.map(|seal| seal.at_us));
            let meta =
                Meta { position: line.position, at_us: at_us.filter(|_| mark.is_some()), mark };
            let bytes = u32::try_from(line.end - line.start).expect("a line is shorter than 4 GiB");
            let offset = self.stretch.offset + line.start as u64;
            let place = Place { segment: self.number, offset, bytes };
            (Record { meta, line: &self.bytes[line.start..line.end] }, place)
        })
    }

    /// Returns the lines with their marks, from the position that was asked for.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (&Line, Option<&Mark>, &[u8])> {
        let seal = self.stretch.seal.as_ref().map(|(seal, _)| seal);
        let lines = self.stretch.lines.iter().filter(|line| line.position >= self.from);
        lines.map(move |line| {
            let mark = line.mark_idx.and_then(|idx| seal?.marks.get(idx));
            (line, mark, &self.bytes[line.start..line.end])
        })
    }

    /// Returns the first position that it is about.
    pub fn first(&self) -> Position {
        let sealed = self.stretch.seal.as_ref().map(|(seal, _)| seal.first);
        let line = self.stretch.lines.first().map(|line| line.position);
        sealed.or(line).unwrap_or(self.mileage.next)
    }

    /// Returns the positions whose records are damaged or gone, first and last of each run.
    pub fn lost(&self) -> impl Iterator<Item = (Position, Position)> {
        self.gaps().map(|(first, last, _)| (first, last))
    }

    /// Returns the same with what became of the records.
    pub fn gaps(&self) -> impl Iterator<Item = (Position, Position, &'static str)> {
        let gap = |fault: &Fault| match *fault {
            Fault::Lost { first, last } => Some((first, last, DAMAGED)),
            Fault::Gone { first, last, .. } => Some((first, last, GONE)),
            Fault::Unsealed { .. }
            | Fault::Unlinked { .. }
            | Fault::LineEnd
            | Fault::Stray { .. }
            | Fault::Unknown => None,
        };
        let asked = self.stretch.faults.iter().filter_map(gap);
        asked
            .filter(|(_, last, _)| *last >= self.from)
            .map(|(first, last, reason)| (first.max(self.from), last, reason))
    }
}

/// Reads `head`, again if a writer was just overwriting it.
pub fn read_head<D: Disk>(disk: &D, root: &Path) -> Result<Head, ReadError> {
    for _ in 0..HEAD_TRIES_MAX {
        if let Some(head) = recover::read_head(disk, root)? {
            return Ok(head);
        }
        std::thread::yield_now();
    }
    Err(ReadError::Head { path: root.join(recover::HEAD_FILE) })
}

impl<D: Disk> Reader<D> {
    /// Opens the log of a store to be read from a position, or from the first one kept if that is later.
    pub fn open(disk: D, root: PathBuf, from: Position) -> Result<Self, ReadError> {
        let mut reader = Self::new(disk, root, from)?;
        let start = reader.find_last(|opening| opening.first <= from)?;
        reader.ahead.drain(..start);
        Ok(reader)
    }

    /// Opens the log of a store to be read on from where another reader stopped; `None` if that segment is gone.
    pub fn resume(disk: D, root: PathBuf, from: Mileage) -> Result<Option<Self>, ReadError> {
        let mut reader = Self::new(disk, root, from.next)?;
        let start = reader.find_last(|opening| number_of(opening).unwrap_or(0) <= from.segment)?;
        reader.ahead.drain(..start);
        reader.number = from.segment.saturating_sub(1);
        reader.link = Some(Link { next: from.next, hash: from.hash });
        reader.enter_at(from.offset)?;
        let is_there =
            reader.current.as_ref().is_some_and(|current| current.number == from.segment);
        Ok(is_there.then_some(reader))
    }

    fn new(disk: D, root: PathBuf, from: Position) -> Result<Self, ReadError> {
        let head = read_head(&disk, &root)?;
        let (current, ahead, link) = (None, VecDeque::new(), None);
        let (number, gone, is_late, n_bad, notes) = (0, None, false, 0, Notes::default());
        let mut reader = Self {
            disk,
            root,
            head,
            current,
            ahead,
            from,
            link,
            number,
            gone,
            is_late,
            n_bad,
            notes,
        };
        reader.list()?;
        Ok(reader)
    }

    /// Returns what was durable when the reader last looked.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Returns the next group; `None` at the end of what is durable. Asking again later gives what came since.
    pub fn read(&mut self) -> Result<Option<Batch<'_>>, ReadError> {
        loop {
            let Some(stretch) = self.next_stretch()? else { return Ok(None) };
            let is_new = stretch.lines.last().is_some_and(|line| line.position >= self.from);
            if is_new || !stretch.faults.is_empty() {
                return Ok(Some(self.batch(stretch)));
            }
        }
    }

    /// Returns what stands next, seals without records too; `None` at the end of what is durable.
    pub(crate) fn walk(&mut self) -> Result<Option<Batch<'_>>, ReadError> {
        let stretch = self.next_stretch()?;
        Ok(stretch.map(|stretch| self.batch(stretch)))
    }

    fn batch(&self, stretch: Stretch) -> Batch<'_> {
        let current = self.current.as_ref().expect("a stretch was just read from it");
        let link = self.link.expect("a stretch was just read");
        let (segment, offset) = (current.number, stretch.end);
        Batch {
            segment: current.name,
            number: current.number,
            mileage: Mileage { next: link.next, segment, offset, hash: link.hash },
            stretch,
            bytes: current.scan.bytes(),
            from: self.from,
        }
    }

    fn next_stretch(&mut self) -> Result<Option<Stretch>, ReadError> {
        loop {
            let Some(current) = &mut self.current else {
                if self.enter_at(0)? {
                    continue;
                }
                return Ok(None);
            };
            let is_complete = current.scan.offset() > 0
                && current.upto.before.is_some_and(|before| current.scan.link().next >= before);
            let path = || self.root.join(LOG_FOLDER).join(current.name.file(current.form));
            let stretch =
                current.scan.read().map_err(|source| ReadError::Io { path: path(), source })?;
            if let Some(stretch) = stretch {
                let mut stretch = self
                    .notes
                    .explain((&self.disk, &self.root), current.name, &mut current.scan, stretch)
                    .map_err(|error| ReadError::Io { path: error.path, source: error.source })?;
                let next = current.scan.link().next;
                let first = match &stretch.seal {
                    Some((seal, _)) => Some(seal.first).filter(|_| !seal.marks.is_empty()),
                    None => self.link.map(|link| link.next).filter(|first| *first < next),
                };
                let is_beyond =
                    first.zip(current.upto.before).is_some_and(|(first, before)| first >= before);
                let is_unlinked = |fault: &Fault| matches!(fault, Fault::Unlinked { .. });
                let is_misplaced = is_complete && stretch.faults.iter().any(is_unlinked);
                if is_beyond || (is_complete && !is_misplaced) {
                    // It never counted: the next segment goes on before it.
                    self.current = None;
                    continue;
                }
                if is_misplaced {
                    // A group that is not where it was: told, and nothing follows from it.
                    stretch.lines.clear();
                    return Ok(Some(stretch));
                }
                self.link = Some(current.scan.link());
                if let Some(before) = current.upto.before.filter(|before| *before < next) {
                    stretch.clip(before);
                    self.link = Some(Link { next: before, hash: None });
                }
                stretch.faults.extend(self.gone.take());
                return Ok(Some(stretch));
            }
            let link = current.scan.link();
            // What follows the last good seal is either missing, or what a failed write left, which is nothing.
            let upto = if current.is_last { Some(self.head.next) } else { current.upto.reaches };
            if let Some(upto) = upto.filter(|upto| link.next < *upto)
                && !current.is_rest_given
            {
                current.is_rest_given = true;
                let hash = current.is_last.then_some(self.head.hash);
                self.link = Some(Link { next: upto, hash });
                return Ok(Some(current.scan.take_rest(upto)));
            }
            if !current.is_last {
                self.current = None;
            } else if !self.look_again()? {
                return Ok(None);
            }
        }
    }

    /// Reads `head` again; returns whether there is more.
    fn look_again(&mut self) -> Result<bool, ReadError> {
        let head = read_head(&self.disk, &self.root)?;
        if head == self.head {
            return Ok(false);
        }
        self.head = head;
        self.list()?;
        self.n_bad = 0;
        let upto = self.upto(self.number)?;
        let Some(current) = &mut self.current else { return Ok(true) };
        if current.name == self.head.segment {
            current.scan.extend(self.head.end);
        } else {
            (current.is_last, current.upto) = (false, upto);
            current.scan.extend(u64::MAX);
        }
        Ok(true)
    }

    /// Lists the segments after the current one, up to the one that `head` names.
    fn list(&mut self) -> Result<(), ReadError> {
        let segments = recover::list_segments(&self.disk, &self.root.join(LOG_FOLDER))?;
        let after = self.current.as_ref().map(|current| current.name);
        let range = |name: &SegmentName| Some(*name) > after && *name <= self.head.segment;
        self.ahead = segments.into_iter().filter(|(name, _)| range(name)).collect();
        Ok(())
    }

    /// Enters the next segment at an offset; returns whether there is one. One that was pruned since the segments were listed is left
    /// out, and the one after it is entered at its beginning.
    fn enter_at(&mut self, mut offset: u64) -> Result<bool, ReadError> {
        let (name, form, source, opening) = loop {
            let Some((name, form)) = self.ahead.pop_front() else {
                return if self.current.is_none() { self.look_again() } else { Ok(false) };
            };
            if let Some((source, opening)) = self.open_segment(name, form)? {
                break (name, form, source, opening);
            }
            offset = 0;
            self.is_late |= self.link.is_none();
        };
        let is_last = name == self.head.segment;
        let limit = if is_last { self.head.end } else { u64::MAX };
        let said = opening.as_ref().map(|(seal, _)| seal);
        let expected = self.number + 1 + std::mem::take(&mut self.n_bad);
        let number = said.and_then(number_of).unwrap_or(expected);
        let upto = if is_last { Upto::default() } else { self.upto(number)? };
        let link = match (self.link, said) {
            (Some(link), Some(seal)) if number > expected && seal.first > link.next => {
                self.gone = Some(gone_before(seal, link.next));
                Link { next: seal.first, hash: Some(seal.prev) }
            }
            (Some(link), _) => link,
            (None, Some(seal)) => {
                if self.is_late && Position::FIRST < self.from && self.from < seal.first {
                    self.gone = Some(gone_before(seal, self.from));
                }
                Link { next: seal.first, hash: Some(seal.prev) }
            }
            (None, None) => {
                Link { next: self.first_of(name, form)?.unwrap_or(self.from), hash: None }
            }
        };
        self.number = number;
        self.link = Some(link);
        let scan = Scan::new(source, offset, limit, link);
        let is_rest_given = false;
        self.current = Some(Current { name, form, number, scan, is_last, upto, is_rest_given });
        Ok(true)
    }

    /// Returns the first position after a segment that is followed by the next one, and forgets the segments ahead in which
    /// nothing is good.
    fn upto(&mut self, number: u64) -> Result<Upto, ReadError> {
        while let Some((name, form)) = self.ahead.front().copied() {
            let Some((_, opening)) = self.open_segment(name, form)? else {
                self.ahead.pop_front();
                continue;
            };
            if let Some((seal, _)) = opening {
                let is_next = number_of(&seal).is_none_or(|next| next <= number + 1 + self.n_bad);
                let reaches = is_next.then_some(seal.first);
                return Ok(Upto { reaches, before: Some(seal.first) });
            }
            if let Some(first) = self.first_of(name, form)? {
                return Ok(Upto::exactly(first));
            }
            if name == self.head.segment {
                return Ok(Upto::exactly(self.head.next));
            }
            self.ahead.pop_front();
            self.n_bad += 1;
        }
        // The segment that `head` names is not there.
        Ok(Upto::exactly(self.head.next))
    }

    /// Returns the first position kept; `None` if no segment says.
    pub(crate) fn first_kept(&self) -> Result<Option<Position>, ReadError> {
        if self.current.is_some() {
            return Ok(None);
        }
        for (name, form) in &self.ahead {
            if self.open_segment(*name, *form)?.is_some() {
                return self.first_of(*name, *form);
            }
        }
        Ok(None)
    }

    /// Returns the first position of a segment, by its opening or else by its first good seal.
    fn first_of(&self, name: SegmentName, form: Form) -> Result<Option<Position>, ReadError> {
        let Some((source, opening)) = self.open_segment(name, form)? else { return Ok(None) };
        if let Some((seal, _)) = opening {
            return Ok(Some(seal.first));
        }
        let limit = if name == self.head.segment { self.head.end } else { u64::MAX };
        let mut scan = Scan::new(source, 0, limit, Link { next: Position::FIRST, hash: None });
        let path = self.root.join(LOG_FOLDER).join(name.file(form));
        loop {
            let stretch =
                scan.read().map_err(|source| ReadError::Io { path: path.clone(), source })?;
            match stretch {
                None => return Ok(None),
                Some(Stretch { seal: Some((seal, _)), .. }) => return Ok(Some(seal.first)),
                Some(_) => {}
            }
        }
    }

    /// Opens a segment; `None` if it went since the segments were listed, as all do that are pruned.
    #[expect(clippy::type_complexity, reason = "the pair is taken apart at once")]
    fn open_segment(
        &self,
        name: SegmentName,
        form: Form,
    ) -> Result<Option<(Source<D::File>, Option<(Seal, Hash)>)>, ReadError> {
        let path = self.root.join(LOG_FOLDER).join(name.file(form));
        let opened = match form {
            Form::Plain => self.disk.open(&path, Access::Read).map(Source::Plain),
            Form::Archive => self.disk.open_archive(&path).map(Source::Archive),
        };
        if opened.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            if form == Form::Plain
                && self.disk.list(&self.root.join(LOG_FOLDER)).is_ok_and(|names| {
                    names.iter().any(|file| SegmentName::parse(file) == Some((name, Form::Archive)))
                })
            {
                // It was archived since the segments were listed.
                return self.open_segment(name, Form::Archive);
            }
            // The one that is written to is never pruned.
            if name < self.head.segment {
                return Ok(None);
            }
        }
        let io = |source| ReadError::Io { path: path.clone(), source };
        let mut source = opened.map_err(io)?;
        let mut buffer = [0; recover::OPENING_BYTES];
        let n = source.read_at(&mut buffer, 0).map_err(io)?;
        let opening = recover::opening_of(&buffer[..n], &path)?;
        Ok(Some((source, opening.map(|(seal, hash, _)| (seal, hash)))))
    }

    /// Returns the index in `ahead` of the last segment whose opening seal is as wanted, by halving; 0 if there is none.
    fn find_last(&self, is_wanted: impl Fn(&Seal) -> bool) -> Result<usize, ReadError> {
        let (mut low, mut high) = (0, self.ahead.len());
        while high - low > 1 {
            let mut middle = low + (high - low) / 2;
            let opening = loop {
                let (name, form) = self.ahead[middle];
                match self.open_segment(name, form)?.and_then(|(_, opening)| opening) {
                    Some((opening, _)) => break Some(opening),
                    None if middle > low + 1 => middle -= 1,
                    None => break None,
                }
            };
            match opening {
                Some(opening) if is_wanted(&opening) => low = middle,
                Some(_) => high = middle,
                // Nothing between says what it is: the walk starts before it.
                None => return Ok(low),
            }
        }
        Ok(low)
    }
}

/// Returns what is to be told of the positions from one up to a segment that is opened by this seal.
fn gone_before(opening: &Seal, first: Position) -> Fault {
    let last = Position::new(opening.first.get() - 1).expect("it is after another");
    Fault::Gone { first, last, hash: opening.prev }
}

/// Returns the number that a segment's opening seal gives it.
fn number_of(opening: &Seal) -> Option<u64> {
    opening.opening.as_ref().map(|opening| opening.segment)
}

/// Returns the last position that was received at a time or before it, in microseconds since 1970; `None` if none was.
pub fn last_received<D: Disk>(
    disk: D,
    root: &Path,
    at_us: i64,
) -> Result<Option<Position>, ReadError> {
    let mut reader = Reader::new(disk, root.to_owned(), Position::FIRST)?;
    let start = reader.find_last(|opening| opening.at_us <= at_us)?;
    reader.ahead.drain(..start);
    let first = reader.first_kept()?;
    let mut last = None;
    while let Some(batch) = reader.walk()? {
        match &batch.stretch.seal {
            Some((seal, _)) if seal.at_us > at_us => break,
            Some(_) => last = Position::new(batch.mileage.next.get() - 1),
            // It was received between its neighbours, nobody knows when.
            None => {}
        }
    }
    Ok(last.filter(|last| first.is_none_or(|first| *last >= first)))
}

/// Returns the first position that a store keeps; `None` if no segment says.
pub fn first_kept<D: Disk>(disk: D, root: &Path) -> Result<Option<Position>, ReadError> {
    Reader::new(disk, root.to_owned(), Position::FIRST)?.first_kept()
}

#[cfg(test)]
mod tests;

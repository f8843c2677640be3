//! Reading back what is kept, day by day, one line at a time.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use weft_event::input::{Item, Lines};
use weft_event::time::format_rfc3339;

use super::RejectedError;
use super::line::{Kept, RefusalId};

const PREFIX: &str = "rejected-";
const SUFFIX: &str = ".jsonl";

/// A span of time; without ends, all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first moment, in microseconds since 1970.
    pub since_us: Option<i64>,
    /// The first moment that is too late, in microseconds since 1970.
    pub until_us: Option<i64>,
}

impl Span {
    fn has(self, at_us: i64) -> bool {
        self.since_us.is_none_or(|since| since <= at_us)
            && self.until_us.is_none_or(|until| at_us < until)
    }

    /// Returns whether a file of this name may hold something of the span.
    fn may_have(self, name: &str) -> bool {
        let day = name.get(PREFIX.len()..).and_then(|rest| rest.split('.').next());
        let name = format!("{PREFIX}{}{SUFFIX}", day.unwrap_or_default());
        self.since_us.is_none_or(|since| file_name(since) <= name)
            && self.until_us.is_none_or(|until| name <= file_name(until))
    }
}

/// What a listing finds next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A refusal.
    Kept(Kept),
    /// A line that cannot be read: cut off by a crash, or changed since.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        number: u64,
    },
}

/// Goes through what is kept, in memory for one line.
#[derive(Debug)]
pub struct Listing {
    span: Span,
    files: VecDeque<PathBuf>,
    lines: Option<(PathBuf, Lines<File>)>,
}

impl Listing {
    pub(super) fn new(folder: &Path, span: Span) -> Result<Self, RejectedError> {
        Ok(Self { span, files: day_files(folder, span)?.into(), lines: None })
    }

    /// Leaves out what cannot be read.
    pub fn kept(self) -> impl Iterator<Item = Result<Kept, RejectedError>> {
        self.filter_map(|found| match found {
            Ok(Found::Kept(kept)) => Some(Ok(kept)),
            Ok(Found::Unreadable { .. }) => None,
            Err(error) => Some(Err(error)),
        })
    }

    fn read(&mut self) -> io::Result<Option<Found>> {
        let span = self.span;
        let Some((path, lines)) = &mut self.lines else { return Ok(None) };
        while let Some(item) = lines.read()? {
            let (kept, number) = match item {
                Item::Line(line) => (Kept::read(line.bytes), line.number),
                Item::Fault(fault) => (None, fault.number),
            };
            match kept {
                Some(kept) if span.has(kept.at_us) => return Ok(Some(Found::Kept(kept))),
                Some(_) => {}
                None => return Ok(Some(Found::Unreadable { path: path.clone(), number })),
            }
        }
        self.lines = None;
        Ok(None)
    }
}

impl Iterator for Listing {
    type Item = Result<Found, RejectedError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.read() {
                Ok(Some(found)) => return Some(Ok(found)),
                Ok(None) => {}
                Err(source) => {
                    let (path, _) = self.lines.take().expect("only an open file fails");
                    return Some(Err(RejectedError::Read { path, source }));
                }
            }
            let path = self.files.pop_front()?;
            match File::open(&path) {
                Ok(file) => self.lines = Some((path, Lines::new(file))),
                // Removed since the folder was read.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Some(Err(RejectedError::Read { path, source })),
            }
        }
    }
}

/// Returns the name of the file for a moment.
pub(super) fn file_name(at_us: i64) -> String {
    format!("{PREFIX}{}{SUFFIX}", day_of(at_us))
}

/// Returns the name of the file that one refusal has for itself.
pub(super) fn file_name_apart(at_us: i64, id: RefusalId) -> String {
    format!("{PREFIX}{}.{}{SUFFIX}", day_of(at_us), id.to_hex())
}

fn day_of(at_us: i64) -> String {
    let time = format_rfc3339(at_us.saturating_mul(1000));
    time.split('T').next().expect("a time begins with its day").to_owned()
}

/// Returns the files that may hold something of a span, in order.
pub(super) fn day_files(folder: &Path, span: Span) -> Result<Vec<PathBuf>, RejectedError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(RejectedError::Read { path: folder.to_owned(), source }),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry =
            entry.map_err(|source| RejectedError::Read { path: folder.to_owned(), source })?;
        if let Some(name) = entry.file_name().to_str()
            && name.starts_with(PREFIX)
            && name.ends_with(SUFFIX)
            && span.may_have(name)
        {
            names.push(folder.join(name));
        }
    }
    names.sort();
    Ok(names)
}

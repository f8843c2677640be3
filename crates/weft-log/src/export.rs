//! The log as plain files of events: by day, by agent and day, or the decisions of each day.
//!
//! Lines are the events' own, in the order of the log. Files are written under another name and put in place together at the
//! end, so that a file is there whole or not at all; one of the same name is replaced.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_event::{Dialect, Facts, time};

use crate::blobs::{self, Blobs};
use crate::disk::RealDisk;
use crate::filter::{Filter, Subject};
use crate::index::{self, Follower};
use crate::query::{Ask, Order, QueryError, Records};
use crate::reader::{GONE, ReadError, Reader};
use crate::spool::durable;
use crate::{Hash, Meta, Position, Store};

/// Bytes that are gathered before they are written, one file open at a time.
const GATHERED_BYTES_MAX: usize = 32 << 20;

/// Records asked for at a time.
const PAGE_RECORDS: usize = 1000;

/// Longest name of an agent in the name of a file; a longer one is cut, and its hash added.
const AGENT_BYTES_MAX: usize = 160;

/// Which files there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `events-DATE.jsonl`
    Daily,
    /// `events-AGENT-DATE.jsonl`
    Agent,
    /// `decisions-DATE.jsonl`, with decisions alone.
    Decisions,
}

/// What becomes of values that were too large for an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Their references stay.
    Referred,
    /// They are put back.
    Restored,
}

/// What is exported.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Which files.
    pub layout: Layout,
    /// Which events. Weft's own bookkeeping is never among them.
    pub filter: &'a Filter,
    /// What becomes of large values.
    pub values: Values,
    /// The folder, which is made if it is not there.
    pub folder: &'a Path,
}

/// What was exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Events.
    pub n_events: u64,
    /// Files.
    pub n_files: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Records that match, or might, and are damaged.
    pub n_lost: u64,
    /// Values that could not be put back.
    pub n_left: u64,
}

/// Why nothing was exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Records cannot be found.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// A file cannot be written.
    #[error("cannot write {path}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// Exports; `progress` is told the position reached.
pub fn export(
    store: &Store,
    options: &Options<'_>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Summary, ExportError> {
    let mut export = Export::begin(store, options)?;
    let mut take = |meta: &Meta, facts: &Facts<'_>, line: &[u8]| export.take(meta, facts, line);
    let n_lost = each_match(store, options.filter, progress, &mut take)?;
    export.summary.n_lost = n_lost;
    export.finish()
}

/// Is handed an event: what the log knows of it, its facts, its line.
pub type Each<'a, E> = dyn FnMut(&Meta, &Facts<'_>, &[u8]) -> Result<(), E> + 'a;

/// Hands every event that a filter matches to `each`, with its line, in the order of the log; `progress` is told the position
/// reached. Returns how many records match, or might, and are damaged; those that were pruned do not count. Weft's own bookkeeping never matches.
pub fn each_match<E: From<ReadError> + From<QueryError>>(
    store: &Store,
    filter: &Filter,
    progress: &mut dyn FnMut(u64, u64),
    each: &mut Each<'_, E>,
) -> Result<u64, E> {
    let mut records = Records::open(store.clone())?;
    let last = records.head().next.get() - 1;
    let indexed = match records.index() {
        Some(index) => index.watermark(Follower::Core).map_err(QueryError::from)?.position,
        None => 0,
    };
    let mut matcher = Matcher { filter, tape: Tape::new(), problems: Problems::new() };
    let n_positions = |lost: (Position, Position)| lost.1.get() - lost.0.get() + 1;
    let mut n_lost = 0;
    // The index spares reading what does not match; without a filter it would only be in the way.
    if filter.is_all() || indexed < last {
        let mut reader = Reader::open(RealDisk, store.root().to_owned(), Position::FIRST)?;
        while let Some(batch) = reader.read()? {
            let damaged = batch.gaps().filter(|(_, _, reason)| *reason != GONE);
            n_lost += damaged.map(|(first, last, _)| n_positions((first, last))).sum::<u64>();
            for (record, _) in batch.records() {
                matcher.take(&record.meta, record.line, each)?;
            }
            progress(batch.mileage.next.get() - 1, last);
        }
    } else {
        let gaps =
            records.index().map(index::Reader::gaps).transpose().map_err(QueryError::from)?;
        let gone: Vec<_> = gaps
            .into_iter()
            .flatten()
            .filter(|gap| gap.reason == GONE)
            .map(|gap| (gap.first, gap.last))
            .collect();
        let mut from = Some(Position::FIRST);
        while let Some(start) = from {
            let range = start..=Position::new(last.max(1)).expect("it is not 0");
            let (order, limit) = (Order::Ascending, PAGE_RECORDS);
            let page = records.page(&Ask { filter, range, order, limit })?;
            if start == Position::FIRST {
                let damaged = page.lost.into_iter().filter(|run| !gone.contains(run));
                n_lost += damaged.map(n_positions).sum::<u64>();
            }
            for found in &page.records {
                matcher.take(&found.meta, &found.line, each)?;
            }
            from = page.next;
            progress(from.map_or(last, Position::get), last);
        }
    }
    Ok(n_lost)
}

struct Matcher<'f> {
    filter: &'f Filter,
    tape: Tape,
    problems: Problems,
}

impl Matcher<'_> {
    fn take<E>(&mut self, meta: &Meta, line: &[u8], each: &mut Each<'_, E>) -> Result<(), E> {
        let expect = meta.mark.as_ref().map_or(Expect::Any, |mark| Expect::Dialect(mark.dialect));
        self.problems.clear();
        let Some(event) = event::read(&mut self.tape, line, expect, &mut self.problems) else {
            return Ok(());
        };
        let facts = event.facts();
        let is_asked = event.dialect() != Dialect::Weft
            && self.filter.matches(&Subject { meta, facts: &facts, event: event.value() });
        if is_asked { each(meta, &facts, line) } else { Ok(()) }
    }
}

struct Export<'o> {
    options: &'o Options<'o>,
    blobs: Blobs,
    /// Where files stand until all are written.
    scratch: PathBuf,
    /// Lines that are not written yet, by the names of their files.
    gathered: BTreeMap<String, Vec<u8>>,
    gathered_bytes: usize,
    summary: Summary,
}

impl<'o> Export<'o> {
    fn begin(store: &Store, options: &'o Options<'o>) -> Result<Self, ExportError> {
        let scratch = options.folder.join(format!(".weft-export-{}", uuid::Uuid::now_v7()));
        fs::create_dir_all(&scratch).map_err(in_file(&scratch))?;
        Ok(Self {
            options,
            blobs: Blobs::new(store.blobs()),
            scratch,
            gathered: BTreeMap::new(),
            gathered_bytes: 0,
            summary: Summary::default(),
        })
    }

    fn take(&mut self, meta: &Meta, facts: &Facts<'_>, line: &[u8]) -> Result<(), ExportError> {
        let Some(name) = file_name(self.options.layout, facts, meta) else { return Ok(()) };
        let mut line = Cow::Borrowed(line);
        if self.options.values == Values::Restored
            && let Ok(restored) = blobs::restore(&line, &self.blobs)
        {
            self.summary.n_left += restored.left.len() as u64;
            line = Cow::Owned(restored.line.into_owned());
        }
        let file = self.gathered.entry(name).or_default();
        file.extend_from_slice(&line);
        file.push(b'\n');
        self.gathered_bytes += line.len() + 1;
        self.summary.n_events += 1;
        if self.gathered_bytes >= GATHERED_BYTES_MAX {
            self.write()?;
        }
        Ok(())
    }

    /// Appends what was gathered to the files, one after the other.
    fn write(&mut self) -> Result<(), ExportError> {
        for (name, lines) in std::mem::take(&mut self.gathered) {
            let path = self.scratch.join(name);
            let file = OpenOptions::new().append(true).create(true).open(&path);
            file.and_then(|mut file| file.write_all(&lines)).map_err(in_file(&path))?;
            self.summary.bytes += lines.len() as u64;
        }
        self.gathered_bytes = 0;
        Ok(())
    }

    /// Makes the files durable and puts them in place.
    fn finish(mut self) -> Result<Summary, ExportError> {
        self.write()?;
        let folder = self.options.folder;
        let entries = fs::read_dir(&self.scratch).map_err(in_file(&self.scratch))?;
        for entry in entries {
            let from = entry.map_err(in_file(&self.scratch))?.path();
            File::open(&from).and_then(|file| file.sync_all()).map_err(in_file(&from))?;
            let to = folder.join(from.file_name().expect("a file in a folder has a name"));
            fs::rename(&from, &to).map_err(in_file(&to))?;
            self.summary.n_files += 1;
        }
        durable::sync_folder(folder).map_err(in_file(folder))?;
        Ok(self.summary)
    }
}

impl Drop for Export<'_> {
    fn drop(&mut self) {
        // What is left of an export that failed is of no use; if it cannot be removed, it is in nobody's way either.
        drop(fs::remove_dir_all(&self.scratch));
    }
}

/// Returns the name of the file that an event belongs to; `None` if it belongs to none.
fn file_name(layout: Layout, facts: &Facts<'_>, meta: &Meta) -> Option<String> {
    let received_ns = meta.at_us.map(|at_us| at_us.saturating_mul(1000));
    let time = time::format_rfc3339(facts.time_ns.or(received_ns).unwrap_or_default());
    let date = time.split('T').next().expect("a time begins with its date");
    match layout {
        Layout::Daily => Some(format!("events-{date}.jsonl")),
        Layout::Agent => {
            let agent = agent_name(facts.actor.as_deref().unwrap_or_default());
            Some(format!("events-{agent}-{date}.jsonl"))
        }
        Layout::Decisions => {
            facts.event_type.starts_with("decision.").then(|| format!("decisions-{date}.jsonl"))
        }
    }
}

/// Returns an agent's name as it can stand in the name of a file: everything but letters, digits, `-`, `_` and `.` as `%XX`.
fn agent_name(agent: &str) -> String {
    let mut name = String::new();
    for byte in agent.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' => name.push(byte.into()),
            _ => name.push_str(&format!("%{byte:02X}")),
        }
    }
    if name.len() > AGENT_BYTES_MAX {
        let hash = Hash::of(agent.as_bytes()).to_string();
        name.truncate(AGENT_BYTES_MAX);
        name.push_str(&format!("~{}", &hash[..16]));
    }
    name
}

/// Says which file or folder an error is about.
fn in_file(path: &Path) -> impl Fn(io::Error) -> ExportError {
    move |source| ExportError::Write { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests;

//! `weft stats`: how much there is in a store, of what, and how far the index is.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use anyhow::Context as _;
use weft_event::json::Json;
use weft_log::blobs::Blobs;
use weft_log::index::{Follower, TypeCount};
use weft_log::query::Records;
use weft_log::rejected::{Rejected, Span};
use weft_log::segment::{Form, SegmentName};
use weft_log::{Filter, Position, Store};

use crate::Outcome;
use crate::columns::Columns;
use crate::explain::show::write_rows;
use crate::output::{self, Shown, plural};
use crate::records;
use crate::stores::StoreArgs;
use crate::times::{Clock, TimeArgs};

const EXAMPLES: &str = "\
Examples:
  weft stats                         the nearest store
  weft stats --json | jq .records    let a program read it

Exit codes: 0, or 2 if the store cannot be read.";

/// Tell how much is in the store, and of what
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    time: TimeArgs,
}

/// A number of files and their bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Files {
    n: u64,
    bytes: u64,
}

/// The end of the log: a position, and when its record was received.
struct End {
    position: Position,
    at_us: Option<i64>,
}

struct Stats {
    root: String,
    id: String,
    n_records: u64,
    ends: Option<(End, End)>,
    segments: Files,
    archives: Files,
    index_bytes: u64,
    /// How many records each follower of the index lacks.
    lags: [(&'static str, u64); 2],
    types: Vec<TypeCount>,
    rejected: BTreeMap<String, u64>,
    n_rejected: u64,
    spool_bytes: u64,
    blobs: Files,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let store = args.store.store()?;
    let mut records = records::open(&args.store, &Filter::all())?;
    let stats = gather(&store, &mut records)?;
    let text = if args.json { stats.json() } else { stats.text(&Clock::new(args.time)) };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

fn gather(store: &Store, records: &mut Records) -> anyhow::Result<Stats> {
    let head = records.head().clone();
    let last = head.last().map_or(0, Position::get);
    let (segments, archives) = segments(store)?;
    let rejected = Rejected::new(store);
    let n_rejected = rejected.list(Span::default())?.kept().count() as u64;
    let blobs = Blobs::new(store.blobs()).list()?.blobs;
    let indexed = records.index().map(|index| index.stats()).transpose()?;
    let mark = |follower| -> anyhow::Result<u64> {
        let mark = records.index().map(|index| index.watermark(follower)).transpose()?;
        Ok(last - mark.map_or(0, |mark| mark.position.min(last)))
    };
    let lags = [("core", mark(Follower::Core)?), ("text", mark(Follower::Text)?)];
    let first = indexed.as_ref().and_then(|stats| stats.range).map(|(first, _)| first);
    let mut end = |position: Position| -> anyhow::Result<End> {
        let found = records.get(position)?;
        Ok(End { position, at_us: found.and_then(|found| found.meta.at_us) })
    };
    let ends = match (first, head.last()) {
        (Some(first), Some(last)) => Some((end(first)?, end(last)?)),
        (_, _) => None,
    };
    Ok(Stats {
        root: store.root().display().to_string(),
        id: head.store,
        n_records: indexed.as_ref().map_or(0, |stats| stats.n_records),
        ends,
        segments,
        archives,
        index_bytes: indexed.as_ref().map_or(0, |stats| stats.bytes),
        lags,
        types: indexed.map(|stats| stats.types).unwrap_or_default(),
        rejected: rejected.counts(Span::default())?,
        n_rejected,
        spool_bytes: folder_bytes(&store.root().join("spool"))?,
        blobs: Files { n: blobs.len() as u64, bytes: blobs.iter().map(|blob| blob.bytes).sum() },
    })
}

/// Returns the segments as they were written, and those in archives.
fn segments(store: &Store) -> anyhow::Result<(Files, Files)> {
    let folder = store.log();
    let unreadable = || format!("cannot read {}", folder.display());
    let (mut plain, mut archives) = (Files::default(), Files::default());
    for entry in fs::read_dir(&folder).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        let files = match entry.file_name().to_str().and_then(SegmentName::parse) {
            Some((_, Form::Plain)) => &mut plain,
            Some((_, Form::Archive)) => &mut archives,
            None => continue,
        };
        files.n += 1;
        files.bytes += entry.metadata().with_context(unreadable)?.len();
    }
    Ok((plain, archives))
}

/// Returns how many bytes the files of a folder have; 0 if it is not there.
fn folder_bytes(folder: &Path) -> anyhow::Result<u64> {
    let unreadable = || format!("cannot read {}", folder.display());
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error).with_context(unreadable),
    };
    let mut bytes = 0;
    for entry in entries {
        bytes += entry.and_then(|entry| entry.metadata()).with_context(unreadable)?.len();
    }
    Ok(bytes)
}

impl Stats {
    fn text(&self, clock: &Clock) -> String {
        let time = |end: &End| match end.at_us {
            Some(at_us) => clock.whole(at_us.saturating_mul(1000)),
            None => "at an unknown time".to_owned(),
        };
        let mut rows = vec![("store", self.id.clone()), ("records", self.n_records.to_string())];
        if let Some((first, last)) = &self.ends {
            rows.push(("first", format!("position {}, received {}", first.position, time(first))));
            rows.push(("last", format!("position {}, received {}", last.position, time(last))));
        }
        rows.push(("segments", files(self.segments)));
        if self.archives.n > 0 {
            rows.push(("archives", files(self.archives)));
        }
        let lag = |(name, lag): &(&str, u64)| match lag {
            0 => format!("{name} up to date"),
            lag => format!("{name} lacks {}", plural(*lag, "record")),
        };
        let lags: Vec<String> = self.lags.iter().map(lag).collect();
        rows.push(("index", format!("{}, {}", bytes(self.index_bytes), lags.join(", "))));
        rows.push(("blobs", files(self.blobs)));
        rows.push(("spool", bytes(self.spool_bytes)));
        let codes: Vec<String> =
            self.rejected.iter().map(|(code, n)| format!("{code} {n}")).collect();
        let codes =
            if codes.is_empty() { String::new() } else { format!(" ({})", codes.join(", ")) };
        rows.push(("rejected", format!("{}{codes}", self.n_rejected)));
        let mut text = format!("{}\n", Shown(&self.root));
        write_rows(&mut text, &rows);
        if !self.types.is_empty() {
            let row = |count: &TypeCount| {
                vec![count.dialect.clone(), count.n.to_string(), count.event_type.clone()]
            };
            let mut table = Columns::new(["DIALECT", "RECORDS", "TYPE"], None);
            text += &table.render(self.types.iter().map(row).collect());
        }
        text
    }

    fn json(&self) -> String {
        let count = |n: u64| Json::integer(n);
        let files = |files: Files| {
            Json::object(|object| {
                object.json("files", &count(files.n));
                object.json("bytes", &count(files.bytes));
            })
        };
        let end = |end: &End| {
            Json::object(|object| {
                object.json("position", &count(end.position.get()));
                end.at_us.iter().for_each(|at_us| object.text("at", &records::format_us(*at_us)));
            })
        };
        let page = Json::object(|object| {
            object.text("path", &self.root);
            object.text("store", &self.id);
            object.json("records", &count(self.n_records));
            if let Some((first, last)) = &self.ends {
                object.json("first", &end(first));
                object.json("last", &end(last));
            }
            object.json("segments", &files(self.segments));
            object.json("archives", &files(self.archives));
            let index = Json::object(|object| {
                object.json("bytes", &count(self.index_bytes));
                let lag = Json::object(|object| {
                    self.lags.iter().for_each(|(name, lag)| object.json(name, &count(*lag)));
                });
                object.json("lag", &lag);
            });
            object.json("index", &index);
            object.json("blobs", &files(self.blobs));
            object.json("spool_bytes", &count(self.spool_bytes));
            let codes = Json::object(|object| {
                self.rejected.iter().for_each(|(code, n)| object.json(code, &count(*n)));
            });
            let rejected = Json::object(|object| {
                object.json("records", &count(self.n_rejected));
                object.json("codes", &codes);
            });
            object.json("rejected", &rejected);
            let types = self.types.iter().map(|count| {
                Json::object(|object| {
                    object.text("dialect", &count.dialect);
                    object.text("type", &count.event_type);
                    object.json("records", &Json::integer(count.n));
                })
            });
            object.json("types", &Json::array(types));
        });
        format!("{}\n", page.as_str())
    }
}

fn files(files: Files) -> String {
    format!("{}, {}", plural(files.n, "file"), bytes(files.bytes))
}

/// Returns a number of bytes in the unit that leaves a few digits.
fn bytes(n: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match UNITS.into_iter().find(|(_, unit)| n >= *unit) {
        Some((name, unit)) => format!("{}.{} {name}", n / unit, n % unit * 10 / unit),
        None => plural(n, "byte"),
    }
}

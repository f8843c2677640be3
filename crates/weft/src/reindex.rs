//! `weft index`: how far the index is, and making it again.

use anyhow::Context as _;
use clap::Subcommand;
use weft_event::json::Json;
use weft_log::disk::RealDisk;
use weft_log::index::{self, Follower, IndexError, Watermark};
use weft_log::log::LATER_RECORDS_MAX;
use weft_log::{Store, reader, verify};

use crate::Outcome;
use crate::gauge::{Gauge, Unit};
use crate::output::{plural, print, tell};
use crate::stores::{self, PATIENCE, StoreArgs, owner};

const EXAMPLES: &str = "\
Examples:
  weft index status     how far the index and the text search are behind the log
  weft index rebuild    make both again from the log

Exit codes: 0 the index is up to date, 1 it is missing, of no use or behind, 2 the store cannot be read.";

/// Show how far the index is, or make it again from the log
///
/// The index is derived: it can be thrown away at any time. Who writes to the store keeps it up to date.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show watermarks, lag, size and version
    Status {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Make the index again, and the text search after it
    Rebuild,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let store = stores::open(&args.store.folder()?)?;
    match args.command {
        Command::Status { json } => status(&store, json),
        Command::Rebuild => rebuild(&store),
    }
}

fn rebuild(store: &Store) -> anyhow::Result<Outcome> {
    let mut core = Gauge::new("indexing", Unit::Records);
    let mut text = Gauge::new("searching", Unit::Records);
    let mut n_records = 0;
    verify::rebuild_index(store, &owner(), PATIENCE, &mut |follower, done| match follower {
        Follower::Core => {
            n_records = done.position;
            core.set(done.position, done.last);
        }
        Follower::Text => {
            core.finish();
            text.set(done.position, done.last);
        }
    })
    .with_context(|| format!("cannot make the index of {} again", store.root().display()))?;
    drop((core, text));
    tell(format_args!("the index is up to date with position {n_records}"));
    Ok(Outcome::Fine)
}

/// What an index is like.
struct Status {
    last: u64,
    /// What is wrong with it, if it is of no use.
    trouble: Option<String>,
    core: Watermark,
    text: Watermark,
    bytes: u64,
    n_records: u64,
}

fn status(store: &Store, json: bool) -> anyhow::Result<Outcome> {
    let head = reader::read_head(&RealDisk, store.root())
        .with_context(|| format!("cannot read the store {}", store.root().display()))?;
    let last = head.next.get() - 1;
    let none = Watermark::NONE;
    let mut status = Status { last, trouble: None, core: none, text: none, bytes: 0, n_records: 0 };
    match index::Reader::open(&store.index()) {
        Ok(index) => {
            let stats = index.stats()?;
            status.core = index.watermark(Follower::Core)?;
            status.text = index.watermark(Follower::Text)?;
            (status.bytes, status.n_records) = (stats.bytes, stats.n_records);
            if !weft_log::follow::fits(status.core, &head) {
                status.trouble = Some("it has followed another log".to_owned());
            }
        }
        Err(IndexError::Missing { .. }) => status.trouble = Some("it is missing".to_owned()),
        Err(IndexError::Stale { reason, .. }) => status.trouble = Some(reason.to_string()),
        Err(error) => return Err(error.into()),
    }
    print(show(&status, json).as_bytes())?;
    // A few are left to whoever writes next, and found by whoever reads.
    let is_current =
        status.trouble.is_none() && last.saturating_sub(status.core.position) <= LATER_RECORDS_MAX;
    Ok(if is_current { Outcome::Fine } else { Outcome::Found })
}

fn show(status: &Status, json: bool) -> String {
    let behind = |mark: Watermark| status.last.saturating_sub(mark.position);
    let Status { last, trouble, core, text, bytes, n_records } = status;
    if json {
        let object = Json::object(|object| {
            object.json("last", &Json::integer(*last));
            object.json("version", &Json::integer(index::VERSION));
            match trouble {
                Some(trouble) => object.text("trouble", trouble),
                None => object.json("trouble", &Json::null()),
            }
            for (name, mark) in [("core", *core), ("text", *text)] {
                let mark = Json::object(|object| {
                    object.json("position", &Json::integer(mark.position));
                    object.json("segment", &Json::integer(mark.segment));
                    object.json("offset", &Json::integer(mark.offset));
                    object.json("behind", &Json::integer(behind(mark)));
                });
                object.json(name, &mark);
            }
            object.json("records", &Json::integer(*n_records));
            object.json("bytes", &Json::integer(*bytes));
        });
        return format!("{}\n", object.as_str());
    }
    let lag = |mark: Watermark| match behind(mark) {
        0 => "up to date".to_owned(),
        behind => format!("{} behind", plural(behind, "record")),
    };
    let state = match trouble {
        Some(trouble) => format!("of no use: {trouble}; make it again with `weft index rebuild`"),
        None => format!("{}, {}", plural(*n_records, "record"), plural(*bytes, "byte")),
    };
    format!(
        "log      up to position {last}\nindex    version {}, {state}\ncore     position {}, {}\ntext     position {}, {}\n",
        index::VERSION,
        core.position,
        lag(*core),
        text.position,
        lag(*text),
    )
}

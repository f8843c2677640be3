//! `weft verify`: whether a store is what was written, down to the last seal.

use std::io;

use anyhow::Context as _;
use weft_event::json::Json;
use weft_log::log::{Hold, Indexing, Options};
use weft_log::verify::{self, Against, Ask, Depth, Fault, Report, Told};
use weft_log::{Hash, Store};

use crate::Outcome;
use crate::gauge::{Gauge, Unit};
use crate::output::{Format, plural, print, tell};
use crate::stores::{self, PATIENCE, StoreArgs, owner, tell_findings};

const EXAMPLES: &str = "\
Examples:
  weft verify                       check everything, print the head hash
  weft verify --against 3f2a9c…     prove that the log still holds what it held then
  weft verify --repair              do what loses nothing: the log's end, the index, the blobs
  weft verify --json | jq .fault    let a program read the faults

Faults go to stdout, one a line, as SEGMENT:BYTE: what is wrong.
Exit codes: 0 all is as it was written, 1 a fault was found, 2 the store cannot be read.";

/// Check a store: every seal, checksum, link and position, the index, the blobs
///
/// Reads the whole log, archives included, and changes nothing unless --repair is given. The head hash stands for everything in
/// the log: write it down, and check later with --against that nothing before it has changed.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// Check that this was the head hash once, and say of which records
    #[arg(long, value_name = "HASH", value_parser = parse_hash)]
    against: Option<Hash>,
    /// Bring the log's end and the index in order; damaged bytes are never touched
    #[arg(long)]
    repair: bool,
    /// Also compare the index with one that is made anew
    #[arg(long)]
    deep: bool,
    /// Print one JSON object a line: every fault, then the summary
    #[arg(long)]
    json: bool,
}

fn parse_hash(text: &str) -> Result<Hash, &'static str> {
    Hash::parse(text).ok_or("a hash has 64 hexadecimal digits")
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let format = if args.json { Format::Json } else { Format::Text };
    let store = stores::open(&args.store.folder()?)?;
    if args.repair {
        repair(&store)?;
    }
    let mut report = check(&store, &args, format)?;
    if args.repair && report.n_index_faults > 0 {
        rebuild(&store)?;
        report = check(&store, &args, format)?;
    }
    print(summary(&report, format).as_bytes())?;
    Ok(if report.n_faults == 0 { Outcome::Fine } else { Outcome::Found })
}

fn repair(store: &Store) -> anyhow::Result<()> {
    let mut gauge = Gauge::new("indexing", Unit::Records);
    let (hold, indexing) = (Hold::Long, Indexing::Meanwhile);
    let options = Options { owner: owner(), patience: PATIENCE, hold, indexing };
    let repaired = verify::repair(store, options, &mut |done| gauge.set(done.position, done.last))
        .context("cannot repair the store")?;
    tell_findings(&repaired.findings);
    Ok(())
}

fn rebuild(store: &Store) -> anyhow::Result<()> {
    tell(format_args!("note: the index is made again"));
    let mut gauge = Gauge::new("indexing", Unit::Records);
    verify::rebuild_index(store, &owner(), PATIENCE, &mut |_, done| {
        gauge.set(done.position, done.last);
    })
    .context("cannot make the index again")
}

/// Checks the store and prints every fault as it is found.
fn check(store: &Store, args: &Args, format: Format) -> anyhow::Result<Report> {
    let scratch = match args.deep {
        true => Some(tempfile::tempdir().context("cannot make a folder for a second index")?),
        false => None,
    };
    let depth = match &scratch {
        Some(folder) => Depth::Deep { scratch: folder.path() },
        None => Depth::Usual,
    };
    let mut gauge = Gauge::new("verifying", Unit::Bytes);
    let mut printed: io::Result<()> = Ok(());
    let ask = Ask { against: args.against, depth };
    let report = verify::verify(store, &ask, &mut |told| match told {
        Told::Progress { bytes, total } => gauge.set(bytes, total),
        Told::Note(note) => gauge.suspend(|| tell(format_args!("note: {note}"))),
        Told::Fault(fault) => {
            if printed.is_ok() {
                printed = gauge.suspend(|| print(show(&fault, format).as_bytes()));
            }
        }
    });
    drop(gauge);
    printed?;
    report.with_context(|| format!("cannot verify the store {}", store.root().display()))
}

fn show(fault: &Fault, format: Format) -> String {
    let place = fault.place();
    match format {
        Format::Text => match place {
            Some((segment, byte)) => format!("{segment}:{byte}: {fault}\n"),
            None => format!("{}: {fault}\n", fault.part()),
        },
        Format::Json => {
            let object = Json::object(|line| {
                let fault = Json::object(|object| {
                    object.text("part", fault.part());
                    if let Some((segment, byte)) = place {
                        object.text("segment", &segment.to_string());
                        object.json("byte", &Json::integer(byte));
                    }
                    if let Some((first, last)) = fault.positions() {
                        object.json("first", &Json::integer(first.get()));
                        object.json("last", &Json::integer(last.get()));
                    }
                    object.text("message", &fault.to_string());
                });
                line.json("fault", &fault);
            });
            format!("{}\n", object.as_str())
        }
    }
}

fn summary(report: &Report, format: Format) -> String {
    let head = report.head.map(|hash| hash.to_string());
    match format {
        Format::Text => summary_text(report, head),
        Format::Json => summary_json(report, head),
    }
}

fn summary_text(report: &Report, head: Option<String>) -> String {
    let range = report.range.map(|(first, last)| format!(" from {first} to {last}"));
    let lines = [
        ("store", report.store.clone()),
        (
            "log",
            format!(
                "{} ({}), {}, {}{}, {}",
                plural(report.n_segments, "segment"),
                plural(report.n_archives, "archive"),
                plural(report.n_seals, "seal"),
                plural(report.n_records, "record"),
                range.unwrap_or_default(),
                plural(report.bytes, "byte"),
            ),
        ),
        ("index", plural(report.n_rows, "row")),
        (
            "blobs",
            format!(
                "{} ({}), {} unreferenced",
                report.n_blobs,
                plural(report.blob_bytes, "byte"),
                report.n_unreferenced
            ),
        ),
        ("spool", report.n_spooled.to_string()),
        ("rejected", report.n_rejected.to_string()),
        ("redacted", plural(report.n_redacted, "record")),
        ("head", head.unwrap_or_else(|| "not known".to_owned())),
    ];
    let mut text: String =
        lines.iter().map(|(name, value)| format!("{name:<9} {value}\n")).collect();
    match report.against {
        Some(Against::Found { upto }) => {
            text += &format!("against   the head once, of records up to {upto}\n");
        }
        Some(Against::Unknown) => text += "against   no seal has this hash\n",
        Some(Against::Pruned { first, last }) => {
            text +=
                &format!("against   not known: seals of records {first} to {last} were pruned\n");
        }
        None => {}
    }
    text + &format!("{}\n", plural(report.n_faults, "fault"))
}

fn summary_json(report: &Report, head: Option<String>) -> String {
    let number = |n: u64| Json::integer(n);
    let line = Json::object(|line| {
        let summary = Json::object(|object| {
            object.text("store", &report.store);
            object.json("segments", &number(report.n_segments));
            object.json("archives", &number(report.n_archives));
            object.json("seals", &number(report.n_seals));
            object.json("records", &number(report.n_records));
            if let Some((first, last)) = report.range {
                object.json("first", &number(first.get()));
                object.json("last", &number(last.get()));
            }
            object.json("bytes", &number(report.bytes));
            object.json("rows", &number(report.n_rows));
            object.json("blobs", &number(report.n_blobs));
            object.json("unreferenced", &number(report.n_unreferenced));
            object.json("spooled", &number(report.n_spooled));
            object.json("rejected", &number(report.n_rejected));
            object.json("redacted", &number(report.n_redacted));
            object.json("head", &head.map_or(Json::null(), |head| Json::text(&head)));
            if let Some(Against::Found { upto }) = report.against {
                object.json("against", &number(upto));
            }
            object.json("faults", &number(report.n_faults));
        });
        line.json("summary", &summary);
    });
    format!("{}\n", line.as_str())
}

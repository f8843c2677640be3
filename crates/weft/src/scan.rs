//! `weft scan`: secrets that are stored already, and taking them out.

use std::collections::BTreeMap;
use std::io;

use anyhow::Context as _;
use weft_event::json::Json;
use weft_log::log::{Hold, Indexing, Options};
use weft_log::redact::{Found, Mode, Report, Told, scan_store};

use crate::Outcome;
use crate::gauge::{Gauge, Unit};
use crate::output::{Format, plural, print_if_read, tell};
use crate::stores::{self, PATIENCE, StoreArgs, owner};

const EXAMPLES: &str = "\
Examples:
  weft scan                        where secrets are stored; none is shown
  weft scan --redact               take them out of the log, archives, blobs, rejected/, aside/ and prompts/
  weft scan --json | jq .found     let a program read what was found

What was found goes to stdout, one a line, as FILE: record POSITION: RULE.
Exit codes: 0 nothing was found or all of it was redacted, 1 something was found, 2 the store cannot be read or changed.";

/// Look for secrets that are stored already, and take them out
///
/// Applies the rules of the store to everything in it, whichever way it came. With --redact every secret is masked by something of
/// the same length, and a record in the log says which records changed, so that `weft verify` tells them from damage.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// Take out what is found; it cannot be brought back
    #[arg(long)]
    redact: bool,
    /// Print one JSON object a line: all that was found, then the summary
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let format = if args.json { Format::Json } else { Format::Text };
    let store = stores::open(&args.store.folder()?)?;
    let mode = match args.redact {
        true => {
            let (hold, indexing) = (Hold::Long, Indexing::Meanwhile);
            Mode::Redact(Options { owner: owner(), patience: PATIENCE, hold, indexing })
        }
        false => Mode::Look,
    };
    let mut gauge = Gauge::new("scanning", Unit::Bytes);
    let mut printed: io::Result<()> = Ok(());
    let mut by_rule: BTreeMap<String, u64> = BTreeMap::new();
    let report = scan_store(&store, &mode, &mut |told| match told {
        Told::Progress { bytes, total } => gauge.set(bytes, total),
        Told::Replaced(path) => {
            gauge.suspend(|| tell(format_args!("replaced {}", path.display())));
        }
        Told::Found(found) => {
            for rule in &found.rules {
                *by_rule.entry(rule.clone()).or_default() += 1;
            }
            if printed.is_ok() {
                printed = gauge.suspend(|| print_if_read(show(&found, format).as_bytes()));
            }
        }
    });
    drop(gauge);
    printed?;
    let report =
        report.with_context(|| format!("cannot scan the store {}", store.root().display()))?;
    print_if_read(summary(&report, &by_rule, format).as_bytes())?;
    let is_left = report.n_secrets > 0 && !args.redact;
    if is_left && format == Format::Text {
        tell(format_args!("`weft scan --redact` takes them out; give each secret a successor"));
    }
    Ok(if is_left { Outcome::Found } else { Outcome::Fine })
}

fn show(found: &Found, format: Format) -> String {
    let Found { part, path, position, rules } = found;
    match format {
        Format::Text => {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let record = position.map(|position| format!(" record {position}:"));
            format!(
                "{}/{file}:{} {}\n",
                part.as_str(),
                record.unwrap_or_default(),
                rules.join(", ")
            )
        }
        Format::Json => {
            let line = Json::object(|line| {
                let found = Json::object(|object| {
                    object.text("part", part.as_str());
                    object.text("path", &path.to_string_lossy());
                    if let Some(position) = position {
                        object.json("position", &Json::integer(position.get()));
                    }
                    object.json("rules", &Json::array(rules.iter().map(|rule| Json::text(rule))));
                });
                line.json("found", &found);
            });
            format!("{}\n", line.as_str())
        }
    }
}

fn summary(report: &Report, by_rule: &BTreeMap<String, u64>, format: Format) -> String {
    let Report { n_secrets, n_records, n_replaced } = *report;
    match format {
        Format::Text => {
            let rules: Vec<String> =
                by_rule.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
            let rules =
                if rules.is_empty() { String::new() } else { format!(" ({})", rules.join(", ")) };
            format!(
                "{}{rules} in {}, {} replaced\n",
                plural(n_secrets, "secret"),
                plural(n_records, "record"),
                plural(n_replaced, "file"),
            )
        }
        Format::Json => {
            let line = Json::object(|line| {
                let summary = Json::object(|object| {
                    object.json("secrets", &Json::integer(n_secrets));
                    object.json("records", &Json::integer(n_records));
                    object.json("replaced", &Json::integer(n_replaced));
                    let rules = Json::object(|object| {
                        by_rule.iter().for_each(|(rule, n)| object.json(rule, &Json::integer(*n)));
                    });
                    object.json("rules", &rules);
                });
                line.json("summary", &summary);
            });
            format!("{}\n", line.as_str())
        }
    }
}

//! `weft validate`: every event of every input is checked, every problem is told with its place.

mod report;

use std::io;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use weft_event::Dialect;
use weft_event::event::Expect;
use weft_event::validate::{Explain, Strictness, Subject, Validator};

use crate::inputs::{self, Input, Source};
use crate::output::{Format, Shown};
use crate::progress::Progress;
use crate::{Outcome, cli, output};
use report::Report;

const EXAMPLES: &str = "\
Examples:
  weft validate events.jsonl                 check one file
  weft validate logs/ --strict               check a folder, known deviations included
  tail -n 100 events.jsonl | weft validate   check what is piped in
  weft validate plan.json --as plan          check a document that is not an event
  weft validate --json logs/ | jq .code      let a program read the problems

Problems go to stdout, one a line, as file:line: pointer: message [code].
The summary goes to stderr.
Exit codes: 0 all is valid, 1 an error was found, 2 wrong use or unreadable input.";

/// Check events and tell every problem with its place
///
/// Reads files of any size, line by line; an event that is wrong never stops the rest. A folder is searched, with all folders
/// in it, for files named *.jsonl, *.ndjson and *.json. Without a file, standard input is read.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files, folders, or - for standard input
    #[arg(value_name = "FILE|DIR|-")]
    inputs: Vec<PathBuf>,
    /// Take every line for an event of this dialect instead of telling it by its shape
    #[arg(long, value_name = "DIALECT", value_parser = cli::dialect_parser())]
    dialect: Option<Dialect>,
    /// Check documents of the engine dialect that are not events, one a line or one a file
    #[arg(long = "as", value_name = "DOCUMENT", value_parser = PossibleValuesParser::new(Dialect::Engine.documents()).map(document_name))]
    document: Option<&'static str>,
    /// Treat warnings as errors
    #[arg(long)]
    strict: bool,
    /// Print one JSON object a line: every problem, then the summary
    #[arg(long)]
    json: bool,
    /// Say for every event how its dialect was settled
    #[arg(long)]
    explain: bool,
}

fn document_name(name: String) -> &'static str {
    let known = Dialect::Engine.documents().find(|known| *known == name);
    known.expect("only the names of documents pass")
}

struct Options {
    inputs: Vec<Input>,
    subject: Subject,
    strictness: Strictness,
    explain: Explain,
    format: Format,
}

impl Options {
    fn resolve(args: Args) -> anyhow::Result<Self> {
        let subject = match (args.document, args.dialect) {
            (None, None) => Subject::Event(Expect::Any),
            (None, Some(dialect)) => Subject::Event(Expect::Dialect(dialect)),
            (Some(name), None | Some(Dialect::Engine)) => {
                Subject::Document { dialect: Dialect::Engine, name }
            }
            (Some(name), Some(dialect)) => {
                anyhow::bail!("--as {name} is a document of engine, not of {}", dialect.as_str())
            }
        };
        Ok(Self {
            inputs: inputs::resolve(args.inputs)?,
            subject,
            strictness: if args.strict { Strictness::Strict } else { Strictness::Tolerant },
            explain: if args.explain { Explain::Yes } else { Explain::No },
            format: if args.json { Format::Json } else { Format::Text },
        })
    }
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let options = Options::resolve(args)?;
    let progress = Progress::new(inputs::total_bytes(&options.inputs));
    let mut report = Report::new(options.format, options.strictness, &progress);
    let mut validator = Validator::new(options.subject, options.strictness, options.explain);
    let mut is_unreadable = false;
    for source in inputs::open_all(&options.inputs) {
        let checked = match source {
            Ok(source) => check(source, &mut validator, &mut report),
            Err(error) => Err(Trouble::Input(error)),
        };
        match checked {
            Ok(()) => {}
            Err(Trouble::Input(error)) => {
                is_unreadable = true;
                progress.suspend(|| output::tell_error(&error));
            }
            Err(Trouble::Output(error)) => return stop(error, &validator),
        }
    }
    progress.finish();
    if let Err(error) = report.summary(validator.summary()) {
        return stop(error, &validator);
    }
    Ok(match (is_unreadable, validator.summary().has_errors()) {
        (true, _) => Outcome::Unreadable,
        (false, true) => Outcome::Found,
        (false, false) => Outcome::Fine,
    })
}

/// What ends the check of one source.
enum Trouble {
    /// It cannot be read further; the others can.
    Input(anyhow::Error),
    /// Nothing can be told any more.
    Output(io::Error),
}

fn check(
    source: Source,
    validator: &mut Validator,
    report: &mut Report<'_>,
) -> Result<(), Trouble> {
    let mut lines = validator.lines(report.progress().watch(source.bytes));
    let mut is_empty = true;
    let read = loop {
        match lines.read() {
            Ok(Some(item)) => {
                is_empty = false;
                let finding = validator.check(item);
                report.finding(&source.name, &finding).map_err(Trouble::Output)?;
            }
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    if is_empty && lines.n_seals() == 0 && read.is_ok() {
        let name = Shown(&source.name);
        report.progress().suspend(|| output::tell(format_args!("note: {name} has no events")));
    }
    validator.end_input(lines.n_seals());
    read.with_context(|| format!("cannot read {}", source.name)).map_err(Trouble::Input)
}

/// Ends early because output failed: quietly if whoever read it has seen enough.
fn stop(error: io::Error, validator: &Validator) -> anyhow::Result<Outcome> {
    match error.kind() {
        io::ErrorKind::BrokenPipe if validator.summary().has_errors() => Ok(Outcome::Found),
        io::ErrorKind::BrokenPipe => Ok(Outcome::Fine),
        _ => Err(anyhow::Error::new(error).context("cannot write the report")),
    }
}

//! `weft merge`: any number of inputs as one ordered stream on stdout, and what was found on the way on stderr.

mod report;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::PathBuf;

use anyhow::Context as _;
use weft_event::Dialect;
use weft_event::event::Expect;
use weft_event::input::Lines;
use weft_event::merge::{self, Merge};

use crate::inputs::{self, Input};
use crate::output::Format;
use crate::progress::Progress;
use crate::{Outcome, cli};
use report::Report;

/// How much memory a merge takes unless told otherwise, in MiB.
const MEMORY_MIB: u32 = 64;

const EXAMPLES: &str = "\
Examples:
  weft merge alpha.jsonl beta.jsonl > all.jsonl   put two logs into one order
  weft merge logs/ 2> report.txt                  merge a folder, keep what was found
  cat *.jsonl | weft merge --json                 order what is piped in, report as JSON

Each producer keeps its own order: by sequence in needle and engine, as written elsewhere. Time only orders producers among each other.
The report goes to stderr, one finding a line, as file:line: kind: producer: detail. Kinds: gap, repeat, conflict, backward, unreadable.
Exit codes: 0 all is well (plain repeats are left out and count as well), 1 something was found, 2 wrong use or unreadable input.";

/// Merge inputs into one ordered stream of events
///
/// Writes the events' own lines, each event once. Producers keep their own order whatever their clocks say; gaps, repeats and
/// steps back in it are told. The result is the same in whatever order the inputs are named. Inputs may be larger than memory. A
/// folder is searched, with all folders in it, for files named *.jsonl, *.ndjson and *.json. Without a file, standard input is read.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files, folders, or - for standard input
    #[arg(value_name = "FILE|DIR|-")]
    inputs: Vec<PathBuf>,
    /// Take every line for an event of this dialect instead of telling it by its shape
    #[arg(long, value_name = "DIALECT", value_parser = cli::dialect_parser())]
    dialect: Option<Dialect>,
    /// Report on stderr as one JSON object a line: every finding, then the summary
    #[arg(long)]
    json: bool,
    /// Sort this much in memory; what is beyond it goes to temporary files
    #[arg(long, value_name = "MIB", default_value_t = MEMORY_MIB, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    memory_mib: u32,
}

struct Options {
    inputs: Vec<Input>,
    merge: merge::Options,
    format: Format,
}

impl Options {
    fn resolve(args: Args) -> anyhow::Result<Self> {
        let mut paths = args.inputs;
        // Inputs are numbered as they are read, and the number breaks ties: how they were named must make no difference.
        paths.sort();
        paths.dedup();
        let expect = args.dialect.map_or(Expect::Any, Expect::Dialect);
        let memory_bytes = args.memory_mib as usize * (1 << 20);
        let format = if args.json { Format::Json } else { Format::Text };
        let inputs = inputs::resolve(paths)?;
        Ok(Self { inputs, merge: merge::Options { expect, memory_bytes }, format })
    }
}

/// A merge that keeps what does not fit in temporary files, which vanish with the process.
type FileMerge = Merge<File, fn() -> io::Result<File>>;

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let options = Options::resolve(args)?;
    let mut report = Report::new(options.format);
    let mut merge = FileMerge::new(options.merge, tempfile::tempfile);
    read_inputs(&options.inputs, &mut merge, &mut report)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut findings = merge.finish(&mut out).map_err(|error| match error {
        merge::Error::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => error.into(),
        other => anyhow::Error::new(other),
    })?;
    while let Some(finding) = findings.read().context("cannot read the findings back")? {
        report.finding(&finding);
    }
    let summary = findings.finish().context("cannot read the findings back")?;
    report.summary(&summary);
    Ok(match (report.n_errors(), summary.is_clean()) {
        (0, true) => Outcome::Fine,
        (0, false) => Outcome::Found,
        (1.., _) => Outcome::Unreadable,
    })
}

/// Reads every input once, as far as it can be read.
fn read_inputs(inputs: &[Input], merge: &mut FileMerge, report: &mut Report) -> anyhow::Result<()> {
    let progress = Progress::new(inputs::total_bytes(inputs));
    let mut seen = HashSet::new();
    for source in inputs::open_all(inputs) {
        let source = match source {
            Ok(source) => source,
            Err(error) => {
                progress.suspend(|| report.error(&error));
                continue;
            }
        };
        // One file counts once, by whatever names it is reached.
        let real = fs::canonicalize(&source.name).unwrap_or_else(|_| PathBuf::from(&source.name));
        if !seen.insert(real) {
            continue;
        }
        let input = report.add_input(&source.name)?;
        let mut lines = Lines::new(progress.watch(source.bytes));
        loop {
            match lines.read() {
                Ok(Some(item)) => merge.push(input, item)?,
                Ok(None) => break,
                Err(error) => {
                    let error =
                        anyhow::Error::new(error).context(format!("cannot read {}", source.name));
                    progress.suspend(|| report.error(&error));
                    break;
                }
            }
        }
    }
    progress.finish();
    Ok(())
}

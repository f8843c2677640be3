//! `weft convert`: every event of every input in another dialect, or in an envelope; what cannot be converted is told and skipped.

use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;

use anyhow::Context as _;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use weft_event::event::Expect;
use weft_event::idle::Mode;
use weft_event::input::Lines;
use weft_event::json::Json;
use weft_event::translate::{Converter, Fill, Note, Target};
use weft_event::{Dialect, time};

use crate::inputs::{self, Input, Source};
use crate::output::{self, Format, Shown};
use crate::{Outcome, cli};

const EXAMPLES: &str = "\
Examples:
  weft convert --to collector run.jsonl                  say it in another dialect
  weft convert --to pinchy --tenant acme run.jsonl       give what the events lack
  weft convert --to cloudevents logs/ > all.jsonl        put a folder into envelopes
  weft convert --to needle request.json                  open an OTLP request
  weft convert --to idle --mode loop --prompt-file $PWD/prompt.txt run.jsonl

Results go to stdout, one a line. What cannot be converted goes to stderr, as file:line: message [code].
Converted back to its own dialect, an event is what it was, byte for byte.
Exit codes: 0 all was converted, 1 something was told, 2 wrong use or unreadable input.";

/// Convert events to another dialect, to CloudEvents or to OTLP
///
/// The result is valid in the target and has the facts of the source: what the target has a field for goes into that field, the
/// rest, and the source itself, into one added object named `weft`. A target may demand what the source lacks; flags give it.
/// CloudEvents and OTLP export requests are opened by themselves. Without a file, standard input is read.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files, folders, or - for standard input
    #[arg(value_name = "FILE|DIR|-")]
    inputs: Vec<PathBuf>,
    /// What to convert to
    #[arg(long, value_name = "TARGET", value_parser = PossibleValuesParser::new(Target::WORDS).map(target))]
    to: Target,
    /// Take every line for an event of this dialect instead of telling it by its shape
    #[arg(long, value_name = "DIALECT", value_parser = cli::dialect_parser())]
    dialect: Option<Dialect>,
    /// Tell what could not be converted as one JSON object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    given: Given,
}

/// What the target may demand and an event may lack.
#[derive(clap::Args)]
#[command(next_help_heading = "For events that lack it")]
struct Given {
    /// The agent, worker, component or run that the event is about
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// The session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The tenant (pinchy demands one)
    #[arg(long, value_name = "ID")]
    tenant: Option<String>,
    /// When it happened, such as 2026-01-31T09:30:00Z
    #[arg(long, value_name = "TIME", value_parser = time_ns)]
    time: Option<i64>,
    /// The tool of a tool call
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// The bead, issue, step, task or job
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// idle: the mode of the loop
    #[arg(long, value_name = "MODE", value_parser = PossibleValuesParser::new(Mode::WORDS).map(mode))]
    mode: Option<Mode>,
    /// idle: how many iterations the loop may take [default: the mode's own]
    #[arg(long, value_name = "N")]
    max: Option<u64>,
    /// idle: the file that holds the prompt, as an absolute path
    #[arg(long, value_name = "FILE")]
    prompt_file: Option<String>,
    /// idle: which issues a grind loop takes
    #[arg(long, value_name = "QUERY")]
    filter: Option<String>,
    /// idle: the worktree of an issue loop, as an absolute path
    #[arg(long, value_name = "DIR")]
    worktree: Option<String>,
    /// idle: the branch of an issue loop
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// idle: what the branch started from
    #[arg(long, value_name = "NAME")]
    base_ref: Option<String>,
    /// idle: what an anchor is for
    #[arg(long, value_name = "TEXT")]
    goal: Option<String>,
    /// idle: how to go on from an anchor
    #[arg(long, value_name = "TEXT")]
    next_step: Option<String>,
}

fn target(word: String) -> Target {
    Target::parse(&word).expect("only the names of targets pass")
}

fn mode(word: String) -> Mode {
    Mode::parse(&word).expect("only the names of modes pass")
}

fn time_ns(text: &str) -> Result<i64, &'static str> {
    time::parse_rfc3339(text).ok_or("not an RFC 3339 time with an offset")
}

struct Options {
    inputs: Vec<Input>,
    to: Target,
    expect: Expect,
    fill: Fill,
    format: Format,
}

impl Options {
    fn resolve(args: Args) -> anyhow::Result<Self> {
        let given = args.given;
        Ok(Self {
            inputs: inputs::resolve(args.inputs)?,
            to: args.to,
            expect: args.dialect.map_or(Expect::Any, Expect::Dialect),
            fill: Fill {
                tenant: given.tenant,
                agent: given.agent,
                session: given.session,
                time_ns: given.time,
                tool: given.tool,
                task: given.task,
                mode: given.mode,
                max: given.max,
                prompt_file: given.prompt_file,
                filter: given.filter,
                worktree: given.worktree,
                branch: given.branch,
                base_ref: given.base_ref,
                goal: given.goal,
                next_step: given.next_step,
            },
            format: if args.json { Format::Json } else { Format::Text },
        })
    }
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let Options { inputs, to, expect, fill, format } = Options::resolve(args)?;
    let mut converter = Converter::new(to, expect, fill);
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut n_notes, mut is_unreadable) = (0, false);
    for source in inputs::open_all(&inputs) {
        let converted = match source {
            Ok(source) => convert(source, &mut converter, format, &mut out),
            Err(error) => Err(Trouble::Input(error)),
        };
        match converted {
            Ok(n) => n_notes += n,
            Err(Trouble::Input(error)) => {
                is_unreadable = true;
                output::tell_error(&error);
            }
            Err(Trouble::Output(error)) => return Err(error).context("cannot write"),
        }
    }
    out.flush().context("cannot write")?;
    Ok(match (is_unreadable, n_notes) {
        (true, _) => Outcome::Unreadable,
        (false, 0) => Outcome::Fine,
        (false, _) => Outcome::Found,
    })
}

/// What ends the conversion of one source.
enum Trouble {
    /// It cannot be read further; the others can.
    Input(anyhow::Error),
    /// Nothing can be written any more.
    Output(io::Error),
}

/// Converts one source; returns how much was told about it.
fn convert(
    source: Source,
    converter: &mut Converter,
    format: Format,
    out: &mut impl io::Write,
) -> Result<u64, Trouble> {
    converter.begin(&source.name);
    let mut lines = Lines::new(source.bytes);
    let mut n_notes = 0;
    loop {
        let item = lines.read().with_context(|| format!("cannot read {}", source.name));
        let Some(item) = item.map_err(Trouble::Input)? else { return Ok(n_notes) };
        let converted = converter.convert(item);
        for line in &converted.lines {
            writeln!(out, "{line}").map_err(Trouble::Output)?;
        }
        for note in &converted.notes {
            n_notes += 1;
            tell(&source.name, note, format);
        }
    }
}

fn tell(file: &str, note: &Note, format: Format) {
    let Note { number, code, problem, message } = note;
    match format {
        Format::Text => {
            let problem =
                problem.map_or(String::new(), |problem| format!(": {}", problem.as_str()));
            let text = format!("{file}:{number}: {message} [{}{problem}]", code.as_str());
            output::tell(format_args!("{}", Shown(&text)));
        }
        Format::Json => {
            let line = Json::object(|object| {
                object.text("file", file);
                object.json("line", &Json::integer(*number));
                object.text("code", code.as_str());
                problem.iter().for_each(|problem| object.text("problem", problem.as_str()));
                object.text("message", message);
            });
            output::tell(format_args!("{}", line.as_str()));
        }
    }
}

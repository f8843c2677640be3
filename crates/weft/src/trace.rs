//! `weft trace`: the spans of one trace as a tree, with what each took.

use weft_event::json::{Json, Object, Tape};
use weft_event::report::Report;
use weft_event::time::format_rfc3339;
use weft_log::query::{Found, Order, by_producer};
use weft_log::{Filter, Position};
use weft_view::Entry;
use weft_view::traces::{Branch, Span, Spans, Why, branches};

use crate::Outcome;
use crate::columns::{self, Columns};
use crate::output;
use crate::records::{self, Choice, End, Limit, Named, collect, quoted};
use crate::stores::StoreArgs;
use crate::times::{self, Clock, TimeArgs};

const EXAMPLES: &str = "\
Examples:
  weft trace 4bf92f3577b34da6          a trace by the beginning of its id
  weft trace 4bf92f3577b34da6 --json   one object a line for each span

A span takes as long as its events say; where they do not, from its first event to the last in it or below it.
Exit codes: 0, or 2 if there is no such trace, several begin so, or the store cannot be read.";

const TRACE: Named = Named { field: "trace", of: |facts| facts.trace.as_deref() };

/// Show one trace as a tree of its spans
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The trace's id, or the beginning of it
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    store: StoreArgs,
    /// Draw the tree with plain characters
    #[arg(long)]
    ascii: bool,
    /// Print one JSON object a line for each span, in the order of the tree
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    time: TimeArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let mut records = records::open(&args.store, &Filter::all())?;
    let id = records::resolve(&mut records, &TRACE, &args.id)?;
    let filter = Filter::parse(&format!("trace={}", quoted(&id)), 0)?;
    let choice = Choice {
        filter: &filter,
        range: Position::FIRST..=Position::new(u64::MAX).expect("it is not 0"),
        end: End::Oldest,
        limit: Limit::All,
        order: Order::Ascending,
    };
    let (found, walked) = collect(&mut records, &choice)?;
    let n_records = found.len();
    let spans = gather(&by_producer(found));
    let branches = branches(&spans);
    let text = if args.json {
        branches.iter().map(|branch| json(&spans, branch)).collect()
    } else {
        let strokes = if args.ascii { &ASCII } else { &LINES };
        let clock = Clock::new(args.time);
        let rows = branches.iter().map(|branch| row(&spans, branch, strokes, &clock));
        let mut columns = Columns::new(HEADER, columns::terminal_columns());
        let n_spans = spans.iter().filter(|span| span.id.is_some()).count();
        let (records, spans) = (plural(n_records, "record"), plural(n_spans, "span"));
        let title = format!("trace {}: {records}, {spans}\n", output::Shown(&id));
        title + &columns.render(rows.collect())
    };
    output::print(text.as_bytes())?;
    walked.lost.tell();
    Ok(Outcome::Fine)
}

/// Returns the spans of a trace's records.
fn gather(records: &[Found]) -> Vec<Span> {
    let mut spans = Spans::default();
    let mut tape = Tape::new();
    for found in records {
        let Some(event) = found.read(&mut tape) else { continue };
        let facts = event.facts();
        spans.add(&Entry {
            position: found.meta.position.get(),
            received_ns: found.meta.at_us.map_or(0, |at_us| at_us.saturating_mul(1000)),
            is_carried: false,
            facts: &facts,
            report: &Report::default(),
        });
    }
    spans.finish()
}

fn plural(n: usize, noun: &str) -> String {
    output::plural(n as u64, noun)
}

const HEADER: [&str; 5] = ["TIME", "DURATION", "ACTOR", "STATUS", "SPAN"];

/// What a tree is drawn with: a branch, the last branch, what goes on beside it, and what does not.
type Strokes = [&'static str; 4];
const LINES: Strokes = ["├─ ", "└─ ", "│  ", "   "];
const ASCII: Strokes = ["|- ", "`- ", "|  ", "   "];

fn row(spans: &[Span], branch: &Branch, strokes: &Strokes, clock: &Clock) -> Vec<String> {
    let span = &spans[branch.span_idx];
    let none = || "-".to_owned();
    let [fork, last, beside, blank] = strokes;
    let mut tree = String::new();
    if let Some((own, above)) = branch.are_last.split_last().filter(|(_, above)| !above.is_empty())
    {
        above[1..].iter().for_each(|is_last| tree += if *is_last { blank } else { beside });
        tree += if *own { last } else { fork };
    }
    let why = match &branch.why {
        Why::Root | Why::Child => String::new(),
        Why::Orphan { parent } => format!(" (its parent {parent} is not in the trace)"),
        Why::Circle { parent } => format!(" (its parent {parent} stands below it)"),
    };
    vec![
        span.start_ns.map_or_else(none, |ns| clock.brief(ns)),
        span.took_ms().map_or_else(none, times::duration),
        span.actor.clone().unwrap_or_else(none),
        span.status.map_or_else(none, |status| status.as_str().to_owned()),
        format!("{tree}{}{why}", span.label),
    ]
}

fn json(spans: &[Span], branch: &Branch) -> String {
    let span = &spans[branch.span_idx];
    let mut out = String::new();
    let mut object = Object::begin(&mut out);
    span.id.iter().for_each(|id| object.text("span", id));
    span.parent.iter().for_each(|parent| object.text("parent", parent));
    object.json("depth", &Json::integer(branch.depth as u64));
    match &branch.why {
        Why::Root | Why::Child => {}
        Why::Orphan { .. } => object.json("orphan", &Json::bool(true)),
        Why::Circle { .. } => object.json("circle", &Json::bool(true)),
    }
    object.text("what", &span.label);
    span.actor.iter().for_each(|actor| object.text("actor", actor));
    span.status.iter().for_each(|status| object.text("status", status.as_str()));
    span.start_ns.iter().for_each(|ns| object.text("start", &format_rfc3339(*ns)));
    span.end_ns.iter().for_each(|ns| object.text("end", &format_rfc3339(*ns)));
    if let Some(ms) = span.took_ms() {
        object.json("duration_ms", &Json::integer(ms));
    }
    let positions = span.positions.iter().map(|position| Json::integer(*position));
    object.json("positions", &Json::array(positions));
    object.end();
    out.push('\n');
    out
}

//! `weft trace`: the spans of one trace as a tree, and when each was, beside each other.

use weft_event::json::{Json, Object, Tape};
use weft_event::report::Report;
use weft_event::time::format_rfc3339;
use weft_log::filter::quoted;
use weft_log::query::{Found, Order};
use weft_log::{Filter, Position};
use weft_server::views::Moment;
use weft_view::Entry;
use weft_view::traces::{Branch, Span, Spans, Why, branches};

use crate::Outcome;
use crate::columns::{self, Columns};
use crate::follow::{self, Coming, Way};
use crate::output;
use crate::records::{self, Choice, End, Limit, Named, collect};
use crate::stores::StoreArgs;
use crate::times::{self, Clock, TimeArgs};

const EXAMPLES: &str = "\
Examples:
  weft trace 4bf92f3577b34da6          a trace by the beginning of its id
  weft trace 4bf92f3577b34da6 --at 2h  as it was two hours ago
  weft trace 4bf92f3577b34da6 --watch  as it grows, until Ctrl-C
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
    /// As it was at this position, or at this time (2h, 2026-11-15T09:30)
    #[arg(long, value_name = "POSITION|TIME")]
    at: Option<String>,
    /// Show it again whenever it changes, until Ctrl-C
    #[arg(long, conflicts_with = "at")]
    watch: bool,
    /// Print one JSON object a line for each span, in the order of the tree
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    time: TimeArgs,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let stop = args.watch.then(follow::listen).transpose()?;
    let clock = Clock::new(args.time);
    let moment = args.at.as_deref().map(|at| Moment::parse(at, clock.now_ns())).transpose()?;
    let mut records = records::open(&args.store, &Filter::all())?;
    let last = match moment {
        Some(moment) => moment.position(&args.store.store()?)?,
        None => Position::new(u64::MAX),
    };
    let id = records::resolve(&mut records, &TRACE, &args.id)?;
    let filter = Filter::parse(&format!("trace={}", quoted(&id)), 0)?;
    let choice = Choice {
        filter: &filter,
        // Where nothing was received by then, no position counts.
        range: last
            .map_or(Position::FIRST.plus(1)..=Position::FIRST, |last| Position::FIRST..=last),
        end: End::Oldest,
        limit: Limit::All,
        order: Order::Ascending,
    };
    let (found, walked) = collect(&mut records, &choice)?;
    let (store, from) = (args.store.store()?, records.head().next);
    let coming = stop.map(|stop| Coming { store, from, filter: filter.clone(), stop });
    drop(records);
    walked.lost.tell();
    let way = if args.json { Way::NewLines } else { Way::of_stdout() };
    follow::show(found, |found| text(&args, &id, &clock, found), way, coming)?;
    Ok(Outcome::Fine)
}

/// Returns the trace that records in the order of their producers make.
fn text(args: &Args, id: &str, clock: &Clock, found: &[Found]) -> String {
    let spans = gather(found);
    let branches = branches(&spans);
    if args.json {
        return branches.iter().map(|branch| json(&spans, branch)).collect();
    }
    let strokes = if args.ascii { &ASCII } else { &LINES };
    let window = window(&spans);
    let rows = branches.iter().map(|branch| row(&spans, branch, strokes, clock, window));
    let mut columns = Columns::new(HEADER, columns::terminal_columns());
    let n_spans = spans.iter().filter(|span| span.id.is_some()).count();
    let (records, spans) = (plural(found.len(), "record"), plural(n_spans, "span"));
    let title = format!("trace {}: {records}, {spans}\n", output::Shown(id));
    title + &columns.render(rows.collect())
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

const HEADER: [&str; 6] = ["TIME", "DURATION", "WHEN", "ACTOR", "STATUS", "SPAN"];

/// Columns that the whole of a trace takes.
const BAR_COLUMNS: i64 = 24;

/// What a tree is drawn with: a branch, the last branch, what goes on beside it, and what does not; and what a time is drawn with.
type Strokes = [&'static str; 5];
const LINES: Strokes = ["├─ ", "└─ ", "│  ", "   ", "━"];
const ASCII: Strokes = ["|- ", "`- ", "|  ", "   ", "="];

/// Returns when the first span of all begins and the last ends.
fn window(spans: &[Span]) -> Option<(i64, i64)> {
    let first = spans.iter().filter_map(|span| span.start_ns).min()?;
    let last = spans.iter().filter_map(|span| span.end_ns.max(span.start_ns)).max()?;
    Some((first, last))
}

/// Returns a bar that begins and ends where a span does within all of the trace.
fn bar(span: &Span, window: Option<(i64, i64)>, stroke: &str) -> String {
    let (Some((first, last)), Some(start)) = (window, span.start_ns) else { return String::new() };
    let length = i128::from(last - first).max(1);
    let column = |ns: i64| {
        let column = i128::from(ns - first) * i128::from(BAR_COLUMNS) / length;
        usize::try_from(column.clamp(0, i128::from(BAR_COLUMNS - 1))).unwrap_or_default()
    };
    let took_ms = span.took_ms().and_then(|ms| i64::try_from(ms).ok()).unwrap_or_default();
    let end = start.saturating_add(took_ms.saturating_mul(1_000_000));
    let (from, upto) = (column(start), column(end.saturating_sub(1).max(start)));
    format!("{}{}", " ".repeat(from), stroke.repeat(upto - from + 1))
}

fn row(
    spans: &[Span],
    branch: &Branch,
    strokes: &Strokes,
    clock: &Clock,
    window: Option<(i64, i64)>,
) -> Vec<String> {
    let span = &spans[branch.span_idx];
    let none = || "-".to_owned();
    let [fork, last, beside, blank, stroke] = strokes;
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
        bar(span, window, stroke),
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

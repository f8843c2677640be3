//! How fast each view folds events whose facts are read, and all of them together, beside parsing the events.

use std::hint::black_box;

use weft_event::demo::World;
use weft_event::event::{self, Event, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_event::report::Report;
use weft_event::{Facts, time};
use weft_view::decisions::Decisions;
use weft_view::errors::Errors;
use weft_view::files::Files;
use weft_view::fleet::Fleet;
use weft_view::gateway::Gateway;
use weft_view::loops::Loops;
use weft_view::runs::Runs;
use weft_view::sessions::Sessions;
use weft_view::traces::Traces;
use weft_view::usage::UsageBook;
use weft_view::work::Work;
use weft_view::{Entry, View, Views};

use super::{Args, START_NS};
use crate::bench::measured::Measured;

/// The bare parse that folding is compared with.
pub(super) const VALUE: &str = "serde_json::Value";
/// All views, from facts that are read.
pub(super) const ALL: &str = "all views";
/// One view each.
pub(super) const EACH: [&str; 11] = [
    Fleet::NAME,
    Sessions::NAME,
    Traces::NAME,
    Work::NAME,
    Decisions::NAME,
    Loops::NAME,
    Runs::NAME,
    Gateway::NAME,
    UsageBook::NAME,
    Files::NAME,
    Errors::NAME,
];

/// Measures; returns how many bytes an event has on average.
pub(super) fn measure(args: &Args, measured: &mut Measured) -> anyhow::Result<u64> {
    let n = args.events as usize;
    let lines: Vec<String> =
        World::new(args.seed, START_NS).take(n).map(|moment| moment.line).collect();
    let mut tapes: Vec<Tape> = lines.iter().map(|_| Tape::new()).collect();
    let mut problems = Problems::new();
    // Each keeps its tape, so that all facts can be borrowed at once.
    let events: Vec<Event<'_>> = tapes
        .iter_mut()
        .zip(&lines)
        .map(|(tape, line)| read(tape, line.as_bytes(), &mut problems))
        .collect();
    let facts: Vec<Facts<'_>> = events.iter().map(Event::facts).collect();
    let reports: Vec<Report<'_>> =
        events.iter().zip(&facts).map(|(event, facts)| event.report(facts)).collect();
    let entries: Vec<Entry<'_, '_>> = (1..).zip(facts.iter().zip(&reports)).map(entry).collect();
    for _ in 0..args.iterations {
        measured.time(VALUE, n, || parse_values(&lines))?;
        measured.time("weft, parse only", n, || parse_tapes(&lines))?;
        measured.time("weft, parse, validate, report", n, || read_all(&lines))?;
        one::<Fleet>(measured, &entries)?;
        one::<Sessions>(measured, &entries)?;
        one::<Traces>(measured, &entries)?;
        one::<Work>(measured, &entries)?;
        one::<Decisions>(measured, &entries)?;
        one::<Loops>(measured, &entries)?;
        one::<Runs>(measured, &entries)?;
        one::<Gateway>(measured, &entries)?;
        one::<UsageBook>(measured, &entries)?;
        one::<Files>(measured, &entries)?;
        one::<Errors>(measured, &entries)?;
        measured.time(ALL, n, || {
            let mut views = Views::default();
            entries.iter().for_each(|entry| views.apply(entry));
            black_box(&views);
            Ok(())
        })?;
        measured.end_round();
    }
    Ok((lines.iter().map(String::len).sum::<usize>() / n) as u64)
}

fn one<V: View>(measured: &mut Measured, entries: &[Entry<'_, '_>]) -> anyhow::Result<()> {
    measured.time(V::NAME, entries.len(), || {
        let mut view = V::default();
        entries.iter().for_each(|entry| view.apply(entry));
        black_box(&view);
        Ok(())
    })
}

fn entry<'e, 'a>(
    (position, (facts, report)): (u64, (&'e Facts<'a>, &'e Report<'a>)),
) -> Entry<'e, 'a> {
    let received_ns = facts.time_ns.unwrap_or(START_NS) + time::MILLI_NS;
    Entry { position, received_ns, is_carried: false, facts, report }
}

fn read<'a>(tape: &'a mut Tape, line: &'a [u8], problems: &mut Problems) -> Event<'a> {
    problems.clear();
    event::read(tape, line, Expect::Any, problems).expect("made-up events are valid")
}

fn parse_values(lines: &[String]) -> anyhow::Result<()> {
    for line in lines {
        black_box(serde_json::from_str::<serde_json::Value>(line)?);
    }
    Ok(())
}

fn parse_tapes(lines: &[String]) -> anyhow::Result<()> {
    let mut tape = Tape::new();
    for line in lines {
        black_box(tape.parse(line)?);
    }
    Ok(())
}

fn read_all(lines: &[String]) -> anyhow::Result<()> {
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    for line in lines {
        let event = read(&mut tape, line.as_bytes(), &mut problems);
        let facts = event.facts();
        black_box(&event.report(&facts));
    }
    Ok(())
}

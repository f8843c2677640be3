//! `weft gaps`: what is missing: positions of the log, and numbers that producers gave and nobody saw.

mod numbers;

use std::collections::BTreeMap;

use anyhow::Context as _;
use weft_event::event::{self, Expect};
use weft_event::json::{Json, Object, Tape};
use weft_event::problem::Problems;
use weft_event::{Dialect, order};
use weft_log::Position;
use weft_log::disk::RealDisk;
use weft_log::follow::Progress;
use weft_log::reader::{self, Reader};

use crate::Outcome;
use crate::output::{self, plural, tell};
use crate::records::Bar;
use crate::stores::StoreArgs;
use numbers::{Backward, Numbers};

const EXAMPLES: &str = "\
Examples:
  weft gaps                      what is missing in the whole log
  weft gaps --json | jq .kind    let a program read it

A number that came later than those behind it is not missing. Reads the whole log.
Exit codes: 0 nothing is missing, 1 something is, 2 wrong use or an unreadable store.";

/// Tell what is missing: positions of the log, and numbers of its producers
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// Print one JSON object a line: every finding, then the summary
    #[arg(long)]
    json: bool,
}

/// What was found.
#[derive(Default)]
struct Report {
    n_records: u64,
    lost: Vec<(Position, Position)>,
    /// What is gone between records that are there; what was pruned before the first is not told.
    pruned: Vec<(Position, Position)>,
    /// The last position so far that was pruned.
    pruned_upto: Option<Position>,
    producers: BTreeMap<String, Numbers>,
}

/// The numbers of a report.
struct Totals {
    n_lost: u64,
    n_missing: u64,
    n_backward: u64,
    n_late: u64,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let store = args.store.store()?;
    let unreadable = || format!("cannot read the store {}", store.root().display());
    let root = store.root().to_owned();
    let mut reader = Reader::open(RealDisk, root, Position::FIRST).with_context(unreadable)?;
    let report = read(&mut reader).with_context(unreadable)?;
    let totals = report.totals();
    let text = if args.json { report.json(&totals) } else { report.text() };
    output::print(text.as_bytes())?;
    for (first, last) in &report.pruned {
        let run = span(first.get(), last.get());
        tell(format_args!("note: position {run}: pruned, unless `weft verify` says otherwise"));
    }
    if !args.json {
        tell(format_args!("{}", report.summary(&totals)));
    }
    let is_whole = totals.n_lost + totals.n_missing + totals.n_backward == 0;
    Ok(if is_whole { Outcome::Fine } else { Outcome::Found })
}

fn read(reader: &mut Reader<RealDisk>) -> Result<Report, weft_log::reader::ReadError> {
    let mut report = Report::default();
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    let last = reader.head().last().map_or(0, Position::get);
    let mut bar = Bar::new("reading");
    let mut is_first = true;
    while let Some(batch) = reader.read()? {
        // What was pruned took numbers with it.
        if std::mem::take(&mut is_first) {
            report.pruned_upto = Position::new(batch.first().get() - 1);
        }
        for (first, last, reason) in batch.gaps() {
            if reason == reader::GONE {
                report.pruned.push((first, last));
                report.pruned_upto = Some(last);
            } else {
                report.lost.push((first, last));
            }
        }
        for (record, _) in batch.records() {
            report.n_records += 1;
            let mark = record.meta.mark.as_ref();
            let expect = mark.map_or(Expect::Any, |mark| Expect::Dialect(mark.dialect));
            problems.clear();
            let event = event::read(&mut tape, record.line, expect, &mut problems);
            // A record that was carried forward stands where its producer did not put it.
            if let Some(event) = event.filter(|_| mark.is_none_or(|mark| mark.carried.is_none())) {
                let facts = event.facts();
                let producer = order::producer(&facts);
                if let Some(number) = producer.number(facts.order) {
                    report.see(&producer, number, record.meta.position);
                }
            }
        }
        bar.show(Progress { position: batch.mileage.next.get() - 1, last });
    }
    Ok(report)
}

impl Report {
    fn see(&mut self, producer: &order::Producer<'_>, number: u64, position: Position) {
        let name = producer.to_string();
        let dialect: Dialect = producer.dialect;
        let numbers = self.producers.entry(name).or_insert_with(|| Numbers::new(dialect));
        numbers.see(number, position, self.pruned_upto);
    }

    fn totals(&self) -> Totals {
        let sum = |count: fn(&Numbers) -> u64| self.producers.values().map(count).sum();
        let run = |(first, last): &(Position, Position)| last.get() - first.get() + 1;
        Totals {
            n_lost: self.lost.iter().map(run).sum(),
            n_missing: sum(Numbers::n_missing),
            n_backward: sum(|numbers| numbers.n_backward),
            n_late: sum(|numbers| numbers.n_late),
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (first, last) in &self.lost {
            text += &format!("position {}: damaged\n", span(first.get(), last.get()));
        }
        for (producer, numbers) in &self.producers {
            for (first, last) in numbers.missing() {
                text += &format!("{producer}: {} missing\n", span(first, last));
            }
            let n_more = numbers.n_missing_unlisted;
            if n_more > 0 {
                text += &format!("{producer}: {} more missing\n", plural(n_more, "number"));
            }
            for Backward { number, after, position } in &numbers.backward {
                text += &format!("{producer}: {number} after {after}, at position {position}\n");
            }
        }
        text
    }

    fn json(&self, totals: &Totals) -> String {
        let mut out = String::new();
        let mut add = |kind: &str, producer: Option<&str>, members: &[(&str, u64)]| {
            let mut object = Object::begin(&mut out);
            object.text("kind", kind);
            producer.iter().for_each(|producer| object.text("producer", producer));
            members.iter().for_each(|(name, n)| object.json(name, &Json::integer(*n)));
            object.end();
            out.push('\n');
        };
        for (first, last) in &self.lost {
            add("lost", None, &[("first", first.get()), ("last", last.get())]);
        }
        for (producer, numbers) in &self.producers {
            for (first, last) in numbers.missing() {
                add("missing", Some(producer), &[("first", first), ("last", last)]);
            }
            for Backward { number, after, position } in &numbers.backward {
                let members =
                    [("number", *number), ("after", *after), ("position", position.get())];
                add("backward", Some(producer), &members);
            }
        }
        let members = [
            ("records", self.n_records),
            ("producers", self.producers.len() as u64),
            ("lost", totals.n_lost),
            ("missing", totals.n_missing),
            ("backward", totals.n_backward),
            ("late", totals.n_late),
        ];
        add("summary", None, &members);
        out
    }

    fn summary(&self, totals: &Totals) -> String {
        let Totals { n_lost, n_missing, n_backward, n_late } = totals;
        let records = plural(self.n_records, "record");
        let producers = plural(self.producers.len() as u64, "numbered producer");
        format!(
            "{records}, {producers}: {n_lost} lost, {n_missing} missing, {n_backward} backward, {n_late} late"
        )
    }
}

/// Returns a run of numbers.
fn span(first: u64, last: u64) -> String {
    if first == last { first.to_string() } else { format!("{first} to {last}") }
}

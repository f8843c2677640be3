//! Measures the index: following, rebuilding, opening and looking up, at a number of made-up events.
//!
//! `cargo run --release -p weft-log --example index_speed -- [EVENTS] [PER_TRANSACTION] [follow|rebuild|text|all] [FOLDER]`

use std::path::Path;
use std::time::Instant;

use weft_event::json::Tape;
use weft_event::{Dialect, detect};
use weft_log::index::{
    Entry, Follower, Index, IndexError, Order, Place, Reader, Rebuild, Segment, Select, SqlValue,
    Watermark,
};
use weft_log::{Filter, Hash, Mark, Meta, Position, filter};

const STORE: &str = "00000000-0000-7000-8000-000000000000";
/// Events are made in advance this many at a time, so that making them is not measured.
const MADE_TOGETHER: usize = 200_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let n_events: usize = args.first().map_or(Ok(1_000_000), |n| n.parse())?;
    let per_transaction: usize = args.get(1).map_or(Ok(5_000), |n| n.parse())?;
    let what = args.get(2).map_or("all", |what| what);
    let folder = tempfile::tempdir_in(args.get(3).map_or(".", |folder| folder))?;
    let path = folder.path().join("index.db");
    if matches!(what, "follow" | "all" | "text") {
        follow(&path, n_events, per_transaction, what == "text")?;
        look_up(&path)?;
    }
    if matches!(what, "rebuild" | "all") {
        rebuild(&path, n_events)?;
        look_up(&path)?;
    }
    Ok(())
}

fn follow(
    path: &Path,
    n_events: usize,
    per_transaction: usize,
    with_text: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut index = Index::open(path, STORE)?;
    let (mut spent, mut text_spent) = (Spent::default(), Spent::default());
    let mut longest = 0.0_f64;
    for_each_part(n_events, |part| {
        let entries = part.entries();
        spent.time("follow", entries.len(), || {
            entries.chunks(per_transaction).try_for_each(|some| {
                let begin = Instant::now();
                index.add(some, &[], upto(some))?;
                longest = longest.max(begin.elapsed().as_secs_f64());
                Ok(())
            })
        })?;
        if !with_text {
            return Ok(());
        }
        text_spent.time("text", entries.len(), || {
            entries.chunks(per_transaction).try_for_each(|some| index.add_text(some, upto(some)))
        })
    })?;
    let begin = Instant::now();
    drop(index);
    report("close", begin);
    eprintln!("longest transaction: {:.0} ms", longest * 1e3);
    spent.total(path)
}

fn rebuild(path: &Path, n_events: usize) -> Result<(), Box<dyn std::error::Error>> {
    let mut rebuild = Rebuild::begin(path, STORE)?;
    rebuild.add_segment(Segment {
        number: 1,
        name: "events".to_owned(),
        first: Position::FIRST,
    })?;
    let mut spent = Spent::default();
    for_each_part(n_events, |part| {
        let entries = part.entries();
        spent.time("rebuild", entries.len(), || rebuild.add(&entries, &[], upto(&entries)))
    })?;
    spent.time("finish", 0, || rebuild.finish())?;
    spent.total(path)
}

fn look_up(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let (mut to_write, mut to_read) = (f64::MAX, f64::MAX);
    for _ in 0..20 {
        let begin = Instant::now();
        let index = Index::open(path, STORE)?;
        to_write = to_write.min(begin.elapsed().as_secs_f64() * 1e3);
        drop(index);
        let begin = Instant::now();
        let reader = Reader::open(path)?;
        to_read = to_read.min(begin.elapsed().as_secs_f64() * 1e3);
        drop(reader);
    }
    eprintln!("open, best of 20: to write {to_write:.3} ms, to read {to_read:.3} ms");
    let reader = Reader::open(path)?;
    let mut sample = Vec::new();
    let begin = Instant::now();
    let mut n_keys = 0_u64;
    reader.each_key(|key| {
        n_keys += 1;
        if key % 1_009 == 0 && sample.len() < 1_000 {
            sample.push(key);
        }
    })?;
    report(&format!("{n_keys} keys read"), begin);
    for keys in [&sample[..1], &sample[..1], &sample] {
        let begin = Instant::now();
        let found = reader.candidates(keys)?.len();
        report(&format!("{} keys looked up, {found} found", keys.len()), begin);
    }
    let last = reader.watermark(Follower::Core)?.position;
    let range = Position::FIRST..=Position::new(last).expect("something was indexed");
    let mut filters = Vec::new();
    for column in ["trace", "task", "session", "actor", "type"] {
        let newest = format!(
            "SELECT {column} FROM events WHERE +{column} IS NOT NULL ORDER BY position DESC LIMIT 1"
        );
        reader.sql(&newest, |_, row| {
            if let SqlValue::Text(text) = &row[0] {
                filters.push(format!("{column}={text:?}"));
            }
            std::ops::ControlFlow::Break(())
        })?;
    }
    filters.extend(
        ["type=bead.*", "type=none", "time>=2026-03-02T09:00", "time<2026-03-02T09:00"]
            .map(str::to_owned),
    );
    for filter in filters {
        let plan = Filter::parse(&filter, 0)?.plan();
        let params: Vec<SqlValue> = plan.params.iter().filter_map(param).collect();
        let select = Select { condition: &plan.sql, params: &params, range: range.clone() };
        for order in [Order::Ascending, Order::Descending] {
            let begin = Instant::now();
            let n = reader.rows_with(&plan.demands, &select, order, 100)?.len();
            report(&format!("{n} of {filter}, {order:?}"), begin);
        }
    }
    let begin = Instant::now();
    let stats = reader.stats()?;
    report(&format!("stats: {} records, {} types", stats.n_records, stats.types.len()), begin);
    Ok(())
}

fn param(value: &filter::SqlValue) -> Option<SqlValue> {
    match value {
        filter::SqlValue::Text(text) => Some(SqlValue::Text(text.clone())),
        filter::SqlValue::Integer(number) => Some(SqlValue::Integer(*number)),
        filter::SqlValue::Real(number) => Some(SqlValue::Real(*number)),
        filter::SqlValue::TextWatermark => None,
    }
}

/// Events made in advance.
struct Part {
    lines: Vec<String>,
    metas: Vec<Meta>,
    places: Vec<Place>,
}

impl Part {
    fn entries(&self) -> Vec<Entry<'_>> {
        let rows = self.lines.iter().zip(&self.metas).zip(&self.places);
        rows.map(|((line, meta), place)| Entry { meta, place: *place, line: line.as_bytes() })
            .collect()
    }
}

fn for_each_part(
    n_events: usize,
    mut each: impl FnMut(&Part) -> Result<(), IndexError>,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut events = weft_event::sample::events(7);
    let mut tape = Tape::new();
    let (mut position, mut offset) = (Position::FIRST, 0);
    let mut n_left = n_events;
    while n_left > 0 {
        let lines: Vec<String> = events.by_ref().take(n_left.min(MADE_TOGETHER)).collect();
        let mut part = Part { lines, metas: Vec::new(), places: Vec::new() };
        for line in &part.lines {
            let dialect = match detect::detect(tape.parse_bytes(line.as_bytes())?) {
                detect::Detection::Is(dialect) => dialect,
                detect::Detection::Unknown | detect::Detection::Ambiguous(_) => Dialect::Weft,
            };
            let mark = Mark {
                dialect,
                via: "ingest".into(),
                crc: crc32c::crc32c(line.as_bytes()),
                delivery: None,
                topic: None,
                carried: None,
                conflict: None,
            };
            let at_us = 1_794_000_000_000_000 + position.get() as i64;
            part.metas.push(Meta { position, at_us: Some(at_us), mark: Some(mark) });
            part.places.push(Place { segment: 1, offset, bytes: line.len() as u32 });
            position = position.plus(1);
            offset += line.len() as u64 + 1;
        }
        each(&part)?;
        n_left -= part.lines.len();
    }
    Ok(())
}

fn upto(entries: &[Entry<'_>]) -> Watermark {
    let last = entries.last().expect("a part is never empty");
    let offset = last.place.offset + u64::from(last.place.bytes) + 1;
    Watermark { position: last.meta.position.get(), segment: 1, offset, hash: Hash::ZERO }
}

/// What was measured so far.
#[derive(Default)]
struct Spent {
    seconds: f64,
    n: usize,
}

impl Spent {
    /// Measures some work: time passed, and time that the two threads were on a processor, which says more on a busy machine.
    fn time(
        &mut self,
        what: &str,
        n: usize,
        work: impl FnOnce() -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let before = (main_thread_ns(), process_ns());
        let begin = Instant::now();
        work()?;
        let seconds = begin.elapsed().as_secs_f64();
        self.seconds += seconds;
        self.n += n;
        let each = |ns: f64| if n == 0 { ns / self.n as f64 } else { ns / n as f64 };
        let parsing_ns = main_thread_ns() - before.0;
        let parsing = each(parsing_ns);
        let inserting = each(process_ns() - before.1 - parsing_ns);
        eprintln!(
            "{what} {n:>7} in {seconds:>6.2} s: {:>7.0}/s; busy per event: parsing {parsing:>5.0} ns, inserting {inserting:>6.0} ns; {} in all",
            n as f64 / seconds,
            self.n,
        );
        Ok(())
    }

    fn total(&self, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
        let bytes = std::fs::metadata(path)?.len() as f64 / self.n as f64;
        eprintln!("total: {:.0}/s, {bytes:.0} bytes each", self.n as f64 / self.seconds);
        Ok(())
    }
}

fn report(what: &str, begin: Instant) {
    eprintln!("{what}: {:.3} ms", begin.elapsed().as_secs_f64() * 1e3);
}

/// Returns how long this thread was on a processor, in nanoseconds; 0 where the system does not say.
fn main_thread_ns() -> f64 {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    times.split_whitespace().next().and_then(|ns| ns.parse().ok()).unwrap_or(0.0)
}

/// Returns how long all threads were on a processor, those that have ended too, in nanoseconds; 0 where the system does not say.
fn process_ns() -> f64 {
    const TICK_NS: f64 = 1e7;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() * TICK_NS
}

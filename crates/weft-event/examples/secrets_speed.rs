//! Measures the search for secrets: nanoseconds for an event, beside the cost of reading it.
//!
//! `cargo run --release -p weft-event --example secrets_speed -- [FILE.jsonl]`; made-up events where no file is named.

use std::hint::black_box;
use std::time::Instant;

use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_event::sample::events;
use weft_event::secrets::{Rules, find, redact};

const PASSES: usize = 100;

fn main() -> std::io::Result<()> {
    let lines: Vec<Vec<u8>> = match std::env::args().nth(1) {
        Some(path) => {
            std::fs::read(path)?.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
        }
        None => events(1).take(10_000).map(String::into_bytes).collect(),
    };
    let n_bytes: usize = lines.iter().map(Vec::len).sum();
    let begin = Instant::now();
    let rules = Rules::default();
    eprintln!("rules made in {:.1} us", begin.elapsed().as_secs_f64() * 1e6);
    eprintln!("{} events, {} bytes each", lines.len(), n_bytes / lines.len());

    let mut found = Vec::new();
    let mut n_found = 0;
    best("find", &lines, |line| {
        find(line, &rules, &mut found);
        n_found += found.len();
    });
    eprintln!("{} found in a pass", n_found / PASSES);
    let mut matched = Vec::new();
    best("redact", &lines, |line| drop(black_box(redact(line, &rules, &mut matched))));
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    best("read", &lines, |line| {
        problems.clear();
        black_box(event::read(&mut tape, line, Expect::Any, &mut problems));
    });
    Ok(())
}

fn best(what: &str, lines: &[Vec<u8>], mut each: impl FnMut(&[u8])) {
    let passes = (0..PASSES).map(|_| {
        let begin = Instant::now();
        lines.iter().for_each(|line| each(line));
        begin.elapsed().as_secs_f64()
    });
    let least = passes.fold(f64::INFINITY, f64::min);
    eprintln!("{what:8} {:7.1} ns an event", least * 1e9 / lines.len() as f64);
}

//! The contest: every contestant goes over the whole corpus in turn, round after round, so that a slow moment of the machine hits
//! all of them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;

use super::corpus::Corpus;

/// Who takes part, and what it does with the corpus. Returns how many events it found good.
pub(crate) struct Contestant {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) pass: Box<dyn FnMut(&Corpus) -> usize>,
}

/// How long the rounds of one contestant took.
pub(crate) struct Outcome {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Shortest first.
    times: Vec<Duration>,
}

impl Outcome {
    pub(crate) fn best(&self) -> Duration {
        self.times[0]
    }

    pub(crate) fn median(&self) -> Duration {
        self.times[self.times.len() / 2]
    }
}

pub(crate) const FLOOR: &str = "split + UTF-8";
pub(crate) const VALUE: &str = "serde_json::Value";
pub(crate) const VALUE_AND_SCHEMA: &str = "Value + jsonschema";
pub(crate) const WEFT_PARSE: &str = "weft, parse only";
pub(crate) const WEFT: &str = "weft";

/// Runs the rounds.
///
/// # Panics
/// If a contestant finds an event bad: all of them are good, so it did not do its work.
pub(crate) fn run(
    corpus: &Corpus,
    mut contestants: Vec<Contestant>,
    rounds: usize,
) -> Vec<Outcome> {
    let mut times: Vec<Vec<Duration>> = contestants.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for (contestant, times) in contestants.iter_mut().zip(&mut times) {
            let start = Instant::now();
            let n_good = black_box((contestant.pass)(black_box(corpus)));
            times.push(start.elapsed());
            assert_eq!(n_good, corpus.n_events(), "{} found events bad", contestant.name);
        }
    }
    let outcome = |(contestant, mut times): (&Contestant, Vec<Duration>)| {
        times.sort_unstable();
        Outcome { name: contestant.name, about: contestant.about, times }
    };
    contestants.iter().zip(times).map(outcome).collect()
}

/// Returns the contestants that are always there, slowest idea last.
pub(crate) fn built_in() -> Vec<Contestant> {
    #[cfg_attr(not(feature = "peers"), expect(unused_mut, reason = "only a peer is added"))]
    let mut all = vec![
        Contestant {
            name: FLOOR,
            about: "find the lines, check the encoding",
            pass: Box::new(floor),
        },
        Contestant {
            name: WEFT_PARSE,
            about: "one pass over the grammar, nothing else",
            pass: Box::new(weft_parse()),
        },
        Contestant {
            name: WEFT,
            about: "detect, validate, read the facts",
            pass: Box::new(weft()),
        },
        Contestant {
            name: VALUE,
            about: "parse into a tree, validate nothing",
            pass: Box::new(value),
        },
    ];
    #[cfg(feature = "peers")]
    all.push(Contestant {
        name: VALUE_AND_SCHEMA,
        about: "parse into a tree, validate in the known dialect",
        pass: Box::new(super::peers::jsonschema()),
    });
    all
}

fn floor(corpus: &Corpus) -> usize {
    match std::str::from_utf8(corpus.text().as_bytes()) {
        Ok(text) => text.lines().filter(|line| !black_box(line).is_empty()).count(),
        Err(_) => 0,
    }
}

fn value(corpus: &Corpus) -> usize {
    let parse = |line| serde_json::from_slice::<serde_json::Value>(line);
    corpus.events().filter(|(_, line)| black_box(parse(line)).is_ok()).count()
}

fn weft_parse() -> impl FnMut(&Corpus) -> usize {
    let mut tape = Tape::new();
    move |corpus| {
        corpus.events().filter(|(_, line)| black_box(tape.parse_bytes(line)).is_ok()).count()
    }
}

fn weft() -> impl FnMut(&Corpus) -> usize {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    move |corpus| {
        let mut n_good = 0;
        for (_, line) in corpus.events() {
            problems.clear();
            let event = event::read(&mut tape, line, Expect::Any, &mut problems);
            if let Some(event) = event.filter(|_| !problems.has_errors()) {
                // By reference: whoever reads facts has no need to move them.
                black_box(&event.facts());
                n_good += 1;
            }
        }
        n_good
    }
}

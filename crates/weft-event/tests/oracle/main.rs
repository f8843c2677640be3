//! The validator against an oracle: the `jsonschema` crate on the schemas that Weft prints, over mutated events.
//!
//! A line is valid by the schema exactly when Weft finds no problem that a schema can express. Where a key stands twice the two
//! cannot be compared, as a JSON tree keeps one of them; there Weft must report the repeat.

mod compare;
mod dice;
mod formats;
mod mutate;
mod start;
mod tree;

use compare::{Oracle, Tally};
use dice::Dice;
use mutate::Words;
use weft_event::Dialect;

/// Lines per run, over all dialects.
const CASES: u64 = 120_000;
const CASES_LONG: u64 = 2_000_000;

/// Of a dialect's lines, at least so many in a hundred must be valid, and as many invalid.
const SHARE_MIN: u64 = 20;

const SEED: u64 = 0x5EED_0001;

fn seed() -> u64 {
    std::env::var("WEFT_TEST_SEED")
        .map_or(SEED, |text| text.parse().expect("WEFT_TEST_SEED is a number"))
}

fn n_cases() -> u64 {
    match std::env::var("WEFT_TEST_EFFORT") {
        Ok(effort) if effort == "long" => CASES_LONG,
        Ok(_) | Err(_) => CASES,
    }
}

#[test]
fn schema_and_validator_agree_on_mutated_events() {
    let seed = seed();
    let dialects: Vec<_> = Dialect::ALL
        .iter()
        .copied()
        .filter(|dialect| !dialect.taxonomy().rows().is_empty())
        .collect();
    let per_dialect = n_cases().div_ceil(dialects.len() as u64);
    let mut total = 0;
    for &dialect in &dialects {
        let oracle = Oracle::of_events(dialect, &dialect.schema());
        let tally = run(&oracle, seed, per_dialect, |dice| start::event(dialect, dice));
        println!("seed {seed}: {}: {tally}", dialect.as_str());
        tally.assert_balanced(SHARE_MIN);
        total += tally.n_lines;
    }
    println!("seed {seed}: {total} events");
    assert!(total >= 100_000, "{total} events are too few");
}

#[test]
fn schema_and_validator_agree_on_mutated_documents() {
    let seed = seed();
    for &dialect in Dialect::ALL {
        for name in dialect.documents() {
            let schema = dialect.document_schema(name).expect("the name is the dialect's own");
            let oracle = Oracle::of_documents(dialect, name, &schema);
            let tally =
                run(&oracle, seed, n_cases() / 60, |dice| start::document(dialect, name, dice));
            println!("seed {seed}: {} {name}: {tally}", dialect.as_str());
            tally.assert_balanced(SHARE_MIN);
        }
    }
}

/// A comparison that could not fail would prove nothing: with one requirement taken out of the schema it must fail.
#[test]
fn a_wrong_schema_is_found_out() {
    let right = Dialect::Collector.schema();
    let wrong = right.replacen(r#""timestamp","agent_id"]"#, r#""timestamp"]"#, 1);
    assert_ne!(right, wrong, "the schema no longer lists agent_id last among the required");
    let oracle = Oracle::of_events(Dialect::Collector, &wrong);
    let mut dice = Dice::new(SEED);
    let words = Words::of_schema(&wrong);
    let disagreement = (0..5_000).find_map(|_| {
        let line = mutate::line(&start::event(Dialect::Collector, &mut dice), &words, &mut dice);
        oracle.compare(&line).err()
    });
    let report = disagreement.expect("no event lacked its agent_id").to_string();
    assert!(report.contains("/agent_id: `agent_id` is missing"), "{report}");
}

fn run(oracle: &Oracle, seed: u64, n: u64, mut start: impl FnMut(&mut Dice) -> String) -> Tally {
    let mut dice = Dice::new(seed);
    let words = Words::of_schema(oracle.schema());
    let mut tally = Tally::default();
    for _ in 0..n {
        let line = mutate::line(&start(&mut dice), &words, &mut dice);
        match oracle.compare(&line) {
            Ok(verdict) => tally.count(verdict),
            Err(disagreement) => panic!("seed {seed}: {disagreement}"),
        }
    }
    tally
}

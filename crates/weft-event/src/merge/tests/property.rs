//! Random inputs against the model.

use proptest::prelude::{Just, Strategy};
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use proptest::{collection, option, prop_assert, prop_assert_eq};

use super::{Finding, Kind, Sample, merge, model};
use crate::Dialect;

const N_CASES: u32 = 1000;
const SEED: [u8; 32] = *b"one thread that crosses them all";
const N_INPUTS: usize = 4;

/// Runs a property on random events, each with the input it goes to.
fn check(property: impl Fn(Vec<Vec<Sample>>, Vec<usize>, usize) -> Result<(), TestCaseError>) {
    println!("{N_CASES} cases, seed {SEED:?}");
    let config = Config { cases: N_CASES, failure_persistence: None, ..Config::default() };
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &SEED));
    let read_order = Just((0..N_INPUTS).collect::<Vec<_>>()).prop_shuffle();
    let cases = (
        collection::vec((0..N_INPUTS, event()), 0..40),
        read_order,
        select(vec![0, 900, 4000, 1 << 20]),
    );
    let run = |(events, read_order, memory_bytes): (Vec<(usize, Sample)>, _, _)| {
        let mut inputs = vec![Vec::new(); N_INPUTS];
        for (idx, (input, mut sample)) in events.into_iter().enumerate() {
            sample.line = format!("{idx}");
            inputs[input].push(sample);
        }
        property(inputs, read_order, memory_bytes)
    };
    runner.run(&cases, run).unwrap();
}

fn event() -> impl Strategy<Value = Sample> {
    let dialects =
        vec![Dialect::Needle, Dialect::Needle, Dialect::Engine, Dialect::Collector, Dialect::Idle];
    let who = (
        select(dialects),
        option::weighted(0.8, select(vec!["a", "b", "a\0"])),
        option::weighted(0.8, select(vec!["s", "t", "u"])),
    );
    let when = (option::weighted(0.9, 0..9u64), option::weighted(0.85, -3..12i64));
    let keys = (option::weighted(0.3, (0..6u8, 0..3u8)), option::weighted(0.1, 0..4u8));
    (who, when, keys).prop_map(|((dialect, actor, session), (number, time_ns), (own, retry))| {
        let number = number.filter(|_| matches!(dialect, Dialect::Needle | Dialect::Engine));
        Sample { dialect, actor, session, number, time_ns, own, retry, line: String::new() }
    })
}

#[test]
fn a_merge_is_what_the_model_says() {
    check(|inputs, read_order, memory_bytes| {
        prop_assert_eq!(merge(&inputs, &read_order, memory_bytes), model::merge(&inputs));
        Ok(())
    });
}

#[test]
fn merging_what_is_merged_changes_nothing() {
    check(|mut inputs, read_order, memory_bytes| {
        // Where an event without time or name stands is a matter of what stands before it, which a merge may change.
        for input in &mut inputs {
            input.retain(|sample| sample.time_ns.is_some() && sample.producer().is_named());
            // Random keys make repeats of another session and time than their original's, which numbered events never are.
            let numbered = input.iter_mut().filter(|sample| sample.number.is_some());
            numbered.for_each(|sample| (sample.own, sample.retry) = (None, None));
        }
        let (lines, findings, _) = merge(&inputs, &read_order, memory_bytes);
        let by_line =
            |line: &String| inputs.iter().flatten().find(|sample| sample.line == *line).cloned();
        let merged: Vec<Sample> = lines.iter().filter_map(by_line).collect();
        let (again, findings_again, _) = merge(&[merged], &[0], memory_bytes);
        prop_assert_eq!(again, lines);
        let n_gaps = |findings: &[Finding]| {
            findings.iter().filter(|f| matches!(f.kind, Kind::Gap { .. })).count()
        };
        prop_assert_eq!(n_gaps(&findings_again), n_gaps(&findings));
        let settled =
            |finding: &Finding| matches!(finding.kind, Kind::Gap { .. } | Kind::Conflict { .. });
        prop_assert!(findings_again.iter().all(settled), "{:?}", findings_again);
        Ok(())
    });
}

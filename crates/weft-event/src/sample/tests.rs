//! What users of the samples rely on: valid without a warning, the same for the same seed, every type soon, realistic sizes.

use std::collections::BTreeSet;

use super::{document, events, of_type};
use crate::Dialect;
use crate::event::{self, Expect};
use crate::json::Tape;
use crate::problem::Problems;
use crate::testing::{check, show};

#[test]
fn every_type_of_every_dialect_is_valid_without_a_warning_and_is_detected() {
    for &dialect in Dialect::ALL {
        for row in dialect.taxonomy().rows() {
            for seed in 0..40 {
                let line = of_type(dialect, row.name, seed);
                let mut tape = Tape::new();
                let mut problems = Problems::new();
                let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems);
                assert_eq!(show(&problems), "fine", "{} {}: {line}", dialect.as_str(), row.name);
                let event = event.expect("a line without problems is an event");
                assert_eq!(event.dialect(), dialect, "{line}");
                assert_eq!(event.facts().event_type, row.name, "{line}");
            }
        }
    }
}

#[test]
fn every_document_is_valid_without_a_warning() {
    for &dialect in Dialect::ALL {
        for name in dialect.documents() {
            for seed in 0..40 {
                let text = document(dialect, name, seed).expect(name);
                let mut tape = Tape::new();
                let mut problems = Problems::new();
                let value = tape.parse(&text).unwrap();
                assert!(dialect.check_document(name, value, &mut problems));
                assert_eq!(show(&problems), "fine", "{} {name}: {text}", dialect.as_str());
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_events_and_another_gives_others() {
    let some = |seed| events(seed).take(200).collect::<Vec<_>>();
    assert_eq!(some(1), some(1));
    assert_ne!(some(1), some(2));
}

#[test]
fn every_type_comes_within_the_first_thousand_events() {
    let mut missing: BTreeSet<_> = Dialect::ALL
        .iter()
        .flat_map(|&dialect| dialect.taxonomy().rows().iter().map(move |row| (dialect, row.name)))
        .collect();
    for line in events(7).take(1000) {
        let mut tape = Tape::new();
        let mut problems = Problems::new();
        let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems);
        let event = event.unwrap_or_else(|| panic!("{}: {line}", show(&problems)));
        assert_eq!(check(event.dialect(), &line), "fine", "{line}");
        let facts = event.facts();
        missing.retain(|(dialect, name)| *dialect != facts.dialect || *name != facts.event_type);
    }
    assert_eq!(missing, BTreeSet::new());
}

#[test]
fn events_are_as_long_as_real_ones_and_hold_what_real_ones_hold() {
    let lines: Vec<_> = events(3).take(2000).collect();
    let mean = lines.iter().map(String::len).sum::<usize>() / lines.len();
    assert!((450..=650).contains(&mean), "{mean} bytes on average");
    let all = lines.concat();
    for wanted in ["\\n", "\\\"", "\\\\", "\\u00", "\\ud83d", "☕", "日本", "🚀"] {
        assert!(all.contains(wanted), "{wanted} is nowhere");
    }
}

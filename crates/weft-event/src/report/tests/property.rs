//! Any event, changed anywhere and spelled in any way: a report never fails, and is the same however the event is spelled.

use proptest::prelude::*;

use super::describe::{describe, whole};
use crate::event::{self, Expect};
use crate::json::{Tape, canonical};
use crate::problem::Problems;
use crate::{Dialect, sample};

/// Reads what a line reports in a dialect, if it is an event; that it does not fail is all that is asked.
fn report_any(dialect: Dialect, line: &[u8]) {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let event = event::read(&mut tape, line, Expect::Dialect(dialect), &mut problems);
    if let Some(event) = event {
        describe(&event.report(&event.facts()));
    }
}

fn any_dialect() -> impl Strategy<Value = Dialect> {
    prop::sample::select(Dialect::ALL)
}

/// Returns a made-up event of some type, and its dialect.
fn any_event() -> impl Strategy<Value = (Dialect, String)> {
    (any_dialect(), any::<prop::sample::Index>(), any::<u64>()).prop_map(|(dialect, row, seed)| {
        let rows = dialect.taxonomy().rows();
        (dialect, sample::of_type(dialect, rows[row.index(rows.len())].name, seed))
    })
}

/// Returns values of any kind, some of them in each other.
fn any_value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        "[a-z.\\PC]{0,8}".prop_map(Into::into),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::hash_map("[a-z_]{1,8}", inner, 0..4)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Returns every place in a value that another can stand in, as JSON pointers.
fn places(value: &serde_json::Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    let mut inside = |key: &str, value: &serde_json::Value| {
        let token = key.replace('~', "~0").replace('/', "~1");
        places(value, &format!("{at}/{token}"), found);
    };
    match value {
        serde_json::Value::Object(members) => {
            members.iter().for_each(|(key, value)| inside(key, value));
        }
        serde_json::Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, value)| inside(&n.to_string(), value));
        }
        _ => {}
    }
}

proptest! {
    #[test]
    fn any_bytes_are_reported_or_not(dialect in any_dialect(), line: Vec<u8>) {
        report_any(dialect, &line);
    }

    #[test]
    fn an_event_with_any_value_anywhere_is_reported(
        (dialect, line) in any_event(),
        at: prop::sample::Index,
        put in any_value(),
    ) {
        let mut event: serde_json::Value = serde_json::from_str(&line).unwrap();
        let mut found = Vec::new();
        places(&event, "", &mut found);
        *event.pointer_mut(&found[at.index(found.len())]).unwrap() = put;
        let changed = event.to_string();
        Dialect::ALL.iter().for_each(|&other| report_any(other, changed.as_bytes()));
        report_any(dialect, changed.as_bytes());
    }

    #[test]
    fn an_event_reports_the_same_however_it_is_spelled((_, line) in any_event()) {
        let mut tape = Tape::new();
        let spelled = canonical(tape.parse(&line).unwrap());
        prop_assert_eq!(whole(&spelled), whole(&line));
    }
}

//! Whatever a client sends, it is answered; and whatever is recorded of it is an event.

use proptest::prelude::*;
use weft_event::Dialect;
use weft_event::event::{self, Expect};
use weft_event::problem::Problems;

use super::*;
use crate::mcp::tool::TOOLS;

/// Values that arguments may have, right or wrong.
const VALUES: [&str; 22] = [
    "null",
    "true",
    "0",
    "1",
    "0.25",
    "-3",
    "1e400",
    "18446744073709551615",
    "\"\"",
    "\"a\"",
    "\"started\"",
    "\"progress\"",
    "\"tool_use\"",
    "\"heartbeat\"",
    "\"error\"",
    "\"\\u0000\\n\\\" \\ud83d\\ude00\"",
    "\"before:s:3\"",
    "[]",
    "[\"a\",\"b\"]",
    "[{\"option\":\"a\",\"reason\":\"b\"}]",
    "{}",
    "{\"task_id\":7,\"client\":\"x\",\"weft\":{},\"usage\":{\"input_tokens\":-1}}",
];

fn arguments() -> impl Strategy<Value = (&'static Tool, String)> {
    let tool = (0..TOOLS.len()).prop_map(|idx| &TOOLS[idx]);
    let values = prop::collection::vec(prop::option::of(0..VALUES.len()), 20);
    (tool, values, any::<bool>()).prop_map(|(tool, values, has_other)| {
        let given = tool.arguments().zip(values).filter_map(|(argument, value)| {
            Some(format!("\"{}\":{}", argument.name, VALUES[value?]))
        });
        let other = has_other.then(|| "\"other\":1".to_owned());
        (tool, format!("{{{}}}", given.chain(other).collect::<Vec<_>>().join(",")))
    })
}

fn check_events(work: Work) -> Result<(), TestCaseError> {
    let Work::Record(report) = work else { return Ok(()) };
    prop_assert!(!report.events.is_empty());
    for Made { line, event_type, .. } in report.events {
        let (mut tape, mut problems) = (Tape::new(), Problems::new());
        let expect = Expect::Dialect(Dialect::Collector);
        let event = event::read(&mut tape, line.as_bytes(), expect, &mut problems);
        prop_assert!(problems.list().is_empty(), "{line}: {:?}", problems.list());
        prop_assert_eq!(
            event.map(|event| event.facts().event_type.into_owned()),
            Some(event_type.to_owned())
        );
    }
    Ok(())
}

proptest! {
    #[test]
    fn arguments_that_are_taken_make_strictly_valid_events((tool, text) in arguments()) {
        let around = Around { now_ns: 1, session: Some("s".to_owned()), ..Around::default() };
        if let Ok(work) = Work::read(tool, &text, &around) {
            check_events(work)?;
        }
    }

    #[test]
    fn whatever_comes_nothing_breaks(idx in 0..TOOLS.len(), text in any::<String>(), word in any::<String>()) {
        let around = Around { call: Some(word.clone()), traceparent: Some(word.clone()), ..Around::default() };
        drop(Work::read(&TOOLS[idx], &text, &around));
        let word = Json::text(&word);
        let word = word.as_str();
        for given in [
            format!(r#"{{"filter":{word},"cursor":{word}}}"#),
            format!(r#"{{"kind":"error","message":{word},"agent_id":{word},"metadata":{{{word}:1}}}}"#),
        ] {
            for tool in &TOOLS {
                if let Ok(work) = Work::read(tool, &given, &around) {
                    check_events(work)?;
                }
            }
        }
    }
}

//! What calls become: the events of every tool, their ids, and where they stand in a trace.

use std::collections::BTreeSet;

use weft_event::collector::{LISTED, TAXONOMY};
use weft_event::event::{self, Expect};
use weft_event::problem::Problems;
use weft_event::{Dialect, json::Tape};

use super::*;
use crate::mcp::argument::check;
use crate::mcp::tool::{Does, Tool};

/// A call of each tool in each of its ways, and the types of the events that it makes.
const CALLS: [(&str, &str, &str); 15] = [
    ("report_lifecycle", r#"{"state":"started","message":"m"}"#, "lifecycle.started"),
    ("report_lifecycle", r#"{"state":"completed","message":"m"}"#, "lifecycle.completed"),
    ("report_lifecycle", r#"{"state":"error","message":"m"}"#, "lifecycle.error"),
    ("report_lifecycle", r#"{"state":"terminated","message":"m"}"#, "lifecycle.terminated"),
    ("report_activity", r#"{"activity":"thinking","message":"m"}"#, "activity.thinking"),
    (
        "report_activity",
        r#"{"activity":"tool_use","tool_name":"make","tool_input":{"path":"a"},"tool_result":"ok","duration_ms":3}"#,
        "activity.tool_use",
    ),
    (
        "report_activity",
        r#"{"activity":"progress","message":"m","progress":0.5}"#,
        "activity.progress",
    ),
    ("report_waiting", r#"{"waiting_for":"@other"}"#, "coordination.waiting"),
    ("report_blocked", r#"{"message":"m","needs":"a key"}"#, "coordination.blocked"),
    ("report_handoff", r#"{"handoff_to":"@other","task_id":"t-1"}"#, "coordination.handoff"),
    (
        "record_decision",
        r#"{"message":"m","chosen":"a","options":["a","b"],"rationale":"r","reasoning":"long","rejected":[{"option":"b","reason":"slow"}]}"#,
        "decision.made decision.rationale decision.rejected",
    ),
    ("record_decision", r#"{"message":"m","reasoning":"more"}"#, "decision.rationale"),
    ("report_system", r#"{"kind":"heartbeat"}"#, "system.heartbeat"),
    ("report_system", r#"{"kind":"config_change","metadata":{"new":1}}"#, "system.config_change"),
    ("report_system", r#"{"kind":"error","message":"m"}"#, "system.error"),
];

fn around() -> Around {
    Around {
        now_ns: 1_794_830_400_000_000_000,
        session: Some("0b9c1f9e-1111-4222-8333-444455556666".to_owned()),
        client: Some("claude-code".to_owned()),
        traceparent: None,
        call: None,
        ..Around::default()
    }
}

fn made(tool: &str, arguments: &str, around: &Around) -> Result<Report, Lack> {
    let tool = Tool::named(tool).unwrap();
    let mut tape = Tape::new();
    let given = tape.parse(arguments).unwrap();
    assert_eq!(check(given, tool.arguments()), Vec::<String>::new(), "{arguments}");
    let Does::Report(of) = tool.does else { panic!("it records nothing") };
    report(of, given, around)
}

/// Makes one event, with `ID` for its id.
fn line(tool: &str, arguments: &str, around: &Around) -> String {
    let Made { event_id, line, .. } = made(tool, arguments, around).unwrap().events.remove(0);
    line.replace(&event_id.to_string(), "ID")
}

#[test]
fn together_the_tools_write_every_type_that_is_no_hooks_and_strictly() {
    let mut types = BTreeSet::new();
    for (tool, arguments, expected) in CALLS {
        let report = made(tool, arguments, &around()).unwrap();
        let made: Vec<&str> = report.events.iter().map(|made| made.event_type).collect();
        assert_eq!(made.join(" "), expected);
        types.extend(made);
        for Made { line, .. } in report.events {
            let (mut tape, mut problems) = (Tape::new(), Problems::new());
            let expect = Expect::Dialect(Dialect::Collector);
            let event = event::read(&mut tape, line.as_bytes(), expect, &mut problems).unwrap();
            assert!(problems.list().is_empty(), "{line}: {:?}", problems.list());
            assert_eq!(event.facts().actor.as_deref(), Some("session-0b9c1f9e"));
            assert!(event.value().get("source").unwrap().is_text("mcp"), "{line}");
        }
    }
    let listed = TAXONOMY.rows().iter().take(LISTED).map(|row| row.name);
    let others: BTreeSet<&str> = listed.filter(|name| !name.starts_with("hook.")).collect();
    assert_eq!(types, others);
}

#[test]
fn an_event_says_who_when_and_where_in_a_trace() {
    let called = Around { call: Some("call".to_owned()), ..around() };
    insta::assert_snapshot!(
        line("report_waiting", r#"{"waiting_for":"@b","metadata":{"client":"mine","why":[1.0]}}"#, &called),
        @r#"{"version":"1.0.0","event_type":"coordination.waiting","timestamp":"2026-11-16T12:00:00Z","agent_id":"session-0b9c1f9e","event_id":"ID","session_id":"0b9c1f9e-1111-4222-8333-444455556666","source":"mcp","status":"waiting","message":"Waiting for @b to be completed","correlation":{"trace_id":"0b9c1f9e111142228333444455556666","parent_span_id":"call","root_agent_id":"session-0b9c1f9e"},"metadata":{"client":"claude-code","waiting_for":"@b","expected_status":"completed","why":[1.0]}}"#
    );
    let traceparent = Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned());
    let traced = Around { traceparent, call: None, ..around() };
    let traced = made("report_system", r#"{"kind":"heartbeat"}"#, &traced).unwrap();
    let place = r#""correlation":{"trace_id":"0af7651916cd43dd8448eb211c80319c","parent_span_id":"b7ad6b7169203331","root_agent_id":"session-0b9c1f9e"}"#;
    assert!(traced.events[0].line.contains(place), "{}", traced.events[0].line);
    let alone = Around { now_ns: 0, ..Around::default() };
    insta::assert_snapshot!(
        line("report_system", r#"{"kind":"heartbeat"}"#, &alone),
        @r#"{"version":"1.0.0","event_type":"system.heartbeat","timestamp":"1970-01-01T00:00:00Z","agent_id":"mcp","event_id":"ID","source":"mcp"}"#
    );
}

#[test]
fn an_agent_and_a_session_that_are_named_count() {
    let named = r#"{"kind":"heartbeat","agent_id":"@sub","session_id":"s-2"}"#;
    let report = made("report_system", named, &around()).unwrap();
    assert_eq!((report.agent.as_str(), report.session.as_deref()), ("@sub", Some("s-2")));
    let line = &report.events[0].line;
    assert!(line.contains(r#""root_agent_id":"session-s-2""#), "{line}");
    let unnamed = Around { session: None, ..around() };
    let report = made("report_system", r#"{"kind":"heartbeat"}"#, &unnamed).unwrap();
    assert_eq!((report.agent.as_str(), report.session), ("claude-code", None));
}

#[test]
fn the_same_call_makes_the_same_ids_and_another_makes_others() {
    let ids = |tool: &str, arguments: &str, call: Option<&str>| {
        let around = Around { call: call.map(str::to_owned), ..around() };
        let report = made(tool, arguments, &around).unwrap();
        (report.can_repeat, report.events.into_iter().map(|made| made.event_id).collect::<Vec<_>>())
    };
    let beat = r#"{"kind":"heartbeat"}"#;
    assert_eq!(ids("report_system", beat, Some("c")), ids("report_system", beat, Some("c")));
    assert_ne!(ids("report_system", beat, Some("c")), ids("report_system", beat, Some("d")));
    assert_ne!(ids("report_system", beat, None), ids("report_system", beat, None));
    assert!(!ids("report_system", beat, None).0);
    let asked = r#"{"kind":"heartbeat","request_id":"r"}"#;
    assert_eq!(ids("report_system", asked, Some("c")), ids("report_system", asked, Some("d")));
    let other = r#"{"waiting_for":"x","request_id":"r"}"#;
    assert_ne!(ids("report_system", asked, None), ids("report_waiting", other, None));
    let (_, decision) = ids("record_decision", CALLS[10].1, Some("c"));
    assert_eq!(decision.iter().collect::<BTreeSet<_>>().len(), 3);
}

#[test]
fn arguments_that_belong_together_are_asked_for_together() {
    let lack = |tool: &str, arguments: &str| made(tool, arguments, &around()).unwrap_err();
    assert_eq!(lack("report_activity", r#"{"activity":"tool_use","message":"m"}"#), Lack::Tool);
    let result = r#"{"activity":"progress","message":"m","tool_result":"r"}"#;
    assert_eq!(lack("report_activity", result), Lack::Tool);
    assert_eq!(lack("report_activity", r#"{"activity":"thinking"}"#), Lack::Message);
    assert_eq!(lack("report_system", r#"{"kind":"error"}"#), Lack::WhatFailed);
    let nothing = r#"{"message":"m","options":["a"],"rejected":[]}"#;
    assert_eq!(lack("record_decision", nothing), Lack::Decision);
}

//! Which traces there are, and how their spans stand below each other.

use insta::assert_snapshot;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;

use super::{Spans, TRACES_MAX, Traces, branches};
use crate::Entry;
use crate::testing::{assert_law, fold, place};

/// Returns an event of a trace; `correlation` has what else it says of its place.
fn event(time: &str, actor: &str, status: &str, message: &str, correlation: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"activity.progress","timestamp":"2026-11-15T08:{time}Z","agent_id":"{actor}","session_id":"s1","status":"{status}","message":"{message}","correlation":{{"trace_id":"t1"{correlation}}}}}"#
    )
}

fn lines() -> Vec<String> {
    vec![
        event("00:02", "main", "progress", "look", r#","span_id":"b","parent_span_id":"a""#),
        event("00:01", "main", "progress", "fix it", r#","span_id":"a""#),
        event(
            "00:03",
            "helper",
            "started",
            "help",
            r#","span_id":"helper","root_agent_id":"main""#,
        ),
        event("00:04", "helper", "progress", "dig", r#","span_id":"c","root_agent_id":"main""#),
        event("00:05", "other", "error", "break", r#","span_id":"d","root_agent_id":"main""#),
        event("00:09", "main", "progress", "done", r#","span_id":"a""#),
    ]
}

#[test]
fn a_trace_is_summed_up() {
    let lines = place(lines());
    assert_law::<Traces>(&lines, lines.len());
    let traces: Traces = fold(&lines);
    assert_snapshot!(serde_json::to_string_pretty(&traces.rows()).unwrap(), @r#"
    [
      {
        "trace": "t1",
        "root": "fix it",
        "session": "s1",
        "actors": [
          "helper",
          "main",
          "other"
        ],
        "n_spans": 5,
        "n_records": 6,
        "n_errors": 1,
        "since": "2026-11-15T08:00:01Z",
        "last_seen": "2026-11-15T08:00:09Z",
        "duration_ms": 8000,
        "position": 2
      }
    ]
    "#);
}

#[test]
fn a_span_without_a_parent_stands_below_what_started_its_actor() {
    let mut spans = Spans::default();
    let mut tape = Tape::new();
    for (position, line) in (1..).zip(lines()) {
        let event =
            event::read(&mut tape, line.as_bytes(), Expect::Any, &mut Problems::new()).unwrap();
        let facts = event.facts();
        let report = event.report(&facts);
        spans.add(&Entry {
            position,
            received_ns: 0,
            is_carried: false,
            facts: &facts,
            report: &report,
        });
    }
    let spans = spans.finish();
    let tree: String = branches(&spans)
        .iter()
        .map(|branch| {
            let span = &spans[branch.span_idx];
            let took = span.took_ms().unwrap_or(0);
            format!("{}{} {took} ms {:?}\n", "  ".repeat(branch.depth), span.label, span.positions)
        })
        .collect();
    assert_snapshot!(tree, @"
    activity.progress: fix it 8000 ms [2, 6]
      activity.progress: look 0 ms [1]
      activity.progress: help 1000 ms [3]
        activity.progress: dig 0 ms [4]
      activity.progress: break 0 ms [5]
    ");
}

#[test]
fn the_oldest_traces_are_forgotten() {
    let line = |n: usize| {
        event(&format!("{:02}:{:02}", n / 60, n % 60), "main", "progress", "x", "")
            .replace("t1", &format!("t{n}"))
    };
    let traces: Traces = fold(&place((0..=TRACES_MAX).map(line)));
    let rows = traces.rows();
    assert_eq!((rows.len(), rows[0].trace.as_str()), (TRACES_MAX, "t1000"));
}

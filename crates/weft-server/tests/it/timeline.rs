//! What every actor did in a window of time, over HTTP.

use serde_json::{Value, json};
use weft_event::demo::World;

use crate::server::Server;

/// 2026-11-15 08:00 UTC.
const START_NS: i64 = 1_794_729_600_000_000_000;

fn post(server: &Server, lines: &[String]) {
    let answer = server.client().post_as("application/x-ndjson", lines.join("\n"));
    assert_eq!(answer.json()["accepted"], lines.len(), "{}", answer.shown());
}

fn demo(n: usize) -> Vec<String> {
    World::new(5, START_NS).take(n).map(|moment| moment.line).collect()
}

fn event(actor: &str, second: u64, event_type: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"{event_type}","agent_id":"{actor}","session_id":"s-{actor}","timestamp":"2026-11-15T08:00:{second:02}Z","message":"{actor} at {second}"}}"#
    )
}

fn timeline(server: &Server, query: &str) -> Value {
    let answer = server.client().get(&format!("/v1/timeline?{query}"));
    assert_eq!(answer.status, 200, "{}", answer.shown());
    answer.json()
}

const MINUTE: &str = "from=2026-11-15T08:00:00Z&to=2026-11-15T08:01:00Z";

/// Returns status, beginning and end of every span, by actor.
fn shown(timeline: &Value) -> Vec<String> {
    let lanes = timeline["lanes"].as_array().expect("lanes").iter();
    let lane = |lane: &Value| {
        let spans = lane["spans"].as_array().expect("spans").iter();
        let span = |span: &Value| {
            let second = |at: &Value| at.as_str().expect("a time")[14..19].to_owned();
            let status = span["status"].as_str().expect("text");
            format!("{status} {}-{}", second(&span["from"]), second(&span["to"]))
        };
        let spans: Vec<String> = spans.map(span).collect();
        format!("{}: {}", lane["actor"].as_str().expect("text"), spans.join(", "))
    };
    lanes.map(lane).collect()
}

#[test]
fn a_window_has_the_statuses_that_actors_were_in() {
    let server = Server::start();
    let lines = [
        event("a", 10, "activity.tool_use"),
        event("a", 20, "coordination.waiting"),
        event("a", 30, "lifecycle.completed"),
        event("b", 40, "system.error"),
    ];
    post(&server, &lines);
    let all = timeline(&server, MINUTE);
    assert_eq!((&all["n_records"], &all["is_cut"]), (&json!(4), &json!(false)));
    assert_eq!(
        shown(&all),
        [
            "a: tool_use 00:10-00:20, waiting 00:20-00:30, completed 00:30-00:30",
            "b: error 00:40-00:40"
        ]
    );
    assert_eq!(all["lanes"][0]["spans"][1]["position"], 2);
    assert_eq!(all["lanes"][0]["spans"][1]["what"], "a at 20");
    assert_eq!(all["lanes"][0]["session"], "s-a");
    let one = timeline(&server, &format!("{MINUTE}&limit=1"));
    assert_eq!((shown(&one).len(), &one["n_more"]), (1, &json!(1)));
    let before = timeline(&server, "from=2026-11-14T08:00:00Z&to=2026-11-14T09:00:00Z");
    assert_eq!((&before["lanes"], &before["n_records"]), (&json!([]), &json!(0)));
}

#[test]
fn what_began_before_the_window_lasts_into_it() {
    let server = Server::start();
    post(&server, &[event("b", 5, "lifecycle.started"), event("a", 10, "coordination.waiting")]);
    let late = timeline(&server, "from=2026-11-15T08:30:00Z&to=2026-11-15T08:40:00Z");
    assert_eq!(late["n_records"], 0);
    let waiting = &late["lanes"][0]["spans"][0];
    assert_eq!(
        (&waiting["status"], &waiting["from"]),
        (&json!("waiting"), &json!("2026-11-15T08:00:10Z"))
    );
    assert_eq!(waiting["position"], 2);
}

#[test]
fn fewer_pixels_have_fewer_spans_and_the_same_records() {
    let server = Server::start();
    post(&server, &demo(1500));
    let window = "from=2026-11-15T08:00:00Z&to=2026-11-15T09:00:00Z&limit=1000";
    let count = |width: u32| {
        let all = timeline(&server, &format!("{window}&width={width}"));
        let lanes = all["lanes"].as_array().expect("lanes");
        let spans = || lanes.iter().flat_map(|lane| lane["spans"].as_array().expect("spans"));
        let n = spans().map(|span| span["n"].as_u64().expect("a number")).sum::<u64>();
        (lanes.len(), spans().count(), n)
    };
    let (wide, narrow) = (count(10_000), count(20));
    assert_eq!((wide.0, wide.2), (narrow.0, narrow.2));
    assert!(wide.1 > narrow.1, "{wide:?} {narrow:?}");
    assert!(narrow.1 <= narrow.0 * 2 * 21, "{narrow:?}");
}

#[test]
fn the_past_is_as_it_was() {
    let server = Server::start();
    let lines = demo(400);
    post(&server, &lines[..250]);
    let window = "from=2026-11-15T08:00:00Z&to=2026-11-15T08:10:00Z&at=250";
    let then = timeline(&server, window);
    post(&server, &lines[250..]);
    assert_eq!(timeline(&server, window), then);
    assert_eq!(then["position"], 250);
}

#[test]
fn a_wrong_question_is_told() {
    let server = Server::start();
    post(&server, &demo(3));
    let failure = |query: &str| server.client().get(&format!("/v1/timeline?{query}")).failure();
    for query in ["from=noon", "to=noon", "from=1m&to=2m", "width=0", "width=x", "limit=0", "at=0"]
    {
        assert_eq!(failure(query), (400, "bad_parameter".to_owned()), "{query}");
    }
    assert_eq!(failure("at=4"), (410, "beyond_end".to_owned()));
    assert_eq!(failure("colour=red"), (400, "unknown_parameter".to_owned()));
}

//! What the idle dialect accepts, warns about and refuses, its names, and the facts it gives.

mod facts;
mod fields;
mod names;

use super::{
    Abort, Ack, Anchor, Body, ControlResult, Done, DoneReason, Frame, GrindFrame, IssueFrame,
    LoopFrame, Message, Request, SCHEMA, SCHEMAS_READ, State, TAXONOMY, TopicRecord, Trace,
    TraceEvent,
};
use crate::Dialect;
use crate::event::{self, Expect};
use crate::json::{Tape, Value};
use crate::problem::Problems;
use crate::shape::Wire;
use crate::testing::check;

/// Every example of the idle document, each on one line.
const EXAMPLES: &str = include_str!("../../tests/fixtures/idle/examples.jsonl");
/// The records around them, and the events as Weft writes them.
const RECORDS: &str = include_str!("../../tests/fixtures/idle/records.jsonl");

const STATE: &str = r#"{"schema":0,"event":"STATE","run_id":"loop-1703123456-12345","updated_at":"2024-12-21T10:00:00Z","stack":[]}"#;
const MESSAGE: &str =
    r#"{"type":"message","id":"m1","topic_id":"t1","body":"hi","created_at":1734775201250}"#;

fn lines() -> impl Iterator<Item = &'static str> {
    EXAMPLES.lines().chain(RECORDS.lines())
}

/// Returns the line again after a trip through the typed record of its kind.
fn rewrite(line: &str) -> Option<String> {
    fn again<'a, T: Wire<'a>>(value: Value<'a>) -> Option<String> {
        let mut out = String::new();
        T::read(value)?.write(&mut out);
        Some(out)
    }
    let mut tape = Tape::new();
    let value = tape.parse(line).unwrap();
    if value.get("loop_kind").is_some() {
        return again::<Trace<'_>>(value);
    }
    match value.text_at("event").or_else(|| value.text_at("type")).as_deref() {
        Some("STATE") => again::<State<'_>>(value),
        Some("DONE") => again::<Done<'_>>(value),
        Some("ABORT") => again::<Abort<'_>>(value),
        Some("REQUEST") => again::<Request<'_>>(value),
        Some("ACK") => again::<Ack<'_>>(value),
        Some("RESULT") => again::<ControlResult<'_>>(value),
        Some("topic") => again::<TopicRecord<'_>>(value),
        Some("message") => again::<Message<'_>>(value),
        _ => again::<Anchor<'_>>(value),
    }
}

#[test]
fn every_example_is_recognised_accepted_and_comes_back_byte_for_byte() {
    assert_eq!((EXAMPLES.lines().count(), RECORDS.lines().count()), (6, 10));
    for line in lines() {
        let mut tape = Tape::new();
        let mut problems = Problems::new();
        let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems).unwrap();
        assert_eq!(event.dialect(), Dialect::Idle, "{line}");
        assert_eq!(problems.list(), [], "{line}");
        assert_eq!(event.value().raw(), line);
        assert_eq!(rewrite(line).as_deref(), Some(line));
    }
}

#[test]
fn a_typed_record_starts_as_a_form_with_the_right_words_in_it() {
    let state = State {
        run_id: "grind-1703123456-12345".into(),
        updated_at: "2024-12-21T10:30:00Z".into(),
        stack: vec![
            Frame::Grind(GrindFrame {
                id: "grind-1703123456-12345".into(),
                iter: 3,
                max: 100,
                prompt_file: "/tmp/idle-grind-xxx/prompt.txt".into(),
                filter: "priority:1".into(),
                ..GrindFrame::default()
            }),
            Frame::Issue(IssueFrame {
                id: "issue-auth-123-1703123456".into(),
                iter: 2,
                max: 10,
                prompt_file: "/tmp/idle-issue-xxx/prompt.txt".into(),
                issue_id: "auth-123".into(),
                worktree_path: "/path/to/.worktrees/idle/auth-123".into(),
                branch: "idle/issue/auth-123".into(),
                base_ref: "main".into(),
                ..IssueFrame::default()
            }),
        ],
        ..State::default()
    };
    assert_eq!(Some(state.to_line().as_str()), EXAMPLES.lines().nth(1));
    let done = Done { reason: DoneReason::Complete, ..Done::default() };
    assert_eq!(Some(done.to_line().as_str()), EXAMPLES.lines().nth(2));
    assert_eq!(Some(Abort::default().to_line().as_str()), EXAMPLES.lines().nth(4));
}

#[test]
fn a_frame_tells_what_all_modes_have_in_common() {
    let frame = Frame::Loop(LoopFrame {
        id: "loop-1-2".into(),
        iter: 3,
        max: 10,
        prompt_file: "/p".into(),
        ..LoopFrame::default()
    });
    let text = format!(
        "{} {} {} {}",
        frame.id(),
        frame.mode().as_str(),
        frame.iteration(),
        frame.prompt_file()
    );
    assert_eq!(text, "loop-1-2 loop 3/10 /p");
}

#[test]
fn deviations_known_from_the_field_are_warnings() {
    let idle = |line: &str| check(Dialect::Idle, line);
    insta::assert_snapshot!(idle(&STATE.replace(r#""schema":0"#, r#""schema":1"#)), @"warning schema_one: /schema: the document says 0, producers write 1");
    insta::assert_snapshot!(idle(&STATE.replace("loop-1703123456-12345", "nightly")), @"warning run_id: /run_id: `nightly` is not `mode-seconds-pid`");
    let anchor = EXAMPLES.lines().last().unwrap();
    insta::assert_snapshot!(idle(&anchor.replace(r#""schema":0,"#, "")), @"warning anchor_without_schema: /schema: `schema` is missing");
    insta::assert_snapshot!(idle(r#"{"schema":0,"event":"DONE","reason":"STUCK","stack":[]}"#), @"warning reason_stuck: /reason: `STUCK` is tolerated, not specified");
    insta::assert_snapshot!(idle(&MESSAGE.replace(r#""hi""#, "[104,105]")), @"warning body_bytes: /body: a body as byte values; read as UTF-8 text");
    let stale = r#"{"event_id":"unknown-77-STALENESS-0","ts":"2024-12-21T10:00:00Z","run_id":"","loop_kind":"","event":"STALENESS","iteration":0,"max":0,"details":{"age":9000}}"#;
    insta::assert_snapshot!(idle(stale), @"
    warning trace_without_mode: /loop_kind: `` is tolerated, not specified
    warning run_id: /run_id: `` is not `mode-seconds-pid`
    ");
    assert_eq!(rewrite(stale).as_deref(), Some(stale));
}

#[test]
fn unknown_fields_are_ignored_and_kept() {
    for line in lines() {
        let more = format!(r#"{},"x-new":{{"any":[1]}}}}"#, &line[..line.len() - 1]);
        assert_eq!(check(Dialect::Idle, &more), "fine");
        assert_eq!(rewrite(&more).as_deref(), Some(more.as_str()));
    }
}

#[test]
fn only_the_schemas_that_can_be_read_are() {
    for schema in 0..4 {
        let line = STATE.replace(r#""schema":0"#, &format!(r#""schema":{schema}"#));
        let refused = check(Dialect::Idle, &line).contains("error");
        assert_eq!(!refused, SCHEMAS_READ.contains(&schema), "{schema}");
    }
    assert_eq!(State::default().schema, SCHEMA);
}

#[test]
fn a_repeated_key_is_an_error_at_any_depth() {
    let state = r#"{"schema":0,"event":"STATE","run_id":"loop-1-2","updated_at":"2024-12-21T10:00:00Z","stack":[{"id":"a","id":"b","mode":"loop","iter":1,"max":2,"prompt_file":"/p"}],"schema":0}"#;
    insta::assert_snapshot!(check(Dialect::Idle, state), @"
    error duplicate_key: /stack/0/id: the key `id` stands twice
    error duplicate_key: /schema: the key `schema` stands twice
    ");
}

#[test]
fn what_is_no_event_says_which_word_is_wrong() {
    let idle = |line: &str| check(Dialect::Idle, line);
    insta::assert_snapshot!(idle(r#"{"schema":0,"event":"STATES","stack":[]}"#), @"error enum: /event: `STATES` is not one of STATE, DONE, ABORT, ANCHOR, REQUEST, ACK, RESULT; did you mean `STATE`?");
    insta::assert_snapshot!(idle(r#"{"schema":0,"event":null,"goal":"g"}"#), @"error type: /event: expected string, found null");
    insta::assert_snapshot!(idle(r#"{"schema":0,"stack":[]}"#), @"error missing: /event: `event` is missing");
    insta::assert_snapshot!(idle(r#"{"type":"reply","id":"m1","created_at":0}"#), @"error enum: /type: `reply` is not one of topic, message");
    insta::assert_snapshot!(idle(r#"{"iteration":"1/2","next_step":"go on"}"#), @"
    warning anchor_without_schema: /schema: `schema` is missing
    error missing: /goal: `goal` is missing
    error missing: /mode: `mode` is missing
    error missing: /progress: `progress` is missing
    error missing: /modified_files: `modified_files` is missing
    error missing: /timestamp: `timestamp` is missing
    ");
    insta::assert_snapshot!(idle(r#"{"next_step":"go on"}"#), @"
    warning anchor_without_schema: /schema: `schema` is missing
    error missing: /goal: `goal` is missing
    error missing: /mode: `mode` is missing
    error missing: /iteration: `iteration` is missing
    error missing: /progress: `progress` is missing
    error missing: /modified_files: `modified_files` is missing
    error missing: /timestamp: `timestamp` is missing
    ");
}

#[test]
fn a_body_is_text_or_bytes_and_reads_as_text() {
    let text = |line: &str| {
        let mut tape = Tape::new();
        Message::read(tape.parse(line).unwrap()).unwrap().body.into_text().into_owned()
    };
    assert_eq!(text(&MESSAGE.replace("hi", r"a\nb")), "a\nb");
    assert_eq!(text(&MESSAGE.replace(r#""hi""#, "[104,195,164]")), "hä");
    assert_eq!(text(&MESSAGE.replace(r#""hi""#, "[104,255]")), "h\u{fffd}");
    let mut out = String::new();
    Body::Bytes(vec![104, 255]).write(&mut out);
    assert_eq!(out, "[104,255]");
}

#[test]
fn every_kind_of_event_has_its_row() {
    for &event in TraceEvent::ALL {
        assert_eq!(event.event_type(), format!("trace.{}", event.as_str()));
        assert!(TAXONOMY.get(event.event_type()).is_some(), "{}", event.as_str());
    }
    for line in lines() {
        let mut tape = Tape::new();
        let mut problems = Problems::new();
        let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems).unwrap();
        assert!(TAXONOMY.get(&event.facts().event_type).is_some(), "{line}");
    }
}

//! The facts of each kind of event.

use super::{EXAMPLES, MESSAGE, RECORDS};
use crate::event::{self, Expect};
use crate::json::Tape;
use crate::problem::Problems;
use crate::testing::facts_of;
use crate::{Dialect, Level, Status};

fn example(n: usize) -> String {
    facts_of(EXAMPLES.lines().nth(n).unwrap())
}

fn record(n: usize) -> String {
    facts_of(RECORDS.lines().nth(n).unwrap())
}

#[test]
fn a_state_is_about_its_run_and_the_frame_at_work() {
    insta::assert_snapshot!(example(0), @"
    type: STATE
    time: 2024-12-21T10:00:00Z
    actor: loop-1703123456-12345
    identity: run loop-1703123456-12345, updated 2024-12-21T10:00:00Z, and its content
    status: progress
    level: info
    progress: 0.3
    topic: loop:current
    ");
    insta::assert_snapshot!(example(1), @"
    type: STATE
    time: 2024-12-21T10:30:00Z
    actor: grind-1703123456-12345
    identity: run grind-1703123456-12345, updated 2024-12-21T10:30:00Z, and its content
    status: progress
    level: info
    progress: 0.2
    task: auth-123
    topic: loop:current
    ");
    let inner = r#"{"schema":0,"event":"STATE","run_id":"loop-2-2","updated_at":"2024-12-21T10:00:00Z","session_id":"s1","stack":[{"id":"grind-1-1","mode":"grind","iter":1,"max":4,"prompt_file":"/p","filter":""},{"id":"loop-2-2","mode":"loop","iter":1,"max":2,"prompt_file":"/p"}]}"#;
    insta::assert_snapshot!(facts_of(inner), @"
    type: STATE
    time: 2024-12-21T10:00:00Z
    actor: loop-2-2
    parent: grind-1-1
    session: s1
    identity: run loop-2-2, updated 2024-12-21T10:00:00Z, and its content
    status: progress
    level: info
    progress: 0.5
    topic: loop:current
    ");
    let empty = r#"{"schema":0,"event":"STATE","run_id":"loop-2-2","updated_at":"2024-12-21T10:00:00Z","stack":[]}"#;
    insta::assert_snapshot!(facts_of(empty), @"
    type: STATE
    time: 2024-12-21T10:00:00Z
    actor: loop-2-2
    identity: run loop-2-2, updated 2024-12-21T10:00:00Z, and its content
    status: progress
    level: info
    topic: loop:current
    ");
}

#[test]
fn the_end_of_a_loop_tells_how_it_ended() {
    insta::assert_snapshot!(example(2), @"
    type: DONE
    status: completed
    level: info
    message: COMPLETE
    topic: loop:current
    ");
    insta::assert_snapshot!(example(3), @"
    type: ABORT
    ended: yes
    level: info
    message: USER_CANCELLED
    topic: loop:current
    ");
    insta::assert_snapshot!(example(4), @"
    type: ABORT
    status: error
    ended: yes
    level: error
    topic: loop:current
    ");
    insta::assert_snapshot!(record(7), @"
    type: DONE
    time: 2024-12-21T11:00:00Z
    actor: loop-1703123456-12345
    status: completed
    level: info
    message: COMPLETE
    topic: loop:current
    ");
    insta::assert_snapshot!(record(8), @"
    type: ABORT
    time: 2024-12-21T11:00:00Z
    actor: loop-1703123456-12345
    status: error
    ended: yes
    level: error
    message: NO_PROGRESS
    topic: loop:current
    ");
    insta::assert_snapshot!(facts_of(r#"{"schema":0,"event":"DONE","reason":"STUCK","stack":[]}"#), @"
    type: DONE
    status: blocked
    level: warn
    message: STUCK
    topic: loop:current
    ");
}

#[test]
fn an_anchor_tells_how_far_and_how_to_go_on() {
    insta::assert_snapshot!(example(5), @"
    type: ANCHOR
    time: 2024-12-21T10:30:00Z
    status: progress
    level: info
    progress: 0.3
    message: Continue working on the task. Check git status and loop state.
    topic: loop:anchor
    ");
}

#[test]
fn records_of_the_store_are_known_by_their_ids() {
    insta::assert_snapshot!(record(0), @"
    type: topic
    time: 2024-12-21T10:00:00Z
    identity: id 01JFQ2R8ZK3V5T7M9N1P3Q5S7T
    level: info
    message: loop:current
    topic: 01JFQ2R8ZK3V5T7M9N1P3Q5S7T
    ");
    insta::assert_snapshot!(record(1), @"
    type: message
    time: 2024-12-21T10:00:01.250Z
    actor: 01JFQ2S0000000000000000001
    identity: id 01JFQ2S0A1B2C3D4E5F6G7H8J9
    level: info
    message: [alice] ANALYSIS: a race in the auth flow
    topic: 01JFQ2R8ZK3V5T7M9N1P3Q5S7T
    ");
    insta::assert_snapshot!(record(2), @"
    type: message
    time: 2024-12-21T10:00:02Z
    identity: id 01JFQ2T0A1B2C3D4E5F6G7H8J9
    level: info
    message: seen
    topic: 01JFQ2R8ZK3V5T7M9N1P3Q5S7T
    ");
    insta::assert_snapshot!(facts_of(&MESSAGE.replace(r#""hi""#, "[104,195,164]")), @"
    type: message
    time: 2024-12-21T10:00:01.250Z
    identity: id m1
    level: info
    message: hä
    topic: t1
    ");
}

#[test]
fn traces_and_control_messages_belong_to_their_run() {
    insta::assert_snapshot!(record(3), @"
    type: trace.ITERATION
    time: 2024-12-21T10:00:00Z
    actor: loop-1703123456-12345
    identity: id loop-1703123456-12345-ITERATION-4
    status: progress
    level: info
    progress: 0.4
    topic: loop:trace
    ");
    insta::assert_snapshot!(record(4), @"
    type: control.REQUEST
    time: 2024-12-21T10:00:00Z
    actor: loop-1703123456-12345
    identity: id REQUEST:r-1
    level: info
    message: lunch
    topic: loop:control
    ");
    insta::assert_snapshot!(record(5), @"
    type: control.ACK
    time: 2024-12-21T10:00:01Z
    actor: loop-1703123456-12345
    identity: id ACK:r-1
    level: info
    topic: loop:control
    ");
    insta::assert_snapshot!(record(6), @"
    type: control.RESULT
    time: 2024-12-21T10:00:02Z
    actor: loop-1703123456-12345
    identity: id RESULT:r-1
    level: info
    message: invalid_state
    topic: loop:control
    ");
}

#[test]
fn every_trace_has_the_status_of_its_event() {
    let line = RECORDS.lines().nth(3).unwrap();
    let status = |word: &str| {
        let line = line.replace(r#""ITERATION""#, &format!("\"{word}\""));
        let mut tape = Tape::new();
        let mut problems = Problems::new();
        let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems).unwrap();
        let facts = event.facts();
        assert_eq!((problems.list().len(), facts.dialect), (0, Dialect::Idle));
        (facts.status, facts.ended, facts.level)
    };
    assert_eq!(status("LOOP_START"), (Some(Status::Started), false, Level::Info));
    assert_eq!(status("ITERATION"), (Some(Status::Progress), false, Level::Info));
    assert_eq!(status("COMPLETION"), (Some(Status::Completed), false, Level::Info));
    assert_eq!(status("MAX_ITERATIONS"), (Some(Status::Completed), false, Level::Info));
    assert_eq!(status("STALENESS"), (None, false, Level::Info));
    assert_eq!(status("ABORT"), (None, true, Level::Info));
    assert_eq!(status("REVIEW_GATE_BLOCKED"), (Some(Status::Blocked), false, Level::Warn));
    assert_eq!(status("REVIEW_ESCALATE"), (Some(Status::Waiting), false, Level::Info));
}

#[test]
fn equal_states_are_repeats_whatever_their_spacing_and_others_are_not() {
    let digest = |line: &str| {
        let mut tape = Tape::new();
        let mut problems = Problems::new();
        let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems).unwrap();
        event.facts().identity.own.map(|key| key.digest(Dialect::Idle))
    };
    let state = EXAMPLES.lines().next().unwrap();
    assert_eq!(digest(state), digest(&state.replace(':', ": ").replace("10: 00: 00", "10:00:00")));
    assert_ne!(digest(state), digest(&state.replace(r#""iter":3"#, r#""iter":4"#)));
    let request = RECORDS.lines().nth(4).unwrap();
    let ack = RECORDS.lines().nth(5).unwrap();
    assert_ne!(digest(request), digest(ack), "they share their request id");
    assert_eq!(
        digest(EXAMPLES.lines().nth(2).unwrap()),
        None,
        "only the delivery tells DONEs apart"
    );
}

#[test]
fn a_broken_event_still_gives_what_can_be_read() {
    let broken = r#"{"schema":0,"event":"STATE","run_id":"loop-2-2","updated_at":"soon","stack":[{"iter":"3","max":10,"issue_id":7}]}"#;
    insta::assert_snapshot!(facts_of(broken), @"
    type: STATE
    actor: loop-2-2
    identity: run loop-2-2, updated soon, and its content
    status: progress
    level: info
    topic: loop:current
    ");
    insta::assert_snapshot!(facts_of(r#"{"schema":0,"event":"PAUSED","stack":[]}"#), @"
    type: PAUSED
    level: info
    ");
    insta::assert_snapshot!(facts_of(r#"{"event_id":"e","ts":"x","run_id":"loop-1-2","loop_kind":"loop","event":"NAP"}"#), @"
    type: trace
    actor: loop-1-2
    identity: id e
    level: info
    topic: loop:trace
    ");
}

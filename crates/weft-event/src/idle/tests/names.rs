//! Run ids, frame ids, iterations, topics, and the life of a STATE.

use std::time::Duration;

use crate::idle::{
    FrameId, Iteration, Mode, REPEAT_WINDOW, REQUEST_EXPIRY, RunId, STATE_LIFE, Topic, TopicKind,
    is_stale,
};
use crate::time::parse_rfc3339;

#[test]
fn a_run_id_is_mode_seconds_pid() {
    let id = RunId::parse("loop-1703123456-12345").unwrap();
    assert_eq!(id, RunId { mode: Mode::Loop, started: 1_703_123_456, pid: 12_345 });
    for text in ["loop-1703123456-12345", "grind-0-0", "issue-18446744073709551615-4294967295"] {
        assert_eq!(RunId::parse(text).unwrap().to_string(), text);
    }
    for text in [
        "",
        "loop",
        "loop-1",
        "loop-1-2-3",
        "Loop-1-2",
        "nightly-1-2",
        "loop--2",
        "loop-1-",
        "loop-+1-2",
        "loop-01-2",
        "loop-1-2 ",
        "loop-18446744073709551616-1",
        "loop-1-4294967296",
        "issue-auth-123-1703123456",
    ] {
        assert_eq!(RunId::parse(text), None, "{text:?}");
    }
}

#[test]
fn a_frame_id_is_a_runs_or_an_issues() {
    let run = RunId { mode: Mode::Issue, started: 1_703_123_456, pid: 12_345 };
    assert_eq!(FrameId::parse("issue-1703123456-12345"), Some(FrameId::Run(run)));
    let issue = |issue_id| Some(FrameId::Issue { issue_id, started: 1_703_123_456 });
    assert_eq!(FrameId::parse("issue-auth-123-1703123456"), issue("auth-123"));
    assert_eq!(FrameId::parse("issue-42-1703123456"), issue("42"), "no process has such an id");
    for text in ["grind-1703123456-12345", "issue-auth-123-1703123456", "issue---1"] {
        assert_eq!(FrameId::parse(text).unwrap().to_string(), text);
    }
    for text in ["", "issue", "issue-", "issue--1703123456", "issue-a", "issue-a-", "task-a-1"] {
        assert_eq!(FrameId::parse(text), None, "{text:?}");
    }
}

#[test]
fn an_iteration_is_current_of_max() {
    let iteration = Iteration::parse("3/10").unwrap();
    assert_eq!(iteration, Iteration { current: 3, max: 10 });
    assert_eq!((iteration.to_string().as_str(), iteration.fraction()), ("3/10", Some(0.3)));
    assert_eq!(Iteration { current: 3, max: 0 }.fraction(), None);
    assert_eq!(Iteration { current: 12, max: 10 }.fraction(), Some(1.0));
    for text in ["", "3", "/", "3/", "/10", "3/10/2", "-3/10", "3 / 10", "99999999999999999999/1"] {
        assert_eq!(Iteration::parse(text), None, "{text:?}");
    }
}

#[test]
fn topics_are_known_by_their_names_and_keep_what_the_document_says() {
    use TopicKind::{AppendOnly, LastValue};
    for (name, topic, kind) in [
        ("loop:current", Topic::LoopCurrent, LastValue),
        ("loop:anchor", Topic::LoopAnchor, AppendOnly),
        ("loop:trace", Topic::LoopTrace, AppendOnly),
        ("loop:control", Topic::LoopControl, AppendOnly),
        ("issue:auth-123", Topic::Issue("auth-123"), AppendOnly),
        ("project:weft", Topic::Project("weft"), AppendOnly),
        ("agent:alice", Topic::Agent("alice"), LastValue),
        ("agent:a:b", Topic::Agent("a:b"), LastValue),
        ("agent:", Topic::Other("agent:"), AppendOnly),
        ("loop:other", Topic::Other("loop:other"), AppendOnly),
        ("research", Topic::Other("research"), AppendOnly),
        ("", Topic::Other(""), AppendOnly),
    ] {
        let parsed = Topic::parse(name);
        assert_eq!((parsed, parsed.kind(), parsed.to_string().as_str()), (topic, kind, name));
    }
    assert_eq!([LastValue.as_str(), AppendOnly.as_str()], ["last-value", "append-only"]);
}

#[test]
fn a_state_is_stale_once_it_is_more_than_two_hours_old() {
    let updated_at_ns = parse_rfc3339("2024-12-21T10:00:00Z").unwrap();
    let stale_at = |now: &str| is_stale(updated_at_ns, parse_rfc3339(now).unwrap());
    assert!(!stale_at("2024-12-21T12:00:00Z"));
    assert!(stale_at("2024-12-21T12:00:00.000000001Z"));
    assert!(!stale_at("2024-12-21T09:00:00Z"), "a clock that is ahead makes nothing stale");
    assert!(is_stale(i64::MIN, i64::MAX));
    assert!(!is_stale(i64::MAX, i64::MIN));
}

#[test]
fn limits_are_those_of_the_producers() {
    assert_eq!(STATE_LIFE, Duration::from_secs(7200));
    assert_eq!(
        (REQUEST_EXPIRY, REPEAT_WINDOW),
        (Duration::from_secs(30), Duration::from_secs(300))
    );
    let max: Vec<_> = Mode::ALL.iter().map(|mode| (mode.as_str(), mode.default_max())).collect();
    assert_eq!(max, [("loop", 10), ("grind", 100), ("issue", 10)]);
}

//! What is wished of a loop from outside: done once, answered every time.

use insta::assert_snapshot;
use weft_event::idle::Topic;

use super::*;
use crate::loops::control::{Asked, RequestId, Said, Wish, pending};
use crate::loops::events::Posting;
use crate::loops::newest::{Newest, place_of};
use crate::loops::obey::{Obeyed, Request, answer};

const SECOND_NS: i64 = 1_000_000_000;

/// A log of one session, as far as loops are concerned.
struct Log {
    newest: Newest,
    control: Vec<String>,
}

impl Log {
    fn new(current: Current) -> Self {
        let newest = Newest { current, last: None, key: "s1".to_owned() };
        Self { newest, control: Vec::new() }
    }

    fn running() -> Self {
        let mut state = running(vec![plain(3, 10)]);
        state.session_id = Some("s1".to_owned());
        Self::new(Current::Running(Box::new(state)))
    }

    /// Asks for something, keeps what has to be written, and returns that and the answer.
    fn ask(&mut self, id: &str, wish: Wish) -> String {
        self.ask_run(id, wish, None)
    }

    /// Does the same of one run alone.
    fn ask_run(&mut self, id: &str, wish: Wish, run_id: Option<&str>) -> String {
        let id = RequestId::parse(id).expect("an id");
        let request = Request { id, wish, run_id: run_id.map(str::to_owned) };
        let said = Said::of(self.control.iter().map(String::as_bytes));
        let (answer, postings) = match answer(&said, &self.newest, &request, NOON_NS + SECOND_NS) {
            Obeyed::Answered(answer) => (answer, Vec::new()),
            Obeyed::Write(writing) => {
                assert_eq!(writing.condition.topic, place_of(&state_of(&writing.postings), "s1"));
                (writing.answer, writing.postings)
            }
        };
        let topics: Vec<String> =
            postings.iter().map(|posting| posting.topic.to_string()).collect();
        for posting in postings {
            if posting.topic == Topic::LoopControl {
                self.control.push(posting.line);
            } else if posting.topic == Topic::LoopCurrent {
                self.newest.current = Current::read(&posting.line);
            }
        }
        let standing = answer.standing.map_or("-", |standing| standing.as_str());
        format!("{} {standing}: {} [{}]", answer.result(), answer.why, topics.join(" "))
    }
}

/// Returns a posting whose place is that of a state.
fn state_of(postings: &[Posting]) -> Posting {
    Posting { topic: Topic::LoopCurrent, ..postings[0].clone() }
}

#[test]
fn a_wish_is_done_once_and_answered_as_often_as_it_comes() {
    let mut log = Log::running();
    assert_snapshot!(log.ask("a", Wish::Pause), @"ok paused: somebody paused it [loop:control loop:current loop:trace loop:control loop:control]");
    assert_snapshot!(log.ask("a", Wish::Pause), @"ok paused: somebody paused it []");
    assert_snapshot!(log.ask("b", Wish::Pause), @"invalid_state paused: somebody paused it [loop:control loop:trace loop:control loop:control]");
    assert_snapshot!(log.ask("b", Wish::Pause), @"invalid_state paused: somebody paused it []");
    assert_snapshot!(log.ask("c", Wish::Resume), @"ok running: it goes on at the next stop [loop:control loop:current loop:trace loop:control loop:control]");
    assert_snapshot!(log.ask("a", Wish::Pause), @"ok paused: somebody paused it []");
    assert_snapshot!(log.ask("d", Wish::Escalate), @"ok paused: somebody asked a person to look at it [loop:control loop:current loop:trace loop:control loop:control]");
    assert_snapshot!(log.ask("e", Wish::Cancel), @"ok ended: it was cancelled [loop:control loop:current loop:trace loop:control loop:control]");
    assert_snapshot!(log.ask("e", Wish::Cancel), @"ok ended: it was cancelled []");
    assert_snapshot!(log.ask("f", Wish::Resume), @"not_found -: no loop runs []");
}

#[test]
fn an_id_asks_for_one_thing_of_one_loop() {
    let mut log = Log::running();
    log.ask("a", Wish::Pause);
    assert_snapshot!(log.ask("a", Wish::Cancel), @"duplicate -: `a` asked for something else before []");
    log.newest.key = "s2".to_owned();
    assert_snapshot!(log.ask("a", Wish::Pause), @"duplicate -: `a` asked for something else before []");
}

#[test]
fn a_run_that_is_named_is_the_only_one_that_is_meant() {
    let mut log = Log::running();
    assert_snapshot!(log.ask_run("a", Wish::Cancel, Some("loop-1-1")), @"not_found -: `loop-1-1` is over: the loop of the session is another []");
    assert!(log.ask_run("b", Wish::Cancel, Some("loop-1794744000-7")).starts_with("ok ended"));
}

#[test]
fn a_request_that_was_posted_is_answered_and_not_posted_again() {
    let mut log = Log::running();
    log.control.push(r#"{"schema":0,"event":"REQUEST","request_id":"p","ts":"2026-11-15T12:00:00Z","command":"pause"}"#.to_owned());
    assert_snapshot!(log.ask("p", Wish::Pause), @"ok paused: somebody paused it [loop:current loop:trace loop:control loop:control]");
    let said = Said::of(log.control.iter().map(String::as_bytes));
    assert_eq!(said.unanswered(), []);
}

#[test]
fn a_state_that_cannot_be_read_takes_no_wish() {
    let mut log = Log::new(Current::read("{"));
    let told = log.ask("a", Wish::Cancel);
    assert!(told.starts_with("invalid_state -: the state of the loop cannot be read"), "{told}");
}

#[test]
fn a_loop_answers_what_is_meant_for_it_while_it_counts() {
    let asked = |run_id: Option<&str>, session_id: Option<&str>| Asked {
        request_id: "a".to_owned(),
        wish: Wish::Pause,
        run_id: run_id.map(str::to_owned),
        session_id: session_id.map(str::to_owned),
        at_ns: NOON_NS,
    };
    let is_taken = |asked: Asked, after_s| {
        pending(&[asked], "r1", "s1", NOON_NS + after_s * SECOND_NS).is_some()
    };
    assert!(is_taken(asked(None, None), 30));
    assert!(!is_taken(asked(None, None), 31));
    assert!(is_taken(asked(Some("r1"), Some("s1")), 1));
    assert!(!is_taken(asked(Some("r2"), Some("s1")), 1));
    assert!(!is_taken(asked(None, Some("s2")), 1));
}

#[test]
fn an_id_is_a_short_plain_text() {
    assert!(RequestId::parse("x").is_some());
    assert!(RequestId::parse(&"x".repeat(200)).is_some());
    for bad in ["", "a\nb", &"x".repeat(201)] {
        assert_eq!(RequestId::parse(bad), None);
    }
}

//! Each step of a decision, by example: what the agent is told, and what is left in the log.

use insta::assert_snapshot;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;

use super::*;
use crate::judge::{self, Rule};
use crate::loops::control::{Asked, Wish};
use crate::loops::decide::{Change, Reply, Review, Spent, Switch, Turn, obey};
use crate::loops::events::{About, of_decision};
use crate::loops::state::Budget;

const DONE: &str = "<loop-done>COMPLETE</loop-done>";

fn stop<'a>(current: &'a Current, message: &'a str) -> Stop<'a> {
    Stop {
        now_ns: NOON_NS + 60_000_000_000,
        switch: Switch::On,
        current,
        asked: None,
        message,
        id: "stop",
        turn: Turn::Begun,
        blocks_max: Some(8),
    }
}

/// Returns what the agent is told and what is left, and proves that what is left is valid.
fn told(stop: &Stop<'_>, known: &Known) -> String {
    let decision = match decide(stop, known) {
        Ok(decision) => decision,
        Err(question) => return format!("asks for {question:?}"),
    };
    let run_id = match stop.current {
        Current::Running(state) => state.run_id.clone(),
        Current::None | Current::Broken { .. } => "loop-1-1".to_owned(),
    };
    let judged = known.judged.as_ref();
    let about = About { run_id: &run_id, session_id: Some("s1"), now_ns: stop.now_ns, judged };
    let mut text = match (decision.reply, &decision.change) {
        (Reply::GoOn, Change::State(state)) => words::instruction(&decision.why, state),
        (Reply::GoOn | Reply::LetGo, _) => format!("let go: {}", words::shown(&decision.why)),
    };
    for posting in of_decision(&decision, stop.current, &about) {
        let (mut tape, mut problems) = (Tape::new(), Problems::new());
        let event = event::read(&mut tape, posting.line.as_bytes(), Expect::Any, &mut problems);
        assert!(problems.list().is_empty(), "{}: {:?}", posting.line, problems.list());
        let event = event.expect("it is an event");
        let facts = event.facts();
        assert_eq!(facts.session.as_deref().unwrap_or("s1"), "s1");
        text += &format!("\n{} {}", posting.topic, facts.event_type);
        if let Some(message) = &facts.message {
            text += &format!(": {message}");
        }
    }
    text
}

fn now(state: State) -> Current {
    Current::Running(Box::new(state))
}

#[test]
fn an_agent_that_says_nothing_goes_on() {
    let current = now(running(vec![plain(3, 10)]));
    assert_snapshot!(told(&stop(&current, "Half of it is done."), &Known::default()), @"
    Iteration 4 of 10. The work is not finished.
    Your task is in /store/prompts/loop-1794744000-7/prompt.txt. When it is done, and only then, say so on a line of its own:
    <loop-done>COMPLETE</loop-done>
    If you cannot go on:
    <loop-done>STUCK</loop-done>
    loop:current STATE
    loop:trace trace.ITERATION: nothing says that it is done
    ");
}

#[test]
fn the_last_iteration_ends_it_before_any_word_of_the_agent() {
    let current = now(running(vec![plain(10, 10)]));
    assert_snapshot!(told(&stop(&current, DONE), &Known::default()), @"
    let go: it reached its limit
    loop:current DONE: MAX_ITERATIONS
    loop:trace trace.MAX_ITERATIONS: it reached its limit
    ");
}

#[test]
fn a_word_ends_it_where_nothing_else_is_asked_for() {
    let current = now(running(vec![plain(3, 10)]));
    assert_snapshot!(told(&stop(&current, DONE), &Known::default()), @"
    let go: it is complete
    loop:current DONE: COMPLETE
    loop:trace trace.COMPLETION: it is complete
    ");
    assert_snapshot!(told(&stop(&current, "<loop-done>STUCK</loop-done>"), &Known::default()), @"
    let go: the agent says that it is stuck
    loop:current ABORT: STUCK
    loop:trace trace.ABORT: the agent says that it is stuck
    ");
}

#[test]
fn a_word_without_evidence_is_answered_with_what_is_missing() {
    let mut frame = plain(3, 10);
    frame.terms.until = vec![Rule::shell("until-1".to_owned(), "echo red; exit 1")];
    let rules = frame.terms.until.clone();
    let current = now(running(vec![frame]));
    assert_snapshot!(told(&stop(&current, DONE), &Known::default()), @"asks for Judge");
    let judged = Some(judge::judge(&rules, std::path::Path::new("/")));
    assert_snapshot!(told(&stop(&current, DONE), &Known { judged, ..Known::default() }), @"
    Iteration 4 of 10. You said that it is done, and it is not:
    - `echo red; exit 1` ended with code 1
    Mend that first.
    Your task is in /store/prompts/loop-1794744000-7/prompt.txt. When it is done, and only then, say so on a line of its own:
    <loop-done>COMPLETE</loop-done>
    If you cannot go on:
    <loop-done>STUCK</loop-done>
    loop:current STATE
    loop:trace trace.ITERATION: there is no evidence: `echo red; exit 1` ended with code 1
    ");
}

#[test]
fn a_review_is_of_the_very_commit_and_goes_to_a_person_after_three_rounds() {
    let mut frame = plain(3, 10);
    frame.terms.review = true;
    let missing = Some(Review::Missing("nobody has reviewed 1234".to_owned()));
    let known = Known { review: missing, ..Known::default() };
    let current = now(running(vec![frame.clone()]));
    assert_snapshot!(told(&stop(&current, DONE), &known), @"
    Iteration 4 of 10. You said that it is done, and it is not reviewed: nobody has reviewed 1234.
    Your task is in /store/prompts/loop-1794744000-7/prompt.txt. When it is done, and only then, say so on a line of its own:
    <loop-done>COMPLETE</loop-done>
    If you cannot go on:
    <loop-done>STUCK</loop-done>
    loop:current STATE
    loop:trace trace.REVIEW_GATE_BLOCKED: it is not reviewed: nobody has reviewed 1234
    ");
    frame.marks.rounds = 3;
    let current = now(running(vec![frame]));
    assert_snapshot!(told(&stop(&current, DONE), &known), @"
    let go: its reviews did not pass
    loop:current STATE
    loop:trace trace.REVIEW_ESCALATE: its reviews did not pass
    ");
    let known = Known { review: Some(Review::Approved), ..Known::default() };
    assert_snapshot!(told(&stop(&current, DONE), &known), @"
    let go: it is complete
    loop:current DONE: COMPLETE
    loop:trace trace.COMPLETION: it is complete
    ");
}

#[test]
fn a_budget_ends_it_by_tokens_cost_and_time() {
    let with = |budget| {
        let mut frame = plain(3, 10);
        frame.terms.budget = budget;
        now(running(vec![frame]))
    };
    let spent = |tokens, cost_usd| Known {
        spent: Some(vec![Spent { tokens, cost_usd }]),
        ..Known::default()
    };
    let tokens = with(Budget { tokens: Some(1000), ..Budget::default() });
    assert_snapshot!(told(&stop(&tokens, ""), &Known::default()), @"asks for Spent");
    assert_snapshot!(told(&stop(&tokens, ""), &spent(1000, 0.0)), @"
    let go: its budget is used up: 1000 of 1000 tokens
    loop:current ABORT: BUDGET
    loop:trace trace.ABORT: its budget is used up: 1000 of 1000 tokens
    ");
    assert!(told(&stop(&tokens, ""), &spent(999, 0.0)).starts_with("Iteration 4 of 10"));
    let cost = with(Budget { cost_usd: Some(1.5), ..Budget::default() });
    assert_snapshot!(told(&stop(&cost, ""), &spent(0, 1.625)), @"
    let go: its budget is used up: 1.62 of 1.50 US dollars
    loop:current ABORT: BUDGET
    loop:trace trace.ABORT: its budget is used up: 1.62 of 1.50 US dollars
    ");
    let time = with(Budget { seconds: Some(60), ..Budget::default() });
    assert_snapshot!(told(&stop(&time, ""), &Known::default()), @"
    let go: its budget is used up: 60 of 60 seconds
    loop:current ABORT: BUDGET
    loop:trace trace.ABORT: its budget is used up: 60 of 60 seconds
    ");
}

#[test]
fn iterations_that_change_nothing_end_it() {
    let mut frame = plain(3, 10);
    frame.terms.patience = Some(2);
    let mut current = now(running(vec![frame]));
    let known = Known { look: Some("a".to_owned()), ..Known::default() };
    let mut replies = Vec::new();
    for nth in 0..3 {
        let id = nth.to_string();
        let stop = Stop { id: &id, ..stop(&current, "") };
        let decision = decide(&stop, &known).expect("all is known");
        replies.push(decision.reply);
        if let Change::State(state) = decision.change {
            current = Current::Running(state);
        }
    }
    assert_eq!(replies, [Reply::GoOn, Reply::GoOn, Reply::LetGo]);
    assert_snapshot!(told(&Stop { id: "again", ..stop(&current, "") }, &known), @"
    let go: 2 iterations in a row changed nothing
    loop:current ABORT: NO_PROGRESS
    loop:trace trace.ABORT: 2 iterations in a row changed nothing
    ");
    let other = Known { look: Some("b".to_owned()), ..Known::default() };
    let went_on = told(&Stop { id: "again", ..stop(&current, "") }, &other);
    assert!(went_on.starts_with("Iteration 6 of 10"), "{went_on}");
}

#[test]
fn an_issue_that_is_done_gives_way_to_the_next_and_the_last_one_ends_the_grind() {
    let done = "<issue-complete>DONE</issue-complete>";
    let current = now(running(vec![grind(1, 100), issue("auth-1", 10)]));
    assert_snapshot!(told(&stop(&current, done), &Known::default()), @"asks for NextIssue");
    let known = Known { next_issue: Some(Some(issue("auth-2", 10))), ..Known::default() };
    assert_snapshot!(told(&stop(&current, done), &known), @"
    Iteration 1 of 10 on this issue. The last issue is finished; this is the next one.
    Work on issue auth-2 in /p/.worktrees/idle/auth-2 (branch idle/issue/auth-2); it is described in /store/prompts/issue-auth-2-1794744000/prompt.txt. When it is committed and done, run `weft land auth-2 --close`, then say so on a line of its own:
    <issue-complete>DONE</issue-complete>
    If you cannot go on:
    <loop-done>STUCK</loop-done>
    loop:current STATE
    loop:trace trace.ITERATION: there is another issue
    ");
    let known = Known { next_issue: Some(None), ..Known::default() };
    assert_snapshot!(told(&stop(&current, done), &known), @"
    let go: it is complete
    loop:current DONE: NO_MORE_ISSUES
    loop:trace trace.COMPLETION: it is complete
    ");
    let last = now(running(vec![grind(100, 100), issue("auth-1", 10)]));
    assert_snapshot!(told(&stop(&last, done), &Known::default()), @"
    let go: it reached its limit
    loop:current DONE: MAX_ISSUES
    loop:trace trace.MAX_ITERATIONS: it reached its limit
    ");
}

#[test]
fn a_loop_inside_a_loop_gives_the_work_back() {
    let current = now(running(vec![plain(2, 5), plain(1, 3)]));
    assert_snapshot!(told(&stop(&current, DONE), &Known::default()), @"
    Iteration 3 of 5. What was inside it is complete.
    Your task is in /store/prompts/loop-1794744000-7/prompt.txt. When it is done, and only then, say so on a line of its own:
    <loop-done>COMPLETE</loop-done>
    If you cannot go on:
    <loop-done>STUCK</loop-done>
    loop:current STATE
    loop:trace trace.COMPLETION: it is complete
    ");
}

#[test]
fn what_is_stale_or_broken_or_off_lets_go() {
    let current = now(running(vec![plain(3, 10)]));
    let late = Stop { now_ns: NOON_NS + 7_200_000_000_001, ..stop(&current, "") };
    assert_snapshot!(told(&late, &Known::default()), @"
    let go: its state is older than two hours
    loop:trace trace.STALENESS: its state is older than two hours
    ");
    let on_time = Stop { now_ns: NOON_NS + 7_200_000_000_000, ..stop(&current, "") };
    assert!(told(&on_time, &Known::default()).starts_with("Iteration 4"));
    let off = Stop { switch: Switch::Off, ..stop(&current, "") };
    assert_snapshot!(told(&off, &Known::default()), @"let go: loops are switched off");
    let broken = Current::read(r#"{"event":"STATE","run_id":"loop-1-1","stack":[]}"#);
    assert_snapshot!(told(&stop(&broken, ""), &Known::default()), @"
    let go: its state cannot be read: missing field `schema`
    loop:current ABORT: CORRUPT
    loop:trace trace.ABORT: its state cannot be read: missing field `schema`
    ");
    assert_eq!(
        Current::read(r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}"#),
        Current::None
    );
}

#[test]
fn the_same_stop_counts_once() {
    let current = now(running(vec![plain(3, 10)]));
    let decision = decide(&stop(&current, ""), &Known::default()).expect("nothing to look up");
    let Change::State(state) = decision.change else { panic!("it goes on") };
    let after = Current::Running(state);
    let again = Stop { now_ns: NOON_NS + 60_010_000_000, ..stop(&after, "") };
    assert_snapshot!(told(&again, &Known::default()), @"let go: the same stop was decided just now");
    let later = Stop { now_ns: NOON_NS + 62_000_000_000, ..stop(&after, "") };
    assert!(told(&later, &Known::default()).starts_with("Iteration 5"));
}

#[test]
fn the_client_would_end_the_turn_anyway() {
    let mut state = running(vec![plain(3, 20)]);
    state.blocks = 8;
    let current = now(state);
    let continued = Stop { turn: Turn::Continued, ..stop(&current, "") };
    assert_snapshot!(told(&continued, &Known::default()), @"
    let go: the client would end the turn anyway
    loop:current STATE
    loop:trace trace.ITERATION: the client would end the turn anyway
    ");
    let fresh = stop(&current, "");
    assert!(told(&fresh, &Known::default()).starts_with("Iteration 4"));
    let free = Stop { blocks_max: None, ..continued };
    assert!(told(&free, &Known::default()).starts_with("Iteration 4"));
}

#[test]
fn what_is_asked_of_it_is_done_and_answered() {
    let mut state = running(vec![plain(3, 10)]);
    let asked = |wish| Asked {
        request_id: "r1".to_owned(),
        wish,
        run_id: None,
        session_id: None,
        at_ns: NOON_NS,
    };
    for wish in [Wish::Pause, Wish::Resume, Wish::Cancel, Wish::Escalate] {
        let asked = asked(wish);
        let current = now(state.clone());
        let stop = Stop { asked: Some(&asked), ..stop(&current, "") };
        insta::assert_snapshot!(
            format!("{}-running", wish.as_str()),
            told(&stop, &Known::default())
        );
    }
    state.paused = Some(crate::loops::state::Pause::Asked);
    for wish in [Wish::Pause, Wish::Resume, Wish::Cancel, Wish::Escalate] {
        let asked = asked(wish);
        let current = now(state.clone());
        let stop = Stop { asked: Some(&asked), ..stop(&current, "") };
        insta::assert_snapshot!(
            format!("{}-paused", wish.as_str()),
            told(&stop, &Known::default())
        );
    }
    let resumed = obey(&state, &asked(Wish::Resume), NOON_NS);
    assert!(matches!(&resumed.change, Change::State(state) if state.paused.is_none()));
    assert_eq!(obey(&state, &asked(Wish::Pause), NOON_NS).change, Change::None);
}

#[test]
fn a_state_is_read_as_it_was_written_and_what_others_wrote_is_read_too() {
    let mut frame = issue("auth-1", 10);
    frame.terms.until = vec![Rule::shell("until-1".to_owned(), "cargo test")];
    frame.terms.budget = Budget { tokens: Some(5), cost_usd: Some(0.5), seconds: None };
    let mut state = running(vec![grind(1, 100), frame]);
    state.session_id = Some("s1".to_owned());
    assert_eq!(Current::read(&state.to_line()), now(state));
    let theirs = r#"{"schema":1,"event":"STATE","run_id":"loop-1703123456-12345","updated_at":"2024-12-21T10:00:00Z","stack":[{"id":"loop-1703123456-12345","mode":"loop","iter":3,"max":10,"prompt_file":"/tmp/idle-loop-xxx/prompt.txt","new":1}]}"#;
    assert!(matches!(Current::read(theirs), Current::Running(state) if state.stack[0].iter == 3));
}

//! Every sequence of up to eight things that may happen to a loop, against a model that only counts.
//!
//! A state that was reached by several sequences is followed once, with the number of them. That the check can fail is checked:
//! without any one of its steps the decision goes wrong somewhere.

use std::collections::BTreeMap;

use weft_event::idle::REQUEST_EXPIRY;

use super::*;
use crate::judge::{Checked, Judged};
use crate::loops::control::{Asked, Wish, pending};
use crate::loops::decide::{
    Change, Decision, REVIEW_ROUNDS_MAX, Reply, Review, STEPS, Step, Switch, Turn, decide_by,
};
use weft_event::engine::judge::JudgeStatus;

/// How many things happen at most.
const LENGTH: usize = 8;
/// The last iteration of a frame, and the last issue.
const MAX: u64 = 3;
/// Between two things.
const PACE_NS: i64 = 20_000_000_000;
/// How far the clock is set forward at once. Twice that, and a state is stale.
const STEP_NS: i64 = 90 * 60 * 1_000_000_000;
const STALE_NS: i64 = 2 * 60 * 60 * 1_000_000_000;

/// What may happen.
#[derive(Clone, Copy, Debug)]
enum Happening {
    Stop,
    Marker,
    Twice,
    Crash,
    Compaction,
    ClockStep,
    Pause,
    Resume,
    Cancel,
    SecondSession,
}

const HAPPENINGS: [Happening; 10] = [
    Happening::Stop,
    Happening::Marker,
    Happening::Twice,
    Happening::Crash,
    Happening::Compaction,
    Happening::ClockStep,
    Happening::Pause,
    Happening::Resume,
    Happening::Cancel,
    Happening::SecondSession,
];

/// What a loop is started with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Terms {
    Plain,
    Budget,
    Patience,
    Evidence,
    Review,
    ClientLimit,
    Off,
    Broken,
}

const TERMS: [Terms; 8] = [
    Terms::Plain,
    Terms::Budget,
    Terms::Patience,
    Terms::Evidence,
    Terms::Review,
    Terms::ClientLimit,
    Terms::Off,
    Terms::Broken,
];

const BUDGET_S: u64 = 45;
const PATIENCE: u64 = 1;
const BLOCKS_MAX: u64 = 2;

/// The world: the log, the agent and the clock.
#[derive(Clone, Debug)]
struct World {
    now_ns: i64,
    n_stops: u64,
    current: Current,
    asked: Vec<Asked>,
    turn: Turn,
}

/// The same, counted.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Model {
    is_over: bool,
    is_paused: bool,
    outer: u64,
    inner: u64,
    posted_ns: i64,
    inner_begun_ns: i64,
    n_same: u64,
    n_rounds: u64,
    has_failed: bool,
    n_blocks: u64,
}

fn start(terms: Terms) -> (World, Model) {
    let mut inner = issue("a", MAX);
    dress(&mut inner, terms, NOON_NS);
    let current = match terms {
        Terms::Broken => Current::read(
            r#"{"event":"STATE","run_id":"loop-1-1","updated_at":"2026-11-15T12:00:00Z","stack":[{"iter":"two"}]}"#,
        ),
        Terms::Plain
        | Terms::Budget
        | Terms::Patience
        | Terms::Evidence
        | Terms::Review
        | Terms::ClientLimit
        | Terms::Off => Current::Running(Box::new(running(vec![grind(1, MAX), inner]))),
    };
    let world =
        World { now_ns: NOON_NS, n_stops: 0, current, asked: Vec::new(), turn: Turn::Begun };
    let model = Model {
        is_over: false,
        is_paused: false,
        outer: 1,
        inner: 1,
        posted_ns: NOON_NS,
        inner_begun_ns: NOON_NS,
        n_same: 0,
        n_rounds: 0,
        has_failed: false,
        n_blocks: 0,
    };
    (world, model)
}

fn dress(frame: &mut Frame, terms: Terms, at_ns: i64) {
    frame.terms.started_at_ns = Some(at_ns);
    match terms {
        Terms::Budget => frame.terms.budget.seconds = Some(BUDGET_S),
        Terms::Patience => frame.terms.patience = Some(PATIENCE),
        Terms::Evidence => {
            frame.terms.until = vec![crate::judge::Rule::shell("tests".to_owned(), "true")];
        }
        Terms::Review => frame.terms.review = true,
        Terms::Plain | Terms::ClientLimit | Terms::Off | Terms::Broken => {}
    }
}

/// Returns what is looked up: evidence fails the first time, nobody ever reviews, the work never changes, and there is always
/// another issue.
fn known(terms: Terms, model: &Model, now_ns: i64) -> Known {
    let mut next = issue("b", MAX);
    dress(&mut next, terms, now_ns);
    let status = if model.has_failed { JudgeStatus::Pass } else { JudgeStatus::Fail };
    let check = Checked {
        id: "tests".to_owned(),
        status,
        reason: status.as_str().to_owned(),
        output: String::new(),
        took: std::time::Duration::ZERO,
    };
    Known {
        spent: None,
        look: Some("the same".to_owned()),
        judged: Some(Judged::of(vec![check])),
        review: Some(Review::Missing("nobody has looked".to_owned())),
        next_issue: Some(Some(next)),
    }
}

/// What the model expects of a stop: the reply, and whether the loop is over.
fn expect(
    terms: Terms,
    model: &mut Model,
    world: &World,
    is_marked: bool,
    asked: Option<Wish>,
) -> Reply {
    if terms == Terms::Off || model.is_over || world.now_ns - model.posted_ns > STALE_NS {
        return Reply::LetGo;
    }
    if terms == Terms::Broken {
        model.is_over = true;
        return Reply::LetGo;
    }
    match asked {
        Some(Wish::Cancel) => {
            model.is_over = true;
            return Reply::LetGo;
        }
        Some(Wish::Pause) => {
            if !std::mem::replace(&mut model.is_paused, true) {
                (model.posted_ns, model.n_blocks) = (world.now_ns, 0);
            }
            return Reply::LetGo;
        }
        Some(Wish::Escalate) => unreachable!("nobody asks for it here"),
        Some(Wish::Resume) => model.is_paused = false,
        None if model.is_paused => return Reply::LetGo,
        None => {}
    }
    if model.inner >= MAX {
        return next_issue(terms, model, world);
    }
    if terms == Terms::Budget
        && world.now_ns - model.inner_begun_ns >= BUDGET_S as i64 * 1_000_000_000
    {
        model.is_over = true;
        return Reply::LetGo;
    }
    if terms == Terms::Patience {
        model.n_same += 1;
        if model.n_same > PATIENCE {
            model.is_over = true;
            return Reply::LetGo;
        }
    }
    if !is_marked {
        return iterate(terms, model, world);
    }
    if terms == Terms::Evidence && !std::mem::replace(&mut model.has_failed, true) {
        return iterate(terms, model, world);
    }
    if terms == Terms::Review {
        if model.n_rounds == REVIEW_ROUNDS_MAX {
            (model.is_paused, model.posted_ns, model.n_blocks) = (true, world.now_ns, 0);
            return Reply::LetGo;
        }
        model.n_rounds += 1;
        return iterate(terms, model, world);
    }
    next_issue(terms, model, world)
}

fn next_issue(terms: Terms, model: &mut Model, world: &World) -> Reply {
    if model.outer >= MAX {
        model.is_over = true;
        return Reply::LetGo;
    }
    model.outer += 1;
    (model.inner, model.n_same, model.n_rounds) = (1, 0, 0);
    model.inner_begun_ns = world.now_ns;
    go_on(terms, model, world)
}

fn iterate(terms: Terms, model: &mut Model, world: &World) -> Reply {
    let inner = model.inner;
    let reply = go_on(terms, model, world);
    model.inner = if reply == Reply::GoOn { inner + 1 } else { inner };
    reply
}

fn go_on(terms: Terms, model: &mut Model, world: &World) -> Reply {
    model.posted_ns = world.now_ns;
    let n_before = if world.turn == Turn::Begun { 0 } else { model.n_blocks };
    if terms == Terms::ClientLimit && n_before >= BLOCKS_MAX {
        model.n_blocks = 0;
        return Reply::LetGo;
    }
    model.n_blocks = n_before + 1;
    Reply::GoOn
}

/// Lets the agent of a session stop, and stores what was decided.
fn stop(
    steps: &[(&str, Step)],
    terms: Terms,
    world: &mut World,
    known: &Known,
    message: &str,
) -> Option<Decision> {
    let run_id = match &world.current {
        Current::Running(state) => state.run_id.clone(),
        Current::None | Current::Broken { .. } => String::new(),
    };
    let id = world.n_stops.to_string();
    let asked = pending(&world.asked, &run_id, "s1", world.now_ns).cloned();
    let stop = Stop {
        now_ns: world.now_ns,
        switch: if terms == Terms::Off { Switch::Off } else { Switch::On },
        current: &world.current,
        asked: asked.as_ref(),
        message,
        id: &id,
        turn: world.turn,
        blocks_max: (terms == Terms::ClientLimit).then_some(BLOCKS_MAX),
    };
    let decision = decide_by(steps, &stop, known).ok()?;
    match &decision.change {
        Change::None => {}
        Change::State(state) => world.current = Current::Running(state.clone()),
        Change::Done(_) | Change::Abort(_) => world.current = Current::None,
    }
    if let Some(answered) = &decision.answered {
        world.asked.retain(|one| one.request_id != answered.request_id);
    }
    world.turn = match decision.reply {
        Reply::GoOn => Turn::Continued,
        Reply::LetGo => Turn::Begun,
    };
    Some(decision)
}

/// How the decision differs from what the model expects.
struct Differs(String);

fn differs(how: &str) -> Differs {
    Differs(how.to_owned())
}

/// Lets something happen to both; an error if they differ after it.
fn happen(
    steps: &[(&str, Step)],
    terms: Terms,
    what: Happening,
    world: &mut World,
    model: &mut Model,
) -> Result<(), Differs> {
    world.now_ns += PACE_NS;
    let now_ns = world.now_ns;
    world.asked.retain(|one| now_ns - one.at_ns <= REQUEST_EXPIRY.as_nanos() as i64);
    let ask = |wish, world: &mut World| {
        let request_id = format!("{}", world.now_ns);
        world.asked.push(Asked {
            request_id,
            wish,
            run_id: None,
            session_id: None,
            at_ns: world.now_ns,
        });
    };
    match what {
        Happening::Crash => world.turn = Turn::Begun,
        // It leaves an anchor, and the state as it is.
        Happening::Compaction => {}
        Happening::ClockStep => world.now_ns += STEP_NS,
        Happening::Pause => ask(Wish::Pause, world),
        Happening::Resume => ask(Wish::Resume, world),
        Happening::Cancel => ask(Wish::Cancel, world),
        Happening::SecondSession => {
            let mut other = World { current: Current::None, asked: Vec::new(), ..world.clone() };
            let known = known(terms, model, world.now_ns);
            let decision =
                stop(steps, terms, &mut other, &known, "<loop-done>COMPLETE</loop-done>");
            let decision =
                decision.ok_or_else(|| differs("a session without a loop asks for something"))?;
            if decision.reply != Reply::LetGo || decision.change != Change::None {
                return Err(differs("a session without a loop is not let go"));
            }
        }
        Happening::Stop | Happening::Marker | Happening::Twice => {
            world.n_stops += 1;
            let is_marked = matches!(what, Happening::Marker);
            let message = if is_marked { "<loop-done>COMPLETE</loop-done>" } else { "More to do." };
            let asked = world.asked.first().map(|one| one.wish);
            let known = known(terms, model, world.now_ns);
            let expected = expect(terms, model, world, is_marked, asked);
            let before = world.clone();
            let decision = stop(steps, terms, world, &known, message)
                .ok_or_else(|| differs("nothing is known"))?;
            let is_over = world.current == Current::None;
            if (decision.reply, is_over) != (expected, model.is_over) {
                return Err(Differs(format!("{decision:?}, expected {expected:?} and {model:?}")));
            }
            if let Current::Running(state) = &world.current
                && terms != Terms::Off
                && expected == Reply::GoOn
                && (state.stack[0].iter, state.stack[1].iter) != (model.outer, model.inner)
            {
                return Err(Differs(format!("{state:?}, expected {model:?}")));
            }
            if matches!(what, Happening::Twice) && decision.reply == Reply::GoOn {
                let mut again = World { turn: before.turn, ..world.clone() };
                let decision = stop(steps, terms, &mut again, &known, message);
                let decision = decision.ok_or_else(|| differs("nothing is known"))?;
                if decision.reply != Reply::LetGo || decision.change != Change::None {
                    return Err(Differs(format!("the same stop counts twice: {decision:?}")));
                }
            }
        }
    }
    Ok(())
}

/// Returns what tells a state from others. Two have the same future that differ only in the ids of what is over, and in times that
/// nothing tells apart: an age counts by the steps of the clock, and the age of a frame as far as its budget goes.
fn key(world: &World, model: &Model) -> String {
    let ago = |at_ns: i64| world.now_ns - at_ns;
    let steps = |at_ns: i64| ago(at_ns) / STEP_NS;
    let begun = |at_ns: i64| ago(at_ns).min(BUDGET_S as i64 * 1_000_000_000);
    let loop_now = match &world.current {
        Current::Running(state) => {
            let frames = state.stack.iter().map(|frame| {
                let begun = frame.terms.started_at_ns.map(begun);
                format!("{} {:?} {begun:?}", frame.iter, frame.marks)
            });
            let frames: Vec<_> = frames.collect();
            format!("{frames:?} {} {:?} {}", steps(state.updated_at_ns), state.paused, state.blocks)
        }
        Current::None => "none".to_owned(),
        Current::Broken { updated_at_ns, .. } => format!("{:?}", updated_at_ns.map(steps)),
    };
    let asked: Vec<_> = world.asked.iter().map(|one| (one.wish, ago(one.at_ns))).collect();
    let model = Model {
        posted_ns: steps(model.posted_ns),
        inner_begun_ns: begun(model.inner_begun_ns),
        ..model.clone()
    };
    format!("{loop_now} {asked:?} {:?} {model:?}", world.turn)
}

/// Lets everything happen in every order. Returns how many sequences there were, and how many states.
fn explore(steps: &[(&str, Step)], terms: Terms) -> Result<(u64, usize), Differs> {
    let (world, model) = start(terms);
    let mut states = BTreeMap::from([(String::new(), (world, model, 1_u64))]);
    let (mut n_sequences, mut n_states) = (0, 0);
    for _ in 0..LENGTH {
        let mut next: BTreeMap<String, (World, Model, u64)> = BTreeMap::new();
        for (world, model, n_ways) in states.into_values() {
            for what in HAPPENINGS {
                let (mut world, mut model) = (world.clone(), model.clone());
                happen(steps, terms, what, &mut world, &mut model)
                    .map_err(|Differs(how)| Differs(format!("{terms:?}, after {what:?}: {how}")))?;
                n_sequences += n_ways;
                let entry = next.entry(key(&world, &model));
                entry.or_insert((world, model, 0)).2 += n_ways;
            }
        }
        n_states += next.len();
        states = next;
    }
    Ok((n_sequences, n_states))
}

#[test]
fn no_sequence_keeps_a_loop_past_its_limits_or_ends_one_that_should_go_on() {
    let (mut n_sequences, mut n_states) = (0, 0);
    for terms in TERMS {
        let (sequences, states) =
            explore(&STEPS, terms).unwrap_or_else(|Differs(how)| panic!("{how}"));
        n_sequences += sequences;
        n_states += states;
    }
    println!("{n_sequences} sequences of up to {LENGTH}, which lead to {n_states} states");
    let n_orders: u64 = (1..=LENGTH as u32).map(|length| 10_u64.pow(length)).sum();
    assert_eq!(n_sequences, n_orders * TERMS.len() as u64);
}

#[test]
fn without_any_one_step_it_goes_wrong() {
    for (idx, (name, _)) in STEPS.iter().enumerate() {
        let mut steps = STEPS.to_vec();
        steps.remove(idx);
        let goes_wrong = TERMS.iter().any(|terms| {
            std::panic::catch_unwind(|| explore(&steps, *terms)).map_or(true, |told| told.is_err())
        });
        assert!(goes_wrong, "`{name}` can be left out, and nothing is noticed");
    }
}

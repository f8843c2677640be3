//! Every type of every dialect reaches the views: which of them change, beyond when something was last seen and how much of it.
//!
//! Views are prepared with what comes before such an event: its producer was seen, the call that it ends ran, the pairing that it
//! completes began. What is told here changes whatever else an event of the type says.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use serde::Serialize;
use serde_json::{Value, json};
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_event::report::{
    Ask, Call, CallPhase, Finding, Frame, Lease, LeaseChange, Loop, LoopPhase, Part, PeerPhase,
    Report, TurnPhase, Work, WorkChange,
};
use weft_event::{Dialect, Facts, Level, Status, sample};

use crate::inbox::inbox;
use crate::stuck::stuck;
use crate::usage::By;
use crate::{Entry, Prices, Rules, Views};

/// Made-up events of each type.
const SEEDS: std::ops::Range<u64> = 1..13;
/// How long before an event its producer was seen.
const BEFORE_NS: i64 = 60_000_000_000;

/// The types that change nothing but when something was last seen, and how often, each with the reason.
const ONLY_SEEN: [(Dialect, &str, &str); 11] = [
    (Dialect::Idle, "topic", "names a channel; what is said in it comes as messages"),
    (Dialect::Collector, "system.heartbeat", "a heartbeat is when its agent was last seen"),
    (Dialect::Collector, "system.config_change", "of what changed it says nothing but its message"),
    (Dialect::Pinchy, "heartbeat.tick", "a heartbeat is when its component was last seen"),
    (Dialect::Needle, "heartbeat.emitted", "a heartbeat is when its worker was last seen"),
    (
        Dialect::Needle,
        "worker.state_transition",
        "the states are the worker's own; other events tell what it does",
    ),
    (Dialect::Weft, "subscription.changed", BOOKKEEPING),
    (Dialect::Weft, "subscription.acknowledged", BOOKKEEPING),
    (Dialect::Weft, "subscription.dead", BOOKKEEPING),
    (Dialect::Weft, "log.pruned", BOOKKEEPING),
    (Dialect::Weft, "log.redacted", BOOKKEEPING),
];

const BOOKKEEPING: &str = "bookkeeping of the log; no agent did anything";

/// What made-up events of some types leave out and real ones have, to be put into them.
fn more(event_type: &str) -> Option<Value> {
    let hook = |payload: Value| json!({"hook": {"raw_payload": payload}});
    Some(match event_type {
        "coordination.handoff" => json!({"metadata": {"task_id": "auth-7"}}),
        "activity.usage" => {
            json!({"metadata": {"usage": {"input_tokens": 900, "output_tokens": 40}}})
        }
        "activity.prompt" | "system.title" => json!({"message": "Mend the login form"}),
        "hook.task_created" | "hook.task_completed" => {
            hook(json!({"task_id": "7", "task_subject": "Mend the login form"}))
        }
        _ => return None,
    })
}

/// Returns the types of a dialect, each with the views that it changes.
fn table(dialect: Dialect) -> String {
    let mut lines = String::new();
    for row in dialect.taxonomy().rows() {
        let of_seed = |seed| changed(dialect, row.name, seed);
        let views = SEEDS.filter_map(of_seed).reduce(|all, one| &all & &one).unwrap_or_default();
        let why = ONLY_SEEN.iter().find(|(of, name, _)| (*of, *name) == (dialect, row.name));
        match (views.is_empty(), why) {
            (false, None) => {
                let views: Vec<&str> = views.into_iter().collect();
                lines += &format!("{}: {}\n", row.name, views.join(" "));
            }
            (true, Some((_, _, why))) => lines += &format!("{}: ({why})\n", row.name),
            (true, None) => panic!("{} changes no view, and is not on the list", row.name),
            (false, Some(_)) => panic!("{} is on the list, and changes {views:?}", row.name),
        }
    }
    lines
}

/// Returns the views that one event changes; `None` if its actor speaks to itself in it, which no real one does.
fn changed(dialect: Dialect, event_type: &str, seed: u64) -> Option<BTreeSet<&'static str>> {
    let mut line = sample::of_type(dialect, event_type, seed);
    if let Some(more) = more(event_type) {
        let mut event: Value = serde_json::from_str(&line).expect("made-up events are JSON");
        put(&mut event, more);
        line = event.to_string();
    }
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    let event = event::read(&mut tape, line.as_bytes(), Expect::Dialect(dialect), &mut problems);
    let event = event.unwrap_or_else(|| panic!("{line}: {problems:?}"));
    let mut facts = event.facts();
    facts.parent = None;
    if facts.actor.is_some() && facts.subject == facts.actor {
        return None;
    }
    let report = event.report(&facts);
    let at_ns = facts.time_ns.unwrap_or(BEFORE_NS);
    let mut views = Views::default();
    let (facts_before, report_before) = before(&facts, &report, at_ns);
    let entry = |position, facts, report| Entry {
        position,
        received_ns: at_ns,
        is_carried: false,
        facts,
        report,
    };
    views.apply(&entry(1, &facts_before, &report_before));
    let was = shown(&views, at_ns);
    views.apply(&entry(2, &facts, &report));
    let is = shown(&views, at_ns);
    Some(was.into_iter().zip(is).filter(|(was, is)| was != is).map(|((name, _), _)| name).collect())
}

/// Puts members into an object, and theirs into theirs.
fn put(into: &mut Value, more: Value) {
    match (into, more) {
        (Value::Object(members), Value::Object(more)) => {
            for (name, value) in more {
                put(members.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, more) => *into = more,
    }
}

/// Returns what the producer of an event said before it: that it is there, or the beginning of what the event ends.
fn before<'a>(facts: &Facts<'a>, report: &Report<'a>, at_ns: i64) -> (Facts<'a>, Report<'a>) {
    let mut seen = facts.clone();
    seen.event_type = "seen".into();
    seen.time_ns = Some(at_ns - BEFORE_NS);
    seen.order = facts.order.map(|order| order.saturating_sub(1));
    (seen.status, seen.ended, seen.level) = (None, false, Level::Info);
    (seen.message, seen.usage, seen.progress) = (None, None, None);
    let part = beginning(&report.part);
    if matches!(part, Part::Nothing) {
        (seen.task, seen.tool, seen.path, seen.span, seen.subject) = (None, None, None, None, None);
    } else if matches!(part, Part::Loop(_)) {
        seen.status = Some(Status::Progress);
        seen.actor = seen.actor.or_else(|| Some("loop-1".into()));
    } else if let Part::Lease(lease) = &report.part
        && facts.actor.as_ref().is_some_and(|actor| lease.actors.contains(actor))
    {
        // Who wants the file is not who has it.
        seen.actor = facts.subject.clone();
    }
    (seen, Report { part, place: report.place.clone() })
}

fn beginning<'a>(part: &Part<'a>) -> Part<'a> {
    match part {
        Part::Call(call)
            if call.phase != CallPhase::Proposed && call.phase != CallPhase::Running =>
        {
            Part::Call(Call { phase: CallPhase::Running, input: None, result: None })
        }
        Part::Turn(turn) if turn.phase != TurnPhase::Began => {
            let mut turn = turn.clone();
            (turn.phase, turn.words) = (TurnPhase::Began, None);
            Part::Turn(turn)
        }
        Part::Ask(ask) if ask.is_answer => Part::Ask(Ask { is_answer: false, ..ask.clone() }),
        Part::Work(work)
            if work.change != WorkChange::Created && work.change != WorkChange::Claimed =>
        {
            let is_free = [WorkChange::Tried, WorkChange::Retried, WorkChange::Exhausted];
            let is_free = is_free.contains(&work.change);
            let change = if is_free { WorkChange::Created } else { WorkChange::Claimed };
            let (child, attempt) = (None, None);
            Part::Work(Work { change, child, attempt, title: None, parent: None, lineage: None })
        }
        Part::Lease(lease) if lease.change != LeaseChange::Taken => {
            let (change, actors) = (LeaseChange::Taken, Vec::new());
            Part::Lease(Lease { change, actors, until_ns: None })
        }
        Part::Peer(peer) if peer.phase != PeerPhase::Started => {
            let mut peer = peer.clone();
            (peer.phase, peer.error) = (PeerPhase::Started, None);
            Part::Peer(peer)
        }
        Part::Finding(Finding::Recovered) => Part::Finding(Finding::Stuck),
        Part::Loop(told) if told.phase != LoopPhase::State => Part::Loop(Box::new(Loop {
            phase: LoopPhase::State,
            reason: None,
            frames: vec![frame()],
            paused: None,
            goal: None,
            next_step: None,
            request: None,
        })),
        Part::Nothing
        | Part::Heartbeat
        | Part::Words(_)
        | Part::Turn(_)
        | Part::Call(_)
        | Part::Ask(_)
        | Part::Wait { .. }
        | Part::Handoff
        | Part::Work(_)
        | Part::Plan(_)
        | Part::Decision(_)
        | Part::Loop(_)
        | Part::Run(_)
        | Part::Judge(_)
        | Part::Budget(_)
        | Part::Lease(_)
        | Part::Finding(_)
        | Part::Mail(_)
        | Part::Reply(_)
        | Part::Peer(_)
        | Part::Job(_)
        | Part::Config(_) => Part::Nothing,
    }
}

fn frame() -> Frame<'static> {
    Frame {
        id: "loop-1".into(),
        mode: "loop".into(),
        iter: 1,
        max: 10,
        issue: None,
        filter: None,
        branch: None,
    }
}

/// Returns the rows of every view, without when something was last seen and without counts.
fn shown(views: &Views, now_ns: i64) -> Vec<(&'static str, Value)> {
    let (rules, prices) = (Rules::default(), Prices::default());
    let windows = crate::files::Windows::default();
    let marks = crate::usage::BudgetMarks { warning: 0.8, critical: 0.95 };
    let file_rows = (views.files.rows(now_ns), views.files.collisions(now_ns, &windows));
    vec![
        ("fleet", gist(&views.fleet.rows(now_ns, &rules))),
        ("sessions", gist(&views.sessions.rows(now_ns, &views.usage, &prices))),
        ("traces", gist(&views.traces.rows())),
        ("work", gist(&(views.work.rows(now_ns), views.work.plans(now_ns)))),
        ("decisions", gist(&views.decisions.rows())),
        ("loops", gist(&views.loops.rows(now_ns, &rules))),
        ("runs", gist(&views.runs.rows(now_ns, &rules))),
        ("gateway", gist(&views.gateway.rows(now_ns, &rules))),
        ("usage", gist(&(views.usage.rows(By::Actor, &prices), views.usage.budgets(&marks)))),
        ("files", gist(&file_rows)),
        ("errors", gist(&views.errors.rows())),
        ("stuck", gist(&stuck(views, now_ns, &rules))),
        ("inbox", gist(&inbox(views, now_ns, &rules))),
    ]
}

fn gist(rows: &impl Serialize) -> Value {
    let mut rows = serde_json::to_value(rows).expect("rows can be written as JSON");
    forget_seen(&mut rows);
    rows
}

fn forget_seen(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(forget_seen),
        Value::Object(members) => {
            let is_seen = |name: &str| {
                let is_time = ["last_seen", "first_seen", "last_heartbeat"].contains(&name);
                let is_place = name.ends_with("position") || name == "positions";
                is_time || is_place || name.starts_with("n_") || name.ends_with("_ms")
            };
            members.retain(|name, _| !is_seen(name));
            members.values_mut().for_each(forget_seen);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn the_list_has_types_only() {
    for (dialect, name, _) in ONLY_SEEN {
        assert!(dialect.taxonomy().get(name).is_some(), "{name} is no type of {dialect:?}");
    }
}

#[test]
fn every_type_of_idle_changes_a_view() {
    assert_snapshot!(table(Dialect::Idle), @"
    STATE: fleet loops
    DONE: fleet loops
    ABORT: fleet loops
    ANCHOR: loops
    topic: (names a channel; what is said in it comes as messages)
    message: fleet
    trace.LOOP_START: fleet loops
    trace.ITERATION: fleet loops
    trace.COMPLETION: fleet loops
    trace.MAX_ITERATIONS: fleet loops
    trace.STALENESS: fleet loops
    trace.ABORT: fleet loops
    trace.REVIEW_GATE_BLOCKED: fleet inbox loops
    trace.REVIEW_ESCALATE: fleet inbox loops
    control.REQUEST: fleet loops
    control.ACK: loops
    control.RESULT: loops
    ");
}

#[test]
fn every_type_of_collector_changes_a_view() {
    assert_snapshot!(table(Dialect::Collector), @"
    lifecycle.started: fleet
    lifecycle.completed: fleet sessions
    lifecycle.error: errors fleet inbox sessions
    lifecycle.terminated: fleet sessions
    activity.thinking: fleet
    activity.tool_use: fleet
    activity.progress: fleet
    coordination.waiting: fleet inbox sessions
    coordination.blocked: fleet inbox sessions work
    coordination.handoff: work
    hook.session_start: fleet
    hook.session_end: fleet sessions
    hook.prompt_submit: fleet sessions
    hook.pre_tool_use: fleet
    hook.post_tool_use: fleet
    hook.permission_request: fleet inbox sessions
    hook.notification: fleet
    hook.stop: fleet sessions
    hook.subagent_stop: fleet sessions
    hook.pre_compact: fleet
    decision.made: decisions
    decision.rationale: decisions
    decision.rejected: decisions
    system.heartbeat: (a heartbeat is when its agent was last seen)
    system.config_change: (of what changed it says nothing but its message)
    system.error: errors fleet inbox sessions
    hook.subagent_start: fleet
    hook.user_prompt_expansion: fleet
    hook.message_display: fleet
    hook.post_tool_use_failure: errors fleet
    hook.post_tool_batch: fleet
    hook.post_compact: fleet
    hook.task_created: fleet work
    hook.task_completed: fleet work
    hook.worktree_create: fleet
    hook.worktree_remove: fleet
    hook.config_change: fleet
    hook.cwd_changed: fleet
    hook.file_changed: fleet
    hook.directory_added: fleet
    hook.pre_model_switch: fleet
    hook.post_model_switch: fleet
    hook.instructions_loaded: fleet
    hook.setup: fleet
    hook.elicitation: fleet inbox sessions
    hook.elicitation_result: fleet inbox
    hook.teammate_idle: fleet sessions
    hook.permission_denied: fleet inbox sessions
    hook.stop_failure: errors fleet inbox sessions
    activity.prompt: fleet sessions
    activity.message: fleet
    activity.tool_result: fleet
    activity.usage: sessions usage
    activity.turn_completed: fleet sessions
    activity.turn_failed: errors fleet inbox sessions
    activity.turn_aborted: fleet sessions
    system.title: sessions
    ");
}

#[test]
fn every_type_of_pinchy_changes_a_view() {
    assert_snapshot!(table(Dialect::Pinchy), @"
    channel.message.received: fleet gateway
    channel.message.edited: fleet gateway
    channel.message.deleted: gateway
    cron.triggered: fleet gateway
    heartbeat.tick: (a heartbeat is when its component was last seen)
    agent.turn.started: fleet gateway
    agent.turn.completed: fleet gateway sessions
    agent.turn.failed: errors fleet gateway inbox sessions
    agent.response.created: fleet gateway sessions usage
    tool.call.requested: fleet gateway
    tool.call.completed: fleet
    tool.call.failed: errors fleet
    pairing.started: fleet gateway sessions
    pairing.completed: fleet gateway
    pairing.failed: errors fleet gateway inbox sessions
    config.applied: gateway
    config.reverted: gateway
    ");
}

#[test]
fn every_type_of_engine_changes_a_view() {
    assert_snapshot!(table(Dialect::Engine), @"
    StateChanged: fleet runs
    UserMessage: fleet sessions
    AgentMessage: fleet
    AgentMessageChunk: fleet
    AgentMessageDone: fleet
    AgentActionProposed: fleet
    ToolCallStarted: fleet
    ToolCallChunk: fleet
    ToolCallFinished: fleet
    Observation: fleet
    PlanUpdated: fleet runs work
    TaskUpdated: fleet work
    JudgeResult: fleet runs
    Error: errors fleet inbox sessions
    ");
}

/// How many of the worker's types the first of two tables has.
const NEEDLE_FIRST: usize = 29;

#[test]
fn every_type_of_needle_changes_a_view() {
    let table = table(Dialect::Needle);
    let first: Vec<&str> = table.lines().take(NEEDLE_FIRST).collect();
    assert_snapshot!(first.join("\n"), @"
    worker.started: fleet
    worker.idle: fleet sessions
    worker.stopped: fleet sessions
    worker.draining: fleet
    bead.claimed: fleet work
    bead.prompt_built: fleet work
    bead.agent_started: fleet work
    bead.agent_completed: fleet work
    bead.completed: fleet work
    bead.failed: errors fleet inbox work
    bead.released: fleet work
    bead.claim_retry: fleet sessions
    bead.claim_exhausted: fleet inbox sessions work
    bead.mitosis.check: fleet work
    bead.mitosis.started: fleet work
    bead.mitosis.child_created: fleet work
    bead.mitosis.complete: fleet work
    bead.mitosis.failed: errors fleet inbox work
    bead.mitosis.skipped: fleet work
    strand.started: fleet
    strand.completed: fleet
    strand.fallthrough: fleet
    strand.skipped: fleet
    hook.started: fleet
    hook.completed: fleet
    hook.failed: errors fleet inbox
    heartbeat.emitted: (a heartbeat is when its worker was last seen)
    heartbeat.stuck_detected: inbox stuck
    heartbeat.recovery: inbox stuck
    ");
}

#[test]
fn every_further_type_of_needle_changes_a_view() {
    let table = table(Dialect::Needle);
    let rest: Vec<&str> = table.lines().skip(NEEDLE_FIRST).collect();
    assert_snapshot!(rest.join("\n"), @"
    mend.orphan_released: fleet work
    mend.heartbeat_cleaned: fleet
    mend.logs_pruned: fleet
    mend.completed: fleet
    unravel.alternatives_created: fleet work
    unravel.alternative_created: fleet work
    unravel.analysis_started: fleet work
    unravel.analysis_completed: fleet work
    weave.bead_created: fleet work
    weave.analysis_started: fleet
    weave.analysis_completed: fleet
    pulse.bead_created: fleet work
    pulse.scan_started: fleet
    pulse.scan_completed: fleet
    pulse.issue_detected: fleet
    pulse.detector_started: fleet
    pulse.detector_completed: fleet
    error.claim_failed: errors fleet inbox sessions work
    error.agent_crash: errors fleet inbox work
    error.timeout: errors fleet inbox work
    error.release_failed: errors fleet inbox sessions work
    effort.recorded: sessions usage work
    budget.warning: usage
    budget.exceeded: fleet inbox sessions usage
    budget.per_bead_exceeded: fleet inbox sessions usage
    file.checkout: files fleet
    file.conflict: files
    file.release: files fleet
    file.stale: files
    lock.priority_bump: files fleet sessions
    lock.priority_bump_received: files
    lock.expired: files
    bead.claim.attempted: fleet
    bead.claim.succeeded: fleet work
    bead.claim.race_lost: fleet sessions
    agent.dispatched: fleet work
    agent.completed: fleet work
    outcome.classified: fleet work
    outcome.handled: fleet work
    worker.booting: fleet
    worker.state_transition: (the states are the worker's own; other events tell what it does)
    worker.errored: errors fleet inbox sessions
    budget.stop: fleet inbox sessions usage
    ");
}

#[test]
fn every_type_of_weft_changes_a_view() {
    assert_snapshot!(table(Dialect::Weft), @"
    subscription.changed: (bookkeeping of the log; no agent did anything)
    subscription.acknowledged: (bookkeeping of the log; no agent did anything)
    subscription.dead: (bookkeeping of the log; no agent did anything)
    lease.changed: files fleet
    issue.changed: work
    log.pruned: (bookkeeping of the log; no agent did anything)
    log.redacted: (bookkeeping of the log; no agent did anything)
    ");
}

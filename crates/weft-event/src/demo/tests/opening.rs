//! What a newcomer sees within the first minute, whatever the seed.

use std::collections::BTreeSet;

use super::{START_NS, World, read};
use crate::Dialect;
use crate::json::Tape;
use crate::time::SECOND_NS;

/// Types that stand for what a newcomer shall see.
const SHOWN: &[&str] = &[
    // Collector: hooks, a subagent, a permission, and what agents say themselves.
    "hook.session_start",
    "hook.prompt_submit",
    "hook.pre_tool_use",
    "hook.post_tool_use",
    "hook.permission_request",
    "hook.subagent_start",
    "hook.subagent_stop",
    "hook.stop",
    "lifecycle.started",
    "lifecycle.completed",
    "lifecycle.error",
    "activity.progress",
    "coordination.waiting",
    "coordination.handoff",
    "coordination.blocked",
    "decision.made",
    "decision.rationale",
    "decision.rejected",
    // Idle: loops and how they end, anchors, the board, traces and control.
    "STATE",
    "DONE",
    "ABORT",
    "ANCHOR",
    "topic",
    "message",
    "trace.ITERATION",
    "trace.STALENESS",
    "control.REQUEST",
    "control.RESULT",
    // Needle: a failure, a stuck worker, a collision, a budget, and where beads come from.
    "worker.started",
    "worker.stopped",
    "bead.completed",
    "bead.failed",
    "bead.released",
    "error.agent_crash",
    "heartbeat.emitted",
    "heartbeat.stuck_detected",
    "heartbeat.recovery",
    "file.conflict",
    "lock.priority_bump",
    "lock.priority_bump_received",
    "budget.warning",
    "budget.exceeded",
    "effort.recorded",
    "bead.mitosis.complete",
    "unravel.analysis_completed",
    "weave.analysis_completed",
    "pulse.scan_completed",
    // Engine: a plan, actions, a judge.
    "PlanUpdated",
    "AgentActionProposed",
    "ToolCallFinished",
    "Observation",
];

/// What the judge, states, ends of loops and budgets say.
const SIGNS: &[&str] =
    &["fail", "pass", "AWAITING_USER", "step_budget", "COMPLETE", "USER_CANCELLED", "over budget"];

#[test]
fn the_first_minute_shows_everything_whatever_the_seed() {
    let (mut tape, mut missing) = (Tape::new(), Vec::new());
    for seed in 0..100 {
        let (mut types, mut signs) = (BTreeSet::new(), BTreeSet::new());
        let end_ns = START_NS + 60 * SECOND_NS;
        for moment in World::new(seed, START_NS).take_while(|moment| moment.due_ns < end_ns) {
            let event = read(&mut tape, &moment);
            let facts = event.facts();
            let payload = event.value().get("payload");
            let says = |name: &str| payload.and_then(|payload| payload.text_at(name));
            types.insert(facts.event_type.clone().into_owned());
            signs.extend(says("status").filter(|_| facts.event_type == "JudgeResult"));
            signs.extend(says("to").filter(|_| facts.event_type == "StateChanged"));
            signs.extend(says("reason").filter(|_| facts.event_type == "StateChanged"));
            let signs_of_idle = [facts.message.clone(), facts.parent.clone()];
            if facts.dialect == Dialect::Idle {
                signs.extend(signs_of_idle.into_iter().flatten());
            }
            let is_over = facts.usage.as_ref().is_some_and(|usage| usage.used > usage.limit);
            signs.extend(is_over.then_some("over budget".into()));
            signs = signs.into_iter().map(|sign| sign.into_owned().into()).collect();
        }
        let pinchy = Dialect::Pinchy.taxonomy().rows().iter().map(|row| row.name);
        let shown = SHOWN.iter().copied().chain(pinchy).filter(|&name| !types.contains(name));
        missing.extend(shown.map(|name| format!("seed {seed}: {name}")));
        let signs = SIGNS.iter().filter(|&&sign| !signs.contains(sign));
        missing.extend(signs.map(|sign| format!("seed {seed}: {sign}")));
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

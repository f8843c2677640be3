//! Every type of every dialect to every target and back: valid without a warning, the same facts, the same bytes.

mod batches;
mod document;
mod envelopes;
mod exports;
mod property;
mod single;

use crate::event::{self, Event, Expect};
use crate::facts::carried;
use crate::idle::Mode;
use crate::json::Tape;
use crate::problem::Problems;
use crate::testing::show;
use crate::translate::{
    Fill, Numbering, Origin, Target, Translated, Untranslatable, open, translate,
};
use crate::{Dialect, Facts, sample};

const DIALECTS: [Dialect; 5] =
    [Dialect::Idle, Dialect::Collector, Dialect::Pinchy, Dialect::Engine, Dialect::Needle];

/// Samples of each type: enough that every optional field is there in some and not in others.
const SEEDS: u64 = 6;

/// Everything that a target can demand.
fn everything() -> Fill {
    let text = |text: &str| Some(text.to_owned());
    Fill {
        tenant: text("acme"),
        agent: text("agent-1"),
        session: text("session-1"),
        time_ns: Some(1_700_000_000_000_000_000),
        tool: text("Bash"),
        mode: Some(Mode::Loop),
        prompt_file: text("/prompts/prompt.txt"),
        goal: text("Ship it"),
        next_step: text("Go on"),
        ..Fill::default()
    }
}

fn target(dialect: Dialect) -> Target {
    Target::parse(dialect.as_str()).expect("every dialect but Weft's own is a target")
}

fn with_event<T>(line: &str, then: impl FnOnce(&Event<'_>) -> T) -> T {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems);
    assert!(!problems.has_errors(), "{line}\n{}", show(&problems));
    then(&event.expect("a line without errors is an event"))
}

fn to(line: &str, target: Target, fill: &Fill) -> Result<Translated, Untranslatable> {
    with_event(line, |event| translate(event, target, fill, &mut Numbering::new()))
}

/// Checks a translation and the way back. `fill` is what was filled in on the way there.
fn assert_faithful(line: &str, there: &Translated, fill: &Fill) {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let read = event::read(&mut tape, there.line.as_bytes(), Expect::Any, &mut problems);
    assert_eq!(show(&problems), "fine", "{line}\n{}", there.line);
    let found = read.unwrap().facts();
    with_event(line, |source| {
        let mut wanted = source.facts();
        fill_in(&mut wanted, fill, &found);
        let differ: Vec<_> =
            carried::difference(&wanted, &found).into_iter().map(|(name, _)| name).collect();
        assert_eq!(differ, [""; 0], "{line}\n{}", there.line);
        let back = to(&there.line, target(source.dialect()), &Fill::default());
        assert_eq!(back.map(|back| back.line).as_deref(), Ok(line.trim()), "{}", there.line);
    });
    assert_eq!(there.losses, []);
}

/// Puts what was given where the source has nothing. A tool is filled in for tool calls only, so there the result decides.
fn fill_in<'a>(wanted: &mut Facts<'a>, fill: &'a Fill, found: &Facts<'a>) {
    let is_absent =
        |fact: &Option<std::borrow::Cow<'_, str>>| fact.as_deref().is_none_or(str::is_empty);
    let given = |text: &'a Option<String>| text.as_deref().map(std::borrow::Cow::Borrowed);
    for (fact, text) in [
        (&mut wanted.tenant, &fill.tenant),
        (&mut wanted.actor, &fill.agent),
        (&mut wanted.session, &fill.session),
        (&mut wanted.task, &fill.task),
    ] {
        if is_absent(fact) && text.is_some() {
            *fact = given(text);
        }
    }
    if is_absent(&wanted.tool) && found.tool.as_deref() == fill.tool.as_deref() {
        wanted.tool = given(&fill.tool);
    }
    wanted.time_ns = wanted.time_ns.or(fill.time_ns);
}

/// Returns samples of every type of every dialect.
fn samples() -> impl Iterator<Item = (Dialect, &'static str, String)> {
    DIALECTS.into_iter().flat_map(|dialect| {
        let rows = dialect.taxonomy().rows().iter();
        rows.flat_map(move |row| {
            let line = move |seed| sample::of_type(dialect, row.name, seed);
            (0..SEEDS).map(move |seed| (dialect, row.name, line(seed)))
        })
    })
}

#[test]
fn every_type_goes_to_every_dialect_and_back() {
    let fill = everything();
    let mut n_translated = 0;
    for (dialect, name, line) in samples() {
        for to_dialect in DIALECTS {
            match to(&line, target(to_dialect), &fill) {
                Ok(there) if to_dialect == dialect => assert_eq!(there.line, line),
                Ok(there) => {
                    assert_faithful(&line, &there, &fill);
                    n_translated += 1;
                }
                Err(Untranslatable::NoEquivalent { to, .. }) if to == to_dialect => {}
                Err(error) => panic!("{name} to {}: {error}\n{line}", to_dialect.as_str()),
            }
        }
    }
    assert!(n_translated > 2000, "only {n_translated} translations were checked");
}

#[test]
fn what_a_closed_dialect_cannot_say_is_listed() {
    let mut listed = String::new();
    for to_dialect in DIALECTS {
        for dialect in DIALECTS.into_iter().filter(|&dialect| dialect != to_dialect) {
            let without = |name: &str| {
                (0..SEEDS).any(|seed| {
                    let line = sample::of_type(dialect, name, seed);
                    to(&line, target(to_dialect), &everything()).is_err()
                })
            };
            let names = dialect.taxonomy().rows().iter().map(|row| row.name);
            let names: Vec<_> = names.filter(|name| without(name)).collect();
            if !names.is_empty() {
                let (from, to) = (dialect.as_str(), to_dialect.as_str());
                listed.push_str(&format!("{from} to {to}: {}\n", names.join(" ")));
            }
        }
    }
    insta::assert_snapshot!(listed, @"
    collector to idle: activity.thinking activity.tool_use coordination.waiting coordination.blocked coordination.handoff hook.prompt_submit hook.pre_tool_use hook.post_tool_use hook.permission_request hook.notification hook.stop hook.subagent_stop decision.made decision.rationale decision.rejected system.heartbeat system.config_change system.error hook.user_prompt_expansion hook.message_display hook.post_tool_use_failure hook.post_tool_batch hook.post_compact hook.task_created hook.task_completed hook.worktree_create hook.worktree_remove hook.config_change hook.cwd_changed hook.file_changed hook.directory_added hook.pre_model_switch hook.post_model_switch hook.instructions_loaded hook.setup hook.elicitation hook.elicitation_result hook.teammate_idle hook.permission_denied activity.prompt activity.message activity.tool_result activity.usage activity.turn_completed activity.turn_aborted system.title
    pinchy to idle: channel.message.received channel.message.edited channel.message.deleted cron.triggered heartbeat.tick agent.turn.started agent.turn.completed agent.response.created tool.call.requested tool.call.completed tool.call.failed pairing.started pairing.completed pairing.failed config.applied config.reverted
    engine to idle: StateChanged UserMessage AgentMessage AgentMessageChunk AgentMessageDone AgentActionProposed ToolCallStarted ToolCallChunk ToolCallFinished Observation PlanUpdated TaskUpdated JudgeResult
    needle to idle: worker.idle worker.draining bead.claimed bead.prompt_built bead.agent_started bead.agent_completed bead.released bead.claim_retry bead.claim_exhausted bead.mitosis.check bead.mitosis.started bead.mitosis.child_created bead.mitosis.complete bead.mitosis.failed bead.mitosis.skipped strand.started strand.completed strand.fallthrough strand.skipped hook.started hook.completed hook.failed heartbeat.emitted heartbeat.stuck_detected heartbeat.recovery mend.orphan_released mend.heartbeat_cleaned mend.logs_pruned mend.completed unravel.alternatives_created unravel.alternative_created unravel.analysis_started unravel.analysis_completed weave.bead_created weave.analysis_started weave.analysis_completed pulse.bead_created pulse.scan_started pulse.scan_completed pulse.issue_detected pulse.detector_started pulse.detector_completed error.claim_failed error.timeout error.release_failed effort.recorded budget.warning budget.exceeded budget.per_bead_exceeded file.checkout file.conflict file.release file.stale lock.priority_bump lock.priority_bump_received lock.expired bead.claim.attempted bead.claim.succeeded bead.claim.race_lost agent.dispatched agent.completed outcome.classified outcome.handled worker.state_transition budget.stop
    idle to pinchy: STATE ABORT ANCHOR topic message trace.ITERATION trace.STALENESS trace.ABORT trace.REVIEW_GATE_BLOCKED trace.REVIEW_ESCALATE control.REQUEST control.ACK control.RESULT
    collector to pinchy: lifecycle.terminated activity.thinking activity.progress coordination.waiting coordination.blocked coordination.handoff hook.permission_request hook.notification hook.pre_compact decision.made decision.rationale decision.rejected system.error hook.user_prompt_expansion hook.post_tool_batch hook.post_compact hook.task_created hook.task_completed hook.worktree_create hook.worktree_remove hook.cwd_changed hook.file_changed hook.directory_added hook.pre_model_switch hook.post_model_switch hook.instructions_loaded hook.setup hook.elicitation hook.elicitation_result hook.teammate_idle hook.permission_denied activity.usage activity.turn_aborted system.title
    engine to pinchy: StateChanged AgentMessageChunk AgentActionProposed ToolCallChunk Observation PlanUpdated TaskUpdated JudgeResult
    needle to pinchy: worker.idle worker.stopped worker.draining bead.claimed bead.released bead.claim_retry bead.claim_exhausted bead.mitosis.check bead.mitosis.started bead.mitosis.child_created bead.mitosis.complete bead.mitosis.failed bead.mitosis.skipped strand.started strand.completed strand.fallthrough strand.skipped heartbeat.stuck_detected heartbeat.recovery mend.orphan_released mend.heartbeat_cleaned mend.logs_pruned mend.completed unravel.alternatives_created unravel.alternative_created unravel.analysis_started unravel.analysis_completed weave.bead_created weave.analysis_started weave.analysis_completed pulse.bead_created pulse.scan_started pulse.scan_completed pulse.issue_detected pulse.detector_started pulse.detector_completed error.claim_failed error.timeout error.release_failed effort.recorded budget.warning budget.exceeded budget.per_bead_exceeded file.checkout file.conflict file.release file.stale lock.priority_bump lock.priority_bump_received lock.expired bead.claim.attempted bead.claim.succeeded bead.claim.race_lost outcome.classified outcome.handled worker.state_transition budget.stop
    ");
}

#[test]
fn every_type_goes_into_an_envelope_and_back() {
    for (dialect, name, line) in samples() {
        for (target, assert_proper) in envelopes::ENVELOPES {
            let there = to(&line, target, &Fill::default()).unwrap();
            assert_proper(&there.line);
            let mut tape = Tape::new();
            let opened = open(tape.parse(&there.line).unwrap(), &Fill::default()).unwrap();
            let [Ok(opened)] = &opened[..] else { panic!("{name}: {opened:?}") };
            assert_eq!((opened.dialect, opened.origin), (dialect, Origin::Original));
            assert_eq!(opened.line, line);
            assert_eq!((&there.losses[..], &opened.losses[..]), (&[][..], &[][..]));
        }
    }
}

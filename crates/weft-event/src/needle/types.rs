//! NEEDLE's event types: those of its document, then those that its producer is known to write beside them.

use std::borrow::Cow;

use crate::Level;
use crate::taxonomy::{EventType, Taxonomy, event_types};

/// How many of the types stand in the document.
pub const LISTED: usize = 61;

static TYPES: &[EventType] = event_types! {
    "worker.started" Started: "The worker has booted" ["data.version", "data.worker_name"] "the worker begins";
    "worker.idle" Waiting: "The worker has nothing to do" [] "it waits for work, which comes by itself";
    "worker.stopped" - ends: "The worker is gone" ["data.reason"] "the exit may be good or bad; the actor has ended";
    "worker.draining" Progress: "The worker finishes what it has and takes nothing new" [] "it still works";
    "bead.claimed" Started: "The worker has a bead" ["data.bead_id"] "work on the bead begins";
    "bead.prompt_built" Thinking: "The prompt for the agent is ready" ["data.bead_id"] "as with a prompt sent by a person, the model is next";
    "bead.agent_started" Thinking: "The agent works on the bead" ["data.bead_id"] "the model is at work until agent_completed; which tools it runs is not told";
    "bead.agent_completed" Progress: "The agent's process is done with the bead" ["data.bead_id", "data.duration_ms"] "what became of the bead is told by a later event";
    "bead.completed" Completed: "The bead is done" ["data.bead_id", "data.duration_ms"] "the one type that says so";
    "bead.failed" Error: "The work on the bead failed" ["data.bead_id", "data.error"] "the work failed";
    "bead.released" -: "The bead goes back to the queue" ["data.bead_id"] "follows crashes as well as finished work, so what came before stays";
    "bead.claim_retry" Waiting: "A claim did not succeed and is tried again" ["data.bead_id", "data.attempt"] "it waits for its next try";
    "bead.claim_exhausted" Blocked: "The worker gave up claiming the bead" ["data.bead_id"] "more tries will not help";
    "bead.mitosis.check" Thinking: "It considers whether the bead is too large" ["data.bead_id"] "a judgement is being made";
    "bead.mitosis.started" Progress: "The bead is being split" ["data.bead_id"] "a step in the work";
    "bead.mitosis.child_created" Progress: "A smaller bead was split off" ["data.bead_id", "data.child_id"] "a step in the work";
    "bead.mitosis.complete" Progress: "The bead has been split" ["data.bead_id"] "the split is done, the work is not";
    "bead.mitosis.failed" Error: "The bead could not be split" ["data.bead_id", "data.error"] "it failed; the next event tells how the worker goes on";
    "bead.mitosis.skipped" Progress: "The bead need not be split" ["data.bead_id"] "a step in the work";
    "strand.started" Progress: "One way of finding work is tried" ["data.strand"] "a step in the worker's round; the worker began earlier";
    "strand.completed" Progress: "One way of finding work was gone through" ["data.strand", "data.duration_ms"] "the round goes on; no bead is done by it";
    "strand.fallthrough" Progress: "A strand found nothing to do" ["data.strand"] "the next strand is tried; worker.idle tells when all are";
    "strand.skipped" Progress: "A strand was left out" ["data.strand", "data.reason"] "the next strand is tried";
    "hook.started" ToolUse: "A hook runs" ["data.hook"] "a hook is a program, run as a tool is";
    "hook.completed" Progress: "A hook has run" ["data.hook", "data.duration_ms"] "the hook is over, the work is not";
    "hook.failed" Error: "A hook ran and failed" ["data.hook", "data.error"] "it failed; the next event tells how the worker goes on";
    "heartbeat.emitted" -: "The worker is alive" ["data.status"] "being alive changes nothing; a status word in `data.status` counts";
    "heartbeat.stuck_detected" -: "A worker seems stuck" ["data.worker_id", "data.since"] "says something about the worker in `data.worker_id`, not about its writer";
    "heartbeat.recovery" -: "A worker that seemed stuck moves again" ["data.worker_id"] "says something about the worker in `data.worker_id`, not about its writer";
    "mend.orphan_released" Progress: "A bead without a living worker was put back" ["data.bead_id"] "a step in the upkeep";
    "mend.heartbeat_cleaned" Progress: "The heartbeat of a worker that is gone was removed" ["data.worker_id"] "a step in the upkeep";
    "mend.logs_pruned" Progress: "Old logs were deleted" ["data.bytes_freed"] "a step in the upkeep";
    "mend.completed" Progress: "A round of upkeep is over" ["data.duration_ms"] "the worker goes on; no bead is done by it";
    "unravel.alternatives_created" Progress: "Other ways to do a bead were laid out" ["data.parent_bead_id", "data.count"] "a step in the work";
    "unravel.alternative_created" Progress: "One other way to do a bead was laid out" ["data.parent_bead_id", "data.child_bead_id"] "a step in the work";
    "unravel.analysis_started" Thinking: "It looks for other ways to do a bead" ["data.bead_id"] "it reasons";
    "unravel.analysis_completed" Progress: "The search for other ways is over" ["data.bead_id", "data.duration_ms"] "the analysis is over, the work is not";
    "weave.bead_created" Progress: "A gap in the documentation became a bead" ["data.bead_id", "data.file", "data.line"] "a step in the work";
    "weave.analysis_started" Thinking: "It looks for gaps in the documentation" [] "it reasons";
    "weave.analysis_completed" Progress: "The search for gaps is over" ["data.gaps_found", "data.duration_ms"] "the analysis is over, the work is not";
    "pulse.bead_created" Progress: "A health problem became a bead" ["data.bead_id", "data.detector"] "a step in the work";
    "pulse.scan_started" Progress: "A health scan runs" [] "detectors run, nothing reasons";
    "pulse.scan_completed" Progress: "A health scan is over" ["data.issues_found", "data.duration_ms"] "the scan is over, the worker goes on";
    "pulse.issue_detected" Progress: "A scan found a problem" ["data.detector", "data.severity"] "the problem is the code's, not the worker's";
    "pulse.detector_started" Progress: "One detector of a scan runs" ["data.detector"] "a step in the scan";
    "pulse.detector_completed" Progress: "One detector of a scan is done" ["data.detector", "data.duration_ms"] "a step in the scan";
    "error.claim_failed" Error: "A claim failed" ["data.bead_id", "data.error"] "it failed";
    "error.agent_crash" Error: "The agent's process crashed" ["data.bead_id", "data.error", "data.exit_code"] "it failed";
    "error.timeout" Error: "Something took too long and was given up" ["data.bead_id", "data.duration_ms"] "it failed";
    "error.release_failed" Error: "A bead could not be put back" ["data.bead_id", "data.error"] "it failed";
    "effort.recorded" -: "What a bead has used so far" ["data.bead_id", "data.tokens", "data.cost"] "a measurement, not a change";
    "budget.warning" -: "A budget is nearly used up" ["data.used", "data.limit", "data.percentage"] "the worker goes on as before";
    "budget.exceeded" Blocked: "A budget is used up" ["data.used", "data.limit"] "a person has to allow more";
    "budget.per_bead_exceeded" Blocked: "The budget of one bead is used up" ["data.bead_id", "data.used", "data.limit"] "a person has to allow more for this bead";
    "file.checkout" Progress: "The worker holds a file for editing" ["data.path"] "a step in the work";
    "file.conflict" -: "Several workers want one file" ["data.path", "data.workers"] "says who collides, not that its writer stops";
    "file.release" Progress: "The worker let go of a file" ["data.path"] "a step in the work";
    "file.stale" -: "A file is held by nobody who works on it" ["data.path"] "says something about a lock, not about the worker";
    "lock.priority_bump" Waiting: "The worker asks the holder of a lock to hurry" ["data.path", "data.worker_id"] "it waits until the lock is free";
    "lock.priority_bump_received" -: "Another worker asks this one to hurry with a lock" ["data.path", "data.from_worker"] "the worker goes on as before";
    "lock.expired" -: "A lock was held past its time" ["data.path"] "says something about a lock, not about the worker";
    "bead.claim.attempted" Progress: "The worker tries to get a bead" ["data.bead_id"] "a step in the worker's round";
    "bead.claim.succeeded" Started: "The worker has a bead" ["data.bead_id"] "as bead.claimed";
    "bead.claim.race_lost" Waiting: "Another worker got the bead first" ["data.bead_id"] "as bead.claim_retry";
    "agent.dispatched" Thinking: "The agent was given the bead" ["data.bead_id"] "as bead.agent_started";
    "agent.completed" Progress: "The agent's process is done" ["data.bead_id", "data.duration_ms"] "as bead.agent_completed";
    "outcome.classified" Progress: "It was judged what became of the bead" ["data.bead_id"] "the outcome may be good or bad; the event of that outcome tells";
    "outcome.handled" Progress: "What follows from the outcome was done" ["data.bead_id"] "the outcome may be good or bad; the event of that outcome tells";
    "worker.booting" Started: "The worker is starting up" [] "the worker begins";
    "worker.state_transition" -: "The worker moved from one of its states to another" ["data"] "the states are the producer's own; the events around it have the status";
    "worker.errored" Error: "The worker failed" ["data.error"] "it failed";
    "budget.stop" Blocked: "The worker stops because a budget is used up" ["data.used", "data.limit"] "a person has to allow more";
};

/// The event types, those of the document first.
pub static TAXONOMY: Taxonomy = Taxonomy::new(TYPES);

/// The type of an event: one of the known, or any other name, kept as it is.
#[derive(Clone, Debug)]
pub enum NeedleType<'a> {
    /// It has a row in the taxonomy.
    Known(&'static EventType),
    /// It has none.
    Unknown(Cow<'a, str>),
}

impl<'a> NeedleType<'a> {
    /// Returns the type of a name.
    pub fn of(name: Cow<'a, str>) -> Self {
        match TAXONOMY.get(&name) {
            Some(row) => NeedleType::Known(row),
            None => NeedleType::Unknown(name),
        }
    }

    /// Returns the name on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            NeedleType::Known(row) => row.name,
            NeedleType::Unknown(name) => name,
        }
    }

    /// Returns what stands before the first dot; the whole name if it has none.
    pub fn category(&self) -> &str {
        let name = self.as_str();
        name.split_once('.').map_or(name, |(category, _)| category)
    }
}

/// Returns how loud an event of this type is: `error.*` is an error, `*.failed` and `*.retry` warn, `debug.*` is for debugging.
///
/// Taken by the letter, with whole segments: `bead.claim_retry` and `bead.claim_exhausted` are ordinary.
pub fn level(event_type: &str) -> Level {
    if event_type.starts_with("error.") {
        Level::Error
    } else if event_type.ends_with(".failed") || event_type.ends_with(".retry") {
        Level::Warn
    } else if event_type.starts_with("debug.") {
        Level::Debug
    } else {
        Level::Info
    }
}

//! What a NEEDLE event reports beyond its facts: what becomes of beads, and what workers find.

use std::borrow::Cow;

use super::{EVENT, LEGACY_EVENT, LEGACY_FLAT};
use crate::facts::Facts;
use crate::json::Value;
use crate::report::read::{names, text, text_of};
use crate::report::{
    Budget, Call, CallPhase, Finding, Lease, LeaseChange, Lineage, Part, Place, Report, Work,
    WorkChange,
};
use crate::shape::Fields;
use crate::time;

/// What the machine is called, where an event says.
const HOST: [&str; 2] = ["host", "hostname"];

pub(super) fn report<'a>(fields: &Fields<'a>, facts: &Facts<'a>) -> Report<'a> {
    const DATA: usize = EVENT.slot("data");
    const LEGACY_DATA: usize = LEGACY_EVENT.slot("data");
    const LEGACY_WORKER: usize = LEGACY_EVENT.slot("worker");
    const WORKSPACE: usize = EVENT.slot("workspace");
    let (data, workspace, worker) = if std::ptr::eq(fields.shape(), &LEGACY_EVENT) {
        (fields.get(LEGACY_DATA), fields.other("workspace"), fields.get(LEGACY_WORKER))
    } else if std::ptr::eq(fields.shape(), &LEGACY_FLAT) {
        (Some(fields.object()), fields.other("workspace"), None)
    } else {
        (fields.get(DATA), fields.get(WORKSPACE), None)
    };
    let host = |of: Value<'a>| text_of(of, &HOST);
    let place = Place {
        host: data
            .and_then(host)
            .or_else(|| HOST.iter().find_map(|name| text(fields.other(name)?))),
        folder: workspace.and_then(text),
        model: worker.and_then(|worker| text_of(worker, &["model"])),
        ..Place::default()
    };
    let part = data.map_or(Part::Nothing, |data| part(data, facts));
    Report { part, place: place.boxed() }
}

fn part<'a>(data: Value<'a>, facts: &Facts<'a>) -> Part<'a> {
    let event_type = facts.event_type.as_ref();
    match event_type {
        "heartbeat.emitted" => Part::Heartbeat,
        "heartbeat.stuck_detected" => Part::Finding(Finding::Stuck),
        "heartbeat.recovery" => Part::Finding(Finding::Recovered),
        "mend.heartbeat_cleaned" => Part::Finding(Finding::Gone),
        "budget.warning" => Part::Budget(Budget::Warning),
        "budget.exceeded" | "budget.stop" => Part::Budget(Budget::Exceeded),
        "budget.per_bead_exceeded" => Part::Budget(Budget::TaskExceeded),
        "hook.started" => Part::Call(call(data, CallPhase::Running)),
        "hook.completed" => Part::Call(call(data, CallPhase::Completed)),
        "hook.failed" => Part::Call(call(data, CallPhase::Failed)),
        "file.checkout" => Part::Lease(lease(data, LeaseChange::Taken, facts)),
        "file.release" => Part::Lease(lease(data, LeaseChange::Released, facts)),
        "file.conflict" => Part::Lease(lease(data, LeaseChange::Conflict, facts)),
        "file.stale" => Part::Lease(lease(data, LeaseChange::Stale, facts)),
        "lock.expired" => Part::Lease(lease(data, LeaseChange::Expired, facts)),
        "lock.priority_bump" | "lock.priority_bump_received" => {
            Part::Lease(lease(data, LeaseChange::Wanted, facts))
        }
        _ => match change(event_type) {
            Some((change, lineage)) if facts.task.is_some() => {
                Part::Work(work(data, facts, change, lineage))
            }
            Some(_) | None => Part::Nothing,
        },
    }
}

/// Returns what an event of this type says of its bead, and how a bead that is new came to be.
fn change(event_type: &str) -> Option<(WorkChange, Option<Lineage>)> {
    let change = match event_type {
        "bead.claim.attempted" => WorkChange::Tried,
        "bead.claim_retry" | "bead.claim.race_lost" => WorkChange::Retried,
        "bead.claim_exhausted" => WorkChange::Exhausted,
        "bead.claimed" | "bead.claim.succeeded" => WorkChange::Claimed,
        // A bead that is being looked at, or that could not be split, is in the hands of its worker as before.
        "bead.prompt_built"
        | "bead.agent_started"
        | "agent.dispatched"
        | "bead.mitosis.check"
        | "bead.mitosis.started"
        | "bead.mitosis.skipped"
        | "bead.mitosis.failed" => WorkChange::Worked,
        "bead.agent_completed" | "agent.completed" | "outcome.classified" | "outcome.handled" => {
            WorkChange::Handled
        }
        "bead.completed" => WorkChange::Completed,
        "bead.failed" | "error.agent_crash" | "error.timeout" => WorkChange::Failed,
        "bead.released" | "mend.orphan_released" => WorkChange::Released,
        "bead.mitosis.complete" => WorkChange::Split,
        "bead.mitosis.child_created" => return Some((WorkChange::Split, Some(Lineage::Child))),
        "unravel.alternative_created" => {
            return Some((WorkChange::Created, Some(Lineage::Alternative)));
        }
        "weave.bead_created" => return Some((WorkChange::Created, Some(Lineage::Weave))),
        "pulse.bead_created" => return Some((WorkChange::Created, Some(Lineage::Pulse))),
        _ => return None,
    };
    Some((change, None))
}

fn work<'a>(
    data: Value<'a>,
    facts: &Facts<'a>,
    change: WorkChange,
    lineage: Option<Lineage>,
) -> Work<'a> {
    let mut work = Work { lineage, ..Work::of(change) };
    let mut child = None;
    for (key, member) in data.members() {
        match key.name().as_ref() {
            b"title" => work.title = text(member),
            b"parent_bead_id" => {
                work.parent = text(member).filter(|parent| Some(parent) != facts.task.as_ref());
            }
            b"child_id" => work.child = text(member),
            b"child_bead_id" => child = text(member),
            b"attempt" => work.attempt = member.as_u64(),
            _ => {}
        }
    }
    work.child = work.child.or(child);
    work
}

fn call<'a>(data: Value<'a>, phase: CallPhase) -> Call<'a> {
    Call {
        phase,
        input: data.get("input"),
        result: data.get("error").or_else(|| data.get("output")),
    }
}

/// Reads who wants a file: of a conflict all who do, of a wish to get it soon whoever has it.
fn lease<'a>(data: Value<'a>, change: LeaseChange, facts: &Facts<'a>) -> Lease<'a> {
    let actors: Vec<Cow<'a, str>> = match change {
        LeaseChange::Conflict => data.get("workers").map(names).unwrap_or_default(),
        LeaseChange::Wanted if facts.event_type == "lock.priority_bump" => {
            facts.actor.iter().cloned().collect()
        }
        LeaseChange::Wanted => facts.subject.iter().cloned().collect(),
        LeaseChange::Taken | LeaseChange::Released | LeaseChange::Stale | LeaseChange::Expired => {
            Vec::new()
        }
    };
    let until = text_of(data, &["until", "expires_at"]);
    Lease { change, actors, until_ns: until.and_then(|until| time::parse_rfc3339(&until)) }
}

//! Where needs come from.

use std::collections::HashSet;

use weft_event::Status;
use weft_event::report::{AskKind, in_words};

use super::{Need, NeedKind, command, silence};
use crate::fleet::{Actor, Asked, Deadlock, Edge, Producer, Run, State, elapsed_ms};
use crate::loops::PAUSED_BY_A_PERSON;
use crate::stuck::{Rule, Stuck, stuck};
use crate::{At, Rules, Views};

/// The state of a run that waits for a person.
const AWAITING_USER: &str = "AWAITING_USER";
/// The reason of such a state where a budget is used up.
const STEP_BUDGET: &str = "step_budget";

/// What a need is made of.
struct Cause<'v> {
    kind: NeedKind,
    /// What tells this cause from others of its kind and actor.
    key: String,
    since_ns: i64,
    what: String,
    position: u64,
    session: Option<&'v str>,
    task: Option<&'v str>,
}

impl Cause<'_> {
    fn need(self, actor: &str) -> Need {
        Need {
            id: format!("{}/{actor}/{}", self.kind.as_str(), self.key),
            kind: self.kind,
            actor: actor.to_owned(),
            session: self.session.map(str::to_owned),
            task: self.task.map(str::to_owned),
            since: At(self.since_ns),
            what: self.what,
            positions: vec![self.position],
            command: match self.kind {
                NeedKind::Failed => command::show(self.position),
                NeedKind::Permission
                | NeedKind::Answer
                | NeedKind::Blocked
                | NeedKind::Deadlock
                | NeedKind::OverBudget
                | NeedKind::Stuck
                | NeedKind::Collision
                | NeedKind::Idle => command::session(self.session, actor),
            },
        }
    }
}

/// Returns what single actors need: what they ask for, and what they cannot do without help.
pub(super) fn of_actors(views: &Views, now_ns: i64, rules: &Rules) -> Vec<Need> {
    let mut needs = Vec::new();
    for (name, actor) in views.fleet.actors() {
        let is_kept = |since_ns| elapsed_ms(since_ns, now_ns) <= rules.need_kept_ms;
        let mut causes = Vec::new();
        if !views.fleet.is_gone(name, actor) {
            for producer in actor.producers() {
                causes.extend(asked(producer, rules));
            }
            causes.retain(|cause| is_kept(cause.since_ns));
        }
        if causes.is_empty() {
            causes.extend(in_trouble(views, name, actor, now_ns, rules));
        }
        if causes.is_empty() {
            continue;
        }
        let task = actor.task();
        needs.extend(causes.into_iter().map(|cause| Cause { task, ..cause }.need(name)));
    }
    needs
}

/// Returns what a session asks a person for. A run that waits for a person because it asked one waits for that answer.
fn asked<'v>(producer: &'v Producer, rules: &Rules) -> Vec<Cause<'v>> {
    let asks = producer.open_asks();
    let mut causes: Vec<Cause<'v>> = asks
        .iter()
        .filter_map(|(position, asked)| ask(producer, *position, asked, rules))
        .collect();
    let waits = producer.open_state().filter(|(_, state)| state.state == AWAITING_USER);
    if let (Some((position, state)), true) = (waits, asks.is_empty()) {
        causes.push(awaited(producer, position, state));
    }
    causes
}

fn ask<'v>(
    producer: &'v Producer,
    position: u64,
    asked: &Asked,
    rules: &Rules,
) -> Option<Cause<'v>> {
    let kind = match asked.kind.0 {
        AskKind::Permission => NeedKind::Permission,
        AskKind::Answer => NeedKind::Answer,
        AskKind::Idle if rules.is_idle_a_need => NeedKind::Idle,
        AskKind::Idle => return None,
    };
    let what = match asked.kind.0 {
        AskKind::Permission => "asks for permission",
        AskKind::Answer => "waits for an answer",
        AskKind::Idle => "has nothing to do",
    };
    Some(Cause {
        kind,
        key: asked.id.clone().unwrap_or_else(|| position.to_string()),
        since_ns: asked.at_ns,
        what: asked.what.clone().unwrap_or_else(|| what.to_owned()),
        position,
        session: producer.session(),
        task: None,
    })
}

fn awaited<'v>(producer: &'v Producer, position: u64, state: &State) -> Cause<'v> {
    let is_budget = state.reason.as_deref() == Some(STEP_BUDGET);
    let what = match &state.reason {
        Some(reason) => format!("the run waits for a person: {}", worded(reason)),
        None => "the run waits for a person".to_owned(),
    };
    Cause {
        kind: if is_budget { NeedKind::OverBudget } else { NeedKind::Answer },
        key: position.to_string(),
        since_ns: state.at_ns,
        what,
        position,
        session: producer.session(),
        task: None,
    }
}

/// Returns why an actor is blocked or has failed, if that is the last that it said.
fn in_trouble<'v>(
    views: &'v Views,
    name: &str,
    actor: &'v Actor,
    now_ns: i64,
    rules: &Rules,
) -> Option<Cause<'v>> {
    let speaker = actor.speaker()?;
    // Most are in no trouble by their own words, and only the end of a loop can say otherwise.
    let is_in_trouble = matches!(speaker.status(), Some(Status::Blocked | Status::Error));
    if !is_in_trouble && speaker.looped_ns().is_none() {
        return None;
    }
    let run: Run = views.fleet.run(actor)?;
    let trouble = speaker.trouble().map(|(_, trouble)| trouble);
    // A budget is told by its own record.
    if trouble.is_some_and(|trouble| trouble.is_budget) && run.status.0 == Status::Blocked {
        return None;
    }
    let (kind, kept_ms) = match run.status.0 {
        Status::Blocked if views.fleet.is_gone(name, actor) => return None,
        Status::Blocked => (NeedKind::Blocked, rules.need_kept_ms),
        Status::Error => (NeedKind::Failed, rules.failed_kept_ms),
        Status::Started
        | Status::Thinking
        | Status::ToolUse
        | Status::Progress
        | Status::Waiting
        | Status::Completed => return None,
    };
    let end = views.fleet.loop_end(actor).and_then(|end| end.reason.as_deref());
    let said = end.or_else(|| trouble?.what.as_deref());
    let cause = Cause {
        kind,
        key: run.since_position.to_string(),
        since_ns: run.since_ns,
        what: worded(said.unwrap_or(run.status.0.as_str())),
        position: run.newest_position,
        session: speaker.session(),
        task: None,
    };
    (elapsed_ms(run.newest_ns, now_ns) <= kept_ms).then_some(cause)
}

/// Returns what was said, in words where it is a code.
fn worded(said: &str) -> String {
    match in_words(said) {
        Some(words) => format!("{words} ({said})"),
        None => said.to_owned(),
    }
}

/// Adds the loops that a person has to look at before they go on. Their trace may have asked for the same, without saying how they do.
/// One that somebody paused waits because a person wants it to.
pub(super) fn add_loops(views: &Views, needs: &mut Vec<Need>, now_ns: i64, rules: &Rules) {
    for row in views.loops.rows(now_ns, rules) {
        let Some(waits) = row.waits() else { continue };
        let is_wanted = row.paused.as_deref() == Some(PAUSED_BY_A_PERSON);
        if is_wanted || elapsed_ms(row.last_seen.0, now_ns) > rules.need_kept_ms {
            continue;
        }
        let is_same = |need: &mut Need| need.kind == NeedKind::Answer && need.actor == row.run;
        let asked = needs.extract_if(.., is_same).flat_map(|need| need.positions);
        let mut positions: Vec<u64> = asked.chain(row.position).collect();
        positions.sort_unstable();
        positions.dedup();
        let why = row.paused.as_deref().unwrap_or_default();
        needs.push(Need {
            id: format!("{}/{}/{why}", NeedKind::Answer.as_str(), row.run),
            kind: NeedKind::Answer,
            what: format!("it waits for a person: {waits}"),
            command: command::resume(row.session.as_deref()),
            task: row.frames.last().and_then(|frame| frame.issue.clone()),
            actor: row.run,
            session: row.session,
            since: row.last_seen,
            positions,
        });
    }
}

/// Returns the waiting between actors that will not end by itself.
pub(super) fn of_deadlocks(views: &Views) -> Vec<Need> {
    views.fleet.deadlocks().iter().map(|deadlock| deadlocked(views, deadlock)).collect()
}

fn deadlocked(views: &Views, deadlock: &Deadlock) -> Need {
    let (edges, what): (&[Edge], String) = match deadlock {
        Deadlock::Circle(edges) => {
            let names: Vec<&str> = edges.iter().map(|edge| edge.actor.as_str()).collect();
            let first = names.first().copied().unwrap_or_default();
            (edges, format!("wait for each other: {}, {first}", names.join(", ")))
        }
        Deadlock::Gone(edge) => {
            (std::slice::from_ref(edge), format!("waits for {}, who is gone", edge.on))
        }
        Deadlock::Unknown(edge) => {
            (std::slice::from_ref(edge), format!("waits for {}, who was never seen", edge.on))
        }
    };
    let first = &edges[0];
    let actor = views.fleet.actor(&first.actor);
    let mut positions: Vec<u64> = edges.iter().map(|edge| edge.position).collect();
    positions.sort_unstable();
    let key: Vec<String> = positions.iter().map(u64::to_string).collect();
    Need {
        id: format!("{}/{}/{}", NeedKind::Deadlock.as_str(), first.actor, key.join("-")),
        kind: NeedKind::Deadlock,
        actor: first.actor.clone(),
        session: actor.and_then(|actor| actor.speaker()?.session().map(str::to_owned)),
        task: actor.and_then(|actor| actor.task().map(str::to_owned)),
        since: At(edges.iter().map(|edge| edge.since_ns).max().unwrap_or_default()),
        what,
        positions,
        command: command::actor_log(&first.on),
    }
}

/// Returns who is stuck, apart from those who need a person for a reason that is known better.
pub(super) fn of_stuck(views: &Views, known: &[Need], now_ns: i64, rules: &Rules) -> Vec<Need> {
    let names: HashSet<&str> = known.iter().map(|need| need.actor.as_str()).collect();
    let mut stuck = stuck(views, now_ns, rules);
    stuck.retain(|stuck| !names.contains(stuck.actor.as_str()));
    let need = |stuck: Stuck| Need {
        id: stuck.id,
        kind: NeedKind::Stuck,
        command: match stuck.session.as_deref() {
            Some(session) if stuck.rules.contains(&Rule::Stale) => command::resume(Some(session)),
            session => command::session(session, &stuck.actor),
        },
        actor: stuck.actor,
        session: stuck.session,
        task: stuck.task,
        since: stuck.since,
        what: stuck.what,
        positions: stuck.positions,
    };
    silence::once(views, known, stuck).into_iter().map(need).collect()
}

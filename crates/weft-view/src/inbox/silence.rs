//! A session that is silent is one cause, by however many names it is told of: hooks name the main agent after the session, and the
//! agent may report under a name of its own. A subagent is silent for itself.

use std::collections::HashMap;

use super::{Need, NeedKind};
use crate::Views;
use crate::fleet::is_main_agent;
use crate::stuck::{Rule, Stuck};

/// Returns who is stuck, those once who are the agent of one silent session. A session that waits for a person is silent for that.
pub(super) fn once(views: &Views, known: &[Need], all: Vec<Stuck>) -> Vec<Stuck> {
    let own_session = |name: &str| views.fleet.actor(name)?.speaker()?.own_session();
    let mut silent: HashMap<&str, Vec<Stuck>> = HashMap::new();
    let mut once = Vec::new();
    for stuck in all {
        match own_session(&stuck.actor).filter(|_| stuck.rules.contains(&Rule::Silent)) {
            Some(session) => silent.entry(session).or_default().push(stuck),
            None => once.push(stuck),
        }
    }
    let waits = |need: &&Need| {
        let session = own_session(&need.actor);
        is_waiting(need.kind) && session.is_some() && need.session.as_deref() == session
    };
    let waiting: HashMap<Option<&str>, &Need> =
        known.iter().filter(waits).map(|need| (need.session.as_deref(), need)).collect();
    for (session, told) in silent {
        let waiting = waiting.get(&Some(session)).map(|need| &need.actor);
        let mut names = told.iter().map(|stuck| &stuck.actor).chain(waiting);
        if !names.any(|name| is_main_agent(name, session)) {
            once.extend(told);
        } else if waiting.is_none() {
            once.extend(one(session, told));
        }
    }
    once
}

/// Returns whether it waits for a person who is known to be needed.
fn is_waiting(kind: NeedKind) -> bool {
    match kind {
        NeedKind::Permission | NeedKind::Answer | NeedKind::Blocked => true,
        NeedKind::Deadlock
        | NeedKind::OverBudget
        | NeedKind::Failed
        | NeedKind::Stuck
        | NeedKind::Collision
        | NeedKind::Idle => false,
    }
}

/// Makes one of all that a silent session is told by: what the most telling rule says, of the agent by its own name.
fn one(session: &str, mut told: Vec<Stuck>) -> Option<Stuck> {
    let key = |stuck: &Stuck| (stuck.rule, is_main_agent(&stuck.actor, session));
    told.sort_by(|a, b| (key(a), &a.actor).cmp(&(key(b), &b.actor)));
    let since = told.iter().map(|stuck| stuck.since).min()?;
    let mut positions: Vec<u64> = told.iter().flat_map(|stuck| stuck.positions.clone()).collect();
    positions.sort_unstable();
    positions.dedup();
    let task = told.iter().find_map(|stuck| stuck.task.clone());
    Some(Stuck { since, positions, task, ..told.into_iter().next()? })
}

#[cfg(test)]
mod tests;

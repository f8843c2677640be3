//! Who waits for whom: edges between actors, those that lead in a circle, and those that lead nowhere.

use std::collections::{BTreeSet, HashMap};

use weft_event::Status;

use super::producer::Wait;
use super::{Actor, Fleet};
use crate::word::Word;

/// Waiting that will not end by itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Deadlock {
    /// Each waits for the next, and the last for the first. It begins with the first by name.
    Circle(Vec<Edge>),
    /// What it waits for is gone without having come so far.
    Gone(Edge),
    /// What it waits for was never seen.
    Unknown(Edge),
}

/// One actor that waits for another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edge {
    pub(crate) actor: String,
    pub(crate) on: String,
    pub(crate) since_ns: i64,
    pub(crate) position: u64,
}

impl Fleet {
    /// Returns what an actor waits for: by its own words, and as long as that has not come.
    pub(crate) fn wait_of(&self, name: &str) -> Option<(u64, &Wait)> {
        let (position, wait) = self.actor(name)?.speaker()?.open_wait()?;
        let has_come = self.actor(&wait.on).is_some_and(|other| {
            let status = self.run(other).map(|run| run.status);
            has_come(status, other, wait)
        });
        (!has_come).then_some((position, wait))
    }

    /// Returns the waiting that will not end by itself, in the order of names.
    pub(crate) fn deadlocks(&self) -> Vec<Deadlock> {
        let edge = |(name, _): (&str, &Actor)| {
            let (position, wait) = self.wait_of(name)?;
            Some(Edge {
                actor: name.to_owned(),
                on: wait.on.clone(),
                since_ns: wait.at_ns,
                position,
            })
        };
        let mut edges: Vec<Edge> = self.actors().filter_map(edge).collect();
        edges.sort_by(|a, b| a.actor.cmp(&b.actor));
        let by_actor: HashMap<&str, &Edge> =
            edges.iter().map(|edge| (edge.actor.as_str(), edge)).collect();
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut deadlocks = Vec::new();
        for edge in &edges {
            match self.actor(&edge.on) {
                None => deadlocks.push(Deadlock::Unknown(edge.clone())),
                Some(other) if self.is_gone(&edge.on, other) => {
                    deadlocks.push(Deadlock::Gone(edge.clone()))
                }
                Some(_) => {
                    if let Some(circle) =
                        circle(edge, &by_actor).filter(|_| !seen.contains(edge.actor.as_str()))
                    {
                        seen.extend(circle.iter().map(|edge| edge.actor.as_str()));
                        deadlocks.push(Deadlock::Circle(circle.into_iter().cloned().collect()));
                    }
                }
            }
        }
        deadlocks
    }
}

/// Returns whether what is waited for has come: the other has the status, or finished or failed since.
fn has_come(status: Option<Word<Status>>, other: &Actor, wait: &Wait) -> bool {
    let is_since = |status| other.reached_ns(status) >= Some(wait.at_ns);
    let is_so_far = wait.until.is_some_and(|until| status == Some(until) || is_since(until.0));
    is_so_far || is_since(Status::Completed) || is_since(Status::Error)
}

/// Returns the edges that lead from an actor back to it, if they do.
fn circle<'e>(from: &'e Edge, by_actor: &HashMap<&str, &'e Edge>) -> Option<Vec<&'e Edge>> {
    let mut edges = vec![from];
    let mut at = from;
    while at.on != from.actor {
        at = by_actor.get(at.on.as_str()).copied().filter(|_| edges.len() <= by_actor.len())?;
        edges.push(at);
    }
    Some(edges)
}

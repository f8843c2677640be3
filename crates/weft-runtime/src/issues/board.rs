//! All issues side by side: which are ready, what blocks the others, and which block each other.
//!
//! An issue waits for every active one that blocks it, directly or through others whatever became of those; and for whatever
//! blocks its parent, except the parent's own parts, for which the parent itself may well wait.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use weft_log::Position;

use super::{Dep, DepKind, Issue, Moment, Status};

/// How many ids are listed where several are meant.
const LISTED_MAX: usize = 10;

/// Issues by id.
#[derive(Clone, Debug, Default)]
pub struct Board {
    entries: BTreeMap<String, Entry>,
    /// Those whose newest snapshot cannot be read, and where it stands.
    unreadable: BTreeMap<String, Position>,
}

/// An issue, and where its newest snapshot stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The issue.
    pub issue: Issue,
    /// The position of the snapshot; `None` if it is not from a store.
    pub position: Option<Position>,
}

/// How an issue stands among the others at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The active ones that it waits for.
    pub blocked_by: Vec<String>,
    /// The way on which it comes back to itself, if it waits for itself.
    pub cycle: Vec<String>,
    /// Whether it is claimed and the lease is over.
    pub is_expired: bool,
    /// Whether somebody can begin with it.
    pub is_ready: bool,
}

/// Why a name does not say which issue is meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// There is none.
    #[error(
        "no issue has the id {given} or one that begins so; `weft issue list --status all` lists them"
    )]
    None {
        /// What was given.
        given: String,
    },
    /// There are several.
    #[error("{given} can be {}: give more of the id", ids.join(", "))]
    Several {
        /// What was given.
        given: String,
        /// Some of them.
        ids: Vec<String>,
    },
}

/// Returns the id that is meant: the one given, or the only one that begins so, or whose part after the last dash does.
pub fn resolve<'a>(
    ids: impl Iterator<Item = &'a str>,
    given: &str,
) -> Result<&'a str, ResolveError> {
    let is_meant = |id: &str| {
        let behind = id.rsplit_once('-').map_or("", |(_, behind)| behind);
        !given.is_empty() && (id.starts_with(given) || behind.starts_with(given))
    };
    let meant: Vec<&str> = ids.filter(|id| is_meant(id)).collect();
    if let Some(exact) = meant.iter().find(|id| **id == given) {
        return Ok(exact);
    }
    let given = given.to_owned();
    match meant.as_slice() {
        [] => Err(ResolveError::None { given }),
        [id] => Ok(id),
        several => {
            let ids = several.iter().take(LISTED_MAX).map(|id| (*id).to_owned());
            Err(ResolveError::Several { given, ids: ids.collect() })
        }
    }
}

/// In which way a search has come to an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Way {
    /// It is waited for, or is where the search began.
    Itself,
    /// One of its parts is.
    Parent,
}

impl Board {
    /// Returns the board of issues that are in no store.
    pub fn of(issues: Vec<Issue>) -> Self {
        let entry = |issue: Issue| (issue.id.clone(), Entry { issue, position: None });
        Self { entries: issues.into_iter().map(entry).collect(), unreadable: BTreeMap::new() }
    }

    /// Takes a snapshot that is newer than all before it.
    pub fn put(&mut self, issue: Issue, position: Position) {
        self.unreadable.remove(&issue.id);
        self.entries.insert(issue.id.clone(), Entry { issue, position: Some(position) });
    }

    /// Takes note that the newest snapshot of an issue cannot be read.
    pub fn put_unreadable(&mut self, id: &str, position: Position) {
        self.entries.remove(id);
        self.unreadable.insert(id.to_owned(), position);
    }

    /// Returns the issues, by id.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// Returns those whose newest snapshot cannot be read, and where it stands.
    pub fn unreadable(&self) -> impl Iterator<Item = (&str, Position)> {
        self.unreadable.iter().map(|(id, position)| (id.as_str(), *position))
    }

    /// Returns an issue by its whole id.
    pub fn get(&self, id: &str) -> Option<&Entry> {
        self.entries.get(id)
    }

    /// Returns the issue that is meant: the one of that id, or the only one whose id, or its part after the last dash, begins so.
    pub fn resolve(&self, given: &str) -> Result<&Entry, ResolveError> {
        let ids = self.entries.keys().map(String::as_str);
        Ok(&self.entries[resolve(ids, given)?])
    }

    /// Returns how every issue stands at a moment.
    pub fn standings(&self, now: &Moment) -> BTreeMap<&str, Standing> {
        let graph = Graph::of(self);
        let standing = |entry: &Entry| {
            let issue = &entry.issue;
            let blocked_by = graph.blockers(self, &issue.id);
            let cycle = graph.cycle(&issue.id).unwrap_or_default();
            let is_expired = issue.claim.as_ref().is_some_and(|claim| claim.is_over(now));
            let is_free = match issue.status {
                Status::Open => issue.claim.is_none() || is_expired,
                Status::InProgress => is_expired,
                Status::Paused | Status::Duplicate | Status::Closed => false,
            };
            let is_ready = is_free && blocked_by.is_empty() && cycle.is_empty();
            Standing { blocked_by, cycle, is_expired, is_ready }
        };
        self.entries.iter().map(|(id, entry)| (id.as_str(), standing(entry))).collect()
    }

    /// Returns what somebody can begin with: what matters most first, then what is oldest.
    pub fn ready(&self, now: &Moment) -> Vec<&Entry> {
        let standings = self.standings(now);
        let mut ready: Vec<&Entry> =
            self.entries().filter(|entry| standings[entry.issue.id.as_str()].is_ready).collect();
        ready.sort_by_key(|entry| {
            let issue = &entry.issue;
            (issue.priority, issue.created_at_ms, &issue.id)
        });
        ready
    }

    /// Returns the way on which an issue would wait for itself if one had this to do with another.
    pub fn cycle_with(&self, id: &str, dep: &Dep) -> Option<Vec<String>> {
        let mut graph = Graph::of(self);
        graph.add(id, dep);
        graph.cycle(id).or_else(|| graph.cycle(&dep.id))
    }
}

/// What leads to an issue: who blocks it, and whose part it is.
#[derive(Debug, Default)]
struct Graph<'a> {
    blockers: HashMap<&'a str, Vec<&'a str>>,
    parents: HashMap<&'a str, Vec<&'a str>>,
    parts: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Graph<'a> {
    fn of(board: &'a Board) -> Self {
        let mut graph = Self::default();
        for Entry { issue, .. } in board.entries.values() {
            issue.deps.iter().for_each(|dep| graph.add(&issue.id, dep));
        }
        graph
    }

    fn add(&mut self, id: &'a str, dep: &'a Dep) {
        match dep.kind {
            DepKind::Blocks => self.blockers.entry(&dep.id).or_default().push(id),
            DepKind::Parent => {
                self.parents.entry(&dep.id).or_default().push(id);
                self.parts.entry(id).or_default().push(&dep.id);
            }
            DepKind::Relates => {}
        }
    }

    /// Returns the active issues that one waits for, by id.
    fn blockers(&self, board: &Board, id: &str) -> Vec<String> {
        let is_active = |id: &str| board.get(id).is_some_and(|it| it.issue.status.is_active());
        let steps = walk(id, |id, way| self.waits_for(id, way));
        let found = steps.iter().filter(|step| step.way == Way::Itself && step.id != id);
        let found: BTreeSet<&str> = found.map(|step| step.id).filter(|id| is_active(id)).collect();
        found.into_iter().map(str::to_owned).collect()
    }

    /// Returns the way on which an issue comes back to itself: each waits for the one after it, or is a part of it.
    fn cycle(&self, id: &str) -> Option<Vec<String>> {
        let waiting = walk(id, |id, way| self.waits_for(id, way));
        let within = walk(id, |id, _| self.is_part_of(id));
        way_back(&waiting, id, Way::Itself).or_else(|| way_back(&within, id, Way::Parent))
    }

    fn waits_for(&self, id: &str, way: Way) -> Vec<(&'a str, Way)> {
        let within = match way {
            Way::Itself => HashSet::new(),
            Way::Parent => self.parts_of(id),
        };
        let blockers = self.blockers.get(id).into_iter().flatten();
        let blockers = blockers.filter(|blocker| !within.contains(*blocker));
        blockers.map(|id| (*id, Way::Itself)).chain(self.is_part_of(id)).collect()
    }

    fn is_part_of(&self, id: &str) -> Vec<(&'a str, Way)> {
        self.parents.get(id).into_iter().flatten().map(|id| (*id, Way::Parent)).collect()
    }

    fn parts_of(&self, id: &str) -> HashSet<&'a str> {
        let mut parts = HashSet::new();
        let mut next = vec![id];
        while let Some(id) = next.pop() {
            for part in self.parts.get(id).into_iter().flatten() {
                if parts.insert(*part) {
                    next.push(part);
                }
            }
        }
        parts
    }
}

/// An issue that a search came to.
struct Step<'a> {
    id: &'a str,
    way: Way,
    /// The step it was reached from; `None` from the beginning.
    from: Option<usize>,
}

/// Returns all that can be reached from an issue, each once; the issue itself only if it can.
fn walk<'a>(id: &str, leads_to: impl Fn(&str, Way) -> Vec<(&'a str, Way)>) -> Vec<Step<'a>> {
    let (mut steps, mut seen) = (Vec::new(), HashSet::new());
    let mut from = None;
    let mut found = leads_to(id, Way::Itself);
    loop {
        let new = found.into_iter().filter(|found| seen.insert(*found));
        steps.extend(new.map(|(id, way)| Step { id, way, from }));
        let next = from.map_or(0, |from| from + 1);
        let Some(step) = steps.get(next) else { return steps };
        (from, found) = (Some(next), leads_to(step.id, step.way));
    }
}

fn way_back(steps: &[Step<'_>], id: &str, way: Way) -> Option<Vec<String>> {
    let back = steps.iter().find(|step| step.id == id && step.way == way)?;
    let mut ids = vec![id.to_owned()];
    let mut at = back.from;
    while let Some(idx) = at {
        ids.push(steps[idx].id.to_owned());
        at = steps[idx].from;
    }
    ids.push(id.to_owned());
    ids.reverse();
    Some(ids)
}

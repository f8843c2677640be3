//! Changes: from an issue as it is to the snapshots that come next.

use std::time::Duration;

use super::{Claim, Dep, DepKind, Issue, Moment, Priority, Status};

/// What a new issue says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// What it is called.
    pub id: String,
    /// What it is about, in a line.
    pub title: String,
    /// What it is about.
    pub body: String,
    /// How much it matters.
    pub priority: Priority,
    /// Words that it is found by.
    pub tags: Vec<String>,
    /// What it is to others.
    pub deps: Vec<Dep>,
}

/// What is to be different; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// What it is about, in a line.
    pub title: Option<String>,
    /// What it is about.
    pub body: Option<String>,
    /// How far it is.
    pub status: Option<Status>,
    /// How much it matters.
    pub priority: Option<Priority>,
    /// Words that it gets.
    pub tags_added: Vec<String>,
    /// Words that it loses.
    pub tags_removed: Vec<String>,
}

/// Who wants an issue, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claimant<'a> {
    /// Whose it will be.
    pub owner: &'a str,
    /// Which of the owner's sessions or processes.
    pub instance: &'a str,
    /// How long, until it is renewed.
    pub lease: Duration,
}

/// Who gives an issue back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Releaser<'a> {
    /// Its owner, whichever instance.
    Owner(&'a str),
    /// One instance of its owner.
    Instance {
        /// The owner.
        owner: &'a str,
        /// The instance.
        instance: &'a str,
    },
    /// A person who knows that the owner is gone.
    Anyone,
}

/// Why an issue is not claimed or released.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Somebody else has it.
    #[error("{id} is claimed by {} ({})", claim.owner, claim.instance)]
    Held {
        /// The issue.
        id: String,
        /// Who has it.
        claim: Claim,
    },
    /// There is nothing to do.
    #[error("{id} is {}", status.as_str())]
    NotOpen {
        /// The issue.
        id: String,
        /// How far it is.
        status: Status,
    },
}

/// Returns a new issue.
pub fn draft(draft: Draft, now: &Moment) -> Issue {
    let Draft { id, title, body, priority, tags, deps } = draft;
    let (status, claim, close_reason, others) = (Status::Open, None, None, Vec::new());
    let (created_at_ms, updated_at_ms) = (now.ms(), now.ms());
    let mut issue = Issue {
        id,
        rev: 1,
        title,
        body,
        status,
        priority,
        tags: Vec::new(),
        deps: Vec::new(),
        created_at_ms,
        updated_at_ms,
        claim,
        close_reason,
        others,
    };
    tags.into_iter().for_each(|tag| add(&mut issue.tags, tag));
    deps.into_iter().for_each(|dep| add(&mut issue.deps, dep));
    issue
}

/// Returns the issue with what is to be different; `None` if nothing is.
pub fn edit(issue: &Issue, edit: &Edit, now: &Moment) -> Option<Issue> {
    let mut next = issue.clone();
    if let Some(title) = &edit.title {
        next.title.clone_from(title);
    }
    if let Some(body) = &edit.body {
        next.body.clone_from(body);
    }
    next.priority = edit.priority.unwrap_or(issue.priority);
    edit.tags_added.iter().cloned().for_each(|tag| add(&mut next.tags, tag));
    next.tags.retain(|tag| !edit.tags_removed.contains(tag));
    if let Some(status) = edit.status.filter(|status| *status != issue.status) {
        set_status(&mut next, status);
    }
    changed(issue, next, now)
}

/// Returns the issue closed; `None` if it is, for the same reason.
pub fn close(issue: &Issue, reason: Option<&str>, now: &Moment) -> Option<Issue> {
    let mut next = issue.clone();
    set_status(&mut next, Status::Closed);
    next.close_reason = reason.map(str::to_owned).or_else(|| issue.close_reason.clone());
    changed(issue, next, now)
}

/// Returns the issue with what it is to another; `None` if it is that.
pub fn add_dep(issue: &Issue, dep: &Dep, now: &Moment) -> Option<Issue> {
    let mut next = issue.clone();
    add(&mut next.deps, dep.clone());
    changed(issue, next, now)
}

/// Returns the issue without what it is to another; `None` if it is not that.
pub fn remove_dep(issue: &Issue, dep: &Dep, now: &Moment) -> Option<Issue> {
    let mut next = issue.clone();
    next.deps.retain(|other| other != dep);
    changed(issue, next, now)
}

/// Returns the snapshots by which an issue is claimed, or a claim renewed. A claim that is over is released first, so that it shows.
pub fn claim(issue: &Issue, claimant: &Claimant<'_>, now: &Moment) -> Result<Vec<Issue>, Refusal> {
    let Claimant { owner, instance, lease } = *claimant;
    let live = issue.claim.as_ref().filter(|claim| !claim.is_over(now));
    if let Some(live) = live.filter(|claim| !claim.is_of(owner, instance)) {
        return Err(Refusal::Held { id: issue.id.clone(), claim: live.clone() });
    }
    match issue.status {
        Status::Open | Status::InProgress => {}
        status @ (Status::Paused | Status::Duplicate | Status::Closed) => {
            return Err(Refusal::NotOpen { id: issue.id.clone(), status });
        }
    }
    let mut snapshots = Vec::new();
    if live.is_none() && issue.claim.is_some() {
        snapshots.push(next(&released(issue), now));
    }
    let before = snapshots.last().unwrap_or(issue);
    let mut claimed = next(before, now);
    claimed.status = Status::InProgress;
    claimed.claim = Some(Claim::new(owner, instance, lease, now));
    snapshots.push(claimed);
    Ok(snapshots)
}

/// Returns the issue without its claim; `None` if it has none.
pub fn release(
    issue: &Issue,
    releaser: Releaser<'_>,
    now: &Moment,
) -> Result<Option<Issue>, Refusal> {
    let Some(claim) = &issue.claim else { return Ok(None) };
    let may = match releaser {
        Releaser::Owner(owner) => claim.owner == owner,
        Releaser::Instance { owner, instance } => claim.is_of(owner, instance),
        Releaser::Anyone => true,
    };
    if !may && !claim.is_over(now) {
        return Err(Refusal::Held { id: issue.id.clone(), claim: claim.clone() });
    }
    Ok(Some(next(&released(issue), now)))
}

fn released(issue: &Issue) -> Issue {
    let mut released = issue.clone();
    released.claim = None;
    if issue.status == Status::InProgress {
        released.status = Status::Open;
    }
    released
}

/// Sets a status. Who has an issue that is over or laid aside has it no longer, and one that is open again has no reason to be closed.
fn set_status(issue: &mut Issue, status: Status) {
    issue.status = status;
    match status {
        Status::InProgress => issue.close_reason = None,
        Status::Open | Status::Paused => (issue.claim, issue.close_reason) = (None, None),
        Status::Duplicate | Status::Closed => issue.claim = None,
    }
}

fn changed(before: &Issue, after: Issue, now: &Moment) -> Option<Issue> {
    (after != *before).then(|| next(&after, now))
}

fn next(issue: &Issue, now: &Moment) -> Issue {
    Issue { rev: issue.rev + 1, updated_at_ms: now.ms(), ..issue.clone() }
}

fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

impl Dep {
    /// Reads `blocks:ID`, `relates:ID` or `parent:ID`.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, id) = text.split_once(':')?;
        Some(Self { kind: DepKind::parse(kind)?, id: id.to_owned() })
            .filter(|dep| !dep.id.is_empty())
    }
}

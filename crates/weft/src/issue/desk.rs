//! Issues of a store, read and changed: every change names the snapshot that it was made from, and is made again from the newest
//! where another process was faster.

use std::cell::Cell;

use anyhow::Context as _;
use weft_event::Dialect;
use weft_log::lock::LockError;
use weft_log::log::{BeginError, Condition};
use weft_log::query::Records;
use weft_log::{Filter, Position, Store};
use weft_runtime::issues::{
    self, Board, Claimant, Entry, ISSUE_BYTES_MAX, Issue, IssueFilter, Moment, Refusal,
};

use super::who::{self, Signature};
use crate::posting::{self, Post, Posted};
use crate::records;
use crate::stores::StoreArgs;

/// How often a change is made again because others were faster. Each time somebody else has got on.
const TRIES_MAX: u32 = 500;

/// The way in of these records.
const VIA: &str = "issue";

/// How often a change waits once more for a store that many others write to.
const WAITS_MAX: u32 = 6;

/// The issues of a store.
pub(crate) struct Desk {
    args: StoreArgs,
    store: Store,
    n_waits: Cell<u32>,
}

/// What the store says of issues at a moment.
pub(crate) struct View {
    pub(crate) board: Board,
    pub(crate) now: Moment,
    pub(crate) records: Records,
}

/// What came of a claim.
pub(crate) enum Claimed {
    /// It is ours.
    Yes(Box<Issue>),
    /// It is not, and why.
    No(Refusal),
    /// There is nothing to claim.
    Nothing,
}

/// What became of snapshots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Appended {
    /// They are in the log.
    Yes,
    /// Another process was faster.
    Outrun,
    /// Others had the store all the time; how often that is borne is limited.
    Busy,
}

impl Desk {
    /// Opens the issues of a store.
    pub(crate) fn open(args: &StoreArgs) -> anyhow::Result<Self> {
        Ok(Self { args: args.clone(), store: args.store()?, n_waits: Cell::new(0) })
    }

    /// Returns the store.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    fn records(&self) -> anyhow::Result<Records> {
        records::open(&self.args, &Filter::all())
    }

    /// Reads every issue.
    pub(crate) fn view(&self) -> anyhow::Result<View> {
        let mut records = self.records()?;
        let unreadable = || format!("cannot read the issues of {}", self.store.root().display());
        let board = issues::board(&self.store, &mut records).with_context(unreadable)?;
        let now = who::moment(&mut records)?;
        Ok(View { board, now, records })
    }

    /// Returns the one that is meant, by its whole id if that is given, and the moment.
    pub(crate) fn one(&self, given: &str) -> anyhow::Result<(Entry, Moment)> {
        let mut records = self.records()?;
        if let Some(entry) = issues::one(&mut records, given).context("cannot read the issue")? {
            return Ok((entry, who::moment(&mut records)?));
        }
        let View { board, now, .. } = self.view()?;
        if let Some((id, position)) = board.unreadable().find(|(id, _)| *id == given) {
            anyhow::bail!("the newest snapshot of {id} cannot be read: weft show {position}");
        }
        Ok((board.resolve(given)?.clone(), now))
    }

    /// Makes an issue; `false` if there is one of that id.
    pub(crate) fn create(&self, issue: &Issue, signature: &Signature) -> anyhow::Result<bool> {
        loop {
            match self.append(std::slice::from_ref(issue), None, signature)? {
                Appended::Yes => return Ok(true),
                Appended::Outrun => return Ok(false),
                Appended::Busy => {}
            }
        }
    }

    /// Takes in issues that others kept. One that is here already counts if it is newer there. Returns how many were new, and newer.
    pub(crate) fn adopt(&self, others: Vec<Issue>) -> anyhow::Result<(u64, u64)> {
        let known = self.view()?.board;
        let signature = Signature::of("import", "import");
        let (mut n_new, mut n_newer) = (0, 0);
        for theirs in others {
            match known.get(&theirs.id) {
                None => n_new += u64::from(self.create(&theirs, &signature)?),
                Some(ours) if ours.issue.updated_at_ms < theirs.updated_at_ms => {
                    self.change(&theirs.id, &signature, &mut |ours, _| {
                        let (rev, claim) = (ours.rev + 1, ours.claim.clone());
                        Ok(vec![Issue { rev, claim, ..theirs.clone() }])
                    })?;
                    n_newer += 1;
                }
                Some(_) => {}
            }
        }
        Ok((n_new, n_newer))
    }

    /// Changes an issue: `make` returns the snapshots that come next, none if nothing is to change. Returns the issue as it is then.
    pub(crate) fn change(
        &self,
        given: &str,
        signature: &Signature,
        make: &mut dyn FnMut(&Issue, &Moment) -> anyhow::Result<Vec<Issue>>,
    ) -> anyhow::Result<Issue> {
        let mut given = given.to_owned();
        for _ in 0..TRIES_MAX {
            let (entry, now) = self.one(&given)?;
            let snapshots = make(&entry.issue, &now)?;
            let Some(last) = snapshots.last().cloned() else { return Ok(entry.issue) };
            if self.append(&snapshots, entry.position, signature)? == Appended::Yes {
                return Ok(last);
            }
            given = entry.issue.id;
        }
        anyhow::bail!("{given} was changed by others {TRIES_MAX} times meanwhile: try again")
    }

    /// Claims an issue, or renews the claim.
    pub(crate) fn claim(
        &self,
        given: &str,
        claimant: &Claimant<'_>,
        signature: &Signature,
    ) -> anyhow::Result<Claimed> {
        let mut refusal = None;
        let issue = self.change(given, signature, &mut |issue, now| {
            refusal = None;
            match issues::claim(issue, claimant, now) {
                Ok(snapshots) => Ok(snapshots),
                Err(refused) => {
                    refusal = Some(refused);
                    Ok(Vec::new())
                }
            }
        })?;
        Ok(match refusal {
            Some(refusal) => Claimed::No(refusal),
            None => Claimed::Yes(Box::new(issue)),
        })
    }

    /// Claims the first ready issue that a filter matches.
    pub(crate) fn claim_next(
        &self,
        filter: &IssueFilter,
        claimant: &Claimant<'_>,
        signature: &Signature,
    ) -> anyhow::Result<Claimed> {
        for n_lost in 0..TRIES_MAX {
            let View { board, now, .. } = self.view()?;
            let ready = board.ready(&now).into_iter().filter(|it| filter.matches(&it.issue));
            let ready: Vec<&Entry> = ready.collect();
            let Some(first) = ready.first() else { return Ok(Claimed::Nothing) };
            // Whoever lost the first to others would lose the next too: any that matters as much will do.
            let is_as_good = |it: &&&Entry| it.issue.priority == first.issue.priority;
            let n_good = ready.iter().take_while(is_as_good).count();
            let spread = if n_lost == 0 { 0 } else { who::random_bits() % n_good as u64 };
            let Entry { issue, position } = ready[usize::try_from(spread).unwrap_or(0)];
            let snapshots = issues::claim(issue, claimant, &now)?;
            if self.append(&snapshots, *position, signature)? == Appended::Yes {
                let claimed = snapshots.into_iter().next_back().expect("a claim has a snapshot");
                return Ok(Claimed::Yes(Box::new(claimed)));
            }
        }
        anyhow::bail!("others were faster {TRIES_MAX} times: try again")
    }

    /// Appends snapshots of one issue if the newest is the one that they were made from.
    fn append(
        &self,
        snapshots: &[Issue],
        last: Option<Position>,
        signature: &Signature,
    ) -> anyhow::Result<Appended> {
        let mut posts = Vec::new();
        for issue in snapshots {
            let n_bytes = issue.json().as_str().len();
            anyhow::ensure!(
                n_bytes <= ISSUE_BYTES_MAX,
                "the issue would take {n_bytes} bytes, and {ISSUE_BYTES_MAX} is the limit: shorten its body"
            );
            let message_id = who::message_id();
            let line = issues::message(issue, &signature.context(&message_id));
            let topic = Some(issues::topic_key(&issue.id));
            posts.push(Post { line, dialect: Dialect::Idle, topic });
        }
        let topic = issues::topic_key(&snapshots[0].id);
        let condition = Condition { topic, last };
        match posting::post(&self.store, VIA, &posts, &[condition]) {
            Ok(Posted::Kept(_)) => Ok(Appended::Yes),
            Ok(Posted::Condition { .. }) => Ok(Appended::Outrun),
            // Who waited that long should look whether there is still something to do before it waits again.
            Err(error) if is_busy(&error) && self.n_waits.get() < WAITS_MAX => {
                self.n_waits.set(self.n_waits.get() + 1);
                Ok(Appended::Busy)
            }
            Err(error) => Err(error),
        }
    }
}

/// Returns whether others had the store for all the time that a command waits for it.
fn is_busy(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(BeginError::Lock(LockError::Held { .. })))
}

//! Files as rows.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;

use super::history::{Hand, History};
use super::{Access, Files, is_relative};
use crate::first::first;
use crate::{At, First};

/// Touches within this time make a file warm.
const HEAT_NS: i64 = 3_600_000_000_000;
const NS_PER_MS: i64 = 1_000_000;

/// One file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileRow {
    /// The file.
    pub path: String,
    /// How often it was touched in the last hour; the last 64 touches count.
    pub heat: u64,
    /// Tool calls that read it.
    pub n_reads: u64,
    /// Tool calls that changed it.
    pub n_writes: u64,
    /// Tool calls of which it is not known what they did to it.
    pub n_others: u64,
    /// Who read it, the last one first.
    pub readers: Vec<ActorRow>,
    /// Who changed it, the last one first.
    pub writers: Vec<ActorRow>,
    /// When it was first touched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_seen: Option<At>,
    /// When it was last touched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<At>,
    /// Who holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease: Option<LeaseRow>,
    /// The records of its last touches.
    pub positions: Vec<u64>,
}

/// An actor that touched a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ActorRow {
    /// Who.
    pub actor: String,
    /// How often it read the file, or changed it.
    pub n: u64,
    /// When it first touched it, reading or writing.
    pub first_seen: At,
    /// When it last touched it.
    pub last_seen: At,
}

/// Who holds a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeaseRow {
    /// Who.
    pub holder: String,
    /// Since when.
    pub since: At,
    /// For how long by now.
    pub held_ms: u64,
    /// Until when, if that was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<At>,
    /// Who else wants it.
    pub wanted_by: Vec<String>,
    /// Whether a producer found since then that nobody works on it.
    pub is_stale: bool,
    /// Whether it is past its time, or a producer found so since then.
    pub is_expired: bool,
    /// The record by which it was taken.
    pub position: u64,
}

impl Files {
    /// Returns files, those where most is going on first, then those touched last.
    pub fn rows(&self, now_ns: i64) -> Vec<FileRow> {
        self.first(usize::MAX, now_ns).rows
    }

    /// Returns the first of these.
    pub fn first(&self, limit: usize, now_ns: i64) -> First<FileRow> {
        let joined = self.joined();
        let all = joined.iter().map(|(path, history)| {
            let last_ns = history.hands.iter().map(|hand| hand.last_ns).max();
            (Reverse((heat(history, now_ns), last_ns)), *path, history)
        });
        first(
            all.collect(),
            limit,
            |a, b| (a.0, a.1).cmp(&(b.0, b.1)),
            |(_, path, history)| row(path, history, now_ns),
        )
    }

    /// Returns files with their histories. One whose folder nobody says is the file that ends so, if there is exactly one.
    pub(super) fn joined(&self) -> HashMap<&str, Cow<'_, History>> {
        let mut files: HashMap<&str, Cow<'_, History>> = HashMap::new();
        let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
        let (near, far): (Vec<_>, Vec<_>) =
            self.files.iter().partition(|(path, _)| is_relative(path));
        for (path, history) in far {
            files.insert(path, Cow::Borrowed(history));
            by_name.entry(name(path)).or_default().push(path);
        }
        for (path, history) in near {
            let is_same = |far: &&&str| far.strip_suffix(path).is_some_and(|it| it.ends_with('/'));
            let mut same = by_name.get(name(path)).into_iter().flatten().filter(is_same);
            let only = same.next().filter(|_| same.next().is_none());
            match only.and_then(|only| files.get_mut(*only)) {
                Some(known) => known.to_mut().merge(history),
                None => drop(files.insert(path, Cow::Borrowed(history))),
            }
        }
        files
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns how often a file was touched lately.
fn heat(history: &History, now_ns: i64) -> u64 {
    let since_ns = now_ns.saturating_sub(HEAT_NS);
    let is_recent = |at_ns: i64| since_ns < at_ns && at_ns <= now_ns;
    history.touches.iter().filter(|touch| is_recent(touch.at_ns)).count() as u64
}

fn row(path: &str, history: &History, now_ns: i64) -> FileRow {
    let hands = &history.hands;
    let sum = |n: fn(&Hand) -> u64| hands.iter().map(n).sum();
    FileRow {
        path: path.to_owned(),
        heat: heat(history, now_ns),
        n_reads: sum(|hand| hand.n_reads),
        n_writes: sum(|hand| hand.n_writes),
        n_others: sum(|hand| hand.n_others),
        readers: actors(hands, Access::Read),
        writers: actors(hands, Access::Write),
        first_seen: hands.iter().map(|hand| At(hand.first_ns)).min(),
        last_seen: hands.iter().map(|hand| At(hand.last_ns)).max(),
        lease: lease(history, now_ns),
        positions: history.touches.iter().map(|touch| touch.position).collect(),
    }
}

fn actors(hands: &[Hand], access: Access) -> Vec<ActorRow> {
    let n = |hand: &Hand| match access {
        Access::Read => hand.n_reads,
        Access::Write => hand.n_writes,
        Access::Other => hand.n_others,
    };
    let mut rows: Vec<ActorRow> = hands
        .iter()
        .filter(|hand| n(hand) > 0)
        .map(|hand| ActorRow {
            actor: hand.actor.clone(),
            n: n(hand),
            first_seen: At(hand.first_ns),
            last_seen: At(hand.last_ns),
        })
        .collect();
    rows.sort_by(|a, b| b.last_seen.cmp(&a.last_seen).then_with(|| a.actor.cmp(&b.actor)));
    rows
}

fn lease(history: &History, now_ns: i64) -> Option<LeaseRow> {
    let leases = &history.leases;
    let holder = leases.holder()?;
    let hold = holder.hold.value();
    let wishes = leases.wishes.iter().filter(|wish| wish.at_ns >= hold.at_ns);
    let mut wanted_by: Vec<String> = wishes.flat_map(|wish| wish.actors.clone()).collect();
    wanted_by.retain(|actor| *actor != holder.actor);
    wanted_by.sort_unstable();
    wanted_by.dedup();
    let is_since = |found: Option<i64>| found.is_some_and(|found_ns| found_ns >= hold.at_ns);
    Some(LeaseRow {
        holder: holder.actor.clone(),
        since: At(hold.at_ns),
        held_ms: (now_ns.saturating_sub(hold.at_ns) / NS_PER_MS).max(0).unsigned_abs(),
        until: hold.until_ns.map(At),
        wanted_by,
        is_stale: is_since(leases.stale_ns),
        is_expired: is_since(leases.expired_ns)
            || hold.until_ns.is_some_and(|until| until < now_ns),
        position: holder.hold.stamp().position(),
    })
}

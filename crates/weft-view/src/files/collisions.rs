//! Collisions: two actors that get in each other's way, by how close they are in time.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::history::{Claims, History, Touch};
use super::{Access, Files};
use crate::At;

/// How long a collision is told of after its last touch.
const KEPT_NS: i64 = 3_600_000_000_000;
const NS_PER_MS: i64 = 1_000_000;

/// Within what time two actors collide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Both change one file.
    pub file_ms: u64,
    /// Both change files of one folder.
    pub folder_ms: u64,
    /// Both claim one piece of work.
    pub task_ms: u64,
}

impl Default for Windows {
    fn default() -> Self {
        Self { file_ms: 5_000, folder_ms: 30_000, task_ms: 60_000 }
    }
}

/// What two actors collide on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CollisionKind {
    /// One file.
    File,
    /// One piece of work.
    Task,
    /// Files of one folder.
    Folder,
}

impl CollisionKind {
    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            CollisionKind::File => "file",
            CollisionKind::Task => "task",
            CollisionKind::Folder => "folder",
        }
    }
}

/// Actors that got in each other's way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Collision {
    /// What they collide on.
    pub kind: CollisionKind,
    /// The file, folder or piece of work.
    pub what: String,
    /// Who, by name.
    pub actors: Vec<String>,
    /// Whether a producer found it too.
    pub is_reported: bool,
    /// When it began.
    pub first_seen: At,
    /// When it was last so.
    pub last_seen: At,
    /// The records that show it.
    pub positions: Vec<u64>,
}

/// Somebody did something at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Deed<'d> {
    at_ns: i64,
    position: u64,
    actor: &'d str,
    /// The file, where a folder is looked at.
    file: &'d str,
}

impl Files {
    /// Returns the collisions of the hour before `now_ns`, the latest first. One cause is told once: what is a collision on a file
    /// is none on its folder, and what a producer found is joined with what the touches show.
    pub fn collisions(&self, now_ns: i64, windows: &Windows) -> Vec<Collision> {
        let since_ns = now_ns.saturating_sub(KEPT_NS);
        let files = self.joined();
        let mut found = Vec::new();
        let mut folders: HashMap<&str, Vec<Deed<'_>>> = HashMap::new();
        for (path, history) in &files {
            let writes = writes(path, history, since_ns);
            let mut of_file =
                group(CollisionKind::File, path, &writes, windows.file_ms, |_, _| true);
            join_reported(&mut of_file, path, history, since_ns, windows);
            found.extend(of_file);
            if let Some((folder, _)) = path.rsplit_once('/').filter(|_| !writes.is_empty()) {
                folders.entry(folder).or_default().extend(writes);
            }
        }
        let mut in_folders = Vec::new();
        for (folder, mut deeds) in folders {
            deeds.sort_by_key(|deed| (deed.at_ns, deed.position));
            let is_new = |a: &Deed<'_>, b: &Deed<'_>| a.file != b.file || !is_told(&found, a, b);
            let kind = CollisionKind::Folder;
            in_folders.extend(group(kind, folder, &deeds, windows.folder_ms, is_new));
        }
        found.extend(in_folders);
        for (task, claims) in self.tasks.iter() {
            found.extend(claimed_twice(task, claims, since_ns, windows.task_ms));
        }
        found.retain(|collision| collision.first_seen.0 <= now_ns);
        found.sort_by(|a, b| {
            b.last_seen.cmp(&a.last_seen).then_with(|| (a.kind, &a.what).cmp(&(b.kind, &b.what)))
        });
        found
    }
}

/// Returns whether two deeds on one file are of a collision that was found there.
fn is_told(found: &[Collision], before: &Deed<'_>, deed: &Deed<'_>) -> bool {
    let has = |collision: &Collision, deed: &Deed<'_>| collision.positions.contains(&deed.position);
    found.iter().any(|collision| has(collision, before) || has(collision, deed))
}

fn writes<'d>(path: &'d str, history: &'d History, since_ns: i64) -> Vec<Deed<'d>> {
    let is_write = |touch: &&Touch| touch.access == Access::Write && touch.at_ns >= since_ns;
    let touches = history.touches.iter().filter(is_write);
    touches
        .map(|touch| Deed {
            at_ns: touch.at_ns,
            position: touch.position,
            actor: &touch.actor,
            file: path,
        })
        .collect()
}

/// Returns the collisions among deeds in the order of their times: each is as long as the next deed of another actor is near.
fn group(
    kind: CollisionKind,
    what: &str,
    deeds: &[Deed<'_>],
    window_ms: u64,
    may_collide: impl Fn(&Deed<'_>, &Deed<'_>) -> bool,
) -> Vec<Collision> {
    let window_ns = i64::try_from(window_ms).unwrap_or(i64::MAX).saturating_mul(NS_PER_MS);
    let mut found: Vec<Collision> = Vec::new();
    for (idx, deed) in deeds.iter().enumerate() {
        let near = deeds[..idx].iter().rev();
        let near = near.take_while(|before| deed.at_ns.saturating_sub(before.at_ns) <= window_ns);
        for before in near.filter(|before| before.actor != deed.actor && may_collide(before, deed))
        {
            let last = found.last_mut();
            let same =
                last.filter(|last| before.at_ns.saturating_sub(last.last_seen.0) <= window_ns);
            match same {
                Some(last) => [before, deed].into_iter().for_each(|deed| last.add(deed)),
                None => {
                    let mut collision = Collision {
                        kind,
                        what: what.to_owned(),
                        actors: Vec::new(),
                        is_reported: false,
                        first_seen: At(before.at_ns),
                        last_seen: At(deed.at_ns),
                        positions: Vec::new(),
                    };
                    [before, deed].into_iter().for_each(|deed| collision.add(deed));
                    found.push(collision);
                }
            }
        }
    }
    found
}

impl Collision {
    /// Returns what tells it from every other: actors may collide on the same again, and others may join them.
    pub fn id(&self) -> String {
        let first = self.positions.first().copied().unwrap_or_default();
        format!("{} {} {first}", self.kind.as_str(), self.what)
    }

    fn add(&mut self, deed: &Deed<'_>) {
        self.put(deed.at_ns, deed.position, [deed.actor]);
    }

    fn put<'n>(&mut self, at_ns: i64, position: u64, actors: impl IntoIterator<Item = &'n str>) {
        self.first_seen = self.first_seen.min(At(at_ns));
        self.last_seen = self.last_seen.max(At(at_ns));
        for actor in actors {
            if let Err(idx) = self.actors.binary_search_by(|known| known.as_str().cmp(actor)) {
                self.actors.insert(idx, actor.to_owned());
            }
        }
        if let Err(idx) = self.positions.binary_search(&position) {
            self.positions.insert(idx, position);
        }
    }
}

/// Joins what producers found about a file with the collisions that its touches show.
fn join_reported(
    found: &mut Vec<Collision>,
    path: &str,
    history: &History,
    since_ns: i64,
    windows: &Windows,
) {
    // A producer finds out after the fact: what is as near as deeds in one folder are is of one cause.
    let window_ns = i64::try_from(windows.folder_ms).unwrap_or(i64::MAX).saturating_mul(NS_PER_MS);
    for note in history.leases.conflicts.iter().filter(|note| note.at_ns >= since_ns) {
        let is_near = |collision: &&mut Collision| {
            note.at_ns >= collision.first_seen.0.saturating_sub(window_ns)
                && note.at_ns <= collision.last_seen.0.saturating_add(window_ns)
        };
        let actors = || note.actors.iter().map(String::as_str);
        if let Some(collision) = found.iter_mut().find(is_near) {
            collision.is_reported = true;
            collision.put(note.at_ns, note.position, actors());
            continue;
        }
        let mut collision = Collision {
            kind: CollisionKind::File,
            what: path.to_owned(),
            actors: Vec::new(),
            is_reported: true,
            first_seen: At(note.at_ns),
            last_seen: At(note.at_ns),
            positions: Vec::new(),
        };
        collision.put(note.at_ns, note.position, actors());
        found.push(collision);
    }
}

/// Returns the claims of one piece of work that come too close, without its having been let go between them.
fn claimed_twice(task: &str, claims: &Claims, since_ns: i64, window_ms: u64) -> Vec<Collision> {
    let mut found = Vec::new();
    for stretch in claims.steps.split(|step| !step.is_claim) {
        let recent = stretch.iter().filter(|claim| claim.at_ns >= since_ns);
        let deeds: Vec<Deed<'_>> = recent
            .map(|claim| Deed {
                at_ns: claim.at_ns,
                position: claim.position,
                actor: &claim.actor,
                file: "",
            })
            .collect();
        found.extend(group(CollisionKind::Task, task, &deeds, window_ms, |_, _| true));
    }
    found
}

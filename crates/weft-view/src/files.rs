//! Files: who touched which and when, how much is going on in them, who holds them, and who gets in whose way.

mod collisions;
mod history;
mod leases;
mod rows;
mod tools;

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use weft_event::report::{CallPhase, Part, WorkChange};

use crate::shed::shed;
use crate::{Entry, View};

pub use collisions::{Collision, CollisionKind, Windows};
pub use rows::{ActorRow, FileRow, LeaseRow};
pub use tools::{Access, access};

use history::{Claims, History, Touch};

/// Files that are kept.
pub const FILES_MAX: usize = 20_000;
/// Pieces of work whose claims are kept.
pub const TASKS_MAX: usize = 10_000;

/// Who touched what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Files {
    files: HashMap<String, History>,
    tasks: HashMap<String, Claims>,
}

impl View for Files {
    const NAME: &'static str = "files";
    const VERSION: u32 = 1;

    fn apply(&mut self, entry: &Entry<'_, '_>) {
        let part = &entry.report.part;
        if let Part::Call(call) = part {
            match call.phase {
                CallPhase::Running | CallPhase::Output | CallPhase::Completed => self.touch(entry),
                // What was not done, or did not work, touched nothing.
                CallPhase::Proposed | CallPhase::Failed | CallPhase::Denied => {}
            }
        } else if let Part::Lease(lease) = part {
            if let Some(path) = path(entry) {
                self.history(&path).lease(entry, lease);
                self.shed();
            }
        } else if let Part::Work(work) = part
            && work.child.is_none()
        {
            match work.change {
                WorkChange::Claimed => self.claim(entry, true),
                WorkChange::Released | WorkChange::Completed | WorkChange::Failed => {
                    self.claim(entry, false);
                }
                WorkChange::Created
                | WorkChange::Tried
                | WorkChange::Retried
                | WorkChange::Exhausted
                | WorkChange::Worked
                | WorkChange::Handled
                | WorkChange::Split => {}
            }
        }
    }
}

impl Files {
    fn touch(&mut self, entry: &Entry<'_, '_>) {
        if entry.is_carried {
            return;
        }
        let (Some(path), Some(actor)) = (path(entry), entry.facts.actor.as_deref()) else { return };
        let facts = entry.facts;
        let touch = Touch {
            at_ns: entry.time_ns(),
            position: entry.position,
            call: facts.span.as_deref().map(|span| fingerprint(facts.session.as_deref(), span)),
            actor: actor.to_owned(),
            access: facts.tool.as_deref().map_or(Access::Other, access),
        };
        self.history(&path).touch(touch);
        self.shed();
    }

    fn history(&mut self, path: &str) -> &mut History {
        if !self.files.contains_key(path) {
            self.files.insert(path.to_owned(), History::default());
        }
        self.files.get_mut(path).expect("it was put in if it was not there")
    }

    fn claim(&mut self, entry: &Entry<'_, '_>, is_claim: bool) {
        let (Some(task), Some(actor)) = (entry.facts.task.as_deref(), entry.facts.actor.as_deref())
        else {
            return;
        };
        if entry.is_carried {
            return;
        }
        if !self.tasks.contains_key(task) {
            // Work that ends without having been claimed cannot be claimed twice.
            self.tasks.insert(task.to_owned(), Claims::default());
        }
        let claims = self.tasks.get_mut(task).expect("it was put in if it was not there");
        claims.put(entry, actor, is_claim);
        shed(&mut self.tasks, TASKS_MAX, |claims| claims.last_ns());
    }

    fn shed(&mut self) {
        shed(&mut self.files, FILES_MAX, |history| history.last_ns());
    }
}

/// Returns the file that an event is about: where it says the folder too, from the root on.
fn path<'e>(entry: &'e Entry<'_, '_>) -> Option<Cow<'e, str>> {
    let path = entry.facts.path.as_deref().filter(|path| !path.is_empty())?;
    let path = path.strip_prefix("./").unwrap_or(path);
    let folder = entry.report.place.as_ref().and_then(|place| place.folder.as_deref());
    match folder {
        Some(folder) if is_relative(path) => {
            Some(Cow::Owned(format!("{}/{path}", folder.trim_end_matches('/'))))
        }
        Some(_) | None => Some(Cow::Borrowed(path)),
    }
}

fn is_relative(path: &str) -> bool {
    !path.starts_with(['/', '\\', '~']) && path.as_bytes().get(1) != Some(&b':')
}

/// Returns a number that tells calls apart: many more bits than a session has calls.
pub(crate) fn fingerprint(session: Option<&str>, span: &str) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let bytes = session.unwrap_or_default().bytes().chain([0]).chain(span.bytes());
    bytes.fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests;

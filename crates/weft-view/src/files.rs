//! Files: who touched which and when, how much is going on in them, who holds them, and who gets in whose way.

mod collisions;
mod history;
mod leases;
mod rows;
mod tools;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use weft_event::report::{CallPhase, Part, WorkChange};

use crate::bounded::Bounded;
use crate::distinct::fingerprint;
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
    files: Bounded<History, FILES_MAX>,
    tasks: Bounded<Claims, TASKS_MAX>,
}

impl View for Files {
    const NAME: &'static str = "files";
    const VERSION: u32 = 2;

    fn apply(&mut self, entry: &Entry<'_, '_>) {
        let part = &entry.report.part;
        if let Part::Call(call) = part {
            match call.phase {
                CallPhase::Running | CallPhase::Output | CallPhase::Completed => self.touch(entry),
                // What was not done, or did not work, touched nothing.
                CallPhase::Proposed | CallPhase::Failed | CallPhase::Denied => {}
            }
        } else if let Part::Lease(lease) = part {
            let history = path(entry).and_then(|path| self.files.touch(&path, entry.seen_ns()));
            if let Some(history) = history {
                history.lease(entry, lease);
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
            at_ns: entry.seen_ns(),
            position: entry.position,
            call: facts.span.as_deref().map(|span| fingerprint(facts.session.as_deref(), span)),
            actor: actor.to_owned(),
            access: facts.tool.as_deref().map_or(Access::Other, access),
        };
        if let Some(history) = self.files.touch(&path, touch.at_ns) {
            history.touch(touch);
        }
    }

    fn claim(&mut self, entry: &Entry<'_, '_>, is_claim: bool) {
        let (Some(task), Some(actor)) = (entry.facts.task.as_deref(), entry.facts.actor.as_deref())
        else {
            return;
        };
        if entry.is_carried {
            return;
        }
        if let Some(claims) = self.tasks.touch(task, entry.seen_ns()) {
            claims.put(entry, actor, is_claim);
        }
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

#[cfg(test)]
mod tests;

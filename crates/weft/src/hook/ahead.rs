//! What is begun before it is known whether it is needed: git takes longer than all else that a hook does, and runs beside it.
//!
//! A guess that is wrong costs a process that is killed. None is made in a store that never had a loop.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Deserialize;
use weft_runtime::git::{Fingerprint, Git};
use weft_runtime::loops::anchor::{Looking, Work};

use super::delivery::InHand;
use crate::steer;

/// What was begun.
pub(super) enum Ahead {
    /// Nothing.
    None,
    /// A look at whether work changed.
    Fingerprint(Box<Fingerprint>),
    /// A look at how far work is, for an anchor.
    Anchor(Box<Looking>),
    /// The same for an agent that comes back.
    Return(Box<Looking>),
}

/// How long git may take before the event of the hook goes its own way.
const PATIENCE: Duration = Duration::from_millis(50);

/// What tells which look a hook will need.
#[derive(Deserialize)]
struct Told {
    hook_event_name: String,
    #[serde(default)]
    cwd: Option<PathBuf>,
    #[serde(default)]
    agent_id: Option<String>,
    #[serde(default)]
    source: Option<String>,
}

impl Ahead {
    /// Begins what the hook of a payload will most likely need.
    pub(super) fn begin(payload: &[u8], store: &Path) -> Self {
        let Ok(Told { hook_event_name, cwd: Some(cwd), agent_id: None, source }) =
            serde_json::from_slice(payload)
        else {
            return Ahead::None;
        };
        if !steer::may_have_loops(store) {
            return Ahead::None;
        }
        match (hook_event_name.as_str(), source.as_deref()) {
            ("Stop", _) => Ahead::Fingerprint(Box::new(Git::at(&cwd).begin_fingerprint())),
            ("SessionStart", Some("clear" | "startup")) => Ahead::None,
            ("PreCompact", _) => Ahead::Anchor(Box::new(looking(store, &cwd))),
            ("SessionStart", _) => Ahead::Return(Box::new(looking(store, &cwd))),
            _ => Ahead::None,
        }
    }

    /// Returns whether most likely something is posted in the end.
    pub(super) fn is_followed_by_posts(&self) -> bool {
        match self {
            Ahead::Fingerprint(_) | Ahead::Anchor(_) => true,
            Ahead::Return(_) | Ahead::None => false,
        }
    }

    /// Returns what the work in a folder is known by. The event is delivered before if that takes long.
    pub(super) fn fingerprint(&mut self, folder: &Path, event: &mut InHand<'_>) -> Option<String> {
        match std::mem::replace(self, Ahead::None) {
            Ahead::Fingerprint(mut begun) if begun.folder() == folder => {
                if !begun.is_there_by(Instant::now() + PATIENCE) {
                    event.deliver();
                }
                begun.finish()
            }
            Ahead::Fingerprint(_) | Ahead::Anchor(_) | Ahead::Return(_) | Ahead::None => {
                event.deliver();
                Git::at(folder).fingerprint()
            }
        }
    }

    /// Returns how far the work in a folder is. The event is delivered before if that takes long.
    pub(super) fn work(self, folder: &Path, event: &mut InHand<'_>) -> Work {
        match self {
            Ahead::Anchor(mut begun) | Ahead::Return(mut begun) if begun.folder() == folder => {
                if !begun.is_there_by(Instant::now() + PATIENCE) {
                    event.deliver();
                }
                begun.finish()
            }
            Ahead::Anchor(_) | Ahead::Return(_) | Ahead::Fingerprint(_) | Ahead::None => {
                event.deliver();
                Work::look(folder)
            }
        }
    }
}

/// Begins a look at how far work is.
fn looking(store: &Path, folder: &Path) -> Looking {
    Looking::begin_noting(folder, &steer::commits_of(store, folder))
}

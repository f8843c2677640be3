//! What is begun before it is known whether it is needed: git takes longer than all else that a hook does, and runs beside it.
//!
//! A guess that is wrong costs a process that is killed. None is made in a store that never had a loop.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use weft_runtime::git::{Fingerprint, Git};
use weft_runtime::loops::anchor::{Looking, Work};

use crate::steer;

/// What was begun.
pub(super) enum Ahead {
    /// Nothing.
    None,
    /// A look at whether work changed.
    Fingerprint(Box<Fingerprint>),
    /// A look at how far work is.
    Work(Box<Looking>),
}

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
            ("PreCompact" | "SessionStart", _) => Ahead::Work(Box::new(Looking::begin(&cwd))),
            _ => Ahead::None,
        }
    }

    /// Returns what the work in a folder is known by.
    pub(super) fn fingerprint(&mut self, folder: &Path) -> Option<String> {
        match std::mem::replace(self, Ahead::None) {
            Ahead::Fingerprint(begun) if begun.folder() == folder => begun.finish(),
            Ahead::Fingerprint(_) | Ahead::Work(_) | Ahead::None => Git::at(folder).fingerprint(),
        }
    }

    /// Returns how far the work in a folder is.
    pub(super) fn work(self, folder: &Path) -> Work {
        match self {
            Ahead::Work(begun) if begun.folder() == folder => begun.finish(),
            Ahead::Work(_) | Ahead::Fingerprint(_) | Ahead::None => Work::look(folder),
        }
    }
}

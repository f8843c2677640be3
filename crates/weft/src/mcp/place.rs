//! Where clients keep the servers that they start, and our entry there.

use std::env;
use std::path::PathBuf;

use anyhow::Context as _;

use super::entry::Entry;
use super::{claude, codex};
use crate::settings_file::place::{folder, home, project, this_program};

/// Whose list of servers is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Claude Code's, for all projects of the user.
    User,
    /// Claude Code's, for everybody who works on the project.
    Project,
    /// Codex's, for all projects of the user.
    Codex,
}

impl Place {
    pub(super) const ALL: [Place; 3] = [Place::User, Place::Project, Place::Codex];

    /// Returns its name, as the flags have it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Place::User => "user",
            Place::Project => "project",
            Place::Codex => "codex",
        }
    }

    /// Returns the file.
    pub(super) fn file(self) -> anyhow::Result<PathBuf> {
        Ok(match self {
            Place::User => {
                let named = env::var_os("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty());
                let folder = named.map(PathBuf::from).or_else(home);
                folder.context("there is no home folder")?.join(".claude.json")
            }
            Place::Project => project()?.join(".mcp.json"),
            Place::Codex => folder("CODEX_HOME", ".codex")?.join("config.toml"),
        })
    }

    /// Returns what is to be there. What a team shares names the program and no more; elsewhere it is found wherever the client was
    /// started.
    pub(super) fn wanted(self, store: Option<&str>) -> anyhow::Result<Entry> {
        let program = match self {
            Place::Project => "weft".to_owned(),
            Place::User | Place::Codex => this_program()?,
        };
        Ok(Entry::ours(program, store))
    }

    /// Returns the text of the file with our entry in it.
    pub(super) fn install(self, text: Option<&str>, wanted: &Entry) -> anyhow::Result<String> {
        Ok(match self {
            Place::User | Place::Project => claude::install(text, wanted)?,
            Place::Codex => codex::install(text, wanted)?,
        })
    }

    /// Returns the text of the file without our entry; `None` if nothing is left that was there before.
    pub(super) fn uninstall(self, text: &str) -> anyhow::Result<Option<String>> {
        Ok(match self {
            Place::User | Place::Project => claude::uninstall(text)?,
            Place::Codex => codex::uninstall(text)?,
        })
    }

    /// Returns our entry, if it is there.
    pub(super) fn look(self, text: &str) -> anyhow::Result<Option<Entry>> {
        Ok(match self {
            Place::User | Place::Project => claude::look(text)?,
            Place::Codex => codex::look(text)?,
        })
    }
}

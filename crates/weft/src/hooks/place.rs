//! Where the settings of an agent are.

use std::path::PathBuf;

use weft_event::hook::Caller;

use crate::settings_file::place::{folder, project, this_program};

/// Whose settings are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Claude Code's, for all projects of the user.
    User,
    /// Claude Code's, for everybody who works on the project.
    Project,
    /// Claude Code's, for the user in this project.
    Local,
    /// Codex's, for all projects of the user.
    Codex,
}

impl Place {
    pub(super) const ALL: [Place; 4] = [Place::User, Place::Project, Place::Local, Place::Codex];

    /// Returns its name, as the flags have it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Place::User => "user",
            Place::Project => "project",
            Place::Local => "local",
            Place::Codex => "codex",
        }
    }

    /// Returns the agent that reads it.
    pub(super) fn caller(self) -> Caller {
        match self {
            Place::User | Place::Project | Place::Local => Caller::ClaudeCode,
            Place::Codex => Caller::Codex,
        }
    }

    /// Returns the file.
    pub(super) fn file(self) -> anyhow::Result<PathBuf> {
        Ok(match self {
            Place::User => folder("CLAUDE_CONFIG_DIR", ".claude")?.join("settings.json"),
            Place::Project => project()?.join(".claude/settings.json"),
            Place::Local => project()?.join(".claude/settings.local.json"),
            Place::Codex => folder("CODEX_HOME", ".codex")?.join("hooks.json"),
        })
    }

    /// Returns the folder of the slash commands beside it; `None` if its agent has none.
    pub(super) fn commands(self) -> anyhow::Result<Option<PathBuf>> {
        let file = self.file()?;
        Ok(match self {
            Place::User | Place::Project | Place::Local => {
                file.parent().map(|folder| folder.join("commands"))
            }
            Place::Codex => None,
        })
    }

    /// Returns the other place that has the same folder of slash commands.
    pub(super) fn beside(self) -> Option<Self> {
        match self {
            Place::Project => Some(Place::Local),
            Place::Local => Some(Place::Project),
            Place::User | Place::Codex => None,
        }
    }

    /// Returns the program that slash commands call: in a project's folder, which a team shares, by its name.
    pub(super) fn called(self) -> anyhow::Result<String> {
        match self {
            Place::Project | Place::Local => Place::Project.program(),
            Place::User | Place::Codex => self.program(),
        }
    }

    /// Returns the program that the agent is to run. What a team shares names it and no more; elsewhere it is found wherever the
    /// agent was started.
    pub(super) fn program(self) -> anyhow::Result<String> {
        match self {
            Place::Project => Ok("weft".to_owned()),
            Place::User | Place::Local | Place::Codex => this_program(),
        }
    }
}

//! Where the settings of an agent are.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use weft_event::hook::Caller;

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

    /// Returns the program that the agent is to run. What a team shares names it and no more; elsewhere it is found wherever the
    /// agent was started.
    pub(super) fn program(self) -> anyhow::Result<String> {
        if self == Place::Project {
            return Ok("weft".to_owned());
        }
        let program = env::current_exe().context("cannot tell where this program is")?;
        let program = program.into_os_string().into_string();
        program.map_err(|path| anyhow::anyhow!("{} is not UTF-8", path.to_string_lossy()))
    }
}

/// Returns the folder that a variable names, else the one of this name in the home folder.
fn folder(variable: &str, name: &str) -> anyhow::Result<PathBuf> {
    match env::var_os(variable).filter(|folder| !folder.is_empty()) {
        Some(folder) => Ok(folder.into()),
        None => Ok(home().context("there is no home folder")?.join(name)),
    }
}

fn home() -> Option<PathBuf> {
    env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// Returns the folder of the project: the nearest upward that has settings or is a repository, else this one. The home folder has
/// settings that are the user's own.
fn project() -> anyhow::Result<PathBuf> {
    let here = env::current_dir().context("cannot tell the current folder")?;
    let home = home();
    let is_project = |folder: &&Path| {
        let has = |name: &str| folder.join(name).exists();
        home.as_deref() != Some(*folder) && (has(".claude") || has(".git"))
    };
    Ok(here.ancestors().find(is_project).unwrap_or(&here).to_owned())
}

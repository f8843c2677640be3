//! Where coding agents keep the files of their sessions, by their own rules.

use std::env;
use std::path::PathBuf;

use anyhow::Context as _;
use weft_event::transcript::Client;

/// Returns the folders in which an agent keeps its sessions. The first may not be there; others are named only if they are.
pub(crate) fn folders(client: Client) -> anyhow::Result<Vec<PathBuf>> {
    let root = root(client)?;
    Ok(match client {
        Client::ClaudeCode => vec![root.join("projects")],
        Client::Codex => {
            let archived = Some(root.join("archived_sessions")).filter(|folder| folder.is_dir());
            [root.join("sessions")].into_iter().chain(archived).collect()
        }
        Client::Gemini => vec![root.join("tmp")],
    })
}

/// Returns the folder that an agent keeps everything in.
fn root(client: Client) -> anyhow::Result<PathBuf> {
    let (variable, folder) = match client {
        Client::ClaudeCode => ("CLAUDE_CONFIG_DIR", ".claude"),
        Client::Codex => ("CODEX_HOME", ".codex"),
        Client::Gemini => ("GEMINI_CLI_HOME", ".gemini"),
    };
    let named = env::var_os(variable).filter(|named| !named.is_empty()).map(PathBuf::from);
    match (named, client) {
        // It stands for the home folder there, and not for what is in it.
        (Some(home), Client::Gemini) => Ok(home.join(folder)),
        (Some(named), Client::ClaudeCode | Client::Codex) => Ok(named),
        (None, _) => {
            let home = env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
            let why = || format!("there is no home folder: set {variable}, or name the folder");
            Ok(home.with_context(why)?.join(folder))
        }
    }
}

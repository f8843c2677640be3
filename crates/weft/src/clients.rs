//! Where coding agents keep the files of their sessions, by their own rules, and which folders a server follows.

use std::env;
use std::path::PathBuf;

use anyhow::Context as _;
use weft_event::transcript::Client;
use weft_log::source::Form;
use weft_server::config::FolderSetting;
use weft_server::tail::Folder;

use crate::config::Config;

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

/// Returns the folders that a server with these settings follows.
pub(crate) fn followed(config: &Config) -> anyhow::Result<Vec<Folder>> {
    let mut all = Vec::new();
    for FolderSetting { path, form } in &config.folders {
        let path = match path.strip_prefix("~") {
            Ok(below) => home("name the folder by its whole path")?.join(below),
            Err(_) => path.clone(),
        };
        all.push(Folder { path, form: *form });
    }
    for client in config.sessions.clients() {
        let own = folders(client)?.into_iter();
        all.extend(own.map(|path| Folder { path, form: Form::Sessions(client) }));
    }
    Ok(all)
}

/// Returns the user's home folder.
fn home(otherwise: &str) -> anyhow::Result<PathBuf> {
    let home = env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    home.with_context(|| format!("there is no home folder: {otherwise}"))
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
        (None, _) => Ok(home(&format!("set {variable}, or name the folder"))?.join(folder)),
    }
}

//! What a run reads: files, folders and streams of events, or the sessions of coding agents.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use weft_event::transcript::Client;
use weft_log::filter;
use weft_log::source::{self, First, Form, Pick};
use weft_server::tail::judge::VIA_SESSIONS;

use crate::inputs::{self, Input};
use crate::{clients, times};

/// The way in of events, as records and refusals have it.
const VIA: &str = "ingest";

/// The agents whose sessions are read.
#[derive(clap::Args)]
pub(super) struct ClientArgs {
    /// Read the sessions of Claude Code, from its transcripts
    #[arg(long, help_heading = "Sessions of coding agents")]
    claude: bool,
    /// Read the sessions of Codex, from its rollouts
    #[arg(long, help_heading = "Sessions of coding agents")]
    codex: bool,
    /// Read the sessions of Gemini CLI, from its chats
    #[arg(long, help_heading = "Sessions of coding agents")]
    gemini: bool,
    /// Read only files that have changed since then: 7d, 2026-11-01, 2026-11-01T09:30
    #[arg(long, value_name = "WHEN", help_heading = "Sessions of coding agents")]
    since: Option<String>,
}

/// What is read.
pub(super) struct Chosen {
    what: What,
    /// Which files of folders come first, and which do not come.
    pub(super) pick: Pick,
}

enum What {
    Events(Vec<Input>),
    /// Folders that agents have, and what was named instead of them.
    Folders(Vec<(Client, PathBuf)>),
    Sessions(Client, Vec<PathBuf>),
}

impl Chosen {
    pub(super) fn resolve(args: &ClientArgs, paths: Vec<PathBuf>) -> anyhow::Result<Self> {
        let flags = [
            (args.claude, Client::ClaudeCode),
            (args.codex, Client::Codex),
            (args.gemini, Client::Gemini),
        ];
        let chosen: Vec<Client> =
            flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, client)| client).collect();
        let changed_since = args.since.as_deref().map(since).transpose()?;
        let what = match (&chosen[..], paths) {
            ([], paths) => What::Events(inputs::resolve(paths)?),
            (clients, paths) if paths.is_empty() => {
                let mut folders = Vec::new();
                for client in clients {
                    let own = clients::folders(*client)?;
                    folders.extend(own.into_iter().map(|folder| (*client, folder)));
                }
                What::Folders(folders)
            }
            ([client], paths) => What::Sessions(*client, paths),
            ([..], _) => anyhow::bail!("whose sessions are in the files? Name one agent for them"),
        };
        let first = match what {
            What::Events(_) => First::Name,
            // A session that was forked is older than its copies.
            What::Folders(_) | What::Sessions(..) => First::Oldest,
        };
        Ok(Self { what, pick: Pick { first, changed_since } })
    }

    /// Returns the way in, as records have it.
    pub(super) fn via(&self) -> &'static str {
        match self.what {
            What::Events(_) => VIA,
            What::Folders(_) | What::Sessions(..) => VIA_SESSIONS,
        }
    }

    /// Returns how many bytes there are to read, if that can be known without reading them.
    pub(super) fn total_bytes(&self) -> Option<u64> {
        match &self.what {
            What::Events(inputs) => inputs::total_bytes(inputs),
            What::Folders(_) | What::Sessions(..) => None,
        }
    }

    /// Returns the inputs; the lines of standard input are named by `stdin`.
    pub(super) fn inputs(&self, stdin: &str) -> Vec<source::Input> {
        match &self.what {
            What::Events(inputs) => inputs.iter().map(|input| of_events(input, stdin)).collect(),
            What::Folders(folders) => folders
                .iter()
                .map(|(client, path)| source::Input::Folder {
                    path: path.clone(),
                    form: Form::Sessions(*client),
                })
                .collect(),
            What::Sessions(client, paths) => paths
                .iter()
                .map(|path| source::Input::Sessions { client: *client, path: path.clone() })
                .collect(),
        }
    }
}

fn of_events(input: &Input, stdin: &str) -> source::Input {
    match input {
        Input::Path(path) => source::Input::Path(path.clone()),
        Input::Stdin => {
            source::Input::Stream { name: stdin.to_owned(), bytes: Box::new(io::stdin()) }
        }
    }
}

fn since(text: &str) -> anyhow::Result<SystemTime> {
    let ns = filter::parse_time(text, times::now_ns()).with_context(|| {
        format!("`{text}` is no time; write 7d, 2026-11-01 or 2026-11-01T09:30")
    })?;
    Ok(SystemTime::UNIX_EPOCH + Duration::from_nanos(u64::try_from(ns).unwrap_or(0)))
}

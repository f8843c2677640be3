//! What a message says, who sends it and from where: from arguments, standard input, files and the environment.

use std::env;
use std::io::Read as _;
use std::path::PathBuf;

use anyhow::Context as _;
use weft_event::hook;
use weft_event::idle::{Body, Sender};
use weft_event::json::LINE_BYTES_MAX;
use weft_log::Position;
use weft_log::Store;
use weft_runtime::git::Git;
use weft_runtime::topics::{self, Draft, Known, Ulid};

use super::{VIA, new_id};
use crate::posting::{Post, Posted, post};

/// What is said.
#[derive(clap::Args, Clone, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct BodyArgs {
    /// What it says
    #[arg(long = "message", short = 'm', value_name = "TEXT", allow_hyphen_values = true)]
    message: Option<String>,
    /// - to read what it says from standard input
    #[arg(value_name = "-", value_parser = ["-"], hide_possible_values = true)]
    input: Option<String>,
    /// Read what it says from a file
    #[arg(long, short = 'F', value_name = "FILE")]
    file: Option<PathBuf>,
}

/// Who sends it.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct SenderArgs {
    /// Id of who sends it [default: $WEFT_SENDER, else the agent of $CLAUDE_CODE_SESSION_ID, else the user]
    #[arg(long = "as", value_name = "ID")]
    sender: Option<String>,
    /// Name of who sends it [default: $WEFT_SENDER_NAME, else the id]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The model it runs on [default: $WEFT_SENDER_MODEL]
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// The part it plays [default: $WEFT_SENDER_ROLE]
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
}

impl BodyArgs {
    /// Reads what is said, to the byte.
    pub(crate) fn read(self) -> anyhow::Result<Body<'static>> {
        let bytes = match (self.message, self.file) {
            (Some(message), _) => message.into_bytes(),
            (None, Some(file)) => {
                std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?
            }
            (None, None) => {
                let mut bytes = Vec::new();
                let most = LINE_BYTES_MAX as u64 + 1;
                let read = std::io::stdin().take(most).read_to_end(&mut bytes);
                read.context("cannot read standard input")?;
                bytes
            }
        };
        if bytes.is_empty() {
            anyhow::bail!("a message says something: this one is empty");
        }
        if bytes.len() > LINE_BYTES_MAX {
            anyhow::bail!("the message is longer than {LINE_BYTES_MAX} bytes");
        }
        Ok(match String::from_utf8(bytes) {
            Ok(text) => Body::Text(text.into()),
            Err(error) => Body::Bytes(error.into_bytes()),
        })
    }
}

/// Returns a variable that says something.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns the session that the command runs for, if its client says so.
pub(crate) fn session() -> Option<String> {
    variable("CLAUDE_CODE_SESSION_ID")
}

impl SenderArgs {
    /// Settles who sends it; `None` if nothing says so. Who says no more than the part it plays is called by that.
    pub(crate) fn resolve(self) -> Option<Sender<'static>> {
        let name = self.name.or_else(|| variable("WEFT_SENDER_NAME"));
        let agent = || session().map(|session| hook::main_agent(&session));
        let user = || variable("USER").or_else(|| variable("LOGNAME"));
        let model = self.model.or_else(|| variable("WEFT_SENDER_MODEL"));
        let role = self.role.or_else(|| variable("WEFT_SENDER_ROLE"));
        let id = self.sender.or_else(|| variable("WEFT_SENDER")).or_else(|| name.clone());
        let id = id.or_else(agent).or_else(user).or_else(|| role.clone().or(model.clone()))?;
        Some(Sender {
            name: name.unwrap_or_else(|| id.clone()).into(),
            id: id.into(),
            model: Some(model.map(Into::into)),
            role: Some(role.map(Into::into)),
            extra: Vec::new(),
        })
    }
}

/// A message to be posted.
pub(crate) struct Letter<'a> {
    pub(crate) topic: &'a Known,
    pub(crate) key: &'a str,
    pub(crate) parent: Option<&'a str>,
    pub(crate) body: BodyArgs,
    pub(crate) sender: SenderArgs,
}

/// Posts a message, and returns its id and place once it is durable.
pub(crate) fn send(store: &Store, letter: Letter<'_>) -> anyhow::Result<(Ulid, Position)> {
    let body = letter.body.read()?;
    let git = env::current_dir().ok().and_then(|here| topics::context(&Git::at(&here)));
    let (session, (id, now_ms)) = (session(), new_id());
    let draft = Draft {
        topic: letter.topic,
        key: letter.key,
        parent: letter.parent,
        body,
        sender: letter.sender.resolve(),
        git,
        session: session.as_deref(),
    };
    let mark = draft.mark();
    let one = Post {
        line: draft.line(id, now_ms),
        dialect: weft_event::Dialect::Idle,
        topic: Some(mark),
    };
    match post(store, VIA, &[one], &[])? {
        Posted::Kept(outcomes) => Ok((id, outcomes[0].position())),
        Posted::Condition { .. } => unreachable!("nothing was demanded"),
    }
}

//! Sending a message on its way: by the same means that subscriptions use, tried a few times and then given up.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::http::uri::InvalidUri;
use weft_log::Store;

use super::rule::{Channel, Rule};
use super::wording::Worded;
use crate::subs::command;
use crate::subs::definition::SecretRef;
use crate::subs::letter::Letter;
use crate::subs::outcome::{Outcome, chain};
use crate::subs::post::ConnectError;
use crate::subs::schedule::{Backoff, Failure};
use crate::subs::secrets::{self, SecretError};
use crate::subs::webhook::Webhook;

/// How long one try may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Tries of one message before it is given up.
const ATTEMPTS_MAX: u32 = 5;

/// How long to wait between them.
const BACKOFF: Backoff = Backoff { min: Duration::from_secs(1), max: Duration::from_secs(30) };

/// Why a message did not arrive.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// Whoever was to take it did not, or is not there.
    #[error("{reason}")]
    NotTaken {
        /// What was said.
        reason: String,
    },
    /// Its secret cannot be had.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// No connection can be made to anybody.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Nothing can be run.
    #[error("cannot start the runtime")]
    Runtime(#[source] io::Error),
    /// The address is none.
    #[error("the address is not one")]
    Url(#[from] InvalidUri),
    /// There is nothing here that rings.
    #[error("a bell rings in a terminal that shows the inbox, and nowhere else")]
    Bell,
}

/// Returns the program that shows a notification on the desktop of this machine.
pub fn desktop_tool() -> &'static str {
    if cfg!(target_os = "macos") { "osascript" } else { "notify-send" }
}

/// Returns the file of the secret that the messages of a rule are signed with; `None` if they are not signed.
pub fn secret_file(store: &Store, rule: &Rule) -> Option<PathBuf> {
    match &rule.channel {
        Channel::Webhook { secret: SecretRef::Store, .. } => {
            Some(secrets::file(store, &secret_name(&rule.name)))
        }
        Channel::Webhook { secret: SecretRef::File(path), .. } => Some(PathBuf::from(path)),
        Channel::Desktop | Channel::Bell | Channel::Command { .. } => None,
    }
}

/// Returns the name that the secret of a rule is kept under. No subscription can have it.
fn secret_name(rule: &str) -> String {
    format!("@{rule}")
}

/// Sends a message, again and again if need be.
pub(super) async fn send(store: &Store, rule: &Rule, worded: &Worded) -> Result<(), SendError> {
    let mut n_failures = 0;
    loop {
        let (failure, reason) = match once(store, rule, worded, n_failures + 1).await? {
            Outcome::Taken => return Ok(()),
            Outcome::Gone(reason) => return Err(SendError::NotTaken { reason }),
            Outcome::Failed(failure, reason) => (failure, reason),
        };
        n_failures += 1;
        if n_failures >= ATTEMPTS_MAX {
            return Err(SendError::NotTaken { reason });
        }
        tracing::debug!("the rule {} is tried again: {reason}", rule.name);
        let retry_after = match failure {
            Failure::Refused { retry_after } | Failure::Away { retry_after } => retry_after,
            Failure::Expired | Failure::Silent | Failure::Final => None,
        };
        let draw = RandomState::new().build_hasher().finish();
        let wait = BACKOFF.delay(n_failures, retry_after.map(|it| it.min(BACKOFF.max)), draw);
        tokio::time::sleep(wait).await;
    }
}

/// Sends an example, once. Blocks.
pub fn send_example_blocking(store: &Store, rule: &Rule, now_ns: i64) -> Result<(), SendError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(SendError::Runtime)?;
    let worded = Worded::example(&rule.name, now_ns);
    match runtime.block_on(once(store, rule, &worded, 1))? {
        Outcome::Taken => Ok(()),
        Outcome::Failed(_, reason) | Outcome::Gone(reason) => Err(SendError::NotTaken { reason }),
    }
}

async fn once(
    store: &Store,
    rule: &Rule,
    worded: &Worded,
    attempt: u32,
) -> Result<Outcome, SendError> {
    match &rule.channel {
        Channel::Bell => Err(SendError::Bell),
        Channel::Desktop => {
            let letter = Letter { marks: Vec::new(), body: Bytes::new() };
            Ok(command::deliver(&desktop(worded), letter, TIMEOUT).await)
        }
        Channel::Command { argv } => {
            let mut letter = letter(worded, attempt);
            let root = store.root().display().to_string();
            letter.marks.push(("Store", root));
            letter.marks.push(("Notify-Title", worded.title.clone()));
            letter.marks.push(("Notify-Text", worded.text.clone()));
            Ok(command::deliver(argv, letter, TIMEOUT).await)
        }
        Channel::Webhook { url, secret } => {
            let uri = url.parse()?;
            let (store, name, secret) = (store.clone(), rule.name.clone(), secret.clone());
            let webhook = tokio::task::spawn_blocking(move || {
                let secret = match &secret {
                    SecretRef::Store => secrets::make(&store, &secret_name(&name))?,
                    SecretRef::File(_) => secrets::read(&store, &name, &secret)?,
                };
                Ok::<_, SendError>(Webhook::new(uri, secret, TIMEOUT)?)
            });
            let webhook = webhook
                .await
                .unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?;
            let now_s = jiff::Timestamp::now().as_second();
            Ok(Arc::new(webhook).deliver(letter(worded, attempt), now_s).await)
        }
    }
}

fn letter(worded: &Worded, attempt: u32) -> Letter {
    let body = serde_json::to_vec(worded).expect("a message can be written as JSON");
    let mut marks = vec![
        ("Notify-Rule", worded.rule.clone()),
        ("Notify-Count", worded.n_needs.to_string()),
        ("Notify-Attempt", attempt.to_string()),
    ];
    if worded.is_test {
        marks.push(("Notify-Test", "true".to_owned()));
    }
    Letter { marks, body: Bytes::from(body) }
}

/// Returns the command that shows a message on the desktop. Neither part of it can be taken for an option or a script.
fn desktop(worded: &Worded) -> Vec<String> {
    let Worded { title, text, .. } = worded;
    let words: Vec<&str> = match desktop_tool() {
        "osascript" => vec![
            "osascript",
            "-e",
            "on run argv",
            "-e",
            "display notification (item 2 of argv) with title (item 1 of argv)",
            "-e",
            "end run",
            title,
        ],
        tool => vec![tool, "--app-name=weft", "--", title],
    };
    let mut argv: Vec<String> = words.into_iter().map(str::to_owned).collect();
    argv.push(if desktop_tool() == "osascript" { text.clone() } else { without_markup(text) });
    argv
}

/// Returns a text in which nothing is markup, as the servers of desktop notifications read it.
fn without_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns what went wrong, with its causes.
pub(super) fn told(error: &SendError) -> String {
    chain(error)
}

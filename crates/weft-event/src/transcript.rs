//! The files in which coding agents record their sessions: from their rows to events of the collector dialect.
//!
//! A [`Reader`] is fed one line of a file at a time and gives the events that it tells of. What it has to remember between lines is
//! small and can be kept as text, so that reading goes on where it stopped. The same row gives events with the same ids however
//! often, and in whichever copy of the file, it is read. `docs/transcripts.md` says what becomes of which row.

mod calls;
mod claude;
mod codex;
mod draft;
mod gemini;
mod row;
mod tokens;

use std::borrow::Cow;

use crate::json::{Kind, LINE_BYTES_MAX, Object, Syntax, SyntaxError, Tape, Value};
use crate::shape::text_enum;

/// Half characters that are replaced in one line; a line with more is refused.
const HALVES_MAX: usize = 1_000;

/// What stands for half a character.
const REPLACEMENT: &[u8; 6] = b"\\ufffd";

/// What the records of the clients are called in `metadata.source`, in the order of [`Client::ALL`].
pub(crate) const SOURCES: [&str; 3] = ["transcript", "rollout", "chat"];

text_enum! {
    /// Whose sessions they are.
    pub enum Client {
        /// Claude Code, whose files are transcripts.
        ClaudeCode = "claude-code",
        /// Codex, whose files are rollouts.
        Codex = "codex",
        /// Gemini CLI, whose files are chats.
        Gemini = "gemini-cli",
    }
}

impl Client {
    /// Returns what the client's records are called.
    pub const fn source(self) -> &'static str {
        SOURCES[self as usize]
    }

    /// Returns whether a file with this path is a session of the client.
    pub fn takes(self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or_default();
        let plain = name.strip_suffix(".zst").unwrap_or(name);
        let Some(stem) = plain.strip_suffix(".jsonl") else { return false };
        match self {
            Client::ClaudeCode => !stem.is_empty(),
            Client::Codex => stem.starts_with("rollout-"),
            Client::Gemini => stem.starts_with("session-"),
        }
    }
}

/// Why a line of a session tells nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// It is not JSON.
    #[error("the row is not JSON")]
    Syntax(#[from] SyntaxError),
    /// It is JSON and no object.
    #[error("a row is an object, not {found}")]
    NotAnObject {
        /// What it is instead.
        found: &'static str,
    },
}

/// Reads the rows of one file of a session, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Reader(Form);

#[derive(Clone, Debug, PartialEq)]
enum Form {
    Claude(claude::Reader),
    Codex(codex::Reader),
    Gemini(gemini::Reader),
}

impl Reader {
    /// Returns a reader for the first line of a file; its path says what the rows may leave out.
    pub fn new(client: Client, path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or_default();
        let name = name.strip_suffix(".zst").unwrap_or(name);
        let stem = name.strip_suffix(".jsonl").unwrap_or(name);
        Self(match client {
            Client::ClaudeCode => Form::Claude(claude::Reader::new(stem)),
            Client::Codex => Form::Codex(codex::Reader::new(stem)),
            Client::Gemini => Form::Gemini(gemini::Reader::new(stem)),
        })
    }

    /// Returns a reader that goes on where another was, by what [`Reader::state`] gave; `None` if that is not understood.
    pub fn resume(client: Client, path: &str, state: &str) -> Option<Self> {
        let mut reader = Self::new(client, path);
        let mut tape = Tape::new();
        let state = tape.parse(state).ok().filter(|state| state.kind() == Kind::Object)?;
        if state.get("v").and_then(Value::as_u64) != Some(STATE_VERSION) {
            return None;
        }
        match &mut reader.0 {
            Form::Claude(reader) => reader.resume(state)?,
            Form::Codex(reader) => reader.resume(state)?,
            Form::Gemini(reader) => reader.resume(state)?,
        }
        Some(reader)
    }

    /// Returns what is to be remembered, as one line of JSON.
    pub fn state(&self) -> String {
        let mut out = String::new();
        let mut object = Object::begin(&mut out);
        object.key("v").push_str(&STATE_VERSION.to_string());
        match &self.0 {
            Form::Claude(reader) => reader.save(&mut object),
            Form::Codex(reader) => reader.save(&mut object),
            Form::Gemini(reader) => reader.save(&mut object),
        }
        object.end();
        out
    }

    /// Reads the next row, and adds the events that it tells of: each one line, valid and without a warning.
    ///
    /// A row that tells nothing, or is of a kind that nobody knows yet, adds none.
    pub fn read(
        &mut self,
        tape: &mut Tape,
        line: &[u8],
        events: &mut Vec<String>,
    ) -> Result<(), RowError> {
        let line = mended(tape, line);
        let row = tape.parse_bytes(&line)?;
        if row.kind() != Kind::Object {
            return Err(RowError::NotAnObject { found: row.kind().name() });
        }
        match &mut self.0 {
            Form::Claude(reader) => reader.read(row, events),
            Form::Codex(reader) => reader.read(row, events),
            Form::Gemini(reader) => reader.read(row, events),
        }
        Ok(())
    }
}

/// The form of what [`Reader::state`] gives.
const STATE_VERSION: u64 = 1;

/// Returns a line without escapes of half a surrogate pair, which is what is left of an emoji that was cut in two.
fn mended<'l>(tape: &mut Tape, line: &'l [u8]) -> Cow<'l, [u8]> {
    let mut line = Cow::Borrowed(line);
    if line.len() > LINE_BYTES_MAX || memchr::memmem::find(&line, b"\\u").is_none() {
        return line;
    }
    for _ in 0..HALVES_MAX {
        match tape.parse_bytes(&line) {
            Err(SyntaxError { offset, kind: Syntax::Surrogate }) => {
                line.to_mut()[offset..offset + REPLACEMENT.len()].copy_from_slice(REPLACEMENT);
            }
            Ok(_) | Err(_) => break,
        }
    }
    line
}

#[cfg(test)]
mod tests;

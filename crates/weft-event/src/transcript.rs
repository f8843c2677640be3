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

use crate::hook::half_pairs;
use crate::json::{Kind, Object, Syntax, SyntaxError, Tape, Value};
use crate::shape::text_enum;

pub(crate) use draft::TURN_COMPLETED;

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
        match self {
            Client::ClaudeCode => "transcript",
            Client::Codex => "rollout",
            Client::Gemini => "chat",
        }
    }

    /// Returns whether a file with this path is a session of the client.
    pub fn takes(self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or_default();
        let plain = name.strip_suffix(".zst").unwrap_or(name);
        let Some(stem) = plain.strip_suffix(".jsonl") else { return false };
        match self {
            // What a tool gave back may be kept in files of its own, whatever stands in it.
            Client::ClaudeCode => !stem.is_empty() && !path.contains("/tool-results/"),
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

    /// Returns a reader for the first line of a file that was read before and has been rewritten since. What was told of sums that
    /// grow is known by what [`Reader::state`] gave: rows that told the smaller ones may be gone.
    pub fn again(client: Client, path: &str, state: &str) -> Self {
        let mut reader = Self::new(client, path);
        match (&mut reader.0, Self::resume(client, path, state).map(|before| before.0)) {
            (Form::Claude(reader), Some(Form::Claude(before))) => reader.keep_sums(&before),
            (Form::Codex(reader), Some(Form::Codex(before))) => reader.keep_sums(&before),
            (Form::Claude(_) | Form::Codex(_) | Form::Gemini(_), _) => {}
        }
        reader
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
        match tape.parse_bytes(line) {
            Ok(row) => self.read_row(row, events),
            // A text that was cut off at some number of characters may end with half of one.
            Err(SyntaxError { kind: Syntax::Surrogate, .. }) => {
                let mended = half_pairs(line);
                self.read_row(tape.parse_bytes(&mended.bytes)?, events)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn read_row(&mut self, row: Value<'_>, events: &mut Vec<String>) -> Result<(), RowError> {
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

#[cfg(test)]
mod tests;

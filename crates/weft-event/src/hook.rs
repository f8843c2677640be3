//! Hooks of coding agents: from what an agent hands to a hook to the event of the collector dialect that reports it.
//!
//! [`to_event`] is all of it. It is made for a process that has to be gone within a millisecond: one pass over the payload, one
//! buffer for the event. What the events look like is in `docs/hooks.md`.

mod correlation;
mod mend;
mod payload;
mod said;

use crate::collector::{HOOKS, TAXONOMY, VERSION, hook_event_type};
use crate::input::{Ending, Line};
use crate::json::{
    DEPTH_MAX, Kind, LINE_BYTES_MAX, Object, Syntax, SyntaxError, Tape, Value, write_text,
};
use crate::problem::{Code, Problem};
use crate::shape::{shorten, text_enum};
use crate::time;
use payload::Payload;

pub use correlation::trace_of;
pub use payload::main_agent;

pub(crate) use mend::half_pairs;
pub(crate) use said::head;

/// Largest payload whose tool input and result stand a second time in `tool`. Escaped once more they can be twice as long; with
/// the payload itself that is three times its length, which still fits a line.
const COPIED_BYTES_MAX: usize = 5 << 20;

/// How much deeper a payload stands in its event than by itself.
const DEPTH_ADDED: usize = 2;

text_enum! {
    /// Whose hook it is.
    pub enum Caller {
        /// Claude Code.
        ClaudeCode = "claude-code",
        /// Codex.
        Codex = "codex",
    }
}

impl Caller {
    /// Returns the hooks that it is known to have.
    pub fn hooks(self) -> &'static [&'static str] {
        match self {
            Caller::ClaudeCode => &HOOKS,
            Caller::Codex => &[
                "SessionStart",
                "SessionEnd",
                "UserPromptSubmit",
                "PreToolUse",
                "PermissionRequest",
                "PostToolUse",
                "PreCompact",
                "PostCompact",
                "SubagentStart",
                "SubagentStop",
                "Stop",
            ],
        }
    }
}

/// What a hook knows beside its payload.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// When it fired, in nanoseconds since 1970.
    pub now_ns: i64,
    /// The `TRACEPARENT` of its environment, whatever stands there.
    pub traceparent: Option<&'a str>,
}

/// Why a payload becomes no event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HookError {
    /// It is not JSON.
    #[error("the payload of the hook is not JSON")]
    Syntax(#[from] SyntaxError),
    /// It is JSON and no object.
    #[error("the payload of a hook is an object, not {found}")]
    NotAnObject {
        /// What it is instead.
        found: &'static str,
    },
    /// It does not say which hook fired.
    #[error("the payload does not name its hook")]
    NoName,
    /// A key stands twice in an object, so that nobody knows which counts.
    #[error("the key `{key}` stands twice in the payload")]
    RepeatedKey {
        /// The key.
        key: String,
    },
    /// It is nested so deep that no event can hold it.
    #[error("the payload is nested deeper than {} levels", DEPTH_MAX - DEPTH_ADDED)]
    TooDeep,
    /// The event would be longer than any line.
    #[error("the event of the hook would have {bytes} bytes, the limit is {LINE_BYTES_MAX}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
}

impl HookError {
    /// Returns what is wrong in the form in which it is kept with what was refused.
    pub fn problem(&self) -> Problem {
        let (code, message) = match self {
            HookError::Syntax(error) => (syntax_code(error.kind), format!("{self}: {error}")),
            HookError::NotAnObject { .. } => (Code::NotAnObject, self.to_string()),
            HookError::NoName => (Code::Missing, self.to_string()),
            HookError::RepeatedKey { .. } => (Code::DuplicateKey, self.to_string()),
            HookError::TooDeep => (Code::TooDeep, self.to_string()),
            HookError::TooLong { .. } => (Code::TooLong, self.to_string()),
        };
        Problem { code, pointer: String::new(), message }
    }
}

/// Returns the event that reports a hook, on one line: valid in the collector dialect, and without a warning.
///
/// `caller` is told by the payload where it is not named. There is no `event_id`: what the hook reports is the event's identity, so
/// that a hook installed twice counts once.
pub fn to_event(
    payload: &[u8],
    caller: Option<Caller>,
    around: &Around<'_>,
) -> Result<String, HookError> {
    read(payload, &Report { caller, around, form: Form::Whole, n_mended: 0 })
}

/// Returns the event of [`to_event`] with its payload as text in `hook.raw_payload.weft_packed`, and only what tells it from others
/// beside that: for a payload that is too large as it came, because its parts are too many to be moved one by one.
pub fn to_packed_event(
    payload: &[u8],
    caller: Option<Caller>,
    around: &Around<'_>,
) -> Result<String, HookError> {
    read(payload, &Report { caller, around, form: Form::Packed, n_mended: 0 })
}

/// What an event is made from beside the payload.
#[derive(Clone, Copy, Debug)]
struct Report<'r> {
    caller: Option<Caller>,
    around: &'r Around<'r>,
    form: Form,
    /// How many half characters were replaced.
    n_mended: usize,
}

/// How a payload stands in its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As it came.
    Whole,
    /// As the text of one string, which can be moved to a blob whatever it holds.
    Packed,
}

fn read(bytes: &[u8], report: &Report<'_>) -> Result<String, HookError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii();
    let mut tape = Tape::new();
    // No search here asks first what this processor can do: the question takes a process that has just begun longer than the search.
    let parsed = match std::str::from_utf8(bytes) {
        Ok(text) => tape.parse(text),
        Err(_) => tape.parse_bytes(bytes),
    };
    match parsed {
        Ok(root) if !bytes.contains(&b'\n') => event(root, report),
        Ok(_) => {
            let line = Line { number: 1, offset: 0, bytes, ending: Ending::EndOfInput };
            event(tape.parse_bytes(&line.on_one_line())?, report)
        }
        // A text that an agent cut off at some number of characters may end with half of one.
        Err(error) if error.kind == Syntax::Surrogate && report.n_mended == 0 => {
            let mended = mend::half_pairs(bytes);
            read(&mended.bytes, &Report { n_mended: mended.n_halves, ..*report })
        }
        Err(error) => Err(error.into()),
    }
}

fn event(root: Value<'_>, report: &Report<'_>) -> Result<String, HookError> {
    check(root)?;
    let payload = Payload::read(root, report.caller).ok_or(HookError::NoName)?;
    let mut out = String::with_capacity(1_024 + 2 * root.raw().len());
    write(&mut out, &payload, report);
    match out.len() {
        bytes if bytes > LINE_BYTES_MAX => Err(HookError::TooLong { bytes }),
        _ => Ok(out),
    }
}

/// Checks what would make an event invalid.
fn check(root: Value<'_>) -> Result<(), HookError> {
    if root.kind() != Kind::Object {
        return Err(HookError::NotAnObject { found: root.kind().name() });
    }
    if let Some(key) = root.repeated_keys().next() {
        let key = shorten(&key.as_text().unwrap_or_default()).to_string();
        return Err(HookError::RepeatedKey { key });
    }
    // Few payloads have as many brackets as would be needed.
    let depth_max = DEPTH_MAX - DEPTH_ADDED;
    let n_brackets = root.raw().bytes().filter(|byte| matches!(byte, b'{' | b'[')).count();
    if n_brackets > depth_max && depth(root) > depth_max {
        return Err(HookError::TooDeep);
    }
    Ok(())
}

/// Returns how many levels a value has. Descends at most as deep as the parser does.
fn depth(value: Value<'_>) -> usize {
    let inside = match value.kind() {
        Kind::Object => value.members().map(|(_, member)| depth(member)).max(),
        Kind::Array => value.items().map(depth).max(),
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Text | Kind::Key => return 0,
    };
    1 + inside.unwrap_or(0)
}

fn write(out: &mut String, payload: &Payload<'_>, report: &Report<'_>) {
    let Report { around, form, n_mended, .. } = *report;
    let event_type = hook_event_type(&payload.name);
    let mut event = Object::begin(out);
    event.text("version", VERSION);
    event.text("event_type", &event_type);
    // A microsecond tells any two hooks of one agent apart.
    event.text("timestamp", &time::format_rfc3339(around.now_ns / 1_000 * 1_000));
    event.text("agent_id", payload.actor());
    if let Some(session) = &payload.session {
        event.text("session_id", session);
    }
    event.text("source", "hook");
    if let Some(status) = TAXONOMY.get(&event_type).and_then(|row| row.status) {
        event.text("status", status.as_str());
    }
    event.text("message", &said::message(payload));
    let is_copied = form == Form::Whole && payload.root.raw().len() <= COPIED_BYTES_MAX;
    write_tool(&mut event, payload, is_copied);
    write_hook(event.key("hook"), payload, form);
    correlation::write(&mut event, payload, around.traceparent);
    write_metadata(event.key("metadata"), payload, n_mended);
    event.end();
}

fn write_tool(event: &mut Object<'_>, payload: &Payload<'_>, is_copied: bool) {
    let Some(name) = &payload.tool else { return };
    let mut tool = Object::begin(event.key("tool"));
    tool.text("tool_name", name);
    if let Some(input) = payload.input().filter(|_| is_copied) {
        tool.key("tool_input").push_str(input.raw());
    }
    if let Some(result) = payload.result().filter(|_| is_copied) {
        let out = tool.key("tool_result");
        match result.kind() {
            Kind::Text => out.push_str(result.raw()),
            _ => write_text(out, result.raw()),
        }
    }
    if let Some(ms) = payload.root.get("duration_ms").and_then(Value::as_i64) {
        tool.key("duration_ms").push_str(&ms.to_string());
    }
    tool.end();
}

fn write_hook(out: &mut String, payload: &Payload<'_>, form: Form) {
    let mut hook = Object::begin(out);
    hook.text("hook_type", &payload.name);
    let out = hook.key("raw_payload");
    match form {
        Form::Whole => out.push_str(payload.root.raw()),
        Form::Packed => {
            let mut packed = Object::begin(out);
            payload.ids().for_each(|(name, id)| packed.key(name).push_str(id.raw()));
            packed.text("weft_packed", payload.root.raw());
            packed.end();
        }
    }
    hook.end();
}

fn write_metadata(out: &mut String, payload: &Payload<'_>, n_mended: usize) {
    let mut metadata = Object::begin(out);
    metadata.text("client", payload.caller.as_str());
    if let Some(task) = payload.task() {
        metadata.text("task_id", &task);
    }
    if n_mended > 0 {
        metadata.key("half_characters_replaced").push_str(&n_mended.to_string());
    }
    metadata.end();
}

fn syntax_code(kind: Syntax) -> Code {
    match kind {
        Syntax::Utf8 => Code::Utf8,
        Syntax::TooLong => Code::TooLong,
        Syntax::Depth => Code::TooDeep,
        Syntax::NumberRange => Code::NumberRange,
        Syntax::Torn
        | Syntax::Empty
        | Syntax::Unexpected
        | Syntax::Trailing
        | Syntax::Control
        | Syntax::Escape
        | Syntax::Surrogate
        | Syntax::Number => Code::Json,
    }
}

#[cfg(test)]
mod tests;

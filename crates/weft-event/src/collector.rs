//! `collector`: hook and status events of the Agent Updates Collector, version 1.0.0, with what its successor 1.1.0 adds.

mod facts;
mod hooks;
mod report;
mod types;

use std::borrow::Cow;

use crate::Status;
use crate::dialect::Speech;
use crate::event::report_repeated_keys;
use crate::json::{Json, Name, Names, Value};
use crate::problem::{Code, Problems};
use crate::shape::{Check, Draft, Fields, Pattern, Rule, record, text_enum};

pub use hooks::{HOOKS, hook_event_type};
pub use types::{LISTED, NAMESPACES, RECORDED, TAXONOMY, status_event_type};

/// The version that Weft writes.
pub const VERSION: &str = "1.0.0";

static SEMVER: Pattern = Pattern {
    regex: r"^\d+\.\d+\.\d+$",
    matches: |text| text == VERSION || version_parts(text).is_some(),
    expected: "a version such as 1.0.0",
};

static EVENT_TYPE: Pattern = Pattern {
    regex: "^(lifecycle|activity|coordination|hook|decision|system)\\.[a-z_]+$",
    matches: |text| TAXONOMY.get(text).is_some() || is_event_type(text),
    expected: "`namespace.name` in one of the six namespaces, in lower case",
};

text_enum! {
    /// Where an event came from.
    pub enum Source {
        /// An MCP tool call.
        Mcp = "mcp",
        /// A hook.
        Hook = "hook",
        /// A command line; since 1.1.0.
        Cli = "cli",
        /// The collector itself; since 1.1.0.
        System = "system",
    }
}

record! {
    /// The tool that an event is about.
    pub struct Tool = TOOL("Tool", Allowed) {
        /// Name of the tool.
        tool_name: ? Cow<'a, str> = Check::TEXT;
        /// What the tool was given.
        tool_input: ? Json<'a> = Check::Object;
        /// What came of it.
        tool_result: ? Cow<'a, str> = Check::TEXT;
        /// How long it took.
        duration_ms: ? i64 = Check::INTEGER;
    }
}

record! {
    /// The hook that an event came from.
    pub struct Hook = HOOK("Hook", Allowed) {
        /// Name of the hook, as the agent has it.
        hook_type: ? Cow<'a, str> = Check::TEXT;
        /// What the agent sent.
        raw_payload: ? Json<'a> = Check::Object;
    }
}

record! {
    /// The place of an event in a trace.
    pub struct Correlation = CORRELATION("Correlation", Allowed) {
        /// The trace.
        trace_id: ? Cow<'a, str> = Check::TEXT;
        /// The event's own span.
        span_id: ? Cow<'a, str> = Check::TEXT;
        /// The span above it.
        parent_span_id: ? Cow<'a, str> = Check::TEXT;
        /// The agent that everything began with.
        root_agent_id: ? Cow<'a, str> = Check::TEXT;
    }
}

record! {
    /// One event of the Agent Updates Collector.
    pub struct Event = EVENT("Agent Event", Allowed) {
        /// Version of the schema.
        version: ! Cow<'a, str> = Check::Text(Rule::Pattern(&SEMVER));
        /// Type, within a namespace.
        event_type: ! Cow<'a, str> = Check::Text(Rule::Pattern(&EVENT_TYPE));
        /// When it happened, with its offset.
        timestamp: ! Cow<'a, str> = Check::TIME;
        /// Who it is about.
        agent_id: ! Cow<'a, str> = Check::Text(Rule::NonEmpty);
        /// Id of this very event.
        event_id: ? Cow<'a, str> = Check::Text(Rule::Uuid);
        /// Session it belongs to.
        session_id: ? Cow<'a, str> = Check::TEXT;
        /// Where it came from.
        source: ? Source = Check::Text(Rule::OneOf(&["mcp", "hook"]));
        /// Status, where it is not the type's own.
        status: ? Status = Check::Text(Rule::OneOf(Status::WORDS));
        /// What it says to a person.
        message: ? Cow<'a, str> = Check::TEXT;
        /// How far the work is.
        progress: ? f64 = Check::Number { min: 0.0, max: 1.0 };
        /// The tool it is about.
        tool: ? Tool<'a> = Check::Shape(&TOOL);
        /// The hook it came from.
        hook: ? Hook<'a> = Check::Shape(&HOOK);
        /// Its place in a trace.
        correlation: ? Correlation<'a> = Check::Shape(&CORRELATION);
        /// Anything else.
        metadata: ? Json<'a> = Check::Object;
    }
}

record! {
    /// A row of the status table that came before the events.
    pub struct LegacyRow = LEGACY_ROW("Legacy Status Row", Allowed) {
        /// Who it is about.
        agent_id: ! Cow<'a, str> = Check::Text(Rule::NonEmpty);
        /// The status.
        status: ! Status = Check::Text(Rule::OneOf(Status::WORDS));
        /// What it says to a person.
        message: ? Cow<'a, str> = Check::TEXT;
        /// When it happened.
        timestamp: ! Cow<'a, str> = Check::TIME;
        /// Session it belongs to.
        session_id: ? Cow<'a, str> = Check::TEXT;
        /// How far the work is.
        progress: ? f64 = Check::Number { min: 0.0, max: 1.0 };
    }
}

impl<'a> LegacyRow<'a> {
    /// Returns the event that says the same.
    pub fn into_event(self) -> Event<'a> {
        let metadata = (!self.extra.is_empty())
            .then(|| Json::object(|object| self.extra.iter().for_each(|(k, v)| object.json(k, v))));
        Event {
            version: VERSION.into(),
            event_type: status_event_type(self.status).into(),
            timestamp: self.timestamp,
            agent_id: self.agent_id,
            session_id: self.session_id,
            status: Some(self.status),
            message: self.message,
            progress: self.progress,
            metadata,
            ..Event::default()
        }
    }
}

pub(crate) static SPEECH: Speech = Speech {
    validate,
    facts: facts::facts,
    report: report::report,
    taxonomy: &TAXONOMY,
    root: &Check::Shape(&EVENT),
    documents: &[("legacy-row", &Check::Shape(&LEGACY_ROW))],
    schema_id: "https://example.com/agent-event-v1.0.0.json",
    draft: Draft::Seven,
};

const VERSION_SLOT: usize = EVENT.slot("version");
const EVENT_TYPE_SLOT: usize = EVENT.slot("event_type");
const STATUS_SLOT: usize = EVENT.slot("status");

fn validate(fields: &mut Fields<'_>, problems: &mut Problems) {
    let value = fields.object();
    report_repeated_keys(value, problems);
    let names = value.names();
    let told_by = const { Names::NONE.with("event_type").with("version") };
    if !names.meets(&told_by) && names.has(const { Name::listed("status") }) {
        problems.whole(Code::LegacyRow, "a row of the old status table; read by its status word");
        return fields.check_as(&LEGACY_ROW, problems);
    }
    fields.check_as(&EVENT, problems);
    if let Some(version) = fields.get(VERSION_SLOT).filter(|version| !version.is_text(VERSION)) {
        check_version(version, problems);
    }
    let stated = fields.word(STATUS_SLOT, Status::ALL);
    if let (Some(stated), Some(name)) = (stated, fields.get(EVENT_TYPE_SLOT)) {
        let usual = TAXONOMY.outcome_of(name).and_then(|outcome| outcome.status);
        if usual.is_some_and(|usual| usual != stated) {
            let name = name.as_text().unwrap_or_default();
            let usual = usual.map_or("", Status::as_str);
            let message =
                format!("`{name}` means `{usual}`; the stated `{}` counts", stated.as_str());
            problems.at(value.get("status").unwrap_or(value), Code::StatusMismatch, message);
        }
    }
}

fn check_version(version: Value<'_>, problems: &mut Problems) {
    let Some((major, minor, _)) = version.as_text().as_deref().and_then(version_parts) else {
        return;
    };
    if major != 1 {
        let message = format!("version {} cannot be read, only 1.x", version.raw());
        problems.at(version, Code::ForeignVersion, message);
    } else if minor > 0 {
        problems.soften(Code::NewerMinor, |problem| {
            matches!(
                (problem.code, problem.pointer.as_str()),
                (Code::Pattern, "/event_type") | (Code::Enum, "/source")
            )
        });
    }
}

/// Splits `major.minor.patch`; numbers too large for the type saturate.
fn version_parts(text: &str) -> Option<(u64, u64, u64)> {
    let mut parts = text.split('.').map(|part| {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse().unwrap_or(u64::MAX))
    });
    let version = (parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then_some(version)
}

/// Returns whether a text is the name of a type, known or not.
fn is_event_type(text: &str) -> bool {
    split_type(text).is_some_and(|(namespace, _)| NAMESPACES.contains(&namespace))
}

/// Splits `namespace.name`.
fn split_type(text: &str) -> Option<(&str, &str)> {
    let dot = text.bytes().position(|byte| byte == b'.')?;
    let (namespace, name) = (&text[..dot], &text[dot + 1..]);
    let plain =
        !name.is_empty() && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase());
    plain.then_some((namespace, name))
}

#[cfg(test)]
mod tests;

//! An event that a row tells of, up to the line it becomes.

use std::borrow::Cow;

use super::calls::Made;
use super::row::{depth, head};
use super::tokens::Tokens;
use super::{Client, calls::Calls};
use crate::collector::{Correlation, Event, TAXONOMY, Tool, VERSION};
use crate::digest_parts;
use crate::hook::main_agent;
use crate::json::{DEPTH_MAX, Json, Kind, LINE_BYTES_MAX, Object, Value};
use crate::translate::{self, trace};

/// How much deeper an input stands in its event than by itself.
const DEPTH_ADDED: usize = 2;

/// What is said of a turn that ended without words.
pub(crate) const TURN_COMPLETED: &str = "Turn completed";

/// The types of the events that rows become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// A session or a subagent began.
    Started,
    /// The agent was given something to do.
    Prompt,
    /// It reasons.
    Thinking,
    /// It says something.
    Message,
    /// It runs a tool.
    ToolUse,
    /// The tool has run.
    ToolResult,
    /// What an answer of the model used up.
    Usage,
    /// Something else happened.
    Progress,
    /// Its turn is over.
    TurnCompleted,
    /// Its turn ended with an error.
    TurnFailed,
    /// A person stopped it.
    TurnAborted,
    /// Something below the agent failed.
    Error,
    /// The session has a title.
    Title,
}

impl Type {
    const fn as_str(self) -> &'static str {
        match self {
            Type::Started => "lifecycle.started",
            Type::Prompt => "activity.prompt",
            Type::Thinking => "activity.thinking",
            Type::Message => "activity.message",
            Type::ToolUse => "activity.tool_use",
            Type::ToolResult => "activity.tool_result",
            Type::Usage => "activity.usage",
            Type::Progress => "activity.progress",
            Type::TurnCompleted => "activity.turn_completed",
            Type::TurnFailed => "activity.turn_failed",
            Type::TurnAborted => "activity.turn_aborted",
            Type::Error => "system.error",
            Type::Title => "system.title",
        }
    }
}

/// Whose event it is, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Scene<'s> {
    pub(super) client: Client,
    pub(super) session: Cow<'s, str>,
    /// The subagent; `None` for the main agent of the session.
    pub(super) agent: Option<Cow<'s, str>>,
    /// The prompt that is worked on.
    pub(super) prompt: Option<Cow<'s, str>>,
    /// When.
    pub(super) time: Cow<'s, str>,
    pub(super) time_ns: i64,
}

/// What is said of it.
#[derive(Debug)]
pub(super) struct Draft<'d> {
    kind: Type,
    id: [u8; 16],
    message: Cow<'d, str>,
    span: Option<Cow<'d, str>>,
    above: Option<Cow<'d, str>>,
    tool: Option<Tool<'d>>,
    metadata: Vec<(&'static str, Json<'d>)>,
}

/// The members of metadata that may be long, and are left out of an event that is too long with them.
const LONG: [&str; 1] = ["text"];

impl<'s> Scene<'s> {
    /// Returns the id that only these parts give.
    pub(super) fn id(&self, parts: &[&str]) -> [u8; 16] {
        let client = [self.client.as_str()];
        let parts: Vec<&[u8]> = client.iter().chain(parts).map(|part| part.as_bytes()).collect();
        digest_parts(&parts)
    }

    /// Returns the span that everything the agent does stands below.
    fn above(&self) -> Option<Cow<'s, str>> {
        self.agent.clone().or_else(|| self.prompt.clone())
    }

    /// Begins an event of the agent.
    pub(super) fn draft<'d>(
        &self,
        kind: Type,
        id: [u8; 16],
        message: impl Into<Cow<'d, str>>,
    ) -> Draft<'d>
    where
        's: 'd,
    {
        let (above, message) = (self.above(), message.into());
        Draft { kind, id, message, span: None, above, tool: None, metadata: Vec::new() }
    }

    /// Returns the beginning of the session, or of the subagent.
    pub(super) fn started<'d>(&self) -> Draft<'d>
    where
        's: 'd,
    {
        match &self.agent {
            None => {
                let id = self.id(&["session", &self.session]);
                let draft = self.draft(Type::Started, id, "Session started");
                Draft { above: None, ..draft }
            }
            Some(agent) => {
                let id = self.id(&["agent", &self.session, agent]);
                let draft = self.draft(Type::Started, id, "Subagent started");
                Draft { span: Some(agent.clone()), above: self.prompt.clone(), ..draft }
            }
        }
    }

    /// Returns an event of the whole turn: of the prompt, or of the subagent that was given it.
    pub(super) fn turn<'d>(&self, kind: Type, id: [u8; 16], text: &'d str) -> Draft<'d>
    where
        's: 'd,
    {
        let message = match (head(text), kind) {
            (head, _) if !head.is_empty() => head,
            (_, Type::TurnCompleted) => TURN_COMPLETED.into(),
            (_, Type::TurnFailed) => "Turn failed".into(),
            (_, Type::TurnAborted) => "Turn stopped".into(),
            (_, _) => "Prompt submitted".into(),
        };
        let above = if self.agent.is_some() { self.prompt.clone() } else { None };
        Draft { span: self.above(), above, ..self.draft(kind, id, message) }
    }

    /// Returns a tool call.
    pub(super) fn call<'d>(
        &self,
        calls: &mut Calls,
        id: [u8; 16],
        (call, tool): (&'d str, &'d str),
        input: Option<Json<'d>>,
    ) -> Draft<'d>
    where
        's: 'd,
    {
        calls.make(call, tool, self.time_ns);
        let mut draft = self.draft(Type::ToolUse, id, format!("Using {}", head(tool)));
        draft.span = Some(call.into());
        let tool_name = Some(tool.into());
        draft.tool = Some(Tool { tool_name, tool_input: input, ..Tool::default() });
        draft
    }

    /// Returns the result of a tool call.
    pub(super) fn result<'d>(
        &self,
        calls: &mut Calls,
        id: [u8; 16],
        call: &'d str,
        outcome: Outcome<'d>,
    ) -> Draft<'d>
    where
        's: 'd,
    {
        let Made { tool, took_ms } = calls.end(call, self.time_ns);
        let between_rows = took_ms.map(|ms| Took { ms, told_by: "timestamp" });
        let took = outcome.took.or(between_rows);
        let tool_name = outcome.tool.or(tool.map(Cow::Owned));
        let name = head(tool_name.as_deref().unwrap_or("a tool")).into_owned();
        let message = match outcome.is_error {
            false => format!("{name} completed"),
            true => match &*head(&outcome.text) {
                "" => format!("{name} failed"),
                why => format!("{name} failed: {why}"),
            },
        };
        let mut draft = self.draft(Type::ToolResult, id, message);
        draft.span = Some(call.into());
        draft.tool = Some(Tool {
            tool_name,
            tool_result: Some(outcome.text),
            duration_ms: took.map(|took| took.ms),
            ..Tool::default()
        });
        if outcome.is_error {
            draft.metadata.push(("is_error", Json::bool(true)));
        }
        if let Some(took) = took {
            draft.metadata.push(("duration_told_by", Json::text(took.told_by)));
        }
        draft
    }

    /// Returns what was used up, with where that is told.
    pub(super) fn usage<'d>(&self, id: [u8; 16], tokens: Tokens, used: &Used<'_>) -> Draft<'d>
    where
        's: 'd,
    {
        let mut draft = self.draft(Type::Usage, id, format!("{} tokens", tokens.total()));
        let usage = Json::object(|usage| {
            tokens.write(usage);
            used.model.iter().for_each(|model| usage.text("model", model));
            usage.text("provider", used.provider);
            usage.text("told_by", used.told_by);
        });
        draft.metadata.push(("usage", usage));
        draft
    }
}

/// What came of a tool call.
#[derive(Debug)]
pub(super) struct Outcome<'d> {
    /// The tool, where the result says it.
    pub(super) tool: Option<Cow<'d, str>>,
    pub(super) text: Cow<'d, str>,
    pub(super) is_error: bool,
    /// How long it took, where the result says it.
    pub(super) took: Option<Took>,
}

/// How long a tool call took, and where that stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Took {
    pub(super) ms: i64,
    /// The place in the file that the figure is from; `timestamp` where it is the time between the rows of call and result.
    pub(super) told_by: &'static str,
}

/// Who used tokens, and where that stands.
#[derive(Debug)]
pub(super) struct Used<'u> {
    pub(super) model: Option<Cow<'u, str>>,
    pub(super) provider: &'static str,
    /// The place in the file that the figures are from.
    pub(super) told_by: &'static str,
}

impl<'d> Draft<'d> {
    /// Adds a member to the metadata.
    pub(super) fn with(
        mut self,
        name: &'static str,
        value: Option<impl Into<Cow<'d, str>>>,
    ) -> Self {
        if let Some(value) = value {
            self.metadata.push((name, Json::text(&value.into())));
        }
        self
    }

    /// Adds a member to the metadata as JSON.
    pub(super) fn with_json(mut self, name: &'static str, value: Option<Json<'d>>) -> Self {
        self.metadata.extend(value.map(|value| (name, value)));
        self
    }

    /// Adds the whole of a text that the message is the beginning of.
    pub(super) fn with_text(self, text: &str) -> Self {
        let is_all = text.trim() == self.message;
        self.with("text", (!is_all).then(|| text.to_owned()))
    }

    /// Writes the event; of one that is too long, without what makes it so.
    pub(super) fn write(mut self, scene: &Scene<'_>, events: &mut Vec<String>) {
        let line = self.line(scene);
        if line.len() <= LINE_BYTES_MAX {
            events.push(line);
            return;
        }
        self.metadata.retain(|(name, _)| !LONG.contains(name));
        if let Some(tool) = &mut self.tool {
            (tool.tool_input, tool.tool_result) = (None, None);
        }
        self.metadata.push(("left_out", Json::text("too long")));
        events.push(self.line(scene));
    }

    fn line(&self, scene: &Scene<'_>) -> String {
        let main = main_agent(&scene.session);
        let word = self.kind.as_str();
        let correlation = Correlation {
            trace_id: Some(trace::trace(&scene.session).hex.into()),
            span_id: self.span.clone(),
            parent_span_id: self.above.clone(),
            root_agent_id: Some(Cow::Borrowed(&main)),
            ..Correlation::default()
        };
        let metadata = Json::object(|metadata| {
            metadata.text("client", scene.client.as_str());
            metadata.text("source", scene.client.source());
            self.metadata.iter().for_each(|(name, value)| metadata.json(name, value));
        });
        let event = Event {
            version: VERSION.into(),
            event_type: word.into(),
            timestamp: Cow::Borrowed(&scene.time),
            agent_id: Cow::Borrowed(scene.agent.as_deref().unwrap_or(&main)),
            event_id: Some(translate::uuid(self.id).into()),
            session_id: Some(Cow::Borrowed(&scene.session)),
            status: TAXONOMY.get(word).and_then(|row| row.status),
            message: Some(Cow::Borrowed(&self.message)),
            tool: self.tool.clone(),
            correlation: Some(correlation),
            metadata: Some(metadata),
            ..Event::default()
        };
        event.to_line()
    }
}

/// Returns what a tool was given as an event can have it: an object as it is, anything else as the text of one member.
pub(super) fn input(value: Value<'_>) -> Json<'_> {
    let fits = value.kind() == Kind::Object
        && value.repeated_keys().next().is_none()
        && depth(value) + DEPTH_ADDED <= DEPTH_MAX;
    match fits {
        true => Json::of(value),
        false => input_text(&value.as_text().unwrap_or(Cow::Borrowed(value.raw()))),
    }
}

/// Returns what a tool was given, where that is a text.
pub(super) fn input_text(text: &str) -> Json<'static> {
    Json::object(|object: &mut Object<'_>| object.text("input", text))
}

//! A payload as it is read: what every hook says, and where the rest stands.

use std::borrow::Cow;

use super::Caller;
use crate::json::{Kind, Value};

/// How the session of a call begins that is served for another machine.
const SERVED: &str = "served:";

/// How many characters of a session stand in the name of its main agent.
const SESSION_CHARS: usize = 8;

/// What tells a payload from others, and what it is about.
const IDS: [&str; 8] = [
    "session_id",
    "hook_event_name",
    "prompt_id",
    "turn_id",
    "agent_id",
    "agent_type",
    "tool_name",
    "tool_use_id",
];

/// The payload of a hook.
pub(super) struct Payload<'a> {
    pub(super) root: Value<'a>,
    pub(super) caller: Caller,
    /// The hook, as the agent names it.
    pub(super) name: Cow<'a, str>,
    pub(super) session: Option<Cow<'a, str>>,
    /// The prompt that the agent works on, which Codex calls a turn.
    pub(super) prompt: Option<Cow<'a, str>>,
    /// The subagent, where it is about one.
    pub(super) subagent: Option<Cow<'a, str>>,
    pub(super) tool: Option<Cow<'a, str>>,
    /// The main agent of the session.
    pub(super) main_agent: Option<String>,
}

impl<'a> Payload<'a> {
    /// Reads an object; `None` if it names no hook.
    pub(super) fn read(root: Value<'a>, caller: Option<Caller>) -> Option<Self> {
        let session = text(root, "session_id");
        let main_agent = session.as_deref().map(main_agent);
        Some(Self {
            root,
            caller: caller.unwrap_or_else(|| told_caller(root)),
            name: text(root, "hook_event_name")?,
            session,
            prompt: text(root, "prompt_id").or_else(|| text(root, "turn_id")),
            subagent: text(root, "agent_id"),
            tool: text(root, "tool_name"),
            main_agent,
        })
    }

    /// Returns whom the event is about: the subagent, else the main agent of the session, else whatever calls.
    pub(super) fn actor(&self) -> &str {
        let agent = self.subagent.as_deref().or(self.main_agent.as_deref());
        agent.unwrap_or(self.caller.as_str())
    }

    /// Returns a text that is not empty.
    pub(super) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        text(self.root, name)
    }

    /// Returns what the tool was given, if that is an object as an event can have it.
    pub(super) fn input(&self) -> Option<Value<'a>> {
        self.root.get("tool_input").filter(|input| input.kind() == Kind::Object)
    }

    /// Returns what came of the tool: its response, else why it failed.
    pub(super) fn result(&self) -> Option<Value<'a>> {
        let failed = || self.root.get("error").filter(|error| error.kind() == Kind::Text);
        let response = self.root.get("tool_response").filter(|it| it.kind() != Kind::Null);
        response.or_else(failed)
    }

    /// Returns the task that it is about.
    pub(super) fn task(&self) -> Option<Cow<'a, str>> {
        matches!(&*self.name, "TaskCreated" | "TaskCompleted").then(|| self.text("task_id"))?
    }

    /// Returns what tells it from others, by name.
    pub(super) fn ids(&self) -> impl Iterator<Item = (&'static str, Value<'a>)> {
        IDS.into_iter().filter_map(|name| {
            let id = self.root.get(name).filter(|id| id.kind() == Kind::Text)?;
            Some((name, id))
        })
    }
}

/// Returns the name of the main agent of a session.
pub fn main_agent(session: &str) -> String {
    let id = session.strip_prefix(SERVED).filter(|id| !id.is_empty()).unwrap_or(session);
    "session-".chars().chain(id.chars().take(SESSION_CHARS)).collect()
}

fn text<'a>(root: Value<'a>, name: &str) -> Option<Cow<'a, str>> {
    root.text_at(name).filter(|text| !text.is_empty())
}

/// Returns whose payload it is. Codex says the model and the mode, or the model and the turn, where Claude Code says the prompt or
/// less; and only Codex has no transcript.
fn told_caller(root: Value<'_>) -> Caller {
    let has = |name: &str| root.get(name).is_some();
    let is_turn = has("model") && (has("turn_id") || has("permission_mode")) && !has("prompt_id");
    let transcript = root.get("transcript_path").map(Value::kind);
    if is_turn || transcript == Some(Kind::Null) { Caller::Codex } else { Caller::ClaudeCode }
}

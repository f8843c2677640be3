//! Where a collector event says what: one walk over the payload of its hook, its metadata and its tool.

use std::borrow::Cow;

use super::super::EVENT;
use crate::facts::carried;
use crate::json::{Kind, Value};
use crate::report::Place;
use crate::report::read::{text, text_of};
use crate::shape::Fields;
use crate::translate::Target;

/// What an event tells.
#[derive(Default)]
pub(super) struct Told<'a> {
    pub(super) payload: Payload<'a>,
    pub(super) metadata: Metadata<'a>,
    /// What stands in `context`, which came with version 1.1.0.
    context: Option<Value<'a>>,
    /// What the tool was given.
    pub(super) input: Option<Value<'a>>,
    /// What it gave back.
    pub(super) result: Option<Value<'a>>,
}

/// What the payload of a hook tells.
#[derive(Default)]
pub(super) struct Payload<'a> {
    cwd: Option<Value<'a>>,
    new_cwd: Option<Value<'a>>,
    model: Option<Value<'a>>,
    to_model: Option<Value<'a>>,
    prompt_id: Option<Value<'a>>,
    turn_id: Option<Value<'a>>,
    elicitation_id: Option<Value<'a>>,
    mcp_server_name: Option<Value<'a>>,
    tool_input: Option<Value<'a>>,
    tool_response: Option<Value<'a>>,
    pub(super) error: Option<Value<'a>>,
    pub(super) reason: Option<Value<'a>>,
    pub(super) prompt: Option<Value<'a>>,
    pub(super) delta: Option<Value<'a>>,
    pub(super) message: Option<Value<'a>>,
    pub(super) last_assistant_message: Option<Value<'a>>,
    pub(super) notification_type: Option<Value<'a>>,
    pub(super) session_title: Option<Value<'a>>,
    pub(super) task_subject: Option<Value<'a>>,
}

/// What metadata tells.
#[derive(Default)]
pub(super) struct Metadata<'a> {
    cwd: Option<Value<'a>>,
    host: Option<Value<'a>>,
    hostname: Option<Value<'a>>,
    git_branch: Option<Value<'a>>,
    branch: Option<Value<'a>>,
    model: Option<Value<'a>>,
    is_error: bool,
    /// Whether the event was made of a record of OTLP, whose message is a name.
    pub(super) is_counted: bool,
    pub(super) text: Option<Value<'a>>,
    pub(super) expected_status: Option<Value<'a>>,
    pub(super) decision_id: Option<Value<'a>>,
    pub(super) chosen: Option<Value<'a>>,
    options: Option<Value<'a>>,
    options_considered: Option<Value<'a>>,
    rationale: Option<Value<'a>>,
    reasoning: Option<Value<'a>>,
    pub(super) category: Option<Value<'a>>,
    pub(super) option: Option<Value<'a>>,
    pub(super) reason: Option<Value<'a>>,
}

impl<'a> Told<'a> {
    pub(super) fn read(fields: &Fields<'a>) -> Self {
        const TOOL: usize = EVENT.slot("tool");
        const HOOK: usize = EVENT.slot("hook");
        const METADATA: usize = EVENT.slot("metadata");
        let mut told = Told { context: fields.other("context"), ..Told::default() };
        if let Some(payload) = fields.get(HOOK).and_then(|hook| hook.get("raw_payload")) {
            told.payload = Payload::read(payload);
        }
        if let Some(metadata) = fields.get(METADATA) {
            told.metadata = Metadata::read(metadata);
        }
        let tool = fields.get(TOOL);
        told.input = tool.and_then(|tool| tool.get("tool_input")).or(told.payload.tool_input);
        // The payload has the answer of a tool as the tool gave it, `tool` has it as text.
        let response = told.payload.tool_response.filter(|it| it.kind() != Kind::Null);
        told.result = response.or_else(|| tool?.get("tool_result"));
        told
    }

    /// Returns whether the tool gave back an error.
    pub(super) fn is_error(&self) -> bool {
        let is_set = |name: &str| {
            self.payload.tool_response.and_then(|it| it.get(name)?.as_bool()) == Some(true)
        };
        self.metadata.is_error || is_set("is_error") || is_set("isError")
    }

    /// Returns where it happened.
    pub(super) fn place(&self) -> Place<'a> {
        let (payload, metadata) = (&self.payload, &self.metadata);
        let first = |values: &[Option<Value<'a>>]| values.iter().find_map(|it| text((*it)?));
        let of_context = |name| self.context.and_then(|context| text_of(context, &[name]));
        Place {
            host: first(&[metadata.host, metadata.hostname]),
            folder: first(&[payload.new_cwd, payload.cwd, metadata.cwd])
                .or_else(|| of_context("worktree_path")),
            branch: first(&[metadata.git_branch, metadata.branch])
                .or_else(|| of_context("branch_name")),
            model: first(&[payload.to_model, payload.model, metadata.model]),
            ..Place::default()
        }
    }
}

impl<'a> Payload<'a> {
    fn read(payload: Value<'a>) -> Self {
        let mut read = Self::default();
        for (key, member) in payload.members() {
            let place = match key.name().as_ref() {
                b"cwd" => &mut read.cwd,
                b"new_cwd" => &mut read.new_cwd,
                b"model" => &mut read.model,
                b"to_model" => &mut read.to_model,
                b"prompt_id" => &mut read.prompt_id,
                b"turn_id" => &mut read.turn_id,
                b"elicitation_id" => &mut read.elicitation_id,
                b"mcp_server_name" => &mut read.mcp_server_name,
                b"tool_input" => &mut read.tool_input,
                b"tool_response" => &mut read.tool_response,
                b"error" => &mut read.error,
                b"reason" => &mut read.reason,
                b"prompt" => &mut read.prompt,
                b"delta" => &mut read.delta,
                b"message" => &mut read.message,
                b"last_assistant_message" => &mut read.last_assistant_message,
                b"notification_type" => &mut read.notification_type,
                b"session_title" => &mut read.session_title,
                b"task_subject" => &mut read.task_subject,
                _ => continue,
            };
            *place = Some(member);
        }
        read
    }

    /// Returns the prompt that is worked on.
    pub(super) fn turn(&self) -> Option<Value<'a>> {
        self.prompt_id.or(self.turn_id)
    }

    /// Returns what tells a question of a server from another: its id, else the server.
    pub(super) fn elicitation(&self) -> Option<Cow<'a, str>> {
        self.elicitation_id.and_then(text).or_else(|| self.mcp_server_name.and_then(text))
    }
}

impl<'a> Metadata<'a> {
    fn read(metadata: Value<'a>) -> Self {
        let mut read = Self::default();
        for (key, member) in metadata.members() {
            let place = match key.name().as_ref() {
                b"cwd" => &mut read.cwd,
                b"host" => &mut read.host,
                b"hostname" => &mut read.hostname,
                b"git_branch" => &mut read.git_branch,
                b"branch" => &mut read.branch,
                b"model" => &mut read.model,
                b"text" => &mut read.text,
                b"expected_status" => &mut read.expected_status,
                b"decision_id" => &mut read.decision_id,
                b"chosen" => &mut read.chosen,
                b"options" => &mut read.options,
                b"options_considered" => &mut read.options_considered,
                b"rationale" => &mut read.rationale,
                b"reasoning" => &mut read.reasoning,
                b"category" => &mut read.category,
                b"option" => &mut read.option,
                b"reason" => &mut read.reason,
                b"is_error" => {
                    read.is_error = member.as_bool() == Some(true);
                    continue;
                }
                name if name == carried::KEY.as_bytes() => {
                    let dialect = member.get("dialect");
                    read.is_counted = dialect.is_some_and(|word| word.is_text(OTLP));
                    continue;
                }
                _ => continue,
            };
            *place = Some(member);
        }
        read
    }

    /// Returns what there was to choose from, by either name.
    pub(super) fn options(&self) -> Option<Value<'a>> {
        self.options.or(self.options_considered)
    }

    /// Returns why something was decided, by either name.
    pub(super) fn rationale(&self) -> Option<Value<'a>> {
        self.rationale.or(self.reasoning)
    }
}

/// What events made of OTLP say that they were made of.
const OTLP: &str = Target::Otlp.as_str();

//! What an agent is told: prompts, and the results of its tools.

use super::{Reader, row_id};
use crate::json::{Kind, Value};
use crate::transcript::draft::{Outcome, Scene, Type};
use crate::transcript::row;

/// What rows say of themselves that no person wrote.
const NOT_SAID: [&str; 3] = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"];

/// How the text of a row begins that a command of the client left, and not a person.
const LOCAL: &str = "<local-command-";

/// How the text begins that stands for the key that stops the agent.
const INTERRUPTED: &str = "[Request interrupted by user";

impl Reader {
    pub(super) fn read_user(
        &mut self,
        row: Value<'_>,
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        let Some(content) = row.get("message").and_then(|message| message.get("content")) else {
            return;
        };
        let mut has_result = false;
        if content.kind() == Kind::Array {
            for (n, block) in content.items().enumerate() {
                if block.get("type").is_some_and(|kind| kind.is_text("tool_result")) {
                    has_result = true;
                    self.read_result((row, block), &n.to_string(), scene, events);
                }
            }
        }
        if has_result || NOT_SAID.iter().any(|name| row::is_set(row, name)) {
            return;
        }
        let text = row::content(content);
        if text.trim().is_empty() || text.starts_with(LOCAL) {
            return;
        }
        let id = row_id(row, scene, "prompt");
        if text.starts_with(INTERRUPTED) {
            return scene.turn(Type::TurnAborted, id, &text).write(scene, events);
        }
        // A subagent's prompts are the words of the agent that started it.
        let origin = row.get("origin").and_then(|origin| row::text(origin, "kind"));
        let by = if scene.agent.is_some() { Some("agent".into()) } else { origin };
        let by = by.or_else(|| row::text(row, "promptSource"));
        let draft = scene.turn(Type::Prompt, id, &text).with_text(&text);
        draft.with("prompt_source", by).write(scene, events);
    }

    pub(super) fn read_result(
        &mut self,
        (row, block): (Value<'_>, Value<'_>),
        part: &str,
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        let Some(call) = row::id(block, "tool_use_id") else { return };
        let content = block.get("content");
        let has_code = content.is_some_and(|content| content.get("error_code").is_some());
        let outcome = Outcome {
            tool: None,
            text: content.map(row::content).unwrap_or_default(),
            is_error: row::is_set(block, "is_error") || has_code,
            took: None,
        };
        let id = row_id(row, scene, part);
        let subagent = row.get("toolUseResult").and_then(|result| row::id(result, "agentId"));
        let draft = scene.result(&mut self.calls, id, &call, outcome);
        draft.with("subagent_id", subagent).write(scene, events);
    }

    /// Reads a row of what came with a prompt. A prompt that was typed while the agent was at work stands there too.
    pub(super) fn read_attachment(
        &mut self,
        row: Value<'_>,
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        let queued = row
            .get("attachment")
            .filter(|it| it.get("type").is_some_and(|kind| kind.is_text("queued_command")));
        let Some(prompt) = queued.and_then(|queued| queued.get("prompt")) else { return };
        let text = row::content(prompt);
        if text.trim().is_empty() {
            return;
        }
        let draft = scene.turn(Type::Prompt, row_id(row, scene, "prompt"), &text);
        draft.with_text(&text).with("prompt_source", Some("queued")).write(scene, events);
    }
}

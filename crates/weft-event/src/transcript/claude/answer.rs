//! What an agent answers: its thoughts, its words, its tool calls, and what the answer used up.

use std::borrow::Cow;

use super::{Reader, row_id};
use crate::json::Value;
use crate::transcript::draft::{Scene, Type, Used, input};
use crate::transcript::row::{self, count};
use crate::transcript::tokens::Tokens;

/// The model of rows that the client made up itself.
const SYNTHETIC: &str = "<synthetic>";

/// Why an answer ends that is no end of the turn.
const GOES_ON: [&str; 2] = ["tool_use", "pause_turn"];

impl Reader {
    pub(super) fn read_assistant(
        &mut self,
        row: Value<'_>,
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        let Some(message) = row.get("message") else { return };
        let content = message.get("content");
        if row::is_set(row, "isApiErrorMessage") {
            let text = content.map(row::content).unwrap_or_default();
            let draft = scene.turn(Type::TurnFailed, row_id(row, scene, "error"), &text);
            return draft.with("error", row::text(row, "error")).write(scene, events);
        }
        if message.get("model").is_some_and(|model| model.is_text(SYNTHETIC)) {
            return;
        }
        for (n, block) in content.iter().flat_map(|content| content.items()).enumerate() {
            self.read_block((row, block), &n.to_string(), scene, events);
        }
        self.count(row, message, scene, events);
        self.end_turn(row, message, scene, events);
    }

    fn read_block(
        &mut self,
        (row, block): (Value<'_>, Value<'_>),
        part: &str,
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        let id = row_id(row, scene, part);
        match &*block.text_at("type").unwrap_or_default() {
            "text" => {
                if let Some(text) = row::text(block, "text") {
                    let draft = scene.draft(Type::Message, id, row::head(&text));
                    draft.with_text(&text).write(scene, events);
                }
            }
            "thinking" | "redacted_thinking" => {
                let text = block.text_at("thinking").unwrap_or_default();
                let head = match row::head(&text) {
                    head if head.is_empty() => "Thinking".into(),
                    head => head,
                };
                let draft = scene.draft(Type::Thinking, id, head);
                let draft = if text.is_empty() { draft } else { draft.with_text(&text) };
                draft.write(scene, events);
            }
            "tool_use" | "server_tool_use" | "mcp_tool_use" => {
                let (call, tool) = (row::id(block, "id"), row::id(block, "name"));
                if let (Some(call), Some(tool)) = (call, tool) {
                    let input = block.get("input").map(input);
                    let draft = scene.call(&mut self.calls, id, (&call, &tool), input);
                    draft.write(scene, events);
                }
            }
            // The provider runs some tools itself, and what came of them is a part of the answer.
            kind if kind.ends_with("_tool_result") => {
                self.read_result((row, block), part, scene, events);
            }
            _ => {}
        }
    }

    /// Tells what an answer used up, once for all its rows.
    fn count(
        &mut self,
        row: Value<'_>,
        message: Value<'_>,
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        let (Some(answer), Some(usage)) = (answer_id(row, message, scene), message.get("usage"))
        else {
            return;
        };
        let details = usage.get("output_tokens_details");
        let said = Tokens {
            input: count(usage, "input_tokens"),
            output: count(usage, "output_tokens"),
            cache_read: count(usage, "cache_read_input_tokens"),
            cache_write: count(usage, "cache_creation_input_tokens"),
            reasoning: details.map_or(0, |details| count(details, "thinking_tokens")),
        };
        let Some((new, n_before)) = self.answers.count(&answer, said) else { return };
        let id = scene.id(&["usage", &answer, &n_before.to_string()]);
        let model = row::id(message, "model");
        let used = Used { model, provider: "anthropic", told_by: "message.usage" };
        scene
            .usage(id, new, &used)
            .with("message_id", row::id(message, "id"))
            .with("request_id", row::id(row, "requestId"))
            .write(scene, events);
    }

    /// Tells the end of a turn with the first row of the answer that has words to say.
    fn end_turn(
        &mut self,
        row: Value<'_>,
        message: Value<'_>,
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        let goes_on = |why: &Cow<'_, str>| GOES_ON.contains(&&**why);
        let Some(why) = row::text(message, "stop_reason").filter(|why| !goes_on(why)) else {
            return;
        };
        let blocks = message.get("content").into_iter().flat_map(Value::items);
        let text = blocks.filter_map(|block| row::text(block, "text")).last();
        let answer = answer_id(row, message, scene);
        let (Some(text), Some(answer)) = (text, answer) else { return };
        if self.ended.as_ref() == Some(&answer) {
            return;
        }
        let id = scene.id(&["turn", &answer]);
        let draft = scene.turn(Type::TurnCompleted, id, &text);
        draft.with("stop_reason", Some(&*why)).write(scene, events);
        self.ended = Some(answer);
    }
}

/// Returns what all rows of one answer have in common, and no others have.
fn answer_id(row: Value<'_>, message: Value<'_>, scene: &Scene<'_>) -> Option<String> {
    let message = row::id(message, "id")?;
    let request = row::id(row, "requestId").or_else(|| row::id(row, "requestRef"));
    Some(format!("{message} {}", request.as_deref().unwrap_or(&scene.session)))
}

//! Rows in which Codex tells what happens: prompts, what it says and thinks, the ends of turns, and what was used up.

use super::Reader;
use super::said::By;
use crate::json::{Json, Value};
use crate::transcript::draft::{Scene, Type};
use crate::transcript::row;

impl Reader {
    pub(super) fn read_message(
        &mut self,
        payload: Value<'_>,
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        let said = |name: &str| payload.text_at(name).unwrap_or_default();
        match &*said("type") {
            "user_message" => self.tell_prompt(&said("message"), scene, events),
            "agent_message" => self.tell_words(By::Message, &said("message"), scene, events),
            "agent_reasoning" => self.tell_thought(By::Message, &said("text"), scene, events),
            "item_completed" => self.read_completed(payload, scene, events),
            "token_count" => {
                if let Some(info) = payload.get("info") {
                    self.count(info, scene, events);
                }
            }
            "task_complete" | "turn_complete" => self.end_turn(payload, scene, events),
            "turn_aborted" => {
                let id = self.id(scene, "turn aborted", &said("reason"));
                let draft = scene.turn(Type::TurnAborted, id, "");
                draft.with("reason", row::text(payload, "reason")).write(scene, events);
            }
            "thread_rolled_back" => {
                let Some(id) = self.say(scene, By::Message, "rolled back", payload.raw()) else {
                    return;
                };
                let message = match row::count(payload, "num_turns") {
                    1 => "Went back by 1 turn".to_owned(),
                    n => format!("Went back by {n} turns"),
                };
                scene.draft(Type::Progress, id, message).write(scene, events);
            }
            "error" => {
                let text = said("message");
                if let Some(id) = self.say(scene, By::Message, "error", &text) {
                    scene.draft(Type::Error, id, row::head(&text)).write(scene, events);
                }
            }
            _ => {}
        }
    }

    /// Reads what newer versions write instead of messages.
    fn read_completed(&mut self, payload: Value<'_>, scene: &Scene<'_>, events: &mut Vec<String>) {
        let Some(item) = payload.get("item") else { return };
        let content = item.get("content").or_else(|| item.get("text"));
        let text = content.map(row::content).unwrap_or_default();
        match &*item.text_at("type").unwrap_or_default() {
            "UserMessage" | "user_message" => self.tell_prompt(&text, scene, events),
            "AgentMessage" | "agent_message" => self.tell_words(By::Message, &text, scene, events),
            _ => {}
        }
    }

    fn tell_prompt(&mut self, text: &str, scene: &Scene<'_>, events: &mut Vec<String>) {
        if text.trim().is_empty() {
            return;
        }
        if let Some(id) = self.say(scene, By::Message, "prompt", text) {
            let by = scene.agent.is_some().then_some("agent");
            let draft = scene.turn(Type::Prompt, id, text).with_text(text);
            draft.with("prompt_source", by).write(scene, events);
        }
    }

    pub(super) fn tell_words(
        &mut self,
        by: By,
        text: &str,
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        if text.trim().is_empty() {
            return;
        }
        if let Some(id) = self.say(scene, by, "message", text) {
            scene.draft(Type::Message, id, row::head(text)).with_text(text).write(scene, events);
        }
    }

    pub(super) fn tell_thought(
        &mut self,
        by: By,
        text: &str,
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        if text.trim().is_empty() {
            return;
        }
        if let Some(id) = self.say(scene, by, "thought", text) {
            scene.draft(Type::Thinking, id, row::head(text)).with_text(text).write(scene, events);
        }
    }

    fn end_turn(&mut self, payload: Value<'_>, scene: &Scene<'_>, events: &mut Vec<String>) {
        let error = payload.get("error").map(|error| error.get("message").unwrap_or(error));
        let error = error.map(row::content).filter(|error| !error.is_empty());
        let last = payload.text_at("last_agent_message").unwrap_or_default();
        let (kind, text) = match &error {
            Some(error) => (Type::TurnFailed, error),
            None => (Type::TurnCompleted, &last),
        };
        let ms = |name: &str| payload.get(name).and_then(Value::as_u64).map(Json::integer);
        let turn = payload.text_at("turn_id").unwrap_or_default();
        scene
            .turn(kind, self.id(scene, "turn", &turn), text)
            .with_json("turn_duration_ms", ms("duration_ms"))
            .with_json("first_token_ms", ms("time_to_first_token_ms"))
            .write(scene, events);
    }
}

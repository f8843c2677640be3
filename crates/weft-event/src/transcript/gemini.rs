//! Gemini CLI's chats: `session-*.jsonl`. A row is written again as more of its answer comes, with the same id.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::Client;
use super::calls::Calls;
use super::draft::{Outcome, Scene, Type, Used, input};
use super::row::{self, count};
use super::tokens::{Answers, Tokens};
use crate::json::{Json, Object, Value};

/// Events that are remembered, so that a row written again tells only what is new.
const TOLD_MAX: usize = 64;

/// Words of a tool call that is over.
const OVER: [&str; 3] = ["success", "error", "cancelled"];

/// What is remembered of a chat.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reader {
    session: Option<String>,
    is_begun: bool,
    prompt: Option<String>,
    calls: Calls,
    answers: Answers,
    /// What was told last: a row's or a call's id, with which of its events.
    told: VecDeque<String>,
}

impl Reader {
    pub(super) fn new(stem: &str) -> Self {
        let session = stem.strip_prefix("session-").unwrap_or(stem);
        Self { session: (!session.is_empty()).then(|| session.to_owned()), ..Self::default() }
    }

    /// Reads a row. Changes of what the client keeps beside the chat tell nothing but the session's id.
    pub(super) fn read(&mut self, row: Value<'_>, events: &mut Vec<String>) {
        let about = row.get("$set").unwrap_or(row);
        if let Some(session) = row::id(about, "sessionId").filter(|_| !self.is_begun) {
            self.session = Some(session.into_owned());
        }
        let (Some(id), Some(kind)) = (row::id(row, "id"), row::text(row, "type")) else { return };
        if kind == "user" {
            self.prompt = Some(id.clone().into_owned());
        }
        let Some(scene) = self.scene(row) else { return };
        if !std::mem::replace(&mut self.is_begun, true) {
            scene.started().write(&scene, events);
        }
        let text = row.get("content").map(row::content).unwrap_or_default();
        match &*kind {
            "user" if self.is_new(&id, "prompt") => {
                let draft = scene.turn(Type::Prompt, self.id(&scene, &id, "prompt"), &text);
                draft.with_text(&text).write(&scene, events);
            }
            "gemini" => self.read_answer(row, (&id, &text), &scene, events),
            "error" if self.is_new(&id, "error") => {
                let draft =
                    scene.draft(Type::Error, self.id(&scene, &id, "error"), row::head(&text));
                draft.with_text(&text).write(&scene, events);
            }
            _ => {}
        }
    }

    fn scene(&self, row: Value<'_>) -> Option<Scene<'static>> {
        let (time, time_ns) = row::time(row)?;
        Some(Scene {
            client: Client::Gemini,
            session: Cow::Owned(self.session.clone()?),
            agent: None,
            prompt: self.prompt.clone().map(Cow::Owned),
            time: Cow::Owned(time),
            time_ns,
        })
    }

    fn read_answer(
        &mut self,
        row: Value<'_>,
        (id, text): (&str, &str),
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        for (n, thought) in row.get("thoughts").into_iter().flat_map(Value::items).enumerate() {
            let said = row::text(thought, "description").or_else(|| row::text(thought, "subject"));
            let part = format!("thought {n}");
            if let Some(said) = said.filter(|_| self.is_new(id, &part)) {
                let draft =
                    scene.draft(Type::Thinking, self.id(scene, id, &part), row::head(&said));
                draft.with_text(&said).write(scene, events);
            }
        }
        if !text.trim().is_empty() && self.is_new(id, "message") {
            let draft = scene.draft(Type::Message, self.id(scene, id, "message"), row::head(text));
            draft.with_text(text).write(scene, events);
        }
        for call in row.get("toolCalls").into_iter().flat_map(Value::items) {
            self.read_call(call, scene, events);
        }
        if let Some(tokens) = row.get("tokens") {
            self.count((row, tokens), id, scene, events);
        }
    }

    fn read_call(&mut self, call: Value<'_>, scene: &Scene<'_>, events: &mut Vec<String>) {
        let (Some(id), Some(tool)) = (row::id(call, "id"), row::id(call, "name")) else {
            return;
        };
        if self.is_new(&id, "call") {
            let given = call.get("args").map(input);
            let event = self.id(scene, &id, "call");
            scene.call(&mut self.calls, event, (&id, &tool), given).write(scene, events);
        }
        let status = call.text_at("status").unwrap_or_default();
        if OVER.contains(&&*status) && self.is_new(&id, "result") {
            let shown = call.get("resultDisplay").filter(|shown| shown.as_text().is_some());
            let text = shown.or_else(|| call.get("result")).map(row::content).unwrap_or_default();
            let is_error = status != "success";
            let outcome = Outcome { tool: Some(tool), text, is_error, took: None };
            let event = self.id(scene, &id, "result");
            scene.result(&mut self.calls, event, &id, outcome).write(scene, events);
        }
    }

    /// Tells what an answer used up. What comes from a cache is a part of what is read, thoughts are no part of what is written.
    fn count(
        &mut self,
        (row, tokens): (Value<'_>, Value<'_>),
        id: &str,
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        let (cache_read, reasoning) = (count(tokens, "cached"), count(tokens, "thoughts"));
        let read = count(tokens, "input").saturating_add(count(tokens, "tool"));
        let said = Tokens {
            input: read.saturating_sub(cache_read),
            output: count(tokens, "output").saturating_add(reasoning),
            cache_read,
            cache_write: 0,
            reasoning,
        };
        let Some((new, n_before)) = self.answers.count(id, said) else { return };
        let event = self.id(scene, id, &format!("usage {n_before}"));
        let model = row::id(row, "model");
        let used = Used { model, provider: "gcp.gemini", told_by: "tokens" };
        scene.usage(event, new, &used).write(scene, events);
    }

    fn id(&self, scene: &Scene<'_>, id: &str, part: &str) -> [u8; 16] {
        scene.id(&["row", &scene.session, id, part])
    }

    /// Returns whether an event of a row was not told already.
    fn is_new(&mut self, id: &str, part: &str) -> bool {
        let event = format!("{id} {part}");
        if self.told.contains(&event) {
            return false;
        }
        if self.told.len() == TOLD_MAX {
            self.told.pop_front();
        }
        self.told.push_back(event);
        true
    }

    pub(super) fn save(&self, object: &mut Object<'_>) {
        for (name, text) in [("session", &self.session), ("prompt", &self.prompt)] {
            text.iter().for_each(|text| object.text(name, text));
        }
        object.json("is_begun", &Json::bool(self.is_begun));
        self.calls.save(object);
        self.answers.save(object);
        object.json("told", &Json::array(self.told.iter().map(|told| Json::text(told))));
    }

    pub(super) fn resume(&mut self, state: Value<'_>) -> Option<()> {
        let said = |name: &str| state.text_at(name).map(Cow::into_owned);
        (self.session, self.prompt) = (said("session").or(self.session.take()), said("prompt"));
        self.is_begun = state.get("is_begun")?.as_bool()?;
        self.calls = Calls::resume(state)?;
        self.answers = Answers::resume(state)?;
        let told = |told: Value<'_>| told.as_text().map(Cow::into_owned);
        self.told = state.get("told")?.items().map(told).collect::<Option<_>>()?;
        Some(())
    }
}

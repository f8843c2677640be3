//! Rows of what goes to the model and comes back: words, thoughts, tool calls and their results.

use std::borrow::Cow;

use super::Reader;
use super::said::By;
use crate::json::{Json, Kind, Tape, Value};
use crate::transcript::draft::{Outcome, Scene, Took, input, input_text};
use crate::transcript::row;

/// Milliseconds of a second.
const SECOND_MS: f64 = 1_000.0;

impl Reader {
    pub(super) fn read_item(
        &mut self,
        item: Value<'_>,
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        let kind = item.text_at("type").unwrap_or_default();
        let name = row::id(item, "name");
        match &*kind {
            "message" if item.get("role").is_some_and(|role| role.is_text("assistant")) => {
                let text = item.get("content").map(row::content).unwrap_or_default();
                self.tell_words(By::Item, &text, scene, events);
            }
            "reasoning" => {
                for part in item.get("summary").into_iter().flat_map(Value::items) {
                    let text = part.text_at("text").unwrap_or_default();
                    self.tell_thought(By::Item, &text, scene, events);
                }
            }
            "function_call" => {
                let arguments = item.text_at("arguments").unwrap_or_default();
                self.call(item, name.as_deref(), Some(parsed(&arguments)), scene, events);
            }
            "custom_tool_call" => {
                let text = item.text_at("input").map(|text| input_text(&text));
                self.call(item, name.as_deref(), text, scene, events);
            }
            "local_shell_call" => {
                self.call(item, Some("local_shell"), item.get("action").map(input), scene, events);
            }
            "web_search_call" => {
                self.call(item, Some("web_search"), item.get("action").map(input), scene, events);
                self.end(item, scene, events);
            }
            "tool_search_call" => {
                let given = item.get("arguments").map(input);
                self.call(item, Some("tool_search"), given, scene, events);
            }
            "image_generation_call" => {
                let prompt = row::text(item, "revised_prompt").map(|text| input_text(&text));
                self.call(item, Some("image_generation"), prompt, scene, events);
                self.end(item, scene, events);
            }
            "function_call_output" | "custom_tool_call_output" | "tool_search_output" => {
                self.result(item, scene, events);
            }
            _ => {}
        }
    }

    fn call(
        &mut self,
        item: Value<'_>,
        tool: Option<&str>,
        given: Option<Json<'_>>,
        scene: &Scene<'_>,
        events: &mut Vec<String>,
    ) {
        let call = row::id(item, "call_id").or_else(|| row::id(item, "id"));
        let (Some(call), Some(tool)) = (call, tool) else { return };
        let id = self.id(scene, "call", &call);
        scene.call(&mut self.calls, id, (&call, tool), given).write(scene, events);
    }

    /// Tells the end of a call that the provider runs itself: the same row has what came of it.
    fn end(&mut self, item: Value<'_>, scene: &Scene<'_>, events: &mut Vec<String>) {
        let call = row::id(item, "call_id").or_else(|| row::id(item, "id"));
        let is_error = match &*item.text_at("status").unwrap_or_default() {
            "completed" => false,
            "failed" => true,
            _ => return,
        };
        let Some(call) = call else { return };
        let id = self.id(scene, "result", &call);
        let outcome = Outcome { tool: None, text: Cow::Borrowed(""), is_error, took: None };
        scene.result(&mut self.calls, id, &call, outcome).write(scene, events);
    }

    fn result(&mut self, item: Value<'_>, scene: &Scene<'_>, events: &mut Vec<String>) {
        let Some(call) = row::id(item, "call_id") else { return };
        let output = item.get("output").or_else(|| item.get("tools"));
        let mut tape = Tape::new();
        let Told { text, is_error, exit_code, took_ms } = told(output, &mut tape);
        let took = took_ms.map(|ms| Took { ms, told_by: "metadata.duration_seconds" });
        let id = self.id(scene, "result", &call);
        let outcome = Outcome { tool: None, text, is_error, took };
        let draft = scene.result(&mut self.calls, id, &call, outcome);
        draft.with_json("exit_code", exit_code.map(Json::integer)).write(scene, events);
    }
}

/// What a result says.
struct Told<'a> {
    text: Cow<'a, str>,
    is_error: bool,
    exit_code: Option<i64>,
    took_ms: Option<i64>,
}

/// Reads an output: a text, blocks, or an object with its content. A shell's is a text that is an object again.
fn told<'a>(output: Option<Value<'a>>, tape: &'a mut Tape) -> Told<'a> {
    let plain = |text| Told { text, is_error: false, exit_code: None, took_ms: None };
    let Some(output) = output else { return plain(Cow::Borrowed("")) };
    if output.kind() == Kind::Object {
        let content = output.get("content").or_else(|| output.get("content_items"));
        let is_error = output.get("success").and_then(Value::as_bool) == Some(false);
        return Told { is_error, ..plain(row::content(content.unwrap_or(output))) };
    }
    let text = row::content(output);
    if !text.starts_with('{') {
        return plain(text);
    }
    let Ok(shell) = tape.parse(&text) else { return plain(text) };
    let (Some(out), Some(about)) = (shell.text_at("output"), shell.get("metadata")) else {
        return plain(text);
    };
    let exit_code = about.get("exit_code").and_then(Value::as_i64);
    let seconds = about.get("duration_seconds").and_then(Value::as_f64);
    let took_ms = seconds.filter(|seconds| *seconds >= 0.0).map(|it| (it * SECOND_MS) as i64);
    let is_error = exit_code.is_some_and(|code| code != 0);
    Told { text: Cow::Owned(out.into_owned()), is_error, exit_code, took_ms }
}

/// Returns arguments that are written as a text.
fn parsed(arguments: &str) -> Json<'static> {
    let mut tape = Tape::new();
    match tape.parse(arguments) {
        Ok(value) if value.kind() == Kind::Object => input(value).into_owned(),
        Ok(_) | Err(_) => input_text(arguments),
    }
}

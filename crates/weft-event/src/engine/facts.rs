//! The facts of an engine event. The actor and the session are both the run.

use super::judge::JudgeStatus;
use super::{EVENT, EventType, RunState};
use crate::Status;
use crate::facts::{Facts, Level, Usage, carried, input_path, millis};
use crate::identity::Key;
use crate::json::{Picked, Picks, Value};
use crate::shape::Fields;

const ID: usize = EVENT.slot("id");
const RUN_ID: usize = EVENT.slot("runId");
const TS: usize = EVENT.slot("ts");
const SEQ: usize = EVENT.slot("seq");
const TYPE: usize = EVENT.slot("type");
const PAYLOAD_SLOT: usize = EVENT.slot("payload");

pub(super) fn facts<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    let event_type = fields.word(TYPE, EventType::ALL);
    match event_type {
        Some(known) => facts.set_type_of_row(fields.get(TYPE), known as usize),
        None => facts.set_type(fields.get(TYPE)),
    }
    fields.put_text(RUN_ID, &mut facts.actor);
    fields.put_text(RUN_ID, &mut facts.session);
    facts.order = fields.get(SEQ).and_then(Value::as_u64);
    facts.time_ns = fields.time_of_millis_ns(TS);
    if !facts.identity.put_id(fields.get(ID))
        && let (Some(run), Some(seq)) = (fields.get(RUN_ID), facts.order)
        && run.is_string()
    {
        facts.identity.own = Some(Key::RunSequence { run: run.into(), seq });
    }
    facts.level = event_type.map_or(Level::Info, level);
    if let Some(payload) = fields.get(PAYLOAD_SLOT) {
        const ADDED: usize = PAYLOAD.slot(carried::KEY);
        let members = PAYLOAD.find(payload);
        read_payload(facts, &members);
        if let Some(event_type) = event_type {
            read_by_type(facts, event_type, &members);
        }
        if let Some(added) = members.get(ADDED) {
            carried::apply_added(facts, added);
        }
    }
}

fn level(event_type: EventType) -> Level {
    match event_type {
        EventType::Error => Level::Error,
        EventType::AgentMessageChunk | EventType::ToolCallChunk => Level::Debug,
        EventType::StateChanged
        | EventType::UserMessage
        | EventType::AgentMessage
        | EventType::AgentMessageDone
        | EventType::AgentActionProposed
        | EventType::ToolCallStarted
        | EventType::ToolCallFinished
        | EventType::Observation
        | EventType::PlanUpdated
        | EventType::TaskUpdated
        | EventType::JudgeResult => Level::Info,
    }
}

/// What is read off payloads, whatever their type.
static PAYLOAD: Picks<20> = Picks::new([
    "text",
    "summary",
    "message",
    "reason",
    "tool",
    "action",
    "type",
    "id",
    "toolCallId",
    "path",
    "durationMs",
    "stepId",
    "taskId",
    "task",
    "usage",
    "to",
    "state",
    "status",
    "ok",
    carried::KEY,
]);

fn read_payload<'a>(facts: &mut Facts<'a>, payload: &Picked<'a, 20>) {
    const TEXT: usize = PAYLOAD.slot("text");
    const SUMMARY: usize = PAYLOAD.slot("summary");
    const MESSAGE: usize = PAYLOAD.slot("message");
    const REASON: usize = PAYLOAD.slot("reason");
    const TOOL: usize = PAYLOAD.slot("tool");
    const ACTION: usize = PAYLOAD.slot("action");
    const TOOL_CALL_ID: usize = PAYLOAD.slot("toolCallId");
    const PATH: usize = PAYLOAD.slot("path");
    const DURATION_MS: usize = PAYLOAD.slot("durationMs");
    const STEP_ID: usize = PAYLOAD.slot("stepId");
    const TASK_ID: usize = PAYLOAD.slot("taskId");
    const USAGE: usize = PAYLOAD.slot("usage");
    let first = |slots: &[usize]| slots.iter().find_map(|&slot| payload.string(slot));
    let action = payload.get(ACTION);
    let tool = payload.string(TOOL).or_else(|| action?.get("type"));
    let span = payload.string(TOOL_CALL_ID).or_else(|| action?.get("id"));
    let path = payload.string(PATH).or_else(|| input_path(action?));
    let said = first(&[TEXT, SUMMARY, MESSAGE, REASON]);
    let asked = || action?.get("question").filter(Value::is_string);
    Value::put_text_of(said.or_else(asked), &mut facts.message);
    Value::put_text_of(tool, &mut facts.tool);
    Value::put_text_of(span, &mut facts.span);
    Value::put_text_of(path, &mut facts.path);
    Value::put_text_of(first(&[STEP_ID, TASK_ID]), &mut facts.task);
    facts.duration_ms = payload.get(DURATION_MS).and_then(millis);
    facts.usage = payload.get(USAGE).and_then(Usage::read);
}

/// Reads what a payload's name means in events of one type alone.
fn read_by_type<'a>(facts: &mut Facts<'a>, event_type: EventType, payload: &Picked<'a, 20>) {
    const TYPE: usize = PAYLOAD.slot("type");
    const ID: usize = PAYLOAD.slot("id");
    const TO: usize = PAYLOAD.slot("to");
    const STATE: usize = PAYLOAD.slot("state");
    const STATUS: usize = PAYLOAD.slot("status");
    const OK: usize = PAYLOAD.slot("ok");
    const TASK: usize = PAYLOAD.slot("task");
    match event_type {
        EventType::StateChanged => {
            let state = payload.text(TO).or_else(|| payload.text(STATE));
            let state = state.and_then(|word| RunState::parse(&word));
            facts.status = state.and_then(RunState::status);
            if facts.status == Some(Status::Error) {
                facts.level = Level::Error;
            }
        }
        EventType::AgentActionProposed
        | EventType::ToolCallStarted
        | EventType::ToolCallChunk
        | EventType::ToolCallFinished
        | EventType::Observation => {
            if facts.tool.is_none() {
                Value::put_text_of(payload.get(TYPE), &mut facts.tool);
            }
            if facts.span.is_none() {
                Value::put_text_of(payload.get(ID), &mut facts.span);
            }
            if payload.get(OK).and_then(Value::as_bool) == Some(false) {
                facts.level = Level::Warn;
            }
        }
        EventType::JudgeResult => {
            if payload.get(STATUS).is_some_and(|status| status.is_text(JudgeStatus::Fail.as_str()))
            {
                facts.level = Level::Warn;
            }
        }
        EventType::TaskUpdated => {
            if facts.task.is_none() {
                let task = payload.get(TASK).and_then(|task| task.get("taskId"));
                Value::put_text_of(task, &mut facts.task);
            }
        }
        EventType::UserMessage
        | EventType::AgentMessage
        | EventType::AgentMessageChunk
        | EventType::AgentMessageDone
        | EventType::PlanUpdated
        | EventType::Error => {}
    }
}

//! Made-up collector events.

use super::draw::Draw;
use crate::Status;
use crate::collector::{HOOKS, TAXONOMY, VERSION, hook_event_type};
use crate::json::{Json, Object};

const AGENTS: [&str; 4] = ["@backend-engineer", "@qa-engineer", "@architect", "session-abc12345"];

pub(super) fn write(object: &mut Object<'_>, event_type: &str, draw: &mut Draw) {
    let hook = HOOKS.iter().copied().find(|hook| hook_event_type(hook) == event_type);
    let agent = AGENTS[draw.producer() as usize % AGENTS.len()];
    object.text("version", VERSION);
    object.text("event_type", event_type);
    object.text("timestamp", &draw.time());
    object.text("agent_id", agent);
    if hook.is_none() || draw.dice.chance(50) {
        object.text("event_id", &draw.uuid());
    }
    let session = draw.steady_uuid(1);
    object.text("session_id", &session);
    object.text("source", if hook.is_some() { "hook" } else { "mcp" });
    let status = TAXONOMY.get(event_type).and_then(|row| row.status);
    if let Some(status) = status.filter(|_| draw.dice.chance(60)) {
        object.text("status", status.as_str());
    }
    if draw.dice.chance(80) {
        draw.write_prose(object, "message", 3);
    }
    if event_type == "activity.progress" {
        object.json("progress", &draw.share());
    }
    let tool = (event_type.contains("tool") || event_type.contains("permission"))
        .then(|| draw.tool_call());
    if let Some((name, input)) = &tool {
        object.json("tool", &tool_object(name, input, event_type, draw));
    }
    if let Some(hook) = hook {
        object.json("hook", &hook_object(hook, &session, tool.as_ref(), draw));
    }
    if draw.dice.chance(40) {
        object.json("correlation", &correlation(draw));
    }
    if let Some(metadata) = metadata(event_type, draw) {
        object.json("metadata", &metadata);
    }
}

/// Writes a row of the old status table; `false` if the name is of something else.
pub(super) fn write_document(object: &mut Object<'_>, name: &str, draw: &mut Draw) -> bool {
    if name != "legacy-row" {
        return false;
    }
    object.text("agent_id", AGENTS[draw.producer() as usize % AGENTS.len()]);
    object.text("status", draw.dice.pick(Status::WORDS));
    draw.write_prose(object, "message", 2);
    object.text("timestamp", &draw.time());
    object.text("session_id", &draw.steady_uuid(1));
    object.json("progress", &draw.share());
    true
}

fn tool_object(name: &str, input: &Json<'_>, event_type: &str, draw: &mut Draw) -> Json<'static> {
    Json::object(|tool| {
        tool.text("tool_name", name);
        tool.json("tool_input", input);
        if event_type.contains("post_tool") {
            draw.write_prose(tool, "tool_result", 3);
            tool.json("duration_ms", &draw.duration());
        }
    })
}

fn hook_object(
    hook: &str,
    session: &str,
    tool: Option<&(&str, Json<'_>)>,
    draw: &mut Draw,
) -> Json<'static> {
    let payload = Json::object(|payload| {
        payload.text("session_id", session);
        payload.text("transcript_path", &format!("/home/ana/.claude/projects/app/{session}.jsonl"));
        payload.text("cwd", "/home/ana/app");
        payload.text("prompt_id", &draw.uuid());
        payload.text("permission_mode", draw.dice.pick(&["default", "acceptEdits", "plan"]));
        payload.text("hook_event_name", hook);
        if let Some((name, input)) = tool {
            payload.text("tool_name", name);
            payload.json("tool_input", input);
            payload.text("tool_use_id", &format!("toolu_{}", draw.dice.hex(12)));
        }
        if hook == "UserPromptSubmit" {
            draw.write_prose(payload, "prompt", 4);
        }
    });
    Json::object(|object| {
        object.text("hook_type", hook);
        object.json("raw_payload", &payload);
    })
}

fn correlation(draw: &mut Draw) -> Json<'static> {
    Json::object(|object| {
        object.text("trace_id", &draw.steady_uuid(2).replace('-', ""));
        object.text("span_id", &draw.dice.hex(16));
        object.text("parent_span_id", &draw.dice.hex(16));
        object.text("root_agent_id", "@orchestrator");
    })
}

fn metadata(event_type: &str, draw: &mut Draw) -> Option<Json<'static>> {
    let fill = |draw: &mut Draw, metadata: &mut Object<'_>| match event_type {
        "coordination.waiting" => {
            metadata.text("waiting_for", draw.dice.pick(&AGENTS));
            metadata.text("expected_status", "completed");
        }
        "coordination.handoff" => metadata.text("handoff_to", draw.dice.pick(&AGENTS)),
        "decision.made" | "decision.rationale" | "decision.rejected" => {
            metadata.text("decision_id", &format!("arch-{:03}", draw.dice.below(40)));
            let options = ["PostgreSQL", "SQLite", "a file"].map(Json::text);
            metadata.json("options_considered", &Json::array(options));
            metadata.text("chosen", "SQLite");
            draw.write_prose(metadata, "rationale", 2);
        }
        "system.heartbeat" => {
            metadata.json("uptime_ms", &draw.count(1_000, 9_000_000));
            metadata.json("memory_mb", &draw.count(40, 900));
        }
        "hook.stop" | "hook.subagent_stop" | "lifecycle.completed" => {
            metadata.json("usage", &draw.usage());
        }
        _ => metadata.text("task_id", &format!("auth-{}", draw.dice.below(300))),
    };
    let wanted = event_type.starts_with("coordination")
        || event_type.starts_with("decision")
        || event_type == "system.heartbeat"
        || draw.dice.chance(30);
    wanted.then(|| Json::object(|metadata| fill(draw, metadata)))
}

//! What a hook says to a person, in a few words.

use std::borrow::Cow;

use super::payload::Payload;
use crate::json::Value;

/// Characters of a text that stand in a message.
const TEXT_CHARS_MAX: usize = 200;

/// Returns the message of a hook; of one that nobody knows its name.
pub(super) fn message(payload: &Payload<'_>) -> String {
    let name = &*payload.name;
    about_tool(name, payload)
        .or_else(|| about_turn(name, payload))
        .or_else(|| about_session(name, payload))
        .or_else(|| about_surroundings(name, payload))
        .unwrap_or_else(|| head(name).into_owned())
}

fn about_tool(name: &str, payload: &Payload<'_>) -> Option<String> {
    let tool = || head(payload.tool.as_deref().unwrap_or("a tool")).into_owned();
    Some(match name {
        "PreToolUse" => format!("Using {}", tool()),
        "PostToolUse" => format!("{} completed", tool()),
        "PostToolUseFailure" => with(&format!("{} failed", tool()), payload, "error"),
        "PermissionRequest" => format!("Asking to use {}", tool()),
        "PermissionDenied" => with(&format!("{} denied", tool()), payload, "reason"),
        "PostToolBatch" => {
            match payload.root.get("tool_calls").map(|calls| calls.items().count()) {
                Some(1) => "1 tool completed".to_owned(),
                Some(n) => format!("{n} tools completed"),
                None => "Tools completed".to_owned(),
            }
        }
        _ => return None,
    })
}

fn about_turn(name: &str, payload: &Payload<'_>) -> Option<String> {
    let says = |field: &str, otherwise: &str| {
        payload.text(field).map_or_else(|| otherwise.to_owned(), |text| head(&text).into_owned())
    };
    let subagent = |does: &str| match payload.text("agent_type") {
        Some(kind) => format!("Subagent {} {does}", head(&kind)),
        None => format!("Subagent {does}"),
    };
    Some(match name {
        "UserPromptSubmit" => says("prompt", "Prompt submitted"),
        "UserPromptExpansion" => match payload.text("command_name") {
            Some(command) => format!("Expanding /{}", head(&command)),
            None => "Expanding a prompt".to_owned(),
        },
        "MessageDisplay" => says("delta", "Message displayed"),
        "Notification" => says("message", "Notification"),
        "Stop" => says("last_assistant_message", "Turn completed"),
        "StopFailure" => with("Turn failed", payload, "error"),
        "SubagentStart" => subagent("started"),
        "SubagentStop" => subagent("completed"),
        "TeammateIdle" => match payload.text("teammate_name") {
            Some(teammate) => format!("{} is idle", head(&teammate)),
            None => "A teammate is idle".to_owned(),
        },
        "TaskCreated" => with("Task created", payload, "task_subject"),
        "TaskCompleted" => with("Task completed", payload, "task_subject"),
        "Elicitation" => match payload.text("mcp_server_name") {
            Some(server) => with(&format!("{} asks", head(&server)), payload, "message"),
            None => with("A server asks", payload, "message"),
        },
        "ElicitationResult" => with("Answered", payload, "action"),
        _ => return None,
    })
}

fn about_session(name: &str, payload: &Payload<'_>) -> Option<String> {
    let marked = |what: &str, field: &str| match payload.text(field) {
        Some(mark) => format!("{what} ({})", head(&mark)),
        None => what.to_owned(),
    };
    Some(match name {
        "SessionStart" => marked("Session started", "source"),
        "SessionEnd" => marked("Session ended", "reason"),
        "Setup" => marked("Setting up", "trigger"),
        "PreCompact" => marked("Compacting", "trigger"),
        "PostCompact" => marked("Compacted", "trigger"),
        "InstructionsLoaded" => with("Instructions loaded", payload, "file_path"),
        "PreModelSwitch" => with("Switching model", payload, "to_model"),
        "PostModelSwitch" => with("Model switched", payload, "to_model"),
        _ => return None,
    })
}

fn about_surroundings(name: &str, payload: &Payload<'_>) -> Option<String> {
    Some(match name {
        "ConfigChange" => with("Settings changed", payload, "source"),
        "CwdChanged" => with("Folder changed", payload, "new_cwd"),
        "FileChanged" => {
            let what = match payload.root.get("event") {
                Some(event) if event.is_text("add") => "File added",
                Some(event) if event.is_text("unlink") => "File removed",
                Some(_) | None => "File changed",
            };
            with(what, payload, "file_path")
        }
        "DirectoryAdded" => with("Folder added", payload, "directory"),
        "WorktreeCreate" => with("Creating worktree", payload, "name"),
        "WorktreeRemove" => with("Removing worktree", payload, "worktree_path"),
        _ => return None,
    })
}

/// Returns what happened, and what a field of the payload says of it.
fn with(what: &str, payload: &Payload<'_>, field: &str) -> String {
    match payload.root.get(field).and_then(Value::as_text) {
        Some(text) if !text.trim().is_empty() => format!("{what}: {}", head(&text)),
        Some(_) | None => what.to_owned(),
    }
}

/// Returns the first line of a text, and of that no more than fits a message.
///
/// No word is cut in two: a secret would not be known by its first half, and that half would stay.
pub(crate) fn head(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default().trim_end();
    match line.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => {
            let whole = line[..end].trim_end_matches(|c: char| c.is_ascii_graphic()).trim_end();
            Cow::Owned(format!("{whole}…"))
        }
        None if line.len() < text.len() => Cow::Owned(format!("{line} …")),
        None => Cow::Borrowed(line),
    }
}

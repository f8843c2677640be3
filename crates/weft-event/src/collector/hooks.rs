//! Hook names of the agent, and the event types they become.

use std::borrow::Cow;

/// Every hook known of Claude Code, the ten of the document first.
pub const HOOKS: [&str; 33] = [
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PermissionRequest",
    "Notification",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "SubagentStart",
    "UserPromptExpansion",
    "MessageDisplay",
    "PostToolUseFailure",
    "PostToolBatch",
    "PostCompact",
    "TaskCreated",
    "TaskCompleted",
    "WorktreeCreate",
    "WorktreeRemove",
    "ConfigChange",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "PreModelSwitch",
    "PostModelSwitch",
    "InstructionsLoaded",
    "Setup",
    "Elicitation",
    "ElicitationResult",
    "TeammateIdle",
    "PermissionDenied",
    "StopFailure",
];

/// Returns the event type of a hook: `PostToolUseFailure` becomes `hook.post_tool_use_failure`.
///
/// `UserPromptSubmit` is the one name that the document shortens. Letters only: anything else becomes `_`.
pub fn hook_event_type(hook: &str) -> Cow<'static, str> {
    if hook == "UserPromptSubmit" {
        return Cow::Borrowed("hook.prompt_submit");
    }
    let mut name = String::from("hook.");
    let start = name.len();
    for c in hook.chars() {
        if c.is_ascii_uppercase() && name.len() > start {
            name.push('_');
        }
        name.push(if c.is_ascii_alphabetic() { c.to_ascii_lowercase() } else { '_' });
    }
    Cow::Owned(name)
}

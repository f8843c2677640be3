//! What makes a turn special: permissions, failures, subagents, batches, compaction and changes around the session.

use super::Play;
use super::hook::{Report, Subagent, message};
use super::tool::{Call, Use};
use crate::demo::pen;
use crate::demo::prose::{QUESTIONS, SUMMARIES};
use crate::demo::stage::REPOSITORY;
use crate::json::Object;

impl Play<'_> {
    /// A person has to allow a tool, and does.
    pub(super) fn permission(&mut self, s: usize) {
        let call = self.begin(s, Use::Push, None);
        self.ask_permission(s, &call);
        self.notify(s, "permission_prompt", "The agent needs your permission to use Bash");
        self.wait(s, (8_000, 40_000));
        self.finish(s, &call, None);
    }

    fn ask_permission(&mut self, s: usize, call: &Call) {
        let asked = Call { is_unnamed: true, ..call.clone() };
        let message = format!("Asking to use {}", call.name);
        let report = Report { message: &message, call: Some(&asked), ..Report::default() };
        self.hook(s, (30, 120), ("PermissionRequest", report), |_, _| {});
    }

    fn notify(&mut self, s: usize, kind: &'static str, text: &'static str) {
        self.hook(s, (2_000, 6_000), ("Notification", message(text)), |payload, _| {
            payload.text("message", text);
            payload.text("notification_type", kind);
        });
    }

    /// A tool is denied, and the agent does without it.
    pub(super) fn denied(&mut self, s: usize) {
        let call = self.begin(s, Use::Push, None);
        self.ask_permission(s, &call);
        let report = Report { message: "Bash was denied", call: Some(&call), ..Report::default() };
        self.hook(s, (1_000, 9_000), ("PermissionDenied", report), |payload, _| {
            payload.text("reason", "publishing waits for a review");
        });
    }

    /// A tool fails, the cause is mended, and it runs.
    pub(super) fn tool_fails(&mut self, s: usize) {
        let call = self.begin(s, Use::Shell, None);
        self.finish_failed(s, &call);
        self.tool(s, Use::Edit, None);
        self.tool(s, Use::Shell, None);
    }

    /// Part of the work is done by an agent below the main one.
    pub(super) fn subagent(&mut self, s: usize) {
        let call = self.begin(s, Use::Delegate, None);
        let subagent = Subagent {
            id: format!("a{}", self.stage.dice.hex(15)),
            kind: "Explore",
            call: call.id.clone(),
        };
        let of_it = |message| Report { message, subagent: Some(&subagent), ..Report::default() };
        self.hook(s, (50, 300), ("SubagentStart", of_it("Explore started")), |_, _| {});
        for purpose in [Use::Search, Use::Read, Use::Search] {
            self.tool(s, purpose, Some(&subagent));
        }
        let usage = self.use_tokens(s);
        let report = Report { usage: Some(usage), ..of_it("Explore is done") };
        self.hook(s, (500, 2_000), ("SubagentStop", report), |payload, _| {
            pen::plain(payload, "stop_hook_active", false);
            payload.text("last_assistant_message", "Seven callers, two of them in tests.");
        });
        self.finish(s, &call, None);
    }

    /// Two tools run side by side.
    pub(super) fn batch(&mut self, s: usize) {
        let calls = [self.begin(s, Use::Read, None), self.begin(s, Use::Search, None)];
        self.finish(s, &calls[1], None);
        self.finish(s, &calls[0], None);
        let report = message("2 tools completed");
        self.hook(s, (10, 60), ("PostToolBatch", report), |payload, _| {
            let list = payload.key("tool_calls");
            list.push('[');
            for call in &calls {
                pen::item(list, |item| {
                    item.text("tool_name", call.name);
                    item.json("tool_input", &call.input);
                    item.text("tool_use_id", &call.id);
                });
            }
            list.push(']');
        });
    }

    /// The context is compacted.
    pub(super) fn compaction(&mut self, s: usize) {
        let report = message("Compacting the context");
        self.hook(s, (500, 2_000), ("PreCompact", report), |payload, _| {
            payload.text("trigger", "auto");
            payload.key("custom_instructions").push_str("null");
        });
        let report = message("The context was compacted");
        self.hook(s, (4_000, 12_000), ("PostCompact", report), |payload, dice| {
            payload.text("trigger", "auto");
            payload.text("compact_summary", dice.pick(&SUMMARIES));
        });
        self.seat(s).context_tokens = 24_000;
    }

    /// The agent notes a task and does it; one of its teammates has nothing to do.
    pub(super) fn todo(&mut self, s: usize) {
        let (title, id) = (self.seat(s).task.title, self.stage.dice.hex(6));
        let report = message(title);
        let fill = |payload: &mut Object<'_>| {
            payload.text("task_id", &id);
            payload.text("task_subject", title);
        };
        self.hook(s, (300, 900), ("TaskCreated", report), |payload, _| fill(payload));
        self.tool(s, Use::Edit, None);
        self.hook(s, (300, 900), ("TaskCompleted", report), |payload, _| fill(payload));
        let report = message("reviewer is about to idle");
        self.hook(s, (300, 900), ("TeammateIdle", report), |payload, _| {
            payload.text("teammate_name", "reviewer");
        });
    }

    /// The work goes on in a worktree for a while.
    pub(super) fn worktree(&mut self, s: usize) {
        let name = self.seat(s).task_id.clone();
        let path = format!("{REPOSITORY}/.worktrees/{name}");
        let moved = |payload: &mut Object<'_>, from: &str, to: &str| {
            payload.text("old_cwd", from);
            payload.text("new_cwd", to);
        };
        let report = message("Making a worktree");
        self.hook(s, (300, 900), ("WorktreeCreate", report), |payload, _| {
            payload.text("name", &name);
        });
        self.hook(s, (300, 900), ("CwdChanged", message(&path)), |payload, _| {
            moved(payload, REPOSITORY, &path);
        });
        self.tool(s, Use::Shell, None);
        self.hook(s, (300, 900), ("CwdChanged", message(REPOSITORY)), |payload, _| {
            moved(payload, &path, REPOSITORY);
        });
        let report = message("Removing the worktree");
        self.hook(s, (300, 900), ("WorktreeRemove", report), |payload, _| {
            payload.text("worktree_path", &path);
        });
    }

    /// Something changes around the session.
    pub(super) fn surroundings(&mut self, s: usize) {
        let report = message("Settings changed");
        self.hook(s, (500, 3_000), ("ConfigChange", report), |payload, _| {
            payload.text("source", "project_settings");
            payload.text("file_path", "/home/ana/harbor/.claude/settings.json");
        });
        let report = message("A folder was added");
        self.hook(s, (500, 3_000), ("DirectoryAdded", report), |payload, _| {
            payload.text("directory", "/home/ana/harbor-docs");
            payload.text("source", "slash_command");
        });
        let report = message("Cargo.toml changed on disk");
        self.hook(s, (500, 3_000), ("FileChanged", report), |payload, _| {
            payload.text("file_path", "/home/ana/harbor/Cargo.toml");
            payload.text("event", "change");
        });
    }

    /// The person asks for another model.
    pub(super) fn model_switch(&mut self, s: usize) {
        let from = self.seat(s).model;
        let to = match from {
            "claude-opus-4-7" => "claude-sonnet-4-5",
            _ => "claude-opus-4-7",
        };
        let tokens = self.seat(s).context_tokens;
        for hook in ["PreModelSwitch", "PostModelSwitch"] {
            self.hook(s, (300, 1_500), (hook, message(to)), |payload, _| {
                payload.text("from_model", from);
                payload.text("to_model", to);
                payload.text("requested_model", to);
                payload.text("source", "picker");
                pen::plain(payload, "context_tokens", tokens);
            });
        }
        self.seat(s).model = to;
    }

    /// A tool server asks the person something.
    pub(super) fn elicitation(&mut self, s: usize) {
        let (question, answer) = self.stage.dice.pick(&QUESTIONS);
        let id = self.stage.dice.hex(8);
        self.hook(s, (500, 3_000), ("Elicitation", message(question)), |payload, _| {
            payload.text("mcp_server_name", "tracker");
            payload.text("message", question);
            payload.text("elicitation_id", &id);
        });
        self.notify(s, "elicitation_dialog", "The tracker has a question");
        self.hook(s, (9_000, 30_000), ("ElicitationResult", message(answer)), |payload, _| {
            payload.text("mcp_server_name", "tracker");
            payload.text("action", "accept");
            payload.text("elicitation_id", &id);
        });
    }

    /// The prompt was a command with a slash.
    pub(super) fn slash_command(&mut self, s: usize) {
        let report = message("Expanding /review");
        self.hook(s, (50, 200), ("UserPromptExpansion", report), |payload, _| {
            payload.text("expansion_type", "slash_command");
            payload.text("command_name", "review");
            payload.text("command_args", "HEAD~2..HEAD");
            payload.text("prompt", "Review the last two commits for correctness.");
        });
        self.tool(s, Use::Shell, None);
    }
}

//! Actions: proposed, confirmed where that is asked for, carried out, and told back to the agent as an observation.

use super::{Play, Run, STEPS, write_plan, write_task};
use crate::demo::pen;
use crate::demo::prose::QUESTIONS;
use crate::demo::stage::ms_between;
use crate::engine::EventType;
use crate::json::{Json, Object};

/// What an agent wants done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    Run,
    Exec,
    Read,
    Write,
    Patch,
    Search,
    Status,
    Diff,
    Commit,
    Checkpoint,
    Restore,
    Fetch,
    Test,
    UpdatePlan,
    UpdateTask,
    Ask,
}

impl Deed {
    fn name(self) -> &'static str {
        match self {
            Deed::Run => "terminal.run",
            Deed::Exec => "terminal.exec",
            Deed::Read => "fs.read",
            Deed::Write => "fs.write",
            Deed::Patch => "fs.applyPatch",
            Deed::Search => "fs.search",
            Deed::Status => "git.status",
            Deed::Diff => "git.diff",
            Deed::Commit => "git.commit",
            Deed::Checkpoint => "checkpoint.create",
            Deed::Restore => "checkpoint.restore",
            Deed::Fetch => "browser.fetch",
            Deed::Test => "tests.run",
            Deed::UpdatePlan => "plan.update",
            Deed::UpdateTask => "task.update",
            Deed::Ask => "user.ask",
        }
    }

    /// Returns what it gives back when it goes well.
    fn summary(self) -> &'static str {
        match self {
            Deed::Run | Deed::Exec => "the program ended with 0",
            Deed::Read => "184 lines",
            Deed::Write | Deed::Patch => "the file was changed",
            Deed::Search => "3 places in 2 files",
            Deed::Status => "2 files changed",
            Deed::Diff => "18 lines added, 4 removed",
            Deed::Commit => "committed",
            Deed::Checkpoint => "the workspace is saved",
            Deed::Restore => "the workspace is as it was",
            Deed::Fetch => "200, 12 kB",
            Deed::Test => "42 passed, 0 failed",
            Deed::UpdatePlan => "the plan has changed",
            Deed::UpdateTask => "the task has changed",
            Deed::Ask => "answered",
        }
    }

    /// Returns whether a person has to confirm it.
    fn needs_confirmation(self) -> bool {
        matches!(self, Deed::Commit)
    }
}

impl Play<'_> {
    /// An action from its proposal to what came of it.
    pub(super) fn act(&mut self, step: usize, deed: Deed) {
        let id = format!("tool-{}", self.stage.dice.hex(12));
        let question = self.stage.dice.below(QUESTIONS.len() as u64) as usize;
        if deed == Deed::Checkpoint {
            self.run.checkpoint = format!("cp-{}", self.stage.dice.hex(6));
        }
        let action = Json::object(|action| {
            action.text("id", &id);
            action.text("type", deed.name());
            write_action(action, self.run, deed, question);
        });
        let step_id = STEPS[step].0;
        self.say((1_500, 8_000), EventType::AgentActionProposed, |payload, _, _| {
            payload.text("stepId", step_id);
            payload.json("action", &action);
        });
        if deed.needs_confirmation() || deed == Deed::Ask {
            self.ask_user(question);
        }
        self.run.n_calls += 1;
        self.run.last_calls.push(id.clone());
        self.carry_out(&id, step_id, deed);
        match deed {
            Deed::UpdatePlan => self.plan((20, 90)),
            Deed::UpdateTask => self.task((20, 90)),
            Deed::Run
            | Deed::Exec
            | Deed::Read
            | Deed::Write
            | Deed::Patch
            | Deed::Search
            | Deed::Status
            | Deed::Diff
            | Deed::Commit
            | Deed::Checkpoint
            | Deed::Restore
            | Deed::Fetch
            | Deed::Test
            | Deed::Ask => {}
        }
    }

    fn carry_out(&mut self, id: &str, step_id: &str, deed: Deed) {
        let about = |payload: &mut Object<'_>| {
            payload.text("toolCallId", id);
            payload.text("tool", deed.name());
            payload.text("stepId", step_id);
        };
        let ok = deed != Deed::Test || self.run.tests_pass;
        let is_change = matches!(deed, Deed::Read | Deed::Write | Deed::Patch | Deed::Diff);
        self.say((50, 400), EventType::ToolCallStarted, |payload, run, _| {
            about(payload);
            if is_change {
                payload.text("path", run.task.file);
            }
        });
        let since_ns = self.run.at_ns;
        if matches!(deed, Deed::Test | Deed::Run | Deed::Exec) {
            self.say((500, 4_000), EventType::ToolCallChunk, |payload, _, _| {
                about(payload);
                payload.text("chunk", "running 42 tests\n");
            });
        }
        self.say((200, 4_000), EventType::ToolCallFinished, |payload, run, _| {
            about(payload);
            pen::plain(payload, "ok", ok);
            pen::plain(payload, "durationMs", ms_between(since_ns, run.at_ns));
        });
        self.say((20, 90), EventType::Observation, |payload, run, _| {
            about(payload);
            pen::plain(payload, "ok", ok);
            payload.text("summary", if ok { deed.summary() } else { "41 passed, 1 failed" });
            pen::plain(payload, "exitCode", i32::from(!ok));
            if is_change {
                pen::nest(payload, "artifacts", |artifacts| artifacts.text("path", run.task.file));
            }
        });
    }
}

fn write_action(action: &mut Object<'_>, run: &Run, deed: Deed, question: usize) {
    match deed {
        Deed::Run => {
            action.text("program", "cargo");
            pen::texts(action, "args", &["build", "--quiet"]);
        }
        Deed::Exec => action.text("cmd", "cargo test --quiet | tail -3"),
        Deed::Read => action.text("path", run.task.file),
        Deed::Write => {
            action.text("path", run.task.test);
            action
                .text("content", "#[test]\nfn a_second_scan_is_free() {\n    charged_once();\n}\n");
        }
        Deed::Patch => {
            action.text("path", run.task.file);
            action.text(
                "patch",
                "@@ -12,2 +12,3 @@\n let scan = next()?;\n+if seen(scan) { continue; }\n",
            );
        }
        Deed::Search => {
            action.text("pattern", "fn charge");
            pen::texts(action, "paths", &["src", "tests"]);
        }
        Deed::Diff => action.text("path", run.task.file),
        Deed::Commit => action.text("message", run.task.commit),
        Deed::Checkpoint => action.text("label", "before the change"),
        Deed::Restore => action.text("checkpointId", &run.checkpoint),
        Deed::Fetch => action.text("url", "https://docs.example.com/harbor/limits"),
        Deed::Test => pen::texts(action, "command", &["cargo", "test", "--quiet"]),
        Deed::UpdatePlan => pen::nest(action, "plan", |plan| write_plan(plan, run)),
        Deed::UpdateTask => pen::nest(action, "task", |task| write_task(task, run)),
        Deed::Ask => action.text("question", QUESTIONS[question].0),
        Deed::Status => {}
    }
}

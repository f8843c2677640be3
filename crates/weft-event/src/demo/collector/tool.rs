//! Tool calls: what a tool is given, when it is asked for, and what comes back under the same id.

use super::Play;
use super::hook::{Report, Subagent};
use crate::demo::pen;
use crate::demo::prose::{COMMANDS, FAILURES};
use crate::demo::stage::{Pause, REPOSITORY, ms_between};
use crate::json::Json;

/// A call of a tool.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: &'static str,
    pub(super) input: Json<'static>,
    pub(super) since_ns: i64,
    /// Whether hooks about it do not say its id: the one that asks for permission does not.
    pub(super) is_unnamed: bool,
}

/// What agents use tools for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Use {
    Read,
    Search,
    Edit,
    EditTest,
    Shell,
    Push,
    Delegate,
    Tracker,
}

/// How long a tool takes.
const TAKES: Pause = (300, 6_000);

impl Play<'_> {
    /// Returns a call that is about to be made.
    pub(super) fn call(&mut self, s: usize, purpose: Use) -> Call {
        let task = self.seat(s).task;
        let at_ns = self.seat(s).at_ns;
        let dice = &mut self.stage.dice;
        let absolute = |file: &str| format!("{REPOSITORY}/{file}");
        let (name, input) = match purpose {
            Use::Read => ("Read", Json::object(|o| o.text("file_path", &absolute(task.file)))),
            Use::Search => (
                "Grep",
                Json::object(|o| {
                    o.text(
                        "pattern",
                        dice.pick(&["fn charge", "Retry-After", "TODO", "unwrap\\("]),
                    );
                    o.text("path", &absolute("src"));
                }),
            ),
            Use::Edit => (
                "Edit",
                Json::object(|o| {
                    o.text("file_path", &absolute(task.file));
                    let n = dice.between(2, 90);
                    pen::text(o, "old_string", format_args!("let limit = {n};"));
                    pen::text(
                        o,
                        "new_string",
                        format_args!("let limit = settings.limit.max({n});"),
                    );
                }),
            ),
            Use::EditTest => (
                "Write",
                Json::object(|o| {
                    o.text("file_path", &absolute(task.test));
                    o.text("content", "#[test]\nfn it_holds_at_the_edge() {\n    assert_eq!(count(61), Err(Limit));\n}\n");
                }),
            ),
            Use::Shell => {
                let (command, description) = dice.pick(&COMMANDS);
                ("Bash", shell(command, description))
            }
            Use::Push => ("Bash", shell("git push origin HEAD", "Publish the branch")),
            Use::Delegate => (
                "Agent",
                Json::object(|o| {
                    o.text("description", "Find every caller");
                    pen::text(o, "prompt", format_args!("List every caller of {}", task.file));
                    o.text("subagent_type", "Explore");
                }),
            ),
            Use::Tracker => {
                ("mcp__tracker__comment", Json::object(|o| o.text("body", task.commit)))
            }
        };
        let id = format!("toolu_{}", dice.hex(20));
        Call { id, name, input, since_ns: at_ns, is_unnamed: false }
    }

    /// A tool is used and gives a result.
    pub(super) fn tool(&mut self, s: usize, purpose: Use, subagent: Option<&Subagent>) {
        let call = self.begin(s, purpose, subagent);
        self.finish(s, &call, subagent);
    }

    /// The tool is about to run.
    pub(super) fn begin(&mut self, s: usize, purpose: Use, subagent: Option<&Subagent>) -> Call {
        self.wait(s, (700, 7_000));
        let call = self.call(s, purpose);
        let message = format!("Using {}", call.name);
        let report = Report { message: &message, call: Some(&call), subagent, ..Report::default() };
        self.hook(s, (0, 5), ("PreToolUse", report), |_, _| {});
        call
    }

    /// The tool has run.
    pub(super) fn finish(&mut self, s: usize, call: &Call, subagent: Option<&Subagent>) {
        self.wait(s, TAKES);
        let (message, result) = (format!("{} completed", call.name), result_of(call.name));
        let report = Report {
            message: &message,
            call: Some(call),
            result: Some(result),
            subagent,
            ..Report::default()
        };
        let ms = ms_between(call.since_ns, self.seat(s).at_ns);
        self.hook(s, (0, 0), ("PostToolUse", report), |payload, _| {
            pen::nest(payload, "tool_response", |response| response.text("stdout", result));
            pen::plain(payload, "duration_ms", ms);
        });
    }

    /// The tool has run and failed.
    pub(super) fn finish_failed(&mut self, s: usize, call: &Call) {
        self.wait(s, TAKES);
        let error = self.stage.dice.pick(&FAILURES);
        let message = format!("{} failed", call.name);
        let report = Report {
            message: &message,
            call: Some(call),
            result: Some(error),
            ..Report::default()
        };
        let ms = ms_between(call.since_ns, self.seat(s).at_ns);
        self.hook(s, (0, 0), ("PostToolUseFailure", report), |payload, _| {
            pen::text(payload, "error", format_args!("Exit code 101\n{error}"));
            pen::plain(payload, "is_interrupt", false);
            pen::plain(payload, "duration_ms", ms);
        });
    }
}

fn shell(command: &str, description: &str) -> Json<'static> {
    Json::object(|o| {
        o.text("command", command);
        o.text("description", description);
    })
}

fn result_of(tool: &str) -> &'static str {
    match tool {
        "Read" => "1\t//! What a scan costs, and when it is charged.\n2\tuse crate::scan::Scan;",
        "Grep" => "src/billing/charge.rs:41\nsrc/api/limit.rs:12",
        "Edit" | "Write" => "The file was updated.",
        "Agent" => "Seven callers, two of them in tests.",
        "Bash" => "test result: ok. 42 passed; 0 failed; finished in 3.1 s",
        _ => "ok",
    }
}

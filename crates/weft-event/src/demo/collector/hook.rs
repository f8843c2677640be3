//! What hooks report: one event for each, with the payload that the client sends.

use super::Play;
use super::tool::Call;
use crate::Dialect;
use crate::collector::{TAXONOMY, VERSION, hook_event_type};
use crate::demo::pen;
use crate::demo::stage::{Pause, REPOSITORY, ms_between};
use crate::dice::Dice;
use crate::json::Object;
use crate::time::{MILLI_NS, format_rfc3339};

/// Hooks whose payload says in which mode permissions are given.
const WITH_MODE: [&str; 15] = [
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStop",
    "TaskCreated",
    "TaskCompleted",
    "Stop",
    "TeammateIdle",
    "Elicitation",
    "ElicitationResult",
];

/// An agent below the main one of a session.
#[derive(Clone, Debug)]
pub(super) struct Subagent {
    pub(super) id: String,
    pub(super) kind: &'static str,
    /// The tool call that started it.
    pub(super) call: String,
}

/// What a hook reports beside its name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Report<'a> {
    pub(super) message: &'a str,
    pub(super) call: Option<&'a Call>,
    pub(super) result: Option<&'a str>,
    pub(super) subagent: Option<&'a Subagent>,
    pub(super) usage: Option<TurnUsage>,
}

/// What one turn used up.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnUsage {
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) cache_read_tokens: u64,
    pub(super) cost_micros: u64,
}

/// Returns a report of a message and nothing else.
pub(super) fn message(message: &str) -> Report<'_> {
    Report { message, ..Report::default() }
}

impl Play<'_> {
    /// Says what a hook reports after a pause; `fill` adds what the payload of this hook has.
    pub(super) fn hook(
        &mut self,
        s: usize,
        pause: Pause,
        (name, report): (&'static str, Report<'_>),
        fill: impl FnOnce(&mut Object<'_>, &mut Dice),
    ) {
        self.wait(s, pause);
        let at_ns = self.seat(s).at_ns;
        let event_type = hook_event_type(name);
        let mut line = String::with_capacity(1_024);
        let mut object = Object::begin(&mut line);
        object.text("version", VERSION);
        object.text("event_type", &event_type);
        object.text("timestamp", &format_rfc3339(at_ns / MILLI_NS * MILLI_NS));
        let seat = &self.team.seats[s];
        object.text("agent_id", report.subagent.map_or(&seat.actor, |subagent| &subagent.id));
        // A tool call has an id of its own; other hooks may fire twice for one prompt.
        if report.call.is_none_or(|call| call.is_unnamed) {
            object.text("event_id", &self.stage.dice.uuid(at_ns));
        }
        object.text("session_id", &seat.session);
        object.text("source", "hook");
        if let Some(status) = TAXONOMY.get(&event_type).and_then(|row| row.status) {
            object.text("status", status.as_str());
        }
        object.text("message", report.message);
        if let Some(call) = report.call {
            write_tool(&mut object, call, report.result, at_ns);
        }
        pen::nest(&mut object, "hook", |hook| {
            hook.text("hook_type", name);
            pen::nest(hook, "raw_payload", |payload| {
                self.write_payload(payload, s, name, report);
                fill(payload, &mut self.stage.dice);
            });
        });
        self.write_correlation(&mut object, s, (name, report));
        self.write_metadata(&mut object, s, report.usage);
        object.end();
        self.stage.put(at_ns, Dialect::Collector, "hook", line);
        self.seat(s).at_ns = at_ns.saturating_add(MILLI_NS);
    }

    /// Writes what the payloads of all hooks have.
    fn write_payload(&self, payload: &mut Object<'_>, s: usize, name: &str, report: Report<'_>) {
        let seat = &self.team.seats[s];
        payload.text("session_id", &seat.session);
        pen::text(
            payload,
            "transcript_path",
            format_args!("/home/ana/.claude/projects/-home-ana-harbor/{}.jsonl", seat.session),
        );
        payload.text("cwd", REPOSITORY);
        if !seat.prompt.is_empty() {
            payload.text("prompt_id", &seat.prompt);
        }
        if WITH_MODE.contains(&name) {
            payload.text("permission_mode", "default");
        }
        if let Some(subagent) = report.subagent {
            payload.text("agent_id", &subagent.id);
            payload.text("agent_type", subagent.kind);
        }
        payload.text("hook_event_name", name);
        if let Some(call) = report.call {
            payload.text("tool_name", call.name);
            payload.json("tool_input", &call.input);
            if !call.is_unnamed {
                payload.text("tool_use_id", &call.id);
            }
        }
    }

    fn write_correlation(
        &mut self,
        object: &mut Object<'_>,
        s: usize,
        (name, report): (&str, Report<'_>),
    ) {
        let seat = &self.team.seats[s];
        pen::nest(object, "correlation", |correlation| {
            correlation.text("trace_id", &seat.trace);
            let above = match report.subagent {
                Some(subagent) => subagent.id.as_str(),
                None => seat.prompt.as_str(),
            };
            let (span, parent) = match (report.call, report.subagent) {
                // Who asks for leave does not say for which call.
                (Some(call), _) if call.is_unnamed => (String::new(), above),
                (Some(call), _) => (call.id.clone(), above),
                (None, Some(subagent)) => (subagent.id.clone(), subagent.call.as_str()),
                (None, None) if name == "UserPromptSubmit" => (seat.prompt.clone(), ""),
                (None, None) => (self.stage.dice.hex(16), above),
            };
            if !span.is_empty() {
                correlation.text("span_id", &span);
            }
            if !parent.is_empty() {
                correlation.text("parent_span_id", parent);
            }
            correlation.text("root_agent_id", &seat.actor);
        });
    }

    fn write_metadata(&self, object: &mut Object<'_>, s: usize, usage: Option<TurnUsage>) {
        let seat = &self.team.seats[s];
        pen::nest(object, "metadata", |metadata| {
            metadata.text("task_id", &seat.task_id);
            metadata.text("host", "quay-1");
            if let Some(usage) = usage {
                write_usage(metadata, usage, seat.model);
            }
        });
    }
}

/// Writes what a turn used, as a member of metadata.
pub(super) fn write_usage(metadata: &mut Object<'_>, used: TurnUsage, model: &str) {
    pen::nest(metadata, "usage", |usage| {
        pen::plain(usage, "input_tokens", used.input_tokens);
        pen::plain(usage, "output_tokens", used.output_tokens);
        pen::plain(usage, "cache_read_tokens", used.cache_read_tokens);
        pen::dollars(usage, "cost_usd", used.cost_micros);
        usage.text("model", model);
    });
}

fn write_tool(object: &mut Object<'_>, call: &Call, result: Option<&str>, at_ns: i64) {
    pen::nest(object, "tool", |tool| {
        tool.text("tool_name", call.name);
        tool.json("tool_input", &call.input);
        if let Some(result) = result {
            tool.text("tool_result", result);
            pen::plain(tool, "duration_ms", ms_between(call.since_ns, at_ns));
        }
    });
}

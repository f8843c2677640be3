//! Turns: somebody writes or a job is due, the agent uses tools, answers, and is done.

use super::{Cover, Play, Speaker};
use crate::demo::pen;
use crate::demo::prose::{CHAT, FAILURES};
use crate::demo::stage::ms_between;
use crate::pinchy::EventType;
use crate::time::{SECOND_NS, format_rfc3339};

/// Jobs are started by the minute.
const MINUTE_NS: i64 = 60 * SECOND_NS;

/// A turn at work.
struct Turn {
    id: String,
    trace: String,
    since_ns: i64,
}

impl Turn {
    fn cover(&self, event_type: EventType, speaker: Speaker) -> Cover<'_> {
        Cover { event_type, speaker, trace: &self.trace, message: None }
    }
}

impl Play<'_> {
    /// A person asks, the agent answers, with so many tools.
    pub(super) fn chat(&mut self, p: usize, n_tools: u64) {
        let (question, answer) = self.stage.dice.pick(&CHAT);
        let trace = self.trace();
        self.message(p, &trace, question);
        let turn = self.begin(p, trace);
        for _ in 0..n_tools {
            let call = self.request_tool(p, &turn);
            self.complete_tool(p, &turn, &call);
        }
        self.answer(p, &turn, answer);
    }

    /// A message comes in; returns its id on the platform.
    fn message(&mut self, p: usize, trace: &str, text: &str) -> String {
        self.gateway.n_messages += 1;
        let id = format!("m{}", self.gateway.n_messages);
        let cover = Cover {
            event_type: EventType::MessageReceived,
            speaker: Speaker::Listener,
            trace,
            message: Some(&id),
        };
        self.say(p, (5_000, 20_000), &cover, |payload, _| payload.text("text", text));
        id
    }

    fn begin(&mut self, p: usize, trace: String) -> Turn {
        self.wait(p, (50, 400));
        let since_ns = self.at_ns(p);
        let turn = Turn { id: self.stage.dice.uuid(since_ns), trace, since_ns };
        let cover = turn.cover(EventType::TurnStarted, Speaker::Gateway);
        self.say(p, (0, 0), &cover, |payload, _| payload.text("turn_id", &turn.id));
        turn
    }

    /// Returns the call's id and when it was asked for.
    fn request_tool(&mut self, p: usize, turn: &Turn) -> (String, i64) {
        let call = self.stage.dice.random_uuid();
        let cover = turn.cover(EventType::ToolRequested, Speaker::Gateway);
        self.say(p, (600, 4_000), &cover, |payload, dice| {
            payload.text("call_id", &call);
            payload.text("tool_name", "shell");
            pen::nest(payload, "args", |args| {
                args.text(
                    "command",
                    dice.pick(&["git log -3", "df -h", "systemctl status harbor"]),
                );
            });
            pen::plain(payload, "timeout_ms", 30_000);
        });
        (call, self.at_ns(p))
    }

    fn complete_tool(&mut self, p: usize, turn: &Turn, (call, since_ns): &(String, i64)) {
        self.wait(p, (300, 5_000));
        let ms = ms_between(*since_ns, self.at_ns(p));
        let cover = turn.cover(EventType::ToolCompleted, Speaker::ToolHost);
        self.say(p, (0, 0), &cover, |payload, _| {
            payload.text("call_id", call);
            payload.text("tool_name", "shell");
            payload.text("status", "ok");
            pen::nest(payload, "result", |result| result.text("stdout", "harbor: active, 14 days"));
            pen::plain(payload, "duration_ms", ms);
        });
    }

    /// A tool fails, is asked for again, and runs.
    pub(super) fn tool_fails(&mut self, p: usize) {
        let (question, answer) = self.stage.dice.pick(&CHAT);
        let trace = self.trace();
        self.message(p, &trace, question);
        let turn = self.begin(p, trace);
        let (call, since_ns) = self.request_tool(p, &turn);
        self.wait(p, (2_000, 12_000));
        let ms = ms_between(since_ns, self.at_ns(p));
        let cover = turn.cover(EventType::ToolFailed, Speaker::ToolHost);
        self.say(p, (0, 0), &cover, |payload, dice| {
            payload.text("call_id", &call);
            payload.text("tool_name", "shell");
            payload.text("status", dice.pick(&["error", "timeout", "retryable_error"]));
            pen::nest(payload, "error", |error| {
                error.text("code", "E_TOOL");
                error.text("message", dice.pick(&FAILURES));
                pen::plain(error, "retryable", true);
            });
            pen::plain(payload, "duration_ms", ms);
        });
        let call = self.request_tool(p, &turn);
        self.complete_tool(p, &turn, &call);
        self.answer(p, &turn, answer);
    }

    fn answer(&mut self, p: usize, turn: &Turn, text: &str) {
        let response = self.stage.dice.random_uuid();
        let cover = turn.cover(EventType::ResponseCreated, Speaker::Gateway);
        self.say(p, (900, 5_000), &cover, |payload, dice| {
            payload.text("response_id", &response);
            let content = payload.key("content");
            content.push('[');
            pen::item(content, |part| {
                part.text("type", "text");
                part.text("text", text);
            });
            content.push(']');
            let actions = payload.key("actions");
            actions.push('[');
            pen::item(actions, |action| {
                action.text("kind", dice.pick(&["send_message", "react"]));
                pen::nest(action, "args", |args| args.text("reply", "thread"));
            });
            actions.push(']');
            pen::nest(payload, "usage", |usage| {
                pen::plain(usage, "input_tokens", dice.between(1_500, 14_000));
                pen::plain(usage, "output_tokens", dice.between(60, 900));
                usage.text("model", "claude-sonnet-4-5");
                usage.text("provider", "hosted");
            });
        });
        self.wait(p, (30, 200));
        let ms = ms_between(turn.since_ns, self.at_ns(p));
        let cover = turn.cover(EventType::TurnCompleted, Speaker::Gateway);
        self.say(p, (0, 0), &cover, |payload, _| {
            payload.text("turn_id", &turn.id);
            payload.text("response_id", &response);
            pen::plain(payload, "duration_ms", ms);
        });
    }

    /// A person changes a message before it is answered.
    pub(super) fn edited(&mut self, p: usize) {
        let (question, answer) = self.stage.dice.pick(&CHAT);
        let trace = self.trace();
        let id = self.message(p, &trace, "is the import thru");
        let cover = Cover {
            event_type: EventType::MessageEdited,
            speaker: Speaker::Listener,
            trace: &trace,
            message: Some(&id),
        };
        self.say(p, (900, 4_000), &cover, |payload, _| payload.text("text", question));
        let turn = self.begin(p, trace);
        self.answer(p, &turn, answer);
    }

    /// A person takes a message back; there is nothing to answer.
    pub(super) fn deleted(&mut self, p: usize) {
        let trace = self.trace();
        let id = self.message(p, &trace, "wrong channel, sorry");
        let cover = Cover {
            event_type: EventType::MessageDeleted,
            speaker: Speaker::Listener,
            trace: &trace,
            message: Some(&id),
        };
        self.say(p, (900, 5_000), &cover, |payload, _| payload.text("reason", "by its author"));
    }

    /// A turn fails; the person is not answered.
    pub(super) fn turn_fails(&mut self, p: usize) {
        let (question, _) = self.stage.dice.pick(&CHAT);
        let trace = self.trace();
        self.message(p, &trace, question);
        let turn = self.begin(p, trace);
        let cover = turn.cover(EventType::TurnFailed, Speaker::Gateway);
        self.say(p, (2_000, 9_000), &cover, |payload, _| {
            payload.text("turn_id", &turn.id);
            pen::nest(payload, "error", |error| {
                error.text("code", "MODEL_UNAVAILABLE");
                error.text("message", "no model answered within 8 s");
            });
        });
    }

    /// A job is due at a full minute, at most once in it, and the agent does it.
    pub(super) fn job(&mut self, p: usize) {
        self.wait(p, (1_500, 6_000));
        let mut minute_ns = self.at_ns(p) / MINUTE_NS * MINUTE_NS;
        // In the first minute the job that is due already is made up for; later ones come on time.
        if minute_ns <= self.gateway.job_minute_ns || !self.stage.is_opening(self.at_ns(p)) {
            minute_ns = minute_ns.max(self.gateway.job_minute_ns).saturating_add(MINUTE_NS);
            self.gateway.places[p].at_ns = self.stage.later(minute_ns, (100, 1_500));
        }
        self.gateway.job_minute_ns = minute_ns;
        let (trace, at_ns) = (self.trace(), self.at_ns(p));
        let cover = Cover {
            event_type: EventType::CronTriggered,
            speaker: Speaker::Cron,
            trace: &trace,
            message: None,
        };
        self.say(p, (0, 0), &cover, |payload, dice| {
            let (id, name) = dice.pick(&[("job-7", "depot import"), ("job-12", "nightly summary")]);
            payload.text("job_id", id);
            payload.text("job_name", name);
            payload.text("scheduled_for", &format_rfc3339(minute_ns));
            payload.text("triggered_at", &format_rfc3339(at_ns));
            pen::nest(payload, "input", |input| input.text("depth", "full"));
            payload.text("reason", dice.pick(&["scheduled_task", "heartbeat"]));
        });
        let turn = self.begin(p, trace);
        let call = self.request_tool(p, &turn);
        self.complete_tool(p, &turn, &call);
        self.answer(p, &turn, "The job is done; nothing unusual.");
    }
}

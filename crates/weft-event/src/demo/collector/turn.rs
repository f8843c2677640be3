//! Sessions and their turns: a prompt, some tools, an answer.

use super::Play;
use super::hook::{Report, TurnUsage, message};
use super::tool::Use;
use crate::demo::pen;
use crate::demo::prose::{FAILURES, SUMMARIES};

/// What tokens cost, in millionths of a dollar.
const INPUT_MICROS: u64 = 3;
const OUTPUT_MICROS: u64 = 15;
/// Tokens from the cache that cost as much as one that is not.
const CACHED_PER_INPUT: u64 = 10;

/// The client compacts a context beyond this by itself.
const CONTEXT_TOKENS_MAX: u64 = 150_000;

impl Play<'_> {
    /// A session begins.
    pub(super) fn open_session(&mut self, s: usize) {
        let at_ns = self.seat(s).at_ns;
        let session = self.stage.dice.random_uuid();
        let trace = self.stage.dice.hex(32);
        let seat = self.seat(s);
        seat.actor = format!("session-{}", &session[..8]);
        (seat.session, seat.trace) = (session, trace);
        seat.prompt.clear();
        (seat.since_ns, seat.context_tokens, seat.is_open) = (at_ns, 18_000, true);
        let (model, role) = (seat.model, seat.role);
        self.hook(s, (0, 0), ("SessionStart", message("Session started")), |payload, _| {
            payload.text("source", "startup");
            payload.text("model", model);
            payload.text("session_title", role);
        });
        if self.stage.dice.chance(30) {
            self.hook(s, (20, 90), ("Setup", message("Setting up")), |payload, _| {
                payload.text("trigger", "maintenance");
            });
        }
        self.hook(s, (20, 90), ("InstructionsLoaded", message("Loaded CLAUDE.md")), |p, _| {
            p.text("file_path", "/home/ana/harbor/CLAUDE.md");
            p.text("memory_type", "Project");
            p.text("load_reason", "session_start");
        });
    }

    /// A session ends, and another begins after a while.
    pub(super) fn close_session(&mut self, s: usize) {
        let reason = self.stage.dice.pick(&["prompt_input_exit", "clear", "other"]);
        self.hook(s, (1_000, 4_000), ("SessionEnd", message("Session ended")), |payload, _| {
            payload.text("reason", reason);
        });
        self.seat(s).is_open = false;
        self.new_task(s);
        self.wait(s, (3_000, 12_000));
    }

    /// A turn with nothing special about it.
    pub(super) fn plain(&mut self, s: usize) {
        self.turn(s, |play, s| {
            for _ in 0..play.stage.dice.between(1, 3) {
                let purpose = play.stage.dice.pick(&[Use::Read, Use::Edit, Use::Shell]);
                play.tool(s, purpose, None);
            }
            play.tool(s, Use::Tracker, None);
        });
    }

    /// A prompt, some work with something special in it, and an answer.
    pub(super) fn turn(&mut self, s: usize, special: impl FnOnce(&mut Self, usize)) {
        self.prompt(s);
        let purpose = self.stage.dice.pick(&[Use::Read, Use::Search]);
        self.tool(s, purpose, None);
        special(self, s);
        let purpose = self.stage.dice.pick(&[Use::Edit, Use::EditTest, Use::Shell]);
        self.tool(s, purpose, None);
        self.answer(s);
    }

    /// A person sends a prompt.
    pub(super) fn prompt(&mut self, s: usize) {
        self.wait(s, (2_000, 15_000));
        let id = self.stage.dice.random_uuid();
        let seat = self.seat(s);
        seat.prompt = id;
        let prompt = seat.task.prompt;
        self.hook(s, (0, 10), ("UserPromptSubmit", message(prompt)), |payload, _| {
            payload.text("prompt", prompt);
        });
    }

    /// The agent says what it has done, and the turn is over.
    fn answer(&mut self, s: usize) {
        let answer = self.stage.dice.pick(&SUMMARIES);
        let ids = [self.stage.dice.random_uuid(), self.stage.dice.random_uuid()];
        self.hook(s, (1_000, 5_000), ("MessageDisplay", message(answer)), |payload, _| {
            payload.text("turn_id", &ids[0]);
            payload.text("message_id", &ids[1]);
            pen::plain(payload, "index", 0);
            pen::plain(payload, "final", true);
            payload.text("delta", answer);
        });
        let usage = self.use_tokens(s);
        let report = Report { message: answer, usage: Some(usage), ..Report::default() };
        self.hook(s, (50, 300), ("Stop", report), |payload, _| {
            pen::plain(payload, "stop_hook_active", false);
            payload.text("last_assistant_message", answer);
        });
        if self.seat(s).context_tokens > CONTEXT_TOKENS_MAX {
            self.compaction(s);
        }
    }

    /// Returns what the turn has used; its context grows by that.
    pub(super) fn use_tokens(&mut self, s: usize) -> TurnUsage {
        let input_tokens = self.stage.dice.between(2_000, 16_000);
        let output_tokens = self.stage.dice.between(400, 5_000);
        let seat = self.seat(s);
        let cache_read_tokens = seat.context_tokens;
        seat.context_tokens += input_tokens + output_tokens;
        let input_cost = (input_tokens + cache_read_tokens / CACHED_PER_INPUT) * INPUT_MICROS;
        let cost_micros = input_cost + output_tokens * OUTPUT_MICROS;
        TurnUsage { input_tokens, output_tokens, cache_read_tokens, cost_micros }
    }

    /// A turn that the provider cuts off.
    pub(super) fn stop_fails(&mut self, s: usize) {
        self.prompt(s);
        self.tool(s, Use::Read, None);
        let report = message("The turn was ended by an error: overloaded");
        self.hook(s, (4_000, 20_000), ("StopFailure", report), |payload, _| {
            payload.text("error", "overloaded");
            payload.text("error_details", "the model is busy; try again in a minute");
        });
        self.wait(s, (8_000, 20_000));
    }

    /// The same file is edited again and again, and the tests keep failing: an agent that goes round in circles.
    pub(super) fn circles(&mut self, s: usize) {
        for _ in 0..4 {
            self.tool(s, Use::Edit, None);
            let call = self.begin(s, Use::Shell, None);
            self.finish_failed(s, &call);
        }
        let report = message("The agent waits for your input");
        self.hook(s, (500, 2_000), ("Notification", report), |payload, dice| {
            pen::text(
                payload,
                "message",
                format_args!("Four tries, the same failure: {}", dice.pick(&FAILURES)),
            );
            payload.text("notification_type", "agent_needs_input");
        });
        self.wait(s, (6_000, 20_000));
    }
}

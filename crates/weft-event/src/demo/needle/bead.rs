//! The life of a bead: claimed, given to an agent, completed; or failed and put back for another worker.

use super::{Bead, Play, Wording};
use crate::demo::pen;
use crate::demo::prose::FAILURES;
use crate::demo::stage::NOW;

/// What a token costs, in millionths of a dollar.
const INPUT_TOKEN_MICROS: u64 = 3;
const OUTPUT_TOKEN_MICROS: u64 = 15;

/// From how much of a budget on a worker warns, in percent.
const WARNING_PERCENT: u64 = 80;

/// What one bead may cost, in millionths of a dollar.
const BEAD_LIMIT_MICROS: u64 = 450_000;

impl Play<'_> {
    /// A new session of a worker begins.
    pub(super) fn boot(&mut self, w: usize) {
        let (session, trace) = (self.stage.dice.hex(8), self.stage.dice.hex(32));
        let worker = self.worker(w);
        (worker.session, worker.trace, worker.sequence) = (session, trace, 0);
        worker.is_booted = true;
        let name = worker.name;
        let later = worker.wording == Wording::Later;
        if later {
            self.say(w, NOW, "worker.booting", |data, _| data.text("host", "quay-2"));
        }
        self.say(w, (300, 900), "worker.started", |data, _| {
            data.text("version", if later { "0.16.1" } else { "0.14.2" });
            data.text("worker_name", name);
        });
        if later {
            self.say(w, (50, 200), "worker.state_transition", |data, _| {
                data.text("from", "BOOTING");
                data.text("to", "SELECTING");
            });
        }
    }

    /// A bead from claim to completion.
    pub(super) fn bead(&mut self, w: usize) {
        self.claim(w);
        self.agent_works(w);
        self.complete(w);
    }

    /// A bead with hooks around it.
    pub(super) fn hooked(&mut self, w: usize) {
        self.claim(w);
        self.hook(w, "pre-dispatch");
        self.agent_works(w);
        self.hook(w, "post-complete");
        self.complete(w);
    }

    fn hook(&mut self, w: usize, hook: &'static str) {
        self.say(w, (400, 1_200), "hook.started", |data, _| data.text("hook", hook));
        let since = self.worker(w).at_ns;
        self.wait(w, (500, 4_000));
        let ms = self.ms_since(w, since);
        self.say(w, NOW, "hook.completed", |data, _| {
            data.text("hook", hook);
            pen::plain(data, "duration_ms", ms);
        });
    }

    /// A hook fails, is run again, and the bead goes on.
    pub(super) fn hook_fails(&mut self, w: usize) {
        self.claim(w);
        self.say(w, (400, 1_200), "hook.started", |data, _| data.text("hook", "format-check"));
        self.say(w, (700, 3_000), "hook.failed", |data, dice| {
            data.text("hook", "format-check");
            data.text("error", dice.pick(&FAILURES));
        });
        self.hook(w, "format-check");
        self.agent_works(w);
        self.complete(w);
    }

    /// The work on a bead fails; the bead goes back to the queue, and another worker will take it.
    pub(super) fn fails(&mut self, w: usize) {
        self.claim(w);
        self.agent_works(w);
        self.fail(w);
    }

    pub(super) fn fail(&mut self, w: usize) {
        self.say(w, (300, 900), "bead.failed", |data, dice| {
            data.text("error", dice.pick(&FAILURES));
            pen::plain(data, "retryable", true);
        });
        self.give_back(w);
    }

    /// The bead goes back to the front of the queue.
    pub(super) fn give_back(&mut self, w: usize) {
        self.say(w, (100, 500), "bead.released", |data, _| data.text("reason", "retry later"));
        self.queue_own(w);
    }

    /// Looks through the strands, and claims the next bead.
    pub(super) fn claim(&mut self, w: usize) {
        let now_ns = self.worker(w).at_ns;
        let waiting = self.crew.backlog.iter().position(|bead| bead.since_ns <= now_ns);
        let bead = match waiting.and_then(|idx| self.crew.backlog.remove(idx)) {
            Some(bead) => bead,
            None => self.new_bead(w),
        };
        self.claim_this(w, bead);
    }

    /// The bead that a worker has waits for another from now on.
    fn queue_own(&mut self, w: usize) {
        if let Some(bead) = self.worker(w).bead.take() {
            self.queue(w, bead);
        }
    }

    /// A bead waits for a worker from now on.
    pub(super) fn queue(&mut self, w: usize, bead: Bead) {
        let since_ns = self.worker(w).at_ns;
        self.crew.backlog.push_back(Bead { since_ns, ..bead });
    }

    pub(super) fn claim_this(&mut self, w: usize, bead: Bead) {
        self.wait(w, (2_500, 12_000));
        let (since, later) = (self.worker(w).at_ns, self.worker(w).wording == Wording::Later);
        let (id, title) = (bead.id.clone(), bead.task.title);
        if later {
            self.say(w, NOW, "bead.claim.attempted", |data, _| {
                data.text("bead_id", &id);
                pen::plain(data, "attempt", 1);
            });
        } else {
            self.say(w, NOW, "strand.started", |data, _| data.text("strand", "pluck"));
        }
        self.worker(w).bead = Some(bead);
        let claimed = if later { "bead.claim.succeeded" } else { "bead.claimed" };
        self.say(w, (100, 900), claimed, |data, dice| {
            data.text("title", title);
            pen::plain(data, "priority", dice.between(1, 4));
        });
        self.worker(w).claimed_ns = self.worker(w).at_ns;
        if !later {
            let ms = self.ms_since(w, since);
            self.say(w, (20, 60), "strand.completed", |data, _| {
                data.text("strand", "pluck");
                pen::plain(data, "duration_ms", ms);
            });
        }
    }

    /// The prompt is built and an agent works on the bead, with a file held meanwhile.
    pub(super) fn agent_works(&mut self, w: usize) {
        let since = self.agent_starts(w);
        let path = self.check_out(w, (5_000, 15_000));
        for _ in 0..self.stage.dice.between(1, 4) {
            self.heartbeat(w);
        }
        self.let_go(w, (4_000, 20_000), path);
        self.agent_ends(w, since, 0);
    }

    pub(super) fn heartbeat(&mut self, w: usize) {
        self.say(w, (8_000, 16_000), "heartbeat.emitted", |data, dice| {
            data.text("status", "executing");
            pen::plain(data, "memory_mb", dice.between(180, 620));
        });
    }

    /// Returns when the agent started.
    pub(super) fn agent_starts(&mut self, w: usize) -> i64 {
        self.say(w, (300, 1_500), "bead.prompt_built", |data, dice| {
            pen::plain(data, "prompt_tokens", dice.between(1_800, 9_000));
        });
        let since = self.worker(w).at_ns;
        let started = match self.worker(w).wording {
            Wording::Document => "bead.agent_started",
            Wording::Later => "agent.dispatched",
        };
        self.say(w, (200, 900), started, |data, dice| {
            data.text("agent", "claude-code");
            data.text("model", dice.pick(&["claude-opus-4-7", "claude-sonnet-4-5"]));
        });
        since
    }

    pub(super) fn agent_ends(&mut self, w: usize, since: i64, exit_code: i32) {
        self.wait(w, (4_000, 18_000));
        let (ms, later) = (self.ms_since(w, since), self.worker(w).wording == Wording::Later);
        let completed = if later { "agent.completed" } else { "bead.agent_completed" };
        self.say(w, NOW, completed, |data, _| {
            pen::plain(data, "duration_ms", ms);
            pen::plain(data, "exit_code", exit_code);
        });
        if later {
            let outcome = if exit_code == 0 { "success" } else { "failure" };
            self.say(w, (60, 200), "outcome.classified", |data, _| data.text("outcome", outcome));
            self.say(w, (60, 300), "outcome.handled", |data, _| data.text("outcome", outcome));
        }
    }

    /// The bead is done, what it cost is recorded, and the budget is looked at.
    pub(super) fn complete(&mut self, w: usize) {
        let input = self.stage.dice.between(24_000, 90_000);
        self.complete_for(w, input);
    }

    fn complete_for(&mut self, w: usize, input_tokens: u64) {
        let (since, commit) =
            (self.worker(w).claimed_ns, self.worker(w).bead.as_ref().map(|bead| bead.task.commit));
        self.wait(w, (200, 800));
        let ms = self.ms_since(w, since);
        self.say(w, NOW, "bead.completed", |data, dice| {
            pen::plain(data, "duration_ms", ms);
            data.text("commit", &dice.hex(7));
            data.text("message", commit.unwrap_or("docs: say what it is for"));
        });
        self.record_effort(w, input_tokens);
        self.worker(w).bead = None;
        self.check_budget(w);
    }

    /// Records what the bead has used; returns its cost.
    fn record_effort(&mut self, w: usize, input_tokens: u64) -> u64 {
        let output_tokens = self.stage.dice.between(900, 7_000);
        let cost = input_tokens * INPUT_TOKEN_MICROS + output_tokens * OUTPUT_TOKEN_MICROS;
        self.worker(w).used_micros += cost;
        self.say(w, (50, 300), "effort.recorded", |data, _| {
            pen::nest(data, "tokens", |tokens| {
                pen::plain(tokens, "input", input_tokens);
                pen::plain(tokens, "output", output_tokens);
            });
            pen::dollars(data, "cost", cost);
        });
        cost
    }

    /// A bead that costs more than a bead may.
    pub(super) fn costly(&mut self, w: usize) {
        self.claim(w);
        let since = self.agent_starts(w);
        self.heartbeat(w);
        self.agent_ends(w, since, 1);
        let input_tokens = self.stage.dice.between(150_000, 190_000);
        let cost = self.record_effort(w, input_tokens);
        self.say(w, (100, 400), "budget.per_bead_exceeded", |data, _| {
            pen::dollars(data, "used", cost);
            pen::dollars(data, "limit", BEAD_LIMIT_MICROS);
        });
        self.give_back(w);
        self.check_budget(w);
    }

    /// Tells when the worker's budget is nearly used up, and stops it when it is.
    fn check_budget(&mut self, w: usize) {
        let worker = self.worker(w);
        let (used, limit) = (worker.used_micros, worker.limit_micros);
        let percent = used * 100 / limit;
        if percent < WARNING_PERCENT {
            return;
        }
        if !worker.is_warned {
            worker.is_warned = true;
            self.say(w, (50, 200), "budget.warning", |data, _| {
                pen::dollars(data, "used", used);
                pen::dollars(data, "limit", limit);
                pen::plain(data, "percentage", percent);
            });
        }
        if used > limit {
            for event_type in ["budget.exceeded", "budget.stop"] {
                self.say(w, (100, 600), event_type, |data, _| {
                    pen::dollars(data, "used", used);
                    pen::dollars(data, "limit", limit);
                });
            }
            self.stop(w, "budget exceeded");
            let worker = self.worker(w);
            worker.limit_micros = limit + 4_000_000;
            worker.is_warned = false;
        }
    }

    /// The session ends; the worker comes back as another.
    pub(super) fn stop(&mut self, w: usize, reason: &'static str) {
        self.say(w, (200, 900), "worker.stopped", |data, _| data.text("reason", reason));
        let worker = &mut self.crew.workers[w];
        worker.is_booted = false;
        worker.at_ns = self.stage.much_later(worker.at_ns, (15_000, 60_000));
    }
}

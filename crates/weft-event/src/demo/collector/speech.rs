//! What agents say of themselves over MCP: work, decisions, waiting, handing over, trouble and vital signs.

use super::hook::write_usage;
use super::{HAND, LEAD, Play, ROLES, Scene};
use crate::Dialect;
use crate::collector::{TAXONOMY, VERSION};
use crate::demo::pen;
use crate::demo::prose::{DECISIONS, FAILURES, QUESTIONS, SUMMARIES};
use crate::demo::stage::{Pause, ms_between};
use crate::dice::Dice;
use crate::json::Object;
use crate::time::{MILLI_NS, format_rfc3339};

/// What an event of an agent says beside its metadata.
struct Said<'a> {
    event_type: &'static str,
    message: &'a str,
    progress: Option<f64>,
}

fn said<'a>(event_type: &'static str, message: &'a str) -> Said<'a> {
    Said { event_type, message, progress: None }
}

impl Play<'_> {
    /// Says one event after a pause; `fill` adds to its metadata.
    fn say(
        &mut self,
        s: usize,
        pause: Pause,
        said: &Said<'_>,
        fill: impl FnOnce(&mut Object<'_>, &mut Dice),
    ) {
        self.wait(s, pause);
        let at_ns = self.seat(s).at_ns;
        let mut line = String::with_capacity(640);
        let mut object = Object::begin(&mut line);
        object.text("version", VERSION);
        object.text("event_type", said.event_type);
        object.text("timestamp", &format_rfc3339(at_ns / MILLI_NS * MILLI_NS));
        let seat = &self.team.seats[s];
        object.text("agent_id", seat.role);
        object.text("event_id", &self.stage.dice.uuid(at_ns));
        object.text("session_id", &seat.session);
        object.text("source", "mcp");
        if let Some(status) = TAXONOMY.get(said.event_type).and_then(|row| row.status) {
            object.text("status", status.as_str());
        }
        object.text("message", said.message);
        if let Some(progress) = said.progress {
            pen::plain(&mut object, "progress", progress);
        }
        if said.event_type == "activity.tool_use" {
            pen::nest(&mut object, "tool", |tool| {
                tool.text("tool_name", "Bash");
                pen::nest(tool, "tool_input", |input| input.text("command", "cargo test --quiet"));
            });
        }
        pen::nest(&mut object, "correlation", |correlation| {
            correlation.text("trace_id", &seat.trace);
            correlation.text("span_id", &self.stage.dice.hex(16));
            correlation.text("root_agent_id", ROLES[LEAD]);
        });
        pen::nest(&mut object, "metadata", |metadata| {
            metadata.text("task_id", &seat.task_id);
            fill(metadata, &mut self.stage.dice);
        });
        object.end();
        self.stage.put(at_ns, Dialect::Collector, "mcp", line);
        self.seat(s).at_ns = at_ns.saturating_add(MILLI_NS);
    }

    /// A task from start to end.
    pub(super) fn work(&mut self, s: usize) {
        self.new_task(s);
        self.begin_work(s);
        self.end_work(s);
    }

    fn begin_work(&mut self, s: usize) {
        let title = self.seat(s).task.title;
        self.say(s, (1_000, 6_000), &said("lifecycle.started", title), |_, _| {});
        let thought = format!("Reading {} and its tests", self.seat(s).task.file);
        self.say(s, (800, 4_000), &said("activity.thinking", &thought), |_, _| {});
    }

    fn end_work(&mut self, s: usize) {
        let commit = self.seat(s).task.commit;
        for (progress, message) in
            [(0.25, "The failing case is in a test"), (0.6, commit), (0.9, "Waiting for the tests")]
        {
            let said = Said { progress: Some(progress), ..said("activity.progress", message) };
            self.say(s, (2_000, 12_000), &said, |_, _| {});
        }
        self.say(s, (500, 2_000), &said("activity.tool_use", "Using Bash"), |_, _| {});
        let usage = self.use_tokens(s);
        let (model, summary) = (self.seat(s).model, self.stage.dice.pick(&SUMMARIES));
        self.say(s, (2_000, 9_000), &said("lifecycle.completed", summary), |metadata, _| {
            write_usage(metadata, usage, model);
        });
    }

    /// A decision, why it was taken, and what was turned down.
    pub(super) fn decide(&mut self, s: usize) {
        self.team.n_decisions += 1;
        let idx = self.stage.dice.below(DECISIONS.len() as u64) as usize;
        let (decision, n) = (&DECISIONS[idx], self.team.n_decisions);
        let id = format!("{}-{n:03}", decision.category);
        let options = [decision.chosen, decision.rejected[0].0, decision.rejected[1].0];
        let made = format!("Chose {}", decision.chosen);
        self.say(s, (1_500, 8_000), &said("decision.made", &made), |metadata, _| {
            metadata.text("decision_id", &id);
            metadata.text("category", decision.category);
            pen::texts(metadata, "options", &options);
            metadata.text("chosen", decision.chosen);
            metadata.text("rationale", decision.rationale);
        });
        let rationale = said("decision.rationale", decision.rationale);
        self.say(s, (200, 900), &rationale, |metadata, _| {
            metadata.text("decision_id", &id);
            metadata.text("rationale", decision.rationale);
        });
        for (option, reason) in decision.rejected {
            let rejected = format!("Rejected {option}");
            self.say(s, (100, 600), &said("decision.rejected", &rejected), |metadata, _| {
                metadata.text("decision_id", &id);
                metadata.text("option", option);
                metadata.text("reason", reason);
            });
        }
        self.wait(s, (2_000, 6_000));
    }

    /// Returns the other agent that is free first; what it says next comes after what `s` has said.
    fn partner(&mut self, s: usize) -> Option<usize> {
        let others = (0..ROLES.len()).filter(|&other| other != s);
        let free = others.filter(|&other| self.team.seats[other].is_open);
        let is_hand = |other: usize| self.stage.hurry && other == HAND;
        let seat = |other: usize| &self.team.seats[other];
        let partner = free.min_by_key(|&other| (!is_hand(other), seat(other).at_ns))?;
        let at_ns = self.seat(s).at_ns.max(self.seat(partner).at_ns);
        self.seat(partner).at_ns = at_ns;
        Some(partner)
    }

    /// One agent waits until another has completed its task.
    pub(super) fn wait_for(&mut self, s: usize) {
        self.wait(s, (1_000, 5_000));
        let Some(other) = self.partner(s) else {
            return self.seat(s).planned.push(Scene::WaitFor);
        };
        self.begin_work(other);
        let role = self.seat(other).role;
        self.seat(s).at_ns = self.seat(other).at_ns.max(self.seat(s).at_ns);
        let waiting = format!("Waiting for {role} to complete");
        self.say(s, (300, 900), &said("coordination.waiting", &waiting), |metadata, _| {
            metadata.text("waiting_for", role);
            metadata.text("expected_status", "completed");
        });
        self.seat(other).at_ns = self.seat(s).at_ns.max(self.seat(other).at_ns);
        self.end_work(other);
        self.seat(s).at_ns = self.seat(other).at_ns.max(self.seat(s).at_ns);
        let progress = Said { progress: Some(0.4), ..said("activity.progress", "Going on") };
        self.say(s, (500, 2_000), &progress, |_, _| {});
    }

    /// One agent hands its task to another, who takes it up.
    pub(super) fn hand_off(&mut self, s: usize) {
        self.wait(s, (1_000, 5_000));
        let Some(other) = self.partner(s) else {
            return self.seat(s).planned.push(Scene::HandOff);
        };
        let role = self.seat(other).role;
        let message = format!("Handing {} to {role}", self.seat(s).task_id);
        self.seat(s).at_ns = self.seat(other).at_ns;
        self.say(s, (300, 900), &said("coordination.handoff", &message), |metadata, _| {
            metadata.text("handoff_to", role);
            metadata.text("reason", "The design is settled; what is left is code.");
        });
        let (task, task_id, at_ns) =
            (self.seat(s).task, self.seat(s).task_id.clone(), self.seat(s).at_ns);
        let taker = self.seat(other);
        (taker.task, taker.task_id, taker.at_ns) = (task, task_id, at_ns);
        self.begin_work(other);
        self.end_work(other);
        self.new_task(s);
    }

    /// An agent cannot go on until a person has answered.
    pub(super) fn blocked(&mut self, s: usize) {
        let (question, answer) = self.stage.dice.pick(&QUESTIONS);
        self.say(s, (2_000, 8_000), &said("coordination.blocked", question), |metadata, _| {
            metadata.text("needs", "a person");
        });
        let at_ns = self.seat(s).at_ns;
        self.seat(s).at_ns = self.stage.much_later(at_ns, (25_000, 90_000));
        let message = format!("Answered: {answer}");
        let progress = Said { progress: Some(0.5), ..said("activity.progress", &message) };
        self.say(s, (200, 900), &progress, |_, _| {});
    }

    /// An agent fails for good, and its task is begun again.
    pub(super) fn fails(&mut self, s: usize) {
        self.begin_work(s);
        let error = self.stage.dice.pick(&FAILURES);
        self.say(s, (3_000, 12_000), &said("lifecycle.error", error), |metadata, _| {
            pen::plain(metadata, "attempt", 1);
        });
        self.wait(s, (4_000, 12_000));
        self.begin_work(s);
        self.end_work(s);
    }

    /// An agent is stopped from outside; its session is over.
    pub(super) fn terminated(&mut self, s: usize) {
        self.begin_work(s);
        let message = "Stopped by the operator: the branch was merged by hand";
        self.say(s, (3_000, 12_000), &said("lifecycle.terminated", message), |_, _| {});
        self.close_session(s);
    }

    /// Signs of life, a setting that changed, and trouble below the agent.
    pub(super) fn vitals(&mut self, s: usize) {
        let uptime_ms = ms_between(self.seat(s).since_ns, self.seat(s).at_ns);
        self.say(s, (1_000, 4_000), &said("system.heartbeat", "Alive"), |metadata, dice| {
            pen::plain(metadata, "uptime_ms", uptime_ms);
            pen::plain(metadata, "memory_mb", dice.between(180, 700));
        });
        if self.stage.dice.chance(50) {
            let changed = said("system.config_change", "Raised the test timeout to 60 s");
            self.say(s, (500, 3_000), &changed, |metadata, _| {
                metadata.text("setting", "tests.timeout_s");
                pen::plain(metadata, "to", 60);
            });
        } else {
            let failed = said("system.error", "The tracker's tool server did not answer");
            self.say(s, (500, 3_000), &failed, |metadata, _| {
                metadata.text("component", "mcp:tracker");
            });
        }
        self.wait(s, (2_000, 6_000));
    }
}

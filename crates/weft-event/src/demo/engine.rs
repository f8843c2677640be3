//! Two places where runs of the Loop Engine follow each other: a plan, actions with what came of them, and a judge at the end.

mod action;
mod run;

use super::Cast;
use super::dice::Deck;
use super::pen;
use super::prose::Task;
use super::stage::{Pause, Stage};
use crate::Dialect;
use crate::dice::Dice;
use crate::engine::plan::StepStatus;
use crate::engine::{EventType, RunState, StateReason};
use crate::json::Object;
use crate::time::MILLI_NS;

/// How runs end.
const ENDS: &[End] = &[End::Pass, End::Pass, End::Pass, End::Budget, End::Fails, End::Stopped];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The judge fails it once and passes it then.
    Pass,
    /// As that, after a person has allowed more calls.
    Budget,
    /// The agent fails.
    Fails,
    /// A person stops it.
    Stopped,
}

/// How much of everything a run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    /// Some of the actions, so that a run fits into the first minute.
    Short,
    /// Every action.
    Full,
}

const STEPS: [(&str, &str, &str); 4] = [
    ("step-1", "Find where it happens", "the place is known"),
    ("step-2", "Make the change", "the change compiles"),
    ("step-3", "Prove it", "tests pass"),
    ("step-4", "Commit it", "git clean"),
];

/// A run at work.
#[derive(Debug)]
struct Run {
    id: String,
    task_id: String,
    task: &'static Task,
    seq: u64,
    at_ns: i64,
    state: RunState,
    steps: [StepStatus; 4],
    plan_version: u64,
    n_calls: u64,
    calls_max: u64,
    iteration: u64,
    last_calls: Vec<String>,
    checkpoint: String,
    tests_pass: bool,
}

/// The two places.
#[derive(Debug)]
pub(super) struct Runs {
    places: [Run; 2],
    planned: Vec<(Length, End)>,
    deck: Deck<End>,
}

impl Runs {
    pub(super) fn new(stage: &mut Stage) -> Self {
        let places = std::array::from_fn(|idx| {
            let after_ms = 300 + 40_000 * idx as u64;
            let at_ns = stage.later(stage.start_ns, (after_ms, after_ms + 2_000));
            new_run(stage, at_ns)
        });
        let planned = vec![(Length::Full, End::Pass), (Length::Short, End::Budget)];
        Self { places, planned, deck: Deck::new(ENDS) }
    }
}

impl Cast for Runs {
    fn free_ns(&self) -> i64 {
        self.places.iter().map(|run| run.at_ns).min().unwrap_or(i64::MAX)
    }

    fn play(&mut self, stage: &mut Stage) {
        let idx = usize::from(self.places[1].at_ns < self.places[0].at_ns);
        let planned = self.planned.pop();
        let (length, end) =
            planned.unwrap_or_else(|| (Length::Full, self.deck.deal(&mut stage.dice)));
        stage.hurry = length == Length::Short;
        let at_ns = self.places[idx].at_ns;
        self.places[idx] = new_run(stage, at_ns);
        let mut play = Play { run: &mut self.places[idx], stage };
        play.whole(length, end);
        play.wait((6_000, 25_000));
    }
}

fn new_run(stage: &mut Stage, at_ns: i64) -> Run {
    Run {
        id: stage.dice.uuid(at_ns),
        task_id: stage.new_issue(),
        task: stage.task(),
        seq: 0,
        at_ns,
        state: RunState::Idle,
        steps: [StepStatus::Pending; 4],
        plan_version: 0,
        n_calls: 0,
        calls_max: 40,
        iteration: 0,
        last_calls: Vec::new(),
        checkpoint: String::new(),
        tests_pass: false,
    }
}

/// A run being played.
struct Play<'p> {
    run: &'p mut Run,
    stage: &'p mut Stage,
}

impl Play<'_> {
    fn wait(&mut self, pause: Pause) {
        self.run.at_ns = self.stage.later(self.run.at_ns, pause);
    }

    /// Says one event after a pause; `fill` writes its payload.
    fn say(
        &mut self,
        pause: Pause,
        kind: EventType,
        fill: impl FnOnce(&mut Object<'_>, &Run, &mut Dice),
    ) {
        self.wait(pause);
        let run = &mut *self.run;
        let mut line = String::with_capacity(512);
        let mut object = Object::begin(&mut line);
        object.text("id", &self.stage.dice.uuid(run.at_ns));
        object.text("runId", &run.id);
        pen::plain(&mut object, "ts", run.at_ns / MILLI_NS);
        pen::plain(&mut object, "seq", run.seq);
        object.text("type", kind.as_str());
        pen::nest(&mut object, "payload", |payload| fill(payload, run, &mut self.stage.dice));
        object.end();
        run.seq += 1;
        self.stage.put(run.at_ns, Dialect::Engine, "socket", line);
        run.at_ns = run.at_ns.saturating_add(MILLI_NS);
    }

    /// The run goes to another state, or stays in it for a reason.
    fn state(&mut self, pause: Pause, to: RunState, reason: StateReason) {
        self.say(pause, EventType::StateChanged, |payload, run, _| {
            payload.text("from", run.state.as_str());
            payload.text("to", to.as_str());
            payload.text("reason", reason.as_str());
        });
        self.run.state = to;
    }

    fn user_says(&mut self, pause: Pause, text: &str) {
        self.say(pause, EventType::UserMessage, |payload, _, _| payload.text("text", text));
    }

    /// The plan as it stands.
    fn plan(&mut self, pause: Pause) {
        self.run.plan_version += 1;
        self.say(pause, EventType::PlanUpdated, |payload, run, _| write_plan(payload, run));
    }

    /// The task as it stands.
    fn task(&mut self, pause: Pause) {
        self.say(pause, EventType::TaskUpdated, |payload, run, _| write_task(payload, run));
    }
}

fn write_plan(plan: &mut Object<'_>, run: &Run) {
    pen::plain(plan, "version", run.plan_version);
    plan.text("goal", run.task.title);
    let list = plan.key("steps");
    list.push('[');
    for ((id, title, criterion), status) in STEPS.iter().zip(run.steps) {
        pen::item(list, |step| {
            step.text("id", id);
            step.text("title", title);
            pen::texts(step, "criteria", &[criterion]);
            step.text("status", status.as_str());
            pen::plain(step, "done", status == StepStatus::Done);
            pen::plain(step, "hardStop", *id == "step-4");
        });
    }
    list.push(']');
}

fn write_task(task: &mut Object<'_>, run: &Run) {
    task.text("taskId", &run.task_id);
    task.text("workspace", super::stage::REPOSITORY);
    task.text("goal", run.task.prompt);
    pen::texts(task, "completion", &["tests pass", "git clean"]);
    pen::nest(task, "budget", |budget| {
        pen::plain(budget, "maxIterations", 12);
        pen::plain(budget, "maxToolCalls", run.calls_max);
        pen::plain(budget, "maxWallTimeMs", 3_600_000);
    });
    pen::nest(task, "riskPolicy", |policy| {
        pen::plain(policy, "allowNetwork", true);
        policy.text("commandPolicy", "confirm");
        policy.text("pathPolicy", "workspace_only");
    });
    task.text("autonomy", "semi");
}

//! Task runs: their state, step, budget and judge.
//!
//! A run is an actor that is a session of its own. Only those are shown that told a state, a plan or a verdict.

mod row;

use serde::{Deserialize, Serialize};
use weft_event::Level;
use weft_event::report::{CallPhase, Judge, Part, Plan, StepStatus, Verdict};

use crate::bounded::Bounded;
use crate::fleet::cut;
use crate::word::Word;
use crate::{Entry, Latest, View};

pub use row::{Row, StepRow};

/// Most runs that are kept.
pub const RUNS_MAX: usize = 2_000;
/// Most steps of a plan that are kept.
pub const STEPS_MAX: usize = 200;
/// Most reasons, and most pieces of evidence, of a verdict that are kept.
pub const REASONS_MAX: usize = 20;

/// What a share of a budget counts in, so that it survives being saved.
const MILLION: f64 = 1e6;

/// Task runs: their state, step, budget and judge.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Runs {
    runs: Bounded<Told, RUNS_MAX>,
}

/// What was told of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Told {
    first_ns: Option<i64>,
    last_ns: Option<i64>,
    state: Option<Latest<State>>,
    plan: Option<Latest<Planned>>,
    task: Option<Latest<Task>>,
    step: Option<Latest<String>>,
    verdict: Option<Latest<Judged>>,
    error: Option<Latest<Failed>>,
    budget: Option<Latest<Spent>>,
    n_calls: u64,
    n_failed_calls: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct State {
    at_ns: i64,
    state: String,
    reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Planned {
    version: Option<u64>,
    goal: Option<String>,
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Step {
    id: String,
    title: String,
    status: Word<StepStatus>,
    is_hard_stop: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Task {
    id: Option<String>,
    title: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Judged {
    at_ns: i64,
    verdict: Word<Verdict>,
    reasons: Vec<String>,
    evidence: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Failed {
    at_ns: i64,
    what: String,
}

/// How much of a budget is used and allowed, in millionths of its unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Spent {
    used: i64,
    limit: Option<i64>,
}

impl View for Runs {
    const NAME: &'static str = "runs";
    const VERSION: u32 = 2;

    fn apply(&mut self, entry: &Entry<'_, '_>) {
        let facts = entry.facts;
        let Some(run) = facts.actor.as_deref() else {
            return;
        };
        let part = &entry.report.part;
        let is_run = matches!(part, Part::Run(_) | Part::Plan(_) | Part::Judge(_));
        if !is_run && facts.session.as_deref() != Some(run) {
            return;
        }
        let at_ns = entry.time_ns();
        if let Some(told) = self.runs.touch(run, at_ns) {
            told.apply(at_ns, entry);
        }
    }
}

impl Told {
    fn apply(&mut self, at_ns: i64, entry: &Entry<'_, '_>) {
        let facts = entry.facts;
        let stamp = entry.stamp();
        self.first_ns = Some(self.first_ns.map_or(at_ns, |first_ns| first_ns.min(at_ns)));
        self.last_ns = self.last_ns.max(Some(at_ns));
        if let Part::Work(work) = &entry.report.part {
            let text = |text: Option<&str>| text.map(cut);
            let task =
                || Task { id: text(facts.task.as_deref()), title: text(work.title.as_deref()) };
            Latest::put(&mut self.task, stamp, task);
        } else if let Some(step) = facts.task.as_deref() {
            Latest::put(&mut self.step, stamp, || step.to_owned());
        }
        if let Part::Run(run) = &entry.report.part {
            let state =
                || State { at_ns, state: cut(&run.state), reason: run.reason.as_deref().map(cut) };
            Latest::put(&mut self.state, stamp, state);
        } else if let Part::Plan(plan) = &entry.report.part {
            Latest::put(&mut self.plan, stamp, || Planned::read(plan));
        } else if let Part::Judge(judge) = &entry.report.part {
            Latest::put(&mut self.verdict, stamp, || Judged::read(judge, at_ns));
        } else if let (Part::Call(call), false) = (&entry.report.part, entry.is_carried) {
            self.n_calls += u64::from(call.phase == CallPhase::Running);
            self.n_failed_calls += u64::from(call.phase == CallPhase::Failed);
        }
        if facts.level == Level::Error {
            let what = facts.message.as_deref().unwrap_or(&facts.event_type);
            Latest::put(&mut self.error, stamp, || Failed { at_ns, what: cut(what) });
        }
        if let Some(usage) = &facts.usage
            && let Some(used) = usage.used
        {
            let millionths = |amount: f64| (amount * MILLION).round() as i64;
            let spent = || Spent { used: millionths(used), limit: usage.limit.map(millionths) };
            Latest::put(&mut self.budget, stamp, spent);
        }
    }
}

impl Planned {
    fn read(plan: &Plan<'_>) -> Self {
        let steps = plan.steps.iter().take(STEPS_MAX).map(|step| Step {
            id: cut(&step.id),
            title: cut(&step.title),
            status: Word(step.status),
            is_hard_stop: step.is_hard_stop,
        });
        Self { version: plan.version, goal: plan.goal.as_deref().map(cut), steps: steps.collect() }
    }
}

impl Judged {
    fn read(judge: &Judge<'_>, at_ns: i64) -> Self {
        let texts = |texts: &[std::borrow::Cow<'_, str>]| {
            texts.iter().take(REASONS_MAX).map(|text| cut(text)).collect()
        };
        Self {
            at_ns,
            verdict: Word(judge.verdict),
            reasons: texts(&judge.reasons),
            evidence: texts(&judge.evidence),
        }
    }
}

#[cfg(test)]
mod tests;

//! Runs as rows.

use std::cmp::Reverse;

use serde::Serialize;
use weft_event::report::{StepStatus, Verdict};

use super::{MILLION, Planned, Runs, Step, Told};
use crate::first::first;
use crate::word::Word;
use crate::{At, First, Latest, Rules};

/// The states in which a run is over, by the engine's words.
const OVER: [&str; 2] = ["FINISHED", "ERROR"];

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepRow {
    /// Its id.
    pub id: String,
    /// What is to be done.
    pub title: String,
    /// How far it is.
    pub status: Word<StepStatus>,
    /// Whether a person has to look before the run goes on after it.
    pub is_hard_stop: bool,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its id.
    pub run: String,
    /// Its state, by the engine's word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Why it is in that state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When that was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<At>,
    /// Whether it is over.
    pub is_over: bool,
    /// The piece of work that it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The step that it is at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// How many steps of its plan are done or left out.
    pub n_steps_done: usize,
    /// How many steps its plan has.
    pub n_steps: usize,
    /// The steps of its plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepRow>,
    /// How many tools it called.
    pub n_calls: u64,
    /// How many of them failed.
    pub n_failed_calls: u64,
    /// How much of its budget is used, in the budget's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<f64>,
    /// How much its budget allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// What its judge said last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Word<Verdict>>,
    /// Why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// What the verdict stands on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// When it was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<At>,
    /// Its last error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<At>,
    /// The record of that error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// When it was first told of.
    pub first_seen: At,
    /// When it was last told of.
    pub last_seen: At,
    /// How long ago that was.
    pub quiet_ms: u64,
}

impl Runs {
    /// Returns every run: those that go on first, each kind the newest first.
    pub fn rows(&self, now_ns: i64, rules: &Rules) -> Vec<Row> {
        self.first(usize::MAX, now_ns, rules).rows
    }

    /// Returns the first of these.
    pub fn first(&self, limit: usize, now_ns: i64, _rules: &Rules) -> First<Row> {
        let all = self.runs.iter().filter_map(|(run, told)| {
            let (first_ns, last_ns) = told.span_ns()?;
            Some((told.is_over(), Reverse(last_ns), run, first_ns, told))
        });
        first(
            all.collect(),
            limit,
            |a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)),
            |(_, Reverse(last_ns), run, first_ns, told)| {
                row(run, told, (first_ns, last_ns), now_ns)
            },
        )
    }
}

impl Told {
    /// Returns when a run was first and last told of; `None` if it is not shown.
    fn span_ns(&self) -> Option<(i64, i64)> {
        let is_shown = self.state.is_some() || self.plan.is_some() || self.verdict.is_some();
        self.first_ns.zip(self.last_ns).filter(|_| is_shown)
    }

    fn is_over(&self) -> bool {
        let state = self.state.as_ref().map(|state| state.value().state.as_str());
        state.is_some_and(|state| OVER.contains(&state))
    }
}

fn row(run: &str, told: &Told, (first_ns, last_ns): (i64, i64), now_ns: i64) -> Row {
    let state = told.state.as_ref().map(Latest::value);
    let plan = told.plan.as_ref().map(Latest::value);
    let task = told.task.as_ref().map(Latest::value);
    let verdict = told.verdict.as_ref().map(Latest::value);
    let error = told.error.as_ref();
    let budget = told.budget.as_ref().map(Latest::value);
    let steps = plan.map(|plan| plan.steps.as_slice()).unwrap_or_default();
    let is_done = |step: &&Step| matches!(step.status.0, StepStatus::Done | StepStatus::Skipped);
    let goal = plan.and_then(|plan| plan.goal.clone());
    Row {
        run: run.to_owned(),
        state: state.map(|state| state.state.clone()),
        reason: state.and_then(|state| state.reason.clone()),
        changed: state.map(|state| At(state.at_ns)),
        is_over: told.is_over(),
        task: task.and_then(|task| task.id.clone()),
        goal: goal.or_else(|| task?.title.clone()),
        step: plan.and_then(|plan| step(plan, told)).map(|step| step.id.clone()),
        n_steps_done: steps.iter().filter(is_done).count(),
        n_steps: steps.len(),
        steps: steps.iter().map(StepRow::of).collect(),
        n_calls: told.n_calls,
        n_failed_calls: told.n_failed_calls,
        used: budget.map(|budget| budget.used as f64 / MILLION),
        limit: budget.and_then(|budget| Some(budget.limit? as f64 / MILLION)),
        verdict: verdict.map(|judged| judged.verdict),
        reasons: verdict.map(|judged| judged.reasons.clone()).unwrap_or_default(),
        evidence: verdict.map(|judged| judged.evidence.clone()).unwrap_or_default(),
        judged: verdict.map(|judged| At(judged.at_ns)),
        error: error.map(|error| error.value().what.clone()),
        failed: error.map(|error| At(error.value().at_ns)),
        position: error.map(|error| error.stamp().position()),
        first_seen: At(first_ns),
        last_seen: At(last_ns),
        quiet_ms: crate::fleet::elapsed_ms(last_ns, now_ns),
    }
}

/// Returns the step that a run is at: the one that its plan says is being done, or the one it spoke of last, or the next.
fn step<'p>(plan: &'p Planned, told: &Told) -> Option<&'p Step> {
    let of = |status: StepStatus| plan.steps.iter().find(move |step| step.status == Word(status));
    let spoken = told.step.as_ref().map(Latest::value);
    let spoken = || plan.steps.iter().find(|step| Some(&step.id) == spoken);
    of(StepStatus::Running).or_else(spoken).or_else(|| of(StepStatus::Pending))
}

impl StepRow {
    fn of(step: &Step) -> Self {
        Self {
            id: step.id.clone(),
            title: step.title.clone(),
            status: step.status,
            is_hard_stop: step.is_hard_stop,
        }
    }
}

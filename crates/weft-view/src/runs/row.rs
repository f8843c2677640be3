//! Runs as rows.

use serde::Serialize;
use weft_event::report::{StepStatus, Verdict};

use super::{MILLION, Planned, Runs, Step, Told};
use crate::word::Word;
use crate::{At, Latest, Rules};

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
    pub fn rows(&self, now_ns: i64, _rules: &Rules) -> Vec<Row> {
        let mut rows: Vec<Row> =
            self.runs.iter().filter_map(|(run, told)| row(run, told, now_ns)).collect();
        rows.sort_by(|a, b| {
            (a.is_over, b.last_seen, &a.run).cmp(&(b.is_over, a.last_seen, &b.run))
        });
        rows
    }
}

fn row(run: &str, told: &Told, now_ns: i64) -> Option<Row> {
    if told.state.is_none() && told.plan.is_none() && told.verdict.is_none() {
        return None;
    }
    let last_ns = told.last_ns?;
    let state = told.state.as_ref().map(Latest::value);
    let plan = told.plan.as_ref().map(Latest::value);
    let task = told.task.as_ref().map(Latest::value);
    let verdict = told.verdict.as_ref().map(Latest::value);
    let error = told.error.as_ref();
    let budget = told.budget.as_ref().map(Latest::value);
    let steps = plan.map(|plan| plan.steps.as_slice()).unwrap_or_default();
    let is_done = |step: &&Step| matches!(step.status.0, StepStatus::Done | StepStatus::Skipped);
    let goal = plan.and_then(|plan| plan.goal.clone());
    Some(Row {
        run: run.to_owned(),
        state: state.map(|state| state.state.clone()),
        reason: state.and_then(|state| state.reason.clone()),
        changed: state.map(|state| At(state.at_ns)),
        is_over: state.is_some_and(|state| OVER.contains(&state.state.as_str())),
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
        first_seen: At(told.first_ns?),
        last_seen: At(last_ns),
        quiet_ms: crate::fleet::elapsed_ms(last_ns, now_ns),
    })
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

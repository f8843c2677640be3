//! The plan of a run: its steps, what they wait for, and since when they are as they are.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use weft_event::report::{Plan, StepStatus};

use crate::ordered::Ranked;
use crate::{At, Entry, Latest, Stamp, Trail, Word, snug};

/// Steps of a plan that are kept.
const STEPS_MAX: usize = 256;
/// Words on one step that are kept, the newest.
const WORDS_MAX: usize = 8;

const NS_PER_MS: i64 = 1_000_000;

/// What is known of the plan of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct PlanBook {
    plan: Option<Latest<Kept>>,
    /// What was said of each step, by its id.
    words: HashMap<String, Words>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Kept {
    at_ns: i64,
    version: Option<u64>,
    goal: Option<String>,
    steps: Vec<KeptStep>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct KeptStep {
    id: String,
    title: String,
    status: Status,
    is_hard_stop: bool,
    needs: Vec<String>,
}

/// How far a step is.
type Status = Word<StepStatus>;

/// Returns whether a step stands in nobody's way any more.
fn is_over(status: Status) -> bool {
    match status.0 {
        StepStatus::Done | StepStatus::Skipped => true,
        StepStatus::Pending | StepStatus::Running | StepStatus::Error => false,
    }
}

/// What was said of a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Words {
    newest: Trail<(Status, i64), WORDS_MAX>,
    /// When each status was first said.
    first_ns: Vec<(Status, i64)>,
}

/// The plan of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanRow {
    /// The run.
    pub run: String,
    /// What the plan is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// Steps that are done or left out.
    pub n_done: usize,
    /// Its steps, in order.
    pub steps: Vec<StepRow>,
    /// When it was last told.
    pub last_seen: At,
    /// The record that tells it.
    pub position: u64,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepRow {
    /// Its id in the plan.
    pub id: String,
    /// What is to be done.
    pub title: String,
    /// How far it is: pending, running, done, skipped, error.
    pub status: &'static str,
    /// Whether it can begin: it is pending, and all that it needs is done.
    pub is_ready: bool,
    /// The steps that it waits for, those that they wait for among them.
    pub blocked_by: Vec<String>,
    /// Whether a person has to look before the run goes on after it.
    pub is_hard_stop: bool,
    /// Since when it is so far.
    pub since: At,
    /// For how long by now.
    pub in_state_ms: u64,
}

/// The last told first.
impl Ranked for PlanBook {
    type Rank = Reverse<i64>;
    type Ranks = Option<Reverse<i64>>;

    fn ranks(&self) -> Self::Ranks {
        self.plan.as_ref().map(|plan| Reverse(plan.value().at_ns))
    }
}

impl PlanBook {
    pub(super) fn put(&mut self, entry: &Entry<'_, '_>, plan: &Plan<'_>) {
        let (stamp, at_ns) = (entry.stamp(), entry.time_ns());
        for step in plan.steps.iter().take(STEPS_MAX) {
            let status = Word(step.status);
            if !self.words.contains_key(step.id.as_ref()) {
                self.words.insert(step.id.to_string(), Words::default());
            }
            let words =
                self.words.get_mut(step.id.as_ref()).expect("it was put in if it was not there");
            words.put(stamp, status, at_ns);
        }
        Latest::put(&mut self.plan, stamp, || Kept::new(plan, at_ns));
        let kept = self.plan.as_ref().expect("one was put in").value();
        if self.words.len() > STEPS_MAX.max(kept.steps.len()) {
            let ids: HashSet<&str> = kept.steps.iter().map(|step| step.id.as_str()).collect();
            self.words.retain(|id, _| ids.contains(id.as_str()));
        }
    }

    /// Returns whether the plan has such a step.
    pub(super) fn has(&self, id: &str) -> bool {
        self.words.contains_key(id)
    }

    /// Returns the plan as it was told last.
    pub(super) fn row(&self, run: &str, now_ns: i64) -> Option<PlanRow> {
        let latest = self.plan.as_ref()?;
        let kept = latest.value();
        let steps: Vec<StepRow> = kept
            .steps
            .iter()
            .map(|step| {
                let since_ns =
                    self.words.get(&step.id).and_then(Words::since_ns).unwrap_or(kept.at_ns);
                let blocked_by = kept.blocked_by(step);
                StepRow {
                    id: step.id.clone(),
                    title: step.title.clone(),
                    status: step.status.0.as_str(),
                    is_ready: step.status == Word(StepStatus::Pending) && blocked_by.is_empty(),
                    blocked_by,
                    is_hard_stop: step.is_hard_stop,
                    since: At(since_ns),
                    in_state_ms: (now_ns.saturating_sub(since_ns) / NS_PER_MS)
                        .max(0)
                        .unsigned_abs(),
                }
            })
            .collect();
        Some(PlanRow {
            run: run.to_owned(),
            goal: kept.goal.clone(),
            version: kept.version,
            n_done: kept.steps.iter().filter(|step| is_over(step.status)).count(),
            steps,
            last_seen: At(kept.at_ns),
            position: latest.stamp().position(),
        })
    }
}

impl Kept {
    fn new(plan: &Plan<'_>, at_ns: i64) -> Self {
        let steps = plan.steps.iter().take(STEPS_MAX).map(|step| KeptStep {
            id: step.id.to_string(),
            title: step.title.to_string(),
            status: Word(step.status),
            is_hard_stop: step.is_hard_stop,
            needs: step.needs.iter().map(ToString::to_string).collect(),
        });
        let goal = plan.goal.as_deref().map(str::to_owned);
        Self { at_ns, version: plan.version, goal, steps: steps.collect() }
    }

    /// Returns what a step needs. In a plan that says nothing of that, each step needs the one before it.
    fn needs<'k>(&'k self, step: &'k KeptStep) -> Vec<&'k str> {
        let is_told = self.steps.iter().any(|step| !step.needs.is_empty());
        if is_told {
            return step.needs.iter().map(String::as_str).collect();
        }
        let idx = self.steps.iter().position(|other| other.id == step.id).unwrap_or(0);
        let before = idx.checked_sub(1).and_then(|idx| self.steps.get(idx));
        before.map(|before| before.id.as_str()).into_iter().collect()
    }

    /// Returns the steps that are not over and that one waits for, directly or through others, in the order of the plan.
    fn blocked_by(&self, step: &KeptStep) -> Vec<String> {
        if is_over(step.status) {
            return Vec::new();
        }
        let find = |id: &str| self.steps.iter().find(|step| step.id == id);
        let mut seen: HashSet<&str> = HashSet::new();
        let mut waiting: Vec<&str> = self.needs(step);
        while let Some(id) = waiting.pop() {
            let Some(needed) = find(id).filter(|needed| !is_over(needed.status)) else { continue };
            if needed.id != step.id && seen.insert(&needed.id) {
                waiting.extend(self.needs(needed));
            }
        }
        let open = self.steps.iter().filter(|step| seen.contains(step.id.as_str()));
        open.map(|step| step.id.clone()).collect()
    }
}

impl Words {
    fn put(&mut self, stamp: Stamp, status: Status, at_ns: i64) {
        self.newest.put(stamp, (status, at_ns));
        match self.first_ns.binary_search_by(|(known, _)| known.cmp(&status)) {
            Ok(idx) => self.first_ns[idx].1 = self.first_ns[idx].1.min(at_ns),
            Err(idx) => snug::insert(&mut self.first_ns, idx, (status, at_ns)),
        }
    }

    /// Returns since when the step is as it was last said to be.
    fn since_ns(&self) -> Option<i64> {
        let (_, (status, _)) = self.newest.last()?;
        let run = self.newest.iter().rev().take_while(|(_, (said, _))| said == status);
        let (mut n, mut since_ns) = (0, None);
        for (_, (_, at_ns)) in run {
            (n, since_ns) = (n + 1, Some(*at_ns));
        }
        // Older words of the same kind may have been forgotten.
        let first =
            self.first_ns.iter().find(|(known, _)| known == status).map(|(_, at_ns)| *at_ns);
        if n == WORDS_MAX { first } else { since_ns }
    }
}

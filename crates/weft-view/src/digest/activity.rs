//! How much happened from time to time: events and failures in steps that are as short as there is room for.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::At;

/// Steps that are kept; beyond that each is made twice as long.
const STEPS_MAX: usize = 2048;
/// Steps that are told of.
const ROWS_MAX: i64 = 96;
/// The shortest step: a minute.
const STEP_NS: i64 = 60_000_000_000;
const NS_PER_MS: i64 = 1_000_000;

/// Events and failures by time.
#[derive(Clone, Debug)]
pub struct Activity {
    step_ns: i64,
    /// By how many steps since 1970.
    steps: BTreeMap<i64, (u64, u64)>,
}

/// What happened in one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ActivityRow {
    /// When it begins.
    pub at: At,
    /// How long it is.
    pub step_ms: u64,
    /// How many events there were.
    pub n_events: u64,
    /// How many of them tell of a failure.
    pub n_errors: u64,
}

impl Default for Activity {
    fn default() -> Self {
        Self { step_ns: STEP_NS, steps: BTreeMap::new() }
    }
}

impl Activity {
    /// Counts an event.
    pub(super) fn put(&mut self, at_ns: i64, is_error: bool) {
        let (n_events, n_errors) =
            self.steps.entry(at_ns.div_euclid(self.step_ns)).or_insert((0, 0));
        *n_events += 1;
        *n_errors += u64::from(is_error);
        while self.steps.len() > STEPS_MAX {
            *self = self.coarser();
        }
    }

    fn coarser(&self) -> Self {
        let step_ns = self.step_ns.saturating_mul(2);
        let mut steps = BTreeMap::new();
        for (step, (n_events, n_errors)) in &self.steps {
            let sum: &mut (u64, u64) = steps.entry(step.div_euclid(2)).or_default();
            sum.0 += n_events;
            sum.1 += n_errors;
        }
        Self { step_ns, steps }
    }

    /// Returns the steps from the first to the last, those without events too.
    pub(super) fn rows(&self) -> Vec<ActivityRow> {
        let mut activity = self.clone();
        let n_steps = |activity: &Self| {
            let (first, last) = (activity.steps.first_key_value(), activity.steps.last_key_value());
            first.zip(last).map(|((first, _), (last, _))| last.saturating_sub(*first))
        };
        while n_steps(&activity).is_some_and(|n| n >= ROWS_MAX) {
            activity = activity.coarser();
        }
        let Self { step_ns, steps } = activity;
        let ends = steps.keys().next().copied().zip(steps.keys().next_back().copied());
        let row = |step: i64| {
            let (n_events, n_errors) = steps.get(&step).copied().unwrap_or_default();
            let step_ms = (step_ns / NS_PER_MS).unsigned_abs();
            ActivityRow { at: At(step.saturating_mul(step_ns)), step_ms, n_events, n_errors }
        };
        ends.map(|(first, last)| (first..=last).map(row).collect()).unwrap_or_default()
    }
}

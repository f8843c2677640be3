//! The rules by which views judge what they see: every threshold has a name and can be set. The names are an interface.

use serde::{Deserialize, Serialize};

use crate::files::Windows;
use crate::usage::BudgetMarks;

const SECOND_MS: u64 = 1_000;
const MINUTE_MS: u64 = 60 * SECOND_MS;
const HOUR_MS: u64 = 60 * MINUTE_MS;
const DAY_MS: u64 = 24 * HOUR_MS;

/// The thresholds of all rules. What is left out of a setting has its default; a name that is not here is an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// How recent an event has to be for its actor to count as alive by events.
    pub events_alive_ms: u64,
    /// How recent a heartbeat has to be for its actor to count as alive by heartbeat.
    pub heartbeat_alive_ms: u64,

    /// Rule `same_call`: how many calls in a row of one tool with one file, or else one input, are too many; 0 for never.
    pub same_call_times: usize,
    /// Rule `same_edit`: how many edits in a row of one file are too many, whatever is called between them; 0 for never.
    pub same_edit_times: usize,
    /// Rule `silent`: how long nothing at all may come of an actor at work; 0 for ever.
    pub silent_ms: u64,
    /// Rule `same_state`: how long an actor at work may be in one state and get nowhere; 0 for ever.
    pub same_state_ms: u64,
    /// Rule `slow`: over how long an actor at work has to complete something; 0 for never.
    pub slow_ms: u64,
    /// Rule `slow`: how much it has to complete in that time.
    pub slow_completions: usize,
    /// How long an actor that nothing comes of any more is called stuck.
    pub stuck_kept_ms: u64,

    /// Within what time two actors on one file collide.
    pub file_collision_ms: u64,
    /// Within what time two actors in one folder collide.
    pub folder_collision_ms: u64,
    /// Within what time two actors on one piece of work collide.
    pub task_collision_ms: u64,
    /// How long a collision stays in the inbox.
    pub collision_kept_ms: u64,
    /// Whether a collision in a folder needs a person, or only one on a file or a piece of work.
    pub is_folder_collision_a_need: bool,

    /// From which share on a budget is worth a warning.
    pub budget_warning: f64,
    /// From which share on a budget needs a person.
    pub budget_critical: f64,
    /// How long a budget that is set here stays in the inbox after something was last used of it.
    pub budget_kept_ms: u64,

    /// How old the state of a loop may be before it is stale.
    pub loop_stale_ms: u64,

    /// How long a failure that nothing followed stays in the inbox.
    pub failed_kept_ms: u64,
    /// How long anything else stays there that nothing resolves.
    pub need_kept_ms: u64,
    /// Whether an agent that has nothing to do needs a person.
    pub is_idle_a_need: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            events_alive_ms: 2 * MINUTE_MS,
            heartbeat_alive_ms: 2 * MINUTE_MS,
            same_call_times: 5,
            same_edit_times: 4,
            silent_ms: 2 * MINUTE_MS,
            same_state_ms: 5 * MINUTE_MS,
            slow_ms: 10 * MINUTE_MS,
            slow_completions: 2,
            stuck_kept_ms: 12 * HOUR_MS,
            file_collision_ms: 5 * SECOND_MS,
            folder_collision_ms: 30 * SECOND_MS,
            task_collision_ms: MINUTE_MS,
            collision_kept_ms: 10 * MINUTE_MS,
            is_folder_collision_a_need: false,
            budget_warning: 0.80,
            budget_critical: 0.95,
            budget_kept_ms: HOUR_MS,
            loop_stale_ms: 2 * HOUR_MS,
            failed_kept_ms: DAY_MS,
            need_kept_ms: 7 * DAY_MS,
            is_idle_a_need: false,
        }
    }
}

impl Rules {
    /// Returns within what time two actors collide.
    pub fn windows(&self) -> Windows {
        Windows {
            file_ms: self.file_collision_ms,
            folder_ms: self.folder_collision_ms,
            task_ms: self.task_collision_ms,
        }
    }

    /// Returns from which share on a budget is worth a warning, and critical.
    pub fn budget_marks(&self) -> BudgetMarks {
        BudgetMarks { warning: self.budget_warning, critical: self.budget_critical }
    }
}

#[cfg(test)]
mod tests;

//! The codes that producers give as reasons, in words.

use crate::engine::StateReason;
use crate::idle::{AbortDetail, AbortReason};

/// Returns what a code says; `None` if it is none of those known, or a plain word.
pub fn in_words(code: &str) -> Option<&'static str> {
    let detail = || AbortDetail::parse(code).map(of_detail);
    let reason = || AbortReason::parse(code).map(of_abort);
    StateReason::parse(code).and_then(of_state).or_else(detail).or_else(reason)
}

fn of_state(reason: StateReason) -> Option<&'static str> {
    match reason {
        StateReason::UserInput => Some("a person answered"),
        StateReason::UserStop => Some("a person stopped it"),
        StateReason::StepBudget => Some("a limit is reached"),
        StateReason::StepComplete => Some("a step is done"),
        StateReason::AwaitingUser => Some("an answer is needed"),
        StateReason::AgentError => Some("the agent failed"),
        StateReason::RuntimeError => Some("the engine failed"),
        StateReason::JudgePass => Some("the judge passed it"),
        StateReason::JudgeFail => Some("the judge failed it"),
        StateReason::PlanUpdate => Some("the plan changed"),
        StateReason::PlanStatus => Some("a step of the plan changed"),
        StateReason::Start
        | StateReason::Pause
        | StateReason::Resume
        | StateReason::Stop
        | StateReason::Continue
        | StateReason::Finished => None,
    }
}

fn of_detail(detail: AbortDetail) -> &'static str {
    match detail {
        AbortDetail::Budget => "a budget is used up",
        AbortDetail::NoProgress => "iterations went by without a change",
        AbortDetail::Stuck => "the agent said that it cannot go on",
        AbortDetail::Corrupt => "its state could not be read",
    }
}

fn of_abort(reason: AbortReason) -> &'static str {
    match reason {
        AbortReason::UserCancelled => "a person cancelled it",
    }
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn codes_have_words_and_words_have_none() {
        assert_eq!(in_words("NO_PROGRESS"), Some("iterations went by without a change"));
        assert_eq!(in_words("agent_error"), Some("the agent failed"));
        assert_eq!(in_words("USER_CANCELLED"), Some("a person cancelled it"));
        assert_eq!([in_words("stop"), in_words("out of memory")], [None, None]);
    }
}

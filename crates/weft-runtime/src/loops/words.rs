//! What is said of a decision: to the agent, and to people.

use std::fmt::Write as _;

use weft_event::idle::Mode;

use super::decide::Why;
use super::state::{Frame, Kind, State};

/// Returns the name of a reason, for programs.
pub fn name(why: &Why) -> &'static str {
    match why {
        Why::Off => "off",
        Why::NoLoop => "no_loop",
        Why::Stale => "stale",
        Why::Broken(_) => "broken",
        Why::Repeat => "repeat",
        Why::Cancelled => "cancelled",
        Why::Paused(_) => "paused",
        Why::Resumed => "resumed",
        Why::Refused => "refused",
        Why::Limit => "limit",
        Why::Budget(_) => "budget",
        Why::NoProgress(_) => "no_progress",
        Why::Stuck => "stuck",
        Why::NoEvidence(_) => "no_evidence",
        Why::NoReview(_) => "no_review",
        Why::Complete => "complete",
        Why::NextIssue => "next_issue",
        Why::ClientLimit => "client_limit",
        Why::Iteration => "iteration",
    }
}

/// Returns a reason for people.
pub fn shown(why: &Why) -> String {
    match why {
        Why::Off => "loops are switched off".to_owned(),
        Why::NoLoop => "there is no loop".to_owned(),
        Why::Stale => "its state is older than two hours".to_owned(),
        Why::Broken(what) => format!("its state cannot be read: {what}"),
        Why::Repeat => "the same stop was decided just now".to_owned(),
        Why::Cancelled => "it was cancelled".to_owned(),
        Why::Paused(pause) => pause.as_str().to_owned(),
        Why::Resumed => "it goes on at the next stop".to_owned(),
        Why::Refused => "it cannot be done to a loop like this".to_owned(),
        Why::Limit => "it reached its limit".to_owned(),
        Why::Budget(over) => format!("its budget is used up: {over}"),
        Why::NoProgress(same) => format!("{same} iterations in a row changed nothing"),
        Why::Stuck => "the agent says that it is stuck".to_owned(),
        Why::NoEvidence(missing) => format!("there is no evidence: {}", missing.join("; ")),
        Why::NoReview(missing) => format!("it is not reviewed: {missing}"),
        Why::Complete => "it is complete".to_owned(),
        Why::NextIssue => "there is another issue".to_owned(),
        Why::ClientLimit => "the client would end the turn anyway".to_owned(),
        Why::Iteration => "nothing says that it is done".to_owned(),
    }
}

/// Returns what an agent is told that is to go on: where it is, what is missing, where its task is, and how it says that it is done.
pub fn instruction(why: &Why, state: &State) -> String {
    let Some(frame) = state.top() else {
        return shown(why);
    };
    let iteration = frame.iteration();
    let mut text = match frame.mode() {
        Mode::Loop => format!("Iteration {} of {}.", iteration.current, iteration.max),
        Mode::Grind => format!("Issue {} of {} at most.", iteration.current, iteration.max),
        Mode::Issue => {
            format!("Iteration {} of {} on this issue.", iteration.current, iteration.max)
        }
    };
    match why {
        Why::NoEvidence(missing) => {
            text += " You said that it is done, and it is not:\n";
            for what in missing {
                writeln!(text, "- {what}").expect("text takes everything");
            }
            text += "Mend that first.";
        }
        Why::NoReview(missing) => {
            write!(text, " You said that it is done, and it is not reviewed: {missing}.")
                .expect("text takes everything");
        }
        Why::NextIssue => text += " The last issue is finished; this is the next one.",
        Why::Complete => text += " What was inside it is complete.",
        Why::Limit => text += " What was inside it reached its limit.",
        Why::Iteration => text += " The work is not finished.",
        Why::Off
        | Why::NoLoop
        | Why::Stale
        | Why::Broken(_)
        | Why::Repeat
        | Why::Cancelled
        | Why::Paused(_)
        | Why::Resumed
        | Why::Refused
        | Why::Budget(_)
        | Why::NoProgress(_)
        | Why::Stuck
        | Why::ClientLimit => {}
    }
    write!(text, "\n{}", task(frame)).expect("text takes everything");
    text
}

/// Returns where the task of a frame is, and how an agent says that it is done.
pub fn task(frame: &Frame) -> String {
    let prompt = frame.prompt_file.display();
    match &frame.kind {
        Kind::Loop => format!(
            "Your task is in {prompt}. When it is done, and only then, say so on a line of its own:\n<loop-done>COMPLETE</loop-done>\nIf you cannot go on:\n<loop-done>STUCK</loop-done>"
        ),
        Kind::Grind { .. } => format!("Your task is in {prompt}."),
        Kind::Issue { issue_id, worktree_path, branch, .. } => format!(
            "Work on issue {issue_id} in {} (branch {branch}); it is described in {prompt}. When it is committed and done, run `weft land {issue_id} --close`, then say so on a line of its own:\n<issue-complete>DONE</issue-complete>\nIf you cannot go on:\n<loop-done>STUCK</loop-done>",
            worktree_path.display()
        ),
    }
}

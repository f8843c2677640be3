//! Loops by example; `model` has every sequence of what may happen to one.

mod asked;
mod marker;
mod model;
mod steps;

use std::path::PathBuf;

use super::state::{Marks, Terms};
use super::*;

/// Noon of a day.
const NOON_NS: i64 = 1_794_744_000_000_000_000;

fn frame(id: &str, kind: Kind, iter: u64, max: u64) -> Frame {
    let prompt_file = PathBuf::from("/store/prompts").join(id).join("prompt.txt");
    let terms = Terms { started_at_ns: Some(NOON_NS), ..Terms::default() };
    Frame { id: id.to_owned(), kind, iter, max, prompt_file, terms, marks: Marks::default() }
}

fn issue(id: &str, max: u64) -> Frame {
    let kind = Kind::Issue {
        issue_id: id.to_owned(),
        worktree_path: PathBuf::from("/p/.worktrees/idle").join(id),
        branch: format!("idle/issue/{id}"),
        base_ref: "main".to_owned(),
    };
    frame(&format!("issue-{id}-1794744000"), kind, 1, max)
}

fn grind(iter: u64, max: u64) -> Frame {
    frame("grind-1794744000-7", Kind::Grind { filter: "priority:1".to_owned() }, iter, max)
}

fn plain(iter: u64, max: u64) -> Frame {
    frame("loop-1794744000-7", Kind::Loop, iter, max)
}

fn running(stack: Vec<Frame>) -> State {
    let run_id = stack.first().map_or("loop-1-1", |frame| frame.id.as_str()).to_owned();
    State::new(run_id, NOON_NS, stack)
}

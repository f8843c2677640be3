//! The examples are what the README says they are.

use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;

use crate::tree::{self, assert_none};

#[test]
fn the_examples_are_valid_without_a_warning() {
    let examples = tree::files().iter().filter(|file| is_example(&file.path));
    let problems: Vec<_> =
        examples.clone().flat_map(|file| problems(&file.path, &file.bytes)).collect();
    assert!(examples.count() >= 6, "an example per dialect and a mixed one");
    assert_none("these examples have problems:", problems);
}

#[test]
fn the_broken_examples_are_broken() {
    let broken: Vec<_> =
        tree::files().iter().filter(|file| file.path.starts_with("examples/broken/")).collect();
    assert!(!broken.is_empty(), "no broken example was found");
    for file in broken {
        assert!(!problems(&file.path, &file.bytes).is_empty(), "{} has no problem", file.path);
    }
}

fn is_example(path: &str) -> bool {
    let name = path.strip_prefix("examples/");
    name.is_some_and(|name| name.ends_with(".jsonl") && !name.contains('/'))
}

/// Returns every problem of every line, as `file:line: problem`.
fn problems(path: &str, bytes: &[u8]) -> Vec<String> {
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let mut tape = Tape::new();
    let mut found = Vec::new();
    for (n, line) in lines.enumerate() {
        let mut problems = Problems::new();
        event::read(&mut tape, line, Expect::Any, &mut problems);
        found.extend(problems.list().iter().map(|problem| format!("{path}:{}: {problem}", n + 1)));
    }
    found
}

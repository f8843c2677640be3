//! Rules for source files: how long, how they open, and what must not stand in them.

use crate::source::{code_of, functions, line_of, results_of_text};
use crate::tree::{self, assert_none};

const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 70;
const SOURCES: &[&str] = &["rs", "ts", "svelte", "js", "py", "sh"];

/// What must not stand in Rust code, and what to do instead.
const BANNED: &[(&str, &str)] = &[
    ("#[allow(", "use #[expect(.., reason = \"..\")]"),
    ("#![allow(", "use #![expect(.., reason = \"..\")]"),
    ("#[ignore", "fix the test or delete it"),
    ("thread::sleep", "wait for the condition itself, with a limit"),
    ("#[path", "a module's file is where its name says"),
];

#[test]
fn files_are_short() {
    let sources = tree::files().iter().filter(|file| {
        file.is_any_of(SOURCES) || file.path.starts_with("scripts/") || file.path == ".ci/run"
    });
    let offenders = sources.filter_map(|file| too_long(&file.path, file.text()?)).collect();
    assert_none(&format!("a source file has at most {FILE_LINES_MAX} lines:"), offenders);
}

#[test]
fn functions_are_short() {
    let offenders = tree::rust_files().flat_map(|(path, text)| long_functions(path, text));
    assert_none(
        &format!("a function has at most {FUNCTION_LINES_MAX} lines of code:"),
        offenders.collect(),
    );
}

#[test]
fn rust_files_open_with_what_they_are_for() {
    let offenders = tree::rust_files().filter_map(|(path, text)| unopened(path, text)).collect();
    assert_none("a Rust file opens with `//!` and a sentence on what it is for:", offenders);
}

#[test]
fn banned_code_is_absent() {
    let offenders = tree::rust_files().flat_map(|(path, text)| banned(path, text)).collect();
    assert_none("these must not stand in the code:", offenders);
}

fn too_long(path: &str, text: &str) -> Option<String> {
    let n_lines = text.lines().count();
    (n_lines > FILE_LINES_MAX).then(|| format!("{path}: {n_lines} lines"))
}

fn long_functions(path: &str, text: &str) -> Vec<String> {
    let code = code_of(text);
    let long = functions(&code).into_iter().filter(|f| f.body_lines > FUNCTION_LINES_MAX);
    long.map(|f| format!("{path}:{}: `{}` has {} lines", f.line, f.name, f.body_lines)).collect()
}

fn unopened(path: &str, text: &str) -> Option<String> {
    let first = text.lines().next().unwrap_or_default();
    let says = first.strip_prefix("//! ").is_some_and(|words| words.split(' ').count() >= 3);
    (!says).then(|| format!("{path}: opens with `{first}`"))
}

fn banned(path: &str, text: &str) -> Vec<String> {
    let code = code_of(text);
    let mut offenders = Vec::new();
    for (word, instead) in BANNED {
        for (at, _) in code.match_indices(word) {
            offenders.push(format!("{path}:{}: `{word}`: {instead}", line_of(&code, at)));
        }
    }
    for at in results_of_text(&code) {
        let line = line_of(&code, at);
        offenders.push(format!("{path}:{line}: `Result<_, String>`: make an error type"));
    }
    offenders
}

#[test]
fn a_long_file_is_found() {
    assert_eq!(too_long("a.rs", &"x\n".repeat(600)), None);
    assert_eq!(too_long("a.rs", &"x\n".repeat(601)).as_deref(), Some("a.rs: 601 lines"));
}

#[test]
fn a_long_function_is_found() {
    let function = |n: usize| format!("\nfn f() {{\n{}}}\n", "    x();\n".repeat(n));
    assert!(long_functions("a.rs", &function(70)).is_empty());
    assert_eq!(long_functions("a.rs", &function(71)), ["a.rs:2: `f` has 71 lines"]);
}

#[test]
fn a_file_that_does_not_say_what_it_is_for_is_found() {
    for text in ["", "use std::fs;", "//! stub", "// A plain remark here."] {
        assert!(unopened("a.rs", text).is_some(), "{text}");
    }
    assert!(unopened("a.rs", "//! Times as the wire has them.").is_none());
}

#[test]
fn banned_code_is_found_unless_it_is_text() {
    let text =
        "#[allow(dead_code)]\n#[ignore]\nfn f() -> Result<(), String> { std::thread::sleep(d) }";
    let found = banned("a.rs", text).join("\n");
    for word in ["a.rs:1: `#[allow(`", "a.rs:2: `#[ignore`", "`Result<_, String>`", "sleep"] {
        assert!(found.contains(word), "{word} not in {found}");
    }
    assert!(banned("a.rs", "let a = \"#[allow(dead_code)]\"; // thread::sleep").is_empty());
}

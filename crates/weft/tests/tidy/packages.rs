//! Rules for what comes from outside: how many packages, and under which licences.

use serde_json::Value;

use crate::tree::{self, assert_none};

/// How many packages `Cargo.lock` may list. Raising it is a commit of its own, with the reason.
const PACKAGES_MAX: usize = 351;

const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

#[test]
fn the_lock_file_keeps_its_budget() {
    let lock = tree::files().iter().find(|file| file.path == "Cargo.lock").expect("a lock file");
    let n_packages = n_packages(lock.text().expect("a lock file is UTF-8"));
    assert!(n_packages > 0, "Cargo.lock lists no packages");
    assert!(
        n_packages <= PACKAGES_MAX,
        "Cargo.lock lists {n_packages} packages, and the budget is {PACKAGES_MAX}"
    );
}

#[test]
fn every_dependency_has_a_licence_we_accept() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("metadata lists packages");
    assert!(packages.len() > 20, "metadata lists only {} packages", packages.len());
    assert_none("these dependencies have a licence that is not on the list:", unlicensed(packages));
}

/// Returns the metadata of all platforms' packages; of this platform's alone where the others cannot be had.
fn metadata() -> Value {
    let attempts: [&[&str]; 3] =
        [&["--offline"], &[], &["--offline", "--filter-platform", "host-tuple"]];
    let mut said = String::new();
    for arguments in attempts {
        match tree::cargo_metadata(arguments) {
            Ok(metadata) => return metadata,
            Err(error) => said.push_str(&String::from_utf8_lossy(&error)),
        }
    }
    panic!("cargo cannot tell the licences of the dependencies:\n{said}");
}

fn n_packages(lock: &str) -> usize {
    lock.lines().filter(|line| *line == "[[package]]").count()
}

fn unlicensed(packages: &[Value]) -> Vec<String> {
    let offender = |package: &Value| {
        let licence = package["license"].as_str();
        let accepted = licence.is_some_and(is_accepted);
        (!accepted).then(|| format!("{}: {}", package["name"], licence.unwrap_or("none stated")))
    };
    packages.iter().filter_map(offender).collect()
}

/// Returns whether a licence expression can be met from the list: one of the parts of OR, all parts of AND.
fn is_accepted(expression: &str) -> bool {
    let expression = expression.trim();
    if let Some(parts) = split(expression, " OR ").or_else(|| split(expression, "/")) {
        return parts.iter().any(|part| is_accepted(part));
    }
    if let Some(parts) = split(expression, " AND ") {
        return parts.iter().all(|part| is_accepted(part));
    }
    match expression.strip_prefix('(').and_then(|inside| inside.strip_suffix(')')) {
        Some(inside) => is_accepted(inside),
        None => LICENCES.contains(&expression),
    }
}

/// Splits at a word outside parentheses; `None` if there is none.
fn split<'a>(expression: &'a str, word: &str) -> Option<Vec<&'a str>> {
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, _) in expression.match_indices(word) {
        let before = &expression[..at];
        if before.matches('(').count() == before.matches(')').count() {
            parts.push(&expression[from..at]);
            from = at + word.len();
        }
    }
    parts.push(&expression[from..]);
    (parts.len() > 1).then_some(parts)
}

#[test]
fn packages_are_counted() {
    assert_eq!(n_packages("version = 4\n\n[[package]]\nname = \"a\"\n\n[[package]]\n"), 2);
}

#[test]
fn licence_expressions_are_understood() {
    for fine in [
        "MIT",
        "MIT OR GPL-3.0-only",
        "MIT/Apache-2.0",
        "Unlicense/MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception OR GPL-2.0-only",
        "CC0-1.0 OR MIT-0 OR Apache-2.0",
    ] {
        assert!(is_accepted(fine), "{fine}");
    }
    for refused in [
        "",
        "GPL-3.0-only",
        "MIT AND GPL-3.0-only",
        "(MIT OR Apache-2.0) AND LGPL-2.1-only",
        "GPL-2.0-only WITH Classpath-exception-2.0",
    ] {
        assert!(!is_accepted(refused), "{refused}");
    }
}

#[test]
fn a_dependency_without_an_accepted_licence_is_found() {
    let packages = [
        serde_json::json!({"name": "fine", "license": "MIT"}),
        serde_json::json!({"name": "strict", "license": "AGPL-3.0-only"}),
        serde_json::json!({"name": "silent", "license": null}),
    ];
    assert_eq!(unlicensed(&packages), ["\"strict\": AGPL-3.0-only", "\"silent\": none stated"]);
}

//! Making a store.

use crate::sandbox::{Ran, Sandbox};

/// Returns a run with what differs from one to the next replaced.
fn shown(sandbox: &Sandbox, ran: &Ran) -> String {
    let root = sandbox.path().canonicalize().unwrap();
    let text = ran.show().replace(root.to_str().unwrap(), "HERE");
    let mut lines = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("id: ") {
            Some(id) => lines.push(format!("id: {} characters", id.len())),
            None => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

#[test]
fn a_store_is_made_once_and_found_again() {
    let sandbox = Sandbox::with(&[]);
    let first = sandbox.run(&["init"]);
    insta::assert_snapshot!(shown(&sandbox, &first), @"
    made the store HERE/.weft
    id: 36 characters
    next: weft ingest FILE|DIR reads events in, weft emit takes a single one
    --- stderr
    --- exit 0
    ");
    let second = sandbox.run(&["init"]);
    insta::assert_snapshot!(shown(&sandbox, &second), @"
    there is a store already: HERE/.weft
    id: 36 characters
    next: weft ingest FILE|DIR reads events in, weft emit takes a single one
    --- stderr
    --- exit 0
    ");
    let id = |ran: &Ran| ran.stdout.lines().nth(1).unwrap().to_owned();
    assert_eq!(id(&first), id(&second));
    assert!(sandbox.log().is_empty());
}

#[test]
fn a_store_is_nobodys_but_its_owners() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::with_store(&[]);
    let mode = std::fs::metadata(sandbox.store()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert_eq!(std::fs::read_to_string(sandbox.store().join(".gitignore")).unwrap(), "*\n");
}

#[test]
fn a_program_reads_where_it_is() {
    let sandbox = Sandbox::with(&[]);
    let ran = sandbox.run(&["init", "--store", "agents/log", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let root = sandbox.path().canonicalize().unwrap().join("agents/log");
    assert_eq!(answer["store"], root.to_str().unwrap());
    assert_eq!(answer["created"], true);
    assert_eq!(answer["id"].as_str().unwrap().len(), 36);
    assert!(root.join("head").exists());
}

#[test]
fn a_file_is_no_place_for_a_store() {
    let sandbox = Sandbox::with(&[("taken", b"")]);
    insta::assert_snapshot!(sandbox.run(&["init", "--store", "taken"]).show(), @"
    --- stderr
    error: taken is not a folder
    --- exit 2
    ");
    insta::assert_snapshot!(sandbox.run(&["init", "--store", "taken/below"]).show(), @"
    --- stderr
    error: cannot use taken/below as a store: Not a directory (os error 20)
    --- exit 2
    ");
}

#[test]
fn a_place_that_cannot_be_written_is_told() {
    let ran = Sandbox::with(&[]).run(&["init", "--store", "/proc/weft"]);
    insta::assert_snapshot!(ran.show(), @"
    --- stderr
    error: cannot use /proc/weft as a store: No such file or directory (os error 2)
    --- exit 2
    ");
}

//! What was refused, and another try for it.

use crate::sandbox::{ODD, Sandbox};

/// Returns the ids of what was refused.
fn ids(sandbox: &Sandbox) -> Vec<String> {
    let listed = sandbox.run(&["rejects", "list", "--json"]).stdout;
    let values =
        listed.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    values.filter_map(|value| Some(value["id"].as_str()?.to_owned())).collect()
}

#[test]
fn nothing_refused_is_told_too() {
    let sandbox = Sandbox::with_store(&[]);
    insta::assert_snapshot!(sandbox.run(&["rejects"]).show(), @"
    --- stderr
    0 events refused
    --- exit 0
    ");
    insta::assert_snapshot!(sandbox.run(&["rejects", "--json"]).show(), @r#"
    {"summary":{"refused":0,"reasons":{}}}
    --- stderr
    --- exit 0
    "#);
}

#[test]
fn each_refusal_is_listed_and_counted_by_reason() {
    let text = format!("{ODD}\nnothing\n{{\"a\":1}}\n{{\"b\":1}}\n");
    let sandbox = Sandbox::with_store(&[("a.jsonl", text.as_bytes())]);
    assert_eq!(sandbox.run(&["ingest", "a.jsonl", "--strict"]).code, 1);
    let listed = sandbox.run(&["rejects"]);
    assert_eq!(listed.stdout.lines().count(), 4);
    insta::assert_snapshot!(listed.stderr, @"
    4 events refused
      json: 1
      status_mismatch: 1
      unknown_dialect: 2
    ");
    let id = &ids(&sandbox)[1];
    let shown = sandbox.run(&["rejects", "show", &id[..6]]).show();
    let root = sandbox.path().canonicalize().unwrap();
    let shown: Vec<_> = shown.lines().filter(|line| !line.starts_with("refused: ")).collect();
    insta::assert_snapshot!(shown.join("\n").replace(id, "ID").replace(root.to_str().unwrap(), "HERE"), @"
    id: ID
    from: HERE/a.jsonl:2 (ingest)
    why: not JSON: unexpected character at column 1, near `nothing` [json]
    nothing
    --- stderr
    --- exit 0
    ");
}

#[test]
fn what_passes_now_is_stored_and_no_longer_refused() {
    let text = format!("{ODD}\n{{\"a\":1}}\n");
    let sandbox = Sandbox::with_store(&[("a.jsonl", text.as_bytes())]);
    assert_eq!(sandbox.run(&["ingest", "a.jsonl", "--strict"]).code, 1);
    let [odd, other] = ids(&sandbox).try_into().unwrap();
    let one = sandbox.run(&["rejects", "retry", &odd]);
    insta::assert_snapshot!(one.show(), @"
    --- stderr
    1 stored, 0 repeats, 0 still refused
    --- exit 0
    ");
    assert_eq!(sandbox.log(), [ODD]);
    assert_eq!(ids(&sandbox), std::slice::from_ref(&other));
    let all = sandbox.run(&["rejects", "retry", "--all"]);
    insta::assert_snapshot!(all.show().replace(&other[..12], "ID"), @"
    ID: no dialect has such a shape (it has `a`); name one with --dialect, or see --explain [unknown_dialect]
    --- stderr
    0 stored, 0 repeats, 1 still refused
    --- exit 1
    ");
    // The retry was the same delivery as the one that was refused.
    let again = sandbox.run(&["ingest", "--from-start", "a.jsonl"]).stderr;
    assert!(again.starts_with("2 events: 0 stored, 1 repeat, "), "{again}");
}

#[test]
fn an_id_that_nothing_has_is_wrong_use() {
    let sandbox = Sandbox::with_store(&[]);
    insta::assert_snapshot!(sandbox.run(&["rejects", "show", "ffff"]).show(), @"
    --- stderr
    error: nothing refused has the id ffff
    --- exit 2
    ");
    insta::assert_snapshot!(sandbox.run(&["rejects", "retry"]).show(), @"
    --- stderr
    error: the following required arguments were not provided:
      <ID>...

    Usage: weft rejects retry <ID>...

    For more information, try '--help'.
    --- exit 2
    ");
}

#[test]
fn without_a_store_there_is_nothing_to_list() {
    let sandbox = Sandbox::with(&[]);
    insta::assert_snapshot!(sandbox.run(&["rejects", "--store", "none"]).show(), @"
    --- stderr
    error: there is no store at none: make one with `weft init`
    --- exit 2
    ");
}

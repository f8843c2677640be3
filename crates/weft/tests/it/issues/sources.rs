//! Issues that others keep: their files, and commands that print JSON.

use super::run;
use crate::sandbox::Sandbox;

const TISSUE: &str = r#"{"type":"issue","id":"t-1","rev":"01A","title":"First","body":"b","status":"open","priority":1,"tags":[],"created_at":1,"updated_at":1}
{"type":"issue","id":"t-2","rev":"01B","title":"Second","body":"","status":"open","priority":1,"tags":["ui"],"created_at":2,"updated_at":2}
{"type":"dep","src_id":"t-1","dst_id":"t-2","kind":"blocks","state":"active","created_at":3,"rev":"01C"}
{"type":"comment","id":"01D","issue_id":"t-1","body":"Seen in CI","created_at":1766090361080}
broken
"#;

const BEADS: &str = r#"{"id":"bd-1","title":"Set up","status":"closed","priority":0,"issue_type":"task","created_at":"2024-01-15T10:30:00Z"}
{"id":"bd-2","title":"Go on","status":"open","priority":2,"issue_type":"task","created_at":"2024-01-15T10:30:00Z","dependencies":[{"issue_id":"bd-2","depends_on_id":"bd-1","type":"blocks"}]}
"#;

#[test]
fn what_tissue_and_beads_keep_is_listed_and_shown_without_a_store() {
    let sandbox = Sandbox::with(&[
        (".tissue/issues.jsonl", TISSUE.as_bytes()),
        (".beads/issues.jsonl", BEADS.as_bytes()),
    ]);
    insta::assert_snapshot!(run(&sandbox, &["issue", "list", "--from", ".tissue"]).show(), @"
    ID   P  STATUS  HELD BY  WAITS FOR  TITLE
    t-1  1  ready                       First
    t-2  1  open             t-1        Second
    --- stderr
    note: 1 line of .tissue cannot be read as an issue
    --- exit 0
    ");
    let shown = run(&sandbox, &["issue", "show", "1", "--from", ".tissue"]);
    assert!(
        shown.stdout.contains("Seen in CI") && shown.stdout.contains("blocks    t-2 (open) Second"),
        "{}",
        shown.show()
    );
    insta::assert_snapshot!(run(&sandbox, &["issue", "ready", "--from", ".beads/issues.jsonl"]).stdout, @"
    ID    P  STATUS  HELD BY  WAITS FOR  TITLE
    bd-2  3  ready                       Go on
    ");
}

#[test]
fn a_command_may_print_them() {
    let sandbox = Sandbox::with(&[]);
    let command = r#"echo '[{"id":"x-1","title":"From a command","status":"open","tags":"a,b"}]'"#;
    let listed = run(&sandbox, &["issue", "list", "tag:b", "--from", command]);
    assert!(listed.stdout.contains("From a command"), "{}", listed.show());
    insta::assert_snapshot!(run(&sandbox, &["issue", "list", "--from", "echo no >&2; exit 3"]).show(), @"
    --- stderr
    error: echo no >&2; exit 3 is no file, and as a command it ended with 3: no
    --- exit 2
    ");
}

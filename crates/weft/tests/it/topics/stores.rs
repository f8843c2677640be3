//! Stores of other tools: taken in with all their faults, again without doubling, and given back.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::board::Board;
use crate::sandbox::Sandbox;

/// A store with everything that was found in real ones: a topic behind its messages, a body that was JSON once, one of bytes, a raw
/// control character, a line that is none, one of another kind, and a last line that is torn.
const MESSAGES: &str = concat!(
    r#"{"type":"message","id":"01HQ0000000000000000000001","topic_id":"01HP0000000000000000000001","parent_id":null,"body":"{\"schema\":1,\"event\":\"DONE\",\"reason\":\"a\nb\",\"stack\":[]}","created_at":1703721600001,"sender":{"id":"a","name":"Swift Silver Stork","model":"claude-3-opus","role":null},"git":{"oid":"abc1234567890abcdef1234567890abcdef12345","head":"main","dirty":true,"prefix":""}}"#,
    "\n",
    r#"{"type":"topic","id":"01HP0000000000000000000001","name":"loop:current","description":"Loop state","created_at":1703721600000}"#,
    "\n",
    r#"{"type":"message","id":"01HQ0000000000000000000002","topic_id":"01HP0000000000000000000002","parent_id":null,"body":[99,97,102,233],"created_at":1703721600002,"sender":null,"git":null}"#,
    "\n",
    r#"{"type":"topic","id":"01HP0000000000000000000002","name":"tasks","description":"","created_at":1703721600000}"#,
    "\n",
    "{\"type\":\"message\",\"id\":\"01HQ0000000000000000000003\",\"topic_id\":\"01HP0000000000000000000002\",\"parent_id\":\"01HQ0000000000000000000002\",\"body\":\"a\ttab\",\"created_at\":1703721600003,\"sender\":null,\"git\":null}\n",
    "no json\n",
    "{\"type\":\"note\"}\n",
    r#"{"type":"message","id":"01HQ0000000000000000000004","topic_id":"01HP00000"#,
);

#[test]
fn a_message_store_is_taken_in_with_all_its_faults_and_only_once() {
    let mut board = Board::new();
    let folder = board.sandbox.path().join(".jwz");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("messages.jsonl"), MESSAGES).unwrap();
    insta::assert_snapshot!(board.all(&[
        &["import", "jwz", ".jwz"],
        &["import", "jwz", ".jwz/messages.jsonl"],
        &["topic", "list"],
        &["read", "loop:current"],
        &["thread", "01HQ0000000000000000000002"],
        &["import", "jwz", "nowhere"],
        &["import", "jwz", "."],
    ]), @r#"
    $ weft import jwz .jwz
    ! 7 lines: 5 stored, 0 known already, 2 refused
    ! note: 1 line with raw control characters made good
    ! note: the last line is torn, and left out until it is whole
    exit 1
    $ weft import jwz .jwz/messages.jsonl
    ! 7 lines: 0 stored, 5 known already, 2 refused
    ! note: 1 line with raw control characters made good
    ! note: the last line is torn, and left out until it is whole
    exit 1
    $ weft topic list
    NAME          KIND         LAST                 DESCRIPTION
    loop:current  last-value   2023-12-28 00:00:00  Loop state
    tasks         append-only  2023-12-28 00:00:00
    $ weft read loop:current
    01HQ0000000000000000000001 by Swift Silver Stork [claude-3-opus], 2023-12-28 00:00:00, on main@abc12345+
      {"schema":1,"event":"DONE","reason":"a
      b","stack":[]}
    $ weft thread 01HQ0000000000000000000002
    01HQ0000000000000000000002, 2023-12-28 00:00:00
      caf�

      01HQ0000000000000000000003, 2023-12-28 00:00:00, in reply to 01HQ0000000000000000000002
        a    tab
    $ weft import jwz nowhere
    ! error: cannot read nowhere: No such file or directory (os error 2)
    exit 2
    $ weft import jwz .
    ! error: there is no messages.jsonl in .
    exit 2
    "#);
    // What was torn is whole now, and comes with the next import.
    let whole = r#"00000000000000002","parent_id":null,"body":"late","created_at":1703721600004,"sender":null,"git":null}"#;
    std::fs::write(folder.join("messages.jsonl"), format!("{MESSAGES}{whole}\n")).unwrap();
    insta::assert_snapshot!(board.all(&[&["import", "jwz", ".jwz"], &["read", "tasks", "-s"]]), @"
    $ weft import jwz .jwz
    ! 8 lines: 1 stored, 5 known already, 2 refused
    ! note: 1 line with raw control characters made good
    exit 1
    $ weft read tasks -s
    01HQ0000000000000000000004, 2023-12-28 00:00:00
      late
    01HQ0000000000000000000003, 2023-12-28 00:00:00, in reply to 01HQ0000000000000000000002
      a    tab
    01HQ0000000000000000000002, 2023-12-28 00:00:00
      caf�
    ");
}

#[test]
fn an_older_message_that_is_imported_does_not_become_the_value() {
    let mut board = Board::new();
    board.post("agent:builder", &["-m", "newer"]);
    let old = r#"{"type":"message","id":"01HQ1","topic_id":"agent:builder","parent_id":null,"body":"older","created_at":1703721600001,"sender":null,"git":null}"#;
    std::fs::write(board.sandbox.path().join("m.jsonl"), format!("{old}\n")).unwrap();
    insta::assert_snapshot!(board.all(&[
        &["import", "jwz", "m.jsonl"],
        &["read", "agent:builder", "-s"],
        &["read", "agent:builder", "-s", "--history"],
    ]), @"
    $ weft import jwz m.jsonl
    ! 1 line: 1 stored, 0 known already, 0 refused
    $ weft read agent:builder -s
    ID-0 by ann, AGO
      newer
    $ weft read agent:builder -s --history
    01HQ1, 2023-12-28 00:00:00
      older
    ID-0 by ann, AGO
      newer
    ");
}

#[test]
fn issues_of_other_trackers_become_messages_of_their_topics_and_only_once() {
    let mut board = Board::new();
    let issue = |rev: &str, status: &str| {
        format!(
            r#"{{"type":"issue","id":"a-1","rev":"{rev}","title":"T","body":"b","status":"{status}","priority":2,"tags":[],"created_at":1703721600000,"updated_at":1703721600001}}"#
        )
    };
    let comment = r#"{"type":"comment","id":"01HQC","issue_id":"a-1","body":"seen","created_at":1703721600002}"#;
    let tissue =
        format!("{}\n{comment}\n{}\nnot one\n", issue("01A", "open"), issue("01B", "closed"));
    let beads = r#"{"id":"bd-7","title":"B","status":"open","priority":1,"created_at":"2024-01-01T00:00:00Z","updated_at":"2024-01-02T00:00:00Z"}"#;
    for (name, text) in
        [(".tissue/issues.jsonl", tissue), (".beads/issues.jsonl", beads.to_owned() + "\n")]
    {
        let path = board.sandbox.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    insta::assert_snapshot!(board.all(&[
        &["import", "tissue", ".tissue"],
        &["import", "tissue", ".tissue"],
        &["import", "beads", ".beads"],
        &["read", "issue:a-1"],
        &["read", "issue:bd-7"],
    ]), @r#"
    $ weft import tissue .tissue
    ! 4 lines: 3 stored, 0 known already, 1 refused
    ! note: issues that are new here: 1; that have changed: 0
    exit 1
    $ weft import tissue .tissue
    ! 4 lines: 0 stored, 3 known already, 1 refused
    exit 1
    $ weft import beads .beads
    ! 1 line: 1 stored, 0 known already, 0 refused
    ! note: issues that are new here: 1; that have changed: 0
    $ weft read issue:a-1
    ID-0 by import, 2023-12-28 00:00:00, key snapshot
      {"id":"a-1","rev":2,"title":"T","body":"b","status":"closed","priority":2,"tags":[],"deps":[],"created_at":1703721600000,"updated_at":1703721600001,"claim":null}

    01HJPVH1010R2Q6W8EX4NDZ6TJ, 2023-12-28 00:00:00
      {"type":"issue","id":"a-1","rev":"01B","title":"T","body":"b","status":"closed","priority":2,"tags":[],"created_at":1703721600000,"updated_at":1703721600001}

    01HQC, 2023-12-28 00:00:00
      seen

    01HJPVH1017CBW7NSKNMJF3A0V, 2023-12-28 00:00:00
      {"type":"issue","id":"a-1","rev":"01A","title":"T","body":"b","status":"open","priority":2,"tags":[],"created_at":1703721600000,"updated_at":1703721600001}
    $ weft read issue:bd-7
    ID-1 by import, 2024-01-02 00:00:00, key snapshot
      {"id":"bd-7","rev":1,"title":"B","body":"","status":"open","priority":1,"tags":[],"deps":[],"created_at":1704067200000,"updated_at":1704153600000,"claim":null}

    01HK3QGM00P8J3K9D7SCPTA7XD, 2024-01-02 00:00:00
      {"id":"bd-7","title":"B","status":"open","priority":1,"created_at":"2024-01-01T00:00:00Z","updated_at":"2024-01-02T00:00:00Z"}
    "#);
}

#[test]
fn an_export_is_a_message_store_and_never_takes_the_place_of_one() {
    let mut board = Board::with_topics();
    board.post("tasks", &["-m", "one"]);
    board.post("issue:a-1", &["-m", "two"]);
    insta::assert_snapshot!(board.all(&[
        &["export", "jwz", "out/.jwz"],
        &["export", "jwz", "out/.jwz"],
        &["import", "jwz", "out/.jwz"],
    ]), @"
    $ weft export jwz out/.jwz
    ! 3 topics, 2 messages in out/.jwz/messages.jsonl
    $ weft export jwz out/.jwz
    ! error: out/.jwz/messages.jsonl is there already: name another folder
    exit 2
    $ weft import jwz out/.jwz
    ! 4 lines: 0 stored, 4 known already, 0 refused
    ! note: topics that need no record are left out: 1
    ");
    let ignored =
        std::fs::read_to_string(board.sandbox.path().join("out/.jwz/.gitignore")).unwrap();
    assert_eq!(ignored, "*.db\n*.db-wal\n*.db-shm\nlock\n");
}

/// Returns what a store has of messages: everything but where they stand.
fn messages(sandbox: &Sandbox) -> Vec<Value> {
    let listed =
        sandbox.run(&["log", "dialect=idle type=message", "--limit", "all", "--format", "json"]);
    assert_eq!(listed.code, 0, "{}", listed.show());
    let mut all: Vec<Value> = listed
        .stdout
        .lines()
        .map(|line| {
            let record: Value = serde_json::from_str(line).unwrap();
            json!({ "topic": record["topic"], "event": record["event"] })
        })
        .collect();
    all.sort_by_key(|message| message["event"]["id"].as_str().unwrap().to_owned());
    all
}

/// One message: its topic, what it answers, its body, and whether that is bytes.
type Row = (usize, Option<prop::sample::Index>, String, bool);

/// Writes a message store.
fn store_of(rows: &[Row]) -> String {
    let names = ["tasks", "loop:current", "agent:a"];
    let mut text = String::new();
    for (n, (topic, parent, body, is_bytes)) in rows.iter().enumerate() {
        let body = if *is_bytes { json!(body.as_bytes()) } else { json!(body) };
        let parent = parent.filter(|_| n > 0).map(|parent| format!("01HQ{:03}", parent.index(n)));
        let message = json!({
            "type": "message", "id": format!("01HQ{n:03}"), "topic_id": format!("01HP{topic}"), "parent_id": parent,
            "body": body, "created_at": 1_703_721_600_000_i64 + n as i64, "sender": null, "git": null,
        });
        text += &format!("{message}\n");
    }
    for (n, name) in names.iter().enumerate() {
        let topic = json!({ "type": "topic", "id": format!("01HP{n}"), "name": name, "description": "d", "created_at": 1 });
        text += &format!("{topic}\n");
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_imported_exported_and_imported_again_is_the_same(
        rows in prop::collection::vec((0_usize..3, any::<Option<prop::sample::Index>>(), "\\PC{0,8}[\n\t\"\\\\\u{1}é]{0,4}.{0,8}", any::<bool>()), 1..12),
    ) {
        let text = store_of(&rows);
        let here = Sandbox::with_store(&[("m.jsonl", text.as_bytes())]);
        let ran = here.run(&["import", "jwz", "m.jsonl"]);
        prop_assert_eq!(ran.code, 0, "{}", ran.show());
        let ran = here.run(&["export", "jwz", "out"]);
        prop_assert_eq!(ran.code, 0, "{}", ran.show());
        let out = std::fs::read(here.path().join("out/messages.jsonl")).unwrap();
        let there = Sandbox::with_store(&[("m.jsonl", &out)]);
        let ran = there.run(&["import", "jwz", "m.jsonl"]);
        prop_assert_eq!(ran.code, 0, "{}", ran.show());
        prop_assert_eq!(messages(&there), messages(&here));
        prop_assert_eq!(messages(&here).len(), rows.len());
        // To the byte: each line of the first store is in the second.
        let exported = String::from_utf8(out).unwrap();
        for line in text.lines() {
            prop_assert!(exported.lines().any(|other| other == line), "{line}");
        }
    }
}

#[test]
fn messages_that_were_ingested_and_not_imported_are_read_by_name_too() {
    let mut board = Board::new();
    std::fs::write(board.sandbox.path().join("m.jsonl"), super::JWZ_PREFIXES).unwrap();
    assert_eq!(board.run(&["ingest", "m.jsonl"]).code, 0);
    board.post("old", &["-m", "new"]);
    insta::assert_snapshot!(board.all(&[&["topic", "list", "--json"], &["import", "jwz", "m.jsonl"], &["read", "old", "-s"]]), @r#"
    $ weft topic list --json
    [{"name":"old","id":"01HP","kind":"append-only","description":"","created_at":1703721600000,"last_at":MS}]
    $ weft import jwz m.jsonl
    ! 4 lines: 0 stored, 4 known already, 0 refused
    $ weft read old -s
    ID-0 by ann, AGO
      new
    01HQC, 2023-12-28 00:00:00
      other
    01HQAB1, 2023-12-28 00:00:00, in reply to 01HQA
      long
    01HQA, 2023-12-28 00:00:00
      short
    "#);
}

//! What others keep, as it was found, and broken.

use proptest::prelude::*;

use crate::issues::{Board, Issue, Sourced, parse_source, read_snapshot};

fn show(sourced: &Sourced) -> String {
    let line = |issue: &Issue| {
        let deps: Vec<String> =
            issue.deps.iter().map(|dep| format!("{}:{}", dep.kind.as_str(), dep.id)).collect();
        format!(
            "{} r{} {} p{} [{}] {:?} {}\n",
            issue.id,
            issue.rev,
            issue.status.as_str(),
            issue.priority.get(),
            issue.tags.join(" "),
            issue.title,
            deps.join(" ")
        )
    };
    let comments: String =
        sourced.comments.iter().map(|it| format!("{}: {}\n", it.issue_id, it.body)).collect();
    sourced.issues.iter().map(line).collect::<String>()
        + &comments
        + &format!("unreadable: {}", sourced.n_unreadable)
}

const TISSUE: &str = include_str!("../../../../../fuzz/corpus/issues/tissue.jsonl");

const BEADS: &str = include_str!("../../../../../fuzz/corpus/issues/beads.jsonl");

#[test]
fn tissue_and_beads_are_read_as_they_are_kept() {
    insta::assert_snapshot!(show(&parse_source(TISSUE.as_bytes())), @r#"
    t-1 r3 in_progress p1 [x] "Load it" blocks:t-2
    t-2 r1 open p3 [ui db] "Next" 
    t-1: Seen in CI
    unreadable: 2
    "#);
    let beads = parse_source(BEADS.as_bytes());
    insta::assert_snapshot!(show(&beads), @r#"
    bd-1 r1 closed p1 [a] "Set up" blocks:bd-3
    bd-2 r1 open p5 [] "Epic" relates:bd-3 parent:bd-3
    bd-3 r1 paused p2 [] "Part" 
    bd-3: hm
    unreadable: 0
    "#);
    assert_eq!(beads.issues[0].updated_at_ms, 1_705_411_800_500);
}

#[test]
fn what_a_command_prints_may_be_one_value() {
    let list = r#" [{"id":"a","title":"A","status":"open","tags":"x, y","priority":1,"updated_at":5},
        {"id":"b","title":"B"}] "#;
    insta::assert_snapshot!(show(&parse_source(list.as_bytes())), @r#"
    a r1 open p1 [x y] "A" 
    b r1 open p2 [] "B" 
    unreadable: 0
    "#);
    let shown = r#"{"issue":{"id":"a","title":"A","status":"open"},"comments":[{"issue_id":"a","body":"c"}],"deps":[{"src_id":"a","dst_id":"b","kind":"blocks"}]}"#;
    insta::assert_snapshot!(show(&parse_source(shown.as_bytes())), @r#"
    a r1 open p2 [] "A" blocks:b
    a: c
    unreadable: 0
    "#);
    assert_eq!(parse_source(b"").issues, []);
    assert_eq!(parse_source(b"bd: command not found").n_unreadable, 1);
    assert_eq!(parse_source(br#"{"issues":[{"id":"a","title":"A"}]}"#).issues.len(), 1);
}

/// What `fuzz_targets/issues.rs` holds the parser to.
fn uphold(bytes: &[u8]) {
    let sourced = parse_source(bytes);
    let snapshot = std::str::from_utf8(bytes).ok().and_then(read_snapshot);
    for issue in sourced.issues.iter().chain(&snapshot) {
        assert_eq!(read_snapshot(issue.json().as_str()).as_ref(), Some(issue));
    }
    let board = Board::of(sourced.issues);
    assert!(board.ready(&super::at(0)).len() <= board.entries().count());
}

#[test]
fn the_corpus_is_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/issues");
    let files: Vec<_> = std::fs::read_dir(folder).expect("it is there").collect();
    assert!(files.len() >= 5);
    for file in files {
        uphold(&std::fs::read(file.expect("it is listed").path()).expect("it is read"));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_the_end(lines in prop::collection::vec(piece(), 0..6)) {
        uphold(&lines.concat());
    }
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    let whole: Vec<&'static str> = TISSUE.lines().chain(BEADS.lines()).collect();
    let cut =
        (prop::sample::select(whole), 0..400_usize, any::<u8>()).prop_map(|(line, at, byte)| {
            let mut line = line.as_bytes().to_vec();
            if let Some(place) = line.get_mut(at) {
                *place = byte;
            }
            line.push(b'\n');
            line
        });
    prop_oneof![cut, prop::collection::vec(any::<u8>(), 0..40)]
}

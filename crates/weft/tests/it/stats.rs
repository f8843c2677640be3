//! `weft stats`: how much of what.

use serde_json::Value;

use crate::sandbox::OWN;
use crate::stored::{Stored, collector, hide, needle};

fn some() -> Stored {
    Stored::with(&[
        collector(0, "lifecycle.started", ""),
        collector(1, "activity.progress", ""),
        needle(2, "alpha", "s", 1),
        collector(3, "activity.progress", ""),
        OWN.to_owned(),
    ])
}

#[test]
fn a_store_is_told_in_numbers() {
    let stored = some();
    let ran = stored.run(&["stats"]);
    let json: Value = serde_json::from_str(&stored.run(&["stats", "--json"]).stdout).unwrap();
    let id = json["store"].as_str().unwrap();
    // The size of the index is SQLite's, and that of a segment depends on the store's id.
    let without_sizes = |line: &str| match line.split_once("file, ") {
        Some((start, _)) => format!("{start}file\n"),
        None => match line.trim_start().strip_prefix("index ") {
            Some(rest) => format!("  index {}\n", rest.split_once(',').unwrap().1),
            None => format!("{line}\n"),
        },
    };
    let text: String = ran.show().replace(id, "[id]").lines().map(without_sizes).collect();
    insta::assert_snapshot!(hide(&text, stored.sandbox.path()), @"
    [folder]/.weft
      store     [id]
      records   5
      first     position 1, received 2020-01-01 00:00:10 +00:00
      last      position 5, received 2020-01-01 00:00:14 +00:00
      segments  1 file
      index  core up to date, text lacks 5 records
      blobs     0 files, 0 bytes
      spool     0 bytes
      rejected  0
    DIALECT    RECORDS  TYPE
    collector  2        activity.progress
    collector  1        lifecycle.started
    needle     1        bead.claimed
    weft       1        log.pruned
    --- stderr
    --- exit 0
    ");
}

#[test]
fn the_same_for_a_program() {
    let stored = some();
    let json: Value = serde_json::from_str(&stored.run(&["stats", "--json"]).stdout).unwrap();
    let size = std::fs::metadata(stored.segment()).unwrap().len();
    assert_eq!(json["segments"]["bytes"], size);
    assert_eq!(json["records"], 5);
    assert_eq!(json["last"]["at"], "2020-01-01T00:00:14Z");
    assert_eq!(json["index"]["lag"]["core"], 0);
    assert_eq!(json["types"][0]["records"], 2);
}

//! `weft bench` as a program meets it: one JSON object, in which everything has a figure or a reason.

mod hook;
mod server;
mod view;

mod folder;

use std::process::Command;

/// Runs a benchmark; returns what it prints.
fn run(args: &[&str]) -> String {
    let mut weft = Command::new(env!("CARGO_BIN_EXE_weft"));
    let output = weft.arg("bench").args(args).output().expect("weft starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}

fn bench(args: &[&str]) -> String {
    run(&[&["validate", "--events", "300", "--iterations", "2"], args].concat())
}

#[test]
fn every_contestant_has_a_speed_or_a_reason() {
    let report: serde_json::Value =
        serde_json::from_str(&bench(&["--json"])).expect("the report is JSON");
    assert_eq!(report["events"], 300);
    let rows = report["rows"].as_array().expect("there are rows");
    let names: Vec<_> = rows.iter().map(|row| row["name"].as_str().unwrap_or("?")).collect();
    let expected = [
        "split + UTF-8",
        "weft, parse only",
        "weft",
        "serde_json::Value",
        "Value + jsonschema",
        "Python jsonschema",
        "node ajv",
    ];
    assert_eq!(names, expected);
    for row in rows {
        let has_speed = row["events_per_second"].as_f64().is_some_and(|speed| speed > 0.0);
        let about = row["about"].as_str().unwrap_or_default();
        assert_eq!(has_speed, !about.starts_with("not "), "{row}");
    }
    let against: Vec<_> = report["targets"].as_array().expect("there are targets").iter().collect();
    assert_eq!(against.len(), 2);
    assert!(against[0]["holds"].is_boolean(), "{}", against[0]);
}

#[test]
fn the_table_names_both_targets() {
    let table = bench(&[]);
    assert!(table.starts_with("300 events, "), "{table}");
    assert!(table.contains("\ntarget, 2.5 times serde_json::Value: "), "{table}");
    assert!(table.contains("\ntarget, 5 times Value + jsonschema: "), "{table}");
}

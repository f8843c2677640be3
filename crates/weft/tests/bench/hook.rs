//! `weft bench hook`: every contestant that is installed has a time, and nothing is lost on the way.

use crate::run;

#[test]
fn every_hook_has_a_time_and_every_target_a_verdict() {
    let report = run(&["hook", "--iterations", "1", "--stored", "500", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&report).expect("the report is JSON");
    let rows = report["rows"].as_array().expect("there are rows");
    let names: Vec<_> = rows.iter().map(|row| row["name"].as_str().unwrap_or("?")).collect();
    let expected = [
        "fdatasync",
        "true and fdatasync",
        "true",
        "weft, with a server",
        "weft, without",
        "Stop, with a server",
        "Stop, without",
        "PreCompact, with",
        "PreCompact, without",
        "SessionStart, with",
        "SessionStart, without",
    ];
    assert_eq!(names[..11], expected);
    assert_eq!(report["stored"], 500);
    for row in rows {
        assert!(row["median_ms"].as_f64().is_some_and(|ms| ms > 0.0), "{row}");
    }
    let targets = report["targets"].as_array().expect("there are targets");
    assert_eq!(targets.len(), 10);
    // Those of scripts have a verdict where the scripts can be run.
    for target in targets[..2].iter().chain(&targets[4..]) {
        assert!(target["holds"].is_boolean(), "{target}");
    }
}

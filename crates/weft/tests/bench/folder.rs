//! `weft bench folder` on a small folder: every event arrives, and every target is judged.

use std::process::Command;

#[test]
fn a_folder_is_taken_in_and_its_targets_are_judged() {
    let output = Command::new(env!("CARGO_BIN_EXE_weft"))
        .args(["bench", "folder", "--files", "40", "--events", "500", "--stored", "300", "--json"])
        .output()
        .expect("weft starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!((&report["files"], &report["events"]), (&40.into(), &500.into()));
    assert_eq!((&report["stored"], &report["refused"]), (&300.into(), &0.into()));
    assert!(report["events_per_second"].as_f64().is_some_and(|speed| speed > 0.0), "{report}");
    let targets = report["targets"].as_array().expect("there are targets");
    assert!(targets.len() == 3 && targets.iter().all(|it| it["holds"].is_boolean()), "{report}");
}

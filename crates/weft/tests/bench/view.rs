//! `weft bench view` measures every view.

use serde_json::Value;

use crate::run;

#[test]
fn every_view_has_a_speed_and_a_page() {
    let small = "--events 500 --stored 1000 --large 2000 --iterations 2 --seconds 1 --rate 500";
    let small: Vec<&str> = small.split(' ').collect();
    let report = run(&[&["view"][..], &small[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&report).expect("the report is JSON");
    let rows = report["rows"].as_array().expect("there are rows");
    assert_eq!(rows.len(), 3 + 11 + 1);
    for row in rows {
        assert!(row["events_per_second"].as_f64().is_some_and(|speed| speed > 0.0), "{row}");
    }
    let pages = report["pages"].as_array().expect("there are pages");
    assert_eq!(pages.len(), 16);
    for page in pages {
        assert!(page["ratio"].as_f64().is_some_and(|ratio| ratio > 0.0), "{page}");
    }
    assert!(report["then_s"].as_f64().is_some_and(|seconds| seconds > 0.0));
    assert_eq!(report["targets"].as_array().expect("there are targets").len(), 11 + 1 + 1 + 4 + 16);
    let top = &report["top"];
    for figure in ["first", "first_without_snapshots"] {
        let picture = top[figure]["picture_s"].as_f64();
        assert!(picture.is_some_and(|seconds| seconds > 0.0), "{top}");
    }
    assert!(top["events_per_second"].as_f64().is_some_and(|rate| rate > 100.0), "{top}");
    assert!(top["caught_up_s"].is_number(), "{top}");
    let table = run(&[&["view"][..], &small[..]].concat());
    assert!(table.contains("\ntarget, all views, events a second at least 200000: "), "{table}");
}

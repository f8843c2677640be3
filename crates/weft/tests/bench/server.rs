//! The benchmarks that start a server of their own.

use serde_json::Value;

use crate::run;

fn json(args: &[&str]) -> Value {
    let folder = std::env::temp_dir();
    let folder = folder.to_str().expect("its path is UTF-8");
    serde_json::from_str(&run(&[args, &["--json", "--dir", folder]].concat()))
        .expect("the report is JSON")
}

#[test]
fn every_way_into_a_server_has_a_speed_and_an_event_a_time_to_its_reader() {
    let report = json(&["ingest", "--events", "400", "--rounds", "1"]);
    let rows = report["rows"].as_array().expect("there are rows");
    let speed = |name: &str| {
        let row = rows.iter().find(|row| row["name"] == name).expect(name);
        row["events_per_second"].as_f64().expect(name)
    };
    let best = report["best_bulk"].as_str().expect("one way in bulk is the best");
    assert!(best.starts_with("HTTP, "), "{best}");
    for name in [
        "log, 1 producer",
        "HTTP, 1 connection",
        "socket, 1 connection",
        "log, 64 producers",
        "HTTP, 64 connections",
        "socket, 64 connections",
        "log, bulk",
        "socket, 1000 a request, 2 conn.",
        best,
    ] {
        assert!(speed(name) > 0.0, "{name}");
    }
    let times = report["latency"]["rows"].as_array().expect("there are times");
    for name in ["disk, write and sync", "sent to answered", "sent to received"] {
        let row = times.iter().find(|row| row["name"] == name).expect(name);
        let (p50, p99) = (row["p50_s"].as_f64().expect(name), row["p99_s"].as_f64().expect(name));
        assert!(0.0 < p50 && p50 <= p99, "{row}");
    }
    let targets = report["targets"].as_array().expect("there are targets");
    assert_eq!(targets.len(), 4);
    assert!(targets.iter().all(|target| target["holds"].is_boolean()), "{targets:?}");
}

#[test]
fn a_soak_counts_what_arrives_although_the_server_is_ended_half_way() {
    let report = json(&["soak", "--minutes", "0.06", "--rate", "300", "--stored", "2000"]);
    let count = |place: &str| report.pointer(place).and_then(Value::as_u64).expect(place);
    assert!(count("/acknowledged") >= 900, "{report}");
    assert_eq!(count("/stream/expected"), count("/acknowledged"));
    assert!(count("/webhook/expected") > 0, "{report}");
    assert!(count("/resumed") >= 1, "the stream broke off when the server ended");
    for to in ["stream", "webhook"] {
        let count = |name: &str| count(&format!("/{to}/{name}"));
        assert_eq!(count("received") - count("repeats"), count("expected"), "{report}");
        assert_eq!([count("missing"), count("doubled"), count("out_of_order")], [0; 3], "{report}");
    }
    assert_eq!(report["whole"], true);
    if cfg!(target_os = "linux") {
        let samples = report["samples"].as_array().expect("there are samples");
        for server in [1, 2] {
            let sample = samples.iter().find(|sample| sample["server"] == server);
            let sample = sample.expect("both servers were looked at");
            assert!(sample["memory"].as_u64() > Some(0), "{sample}");
            assert!(sample["descriptors"].as_u64() > Some(0), "{sample}");
        }
    }
}

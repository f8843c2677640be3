//! `weft show`: one record whole.

use weft_log::blobs::Which;

use crate::stored::{Stored, collector, needle};

fn some() -> Stored {
    let event = |second, id: &str| {
        let more = format!(
            r#""event_id":"{id}","session_id":"s1","message":"see 0b9c1f9e-33a5-4d0c-9d3f-3f0a3f1c2b4d""#
        );
        collector(second, "activity.progress", &more)
    };
    Stored::with(&[
        event(0, "0b9c1f9e-33a5-4d0c-9d3f-3f0a3f1c2b4d"),
        event(1, "0b9c1f9e-44a5-4d0c-9d3f-3f0a3f1c2b4d"),
        needle(2, "alpha", "n-1", 1),
        collector(3, "lifecycle.started", r#""status":"blocked""#),
    ])
}

#[test]
fn a_record_by_its_position() {
    let stored = some();
    insta::assert_snapshot!(stored.run(&["show", "4"]).show(), @r#"
    record 4
      received  2020-01-01 00:00:13 +00:00
      via       test
      dialect   collector
      type      lifecycle.started
      meaning   The agent begins
      time      2020-01-01 00:00:03 +00:00
      actor     @a
      status    blocked
      level     warn
      identity  none of its own: only its delivery tells it from a repeat
    1 problem
      /status: warning: `lifecycle.started` means `started`; the stated `blocked` counts [status_mismatch]
    {
      "version": "1.0.0",
      "event_type": "lifecycle.started",
      "timestamp": "2020-01-01T00:00:03Z",
      "agent_id": "@a",
      "status": "blocked"
    }
    --- stderr
    --- exit 0
    "#);
    insta::assert_snapshot!(stored.run(&["show", "3", "--json"]).show(), @r#"
    {"position":3,"at":"2020-01-01T00:00:12Z","via":"test","dialect":"needle","facts":{"dialect":"needle","type":"bead.claimed","time":"2020-01-01T00:00:02Z","actor":"alpha","session":"n-1","order":1,"identity":"worker alpha, session n-1, sequence 1","status":"started","ended":false,"level":"info","task":"b-1"},"event":{"schema_version":1,"timestamp":"2020-01-01T00:00:02.000Z","event_type":"bead.claimed","worker_id":"alpha","session_id":"n-1","sequence":1,"data":{"bead_id":"b-1"}}}
    --- stderr
    --- exit 0
    "#);
    insta::assert_snapshot!(stored.run(&["show", "9"]).show(), @"
    --- stderr
    error: there is no record 9: the log ends at 4
    --- exit 2
    ");
    stored.damage("b-1");
    insta::assert_snapshot!(stored.run(&["show", "3"]).show(), @"
    --- stderr
    error: record 3 is damaged or gone: see `weft gaps`
    --- exit 2
    ");
}

#[test]
fn a_record_by_the_beginning_of_its_events_id() {
    let stored = some();
    let first = |args: &[&str]| {
        let ran = stored.run(args);
        format!("{}\n{}", ran.stdout.lines().next().unwrap_or_default(), ran.stderr)
    };
    insta::assert_snapshot!(first(&["show", "0b9c1f9e-33a5-4d0c-9d3f-3f0a3f1c2b4d"]), @"record 1");
    insta::assert_snapshot!(first(&["show", "0b9c1f9e-4"]), @"record 2");
    insta::assert_snapshot!(first(&["show", "0b9c"]), @"

    error: 2 events have an id that begins with `0b9c`:
      1  0b9c1f9e-33a5-4d0c-9d3f-3f0a3f1c2b4d
      2  0b9c1f9e-44a5-4d0c-9d3f-3f0a3f1c2b4d
    ");
    insta::assert_snapshot!(first(&["show", "9d3f"]), @"

    error: no event has an id that begins with `9d3f`
    ");
    insta::assert_snapshot!(first(&["show", "--", "--"]), @"

    error: no event has an id that begins with `--`
    ");
}

#[test]
fn large_values_are_put_back_when_asked_for() {
    let stored = Stored::with(&[needle(0, "alpha", "s", 1)]);
    let long = "x".repeat(3000);
    let line = collector(1, "activity.progress", &format!(r#""message":"{long}""#));
    let log = stored.log();
    stored.append(&log, Which::AllFrom { bytes: 2000 }, &[&line]);
    log.close().unwrap();
    let kept = stored.run(&["show", "2", "--json"]);
    assert!(!kept.stdout.contains(&long) && kept.stdout.contains("weft-blob:"), "{}", kept.stdout);
    let whole = stored.run(&["show", "2", "--json", "--blobs"]);
    assert!(whole.stdout.contains(&format!(r#""event":{line}"#)), "{}", whole.stdout);
    std::fs::remove_dir_all(stored.store().blobs()).unwrap();
    let gone = stored.run(&["show", "2", "--json", "--blobs"]);
    assert_eq!((gone.code, gone.stdout), (0, kept.stdout));
    assert!(gone.stderr.contains(" stays out: blob "), "{}", gone.stderr);
}

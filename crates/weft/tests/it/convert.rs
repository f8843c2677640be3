//! `weft convert`: what comes out, what is told, and the way back.

use crate::sandbox::{FINE, ODD, Sandbox, weft};

const NEEDLE: &str = r#"{"timestamp":"2026-01-01T00:00:00Z","event_type":"effort.recorded","worker_id":"w","session_id":"s","sequence":7,"data":{"tokens":5}}"#;

#[test]
fn a_file_goes_there_and_comes_back_as_it_was() {
    let lines = format!("{FINE}\n{NEEDLE}\n");
    let sandbox = Sandbox::with(&[("a.jsonl", lines.as_bytes())]);
    for target in ["engine", "cloudevents", "otlp"] {
        let there = sandbox.run(&["convert", "--to", target, "--session", "s1", "a.jsonl"]);
        assert_eq!((there.code, there.stderr.as_str()), (0, ""));
        let to_collector = sandbox.pipe(&["convert", "--to", "collector"], there.stdout.as_bytes());
        let to_needle = sandbox
            .pipe(&["convert", "--to", "needle", "--session", "s1"], there.stdout.as_bytes());
        assert_eq!(to_collector.stdout.lines().next(), Some(FINE), "{target}");
        assert_eq!(to_needle.stdout.lines().last(), Some(NEEDLE), "{target}");
    }
}

#[test]
fn the_result_is_valid_under_strict() {
    let sandbox = Sandbox::with(&[("a.jsonl", format!("{FINE}\n{ODD}\n{NEEDLE}\n").as_bytes())]);
    for target in ["collector", "engine", "needle"] {
        let there = sandbox.run(&["convert", "--to", target, "--session", "s1", "a.jsonl"]);
        let checked = sandbox.pipe(&["validate", "--strict"], there.stdout.as_bytes());
        assert_eq!((checked.code, checked.stdout.as_str()), (0, ""), "{target}");
        assert_eq!(there.stdout.lines().count(), 3);
    }
}

#[test]
fn what_cannot_be_converted_is_told_and_the_rest_goes_on() {
    let lines =
        format!("{NEEDLE}\n{{broken\n\n{FINE}\n{{\"version\":\"1.0.0\",\"agent_id\":\"\"}}\n");
    let sandbox = Sandbox::with(&[("a.jsonl", lines.as_bytes())]);
    let args = ["convert", "--to", "pinchy", "--session", "s1", "a.jsonl"];
    insta::assert_snapshot!(sandbox.run(&args).show(), @"
    --- stderr
    a.jsonl:1: pinchy has no type for `effort.recorded` of needle: What a bead has used so far [no_equivalent]
    a.jsonl:2: not JSON: unexpected character at column 2, near `broken` [invalid: json]
    a.jsonl:4: pinchy demands `tenant_id`, which the event lacks; give it with --tenant [missing]
    a.jsonl:5: /agent_id: must not be empty [invalid: length]
    a.jsonl:5: /event_type: `event_type` is missing [invalid: missing]
    a.jsonl:5: /timestamp: `timestamp` is missing [invalid: missing]
    --- exit 1
    ");
    let mut with_json = args.to_vec();
    with_json.push("--json");
    insta::assert_snapshot!(sandbox.run(&with_json).show(), @r#"
    --- stderr
    {"file":"a.jsonl","line":1,"code":"no_equivalent","message":"pinchy has no type for `effort.recorded` of needle: What a bead has used so far"}
    {"file":"a.jsonl","line":2,"code":"invalid","problem":"json","message":"not JSON: unexpected character at column 2, near `broken`"}
    {"file":"a.jsonl","line":4,"code":"missing","message":"pinchy demands `tenant_id`, which the event lacks; give it with --tenant"}
    {"file":"a.jsonl","line":5,"code":"invalid","problem":"length","message":"/agent_id: must not be empty"}
    {"file":"a.jsonl","line":5,"code":"invalid","problem":"missing","message":"/event_type: `event_type` is missing"}
    {"file":"a.jsonl","line":5,"code":"invalid","problem":"missing","message":"/timestamp: `timestamp` is missing"}
    --- exit 1
    "#);
    let mut with_tenant = args.to_vec();
    with_tenant.extend(["--tenant", "acme"]);
    let ran = sandbox.run(&with_tenant);
    assert_eq!((ran.code, ran.stdout.lines().count()), (1, 1));
}

#[test]
fn a_printed_object_becomes_one_line() {
    let pretty = "{\n  \"timestamp\": \"2026-01-01T00:00:00Z\",\n  \"event_type\": \"worker.idle\",\n  \"worker_id\": \"w\",\n  \"session_id\": \"s\",\n  \"sequence\": 1,\n  \"data\": {}\n}\n";
    let sandbox = Sandbox::with(&[("a.json", pretty.as_bytes())]);
    insta::assert_snapshot!(sandbox.run(&["convert", "--to", "needle", "a.json"]).show(), @r#"
    {   "timestamp": "2026-01-01T00:00:00Z",   "event_type": "worker.idle",   "worker_id": "w",   "session_id": "s",   "sequence": 1,   "data": {} }
    --- stderr
    --- exit 0
    "#);
}

#[test]
fn a_request_with_many_records_gives_many_events() {
    let record = |n: u32| {
        format!(
            r#"{{"timeUnixNano":"{n}000000000","eventName":"e{n}","attributes":[{{"key":"session.id","value":{{"stringValue":"s"}}}}]}}"#
        )
    };
    let request = format!(
        r#"{{"resourceLogs":[{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"svc"}}}}]}},"scopeLogs":[{{"logRecords":[{},{}]}}]}}]}}"#,
        record(1),
        record(2)
    );
    let sandbox = Sandbox::with(&[("a.json", request.as_bytes())]);
    let ran = sandbox.run(&["convert", "--to", "needle", "a.json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let facts = sandbox.pipe(&["validate", "--strict"], ran.stdout.as_bytes());
    assert_eq!((facts.code, ran.stdout.lines().count()), (0, 2));
    assert!(ran.stdout.contains(r#""sequence":0"#) && ran.stdout.contains(r#""sequence":1"#));
    let same = sandbox.run(&["convert", "--to", "otlp", "a.json"]);
    assert_eq!(same.stdout.trim_end(), request);
}

#[test]
fn a_malformed_request_is_told_and_its_good_records_come_out() {
    let sandbox = Sandbox::with(&[]);
    let lines = [
        r#"{"resourceLogs":5}"#,
        r#"{"resourceLogs":[5]}"#,
        r#"{"resourceLogs":[{"scopeLogs":5}]}"#,
        r#"{"resourceLogs":[{"resource":[],"scopeLogs":[]},{"scopeLogs":[{"logRecords":{}}]}]}"#,
        r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[5,"x",{"attributes":[{"key":1}]}]}]}]}"#,
        r#"{"resourceLogs":[],"resourceLogs":[]}"#,
    ];
    for target in ["collector", "otlp"] {
        let ran = sandbox.pipe(&["convert", "--to", target], lines.join("\n").as_bytes());
        insta::allow_duplicates! { insta::assert_snapshot!(ran.show(), @r#"
        --- stderr
        -:1: /resourceLogs: expected array, found number [invalid: type]
        -:2: /resourceLogs/0: expected object, found number [invalid: type]
        -:3: /resourceLogs/0/scopeLogs: expected array, found number [invalid: type]
        -:4: /resourceLogs/0/resource: expected object, found array [invalid: type]
        -:4: /resourceLogs/1/scopeLogs/0/logRecords: expected array, found object [invalid: type]
        -:5: /resourceLogs/0/scopeLogs/0/logRecords/0: expected object, found number [invalid: type]
        -:5: /resourceLogs/0/scopeLogs/0/logRecords/1: expected object, found string [invalid: type]
        -:5: /resourceLogs/0/scopeLogs/0/logRecords/2/attributes/0/key: expected string, found number [invalid: type]
        -:6: /resourceLogs: "resourceLogs" stands twice; only the first is read [invalid: duplicate_key]
        --- exit 1
        "#) };
    }
    let good = r#"{"timeUnixNano":"1","eventName":"e"}"#;
    let request = |records: &str| {
        format!(
            r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{records}],"schemaUrl":"u"}}]}}]}}"#
        )
    };
    let mixed = request(&format!("5,{good},null"));
    let args = ["convert", "--agent", "a", "--to"];
    let to = |target| sandbox.pipe(&[&args[..], &[target]].concat(), mixed.as_bytes());
    assert_eq!(to("otlp").stdout.trim_end(), request(good));
    assert_eq!(to("otlp").stderr, to("collector").stderr);
    assert_eq!((to("collector").code, to("collector").stdout.lines().count()), (1, 1));
    let empty = sandbox.pipe(&["convert", "--to", "otlp"], br#"{"resourceLogs":null}"#);
    assert_eq!((empty.code, empty.stdout.trim_end()), (0, r#"{"resourceLogs":null}"#));
}

#[test]
fn what_is_no_proper_cloudevent_is_told_and_the_others_come_out() {
    let sandbox = Sandbox::with(&[]);
    let good =
        r#"{"specversion":"1.0","id":"1","source":"/a","type":"t","time":"2026-01-01T00:00:00Z"}"#;
    let lines = [
        good.replace("1.0", "0.3"),
        good.replace(r#""1.0""#, "1.0"),
        good.replace(r#""1.0""#, r#""\u0032.0""#),
        good.replace(r#""id":"1""#, r#""id":"""#),
        good.replace(r#""source":"/a","type":"t""#, r#""type":7"#),
        format!(r#"[{good},5,{{}},{}]"#, good.replace("1.0", "2.0")),
        "[]".to_owned(),
    ];
    let outputs = ["collector", "cloudevents"].map(|target| {
        let ran = sandbox.pipe(&["convert", "--to", target], lines.join("\n").as_bytes());
        assert_eq!((ran.code, ran.stdout.lines().count()), (1, 1));
        insta::allow_duplicates! { insta::assert_snapshot!(ran.stderr, @"
        -:1: /specversion: CloudEvents of version `0.3` are not read, only `1.0` [invalid: foreign_version]
        -:2: /specversion: expected string, found number [invalid: type]
        -:3: /specversion: CloudEvents of version `2.0` are not read, only `1.0` [invalid: foreign_version]
        -:4: /id: must not be empty [invalid: length]
        -:5: /source: `source` is missing [invalid: missing]
        -:5: /type: expected string, found number [invalid: type]
        -:6: /1: expected object, found number [invalid: type]
        -:6: /2/specversion: `specversion` is missing [invalid: missing]
        -:6: /2/id: `id` is missing [invalid: missing]
        -:6: /2/source: `source` is missing [invalid: missing]
        -:6: /2/type: `type` is missing [invalid: missing]
        -:6: /3/specversion: CloudEvents of version `2.0` are not read, only `1.0` [invalid: foreign_version]
        ") };
        ran.stdout
    });
    assert_eq!(outputs[1].trim_end(), good);
}

#[test]
fn a_cloudevent_without_a_time_is_what_lacks_it() {
    let sandbox = Sandbox::with(&[]);
    let timeless = r#"{"specversion":"1.0","id":"1","source":"/a","type":"t"}"#;
    let at_noon = timeless.replace('}', r#","time":"noon"}"#);
    let lines = [timeless, &at_noon].join("\n");
    for target in ["needle", "collector"] {
        let ran = sandbox.pipe(&["convert", "--to", target], lines.as_bytes());
        insta::allow_duplicates! { insta::assert_snapshot!(ran.show(), @"
        --- stderr
        -:1: the CloudEvent lacks `time`; give it with --time [missing]
        -:2: /time: not an RFC 3339 time with an offset [invalid: format]
        --- exit 1
        ") };
    }
    let same = sandbox.pipe(&["convert", "--to", "cloudevents"], timeless.as_bytes());
    assert_eq!((same.code, same.stdout.trim_end()), (0, timeless));
    let args = ["convert", "--to", "collector", "--time", "2026-01-01T00:00:00Z"];
    assert_eq!(sandbox.pipe(&args, timeless.as_bytes()).code, 0);
}

#[test]
fn wrong_use_is_told() {
    let ran = weft(&["convert", "a.jsonl"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--to <TARGET>"), "{}", ran.stderr);
    assert_eq!(weft(&["convert", "--to", "weft", "a.jsonl"]).code, 2);
    assert_eq!(weft(&["convert", "--to", "idle", "--time", "noon", "a.jsonl"]).code, 2);
    let ran = weft(&["convert", "--to", "idle", "missing.jsonl"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("missing.jsonl"), "{}", ran.stderr);
}

#[test]
fn a_file_name_cannot_steer_a_terminal() {
    let sandbox = Sandbox::with(&[("a\u{1b}[2J.jsonl", b"x\n")]);
    let ran = sandbox.run(&["convert", "--to", "needle", "a\u{1b}[2J.jsonl", "b\u{1b}[2J.jsonl"]);
    assert!(!ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
}

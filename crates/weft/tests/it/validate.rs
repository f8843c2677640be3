//! `weft validate`: inputs, formats, options and exit codes.

use std::process::Stdio;

use serde_json::Value;
use weft_event::Dialect;

use crate::sandbox::{FINE, ODD, OWN, Ran, Sandbox, weft};

fn mixed() -> Sandbox {
    let lines = [FINE, ODD, "nope", OWN, r#"{"weft_seal":{}}"#, ""].join("\n");
    Sandbox::with(&[("a.jsonl", lines.as_bytes())])
}

fn objects(ran: &Ran) -> Vec<Value> {
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn text_tells_problems_on_stdout_and_the_summary_on_stderr() {
    insta::assert_snapshot!(mixed().run(&["validate", "a.jsonl"]).show(), @"
    a.jsonl:2: /status: warning: `lifecycle.started` means `started`; the stated `blocked` counts [status_mismatch]
    a.jsonl:3: not JSON: unexpected character at column 1, near `nope` [json]
    --- stderr
    4 events: 3 valid, 1 invalid, 1 warning, 1 seal skipped
      collector  2 events: 2 valid, 0 invalid, 1 warning
      weft       1 event: 1 valid, 0 invalid, 0 warnings
      unknown    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
}

#[test]
fn json_is_one_object_a_line_and_the_summary_last() {
    let ran = mixed().run(&["validate", "--json", "a.jsonl"]);
    insta::assert_snapshot!(ran.show(), @r#"
    {"file":"a.jsonl","line":2,"severity":"warning","dialect":"collector","pointer":"/status","code":"status_mismatch","message":"`lifecycle.started` means `started`; the stated `blocked` counts"}
    {"file":"a.jsonl","line":3,"severity":"error","dialect":null,"pointer":"","code":"json","message":"not JSON: unexpected character at column 1, near `nope`"}
    {"summary":{"events":4,"valid":3,"invalid":1,"warnings":1,"seals":1,"dialects":{"collector":{"events":2,"valid":2,"invalid":0,"warnings":1},"weft":{"events":1,"valid":1,"invalid":0,"warnings":0},"unknown":{"events":1,"valid":0,"invalid":1,"warnings":0}}}}
    --- stderr
    --- exit 1
    "#);
    let objects = objects(&ran);
    let (summary, problems) = objects.split_last().unwrap();
    for problem in problems {
        let keys: Vec<_> = problem.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["code", "dialect", "file", "line", "message", "pointer", "severity"]);
    }
    let counts = &summary["summary"];
    let sum = |name: &str| -> u64 {
        let dialects = counts["dialects"].as_object().unwrap();
        dialects.values().map(|dialect| dialect[name].as_u64().unwrap()).sum()
    };
    for name in ["events", "valid", "invalid", "warnings"] {
        assert_eq!(counts[name], sum(name), "{name}");
    }
}

#[test]
fn strict_makes_warnings_errors() {
    let sandbox = Sandbox::with(&[("a.jsonl", ODD.as_bytes())]);
    insta::assert_snapshot!(sandbox.run(&["validate", "a.jsonl"]).show(), @"
    a.jsonl:1: /status: warning: `lifecycle.started` means `started`; the stated `blocked` counts [status_mismatch]
    --- stderr
    1 event: 1 valid, 0 invalid, 1 warning
    --- exit 0
    ");
    insta::assert_snapshot!(sandbox.run(&["validate", "--strict", "a.jsonl"]).show(), @"
    a.jsonl:1: /status: `lifecycle.started` means `started`; the stated `blocked` counts [status_mismatch]
    --- stderr
    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
    let strict = sandbox.run(&["validate", "--strict", "--json", "a.jsonl"]);
    assert_eq!(objects(&strict)[0]["severity"], "error");
}

#[test]
fn explain_says_how_each_dialect_was_settled() {
    insta::assert_snapshot!(mixed().run(&["validate", "--explain", "a.jsonl"]).show(), @"
    a.jsonl:1: dialect: collector, the only one that fits: collector by `version` `agent_id` (complete)
    a.jsonl:2: dialect: collector, the only one that fits: collector by `version` `agent_id` `status` (complete)
    a.jsonl:2: /status: warning: `lifecycle.started` means `started`; the stated `blocked` counts [status_mismatch]
    a.jsonl:3: not JSON: unexpected character at column 1, near `nope` [json]
    a.jsonl:4: dialect: weft, the only one that fits: weft by `weft` (complete)
    --- stderr
    4 events: 3 valid, 1 invalid, 1 warning, 1 seal skipped
      collector  2 events: 2 valid, 0 invalid, 1 warning
      weft       1 event: 1 valid, 0 invalid, 0 warnings
      unknown    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
    insta::assert_snapshot!(mixed().run(&["validate", "--explain", "--json", "a.jsonl"]).show(), @r#"
    {"file":"a.jsonl","line":1,"explain":{"dialect":"collector","settled":"only_fit","fits":[{"dialect":"collector","marks":["version","agent_id"],"complete":true}]}}
    {"file":"a.jsonl","line":2,"explain":{"dialect":"collector","settled":"only_fit","fits":[{"dialect":"collector","marks":["version","agent_id","status"],"complete":true}]}}
    {"file":"a.jsonl","line":2,"severity":"warning","dialect":"collector","pointer":"/status","code":"status_mismatch","message":"`lifecycle.started` means `started`; the stated `blocked` counts"}
    {"file":"a.jsonl","line":3,"severity":"error","dialect":null,"pointer":"","code":"json","message":"not JSON: unexpected character at column 1, near `nope`"}
    {"file":"a.jsonl","line":4,"explain":{"dialect":"weft","settled":"only_fit","fits":[{"dialect":"weft","marks":["weft"],"complete":true}]}}
    {"summary":{"events":4,"valid":3,"invalid":1,"warnings":1,"seals":1,"dialects":{"collector":{"events":2,"valid":2,"invalid":0,"warnings":1},"weft":{"events":1,"valid":1,"invalid":0,"warnings":0},"unknown":{"events":1,"valid":0,"invalid":1,"warnings":0}}}}
    --- stderr
    --- exit 1
    "#);
}

#[test]
fn a_named_dialect_is_taken_at_its_word() {
    let ran = Sandbox::with(&[]).pipe(&["validate", "--dialect", "weft"], FINE.as_bytes());
    insta::assert_snapshot!(ran.show(), @"
    -:1: /weft: `weft` is missing [missing]
    -:1: /type: `type` is missing [missing]
    -:1: /id: `id` is missing [missing]
    -:1: /at: `at` is missing [missing]
    -:1: /data: `data` is missing [missing]
    --- stderr
    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
    let ran = Sandbox::with(&[]).pipe(&["validate", "--dialect", "colector"], b"");
    insta::assert_snapshot!(ran.show(), @"
    --- stderr
    error: invalid value 'colector' for '--dialect <DIALECT>'
      [possible values: idle, collector, pinchy, engine, needle, weft]

      tip: a similar value exists: 'collector'

    For more information, try '--help'.
    --- exit 2
    ");
}

#[test]
fn standard_input_is_the_default_and_is_called_a_dash() {
    let sandbox = Sandbox::with(&[]);
    let ran = sandbox.pipe(&["validate"], b"nope\n");
    insta::assert_snapshot!(ran.show(), @"
    -:1: not JSON: unexpected character at column 1, near `nope` [json]
    --- stderr
    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
    assert_eq!(sandbox.pipe(&["validate", "-"], b"nope\n").show(), ran.show());
}

#[test]
fn a_folder_is_searched_in_the_order_of_names() {
    let files: [(&str, &[u8]); 7] = [
        ("logs/b/2.ndjson", b"in b 2"),
        ("logs/b/1.json", b"in b 1"),
        ("logs/c.jsonl", b"in c"),
        ("logs/a.jsonl", b"in a"),
        ("logs/readme.md", b"not an event"),
        ("logs/.hidden/x.jsonl", b"in hidden"),
        ("none/readme.md", b"not an event"),
    ];
    let sandbox = Sandbox::with(&files);
    std::os::unix::fs::symlink("..", sandbox.path().join("logs/loop")).unwrap();
    insta::assert_snapshot!(sandbox.run(&["validate", "logs"]).show(), @"
    logs/.hidden/x.jsonl:1: not JSON: unexpected character at column 1, near `in hidden` [json]
    logs/a.jsonl:1: not JSON: unexpected character at column 1, near `in a` [json]
    logs/b/1.json:1: not JSON: unexpected character at column 1, near `in b 1` [json]
    logs/b/2.ndjson:1: not JSON: unexpected character at column 1, near `in b 2` [json]
    logs/c.jsonl:1: not JSON: unexpected character at column 1, near `in c` [json]
    --- stderr
    5 events: 0 valid, 5 invalid, 0 warnings
    --- exit 1
    ");
    insta::assert_snapshot!(sandbox.run(&["validate", "none"]).show(), @"
    --- stderr
    note: none has no files named *.jsonl, *.ndjson, *.json
    0 events: 0 valid, 0 invalid, 0 warnings
    --- exit 0
    ");
}

#[test]
fn a_pretty_printed_event_is_one_event() {
    let pretty = FINE.replace(',', ",\n  ").replace("{", "{\n  ").replace('}', "\n}");
    let sandbox = Sandbox::with(&[("a.json", pretty.as_bytes())]);
    insta::assert_snapshot!(sandbox.run(&["validate", "a.json"]).show(), @"
    --- stderr
    1 event: 1 valid, 0 invalid, 0 warnings
    --- exit 0
    ");
    let broken = pretty.replace("\"@a\"", "7");
    let sandbox = Sandbox::with(&[("a.json", broken.as_bytes())]);
    insta::assert_snapshot!(sandbox.run(&["validate", "a.json"]).show(), @"
    a.json:1: /agent_id: expected string, found number [type]
    --- stderr
    1 event: 0 valid, 1 invalid, 0 warnings
    --- exit 1
    ");
}

#[test]
fn a_document_belongs_to_the_engine() {
    insta::assert_snapshot!(weft(&["validate", "--as", "plan", "--dialect", "idle", "-"]).show(), @"
    --- stderr
    error: --as plan is a document of engine, not of idle
    --- exit 2
    ");
    insta::assert_snapshot!(weft(&["validate", "--as", "plans", "-"]).show(), @"
    --- stderr
    error: invalid value 'plans' for '--as <DOCUMENT>'
      [possible values: action, observation, plan, task, rule, result, evidence]

      tip: a similar value exists: 'plan'

    For more information, try '--help'.
    --- exit 2
    ");
}

#[test]
fn every_document_of_the_engine_can_be_named() {
    for name in Dialect::Engine.documents() {
        let ran = Sandbox::with(&[]).pipe(&["validate", "--json", "--as", name], b"[\n1\n]");
        let objects = objects(&ran);
        assert_eq!(
            objects.last().unwrap()["summary"]["dialects"]["engine"]["invalid"],
            1,
            "{name}"
        );
    }
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    for (line, code) in [(FINE, 0), ("nope", 1)] {
        let sandbox = Sandbox::with(&[("a.jsonl", line.as_bytes())]);
        let mut command = sandbox.command(&["validate", "--json", "a.jsonl"]);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = Ran::from(command.stdout(writer).stderr(Stdio::piped()).output().unwrap());
        assert_eq!((ran.code, ran.stderr.as_str()), (code, ""), "{line}");
    }
}

#[test]
fn a_full_disk_is_an_error() {
    let sandbox = mixed();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = sandbox.command(&["validate", "--json", "a.jsonl"]);
    let ran = Ran::from(command.stdout(full).stderr(Stdio::piped()).output().unwrap());
    insta::assert_snapshot!(ran.show(), @"
    --- stderr
    error: cannot write the report: No space left on device (os error 28)
    --- exit 2
    ");
}

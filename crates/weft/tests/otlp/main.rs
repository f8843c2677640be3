//! The official OpenTelemetry SDKs for Python and JavaScript, exporting to a real `weft up`: every record is there once, with its
//! facts, whatever way it came. And what Weft sends by OTLP, to another Weft, to receivers of all moods, and as the SDKs read it.
//!
//! `scripts/clients FOLDER` fetches them; the tests find the folder by WEFT_TEST_CLIENTS.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene has failed")]
#![expect(clippy::print_stdout, reason = "what is not tested is told")]

mod out;
mod scene;

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;

use scene::{Record, Scene};

/// How many records and spans each exporter sends: more than one batch.
const N: usize = 250;

/// Returns an exporter of a language, or says that it is not tested.
fn exporter(language: &str) -> Option<Command> {
    client(language, if language == "python" { "export.py" } else { "export.js" })
}

/// Returns a script of a language with its SDK, or says that it is not tested: where no clients were to be fetched, or the machine
/// does not have the language.
fn client(language: &str, name: &str) -> Option<Command> {
    let (runs, program) =
        if language == "python" { ("python", "python3") } else { ("node", "node") };
    let root = std::env::var_os("WEFT_TEST_CLIENTS").map(PathBuf::from);
    let set = root.map(|root| root.join(runs).join("otel"));
    let is_fetched = |set: &PathBuf| {
        let is_fetched = set.join("fetched").is_file();
        let runs = || Command::new(program).arg("--version").output().is_ok();
        assert!(is_fetched || !runs(), "{} lacks its packages: scripts/clients", set.display());
        is_fetched
    };
    let Some(set) = set.filter(is_fetched) else {
        println!("not tested: the OpenTelemetry SDK for {language} (WEFT_TEST_CLIENTS)");
        return None;
    };
    let script = format!("{}/tests/otlp/{name}", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(program);
    match language {
        "python" => command.env("PYTHONPATH", set).arg(script),
        _ => command.env("NODE_PATH", set.join("node_modules")).arg(script),
    };
    Some(command)
}

/// Exports, and returns what is in the log then.
fn export(language: &str, way: &str) -> Option<Vec<Record>> {
    let mut exporter = exporter(language)?;
    let scene = Scene::start();
    let ran = exporter.args([way, scene.http(), &N.to_string()]).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.is_empty(), "{language} {way}: {said}");
    Some(scene.end())
}

/// Checks that every record and every span about a model is there once, with its facts.
fn assert_exported(records: &[Record], language: &str, way: &str) {
    let session = format!("{language}-{way}");
    let mut n_seen: HashMap<String, usize> = HashMap::new();
    for Record { via, line } in records {
        assert_eq!(via, "otlp");
        let (mut tape, mut problems) = (Tape::new(), Problems::new());
        let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems).unwrap();
        assert_eq!(problems.list(), [], "{line}");
        let facts = event.facts();
        assert_eq!(facts.session.as_deref(), Some(&*session), "{line}");
        assert_eq!(facts.actor.as_deref(), Some(&*format!("sdk-{language}")), "{line}");
        let message = facts.message.as_deref().unwrap();
        *n_seen.entry(message.to_owned()).or_default() += 1;
        let (kind, n) = message.rsplit_once(' ').unwrap();
        let n: u64 = n.parse().unwrap_or(0);
        match kind {
            "record" => {
                assert_eq!(facts.event_type, "hook.post_tool_use", "{line}");
                assert_eq!(facts.time_ns, Some(1_794_736_800_000_000_000 + n as i64), "{line}");
                assert_eq!((facts.order, facts.duration_ms), (Some(n), Some(7)), "{line}");
                assert_eq!(facts.tool.as_deref(), Some("Bash"), "{line}");
                assert_eq!(facts.span.as_deref(), Some(&*format!("toolu_{n}")), "{line}");
            }
            "chat" => {
                let failed = if n == 0 { "system.error" } else { "activity.thinking" };
                assert_eq!(facts.event_type, failed, "{line}");
                assert!(facts.trace.is_some() && facts.span.is_some(), "{line}");
                let usage = facts.usage.as_ref().unwrap();
                assert_eq!((usage.input_tokens, usage.output_tokens), (Some(11), Some(n)));
                assert_eq!(usage.model.as_deref(), Some("m"), "{line}");
            }
            _ => assert_eq!(facts.event_type, "system.heartbeat", "{line}"),
        }
    }
    for n in 0..N {
        for kind in ["record", "chat"] {
            assert_eq!(n_seen.get(&format!("{kind} {n}")), Some(&1), "{kind} {n} by {way}");
        }
    }
}

#[test]
fn python_exports_over_http_and_grpc() {
    for way in ["http", "grpc"] {
        let Some(records) = export("python", way) else { return };
        assert_exported(&records, "python", way);
        let tokens = |record: &Record| -> u64 {
            let event: Value = serde_json::from_str(&record.line).unwrap();
            let is_metric = event["metadata"]["usage_from"] == "metric";
            let tokens = &event["metadata"]["usage"]["output_tokens"];
            tokens.as_u64().filter(|_| is_metric).unwrap_or(0)
        };
        let total: u64 = records.iter().map(tokens).sum();
        assert_eq!(total, 42, "the running totals of a counter add up to what was counted");
    }
}

#[test]
fn javascript_exports_as_json_as_protobuf_and_over_grpc() {
    for way in ["json", "protobuf", "grpc"] {
        let Some(records) = export("javascript", way) else { return };
        assert_exported(&records, "javascript", way);
        assert_eq!(records.len(), 2 * N, "spans that are not about agents are left out");
    }
}

//! The server as `curl` meets it, and the commands that the documents give.

use std::fs::File;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::sandbox::{FINE, ODD, Ran, Sandbox, binary};
use crate::served::{PATIENCE, Served, lines};
use crate::stored::{collector, needle};

/// What every JSON body is said to be; curl would call it a form.
const JSON: &str = "Content-Type: application/json";

const DONE: &str = r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}"#;

/// Runs curl in a sandbox; `WEFT` in the arguments is the server.
fn curl(sandbox: &Sandbox, served: &Served, args: &[&str]) -> Ran {
    let weft = format!("http://{}", served.http);
    let mut command = Command::new("curl");
    command.args(["--silent", "--show-error", "--max-time", "60"]).current_dir(sandbox.path());
    command.args(args.iter().map(|arg| arg.replace("WEFT", &weft)));
    Ran::from(command.output().expect("curl is installed: CONTRIBUTING.md says what is needed"))
}

/// Runs curl and reads the answer: its status and its JSON.
fn answer(sandbox: &Sandbox, served: &Served, args: &[&str]) -> (u16, Value) {
    let ran = curl(sandbox, served, &[&["-w", "\n%{http_code}"], args].concat());
    assert_eq!(ran.code, 0, "{}", ran.show());
    let (body, status) = ran.stdout.rsplit_once('\n').unwrap();
    (status.parse().unwrap(), serde_json::from_str(body).unwrap_or_else(|_| body.into()))
}

#[test]
fn events_go_in_by_every_form_and_come_out_as_they_were() {
    let events: Vec<String> = (1..=30).map(|n| needle(0, "w", "s1", n)).collect();
    let lines = events.join("\n") + "\n";
    let array = format!("[{FINE},{ODD}]");
    let sandbox =
        Sandbox::with_store(&[("lines.jsonl", lines.as_bytes()), ("array.json", array.as_bytes())]);
    let gzip = File::create(sandbox.path().join("lines.gz")).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(gzip, flate2::Compression::fast());
    gzip.write_all(lines.as_bytes()).unwrap();
    gzip.finish().unwrap();
    let zstd = zstd::stream::encode_all(lines.as_bytes(), 3).unwrap();
    std::fs::write(sandbox.path().join("lines.zst"), zstd).unwrap();
    let served = Served::start(&sandbox);
    let post = |args: &[&str]| {
        let (status, answer) = answer(&sandbox, &served, &[&["WEFT/v1/events"], args].concat());
        assert_eq!(status, 202, "{answer}");
        answer
    };
    let keyed = ["-H", JSON, "-H", "Idempotency-Key: k1", "-d", DONE];
    assert_eq!(post(&keyed)["position"], 1);
    let again = post(&keyed);
    assert_eq!((&again["position"], &again["repeat"]), (&1.into(), &true.into()));
    assert_eq!(post(&["-H", JSON, "-d", "@array.json"])["accepted"], 2);
    let ndjson = "Content-Type: application/x-ndjson";
    assert_eq!(post(&["-H", ndjson, "--data-binary", "@lines.jsonl"])["accepted"], 30);
    for (name, coding) in [("@lines.gz", "gzip"), ("@lines.zst", "zstd")] {
        let coding = format!("Content-Encoding: {coding}");
        let packed = post(&["-H", ndjson, "-H", &coding, "--data-binary", name]);
        assert_eq!(packed["results"][29]["repeat"], true);
        assert_eq!(packed["results"][29]["position"], 33);
    }
    let chunked =
        ["-H", ndjson, "-H", "Transfer-Encoding: chunked", "-T", "lines.jsonl", "-X", "POST"];
    assert_eq!(post(&chunked)["results"][0]["position"], 4);
    let ran = curl(&sandbox, &served, &["WEFT/v1/sessions/s1?format=jsonl"]);
    assert_eq!(ran.stdout, lines);
    let mut pages = Vec::new();
    let mut after = "0".to_owned();
    loop {
        let target = format!("WEFT/v1/events?limit=7&after={after}");
        let (status, page) = answer(&sandbox, &served, &[&target]);
        assert_eq!(status, 200);
        pages.extend(page["records"].as_array().unwrap().iter().map(|r| r["event"].clone()));
        match page["next"]["after"].as_str() {
            Some(next) => after = next.to_owned(),
            None => break,
        }
    }
    let logged: Vec<Value> =
        sandbox.log().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(pages, logged);
    assert_eq!(logged.len(), 33);
    assert_eq!(served.end(), (Some(0), String::new()));
}

#[test]
fn what_is_refused_shows_in_the_status_and_in_the_exit_code() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let refused = |args: &[&str]| {
        let (status, told) = answer(&sandbox, &served, args);
        format!("{status} {}", told["error"]["code"].as_str().unwrap())
    };
    assert_eq!(refused(&["WEFT/v1/events", "-H", JSON, "-d", "{}"]), "400 refused");
    assert_eq!(
        refused(&["WEFT/v1/events", "-H", "Content-Type: image/png", "-d", "x"]),
        "415 unknown_content_type"
    );
    assert_eq!(refused(&["WEFT/v1/events/7"]), "404 not_found");
    assert_eq!(refused(&["-X", "PUT", "WEFT/v1/events", "-d", "x"]), "405 wrong_method");
    assert_eq!(refused(&["-H", "Host: evil.example", "WEFT/v1/events"]), "403 wrong_host");
    assert_eq!(
        refused(&["-H", "Origin: http://evil.example", "WEFT/v1/events"]),
        "403 wrong_origin"
    );
    assert_eq!(refused(&["WEFT/v1/events?filter=("]), "400 bad_filter");
    let ran = curl(&sandbox, &served, &["--fail", "WEFT/v1/events/7"]);
    assert_eq!((ran.code, &*ran.stdout), (22, ""));
    assert_eq!(served.end(), (Some(0), String::new()));
}

#[test]
fn a_stream_is_followed_and_goes_on_where_it_was() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let follow = |args: &[&str]| {
        let target = format!("http://{}/v1/stream", served.http);
        let mut command = Command::new("curl");
        command.args(["--silent", "--no-buffer", "--max-time", "60"]).args(args).arg(target);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = lines(child.stdout.take().unwrap());
        (child, lines)
    };
    let (mut child, first) = follow(&[]);
    assert_eq!(first.recv_timeout(PATIENCE).unwrap(), "retry: 1000");
    assert_eq!(curl(&sandbox, &served, &["WEFT/v1/events", "-H", JSON, "-d", DONE]).code, 0);
    let id = first.iter().find_map(|line| Some(line.strip_prefix("id: ")?.to_owned())).unwrap();
    assert!(first.recv_timeout(PATIENCE).unwrap().ends_with(&format!(",\"event\":{DONE}}}")));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(curl(&sandbox, &served, &["WEFT/v1/events", "-H", JSON, "-d", FINE]).code, 0);
    let (mut child, second) = follow(&["-H", &format!("Last-Event-ID: {id}")]);
    let data =
        second.iter().find_map(|line| Some(line.strip_prefix("data: ")?.to_owned())).unwrap();
    assert!(data.ends_with(&format!(",\"event\":{FINE}}}")), "{data}");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(served.end(), (Some(0), String::new()));
}

/// Returns the blocks of a document that are for a shell.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(_), Some(block)) => blocks.push(block),
            // Only a block without a language is one.
            (Some(""), None) => open = Some(String::new()),
            (Some(_), None) => open = Some("#".to_owned()),
            (None, Some(block)) => open = Some(block + line + "\n"),
            (None, None) => {}
        }
    }
    blocks.retain(|block| !block.starts_with('#'));
    blocks
}

#[test]
fn the_commands_of_the_documents_work() {
    let path = format!("{}/../../docs/http.md", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let shown =
        r#""session_id":"s-1","correlation":{"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"}"#;
    let event = collector(0, "system.error", shown);
    assert_eq!(answer(&sandbox, &served, &["WEFT/v1/events", "-H", JSON, "-d", &event]).0, 202);
    assert_eq!(sandbox.run(&["loop", "start", "--session", "s1", "x"]).code, 0);
    let mut n_blocks = 0;
    for block in blocks(&text).iter().filter(|block| block.contains("curl ")) {
        // A stream has no end: what is there comes within a second.
        let script = block.replace("curl ", "curl --fail-with-body --silent --show-error ");
        let script = script.replace(" -N ", " -N --max-time 1 ");
        let mut shell = Command::new("bash");
        shell.args(["-o", "pipefail", "-c", &script]).current_dir(sandbox.path());
        let path = std::env::var("PATH").unwrap();
        let weft = binary();
        shell.env("PATH", format!("{}:{path}", weft.parent().unwrap().display()));
        shell.env("WEFT", format!("http://{}", served.http)).env_remove("WEFT_STORE");
        let ran = Ran::from(shell.output().unwrap());
        // 28 is what curl says when its time is over.
        let expected = if block.contains(" -N ") { 28 } else { 0 };
        assert_eq!(ran.code, expected, "{block}\n{}", ran.show());
        assert!(!ran.stdout.contains("{\"error\":{\"code\":"), "{block}\n{}", ran.show());
        assert!(!ran.stdout.is_empty(), "{block}");
        n_blocks += 1;
    }
    assert!(n_blocks >= 6, "{n_blocks} blocks with curl were found");
    assert_eq!(served.end(), (Some(0), String::new()));
}

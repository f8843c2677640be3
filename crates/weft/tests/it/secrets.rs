//! Secrets stay out of a store, whether a server runs or not, and it is told how many there were.

use serde_json::Value;

use crate::sandbox::{Ran, Sandbox};
use crate::served::Served;

const EVENT: &str = r#"{"version":"1.0.0","event_type":"activity.tool","timestamp":"2026-01-01T00:00:00Z","agent_id":"@a","message":"PGPASSWORD=correct4horse psql acme_q1w2e3"}"#;

const OWN: &str =
    "[[redact.own]]\nname = 'acme-token'\ncontains = 'acme_'\npattern = 'acme_[a-z0-9]+'\n";

fn emit(sandbox: &Sandbox) -> Ran {
    sandbox.pipe(&["emit", "-"], EVENT.as_bytes())
}

fn set(sandbox: &Sandbox, config: &str) {
    std::fs::write(sandbox.store().join("config.toml"), config).unwrap();
}

fn messages(sandbox: &Sandbox) -> Vec<String> {
    let message = |line: &String| {
        let event: Value = serde_json::from_str(line).unwrap();
        event["message"].as_str().unwrap_or_default().to_owned()
    };
    sandbox.log().iter().map(message).collect()
}

#[test]
fn a_secret_is_redacted_by_the_rules_of_the_store() {
    let sandbox = Sandbox::with_store(&[]);
    assert_eq!(emit(&sandbox).code, 0);
    set(&sandbox, OWN);
    assert_eq!(emit(&sandbox).code, 0);
    set(&sandbox, "[redact]\nsources_off = ['emit']\n");
    assert_eq!(emit(&sandbox).code, 0);
    insta::assert_snapshot!(messages(&sandbox).join("\n"), @"
    PGPASSWORD=[redacted:password] psql acme_q1w2e3
    PGPASSWORD=[redacted:password] psql [redacted:acme-token]
    PGPASSWORD=correct4horse psql acme_q1w2e3
    ");
}

#[test]
fn settings_that_are_wrong_let_nothing_through() {
    let sandbox = Sandbox::with_store(&[]);
    set(&sandbox, "[redact]\nsources_off = ['emit']\nrules = 1\n");
    let ran = emit(&sandbox);
    assert!(
        ran.stderr.contains("secrets are redacted by the built-in rules alone"),
        "{}",
        ran.show()
    );
    assert_eq!(messages(&sandbox), ["PGPASSWORD=[redacted:password] psql acme_q1w2e3"]);
}

#[test]
fn a_server_tells_how_many_secrets_each_rule_found() {
    let sandbox = Sandbox::with_store(&[]);
    set(&sandbox, OWN);
    let served = Served::start(&sandbox);
    assert_eq!(emit(&sandbox).code, 0);
    let status = sandbox.run(&["status"]).stdout;
    let row = status.lines().map(str::trim).find(|line| line.starts_with("redacted")).unwrap();
    insta::assert_snapshot!(row, @"redacted  acme-token 1, password 1");
    let metrics = served.get("/metrics");
    let found = metrics.lines().filter(|line| line.starts_with("weft_secrets_redacted_total{"));
    insta::assert_snapshot!(found.collect::<Vec<_>>().join("\n"), @r#"
    weft_secrets_redacted_total{rule="acme-token"} 1
    weft_secrets_redacted_total{rule="password"} 1
    "#);
    drop(served);
    assert_eq!(messages(&sandbox), ["PGPASSWORD=[redacted:password] psql [redacted:acme-token]"]);
}

#[test]
fn what_is_stored_already_is_found_and_taken_out() {
    let sandbox = Sandbox::with_store(&[]);
    set(&sandbox, "[redact]\nsources_off = ['*']\n");
    assert_eq!(emit(&sandbox).code, 0);
    set(&sandbox, OWN);
    let scan = |args: &[&str]| {
        let ran = sandbox.run(&[&["scan"][..], args].concat());
        let segments = std::fs::read_dir(sandbox.store().join("log")).unwrap();
        let names = segments.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let day = names.min().unwrap();
        ran.show().replace(&day, "SEGMENT").replace(&sandbox.store().display().to_string(), "STORE")
    };
    insta::assert_snapshot!(scan(&[]), @"
    log/SEGMENT: record 1: password, acme-token
    2 secrets (acme-token 1, password 1) in 1 record, 0 files replaced
    --- stderr
    `weft scan --redact` takes them out; give each secret a successor
    --- exit 1
    ");
    insta::assert_snapshot!(scan(&["--redact"]), @"
    log/SEGMENT: record 1: password, acme-token
    2 secrets (acme-token 1, password 1) in 1 record, 1 file replaced
    --- stderr
    replaced STORE/log/SEGMENT
    --- exit 0
    ");
    insta::assert_snapshot!(scan(&["--json"]), @r#"
    {"summary":{"secrets":0,"records":0,"replaced":0,"rules":{}}}
    --- stderr
    --- exit 0
    "#);
    assert_eq!(messages(&sandbox)[0], "PGPASSWORD=[redacted]*** psql [redacted]*");
    let verified = sandbox.run(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.show());
    assert!(verified.stderr.contains("note: record 1 is redacted (password, acme-token)"));
    assert!(verified.stdout.contains("redacted  1 record\n"), "{}", verified.stdout);
    let found = sandbox.run(&["show", "1"]);
    assert!(found.stdout.contains("[redacted]"), "{}", found.show());
}

#[test]
fn what_is_stored_already_is_taken_out_beside_a_running_server() {
    let sandbox = Sandbox::with_store(&[]);
    set(&sandbox, "[redact]\nsources_off = ['*']\n");
    assert_eq!(emit(&sandbox).code, 0);
    set(&sandbox, OWN);
    let served = Served::start(&sandbox);
    assert!(served.get("/v1/events/1").contains("correct4horse"));

    let scanned = sandbox.run(&["scan", "--redact"]);
    assert_eq!(scanned.code, 0, "{}", scanned.show());
    let read = served.get("/v1/events/1");
    assert!(read.contains("PGPASSWORD=[redacted]*** psql [redacted]*"), "{read}");
    let logged = sandbox.run(&["log"]);
    assert!(!logged.stdout.contains("correct4horse"), "{}", logged.show());

    assert_eq!(emit(&sandbox).code, 0, "the server writes on");
    assert_eq!(sandbox.run(&["scan"]).code, 0, "nothing is left");
    drop(served);
    let verified = sandbox.run(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.show());
    assert!(verified.stdout.contains("redacted  1 record\n"), "{}", verified.stdout);
}

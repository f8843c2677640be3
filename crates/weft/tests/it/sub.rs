//! Subscriptions, made and changed in the log with no server running.

use crate::sandbox::{FINE, Sandbox};

/// Runs; takes what differs from run to run out of what it says.
fn run(sandbox: &Sandbox, args: &[&str]) -> String {
    let folder = sandbox.path().canonicalize().unwrap();
    sandbox.run(args).show().replace(folder.to_str().unwrap(), "HERE")
}

/// A store with one event.
fn stored() -> Sandbox {
    let sandbox = Sandbox::with_store(&[("a.jsonl", format!("{FINE}\n").as_bytes())]);
    assert_eq!(sandbox.run(&["ingest", "a.jsonl"]).code, 0);
    sandbox
}

#[test]
fn one_is_made_and_listed() {
    let sandbox = stored();
    insta::assert_snapshot!(run(&sandbox, &["sub", "add", "hook", "--filter", "level>=warn", "--webhook", "https://example.com/x"]), @"
    --- stderr
    hook begins at position 2; it is served while `weft up` runs
    the secret that its deliveries are signed with is in HERE/.weft/secrets/hook
    --- exit 0
    ");
    let made = sandbox.run(&[
        "sub",
        "--json",
        "add",
        "run",
        "--from",
        "1",
        "--command",
        "sh",
        "-c",
        "cat > \"x y\"",
        "--json",
    ]);
    assert!(
        made.stdout.contains(r#""command":["sh","-c","cat > \"x y\"","--json"]"#),
        "{}",
        made.show()
    );
    insta::assert_snapshot!(run(&sandbox, &["sub"]), @"
    NAME  STATE   KIND     UPTO  DELIVERED  DEAD  FILTER
    hook  active  webhook  1     0          0     level=warn or level=error
    run   active  command  0     0          0     *
    --- stderr
    --- exit 0
    ");
}

#[test]
fn one_is_paused_sent_back_and_removed() {
    let sandbox = stored();
    sandbox.run(&[
        "sub",
        "add",
        "hook",
        "--filter",
        "level>=warn",
        "--webhook",
        "https://example.com/x",
    ]);
    insta::assert_snapshot!(run(&sandbox, &["sub", "pause", "hook"]), @"
    --- stderr
    hook is paused
    --- exit 0
    ");
    insta::assert_snapshot!(run(&sandbox, &["sub", "replay", "hook", "1"]), @"
    --- stderr
    hook goes on from position 1
    --- exit 0
    ");
    let shown = run(&sandbox, &["sub", "show", "hook", "--utc"]);
    let (shown, created) = shown.split_once("created").unwrap();
    assert!(created.contains(" +00:00 (now)") || created.contains("s ago)"), "{created}");
    insta::assert_snapshot!(shown, @"
    name       hook
    state      paused
    kind       webhook
    to         https://example.com/x
    filter     level=warn or level=error
    patience   10 tries, 30000 ms each, 8 sessions at a time
    ");
    insta::assert_snapshot!(run(&sandbox, &["sub", "resume", "hook"]), @"
    --- stderr
    hook is active
    --- exit 0
    ");
    insta::assert_snapshot!(run(&sandbox, &["sub", "dead", "hook"]), @"
    everything was delivered
    --- stderr
    --- exit 0
    ");
    insta::assert_snapshot!(run(&sandbox, &["sub", "rm", "hook"]), @"
    --- stderr
    hook is removed
    --- exit 0
    ");
    assert_eq!(sandbox.run(&["sub", "list"]).stdout, "there are no subscriptions\n");
    assert!(!sandbox.store().join("secrets/hook").exists());
    assert_eq!(sandbox.log().len(), 6, "the event, made, paused, sent back, resumed, removed");
    assert!(!sandbox.run(&["log"]).stdout.contains("subscription"), "bookkeeping is not shown");
}

#[test]
fn one_that_wants_large_values_says_so() {
    let sandbox = stored();
    let made = sandbox.run(&["sub", "--json", "add", "hook", "--pull", "--blobs"]);
    assert!(
        made.stdout.contains(r#""kind":"pull","blobs":true,"state":"active""#),
        "{}",
        made.show()
    );
    insta::assert_snapshot!(sandbox.run(&["sub", "list"]).stdout, @"
    NAME  STATE   KIND         UPTO  DELIVERED  DEAD  FILTER
    hook  active  pull +blobs  1     0          0     *
    ");
    let shown = sandbox.run(&["sub", "show", "hook"]).stdout;
    let (shown, _) = shown.split_once("patience").unwrap();
    insta::assert_snapshot!(shown, @"
    name       hook
    state      active
    kind       pull
    to         whoever asks over HTTP
    blobs      values are put back into their events
    filter     every event
    ");
    let shown = sandbox.run(&["sub", "show", "hook", "--json"]).stdout;
    assert!(shown.contains(r#""blobs":true"#), "{shown}");
}

#[test]
fn one_may_begin_with_what_comes_next() {
    let sandbox = stored();
    insta::assert_snapshot!(run(&sandbox, &["sub", "add", "one", "--pull", "--from", "2"]), @"
    --- stderr
    one begins at position 2; it is served while `weft up` runs
    --- exit 0
    ");
    insta::assert_snapshot!(run(&sandbox, &["sub", "replay", "one", "3"]), @"
    --- stderr
    one goes on from position 3
    --- exit 0
    ");
}

#[test]
fn the_secret_is_the_owners_alone_and_not_in_the_log() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::with_store(&[("own", b"a-secret-of-mine\n")]);
    sandbox.run(&["sub", "add", "made", "--webhook", "http://localhost:1/"]);
    let file = sandbox.store().join("secrets/made");
    let secret = std::fs::read_to_string(&file).unwrap();
    assert_eq!(secret.len(), 64);
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let args = ["sub", "add", "own", "--webhook", "http://localhost:1/", "--secret-file", "own"];
    assert_eq!(sandbox.run(&args).code, 0);
    let log = sandbox.log().join("\n");
    assert!(!log.contains(&secret) && !log.contains("a-secret-of-mine"), "{log}");
}

#[test]
fn wrong_use_is_told() {
    let sandbox = Sandbox::with_store(&[]);
    let said = |args: &[&str]| {
        let ran = sandbox.run(&[&["sub"], args].concat());
        assert_eq!(ran.code, 2, "{}", ran.show());
        ran.stderr.lines().next().unwrap().to_owned()
    };
    assert_eq!(sandbox.run(&["sub", "add", "one", "--pull"]).code, 0);
    let all = [
        said(&["add", "one", "--pull"]),
        said(&["add", "a/b", "--pull"]),
        said(&["add", "two", "--pull", "--webhook", "http://x/"]),
        said(&["add", "two", "--webhook", "file:///x"]),
        said(&["add", "two", "--pull", "--filter", "level>="]),
        said(&["add", "two", "--pull", "--from", "yesterday"]),
        said(&["add", "two", "--pull", "--from", "3"]),
        said(&["add", "two", "--pull", "--attempts", "0"]),
        said(&["show", "two"]),
        said(&["pause", "two"]),
        said(&["replay", "one", "0"]),
        said(&["replay", "one", "3"]),
        said(&["dead"]),
        said(&["dead", "replay", "one"]),
        said(&["dead", "drop", "one", "3"]),
    ];
    insta::assert_snapshot!(all.join("\n"), @"
    error: there is a subscription `one` already
    error: a subscription's name has 1 to 64 of the characters a-z A-Z 0-9 . _ - and begins with a letter or digit
    error: the argument '--pull' cannot be used with '--webhook <URL>'
    error: the address must be http:// or https:// with a host, and without a user, a password or a fragment
    error: the filter is wrong at byte 0: `level>=` has no value
    error: --from is start, now, or a position from 1
    error: position 3 is beyond the end of the log: the next event is 2
    error: `attempts_max` must be from 1 to 1000
    error: there is no subscription `two`
    error: there is no subscription `two`
    error: the position is a number from 1, or start
    error: position 3 is beyond the end of the log: the next event is 2
    error: the following required arguments were not provided:
    error: the following required arguments were not provided:
    error: the event at position 3 is not on the list of the dead of `one`
    ");
}

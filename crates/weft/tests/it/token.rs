//! Tokens: made, listed, revoked, and what a running server makes of that.

use serde_json::Value;

use crate::sandbox::{Ran, Sandbox};
use crate::served::Served;

/// Makes a token; returns it.
fn make(sandbox: &Sandbox, args: &[&str]) -> String {
    let ran = sandbox.run(&[&["token", "new"], args].concat());
    assert_eq!(ran.code, 0, "{}", ran.show());
    ran.stdout.trim().to_owned()
}

/// Returns what is shown, without what differs each time.
fn shown(ran: &Ran, tokens: &[&str], ids: &[&str]) -> String {
    let mut text = ran.show();
    for token in tokens {
        text = text.replace(token, "TOKEN");
    }
    for (n, id) in ids.iter().enumerate() {
        text = text.replace(id, &format!("0000000{n}"));
    }
    text
}

fn ids(sandbox: &Sandbox) -> Vec<String> {
    let listed = sandbox.run(&["token", "list", "--json"]).stdout;
    let id = |line: &str| {
        let token: Value = serde_json::from_str(line).unwrap();
        token["id"].as_str().unwrap().to_owned()
    };
    listed.lines().map(id).collect()
}

#[test]
fn a_token_is_printed_once_and_kept_nowhere() {
    let sandbox = Sandbox::with_store(&[]);
    let ran = sandbox.run(&["token", "new", "ci", "--scope", "write", "--scope", "read"]);
    let (token, ids) = (ran.stdout.trim().to_owned(), ids(&sandbox));
    insta::assert_snapshot!(shown(&ran, &[&token], &[&ids[0]]), @"
    TOKEN
    --- stderr
    made the token ci (00000000): read and write, until it is revoked
    it is not shown again; send it as `Authorization: Bearer …`
    --- exit 0
    ");
    assert_eq!(token.len(), "weft_".len() + 64);
    for entry in std::fs::read_dir(sandbox.store()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            assert!(!text.contains(&token[5..]), "{}", path.display());
        }
    }
}

#[test]
fn they_are_listed_without_themselves_and_revoked_by_id_or_name() {
    let sandbox = Sandbox::with(&[]);
    let store = ["--store", "made"];
    let run = |args: &[&str]| sandbox.run(&[&["token"], args, &store].concat());
    let made = run(&["new", "--scope", "admin", "--expires", "2200-01-01T00:00:00Z", "--json"]);
    let json: Value = serde_json::from_str(&made.stdout).unwrap();
    assert_eq!(json["expires"], "2200-01-01T00:00:00Z");
    assert_eq!(json["name"], json["id"]);
    assert!(json["token"].as_str().unwrap().starts_with("weft_"));
    run(&["new", "twice", "--scope", "read,write"]);
    run(&["new", "twice", "--scope", "read"]);
    let listed: Vec<Value> = run(&["list", "--json"])
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(listed.len(), 3);
    assert!(listed.iter().all(|token| token.get("token").is_none()), "{listed:?}");
    assert_eq!(listed[1]["scopes"], serde_json::json!(["read", "write"]));
    insta::assert_snapshot!(run(&["revoke", "twice"]).show(), @"
    --- stderr
    error: 2 tokens have the name twice: name the one by its id, as `weft token list` shows it
    --- exit 2
    ");
    let id = listed[2]["id"].as_str().unwrap();
    insta::assert_snapshot!(shown(&run(&["revoke", id]), &[], &[id]), @"
    --- stderr
    the token twice (00000000) is refused from now on
    --- exit 0
    ");
    assert_eq!(run(&["revoke", "twice"]).code, 0);
    insta::assert_snapshot!(run(&["revoke", "twice"]).show(), @"
    --- stderr
    error: there is no token with the id or name twice: `weft token list` shows all of them
    --- exit 2
    ");
    let table = run(&["list", "--utc"]).stdout;
    let made = table.lines().nth(1).unwrap();
    assert!(made.contains("admin") && made.ends_with("2200-01-01 00:00:00"), "{table}");
    run(&["revoke", json["id"].as_str().unwrap()]);
    assert_eq!(run(&["list"]).stdout, "there are no tokens\n");
}

#[test]
fn what_cannot_be_a_token_is_wrong_use() {
    let sandbox = Sandbox::with_store(&[]);
    let run = |args: &[&str]| sandbox.run(&[&["token", "new"], args].concat()).show();
    insta::assert_snapshot!(run(&["x", "--scope", "read", "--expires", "2020-01-01"]), @"
    --- stderr
    error: --expires is a time to come: 12h, 90d, 1y, 2027-01-31 or 2027-01-31T12:00:00Z
    --- exit 2
    ");
    insta::assert_snapshot!(run(&["x", "--scope", "read", "--expires", "2300-01-01"]), @"
    --- stderr
    error: --expires is a time to come: 12h, 90d, 1y, 2027-01-31 or 2027-01-31T12:00:00Z
    --- exit 2
    ");
    insta::assert_snapshot!(run(&["x", "--scope", "fly"]), @"
    --- stderr
    error: invalid value 'fly' for '--scope <SCOPE>': a scope is read, write or admin

    For more information, try '--help'.
    --- exit 2
    ");
    insta::assert_snapshot!(run(&["", "--scope", "read"]), @"
    --- stderr
    error: a token's name has 1 to 100 bytes and no control characters
    --- exit 2
    ");
}

#[test]
fn a_running_server_takes_a_new_one_and_refuses_a_revoked_one() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let status = |token: &str| {
        let answer = served.ask("GET", "/v1/events", &[("Authorization", token)], "");
        answer.split(' ').nth(1).unwrap().to_owned()
    };
    assert_eq!(status("Bearer weft_0"), "401");
    let read = format!("Bearer {}", make(&sandbox, &["board", "--scope", "read"]));
    let write = format!("Bearer {}", make(&sandbox, &["ci", "--scope", "write"]));
    assert_eq!([&read, &write].map(|token| status(token)), ["200", "403"]);
    assert_eq!(sandbox.run(&["token", "revoke", "board"]).code, 0);
    assert_eq!([&read, &write].map(|token| status(token)), ["401", "403"]);
    assert_eq!(served.end(), (Some(0), String::new()));
}

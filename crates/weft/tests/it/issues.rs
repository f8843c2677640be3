//! Issues with the real binary: made, changed, claimed by many at once, with a server and without.

mod race;
mod sources;

use serde_json::Value;

use crate::sandbox::{Ran, Sandbox};

/// Runs; takes the times and made-up ids out of what it says.
fn run(sandbox: &Sandbox, args: &[&str]) -> Ran {
    let mut command = sandbox.command(args);
    command.env("WEFT_OWNER", "ada");
    Ran::from(command.output().unwrap())
}

fn json(ran: &Ran) -> Value {
    assert_eq!(ran.code, 0, "{}", ran.show());
    serde_json::from_str(&ran.stdout).unwrap()
}

fn make(sandbox: &Sandbox, id: &str, more: &[&str]) {
    let title = format!("Do {id}");
    let args = [&["issue", "new", &title, "--id", id], more].concat();
    let ran = run(sandbox, &args);
    assert_eq!((ran.code, ran.stdout.trim()), (0, id), "{}", ran.show());
}

/// Returns what an issue is, of some members.
fn member(sandbox: &Sandbox, id: &str, name: &str) -> Value {
    json(&run(sandbox, &["issue", "show", id, "--json"]))["issue"][name].clone()
}

#[test]
fn an_issue_is_made_changed_and_closed_and_its_history_tells_it() {
    let sandbox = Sandbox::with_store(&[]);
    let made = json(&run(
        &sandbox,
        &["issue", "new", "Log in", "-m", "With a token", "-p", "1", "-t", "auth", "--json"],
    ));
    let id = made["id"].as_str().unwrap();
    assert!(id.rsplit_once('-').is_some_and(|(_, random)| random.len() == 6), "{id}");
    assert_eq!(
        (&made["rev"], &made["status"], &made["priority"]),
        (&1.into(), &"open".into(), &1.into())
    );
    let short = id.rsplit_once('-').unwrap().1;
    for args in [
        &["issue", "edit", short, "--title", "Log in by token", "--add-tag", "ui", "-p", "2"][..],
        &["issue", "claim", short, "--instance", "s1"],
        &["issue", "close", short, "--reason", "done"],
        &["issue", "close", short],
    ] {
        let ran = run(&sandbox, args);
        assert_eq!(ran.code, 0, "{}", ran.show());
    }
    let shown = json(&run(&sandbox, &["issue", "show", id, "--json"]));
    let history = shown["history"].as_array().unwrap();
    let changes: Vec<&str> = history.iter().map(|word| word["change"].as_str().unwrap()).collect();
    assert_eq!(
        changes,
        [
            "made",
            "priority 2, title: Log in by token, + tag ui",
            "claimed by ada (s1), in_progress",
            "claim of ada (s1) ended, closed, reason: done",
        ]
    );
    assert_eq!(history[0]["sender"], "ada");
    let text = run(&sandbox, &["issue", "show", id]);
    assert!(
        text.stdout.contains("With a token") && text.stdout.contains("reason    done"),
        "{}",
        text.show()
    );
    assert_eq!(run(&sandbox, &["issue"]).stdout, "there are no such issues\n");
    assert!(
        run(&sandbox, &["issue", "list", "--status", "all"]).stdout.contains("Log in by token")
    );
    assert_eq!(sandbox.run(&["verify"]).code, 0);
    let topic = format!("topic=issue:{id}");
    let events = sandbox.run(&["log", &topic, "--format", "jsonl"]).stdout;
    let checked = sandbox.pipe(&["validate", "--strict", "-"], events.as_bytes());
    assert_eq!((events.lines().count(), checked.code), (4, 0), "{}", checked.show());
}

#[test]
fn what_is_ready_waits_for_nothing_and_a_ring_is_refused() {
    let sandbox = Sandbox::with_store(&[]);
    make(&sandbox, "a", &[]);
    make(&sandbox, "b", &["-p", "1"]);
    make(&sandbox, "c", &["--dep", "blocks:b"]);
    let ran = run(&sandbox, &["issue", "dep", "a", "blocks", "c"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "a blocks c\n"));
    insta::assert_snapshot!(run(&sandbox, &["issue", "list"]).stdout, @"
    ID  P  STATUS  HELD BY  WAITS FOR  TITLE
    b   1  open             a c        Do b
    a   2  ready                       Do a
    c   2  open             a          Do c
    ");
    insta::assert_snapshot!(run(&sandbox, &["issue", "dep", "b", "blocks", "a"]).show(), @"
    --- stderr
    error: it would wait for itself: b > c > a > b
    --- exit 2
    ");
    assert_eq!(run(&sandbox, &["issue", "close", "a"]).code, 0);
    let ready = run(&sandbox, &["issue", "ready", "--json"]).stdout;
    let ready: Value = serde_json::from_str(ready.trim()).unwrap();
    assert_eq!((&ready["id"], &ready["blocked_by"]), (&"c".into(), &Value::Array(Vec::new())));
    assert_eq!(run(&sandbox, &["issue", "dep", "c", "blocks", "b", "--remove"]).code, 0);
    assert_eq!(run(&sandbox, &["issue", "ready", "priority:1"]).stdout.lines().count(), 2);
}

#[test]
fn a_live_claim_is_kept_and_one_that_is_over_is_taken() {
    let sandbox = Sandbox::with_store(&[]);
    make(&sandbox, "a", &[]);
    let claim = |owner: &str, instance: &str, lease: &str| {
        let args = ["issue", "claim", "a", "--as", owner, "--instance", instance, "--lease", lease];
        run(&sandbox, &args)
    };
    assert_eq!(claim("ada", "s1", "10m").code, 0);
    let until = member(&sandbox, "a", "claim")["until_ms"].as_i64().unwrap();
    assert_eq!(claim("ada", "s1", "20m").code, 0, "a heartbeat");
    assert!(member(&sandbox, "a", "claim")["until_ms"].as_i64().unwrap() > until);
    let refused = claim("bob", "s9", "10m");
    assert_eq!((refused.code, refused.stderr.as_str()), (1, "a is claimed by ada (s1)\n"));
    assert_eq!(run(&sandbox, &["issue", "release", "a", "--as", "bob"]).code, 1);
    assert_eq!(
        run(&sandbox, &["issue", "release", "a", "--as", "ada", "--instance", "s1"]).code,
        0
    );
    assert_eq!(member(&sandbox, "a", "status"), "open");
    assert_eq!(claim("ada", "s1", "soon").code, 2);
    assert_eq!(claim("ada", "s1", "8d").code, 2);
    assert_eq!(claim("ada", "s1", "1ms").code, 0);
    let listed = run(&sandbox, &["issue", "list"]).stdout;
    assert!(listed.contains("ready") && listed.contains("ada (expired)"), "{listed}");
    assert_eq!(claim("bob", "s9", "10m").code, 0);
    let shown = json(&run(&sandbox, &["issue", "show", "a", "--json"]));
    let last: Vec<&Value> =
        shown["history"].as_array().unwrap().iter().rev().take(2).map(|it| &it["change"]).collect();
    assert_eq!(last, ["claimed by bob (s9), in_progress", "claim of ada (s1) ended, open"]);
    assert_eq!(run(&sandbox, &["issue", "release", "a", "--as", "eve", "--force"]).code, 0);
}

#[test]
fn wrong_use_is_told_with_the_way_out() {
    let sandbox = Sandbox::with_store(&[]);
    make(&sandbox, "weft-aa1", &[]);
    make(&sandbox, "weft-aa2", &[]);
    let said = |args: &[&str]| {
        let ran = run(&sandbox, args);
        assert_eq!(ran.code, 2, "{}", ran.show());
        ran.stderr
    };
    let all = [
        said(&["issue", "show", "zz"]),
        said(&["issue", "show", "aa"]),
        said(&["issue", "new", "Again", "--id", "weft-aa1"]),
        said(&["issue", "edit", "weft-aa1"]),
        said(&["issue", "list", "prio:1"]),
        said(&["issue", "claim", "weft-aa1", "weft-aa2"]),
        said(&["issue", "new", " "]),
    ];
    insta::assert_snapshot!(all.concat(), @"
    error: no issue has the id zz or one that begins so; `weft issue list --status all` lists them
    error: aa can be weft-aa1, weft-aa2: give more of the id
    error: there is an issue weft-aa1 already: weft issue show weft-aa1
    error: say what is to be different: weft issue edit --help
    error: issues have no prio: ask for id, status, priority, tag, owner, or a word of title or body
    error: one id is claimed at a time; --next takes a filter
    error: an issue has a title
    ");
}

#[test]
fn an_issue_is_found_with_a_new_index_and_with_none() {
    let sandbox = Sandbox::with_store(&[]);
    make(&sandbox, "kept", &[]);
    let ran = sandbox.run(&["index", "rebuild"]);
    assert_eq!(ran.code, 0, "{}", ran.show());
    assert_eq!(member(&sandbox, "kept", "title"), "Do kept");
    std::fs::remove_file(sandbox.store().join("index.db")).unwrap();
    assert_eq!(member(&sandbox, "kept", "title"), "Do kept");
}

#[test]
fn issues_of_other_trackers_are_ours_after_an_import() {
    let tissue = concat!(
        r#"{"type":"issue","id":"a-1","rev":"01A","title":"Log in","body":"","status":"open","priority":1,"tags":[],"created_at":5,"updated_at":7}"#,
        "\n",
        r#"{"type":"issue","id":"a-2","rev":"01B","title":"Log out","body":"","status":"open","priority":2,"tags":[],"created_at":6,"updated_at":8}"#,
        "\n",
        r#"{"type":"dep","src_id":"a-1","dst_id":"a-2","kind":"blocks","state":"active","created_at":9,"rev":"01C"}"#,
        "\n",
    );
    let later = concat!(
        r#"{"type":"issue","id":"a-1","rev":"01D","title":"Log in","body":"","status":"closed","priority":1,"tags":[],"created_at":5,"updated_at":99}"#,
        "\n",
    );
    let sandbox = Sandbox::with_store(&[("issues.jsonl", tissue.as_bytes())]);
    let ready = || sandbox.run(&["issue", "ready"]).stdout;
    for _ in 0..2 {
        assert_eq!(sandbox.run(&["import", "tissue", "issues.jsonl"]).code, 0);
        assert!(ready().contains("a-1") && !ready().contains("Log out"), "{}", ready());
    }
    std::fs::write(sandbox.path().join("issues.jsonl"), [tissue, later].concat()).unwrap();
    let ran = sandbox.run(&["import", "tissue", "issues.jsonl"]);
    assert!(
        ran.stderr.contains("issues that are new here: 0; that have changed: 1"),
        "{}",
        ran.show()
    );
    assert!(ready().contains("Log out") && !ready().contains("Log in"), "{}", ready());
}

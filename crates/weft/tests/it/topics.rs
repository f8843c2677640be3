//! Topics: posting, answering, reading, searching and watching, with the real binary.

mod board;
mod stores;

use std::process::{Command, Stdio};

use crate::sandbox::Sandbox;
use crate::served::{PATIENCE, Served, lines};
use board::Board;

pub(crate) use board::JWZ_PREFIXES;

#[test]
fn a_topic_is_made_once_and_others_are_not_made_by_a_slip() {
    let mut board = Board::new();
    insta::assert_snapshot!(board.all(&[
        &["topic", "new", "tasks", "-d", "What to do"],
        &["topic", "new", "tasks"],
        &["topic", "new", "status", "--last-value", "--json"],
        &["topic", "new", "issue:a-1", "--last-value"],
        &["topic", "new", "weft:mine"],
        &["topic", "new", ""],
        &["post", "taks", "-m", "x"],
        &["read", "taks"],
        &["post", "zebra", "-m", "x"],
        &["topic", "list"],
        &["topic", "list", "--json"],
    ]), @r#"
    $ weft topic new tasks -d What to do
    made topic tasks
    $ weft topic new tasks
    ! error: there is a topic `tasks` already: weft show 1
    exit 2
    $ weft topic new status --last-value --json
    {"id":"ID-0","name":"status","description":"","kind":"last-value","position":2}
    $ weft topic new issue:a-1 --last-value
    ! error: `issue:a-1` is append-only by its name
    exit 2
    $ weft topic new weft:mine
    ! error: names that begin with `weft:` are Weft's own
    exit 2
    $ weft topic new
    ! error: a topic needs a name
    exit 2
    $ weft post taks -m x
    ! error: there is no topic `taks`
    !   near to it: tasks
    !   to make it: weft topic new taks
    exit 2
    $ weft read taks
    ! error: there is no topic `taks`
    !   near to it: tasks
    !   to make it: weft topic new taks
    exit 2
    $ weft post zebra -m x
    ! error: there is no topic `zebra`
    !   to make it: weft topic new zebra
    exit 2
    $ weft topic list
    NAME    KIND         LAST  DESCRIPTION
    status  last-value   -
    tasks   append-only  -     What to do
    $ weft topic list --json
    [{"name":"status","id":"ID-0","kind":"last-value","description":"","created_at":MS,"last_at":null},{"name":"tasks","id":"ID-1","kind":"append-only","description":"What to do","created_at":MS,"last_at":null}]
    "#);
}

#[test]
fn messages_are_read_newest_first_and_threads_oldest_first() {
    let mut board = Board::with_topics();
    let first = board.post("tasks", &["-m", "Review the auth module", "--role", "lead"]);
    board.post("tasks", &["-m", "two\nlines", "--as", "bot-1", "--name", "Bot", "--model", "opus"]);
    let answer = board.reply(&first, "Looks good");
    board.reply(&answer, "Thanks");
    board.reply(&first, "One more thing");
    insta::assert_snapshot!(board.all(&[
        &["read", "tasks"],
        &["read", "tasks", "-s", "--limit", "2"],
        &["thread", &first],
        &["thread", &answer, "-s"],
        &["search", "auth module"],
        &["search", "\"two lines\"", "--topic", "tasks", "--full"],
        &["search", "nothing", "--topic", "tasks"],
    ]), @r#"
    $ weft read tasks
    ID-4 by ann, AGO, in reply to ID-0
      One more thing

    ID-3 by ann, AGO, in reply to ID-2
      Thanks

    ID-2 by ann, AGO, in reply to ID-0
      Looks good

    ID-1 by Bot [opus], AGO
      two
      lines

    ID-0 by ann, lead, AGO
      Review the auth module
    $ weft read tasks -s --limit 2
    ID-4 by ann, AGO, in reply to ID-0
      One more thing
    ID-3 by ann, AGO, in reply to ID-2
      Thanks
    ! note: these are the newest 2 messages: --limit all shows the others
    $ weft thread ID-0
    ID-0 by ann, lead, AGO
      Review the auth module

      ID-2 by ann, AGO, in reply to ID-0
        Looks good

        ID-3 by ann, AGO, in reply to ID-2
          Thanks

      ID-4 by ann, AGO, in reply to ID-0
        One more thing
    $ weft thread ID-2 -s
    ID-2 by ann, AGO, in reply to ID-0
      Looks good
      ID-3 by ann, AGO, in reply to ID-2
        Thanks
    $ weft search auth module
    ID-0 by ann, lead, AGO
      Review the auth module
    $ weft search "two lines" --topic tasks --full
    ID-1 by Bot [opus], AGO
      two
      lines
    $ weft search nothing --topic tasks
    ! note: no message has these words
    "#);
}

#[test]
fn programs_read_messages_as_the_message_store_gives_them() {
    let mut board = Board::with_topics();
    board.env("CLAUDE_CODE_SESSION_ID", "0b9c1f9e-1111-4222-8333-444455556666");
    let first = board.post("tasks", &["-m", "one"]);
    board
        .env("WEFT_SENDER", "w")
        .env("WEFT_SENDER_MODEL", "opus")
        .env("WEFT_SENDER_ROLE", "tester");
    board.reply(&first, "two");
    insta::assert_snapshot!(board.all(&[
        &["read", "tasks", "--json"],
        &["thread", &first, "--json"],
        &["search", "two", "--json"],
        &["post", "tasks", "-m", "three", "--json"],
        &["reply", &first, "-m", "four", "--json", "--as", "me"],
    ]), @r#"
    $ weft read tasks --json
    [{"id":"ID-1","topic":"tasks","topic_id":"ID-2","parent_id":"ID-0","body":"two","created_at":MS,"sender":{"id":"w","name":"w","model":"opus","role":"tester"},"git":null,"position":4,"session_id":"0b9c1f9e-1111-4222-8333-444455556666"},{"id":"ID-0","topic":"tasks","topic_id":"ID-2","parent_id":null,"body":"one","created_at":MS,"sender":{"id":"session-0b9c1f9e","name":"session-0b9c1f9e","model":null,"role":null},"git":null,"position":3,"session_id":"0b9c1f9e-1111-4222-8333-444455556666"}]
    $ weft thread ID-0 --json
    [{"id":"ID-0","topic":"tasks","topic_id":"ID-2","parent_id":null,"body":"one","created_at":MS,"reply_count":1,"sender":{"id":"session-0b9c1f9e","name":"session-0b9c1f9e","model":null,"role":null},"git":null,"position":3,"session_id":"0b9c1f9e-1111-4222-8333-444455556666","depth":0},{"id":"ID-1","topic":"tasks","topic_id":"ID-2","parent_id":"ID-0","body":"two","created_at":MS,"reply_count":0,"sender":{"id":"w","name":"w","model":"opus","role":"tester"},"git":null,"position":4,"session_id":"0b9c1f9e-1111-4222-8333-444455556666","depth":1}]
    $ weft search two --json
    [{"id":"ID-1","topic":"tasks","topic_id":"ID-2","parent_id":"ID-0","body":"two","created_at":MS,"sender":{"id":"w","name":"w","model":"opus","role":"tester"},"git":null,"position":4,"session_id":"0b9c1f9e-1111-4222-8333-444455556666"}]
    $ weft post tasks -m three --json
    {"id":"ID-3","topic":"tasks","position":5}
    $ weft reply ID-0 -m four --json --as me
    {"id":"ID-4","topic":"tasks","parent_id":"ID-0","position":6}
    "#);
}

#[test]
fn an_id_may_be_begun_if_only_one_begins_so() {
    let mut board = Board::new();
    let lines = board::JWZ_PREFIXES;
    std::fs::write(board.sandbox.path().join("m.jsonl"), lines).unwrap();
    insta::assert_snapshot!(board.all(&[
        &["import", "jwz", "m.jsonl"],
        &["thread", "01HQA"],
        &["thread", "01HQAB", "-s"],
        &["show", "01HQA"],
        &["reply", "01HQ", "-m", "x"],
        &["reply", "01ZZ", "-m", "x"],
        &["thread", "-"],
    ]), @r#"
    $ weft import jwz m.jsonl
    ! 4 lines: 4 stored, 0 known already, 0 refused
    $ weft thread 01HQA
    01HQA, 2023-12-28 00:00:00
      short

      01HQAB1, 2023-12-28 00:00:00, in reply to 01HQA
        long
    $ weft thread 01HQAB -s
    01HQAB1, 2023-12-28 00:00:00, in reply to 01HQA
      long
    $ weft show 01HQA
    record 2
      received AGO
      via        import
      posted to  old
      dialect    idle
      type       message
      meaning    A message was posted to a topic
      time       2023-12-28 00:00:00.001 +00:00
      identity   id 01HQA
      level      info
      message    short
      topic      01HP
    no problems
    {
      "type": "message",
      "id": "01HQA",
      "topic_id": "01HP",
      "parent_id": null,
      "body": "short",
      "created_at": 1703721600001,
      "sender": null,
      "git": null
    }
    $ weft reply 01HQ -m x
    ! error: 3 messages have an id that begins with `01HQ`:
    !   2  01HQA
    !   3  01HQAB1
    !   4  01HQC
    exit 2
    $ weft reply 01ZZ -m x
    ! error: no message has an id that begins with `01ZZ`
    exit 2
    $ weft thread -
    ! error: no message has an id that begins with `-`
    exit 2
    "#);
}

#[test]
fn only_the_newest_value_of_a_key_counts() {
    let mut board = Board::with_topics();
    for (key, value) in [("a", "1"), ("b", "2"), ("a", "3")] {
        board.post("status", &["-m", value, "--key", key]);
    }
    board.post("agent:builder", &["-m", "old"]);
    board.post("agent:builder", &["-m", "new"]);
    insta::assert_snapshot!(board.all(&[
        &["read", "status"],
        &["read", "status", "--key", "a"],
        &["read", "status", "--key", "a", "--history", "-s"],
        &["read", "status", "--history", "-s"],
        &["read", "agent:builder"],
        &["read", "agent:other"],
        &["post", "tasks", "-m", "x", "--key", "a"],
    ]), @"
    $ weft read status
    ID-2 by ann, AGO, key a
      3

    ID-1 by ann, AGO, key b
      2
    $ weft read status --key a
    ID-2 by ann, AGO, key a
      3
    $ weft read status --key a --history -s
    ID-2 by ann, AGO, key a
      3
    ID-0 by ann, AGO, key a
      1
    $ weft read status --history -s
    ID-2 by ann, AGO, key a
      3
    ID-1 by ann, AGO, key b
      2
    ID-0 by ann, AGO, key a
      1
    $ weft read agent:builder
    ID-4 by ann, AGO
      new
    $ weft read agent:other
    ! note: nothing was posted to `agent:other` yet
    $ weft post tasks -m x --key a
    ! error: `tasks` keeps every message: only last-value topics have keys
    exit 2
    ");
}

#[test]
fn a_state_says_how_old_it_is_and_when_it_is_stale() {
    let mut board = Board::new();
    let state = r#"{"schema":0,"event":"STATE","run_id":"loop-1703123456-1","updated_at":"2024-12-21T10:00:00Z","stack":[]}"#;
    board.post("loop:current", &["-m", state]);
    // As its producer wrote it, and not as a message.
    assert_eq!(board.sandbox.pipe(&["emit", "--id", "x"], state.as_bytes()).code, 0);
    insta::assert_snapshot!(board.all(&[
        &["read", "loop:current", "--history"],
        &["read", "loop:current", "--json"],
        &["show", "1"],
    ]), @r#"
    $ weft read loop:current --history
    2, 2024-12-21 10:00:00, stale
      {"schema":0,"event":"STATE","run_id":"loop-1703123456-1","updated_at":"2024-12-21T10:00:00Z","stack":[]}

    ID-0 by ann, 2024-12-21 10:00:00, stale
      {"schema":0,"event":"STATE","run_id":"loop-1703123456-1","updated_at":"2024-12-21T10:00:00Z","stack":[]}
    $ weft read loop:current --json
    [{"id":null,"topic":"loop:current","topic_id":null,"parent_id":null,"body":"{\"schema\":0,\"event\":\"STATE\",\"run_id\":\"loop-1703123456-1\",\"updated_at\":\"2024-12-21T10:00:00Z\",\"stack\":[]}","created_at":1734775200000,"sender":null,"git":null,"position":2,"key":"","expires_at":1734782400000,"stale":true}]
    $ weft show 1
    record 1
      received AGO
      via        topic
      posted to  loop:current
      key        
      dialect    idle
      type       message
      meaning    A message was posted to a topic
      time AGO
      actor      ann
      identity   id ID-0
      level      info
      message    {"schema":0,"event":"STATE","run_id":"loop-1703123456-1","updated_at":"2024-12-21T10:00:00Z","stack":[]}
      topic      loop:current
      sender     ann
      age        2024-12-21 10:00:00, stale
    no problems
    {
      "type": "message",
      "id": "ID-0",
      "topic_id": "loop:current",
      "parent_id": null,
      "body": "{\"schema\":0,\"event\":\"STATE\",\"run_id\":\"loop-1703123456-1\",\"updated_at\":\"2024-12-21T10:00:00Z\",\"stack\":[]}",
      "created_at": MS,
      "sender": {
        "id": "ann",
        "name": "ann",
        "model": null,
        "role": null
      },
      "git": null
    }
    "#);
    let now = jiff::Timestamp::now().to_string();
    board.post("loop:current", &["-m", &state.replace("2024-12-21T10:00:00Z", &now)]);
    let fresh = board.run(&["read", "loop:current", "--json"]).stdout;
    let fresh: serde_json::Value = serde_json::from_str(&fresh).unwrap();
    assert_eq!(fresh[0]["stale"], false);
}

#[test]
fn what_is_said_comes_from_an_argument_a_pipe_or_a_file_to_the_byte() {
    let mut board = Board::with_topics();
    let body = " {\"a\": \"x\\ny\"}\n\n";
    std::fs::write(board.sandbox.path().join("body.json"), body).unwrap();
    std::fs::write(board.sandbox.path().join("raw"), b"caf\xe9").unwrap();
    board.post("tasks", &["--file", "body.json"]);
    board.post("tasks", &["-m", body]);
    board.post("tasks", &["--file", "raw"]);
    assert_eq!(board.pipe(&["post", "tasks", "-"], body.as_bytes()).code, 0);
    let read = board.run(&["read", "tasks", "--json"]).stdout;
    let read: serde_json::Value = serde_json::from_str(&read).unwrap();
    let bodies: Vec<&str> =
        read.as_array().unwrap().iter().map(|it| it["body"].as_str().unwrap()).collect();
    assert_eq!(bodies, [body, "caf\u{fffd}", body, body]);
    insta::assert_snapshot!(board.all(&[
        &["post", "tasks", "-m", ""],
        &["post", "tasks"],
        &["post", "tasks", "-m", "x", "--file", "raw"],
        &["post", "tasks", "--file", "nowhere"],
    ]), @"
    $ weft post tasks -m
    ! error: a message says something: this one is empty
    exit 2
    $ weft post tasks
    ! error: the following required arguments were not provided:
    !   <--message <TEXT>|-|--file <FILE>>
    ! 
    ! Usage: weft post <--message <TEXT>|-|--file <FILE>> <TOPIC>
    ! 
    ! For more information, try '--help'.
    exit 2
    $ weft post tasks -m x --file raw
    ! error: the argument '--message <TEXT>' cannot be used with '--file <FILE>'
    ! 
    ! Usage: weft post <--message <TEXT>|-|--file <FILE>> <TOPIC>
    ! 
    ! For more information, try '--help'.
    exit 2
    $ weft post tasks --file nowhere
    ! error: cannot read nowhere: No such file or directory (os error 2)
    exit 2
    ");
}

#[test]
fn a_message_says_where_the_repository_stands() {
    let mut board = Board::with_topics();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        let by =
            ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
        command.args(by).args(args).current_dir(board.sandbox.path());
        assert!(command.stdout(Stdio::null()).status().unwrap().success());
    };
    git(&["init", "--quiet", "--initial-branch=work"]);
    std::fs::write(board.sandbox.path().join(".gitignore"), ".weft\n").unwrap();
    git(&["add", ".gitignore"]);
    git(&["commit", "--quiet", "--message=one"]);
    board.post("tasks", &["-m", "clean"]);
    std::fs::write(board.sandbox.path().join("new.txt"), "x").unwrap();
    board.post("tasks", &["-m", "dirty"]);
    let read = board.run(&["read", "tasks", "--json"]).stdout;
    let read: serde_json::Value = serde_json::from_str(&read).unwrap();
    let said = |idx: usize| {
        let git = &read[idx]["git"];
        assert_eq!(git["oid"].as_str().unwrap().len(), 40);
        (git["head"].clone(), git["dirty"].clone(), git["prefix"].clone())
    };
    assert_eq!(said(0), ("work".into(), true.into(), "".into()));
    assert_eq!(said(1), ("work".into(), false.into(), "".into()));
}

#[test]
fn a_server_makes_no_difference_to_what_is_posted() {
    let run = |board: &mut Board| {
        let first = board.post("tasks", &["-m", "one", "--as", "a"]);
        let answer = board.reply(&first, "two");
        board.post("status", &["-m", "3", "--key", "k"]);
        board.all(&[
            &["topic", "new", "tasks"],
            &["topic", "new", "more", "--json"],
            &["post", "more", "-m", "four", "--json"],
            &["post", "mroe", "-m", "x"],
            &["reply", &answer, "-m", "five", "--json"],
            &["read", "tasks"],
            &["read", "tasks", "--json"],
            &["read", "status"],
            &["thread", &first],
            &["search", "two"],
            &["topic", "list", "--json"],
        ])
    };
    let (mut alone, mut with) = (Board::with_topics(), Board::with_topics());
    let served = Served::start(&with.sandbox);
    assert_eq!(run(&mut with), run(&mut alone));
    assert_eq!(served.end(), (Some(0), String::new()));
    assert_eq!(with.run(&["verify"]).code, 0);
}

fn watch(sandbox: &Sandbox) {
    let mut command = sandbox.command(&["watch", "project:shop", "--json"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let lines = lines(child.stdout.take().unwrap());
    let next = || -> serde_json::Value {
        serde_json::from_str(&lines.recv_timeout(PATIENCE).unwrap()).unwrap()
    };
    assert_eq!(next()["body"], "before");
    assert_eq!(sandbox.run(&["post", "project:other", "-m", "not meant"]).code, 0);
    assert_eq!(sandbox.run(&["post", "project:shop", "-m", "after"]).code, 0);
    let came = next();
    assert_eq!((&came["body"], &came["topic"]), (&"after".into(), &"project:shop".into()));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_topic_is_watched_with_a_server_and_without() {
    let sandbox = Sandbox::with_store(&[]);
    assert_eq!(sandbox.run(&["post", "project:shop", "-m", "before"]).code, 0);
    watch(&sandbox);
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    assert_eq!(sandbox.run(&["post", "project:shop", "-m", "before"]).code, 0);
    watch(&sandbox);
    assert_eq!(served.end(), (Some(0), String::new()));
}

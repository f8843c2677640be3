//! The server's life: when it is ready, who may have one, and how it ends.

use std::borrow::Cow;
use std::io::{Read as _, Write as _};
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use serde_json::Value;
use uuid::Uuid;
use weft_log::log::{Durability, Outcome};
use weft_log::query::Order;
use weft_log::{Position, Store, spool};
use weft_server::serve::{ALLOCATOR, FEW_HEAPS};
use weft_server::socket::answer::{Answer, Appended, Failure, Fate};
use weft_server::socket::client::{Client, ClientError};
use weft_server::socket::frame::Decoder;
use weft_server::socket::request::{Append, Hello, PageAsk, Request, Scope, Sent, TailAsk};

use crate::abuse::eventually;
use crate::sandbox::{FINE, OWN, Sandbox};
use crate::served::{PATIENCE, Served};
use crate::stored::{Stored, needle};

const DONE: &str = r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}"#;

fn append<'a>(events: Vec<Sent<'a>>) -> Append<'a> {
    let (patience, conditions) = (None, Vec::new());
    Append { via: "test".into(), durability: Durability::Synced, patience, conditions, events }
}

fn at(position: u64) -> Position {
    Position::new(position).unwrap()
}

#[test]
fn it_says_where_it_is_and_leaves_nothing_behind() {
    let sandbox = Sandbox::with(&[]);
    let command = sandbox.command(&["up", "--store", "deep/store", "--listen", "127.0.0.1:0"]);
    let served = Served::start_with(command);
    assert!(served.get("/healthz").starts_with("HTTP/1.1 200 OK\r\n"));
    let store = sandbox.path().canonicalize().unwrap().join("deep/store");
    assert_eq!(served.socket, store.join("weft.sock").to_str().unwrap());
    for (name, mode) in [("weft.sock", 0o600), ("server.json", 0o600), (".", 0o700)] {
        let about = std::fs::metadata(store.join(name)).unwrap();
        assert_eq!(about.permissions().mode() & 0o777, mode, "{name}");
    }
    let said: Value =
        serde_json::from_slice(&std::fs::read(store.join("server.json")).unwrap()).unwrap();
    assert_eq!(said["http"], served.http.as_str());
    assert_eq!(said["socket"], served.socket.as_str());
    assert_eq!(served.end(), (Some(0), String::new()));
    assert!(!store.join("weft.sock").exists() && !store.join("server.json").exists());
}

#[test]
fn a_second_one_on_the_same_store_is_refused_with_the_address_of_the_first() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let pid = served.client().status().unwrap();
    let pid: Value = serde_json::from_str(&pid).unwrap();
    let ran = sandbox.run(&["up"]);
    let store = sandbox.store().canonicalize().unwrap();
    let told =
        ran.show().replace(&served.http, "ADDRESS").replace(store.to_str().unwrap(), "STORE");
    insta::assert_snapshot!(told.replace(&pid["pid"].to_string(), "PID"), @"
    --- stderr
    error: cannot start the server: a server runs on STORE already at http://ADDRESS (process PID)
    --- exit 2
    ");
    assert!(served.get("/healthz").starts_with("HTTP/1.1 200"));
    assert_eq!(served.end().0, Some(0));
}

#[test]
fn what_is_in_the_place_of_its_lock_is_named() {
    let sandbox = Sandbox::with_store(&[]);
    std::fs::create_dir(sandbox.store().join("server.lock")).unwrap();
    let ran = sandbox.run(&["up", "--listen", "127.0.0.1:0"]);
    let store = sandbox.store().canonicalize().unwrap();
    insta::assert_snapshot!(ran.show().replace(store.to_str().unwrap(), "STORE"), @"
    --- stderr
    error: cannot start the server: cannot lock STORE/server.lock, which a server makes and holds (if it is not a file that you may write, move it away): Is a directory (os error 21)
    --- exit 2
    ");
}

#[test]
fn an_address_that_is_named_is_used_or_it_is_an_error() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let other = Sandbox::with_store(&[]);
    let taken = other.run(&["up", "--listen", &served.http]);
    let told = taken.show().replace(&served.http, "ADDRESS");
    insta::assert_snapshot!(told, @"
    --- stderr
    error: cannot start the server: cannot listen on ADDRESS: Address already in use (os error 98)
    --- exit 2
    ");
    assert!(!other.store().join("weft.sock").exists());
}

#[test]
fn what_is_in_flight_is_answered_before_the_end() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let (mut hello, mut request) = (Vec::new(), Vec::new());
    Hello::ours().encode(&mut hello).unwrap();
    Request::Append(append(vec![Sent::plain(FINE.as_bytes())])).encode(&mut request).unwrap();
    let (begun, rest) = request.split_at(request.len() / 2);
    let mut stream = UnixStream::connect(&served.socket).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(&[&hello, begun].concat()).unwrap();
    let (mut decoder, mut piece) = (Decoder::default(), [0; 4096]);
    let mut frame = |stream: &mut UnixStream| {
        loop {
            if let Some(frame) = decoder.take().unwrap() {
                return frame;
            }
            let n = stream.read(&mut piece).unwrap();
            assert!(n > 0, "the server hung up");
            decoder.feed(&piece[..n]);
        }
    };
    // Its hello says that it has read ours, and with it the beginning of the request.
    frame(&mut stream);
    served.signal("-TERM");
    // A new connection is refused once it ends.
    let began = Instant::now();
    while UnixStream::connect(&served.socket).is_ok() && began.elapsed() < PATIENCE {
        std::thread::yield_now();
    }
    stream.write_all(rest).unwrap();
    let outcome = Outcome::Stored { position: at(1), conflict: None };
    match Answer::decode(&frame(&mut stream)).unwrap() {
        Answer::Appended(Appended { fates, .. }) => {
            assert_eq!(fates, [Fate::Kept { outcome, warnings: Vec::new() }]);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(served.wait(), (Some(0), String::new()));
    assert_eq!(sandbox.log(), [FINE]);
}

#[test]
fn it_is_ready_at_once_whatever_the_log_holds() {
    let lines: Vec<String> = (0..1000).map(|n| needle(0, "w", "s", n)).collect();
    let stored = Stored::many_times(200, &lines);
    let sandbox = &stored.sandbox;
    let mut best = Duration::MAX;
    // The machine may be busy with other tests: one start in three has to be undisturbed.
    for _ in 0..3 {
        let began = Instant::now();
        let served = Served::start(sandbox);
        best = best.min(began.elapsed());
        assert!(served.get("/healthz").starts_with("HTTP/1.1 200"));
        let found = served.client().get(at(200_000)).unwrap().unwrap();
        assert_eq!(found.line, lines[999].as_bytes());
        // Also while the index is far from complete.
        assert_eq!(served.end(), (Some(0), String::new()));
    }
    assert!(best < Duration::from_secs(1), "ready after {best:?}");
}

#[test]
fn what_comes_before_the_index_is_complete_gets_into_the_log() {
    let lines: Vec<String> = (0..1000).map(|n| needle(0, "w", "s", n)).collect();
    let stored = Stored::many_times(15, &lines);
    let served = Served::start(&stored.sandbox);
    // It waits for the index, or in the spool.
    let ran = stored.sandbox.pipe(&["emit", "--id", "x"], DONE.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.show());
    assert_eq!(tail_one(served.client(), "", 15_001), DONE);
    assert_eq!(served.end(), (Some(0), String::new()));
}

/// Returns the one record that a tail begins with.
fn tail_one(client: Client, filter: &str, from: u64) -> String {
    let mut found = Vec::new();
    let ask = TailAsk { filter: filter.to_owned(), scope: Scope::Events, from: at(from) };
    let tailed = client.tail(ask, |page| {
        found.extend(page.records);
        ControlFlow::Break(())
    });
    tailed.unwrap();
    assert_eq!(found.len(), 1);
    String::from_utf8(found.remove(0).line).unwrap()
}

#[test]
fn the_socket_gives_what_the_library_gives() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let mut client = served.client();
    let bad = br#"{"schema_version":1,"event_type":"x.y"}"#;
    let delivered = Sent { delivery: Some(Cow::Borrowed("id:1")), ..Sent::plain(DONE.as_bytes()) };
    let events = vec![Sent::plain(FINE.as_bytes()), Sent::plain(bad), delivered.clone(), delivered];
    let fates = client.append(&append(events)).unwrap().fates;
    let kept = |outcome| Fate::Kept { outcome, warnings: Vec::new() };
    assert_eq!(fates[0], kept(Outcome::Stored { position: at(1), conflict: None }));
    assert_eq!(fates[2], kept(Outcome::Stored { position: at(2), conflict: None }));
    assert_eq!(fates[3], kept(Outcome::Repeat { position: at(2) }));
    let Fate::Refused { id, reasons } = &fates[1] else { panic!("{fates:?}") };
    assert_eq!(reasons.len(), 5);
    assert!(sandbox.run(&["rejects", "show", id]).stdout.contains("schema_version"));
    let Fate::Refused { reasons, .. } =
        &client.append(&append(vec![Sent::plain(OWN.as_bytes())])).unwrap().fates[0]
    else {
        panic!("what only Weft writes is taken")
    };
    assert_eq!(reasons[0].code, "reserved_dialect");
    assert_eq!(sandbox.run(&["sub", "add", "seen", "--pull"]).code, 0);
    let page = |client: &mut Client, filter: &str, scope, order| {
        let (filter, range) = (filter.to_owned(), at(1)..=at(u64::MAX));
        client.page(PageAsk { filter, scope, range, order, limit: 2 })
    };
    let found = page(&mut client, "", Scope::Events, Order::Descending).unwrap();
    let positions: Vec<u64> = found.records.iter().map(|found| found.meta.position.get()).collect();
    assert_eq!((positions, found.next), (vec![2, 1], None));
    let found = page(&mut client, "", Scope::Everything, Order::Ascending).unwrap();
    assert_eq!((found.records.len(), found.next), (2, Some(at(3))));
    match page(&mut client, "status=", Scope::Events, Order::Ascending) {
        Err(ClientError::Failed(Failure::Request { .. })) => {}
        other => panic!("{other:?}"),
    }
    let found = client.get(at(2)).unwrap().unwrap();
    assert_eq!(found.line, DONE.as_bytes());
    assert_eq!(found.meta.mark.unwrap().delivery.as_deref(), Some("id:1"));
    assert!(client.get(at(9)).unwrap().is_none());
    client.stop().unwrap();
    assert_eq!(served.wait(), (Some(0), String::new()));
}

#[test]
fn what_is_left_in_the_spool_is_moved_into_the_log_while_it_runs() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let client = served.client();
    let entry = spool::Entry {
        at_us: 0,
        via: "hook".into(),
        id: Uuid::nil(),
        dialect: None,
        topic: None,
        line: FINE.as_bytes(),
    };
    spool::put(&Store::at(&sandbox.store()), &entry).unwrap();
    assert_eq!(tail_one(client, "via=hook", 1), FINE);
    assert_eq!(served.end(), (Some(0), String::new()));
}

#[test]
fn what_waits_in_the_spool_comes_before_what_is_sent_later() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let mut client = served.client();
    for n in 0..20 {
        let id = Uuid::from_u128(n);
        let (line, (at_us, via)) = (needle(0, "spooled", "s", n as u64), (0, "hook".into()));
        let line = line.as_bytes();
        let entry = spool::Entry { at_us, via, id, dialect: None, topic: None, line };
        spool::put(&Store::at(&sandbox.store()), &entry).unwrap();
        let sent = needle(0, "sent", "s", n as u64);
        client.append(&append(vec![Sent::plain(sent.as_bytes())])).unwrap();
    }
    assert_eq!(served.end(), (Some(0), String::new()));
    let log = sandbox.log();
    let workers: Vec<bool> = log.iter().map(|line| line.contains("\"spooled\"")).collect();
    assert_eq!(workers, [true, false].repeat(20));
}

#[test]
fn after_a_server_was_killed_commands_and_the_next_server_go_on() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    assert_eq!(sandbox.pipe(&["emit"], FINE.as_bytes()).stdout, "stored at position 1\n");
    served.signal("-KILL");
    drop(served);
    assert!(sandbox.store().join("weft.sock").exists());
    assert_eq!(sandbox.run(&["status"]).code, 1);
    assert_eq!(sandbox.pipe(&["emit"], DONE.as_bytes()).stdout, "stored at position 2\n");
    let served = Served::start(&sandbox);
    assert_eq!(sandbox.pipe(&["emit"], FINE.as_bytes()).stdout, "stored at position 3\n");
    assert_eq!(served.end(), (Some(0), String::new()));
}

#[test]
fn a_client_of_another_version_is_told() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let mut stream = UnixStream::connect(&served.socket).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut hello = Vec::new();
    Hello { protocol: 99, version: "9.9.9".to_owned() }.encode(&mut hello).unwrap();
    stream.write_all(&hello).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert!(String::from_utf8_lossy(&answer).contains("\"hello\":{\"protocol\":1,"));
}

#[test]
fn others_that_need_the_store_itself_get_it_while_the_server_runs() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    assert_eq!(sandbox.pipe(&["emit"], FINE.as_bytes()).code, 0);
    let rebuilt = sandbox.run(&["index", "rebuild"]);
    assert_eq!(rebuilt.code, 0, "{}", rebuilt.show());
    assert_eq!(sandbox.pipe(&["emit"], DONE.as_bytes()).stdout, "stored at position 2\n");
    assert_eq!(sandbox.run(&["up"]).code, 2);
    assert_eq!(served.end(), (Some(0), String::new()));
    assert_eq!(sandbox.run(&["verify"]).code, 0);
}

#[test]
fn the_status_is_told() {
    let sandbox = Sandbox::with_store(&[]);
    insta::assert_snapshot!(sandbox.run(&["status"]).show(), @"
    no server runs on the store
    --- stderr
    --- exit 1
    ");
    let served = Served::start(&sandbox);
    sandbox.pipe(&["emit"], FINE.as_bytes());
    let status: Value = serde_json::from_str(&sandbox.run(&["status", "--json"]).stdout).unwrap();
    assert_eq!((&status["running"], &status["last"]), (&true.into(), &1.into()));
    assert_eq!((&status["opening"], &status["http"]), (&Value::Null, &served.http.as_str().into()));
    let ran = sandbox.run(&["status"]);
    let names: Vec<&str> =
        ran.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!((names, ran.code), (vec!["server", "http", "socket", "store", "log", "state"], 0));
}

#[test]
fn a_demo_plays_every_dialect_in_a_store_that_goes_when_it_ends() {
    let sandbox = Sandbox::with(&[]);
    let mut command =
        sandbox.command(&["up", "--demo", "--speed", "500", "--listen", "127.0.0.1:0"]);
    command.env("TMPDIR", sandbox.path());
    let served = Served::start_with(command);
    let store = std::path::Path::new(&served.socket).parent().unwrap().to_owned();
    let mut missing: Vec<&str> = vec!["idle", "collector", "pinchy", "engine", "needle"];
    let ask = TailAsk { filter: String::new(), scope: Scope::Events, from: at(1) };
    let tailed = served.client().tail(ask, |page| {
        for found in page.records {
            let dialect = found.meta.mark.unwrap().dialect.as_str();
            missing.retain(|missing| *missing != dialect);
        }
        if missing.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    tailed.unwrap();
    let is_counted = |metrics: &str, dialect: &str| {
        metrics.contains(&format!("weft_events_accepted_total{{dialect=\"{dialect}\",via="))
    };
    eventually("what is played is counted", || {
        let metrics = served.get("/metrics");
        ["idle", "collector", "pinchy", "engine", "needle"]
            .iter()
            .all(|it| is_counted(&metrics, it))
    });
    assert_eq!(served.end(), (Some(0), String::new()));
    assert!(!store.exists());
    assert_eq!(sandbox.run(&["up", "--demo", "--speed", "0"]).code, 2);
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn what_the_servers_memory_was_told_is_not_told_to_its_commands() {
    let sandbox = Sandbox::with_store(&[]);
    let pipe = sandbox.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let served = Served::start(&sandbox);
    let status: Value = serde_json::from_str(&served.client().status().unwrap()).unwrap();
    let own = std::fs::read(format!("/proc/{}/environ", status["pid"])).unwrap();
    let own = String::from_utf8_lossy(&own);
    // The C library may cut it into its parts where it stands.
    assert!(own.contains(&format!("{ALLOCATOR}=")));
    assert!(FEW_HEAPS.split(':').all(|part| own.contains(&format!("{part}\0"))), "{own}");

    let pipe = pipe.to_str().unwrap();
    let args = ["sub", "add", "seen", "--command", "sh", "-c", "env > \"$0\"", pipe];
    assert_eq!(sandbox.run(&args).code, 0);
    assert_eq!(sandbox.pipe(&["emit", "-"], FINE.as_bytes()).code, 0);
    let given = std::fs::read_to_string(pipe).unwrap();
    assert!(given.contains("WEFT_SUBSCRIPTION=seen\n"), "{given}");
    assert!(!given.contains("GLIBC_TUNABLES"), "{given}");
    assert_eq!(served.end().0, Some(0));
}

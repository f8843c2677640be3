//! Commands that are run for each event.

use std::fs;
use std::time::Duration;

use weft_server::subs::definition::{Blobs, Kind, Request, Retry};

use crate::server::{Disk, Server, events, eventually};

/// Returns a subscription of a script that is given a folder.
pub(crate) fn request(script: &str, folder: &std::path::Path, retry: Retry) -> Request {
    let argv = ["sh", "-c", script, "sh", folder.to_str().expect("text")];
    let kind = Kind::Command { argv: argv.map(str::to_owned).into() };
    let (name, filter, blobs) = ("mine".to_owned(), String::new(), Blobs::Referenced);
    Request { name, filter, start: 0, kind, blobs, retry, now_ns: 0 }
}

fn subscribe(server: &Server, script: &str, folder: &std::path::Path, retry: Retry) {
    server.subscribe(request(script, folder, retry));
}

fn quick() -> Retry {
    let (backoff_min, backoff_max) = (Duration::from_millis(1), Duration::from_millis(20));
    Retry { backoff_min, backoff_max, attempts_max: 3, ..Retry::default() }
}

fn lines(path: &std::path::Path) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

#[test]
fn it_gets_the_record_and_what_belongs_to_it_and_is_run_again_when_it_fails() {
    let disk = Disk::new();
    let server = disk.start();
    let script = r#"echo "$WEFT_SUBSCRIPTION $WEFT_POSITION $WEFT_ATTEMPT $WEFT_CURSOR" >> "$1/ran"
        test "$WEFT_ATTEMPT" -ge 2 || { echo not yet >&2; exit 1; }
        cat >> "$1/records""#;
    subscribe(&server, script, &disk.path(), quick());
    let last = server.append(&events(&["a"], 0, 3));
    let records = disk.path().join("records");
    let records = eventually("all came", || Some(lines(&records)).filter(|lines| lines.len() == 3));
    let position = |line: &String| {
        let record: serde_json::Value = serde_json::from_str(line).expect("a record");
        record["position"].as_u64().expect("a position")
    };
    assert_eq!(records.iter().map(position).collect::<Vec<_>>(), [last - 2, last - 1, last]);
    let ran = lines(&disk.path().join("ran"));
    assert_eq!(ran[1], format!("mine {} 2 store-1:{}", last - 2, last - 2));
    assert_eq!(ran.len(), 6);
    server.stop();
    assert_eq!(disk.books().get("mine").expect("it is there").progress.n_delivered, 3);
}

#[test]
fn one_that_takes_too_long_is_ended_with_all_that_it_started() {
    let disk = Disk::new();
    let server = disk.start();
    let retry = Retry { timeout: Duration::from_millis(300), attempts_max: 1, ..quick() };
    subscribe(&server, r#"sleep 1000 & echo $! > "$1/pid"; wait"#, &disk.path(), retry);
    let position = server.append(&events(&["a"], 0, 1));
    let dead = eventually("it is dead", || {
        let (_, list) = server.get("/v1/subscriptions/mine/dead");
        list["dead"].get(0).cloned()
    });
    assert_eq!(
        (&dead["position"], &dead["error"]),
        (&position.into(), &"not done within 300 ms, and ended".into())
    );
    let pid = fs::read_to_string(disk.path().join("pid")).expect("it was started");
    let pid =
        rustix::process::Pid::from_raw(pid.trim().parse().expect("a number")).expect("a process");
    eventually("it is ended", || {
        let stat =
            fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        (rustix::process::test_kill_process(pid).is_err() || stat.contains(") Z ")).then_some(())
    });
    server.stop();
}

#[test]
fn one_that_cannot_be_run_or_says_that_it_cannot_now_loses_nothing() {
    let disk = Disk::new();
    let server = disk.start();
    let script = r#"test -e "$1/ready" || exit 75; echo "$WEFT_POSITION" >> "$1/taken""#;
    subscribe(&server, script, &disk.path(), Retry { attempts_max: 1, ..quick() });
    server.append(&events(&["a", "b"], 0, 4));
    eventually("it is noticed", || {
        (server.get("/v1/subscriptions/mine").1["live"]["away"] == true).then_some(())
    });
    fs::write(disk.path().join("ready"), "").expect("a file");
    let taken = disk.path().join("taken");
    eventually("all came", || (lines(&taken).len() == 4).then_some(()));
    assert_eq!(server.get("/v1/subscriptions/mine").1["dead"], 0);
    server.stop();
}

//! Every sync of a command fails once: what was answered is there all the same, once.

use std::fs;
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use weft_log::lock::{Lock, Owner};

use crate::index;
use crate::scene::{Scene, done, feed, needle, shown};

/// More calls than any thread of the commands makes.
const CALLS_MAX: u64 = 60;

/// Where strace writes what it did.
const TRACE: &str = "trace.txt";

/// Events in a file that is read: more than go into one group.
const EVENTS: u64 = 9_000;

/// The calls that make something durable. They are counted for each thread, so that a number can stand for several calls: those
/// on the log's first segment are counted apart too.
const CALLS: [Call; 3] = [
    Call { name: "fdatasync", on: On::Anything },
    Call { name: "fsync", on: On::Anything },
    Call { name: "fdatasync", on: On::Segment },
];

#[derive(Clone, Copy)]
struct Call {
    name: &'static str,
    on: On,
}

/// What becomes of the calls after the one that failed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// They work again.
    Works,
    /// They fail too: the disk is gone.
    Fails,
}

/// Which calls fail.
#[derive(Clone, Copy)]
struct Fault {
    call: Call,
    n: u64,
    then: Then,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Anything,
    Segment,
}

/// Returns whether calls can be made to fail here; says so if not.
fn can_inject(scene: &Scene) -> bool {
    let tried = scene.program("strace", &["-qq", "-o", TRACE, "true"]).output();
    let can = tried.is_ok_and(|tried| tried.status.success());
    if !can {
        println!("skipped: strace is not there, or may not trace");
    }
    can
}

/// Runs a command whose n-th such call fails; returns what it left, and whether a call failed at all.
fn run_failing(
    scene: &Scene,
    Fault { call, n, then }: Fault,
    args: &[&str],
    stdin: Option<String>,
) -> (Output, bool) {
    let and_all_after = if then == Then::Fails { "+" } else { "" };
    let trace = format!("trace={}", call.name);
    let inject = format!("inject={}:error=EIO:when={n}{and_all_after}", call.name);
    let mut traced = vec!["-f", "-qq", "-o", TRACE, "-e", &trace, "-e", &inject];
    let segment = scene.segment().display().to_string();
    if call.on == On::Segment {
        traced.extend(["-P", &segment]);
    }
    traced.push(env!("CARGO_BIN_EXE_weft"));
    let mut command = scene.program("strace", &[&traced[..], args].concat());
    let output = match stdin {
        None => command.output().unwrap(),
        Some(text) => {
            let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
            feed(&mut child, text.into_bytes());
            child.wait_with_output().unwrap()
        }
    };
    let trace = fs::read_to_string(scene.path(TRACE)).unwrap();
    (output, trace.contains("(INJECTED)"))
}

/// Fails each call in turn until none is left to fail; `round` returns whether one did.
fn fail_each(mut round: impl FnMut(Fault) -> bool) {
    if !can_inject(&Scene::new()) {
        return;
    }
    let mut n_calls = 0;
    for (call, then) in CALLS.iter().flat_map(|call| [(*call, Then::Works), (*call, Then::Fails)]) {
        let n_failed = (1..=CALLS_MAX).take_while(|n| round(Fault { call, n: *n, then })).count();
        assert!(n_failed < CALLS_MAX as usize, "a run makes more than {CALLS_MAX} calls");
        n_calls += n_failed;
    }
    println!("{n_calls} calls failed one by one");
    assert!(n_calls > 0, "no call was made to fail");
}

#[test]
fn a_file_is_read_whole_whichever_sync_fails() {
    let mut n_ended = 0;
    fail_each(|fault| {
        let scene = Scene::new();
        let line = |number: u64| match number % 5 {
            0 => done("w", number),
            _ => needle("w", number),
        };
        scene.append("a.jsonl", (1..=EVENTS).map(line));
        let (output, is_injected) = run_failing(&scene, fault, &["ingest", "a.jsonl"], None);
        let census = scene.census();
        if output.status.success() {
            assert!((1..=EVENTS).all(|number| census.once("w", number) > 0));
        } else {
            assert!(is_injected, "{}", shown(&output));
            assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
            n_ended += 1;
        }
        let again = scene.weft(&["ingest", "a.jsonl"]).output().unwrap();
        assert!(again.status.success(), "{}", shown(&again));
        let census = scene.census();
        census.assert_in_order();
        assert_eq!(census.n_records, EVENTS);
        index::assert_equals_a_rebuild(&scene.store());
        is_injected
    });
    println!("{n_ended} of them ended the run");
}

#[test]
fn an_event_is_emitted_once_whichever_sync_fails() {
    fail_each(|fault| {
        let scene = Scene::new();
        let mut is_injected = false;
        for number in 1..=3 {
            let event = if number == 2 { done("w", number) } else { needle("w", number) };
            let id = format!("w-{number}");
            let args = ["emit", "--json", "--id", &id];
            let (output, was_injected) = run_failing(&scene, fault, &args, Some(event.clone()));
            is_injected |= was_injected;
            if output.status.success() {
                let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
                if let Some(position) = answer["position"].as_u64() {
                    assert_eq!(scene.census().once("w", number), position);
                }
            } else {
                assert!(was_injected, "{}", shown(&output));
                assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
            }
            let mut child = scene.weft(&args).stdin(Stdio::piped()).spawn().unwrap();
            feed(&mut child, event.into_bytes());
            let again = child.wait_with_output().unwrap();
            assert!(again.status.success(), "{}", shown(&again));
        }
        let census = scene.census();
        census.assert_in_order();
        assert_eq!(census.n_records, 3);
        index::assert_equals_a_rebuild(&scene.store());
        is_injected
    });
}

#[test]
fn the_spool_answers_only_for_what_it_has() {
    let owner = Owner { pid: 1, what: "test".to_owned() };
    fail_each(|fault| {
        let scene = Scene::new();
        let lock = Lock::take(&scene.store(), &owner, Duration::from_secs(60)).unwrap();
        let args = ["emit", "--json", "--id", "a"];
        let (output, is_injected) = run_failing(&scene, fault, &args, Some(done("w", 1)));
        drop(lock);
        let is_kept = output.status.success();
        let mut child = scene.weft(&["emit"]).stdin(Stdio::piped()).spawn().unwrap();
        feed(&mut child, needle("w", 2).into_bytes());
        let next = child.wait_with_output().unwrap();
        assert!(next.status.success(), "{}", shown(&next));
        let census = scene.census();
        census.assert_in_order();
        if is_kept {
            assert!(census.once("w", 1) > 0);
        } else {
            assert!(is_injected, "{}", shown(&output));
            assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
        }
        is_injected
    });
}

//! Several processes on one store, killed at random moments.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::draw::{self, Draw};
use crate::index;
use crate::scene::{Scene, done, feed, needle, shown};

/// Kills in a normal run.
const KILLS: u64 = 220;
/// Kills in a long one.
const KILLS_LONG: u64 = 4_000;

const KILL: i32 = 9;

/// Events that were acknowledged: worker, number, and the position if one was told.
type Acknowledged = Vec<(String, u64, Option<u64>)>;

/// What all threads share.
struct Crowd {
    scene: Scene,
    seed: u64,
    n_kills_max: u64,
    n_kills: AtomicU64,
}

impl Crowd {
    fn goes_on(&self) -> bool {
        self.n_kills.load(Ordering::Relaxed) < self.n_kills_max
    }

    /// Lets a process run to its end, or kills it after a while; returns what it left, and whether it was killed.
    fn reap(&self, mut child: Child, kill_after: Option<Duration>) -> (Output, bool) {
        if let Some(after) = kill_after {
            thread::park_timeout(after);
            child.kill().unwrap();
        }
        let output = child.wait_with_output().unwrap();
        let is_killed = output.status.signal() == Some(KILL);
        if is_killed {
            self.n_kills.fetch_add(1, Ordering::Relaxed);
        }
        (output, is_killed)
    }
}

/// How long a process takes, so that kills hit all of it.
struct Lifetime(Duration);

impl Lifetime {
    /// Returns after which time to kill the next one; `None` to let it live.
    fn draw(&self, draw: &mut Draw) -> Option<Duration> {
        (draw.below(10) < 7).then(|| draw.time_below(self.0 * 5 / 4))
    }

    fn note(&mut self, took: Duration) {
        self.0 = (self.0 * 7 + took) / 8;
    }
}

#[test]
fn what_was_answered_is_there_once_whoever_is_killed() {
    let n_kills_max = if draw::is_long() { KILLS_LONG } else { KILLS };
    let crowd =
        Crowd { scene: Scene::new(), seed: draw::seed(), n_kills_max, n_kills: AtomicU64::new(0) };
    let acknowledged: Acknowledged = thread::scope(|scope| {
        let crowd = &crowd;
        let emitters = (0..3).map(|n| scope.spawn(move || emit(crowd, n)));
        let readers = (0..2).map(|n| scope.spawn(move || ingest(crowd, n)));
        let followers = [scope.spawn(move || follow(crowd))].into_iter();
        let all: Vec<_> = emitters.chain(readers).chain(followers).collect();
        all.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    // Whatever waits in the spool comes in with the next one who writes.
    let last = crowd.scene.weft(&["ingest", "reader-0.jsonl"]).output().unwrap();
    assert!(last.status.success(), "{}", shown(&last));
    let census = crowd.scene.census();
    census.assert_in_order();
    for (worker, number, position) in &acknowledged {
        let found = census.once(worker, *number);
        assert!(
            position.is_none_or(|position| position == found),
            "event {number} of {worker} was answered with {position:?} and stands at {found}"
        );
    }
    let n_positions = acknowledged.iter().filter(|(_, _, position)| position.is_some()).count();
    println!(
        "{} kills, {} events acknowledged, {n_positions} of them with a position, {} in the log",
        crowd.n_kills.load(Ordering::Relaxed),
        acknowledged.len(),
        census.n_records
    );
    assert!(n_positions > 0, "some answers have positions");
    index::assert_equals_a_rebuild(&crowd.scene.store());
}

/// Emits events one by one, each until it is answered. Every third has no identity but its delivery's.
fn emit(crowd: &Crowd, n: u64) -> Acknowledged {
    let mut draw = Draw::new(crowd.seed, 100 + n);
    let worker = format!("emitter-{n}");
    let mut acknowledged = Vec::new();
    let mut lifetime = Lifetime(Duration::from_millis(20));
    let mut number = 1;
    while crowd.goes_on() || acknowledged.is_empty() {
        let event = if number % 3 == 0 { done(&worker, number) } else { needle(&worker, number) };
        let id = format!("{worker}-{number}");
        let mut command = crowd.scene.weft(&["emit", "--json", "--id", &id]);
        let started = Instant::now();
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        feed(&mut child, event.into_bytes());
        let (output, is_killed) = crowd.reap(child, lifetime.draw(&mut draw));
        if !is_killed {
            assert!(output.status.success(), "{}", shown(&output));
            lifetime.note(started.elapsed());
        }
        // An answer counts once its line is whole, whatever became of the process after it.
        match output.stdout.strip_suffix(b"\n") {
            Some(answer) => {
                let answer: Value = serde_json::from_slice(answer).unwrap();
                acknowledged.push((worker.clone(), number, answer["position"].as_u64()));
                number += 1;
            }
            None => assert!(is_killed, "{}", shown(&output)),
        }
    }
    acknowledged
}

/// Reads a file that grows, again and again. Every fifth event has no identity but where it stands.
fn ingest(crowd: &Crowd, n: u64) -> Acknowledged {
    let mut draw = Draw::new(crowd.seed, 200 + n);
    let (worker, file) = (format!("reader-{n}"), format!("reader-{n}.jsonl"));
    let mut lifetime = Lifetime(Duration::from_millis(40));
    let mut last = 0;
    let mut n_durable = 0;
    while crowd.goes_on() || n_durable == 0 {
        if draw.below(3) > 0 || last == 0 {
            let more = 1 + draw.below(300);
            crowd.scene.append(&file, (last + 1..=last + more).map(|number| line(&worker, number)));
            last += more;
        }
        let started = Instant::now();
        let child = crowd.scene.weft(&["ingest", &file]).spawn().unwrap();
        let (output, is_killed) = crowd.reap(child, lifetime.draw(&mut draw));
        if !is_killed {
            assert!(output.status.success(), "{}", shown(&output));
            lifetime.note(started.elapsed());
            n_durable = last;
        }
    }
    (1..=n_durable).map(|number| (worker.clone(), number, None)).collect()
}

/// Follows a file while it grows, and begins anew each time it is killed.
fn follow(crowd: &Crowd) -> Acknowledged {
    let mut draw = Draw::new(crowd.seed, 300);
    let (worker, file) = ("follower", "follower.jsonl");
    let mut last = 0;
    while crowd.goes_on() {
        let child = crowd.scene.weft(&["ingest", "--follow", file]).spawn().unwrap();
        for _ in 0..draw.below(6) {
            let more = 1 + draw.below(20);
            crowd.scene.append(file, (last + 1..=last + more).map(|number| line(worker, number)));
            last += more;
            thread::park_timeout(draw.time_below(Duration::from_millis(60)));
        }
        crowd.reap(child, Some(draw.time_below(Duration::from_millis(150))));
    }
    crowd.scene.append(file, std::iter::once(line(worker, last + 1)));
    let output = crowd.scene.weft(&["ingest", file]).output().unwrap();
    assert!(output.status.success(), "{}", shown(&output));
    (1..=last + 1).map(|number| (worker.to_owned(), number, None)).collect()
}

fn line(worker: &str, number: u64) -> String {
    if number.is_multiple_of(5) { done(worker, number) } else { needle(worker, number) }
}

//! The server killed under load, again and again: whatever it acknowledged is in the log once, and whoever subscribed gets it.

mod delivered;
mod event;
mod http;
mod producer;
mod puller;
mod receiver;
mod up;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::draw::{self, Draw};
use crate::index;
use crate::scene::{Scene, shown};
use delivered::{Taken, assert_delivered};
use event::Event;
use http::{Ask, Connection};
use producer::Acknowledged;
use receiver::Receiver;
use up::{Board, Up};

/// Kills in a normal run.
const KILLS: u64 = 60;
/// Kills in a long one.
const KILLS_LONG: u64 = 1_000;

/// How long a server lives at most before it is killed.
const LIFE_MAX: Duration = Duration::from_millis(600);

/// How long the last server may take to deliver what is left.
const SETTLE_MAX: Duration = Duration::from_secs(120);

/// The producers over HTTP; the next one uses the socket, and the one after that `weft emit`.
const POSTERS: u64 = 4;

/// The producers whose events the command is run for.
const FOR_COMMAND: [u64; 2] = [0, POSTERS];

/// Events that a producer may have acknowledged for each server that was killed: on a fast disk there would be more than can be
/// delivered in good time. Those that a command is run for take longest.
const EVENTS_PER_KILL: u64 = 150;
const COMMANDS_PER_KILL: u64 = 25;

/// The subscriptions.
const SUBSCRIPTIONS: [&str; 3] = ["hook", "pull", "run"];

/// What all threads share.
struct Storm {
    scene: Scene,
    board: Board,
    seed: u64,
    n_kills: AtomicU64,
    is_over: AtomicBool,
    is_settled: AtomicBool,
}

impl Storm {
    /// Returns whether a producer is to go on, once it may.
    fn goes_on(&self, producer: u64, acknowledged: &Acknowledged) -> bool {
        let per_kill =
            if FOR_COMMAND.contains(&producer) { COMMANDS_PER_KILL } else { EVENTS_PER_KILL };
        loop {
            let n_max = (self.n_kills.load(Ordering::Relaxed) + 1) * per_kill;
            if self.is_over.load(Ordering::Relaxed) {
                return false;
            }
            if (acknowledged.len() as u64) < n_max {
                return true;
            }
            thread::park_timeout(Duration::from_millis(1));
        }
    }

    fn is_settled(&self) -> bool {
        self.is_settled.load(Ordering::Relaxed)
    }
}

#[test]
fn what_a_server_acknowledged_is_there_once_and_is_delivered_however_often_it_is_killed() {
    let began = Instant::now();
    let (seed, n_kills) = (draw::seed(), if draw::is_long() { KILLS_LONG } else { KILLS });
    let (is_over, is_settled) = (AtomicBool::new(false), AtomicBool::new(false));
    let (scene, board, n_kills_done) = (Scene::new(), Board::default(), AtomicU64::new(0));
    let storm = Storm { scene, board, seed, n_kills: n_kills_done, is_over, is_settled };
    let receiver = Receiver::start(seed);
    subscribe(&storm, &receiver);
    let (acknowledged, pulled) = thread::scope(|scope| {
        let storm = &storm;
        let posters = (0..POSTERS).map(|n| scope.spawn(move || producer::post(storm, n)));
        let sender = scope.spawn(move || producer::send(storm, POSTERS));
        let emitter = scope.spawn(move || producer::emit(storm, POSTERS + 1));
        let producers: Vec<_> = posters.chain([sender, emitter]).collect();
        let puller = scope.spawn(move || puller::pull(storm));
        rage(storm, n_kills);
        let mut last = Up::start(&storm.scene, &storm.board);
        last.ready();
        storm.is_over.store(true, Ordering::Relaxed);
        let acknowledged: Acknowledged =
            producers.into_iter().flat_map(|producer| producer.join().unwrap()).collect();
        settle(storm);
        let pulled = puller.join().unwrap();
        let ended = last.end();
        assert!(ended.success(), "{ended}");
        (acknowledged, pulled)
    });
    let log = read_log(&storm.scene);
    assert_acknowledged(&acknowledged, &log);
    let run = read_run(&storm.scene);
    let hooked = receiver.taken();
    let n_hooked = assert_delivered("hook", &hooked, &log, |_| true);
    let n_pulled = assert_delivered("pull", &pulled, &log, |_| true);
    let is_for_command =
        |event: Event| FOR_COMMAND.contains(&event.producer) && event.lane() != "nobody";
    let n_run = assert_delivered("run", &run, &log, is_for_command);
    let verified = storm.scene.weft(&["verify"]).output().unwrap();
    assert!(verified.status.success(), "{}", shown(&verified));
    index::assert_equals_a_rebuild(&storm.scene.store());
    println!(
        "{n_kills} kills, {} events acknowledged; webhook {n_hooked} in {} deliveries, pull {n_pulled} in {}, command {n_run} in {}; {:?}",
        acknowledged.len(),
        hooked.len(),
        pulled.len(),
        run.len(),
        began.elapsed()
    );
}

/// Makes the subscriptions: one by the command line before there is a server, two over HTTP.
fn subscribe(storm: &Storm, receiver: &Receiver) {
    let filter = FOR_COMMAND.map(|n| format!("session:session-{n}")).join(" or ");
    // A record that is cut short means that the server was killed while it wrote.
    let script = r#"read -r record || exit 1
        if [ $((WEFT_POSITION % 37)) = 0 ] && [ "$WEFT_ATTEMPT" = 1 ]; then exit 1; fi
        printf '%s %s\n' "$WEFT_EVENT_ID" "$record" >> run.txt"#;
    let args = ["sub", "add", "run", "--from", "start", "--attempts", "1000", "--filter", &filter];
    let made = storm.scene.weft(&args).args(["--command", "sh", "-c", script]).output().unwrap();
    assert!(made.status.success(), "{}", shown(&made));
    let mut server = Up::start(&storm.scene, &storm.board);
    server.ready();
    let retry = |timeout_ms: u64| json!({"attempts_max":1000,"backoff_min_ms":1,"backoff_max_ms":20,"timeout_ms":timeout_ms});
    let url = format!("http://{}/", receiver.address);
    let hook = json!({"name":"hook","from":"start","kind":"webhook","url":url,"retry":retry(receiver::TIMEOUT_MS)});
    let pull = json!({"name":"pull","from":"start","kind":"pull","retry":retry(puller::LENT_MS)});
    let mut connection = Connection::open(&storm.board.place().http).unwrap();
    for body in [hook, pull] {
        let (target, body) = ("/v1/subscriptions", body.to_string());
        let ask = Ask { method: "POST", target, headers: &[], body: &body };
        let (status, answer) = connection.ask(&ask).unwrap();
        assert_eq!(status, 201, "{answer}");
    }
    server.kill();
}

/// Starts servers and kills them, some before they are ready.
fn rage(storm: &Storm, n_kills: u64) {
    let mut draw = Draw::new(storm.seed, 3000);
    for _ in 0..n_kills {
        let mut server = Up::start(&storm.scene, &storm.board);
        if draw.below(8) == 0 {
            thread::park_timeout(draw.time_below(Duration::from_millis(40)));
        } else {
            server.ready();
            thread::park_timeout(draw.time_below(LIFE_MAX));
        }
        server.kill();
        storm.n_kills.fetch_add(1, Ordering::Relaxed);
    }
}

/// Waits until every subscription is as far as the log is.
fn settle(storm: &Storm) {
    let until = Instant::now() + SETTLE_MAX;
    let mut connection = Connection::open(&storm.board.place().http).unwrap();
    let mut ask = |target: &str| {
        let ask = Ask { method: "GET", target, headers: &[], body: "" };
        let (status, answer) = connection.ask(&ask).unwrap();
        assert_eq!(status, 200, "{answer}");
        serde_json::from_str::<Value>(&answer).unwrap()
    };
    let newest = ask("/v1/events?limit=1")["records"][0]["position"].as_u64().unwrap();
    for name in SUBSCRIPTIONS {
        loop {
            let now = ask(&format!("/v1/subscriptions/{name}"));
            assert_eq!(now["dead"], 0, "{now}");
            if now["live"]["acknowledged"].as_u64().is_some_and(|position| position >= newest) {
                break;
            }
            assert!(Instant::now() < until, "{name} is not done in time: {now}");
            thread::park_timeout(Duration::from_millis(10));
        }
    }
    storm.is_settled.store(true, Ordering::Relaxed);
}

/// Returns the events of the log by position, read with nothing but the names of its files.
fn read_log(scene: &Scene) -> BTreeMap<u64, Event> {
    let folder = fs::read_dir(scene.store().join("log")).unwrap();
    let files: BTreeSet<_> = folder.map(|entry| entry.unwrap().path()).collect();
    let text: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let lines = text.lines().filter(|line| !line.starts_with("{\"weft_seal\":"));
    let numbered = (1..).zip(lines);
    let events = numbered.filter(|(_, line)| !line.starts_with("{\"weft\":1,"));
    events.map(|(position, line)| (position, Event::read(line))).collect()
}

/// Asserts that what was acknowledged is in the log once and where it was said to be, in the order of each producer, and that
/// nothing else is there.
fn assert_acknowledged(acknowledged: &Acknowledged, log: &BTreeMap<u64, Event>) {
    let mut places = BTreeMap::new();
    let mut last = BTreeMap::new();
    for (position, event) in log {
        let before = places.insert(*event, *position);
        assert_eq!(before, None, "{event:?} is in the log twice, again at {position}");
        let before = last.insert(event.producer, event.number).unwrap_or(0);
        assert_eq!(before + 1, event.number, "the events of a producer stand in its order");
    }
    for (event, position) in acknowledged {
        let found = places.get(event).copied();
        assert!(found.is_some(), "{event:?} was acknowledged and is not in the log");
        assert!(position.is_none() || *position == found, "{event:?}: {position:?}, {found:?}");
    }
    assert_eq!(acknowledged.len(), log.len(), "the log has what was acknowledged and no more");
}

/// Reads what the command has taken.
fn read_run(scene: &Scene) -> Vec<Taken> {
    let text = fs::read_to_string(scene.path("run.txt")).unwrap();
    let read = |line: &str| {
        let (id, record) = line.split_once(' ').unwrap();
        Taken::read(id, record)
    };
    text.lines().map(read).collect()
}

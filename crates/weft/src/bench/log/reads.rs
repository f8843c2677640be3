//! How long it takes to open what was written and to find a session in it, beside `jq` over the same files.

use std::io::{self, BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use weft_event::Dialect;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_log::filter::quoted;
use weft_log::log::Log;
use weft_log::query::{Ask, Order, Records};
use weft_log::{Filter, Position, Store};

use super::super::measured::timed;
use super::Supply;
use crate::stores;

/// Records that the query returns.
const N_RECORDS: usize = 100;

/// How often the short ways are measured.
const N_TIMES: usize = 51;

/// How long `jq` may take.
const JQ_MAX: Duration = Duration::from_secs(120);

/// What was measured.
pub(super) struct Reads {
    /// To open a clean store for one event.
    pub(super) open: Duration,
    /// To open it for reading and find the newest records of a session; `None` if no session has enough of them.
    pub(super) query: Option<Duration>,
    /// To find the session with `jq`; `None` if it is not installed.
    pub(super) jq: Option<Scan>,
}

/// How long a scan of the whole log took.
#[derive(Clone, Copy)]
pub(super) enum Scan {
    /// To its end.
    Whole(Duration),
    /// Until it was stopped.
    Stopped(Duration),
}

impl Scan {
    /// Returns the time; of one that was stopped, the least that it would have taken.
    pub(super) fn took(self) -> Duration {
        match self {
            Self::Whole(took) | Self::Stopped(took) => took,
        }
    }
}

/// Measures a store; `supply` begins with the events that it began with.
pub(super) fn measure(store: &Store, supply: &mut Supply) -> anyhow::Result<Reads> {
    let open = median(|| {
        let options = stores::briefly(Duration::ZERO);
        let (log, took) = timed(|| Ok(Log::open(store.clone(), options, &mut |_| {})?))?;
        log.close()?;
        Ok(took)
    })?;
    let Some(session) = session(store, supply)? else {
        return Ok(Reads { open, query: None, jq: None });
    };
    let filter = Filter::parse(&format!("session={}", quoted(&session)), 0)?;
    let query = median(|| Ok(timed(|| find(store, &filter))?.1))?;
    Ok(Reads { open, query: Some(query), jq: jq(&store.log(), &session)? })
}

/// Returns the median of many times.
fn median(mut once: impl FnMut() -> anyhow::Result<Duration>) -> anyhow::Result<Duration> {
    let mut times = (0..N_TIMES).map(|_| once()).collect::<anyhow::Result<Vec<_>>>()?;
    times.sort();
    Ok(times[N_TIMES / 2])
}

fn find(store: &Store, filter: &Filter) -> anyhow::Result<()> {
    let mut records = Records::open(store.clone())?;
    let range = Position::FIRST..=Position::new(u64::MAX).expect("it is not 0");
    let ask = Ask { filter, range, order: Order::Descending, limit: N_RECORDS };
    let n_found = records.page(&ask)?.records.len();
    ensure!(n_found == N_RECORDS, "the session has {n_found} records only");
    Ok(())
}

/// Returns a session that has enough records, if there is one, whose events all name it at the same place.
fn session(store: &Store, supply: &mut Supply) -> anyhow::Result<Option<String>> {
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    for line in supply.take(1000) {
        problems.clear();
        let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems);
        let Some(event) = event.filter(|event| event.dialect() == Dialect::Needle) else {
            continue;
        };
        let Some(session) = event.facts().session.map(std::borrow::Cow::into_owned) else {
            continue;
        };
        let filter = Filter::parse(&format!("session={}", quoted(&session)), 0)?;
        if find(store, &filter).is_ok() {
            return Ok(Some(session));
        }
    }
    Ok(None)
}

/// Times `jq` over the whole log; it is stopped once it has shown to be many times slower than any query.
fn jq(log: &Path, session: &str) -> anyhow::Result<Option<Scan>> {
    let mut segments: Vec<_> =
        log.read_dir()?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    segments.sort();
    let select = "select(.session_id == $session)";
    let mut command = Command::new("jq");
    command.args(["-c", "--arg", "session", session, select]).args(segments);
    let started = Instant::now();
    let mut child = match command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).context("cannot run jq"),
    };
    let stdout = child.stdout.take().context("the output of jq is a pipe")?;
    let (send, receive) = mpsc::sync_channel(1);
    let reader = thread::spawn(move || send.send(BufReader::new(stdout).lines().count()));
    let ended = receive.recv_timeout(JQ_MAX);
    let took = started.elapsed();
    if ended.is_err() {
        child.kill().context("cannot stop jq")?;
    }
    let status = child.wait()?;
    drop(reader.join());
    let Ok(n_found) = ended else { return Ok(Some(Scan::Stopped(took))) };
    ensure!(status.success() && n_found >= N_RECORDS, "jq found {n_found} records only");
    Ok(Some(Scan::Whole(took)))
}

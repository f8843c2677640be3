//! How long it takes to open what was written and to find a session in it, beside `jq` over the same files.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use weft_event::Dialect;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_log::log::Log;
use weft_log::query::{Ask, Order, Records};
use weft_log::{Filter, Position, Store};

use super::{Supply, timed};
use crate::records::quoted;
use crate::stores;

/// Records that the query returns.
const N_RECORDS: usize = 100;

/// How often the short ways are measured.
const N_TIMES: usize = 51;

/// What was measured.
pub(super) struct Reads {
    /// To open a clean store for one event.
    pub(super) open: Duration,
    /// To open it for reading and find the newest records of a session; `None` if no session has enough of them.
    pub(super) query: Option<Duration>,
    /// To find the session with `jq`; `None` if it is not installed.
    pub(super) jq: Option<Duration>,
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

fn jq(log: &Path, session: &str) -> anyhow::Result<Option<Duration>> {
    let mut segments: Vec<_> =
        log.read_dir()?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    segments.sort();
    let select = "select(.session_id == $session)";
    let mut command = Command::new("jq");
    command.args(["-c", "--arg", "session", session, select]).args(segments).stdin(Stdio::null());
    let (output, took) = timed(|| match command.output() {
        Ok(output) => Ok(Some(output)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).context("cannot run jq"),
    })?;
    let Some(output) = output else { return Ok(None) };
    let n_found = output.stdout.iter().filter(|byte| **byte == b'\n').count();
    ensure!(output.status.success() && n_found >= N_RECORDS, "jq found {n_found} records only");
    Ok(Some(took))
}

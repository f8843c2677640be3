//! How long an event takes from its producer to a reader of the stream, while many others come, beside one sync of the disk.

use std::os::fd::AsFd as _;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use weft_event::time::parse_rfc3339;

use super::super::log::bare::GrowingFile;
use super::super::measured::median;
use super::super::server::Reach;
use super::crowd::Crowd;
use super::stream::Stream;
use super::wire::Http;

/// What stands before the time at which the log took a record, in a record of the stream.
const RECEIVED: &str = "\"received\":\"";

/// The middle and the end of some times, in nanoseconds.
#[derive(Clone, Copy)]
pub(super) struct Spread {
    pub(super) p50: f64,
    pub(super) p99: f64,
}

/// What was measured in one round.
pub(super) struct Latency {
    /// Events that were sent in a second.
    pub(super) rate: f64,
    /// A write of one event and its sync, with nothing else going on.
    pub(super) sync: Spread,
    /// From just before an event is sent until its answer is there.
    pub(super) answered: Spread,
    /// From just before an event is sent until a reader of the stream has it.
    pub(super) received: Spread,
    /// From when the log began to append the event, by the record's own time, until a reader of the stream has it.
    pub(super) appended: Spread,
    /// From the answer until a reader has it; below zero where the reader is first.
    pub(super) after_answer: Spread,
    /// How much later than planned events were sent, for want of processor time or of a free connection.
    pub(super) late: Spread,
}

/// A record that a reader has.
#[derive(Clone, Copy)]
struct Arrival {
    position: u64,
    at: Instant,
    /// How long ago the log began to append it.
    appended_ns: f64,
}

/// An event on its way.
#[derive(Clone, Copy)]
struct Trip {
    due: Instant,
    sent: Instant,
    answered: Instant,
    position: u64,
}

/// Sends single events at a rate, reads them off the stream, and measures the disk before and after.
pub(super) fn measure(
    reach: &Reach,
    disk: &mut GrowingFile,
    events: &[String],
    requests: &[Vec<u8>],
    rate: f64,
) -> anyhow::Result<Latency> {
    // It grows as the log does.
    disk.append(events, events.len())?;
    let mut syncs = sync_times(disk, events)?;
    let mut crowd = Crowd::<Http>::connect(reach, super::CONNECTIONS)?;
    let mut stream = Stream::open(reach, None)?;
    let n = requests.len();
    let (trips, received) = pace(&mut crowd, &mut stream, requests, rate)?;
    syncs.extend(sync_times(disk, events)?);
    let first = received.first().context("nothing came")?.position;
    let at = |position: u64| {
        let idx = usize::try_from(position.checked_sub(first)?).ok()?;
        received.get(idx).filter(|found| found.position == position).map(|found| found.at)
    };
    let mut through = Vec::with_capacity(n);
    for trip in &trips {
        let at = at(trip.position).context("an event that was stored did not come")?;
        through.push((trip, at));
    }
    let spread = |of: &dyn Fn(&Trip, Instant) -> f64| {
        Spread::of(through.iter().map(|(trip, at)| of(trip, *at)).collect())
    };
    Ok(Latency {
        rate,
        sync: Spread::of(syncs.iter().map(|took| took.as_nanos() as f64).collect()),
        answered: spread(&|trip, _| nanoseconds(trip.sent, trip.answered)),
        received: spread(&|trip, at| nanoseconds(trip.sent, at)),
        appended: Spread::of(received.iter().map(|arrival| arrival.appended_ns).collect()),
        after_answer: spread(&|trip, at| nanoseconds(trip.answered, at)),
        late: spread(&|trip, _| nanoseconds(trip.due, trip.sent)),
    })
}

/// Sends requests at a rate, whether or not those before are answered, as long as a connection is free, and reads the stream. One
/// thread does both, so that it takes less of the processor.
fn pace(
    crowd: &mut Crowd<Http>,
    stream: &mut Stream,
    requests: &[Vec<u8>],
    rate: f64,
) -> anyhow::Result<(Vec<Trip>, Vec<Arrival>)> {
    let begun = Instant::now();
    let due = |nth: usize| begun + Duration::from_secs_f64(nth as f64 / rate);
    let mut free: Vec<usize> = (0..crowd.len()).collect();
    let mut flying: Vec<Option<(Instant, Instant)>> = vec![None; crowd.len()];
    let mut trips = Vec::with_capacity(requests.len());
    let mut received = Vec::with_capacity(requests.len());
    let mut n_sent = 0;
    while trips.len() < requests.len() || received.len() < requests.len() {
        while n_sent < requests.len()
            && due(n_sent) <= Instant::now()
            && let Some(idx) = free.pop()
        {
            flying[idx] = Some((due(n_sent), Instant::now()));
            crowd.write(idx, &requests[n_sent])?;
            n_sent += 1;
        }
        let has_more = n_sent < requests.len() && !free.is_empty();
        let until = has_more.then(|| due(n_sent));
        let ready = crowd.wait_with(Some(stream.as_fd()), until)?;
        let answered = Instant::now();
        if ready.is_other {
            receive(stream, &mut received)?;
        }
        crowd.take(&ready, |idx, answer| {
            let (due, sent) = flying[idx].take().expect("only what was asked is answered");
            let position = Http::position(answer).unwrap_or_default();
            trips.push(Trip { due, sent, answered, position });
            free.push(idx);
        })?;
    }
    Ok((trips, received))
}

/// Reads what came over a stream, and notes when: before anything is made of it, which is the reader's affair.
fn receive(stream: &mut Stream, received: &mut Vec<Arrival>) -> anyhow::Result<()> {
    let mut came = Vec::new();
    let n_bytes = stream.come()?;
    let at = Instant::now();
    let now_ns = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos() as i64;
    ensure!(n_bytes > 0, "the stream ended early");
    stream.take(n_bytes, |id, data| {
        let position = id.rsplit(':').next().and_then(|position| position.parse().ok());
        let appended = data.split_once(RECEIVED).and_then(|(_, rest)| rest.split_once('"'));
        let appended_ns = appended.and_then(|(time, _)| parse_rfc3339(time));
        came.push((
            position.context("an id has no position")?,
            appended_ns.context("a record does not say when it was received")?,
        ));
        Ok(())
    })?;
    received.extend(came.into_iter().map(|(position, appended_ns)| Arrival {
        position,
        at,
        appended_ns: (now_ns - appended_ns) as f64,
    }));
    Ok(())
}

/// Returns how long it takes to write one event to a growing file and sync it, time after time.
fn sync_times(disk: &mut GrowingFile, events: &[String]) -> anyhow::Result<Vec<Duration>> {
    const SYNCS_MAX: usize = 300;
    let mut time = |event: &String| {
        let began = Instant::now();
        disk.append(std::slice::from_ref(event), 1)?;
        Ok(began.elapsed())
    };
    events.iter().take(SYNCS_MAX).map(&mut time).collect()
}

fn nanoseconds(from: Instant, to: Instant) -> f64 {
    let ahead = to.saturating_duration_since(from).as_nanos() as f64;
    ahead - from.saturating_duration_since(to).as_nanos() as f64
}

impl Spread {
    fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let idx = (share * times.len() as f64) as usize;
            times.get(idx).or(times.last()).copied().unwrap_or_default()
        };
        Self { p50: at(0.5), p99: at(0.99) }
    }

    /// Returns the medians of what rounds found.
    fn middle(rounds: impl Iterator<Item = Self> + Clone) -> Self {
        let middle = |of: &dyn Fn(Self) -> f64| median(rounds.clone().map(of)).unwrap_or_default();
        Self { p50: middle(&|spread| spread.p50), p99: middle(&|spread| spread.p99) }
    }
}

/// One row of the report: what is measured, and where it stands.
struct Row {
    name: &'static str,
    of: fn(&Latency) -> Spread,
}

const ROWS: [Row; 6] = [
    Row { name: "disk, write and sync", of: |round| round.sync },
    Row { name: "sent to answered", of: |round| round.answered },
    Row { name: "sent to received", of: |round| round.received },
    Row { name: "appended to received", of: |round| round.appended },
    Row { name: "answered to received", of: |round| round.after_answer },
    Row { name: "sent later than planned", of: |round| round.late },
];

/// Returns the times as a table.
pub(super) fn to_table(rounds: &[Latency]) -> String {
    let rate = median(rounds.iter().map(|round| round.rate)).unwrap_or_default();
    let mut out = format!(
        "{:34} {:>11} {:>11}\n",
        format!("{rate:.0} events/s, half the peak"),
        "p50 us",
        "p99 us"
    );
    for Row { name, of } in ROWS {
        let Spread { p50, p99 } = Spread::middle(rounds.iter().map(of));
        out.push_str(&format!("{name:34} {:>11.0} {:>11.0}\n", p50 / 1e3, p99 / 1e3));
    }
    out
}

/// Returns the times as objects.
pub(super) fn to_json(rounds: &[Latency]) -> Value {
    let row = |Row { name, of }: &Row| {
        let Spread { p50, p99 } = Spread::middle(rounds.iter().map(of));
        let each = |of_spread: fn(Spread) -> f64| {
            rounds.iter().map(|round| of_spread(of(round)) / 1e9).collect::<Vec<_>>()
        };
        json!({
            "name": name, "p50_s": p50 / 1e9, "p99_s": p99 / 1e9,
            "p50_rounds": each(|spread| spread.p50), "p99_rounds": each(|spread| spread.p99),
        })
    };
    let rates: Vec<f64> = rounds.iter().map(|round| round.rate).collect();
    json!({ "events_per_second": rates, "rows": ROWS.iter().map(row).collect::<Vec<_>>() })
}

/// Returns what a way to a reader is to a sync: the medians of p50 and p99, round by round.
pub(super) fn ratios(
    rounds: &[Latency],
    way: fn(&Latency) -> Spread,
) -> (Option<f64>, Option<f64>) {
    let ratio =
        |of: fn(Spread) -> f64| median(rounds.iter().map(|round| of(way(round)) / of(round.sync)));
    (ratio(|spread| spread.p50), ratio(|spread| spread.p99))
}

//! `GET /v1/timeline`: what every actor did in a window of time, as lanes of spans.

use axum::Router;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use axum::routing::get;
use serde::Serialize;
use weft_event::time::format_rfc3339;
use weft_log::filter::parse_time;
use weft_log::query::{Ask, Order, Records};
use weft_log::{Filter, Position, Store};
use weft_view::fleet::Row;
use weft_view::lanes::{LaneLimits, LaneRow, Lanes, QUIET_NS, Window, rows};
use weft_view::stuck::{Stuck, stuck};
use weft_view::{At, Views};

use super::answer::Failure;
use super::params::{self, Params, now_ns};
use super::read::{self, JSON, Written};
use super::views::fold_failure;
use crate::Core;
use crate::reads::ReadsError;
use crate::views::{Judgement, Moment, Reading, caught_up};

/// How far back a window goes where nothing is said.
const FROM_DEFAULT: &str = "30m";
/// How many pixels it is wide where nothing is said, and at most.
const WIDTH_DEFAULT: u32 = 1000;
const WIDTH_MAX: u32 = 10_000;
/// How many lanes there are where nothing is said.
const LANES_DEFAULT: usize = 200;
/// Records of a window that are read, the newest; one with more is cut.
const RECORDS_MAX: usize = 50_000;
/// Bytes of them.
const RECORDS_BYTES_MAX: usize = 256 << 20;
/// Records that are read at a time.
const STEP_RECORDS: usize = 2048;

/// Returns the routes.
pub(super) fn routes() -> Router<Core> {
    Router::new().route("/v1/timeline", get(timeline))
}

/// A window of time.
#[derive(Serialize)]
struct Timeline {
    position: u64,
    from: At,
    to: At,
    n_records: u64,
    is_cut: bool,
    lanes: Vec<LaneRow>,
    n_more: usize,
}

async fn timeline(State(core): State<Core>, uri: Uri) -> Result<Response, Failure> {
    let params = Params::of(&uri, &["from", "to", "width", "limit", "at"])?;
    let at = params.upto("at", &core).await?;
    let limit = params.limit(LANES_DEFAULT, core.limits().page_records_max)?;
    let width = width(&params)?;
    let room = core.reads().room(core.limits().page_bytes_max).await?;
    let (standing, position, now_ns) = standing(&core, at).await?;
    let (from_ns, to_ns) = span(&params, now_ns)?;
    let window = Window { from_ns, to_ns, now_ns, width, limit };
    let made = core.reads().aside(move |store| made(store, position, &standing, &window));
    let timeline = made.await.map_err(read::failure)?;
    let text = serde_json::to_string(&timeline).expect("it can be written as JSON") + "\n";
    Ok(Written { kind: JSON, out: text.into_bytes() }.hold(room))
}

fn width(params: &Params) -> Result<u32, Failure> {
    let Some(text) = params.get("width") else { return Ok(WIDTH_DEFAULT) };
    let width = text.parse().ok().filter(|width| (1..=WIDTH_MAX).contains(width));
    width.ok_or_else(|| params::bad("width", text, &format!("a number from 1 to {WIDTH_MAX}")))
}

/// Reads where the window begins and ends.
fn span(params: &Params, now_ns: i64) -> Result<(i64, i64), Failure> {
    let time = |name: &str, text: &str| {
        let wanted = "a time, or how long ago, such as 30m";
        parse_time(text, now_ns).ok_or_else(|| params::bad(name, text, wanted))
    };
    let from = params.get("from").unwrap_or(FROM_DEFAULT);
    let from_ns = time("from", from)?;
    let to_ns = params.get("to").map_or(Ok(now_ns), |to| time("to", to))?;
    if from_ns >= to_ns {
        return Err(params::bad("from", from, "before `to`"));
    }
    Ok((from_ns, to_ns))
}

/// Who was doing what at the moment that counts as now.
struct Standing {
    fleet: Vec<Row>,
    stuck: Vec<Stuck>,
}

impl Standing {
    fn of(views: &Views, now_ns: i64, judgement: &Judgement) -> Self {
        let rules = &judgement.rules;
        Self { fleet: views.fleet.rows(now_ns, rules), stuck: stuck(views, now_ns, rules) }
    }
}

/// Returns how things stand now, or stood at a position; up to where in the log, and what time it was.
async fn standing(
    core: &Core,
    at: Option<Position>,
) -> Result<(Standing, Option<Position>, i64), Failure> {
    let live = core.views().clone();
    let Some(at) = at else {
        caught_up(core).await;
        let now_ns = now_ns();
        let look = move || {
            live.look(|views, judgement| Standing::of(views, now_ns, judgement))
                .unwrap_or(Standing { fleet: Vec::new(), stuck: Vec::new() })
        };
        let standing = core.reads().aside(move |_| look()).await;
        return Ok((standing, Position::new(core.last()), now_ns));
    };
    let folded = core.reads().aside(move |store| {
        let (fold, now_ns) = live.then(store, Moment::Position(at), 0)?;
        Ok((Standing::of(fold.views(), now_ns, live.judgement()), Some(at), now_ns))
    });
    folded.await.map_err(fold_failure)
}

/// Reads the records of a window, and what lasts into it, and makes lanes of them.
fn made(
    store: &Store,
    upto: Option<Position>,
    standing: &Standing,
    window: &Window,
) -> Result<Timeline, ReadsError> {
    let limits = LaneLimits { lanes_max: RECORDS_MAX, stretches_max: RECORDS_MAX };
    let mut lanes = Lanes::new(limits);
    let (mut n_records, mut is_cut) = (0, false);
    let early = format_rfc3339(window.from_ns.saturating_sub(QUIET_NS));
    let filter = format!("since:{early} until:{}", format_rfc3339(window.to_ns.saturating_add(1)));
    let filter = Filter::parse(&filter, 0).expect("times can be read").without_bookkeeping();
    let mut records = Records::open(store.clone())?;
    let (mut reading, mut n_read, mut bytes, mut next) = (Reading::default(), 0, 0, upto);
    while let Some(end) = next {
        if n_read >= RECORDS_MAX || bytes >= RECORDS_BYTES_MAX {
            is_cut = true;
            break;
        }
        let limit = STEP_RECORDS.min(RECORDS_MAX - n_read);
        let (range, order) = (Position::FIRST..=end, Order::Descending);
        let page = records.page(&Ask { filter: &filter, range, order, limit })?;
        next = page.next;
        n_read += page.records.len();
        for found in &page.records {
            bytes += found.line.len();
            reading.entry(&found.meta, &found.line, |entry| {
                n_records += u64::from(entry.time_ns() >= window.from_ns);
                lanes.take(entry);
            });
        }
    }
    let (lanes, n_more) = rows(lanes, &standing.fleet, &standing.stuck, window);
    let position = upto.map_or(0, Position::get);
    let (from, to) = (At(window.from_ns), At(window.to_ns));
    Ok(Timeline { position, from, to, n_records, is_cut, lanes, n_more })
}

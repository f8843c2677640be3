//! `GET /v1/views/{view}/stream`: server-sent events with the rows that changed, a few times a second at most.
//!
//! The first event has the whole page; so has a later one if that is smaller than what changed. Whoever comes again says which
//! position it has seen, and is sent nothing until there is more.

use std::collections::HashMap;
use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use weft_event::json::Json;

use super::super::answer::Failure;
use super::super::params::{self, Name as PathName, Params};
use super::{asked, head};
use crate::access::Pass;
use crate::views::{self, Ask, Live, Row, Seen};
use crate::{Core, place};

/// How soon after one event the next may come.
const EVERY: Duration = Duration::from_millis(250);

/// How often it is looked what became of rows while nothing comes: silence makes a difference, too.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// What a stream begins with: how soon to come again after it broke off, in milliseconds.
const GREETING: &str = "retry: 1000\n\n";

/// A reader that leaves what it was sent is dropped after this part of its patience.
const TOLD_AFTER: u32 = 2;

pub(super) async fn stream(
    State(core): State<Core>,
    PathName(name): PathName,
    uri: Uri,
    headers: HeaderMap,
    pass: Option<Extension<Pass>>,
) -> Result<Response, Failure> {
    let params = Params::of(&uri, &["after", "limit", "by"])?;
    let ask = asked(&core, &name, &params)?;
    let after = match headers.get("last-event-id") {
        None => params.place("after", &core)?,
        Some(id) => {
            let id = id.to_str().unwrap_or_default();
            Some(params::place_of("Last-Event-ID", id, &core)?)
        }
    };
    let permit = core.stream_permit().ok_or_else(|| {
        let message = format!("{} streams are open, and no more may be", core.limits().streams_max);
        Failure::new(StatusCode::TOO_MANY_REQUESTS, "too_many_streams", message).retry_after(5)
    })?;
    let state = Stream {
        live: core.views().clone(),
        core,
        ask,
        seen: after,
        shown: None,
        is_greeted: false,
        is_over: false,
        told: Instant::now(),
        pass: pass.map(|Extension(pass)| pass),
        _permit: permit,
    };
    let body = Body::from_stream(stream::unfold(state, step));
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // A proxy that gathers what it is sent would hold events back.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((headers, body).into_response())
}

/// One reader of a view.
struct Stream {
    core: Core,
    live: Live,
    ask: Ask,
    /// The position that the reader was told of last.
    seen: Option<u64>,
    /// What it was shown, in order; `None` before the first page.
    shown: Option<Shown>,
    is_greeted: bool,
    is_over: bool,
    /// When it was last told something.
    told: Instant,
    /// The token that it was asked for with, if one was.
    pass: Option<Pass>,
    _permit: OwnedSemaphorePermit,
}

/// The rows that a reader has.
#[derive(Default)]
struct Shown {
    ids: Vec<String>,
    gists: HashMap<String, String>,
}

impl Shown {
    fn of(rows: &[Row]) -> Self {
        Self {
            ids: rows.iter().map(|row| row.id.clone()).collect(),
            gists: rows.iter().map(|row| (row.id.clone(), row.gist())).collect(),
        }
    }
}

async fn step(mut state: Stream) -> Option<(Result<Bytes, Infallible>, Stream)> {
    if state.is_over {
        return None;
    }
    if !std::mem::replace(&mut state.is_greeted, true) {
        return Some((Ok(Bytes::from_static(GREETING.as_bytes())), state));
    }
    let patience = state.core.limits().reader_patience / TOLD_AFTER;
    // Between two steps the reader takes what it was sent.
    let bytes =
        if state.told.elapsed() > patience { state.farewell("slow") } else { state.next().await };
    state.told = Instant::now();
    Some((Ok(bytes), state))
}

impl Stream {
    /// Waits for something to tell: a change, that all is quiet, or that it is over.
    async fn next(&mut self) -> Bytes {
        let since = Instant::now();
        let ended = self.core.clone();
        if self.shown.is_some() {
            tokio::time::sleep_until(self.told + EVERY).await;
        }
        loop {
            let mut live = self.live.clone();
            if self.is_revoked() {
                return self.farewell("revoked");
            }
            if let Some(bytes) = self.look().await {
                return bytes;
            }
            if since.elapsed() >= self.core.limits().heartbeat {
                return self.alive();
            }
            let heartbeat = self.core.limits().heartbeat.saturating_sub(since.elapsed());
            tokio::select! {
                is_more = live.changed() => if !is_more {
                    return self.farewell("shutdown");
                },
                () = tokio::time::sleep(LOOK_EVERY.min(heartbeat)) => {}
                () = ended.ended() => return self.farewell("shutdown"),
            }
            self.live = live;
        }
    }

    /// Returns what changed since the reader was last shown rows; `None` if nothing did.
    async fn look(&mut self) -> Option<Bytes> {
        let live = self.live.clone();
        let now_ns = i64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX);
        let ask = Ask { now_ns, ..self.ask };
        // The first page has what was stored before it was asked for.
        let seen = match self.shown {
            None => views::now(&self.core, ask).await,
            Some(_) => self.core.reads().aside(move |_| live.page(&ask)).await,
        };
        let rows = &seen.page.rows;
        let is_known = self.shown.is_none() && self.seen.is_some_and(|known| known == seen.upto);
        let now = Shown::of(rows);
        if is_known {
            self.shown = Some(now);
            return None;
        }
        let change = match &self.shown {
            None => Some(whole(rows)),
            Some(shown) => change(shown, &now, rows),
        };
        let bytes = change.map(|change| self.write(&seen, now_ns, &change));
        self.shown = Some(now);
        self.seen = Some(seen.upto);
        bytes
    }

    fn write(&self, seen: &Seen, now_ns: i64, change: &str) -> Bytes {
        let behind = self.core.last().saturating_sub(seen.upto);
        let head = head(self.ask.view, seen.upto, now_ns, behind);
        let id = place::write(self.core.store_id(), seen.upto);
        format!("event: rows\nid: {id}\ndata: {head},{change}}}\n\n").into()
    }

    fn alive(&self) -> Bytes {
        match self.seen {
            None | Some(0) => Bytes::from_static(b": alive\n\n"),
            Some(seen) => {
                format!(": alive\nid: {}\n\n", place::write(self.core.store_id(), seen)).into()
            }
        }
    }

    fn farewell(&mut self, why: &str) -> Bytes {
        self.is_over = true;
        let cursor = place::write(self.core.store_id(), self.seen.unwrap_or(0));
        format!("event: resume\ndata: {{\"why\":\"{why}\",\"after\":\"{cursor}\"}}\n\n").into()
    }

    fn is_revoked(&self) -> bool {
        let now_us = jiff::Timestamp::now().as_microsecond();
        self.pass.as_ref().is_some_and(|pass| !pass.is_good(now_us))
    }
}

/// Returns all rows.
fn whole(rows: &[Row]) -> String {
    format!("\"is_whole\":true,\"rows\":[{}],\"gone\":[]", joined(rows))
}

/// Returns the rows that changed, or all of them if that is shorter; `None` if none did.
fn change(before: &Shown, now: &Shown, rows: &[Row]) -> Option<String> {
    let changed: Vec<Row> = rows
        .iter()
        .filter(|row| before.gists.get(&row.id) != now.gists.get(&row.id))
        .cloned()
        .collect();
    let gone: Vec<&String> = before.ids.iter().filter(|id| !now.gists.contains_key(*id)).collect();
    if changed.is_empty() && gone.is_empty() && before.ids == now.ids {
        return None;
    }
    let ids = |ids: &mut dyn Iterator<Item = &String>| {
        ids.map(|id| Json::text(id).as_str().to_owned()).collect::<Vec<_>>().join(",")
    };
    let mut text = format!(
        "\"is_whole\":false,\"rows\":[{}],\"gone\":[{}]",
        joined(&changed),
        ids(&mut gone.into_iter())
    );
    if before.ids != now.ids {
        text.push_str(&format!(",\"order\":[{}]", ids(&mut now.ids.iter())));
    }
    let all = whole(rows);
    Some(if all.len() < text.len() { all } else { text })
}

fn joined(rows: &[Row]) -> String {
    let row =
        |row: &Row| format!("{{\"id\":{},\"row\":{}}}", Json::text(&row.id).as_str(), row.json);
    rows.iter().map(row).collect::<Vec<_>>().join(",")
}

//! `GET /v1/views/{view}/stream`: server-sent events with the rows that changed, a few times a second at most.
//!
//! The first event has the whole page, and so has a later one if that is smaller than what changed. So it is for whoever comes again:
//! rows also change by time alone, and a position does not say at which moment it was looked at. Whoever wants something to see before
//! thousands of rows are there asks for a page of a few first.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::super::answer::Failure;
use super::super::params::{self, Name as PathName, Params};
use super::change::{change, same, whole};
use super::{asked, head};
use crate::access::Pass;
use crate::views::{self, Ask, Live, Seen};
use crate::{Core, place};

/// How soon after one event the next may come.
const EVERY: Duration = Duration::from_millis(250);

/// What making a page takes is at most this part of the time: the next one of many rows comes later.
const PART_OF_TIME: u32 = 8;

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
        behind: 0,
        is_more: false,
        looked: None,
        every: EVERY,
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
    /// What it was shown; `None` before the first page.
    shown: Option<Arc<Seen>>,
    /// How many records it was told are not in there.
    behind: u64,
    /// Whether there is more than it was shown.
    is_more: bool,
    /// When it was last looked what changed.
    looked: Option<Instant>,
    /// How soon after that it may be looked again.
    every: Duration,
    is_greeted: bool,
    is_over: bool,
    /// When it was last told something.
    told: Instant,
    /// The token that it was asked for with, if one was.
    pass: Option<Pass>,
    _permit: OwnedSemaphorePermit,
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
        loop {
            if let Some(looked) = self.looked {
                tokio::select! {
                    () = tokio::time::sleep_until(looked + self.every) => {}
                    () = ended.ended() => return self.farewell("shutdown"),
                }
            }
            let mut live = self.live.clone();
            if self.is_revoked() {
                return self.farewell("revoked");
            }
            let change = self.look().await;
            self.looked = Some(Instant::now());
            if let Some(bytes) = change {
                return bytes;
            }
            if since.elapsed() >= self.core.limits().heartbeat {
                return self.alive();
            }
            let look_every = if self.is_more { self.every } else { LOOK_EVERY };
            let heartbeat = self.core.limits().heartbeat.saturating_sub(since.elapsed());
            tokio::select! {
                is_more = live.changed() => if !is_more {
                    return self.farewell("shutdown");
                },
                () = tokio::time::sleep(look_every.min(heartbeat)) => {}
                () = ended.ended() => return self.farewell("shutdown"),
            }
            self.live = live;
        }
    }

    /// Returns what changed since the reader was last shown rows; `None` if nothing did.
    async fn look(&mut self) -> Option<Bytes> {
        let live = self.live.clone();
        let ask = Ask { now_ns: params::now_ns(), ..self.ask };
        let bytes_max = self.core.limits().page_bytes_max;
        // The first page has what was stored before it was asked for.
        let seen = match self.shown {
            None => {
                let mut seen = views::now(&self.core, ask).await;
                seen.page.cut(bytes_max);
                Arc::new(seen)
            }
            Some(_) => {
                let every = self.every;
                let page = move || {
                    let began = Instant::now();
                    (live.recent_page(&ask, every, bytes_max), began.elapsed())
                };
                let (seen, took) = self.core.reads().aside(move |_| page()).await;
                self.every = EVERY.max(took * PART_OF_TIME);
                seen
            }
        };
        self.is_more = seen.upto < self.live.upto();
        let behind = self.core.last().saturating_sub(seen.upto);
        let change = match &self.shown {
            None => Some(whole(&seen.page)),
            // All who follow a view are shown the same page.
            Some(shown) if Arc::ptr_eq(shown, &seen) => None,
            Some(shown) => change(&shown.page, &seen.page),
        };
        // What is caught up with is told at once, and what is not now and then.
        let is_due = behind == 0 || self.told.elapsed() >= LOOK_EVERY;
        let standing = (behind != self.behind && is_due).then(|| same(&seen.page));
        let bytes =
            change.or(standing).map(|change| self.write(&seen, ask.now_ns, behind, &change));
        if bytes.is_some() {
            (self.behind, self.seen) = (behind, Some(seen.upto));
        }
        self.shown = Some(seen);
        bytes
    }

    fn write(&self, seen: &Seen, now_ns: i64, behind: u64, change: &str) -> Bytes {
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

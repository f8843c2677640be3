//! `GET /v1/stream`: records as they come, over server-sent events or a WebSocket, from any place in the log on.
//!
//! A stream pulls from the feed no faster than its reader takes, so that it holds one portion in memory whatever its reader does.

mod sse;
mod ws;

use std::time::Duration;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::Response;
use axum::routing::get;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_log::reader::ReadError;
use weft_log::{Filter, Position, query};

use super::answer::Failure;
use super::params::{self, Params};
use crate::access::Pass;
use crate::feed::{Chunk, Cursor};
use crate::{Core, place};

/// A reader that leaves what it was sent is told where to resume and dropped after this part of its patience; after all of it, the
/// connection is broken off.
const TOLD_AFTER: u32 = 2;

/// Returns the routes.
pub(crate) fn routes() -> axum::Router<Core> {
    axum::Router::new().route("/v1/stream", get(stream))
}

async fn stream(
    State(core): State<Core>,
    uri: Uri,
    headers: HeaderMap,
    pass: Option<Extension<Pass>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Failure> {
    let params = Params::of(&uri, &["filter", "after"])?;
    let filter = params.filter()?;
    let last_seen = match headers.get("last-event-id") {
        None => params.place("after", &core)?,
        Some(id) => {
            let id = id.to_str().unwrap_or_default();
            Some(params::place_of("Last-Event-ID", id, &core)?)
        }
    };
    let after = match last_seen {
        Some(after) => {
            params::check_after(&core, after).await?;
            after
        }
        None => core.last(),
    };
    let permit = core.stream_permit().ok_or_else(|| {
        let message = format!("{} streams are open, and no more may be", core.limits().streams_max);
        Failure::new(StatusCode::TOO_MANY_REQUESTS, "too_many_streams", message).retry_after(5)
    })?;
    let next = place::after(after).unwrap_or(Position::FIRST);
    let mut live = Stream::new(&core, next, filter, permit);
    live.pass = pass.map(|Extension(pass)| pass);
    match upgrade {
        Ok(upgrade) => Ok(ws::answer(upgrade, core, live)),
        Err(rejection) if wants_websocket(&headers) => {
            let message = rejection.body_text();
            Err(Failure::new(StatusCode::BAD_REQUEST, "bad_upgrade", message))
        }
        Err(_) => Ok(sse::answer(core, live)),
    }
}

/// Returns whether a request asks for a WebSocket; one for another protocol may be answered as if it did not.
fn wants_websocket(headers: &HeaderMap) -> bool {
    let asked = headers.get_all(header::UPGRADE).iter().filter_map(|value| value.to_str().ok());
    asked
        .flat_map(|value| value.split(','))
        .any(|name| name.trim().eq_ignore_ascii_case("websocket"))
}

/// One reader's way through the log.
struct Stream {
    cursor: Cursor,
    bytes_max: usize,
    filter: Filter,
    tape: Tape,
    problems: Problems,
    /// The last position that the reader was told of, or that is of no concern to it.
    seen: u64,
    /// The token that it was asked for with, if one was.
    pass: Option<Pass>,
    /// When the token was looked at last.
    looked: Instant,
    look_every: Duration,
    _permit: OwnedSemaphorePermit,
}

impl Stream {
    fn new(core: &Core, next: Position, filter: Filter, permit: OwnedSemaphorePermit) -> Self {
        let (cursor, bytes_max) = (core.feed().cursor(next), core.limits().stream_bytes_max);
        let (look_every, looked) = (core.limits().heartbeat, Instant::now());
        Self {
            cursor,
            bytes_max,
            filter,
            tape: Tape::new(),
            problems: Problems::new(),
            seen: next.get() - 1,
            pass: None,
            looked,
            look_every,
            _permit: permit,
        }
    }

    /// Returns whether its token was revoked, or its time is over. Looks no more often than a quiet stream says that it is alive.
    fn is_revoked(&mut self) -> bool {
        let Some(pass) = self.pass.as_ref().filter(|_| self.looked.elapsed() >= self.look_every)
        else {
            return false;
        };
        self.looked = Instant::now();
        !pass.is_good(jiff::Timestamp::now().as_microsecond())
    }

    /// Waits for matching records and returns them; `None` when the feed has ended.
    async fn next(&mut self) -> Result<Option<Chunk>, ReadError> {
        loop {
            if !self.cursor.ready().await {
                return Ok(None);
            }
            let Chunk { mut records, lost } = self.cursor.read_upto(self.bytes_max).await?;
            let Self { filter, tape, problems, .. } = self;
            records.retain(|live| query::is_match(filter, &live.meta, &live.line, tape, problems));
            self.seen = self.cursor.next().get() - 1;
            if !records.is_empty() || !lost.is_empty() {
                return Ok(Some(Chunk { records, lost }));
            }
            // A filter that matches little looks at much, and others want to go on meanwhile.
            tokio::task::yield_now().await;
        }
    }
}

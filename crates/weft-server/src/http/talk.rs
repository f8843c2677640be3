//! `GET /v1/sessions/{id}/talk`: a session as it was talked, as one list of which any part can be asked for.

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use axum::routing::get;
use serde::Serialize;
use weft_view::sessions::Marks;

use super::answer::Failure;
use super::params::{self, Name, Params};
use super::read::{self, JSON, Written};
use crate::Core;
use crate::talks::Talk;

/// Items of a part where nothing is said.
const LIMIT_DEFAULT: usize = 200;

/// Returns the routes.
pub(super) fn routes() -> Router<Core> {
    Router::new().route("/v1/sessions/{id}/talk", get(talk))
}

/// Where a part begins.
#[derive(Clone, Copy)]
enum From {
    Nth(usize),
    /// So that the last item is its last.
    End,
}

async fn talk(State(core): State<Core>, Name(id): Name, uri: Uri) -> Result<Response, Failure> {
    let params = Params::of(&uri, &["from", "limit", "upto"])?;
    let from = match params.get("from") {
        None => From::Nth(0),
        Some("end") => From::End,
        Some(text) => {
            let nth =
                text.parse().map_err(|_no_number| params::bad("from", text, "a number or end"));
            From::Nth(nth?)
        }
    };
    let limit = params.limit(LIMIT_DEFAULT, core.limits().page_records_max)?;
    let upto = params.upto("upto", &core).await?;
    let bytes_max = core.limits().page_bytes_max;
    let room = core.reads().room(bytes_max).await?;
    let talks = core.talks().clone();
    let session = id.clone();
    let part = core.reads().aside(move |store| {
        talks.with(store, &session, upto, |talk| part(&session, &talk, from, (limit, bytes_max)))
    });
    let Some(text) = part.await.map_err(read::failure)? else {
        let message = format!("there is no session `{id}`");
        return Err(Failure::new(StatusCode::NOT_FOUND, "not_found", message));
    };
    Ok(Written { kind: JSON, out: text.into_bytes() }.hold(room))
}

/// Writes a part. It ends early where its items come to more bytes than it may have.
fn part(session: &str, talk: &Talk<'_>, from: From, limits: (usize, usize)) -> String {
    #[derive(Serialize)]
    struct Head<'h> {
        session: &'h str,
        position: u64,
        n_items: usize,
        from: usize,
        marks: &'h Marks,
    }
    let (limit, bytes_max) = limits;
    let n_items = talk.list.len();
    let from = match from {
        From::Nth(nth) => nth.min(n_items),
        From::End => n_items.saturating_sub(limit),
    };
    let position = talk.position;
    let head = Head { session, position, n_items, from, marks: talk.list.marks() };
    let mut text = serde_json::to_string(&head).expect("it can be written as JSON");
    // The object is closed behind the items instead.
    text.pop();
    text.push_str(",\"items\":[");
    for (idx, item) in talk.list.items(from..from.saturating_add(limit)).enumerate() {
        if text.len() >= bytes_max {
            break;
        }
        text.push_str(if idx > 0 { "," } else { "" });
        text.push_str(&serde_json::to_string(&item).expect("it can be written as JSON"));
    }
    text.push_str("]}\n");
    text
}

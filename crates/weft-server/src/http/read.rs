//! Reading over HTTP: records by filter in pages, one by its position, a session, a trace.

use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use weft_event::json::{Json, Object, Tape};
use weft_log::query::{Found, Order, Page, QueryError};
use weft_log::reader::ReadError;
use weft_log::{Filter, Position};

use super::answer::Failure;
use super::params::{self, Name, Params};
use super::sending::Sending;
use crate::reads::{Question, ReadsError};
use crate::room::Room;
use crate::{Core, place, record};

/// Records of a page where nothing is said.
const LIMIT_DEFAULT: usize = 100;

/// Records of a session or trace that are put into the order of their producers at most.
const PRODUCER_RECORDS_MAX: usize = 20_000;

/// Bytes of them at most.
pub(super) const PRODUCER_BYTES_MAX: usize = 64 << 20;

/// Bytes of one record at most, to about the last.
const LINE_BYTES: usize = 1 << 20;

pub(super) const JSON: &str = "application/json";

/// Returns the routes.
pub(crate) fn routes() -> axum::Router<Core> {
    axum::Router::new()
        .route("/v1/events", get(list))
        .route("/v1/events/{position}", get(one))
        .route("/v1/sessions/{id}", get(session))
        .route("/v1/traces/{id}", get(trace))
}

pub(super) async fn list(State(core): State<Core>, uri: Uri) -> Result<Response, Failure> {
    let params = Params::of(&uri, &["filter", "after", "before", "order", "limit", "format"])?;
    let form = form(&params)?;
    let filter = params.filter()?;
    page(&core, &params, filter, form).await
}

async fn page(
    core: &Core,
    params: &Params,
    filter: Filter,
    form: Form,
) -> Result<Response, Failure> {
    let (after, before) = (params.place("after", core)?, params.place("before", core)?);
    if let Some(after) = after {
        params::check_after(core, after).await?;
    }
    if let Some(before) = before {
        params::check_before(core, before).await?;
    }
    let default = if after.is_some() { Order::Ascending } else { Order::Descending };
    let order = params.order(default)?;
    let limit = params.limit(LIMIT_DEFAULT, core.limits().page_records_max)?;
    let first = place::after(after.unwrap_or(0));
    let last = match before {
        None => Position::new(u64::MAX),
        Some(before) => Position::new(before.saturating_sub(1)),
    };
    let (Some(first), Some(last)) = (first, last) else {
        return Ok(form.write(core, &Page::default(), order).into_response());
    };
    let bytes_max = core.limits().page_bytes_max;
    let room = core.reads().room(bytes_max).await?;
    let question = Question { filter, range: first..=last, order, limit, bytes_max };
    let page = core.reads().page(question).await.map_err(failure)?;
    Ok(form.write(core, &page, order).hold(room))
}

async fn one(State(core): State<Core>, Name(text): Name, uri: Uri) -> Result<Response, Failure> {
    let params = Params::of(&uri, &["facts"])?;
    let has_facts = match params.get("facts") {
        None | Some("false") => false,
        Some("true") => true,
        Some(other) => return Err(params::bad("facts", other, "true or false")),
    };
    let position = params::place_of("position", &text, &core)?;
    let room = core.reads().room(LINE_BYTES).await?;
    let found = match Position::new(position) {
        None => None,
        Some(position) => core.reads().get(position).await.map_err(failure)?,
    };
    let Some(found) = found else {
        let message = format!("there is no record at position {position}");
        return Err(Failure::new(StatusCode::NOT_FOUND, "not_found", message));
    };
    let Found { meta, line } = &found;
    let mut out = Vec::with_capacity(line.len() + 256);
    record::write(&mut out, core.store_id(), meta, line);
    if has_facts {
        let facts = found.read(&mut Tape::new()).map(|event| event.facts().json());
        // The object is closed behind the facts instead.
        out.pop();
        out.extend_from_slice(b",\"facts\":");
        out.extend_from_slice(facts.as_ref().map_or("null", Json::as_str).as_bytes());
        out.push(b'}');
    }
    out.push(b'\n');
    Ok(Written { kind: JSON, out }.hold(room))
}

async fn session(State(core): State<Core>, Name(id): Name, uri: Uri) -> Result<Response, Failure> {
    all_of(&core, "session", &id, &uri).await
}

async fn trace(State(core): State<Core>, Name(id): Name, uri: Uri) -> Result<Response, Failure> {
    all_of(&core, "trace", &id, &uri).await
}

/// All records of one session or trace: by producer, or by position in pages.
async fn all_of(core: &Core, field: &str, id: &str, uri: &Uri) -> Result<Response, Failure> {
    let params = Params::of(uri, &["after", "before", "order", "limit", "format"])?;
    let form = form(&params)?;
    let filter = params::is_exactly(field, id)?;
    let is_paged =
        ["after", "before", "order", "limit"].iter().any(|name| params.get(name).is_some());
    if is_paged {
        return page(core, &params, filter, form).await;
    }
    let room = core.reads().room(PRODUCER_BYTES_MAX).await?;
    let page = whole(core, filter, Position::new(u64::MAX).expect("it is not 0")).await?;
    if page.records.is_empty() {
        let message = format!("there is no {field} `{id}`");
        return Err(Failure::new(StatusCode::NOT_FOUND, "not_found", message));
    }
    Ok(form.write(core, &page, Order::Ascending).hold(room))
}

/// Returns all records that match up to a position, in the order of their producers.
pub(super) async fn whole(core: &Core, filter: Filter, upto: Position) -> Result<Page, Failure> {
    let (records_max, bytes_max) = (PRODUCER_RECORDS_MAX, PRODUCER_BYTES_MAX);
    let question = Question {
        filter,
        range: Position::FIRST..=upto,
        order: Order::Ascending,
        limit: records_max,
        bytes_max,
    };
    core.reads().by_producer(question).await.map_err(failure)
}

/// How records are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One object with what Weft adds to each event.
    Json,
    /// The events' own lines.
    Jsonl,
}

fn form(params: &Params) -> Result<Form, Failure> {
    match params.get("format") {
        None | Some("json") => Ok(Form::Json),
        Some("jsonl") => Ok(Form::Jsonl),
        Some(other) => Err(params::bad("format", other, "json or jsonl")),
    }
}

impl Form {
    fn write(self, core: &Core, page: &Page, order: Order) -> Written {
        let bytes: usize = page.records.iter().map(|found| found.line.len() + 256).sum();
        let mut out = Vec::with_capacity(bytes + 64);
        if self == Form::Jsonl {
            for found in &page.records {
                out.extend_from_slice(&found.line);
                out.push(b'\n');
            }
            return Written { kind: "application/x-ndjson", out };
        }
        out.extend_from_slice(b"{\"records\":[");
        for (idx, found) in page.records.iter().enumerate() {
            if idx > 0 {
                out.push(b',');
            }
            record::write(&mut out, core.store_id(), &found.meta, &found.line);
        }
        out.push(b']');
        let mut rest = String::new();
        let mut object = Object::begin(&mut rest);
        let lost = page.lost.iter().map(|(first, last)| {
            Json::array([Json::integer(first.get()), Json::integer(last.get())])
        });
        object.json("lost", &Json::array(lost));
        let (name, next) = match order {
            // What comes next is asked for by the last record of this page.
            Order::Ascending => ("after", page.next.map(|next| next.get() - 1)),
            Order::Descending => ("before", page.next.map(|next| next.get() + 1)),
        };
        match next {
            Some(next) => object.json(
                "next",
                &Json::object(|object| object.text(name, &place::write(core.store_id(), next))),
            ),
            None => object.json("next", &Json::null()),
        }
        object.end();
        out.push(b',');
        out.extend_from_slice(&rest.as_bytes()[1..]);
        out.push(b'\n');
        Written { kind: JSON, out }
    }
}

/// An answer that takes room, as it is sent.
pub(super) struct Written {
    pub(super) kind: &'static str,
    pub(super) out: Vec<u8>,
}

impl Written {
    /// Makes the answer keep its room for as long as it takes to send it.
    pub(super) fn hold(self, mut room: Room) -> Response {
        let Self { kind, out } = self;
        room.shrink(out.len());
        ([(header::CONTENT_TYPE, kind)], Body::new(Sending::new(out, room))).into_response()
    }
}

impl IntoResponse for Written {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, self.kind)], Body::from(self.out)).into_response()
    }
}

/// Says why a question to the log has no answer.
pub(super) fn failure(error: ReadsError) -> Failure {
    match error {
        ReadsError::Query(QueryError::Read(ReadError::Pruned { position, first })) => {
            params::pruned(position, first.get())
        }
        ReadsError::Query(error) => Failure::store(&error),
        ReadsError::TooMany { .. } => {
            let message = error.to_string() + ", with `order` and `limit`";
            Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "too_many", message)
        }
    }
}

//! `GET /v1/filter`: whether a filter that is being typed can be read, what is wrong with it, and how it could go on.

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use axum::routing::get;
use serde::Serialize;
use weft_log::filter::{self, Completion, Offer, VALUES_FROM};
use weft_log::query::{Ask, Order, values};
use weft_log::{Filter, Position};

use super::answer::{self, Failure};
use super::params::{self, Params, now_ns};
use super::read;
use crate::Core;

/// Returns the routes.
pub(super) fn routes() -> Router<Core> {
    Router::new().route("/v1/filter", get(judge))
}

/// What is said of a filter. Places are in bytes of its text.
#[derive(Serialize)]
struct Judged {
    error: Option<Fault>,
    from: usize,
    to: usize,
    completions: Vec<Word>,
}

#[derive(Serialize)]
struct Fault {
    message: String,
    help: String,
    from: usize,
    to: usize,
}

#[derive(Serialize)]
struct Word {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<&'static str>,
}

async fn judge(State(core): State<Core>, uri: Uri) -> Result<Response, Failure> {
    let params = Params::of(&uri, &["text", "cursor"])?;
    let text = params.get("text").unwrap_or_default().to_owned();
    let cursor = params.get("cursor").map(|cursor| {
        let bad = || params::bad("cursor", cursor, "a number of bytes");
        cursor.parse::<usize>().map_err(|_no_number| bad())
    });
    let cursor = cursor.transpose()?.unwrap_or(text.len());
    let error = Filter::parse(&text, now_ns()).err().map(|error| Fault {
        message: error.to_string(),
        help: error.fault.help(),
        from: error.offset,
        to: error.offset + error.length,
    });
    let Completion { from, to, offers } = complete(&core, text, cursor).await?;
    let word = |Offer { text, about }| Word { text, about };
    let completions = offers.into_iter().map(word).collect();
    let judged = Judged { error, from, to, completions };
    let text = serde_json::to_string(&judged).expect("it can be written as JSON");
    Ok(answer::json(StatusCode::OK, text))
}

/// Returns how a filter could go on. The log is read only where values are to be offered.
async fn complete(core: &Core, text: String, cursor: usize) -> Result<Completion, Failure> {
    let mut wanted = None;
    let completion = filter::complete(&text, cursor, |field| {
        wanted = Some(*field);
        Vec::new()
    });
    let Some(field) = wanted else { return Ok(completion) };
    let seen = core.reads().read(move |records| {
        let Some(last) = records.head().last() else { return Ok(Vec::new()) };
        let (filter, range) = (Filter::all(), Position::FIRST..=last);
        let order = Order::Descending;
        let page = records.page(&Ask { filter: &filter, range, order, limit: VALUES_FROM })?;
        Ok(values(&field, &page.records))
    });
    let seen = seen.await.map_err(read::failure)?;
    Ok(filter::complete(&text, cursor, |_| seen))
}

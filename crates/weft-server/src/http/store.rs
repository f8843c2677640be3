//! `GET /v1/store`: which store this is, where its log begins and ends, and what whoever asks here has to know first.

use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};
use serde::Serialize;
use weft_log::Position;
use weft_log::disk::RealDisk;
use weft_log::query::Records;
use weft_log::reader::first_kept;
use weft_view::At;

use super::answer::{self, Failure};
use super::params::{Params, now_ns};
use super::read;
use crate::Core;
use crate::access::{Access, Demand};
use crate::reads::ReadsError;

/// Returns the routes.
pub(super) fn routes(access: &Access) -> Router<Core> {
    let demand = access.rules().demand;
    Router::new().route("/v1/store", get(about)).layer(Extension(demand))
}

/// What is said of a store.
#[derive(Serialize)]
struct About {
    version: &'static str,
    /// The name of its folder.
    store: String,
    first: Option<End>,
    last: Option<End>,
    now: At,
    needs_token: bool,
    is_demo: bool,
}

/// One end of the log.
#[derive(Serialize)]
struct End {
    position: u64,
    /// Unknown where no seal vouches for the record.
    received: Option<At>,
}

async fn about(
    State(core): State<Core>,
    Extension(demand): Extension<Demand>,
    uri: Uri,
) -> Result<Response, Failure> {
    Params::of(&uri, &[])?;
    let root = core.store().root().to_owned();
    let ends = core.reads().read(move |records| {
        let Some(last) = records.head().last() else { return Ok(None) };
        let first = first_kept(RealDisk, &root).map_err(weft_log::query::QueryError::from)?;
        let first = first.unwrap_or(Position::FIRST);
        Ok(Some((end(records, first)?, end(records, last)?)))
    });
    let (first, last) = ends.await.map_err(read::failure)?.unzip();
    let root = core.store().root();
    let name = root.file_name().unwrap_or(root.as_os_str());
    let about = About {
        version: env!("CARGO_PKG_VERSION"),
        store: name.to_string_lossy().into_owned(),
        first,
        last,
        now: At(now_ns()),
        needs_token: demand == Demand::Token,
        is_demo: core.is_demo(),
    };
    let text = serde_json::to_string(&about).expect("it can be written as JSON");
    Ok(answer::json(StatusCode::OK, text))
}

fn end(records: &mut Records, position: Position) -> Result<End, ReadsError> {
    let at_us = records.get(position)?.and_then(|found| found.meta.at_us);
    let received = at_us.map(|at_us| At(at_us.saturating_mul(1000)));
    Ok(End { position: position.get(), received })
}

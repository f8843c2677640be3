//! `GET /v1/views/…`: the rows of a view, now or in the past, and as they change.

mod change;
mod stream;

use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use axum::routing::get;
use weft_event::json::Json;
use weft_event::time::format_rfc3339;
use weft_log::reader::ReadError;
use weft_view::usage::By;

use super::answer::Failure;
use super::params::{self, Name as PathName, Params};
use super::read::{JSON, Written};
use crate::Core;
use crate::views::{Ask, FoldError, GROUPINGS, Moment, Name, Seen, now};

/// Rows of a page where nothing is said.
const LIMIT_DEFAULT: usize = 100;

/// Returns the routes.
pub(crate) fn routes() -> axum::Router<Core> {
    axum::Router::new()
        .route("/v1/views/{view}", get(page))
        .route("/v1/views/{view}/stream", get(stream::stream))
}

pub(super) async fn page(
    State(core): State<Core>,
    PathName(name): PathName,
    uri: Uri,
) -> Result<Response, Failure> {
    let params = Params::of(&uri, &["at", "limit", "by"])?;
    let ask = asked(&core, &name, &params)?;
    let at = params.get("at").map(|at| {
        let moment = Moment::parse(at, ask.now_ns);
        moment.map_err(|_no_moment| params::bad("at", at, "a position or a time"))
    });
    let at = at.transpose()?;
    let bytes_max = core.limits().page_bytes_max;
    let room = core.reads().room(bytes_max).await?;
    let (mut seen, now_ns) = match at {
        Some(moment) => then(&core, ask, moment).await?,
        None => (now(&core, ask).await, ask.now_ns),
    };
    seen.page.cut(bytes_max);
    let behind = match at {
        Some(_) => 0,
        None => core.last().saturating_sub(seen.upto),
    };
    let out = write(ask.view, &seen, now_ns, behind).into_bytes();
    Ok(Written { kind: JSON, out }.hold(room))
}

/// Reads what is asked of a view.
fn asked(core: &Core, name: &str, params: &Params) -> Result<Ask, Failure> {
    let Some(view) = Name::parse(name) else {
        let names = Name::ALL.map(Name::as_str).join(", ");
        let message = format!("there is no such view; there are {names}");
        return Err(Failure::new(StatusCode::NOT_FOUND, "not_found", message));
    };
    let limit = params.limit(LIMIT_DEFAULT, core.limits().page_rows_max)?;
    Ok(Ask { view, by: grouping(view, params)?, now_ns: params::now_ns(), limit })
}

fn grouping(view: Name, params: &Params) -> Result<By, Failure> {
    let Some(by) = params.get("by") else { return Ok(GROUPINGS[0].1) };
    if view != Name::Usage {
        let message = "`by` is a parameter of the view `usage` alone";
        return Err(Failure::bad("bad_parameter", message).with("parameter", Json::text("by")));
    }
    let grouping = GROUPINGS.iter().find(|(word, _)| *word == by);
    let words = || GROUPINGS.map(|(word, _)| word).join(", ");
    grouping.map(|(_, by)| *by).ok_or_else(|| params::bad("by", by, &words()))
}

/// Returns rows as they were, and what time it was.
async fn then(core: &Core, ask: Ask, moment: Moment) -> Result<(Seen, i64), Failure> {
    let live = core.views().clone();
    let folded = core.reads().aside(move |store| {
        let (fold, now_ns) = live.then(store, moment, ask.now_ns)?;
        Ok((Seen::of(&fold, &Ask { now_ns, ..ask }, live.judgement()), now_ns))
    });
    folded.await.map_err(fold_failure)
}

/// Says why there are no views of a moment.
pub(super) fn fold_failure(error: FoldError) -> Failure {
    match error {
        FoldError::Read(ReadError::Pruned { first, .. }) => {
            Failure::new(StatusCode::GONE, "pruned", error.to_string())
                .with("first", Json::integer(first.get()))
        }
        FoldError::Read(error) => Failure::store(&error),
        FoldError::Beyond { last, .. } => {
            Failure::new(StatusCode::GONE, "beyond_end", error.to_string())
                .with("last", Json::integer(last))
        }
    }
}

fn write(view: Name, seen: &Seen, now_ns: i64, behind: u64) -> String {
    let mut out = head(view, seen.upto, now_ns, behind);
    out.push_str(",\"rows\":[");
    for (idx, row) in seen.page.rows.iter().enumerate() {
        out.push_str(if idx > 0 { "," } else { "" });
        out.push_str(&row.json);
    }
    out.push_str(&format!("],\"n_more\":{}}}\n", seen.page.n_more));
    out
}

/// Returns the beginning of an object that says which view it is about, and when.
fn head(view: Name, position: u64, now_ns: i64, behind: u64) -> String {
    let at = format_rfc3339(now_ns);
    let view = view.as_str();
    let behind = if behind > 0 { format!(",\"behind\":{behind}") } else { String::new() };
    format!("{{\"view\":\"{view}\",\"position\":{position},\"at\":\"{at}\"{behind}")
}

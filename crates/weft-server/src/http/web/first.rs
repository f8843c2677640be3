//! What a page shows first, given with it: the answer to what it would ask as soon as its scripts run.
//!
//! It is the interface's own answer, as data at the end of the page. The page's beginning is sent before it is made, so that a browser
//! fetches scripts meanwhile; where it takes too long or cannot be given, the page ends without it, and asks.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::Uri;
use futures_util::stream::{self, StreamExt as _};

use super::super::params::Name as PathName;
use super::super::{query, read, views};
use super::assets::{Assets, INDEX};
use crate::Core;
use crate::views::Name;

/// The views of which a page shows the first rows before it has all; a page has the name of its view.
const VIEWS: [Name; 8] = [
    Name::Inbox,
    Name::Fleet,
    Name::Sessions,
    Name::Traces,
    Name::Decisions,
    Name::Errors,
    Name::Loops,
    Name::Runs,
];

/// How many rows and records those pages ask for first.
const ROWS: usize = 120;
const RECORDS: usize = 200;

/// How long the end of a page waits for them: its scripts run when all of it is there.
const PATIENCE: Duration = Duration::from_millis(500);

/// How large they may be.
const BYTES_MAX: usize = 1 << 20;

/// What a page asks first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Question {
    /// The page.
    page: &'static str,
    /// Where it asks.
    address: Uri,
}

/// Returns what a page asks first; `None` where it shows the past, one thing of many, or what a filter finds, which may take a while.
pub(super) fn question(page: &Uri) -> Option<Question> {
    let has = |names: &[&str]| {
        let mut pairs = query::pairs(page.query().unwrap_or_default());
        pairs.any(|pair| pair.is_ok_and(|(name, _)| names.contains(&&*name)))
    };
    let (page, address) = match page.path() {
        "/log" if has(&["at", "filter"]) => return None,
        "/log" => ("log", format!("/v1/events?limit={RECORDS}")),
        _ if has(&["at"]) => return None,
        path => {
            let name = if path == "/" { "inbox" } else { path.strip_prefix('/')? };
            let view = Name::parse(name).filter(|view| VIEWS.contains(view))?.as_str();
            (view, format!("/v1/views/{view}?limit={ROWS}"))
        }
    };
    Some(Question { page, address: address.parse().expect("it is an address") })
}

/// Returns the page with the answer to its question in it; `None` if there is no place for it.
pub(super) fn with_answer(assets: &Assets, core: Core, question: Question) -> Option<Body> {
    let Question { page, address } = question;
    let (index, _) = assets.find(INDEX)?.plain();
    let (doctype, rest) = std::str::from_utf8(&index).ok()?.split_once("<head>")?;
    let (beginning, end) = rest.split_at(rest.rfind("</body>")?);
    // What comes is announced before any script: none asks for it. The page's own script would be asked for by another.
    let mut head = format!("{doctype}<head>\n    <meta name=\"first\" content=\"{address}\" />");
    if let Some(script) = assets.script_of(page) {
        head += &format!("\n    <link rel=\"modulepreload\" crossorigin href=\"{script}\" />");
    }
    let (beginning, end) = (head + beginning, end.to_owned());
    let rest = async move {
        let answer = tokio::time::timeout(PATIENCE, answer(core, address)).await;
        answer.ok().flatten().map(|answer| block(&answer)).unwrap_or_default() + &end
    };
    let parts = stream::once(async { beginning }).chain(stream::once(rest));
    Some(Body::from_stream(parts.map(Ok::<_, Infallible>)))
}

/// Returns what the interface answers; `None` where it is no answer that a page shows.
async fn answer(core: Core, address: Uri) -> Option<String> {
    let answer = match address.path().strip_prefix("/v1/views/") {
        // Of nothing that was taken in yet every view is empty, and the log is not.
        Some(_) if core.views().upto() == 0 => return None,
        Some(view) => views::page(State(core), PathName(view.to_owned()), address.clone()).await,
        None => read::list(State(core), address).await,
    };
    let bytes = to_bytes(answer.ok()?.into_body(), BYTES_MAX).await.ok()?;
    String::from_utf8(bytes.into()).ok()
}

/// Returns JSON as a part of a page. A `<` can only be in a text, where it is the same when it is written as its number; nothing else
/// ends such a part or begins a comment in it.
fn block(json: &str) -> String {
    let json = json.trim_end().replace('<', "\\u003c");
    format!("<script type=\"application/json\" id=\"first\">{json}</script>\n  ")
}

#[cfg(test)]
mod tests;

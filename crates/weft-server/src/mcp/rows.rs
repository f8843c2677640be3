//! Rows of views as a model reads them: as many as it can be expected to read, and how many more there are.

use weft_event::json::{Json, Tape, Value};
use weft_event::time::format_rfc3339;

use super::Told;
use super::argument::get;
use super::look::ANSWER_BYTES_MAX;
use super::shelf::Shelf;
use super::tool::{LIMIT_DEFAULT, LIMIT_MAX};
use crate::views::{Ask, GROUPINGS, Name, Seen};

/// Reads off arguments that are checked how many needs of a person are asked for.
pub(super) fn attention(given: Value<'_>, now_ns: i64) -> Ask {
    let limit = get(given, "limit").and_then(Value::as_u64);
    let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(LIMIT_DEFAULT);
    Ask { view: Name::Inbox, by: GROUPINGS[0].1, now_ns, limit }
}

/// Returns what is asked of a view that is read as a resource.
pub(super) fn whole(view: Name, now_ns: i64) -> Ask {
    Ask { view, by: GROUPINGS[0].1, now_ns, limit: LIMIT_MAX }
}

/// Returns the rows of a view.
pub(super) async fn rows<S: Shelf>(shelf: &S, ask: Ask) -> Result<Json<'static>, Told> {
    let Seen { upto, page, .. } = shelf.view(ask).await?;
    let mut bytes = 0;
    let mut rows = Vec::new();
    for row in &page.rows {
        bytes += row.json.len();
        if bytes > ANSWER_BYTES_MAX {
            break;
        }
        let mut tape = Tape::new();
        let json = tape.parse(&row.json).expect("a row is written as JSON");
        rows.push(Json::of(json).into_owned());
    }
    let n_more = page.rows.len() - rows.len() + page.n_more;
    Ok(Json::object(|object| {
        object.text("view", ask.view.as_str());
        object.json("position", &Json::integer(upto));
        object.text("at", &format_rfc3339(ask.now_ns));
        object.json("rows", &Json::array(rows));
        object.json("n_more", &Json::integer(n_more as u64));
    }))
}

//! Which event is meant by an id, or by the beginning of one.

use std::borrow::Cow;

use weft_event::json::Tape;
use weft_log::filter::quoted;
use weft_log::query::{Ask, Found, Order, QueryError, Records};
use weft_log::{Filter, Position};

use super::Posted;

/// Records that are looked at together.
const PAGE_RECORDS: usize = 256;

/// So many events whose ids begin alike are enough to say that the beginning is too short.
const HITS_MAX: usize = 10_000;

/// How many events are listed where several are meant.
pub const LISTED_MAX: usize = 10;

/// Why no event is meant.
#[derive(Debug, thiserror::Error)]
pub enum WhichError {
    /// No id begins so.
    #[error("no {what} has an id that begins with `{prefix}`")]
    None {
        /// What was looked for.
        what: &'static str,
        /// How its id should begin.
        prefix: String,
    },
    /// Several do.
    #[error("{n} {what}s have an id that begins with `{prefix}`")]
    Several {
        /// What was looked for.
        what: &'static str,
        /// How its id should begin.
        prefix: String,
        /// How many there are.
        n: usize,
        /// The oldest of them.
        first: Vec<(String, Position)>,
    },
    /// The log cannot be asked.
    #[error(transparent)]
    Query(#[from] QueryError),
}

impl WhichError {
    /// Returns all of it, with what may be meant below, a line each.
    pub fn listing(&self) -> String {
        let mut text = self.to_string();
        if let WhichError::Several { n, first, .. } = self {
            text.push(':');
            first.iter().for_each(|(id, position)| text += &format!("\n  {position}  {id}"));
            if *n > first.len() {
                text += "\n  …";
            }
        }
        text
    }
}

/// Returns the one message whose id is or begins so.
pub fn message(records: &mut Records, prefix: &str) -> Result<Posted, WhichError> {
    let what = "message";
    let none = || WhichError::None { what, prefix: prefix.to_owned() };
    let filter = format!("dialect=idle type=message {}*", quoted(prefix));
    // What holds no letter or digit is no beginning of an id.
    let filter = Filter::parse(&filter, 0).map_err(|_no_words| none())?;
    let found = by_id(records, what, &filter, prefix)?;
    Posted::of(&found).ok_or_else(none)
}

/// Returns the one event whose id is or begins so, of those that match.
pub fn by_id(
    records: &mut Records,
    what: &'static str,
    filter: &Filter,
    prefix: &str,
) -> Result<Found, WhichError> {
    let mut hits: Vec<(String, Position)> = Vec::new();
    let mut next = Position::new(u64::MAX);
    let mut tape = Tape::new();
    while let Some(end) = next.filter(|_| hits.len() < HITS_MAX) {
        let (range, order) = (Position::FIRST..=end, Order::Descending);
        let page = records.page(&Ask { filter, range, order, limit: PAGE_RECORDS })?;
        next = page.next;
        for found in page.records {
            let id = id_of(&found, &mut tape);
            if let Some(id) = id.filter(|id| id.starts_with(prefix)) {
                hits.push((id, found.meta.position));
            }
        }
    }
    if hits.iter().filter(|(id, _)| id == prefix).count() == 1 {
        hits.retain(|(id, _)| id == prefix);
    }
    let none = || WhichError::None { what, prefix: prefix.to_owned() };
    match hits.as_slice() {
        [] => Err(none()),
        [(_, position)] => records.get(*position)?.ok_or_else(none),
        several => {
            let first = several.iter().rev().take(LISTED_MAX).cloned().collect();
            let (n, prefix) = (several.len(), prefix.to_owned());
            Err(WhichError::Several { what, prefix, n, first })
        }
    }
}

fn id_of(found: &Found, tape: &mut Tape) -> Option<String> {
    let facts = found.read(tape)?.facts();
    facts.identity.own?.as_id().map(Cow::into_owned)
}

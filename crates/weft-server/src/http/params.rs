//! The parameters of a request for records, each by name. One that is not known is refused, so that a slip does not go unseen.

use std::time::Duration;

use axum::extract::{FromRequestParts, Path};
use axum::http::request;
use axum::http::{StatusCode, Uri};
use weft_event::json::Json;
use weft_log::disk::RealDisk;
use weft_log::filter::quoted;
use weft_log::query::Order;
use weft_log::{Filter, Position, reader};

use super::answer::Failure;
use super::query::{self, BadQuery};
use crate::Core;
use crate::place::{self, Place};

/// How long a position that a client was just told may take to be read back from the log.
const CATCH_UP: Duration = Duration::from_millis(500);

/// The parameters of a request's address.
pub(crate) struct Params {
    pairs: Vec<(String, String)>,
}

impl Params {
    /// Takes the parameters of a request that knows these.
    pub(crate) fn of(uri: &Uri, known: &[&str]) -> Result<Self, Failure> {
        let pairs = query::pairs(uri.query().unwrap_or_default());
        let pairs =
            pairs.map(|pair| pair.map(|(name, value)| (name.into_owned(), value.into_owned())));
        let pairs: Vec<(String, String)> = pairs
            .collect::<Result<_, BadQuery>>()
            .map_err(|error| Failure::bad("bad_query", error.to_string()))?;
        for (idx, (name, _)) in pairs.iter().enumerate() {
            if !known.contains(&&**name) {
                return Err(unknown(name, known));
            }
            if pairs[..idx].iter().any(|(before, _)| before == name) {
                let message = format!("the parameter `{name}` stands twice");
                return Err(Failure::bad("bad_parameter", message));
            }
        }
        Ok(Self { pairs })
    }

    /// Returns the value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// Returns the filter; without Weft's own records unless it asks for them.
    pub(crate) fn filter(&self) -> Result<Filter, Failure> {
        parse_filter(self.get("filter").unwrap_or_default())
    }

    /// Returns the order.
    pub(crate) fn order(&self, default: Order) -> Result<Order, Failure> {
        match self.get("order") {
            None => Ok(default),
            Some("asc") => Ok(Order::Ascending),
            Some("desc") => Ok(Order::Descending),
            Some(other) => Err(bad("order", other, "asc or desc")),
        }
    }

    /// Returns how many records are asked for, within what may be.
    pub(crate) fn limit(&self, default: usize, max: usize) -> Result<usize, Failure> {
        let Some(text) = self.get("limit") else { return Ok(default.min(max)) };
        let limit = text.parse().ok().filter(|limit| (1..=max).contains(limit));
        limit.ok_or_else(|| bad("limit", text, &format!("a number from 1 to {max}")))
    }

    /// Returns the last position that counts, if one is given. It has to be in the log.
    pub(crate) async fn upto(&self, name: &str, core: &Core) -> Result<Option<Position>, Failure> {
        let Some(upto) = self.place(name, core)? else { return Ok(None) };
        check_after(core, upto).await?;
        let wrong = || bad(name, "0", "a position from 1 on");
        Position::new(upto).map(Some).ok_or_else(wrong)
    }

    /// Returns the position that a parameter names, if it is given.
    pub(crate) fn place(&self, name: &str, core: &Core) -> Result<Option<u64>, Failure> {
        self.get(name).map(|text| place_of(name, text, core)).transpose()
    }
}

/// What a path names.
pub(crate) struct Name(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut request::Parts, state: &S) -> Result<Self, Failure> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(rejection) => Err(Failure::bad("bad_path", rejection.body_text())),
        }
    }
}

/// Returns what time it is, in nanoseconds since 1970.
pub(crate) fn now_ns() -> i64 {
    i64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX)
}

fn unknown(name: &str, known: &[&str]) -> Failure {
    let name = shown(name);
    let message = match known {
        [] => format!("there is no parameter `{name}` here, nor any other"),
        known => format!("there is no parameter `{name}`; there are {}", known.join(", ")),
    };
    Failure::bad("unknown_parameter", message)
}

/// Parses a filter; without Weft's own records unless it asks for them.
pub(crate) fn parse_filter(text: &str) -> Result<Filter, Failure> {
    let filter = Filter::parse(text, now_ns()).map_err(|error| {
        let message = format!("the filter is wrong at byte {}: {error}", error.offset);
        Failure::bad("bad_filter", message)
            .with("offset", Json::integer(error.offset as u64))
            .with("length", Json::integer(error.length as u64))
            .with("help", Json::text(&error.fault.help()))
    })?;
    Ok(filter.without_bookkeeping())
}

/// Returns the filter for a field that is exactly so.
pub(crate) fn is_exactly(field: &str, value: &str) -> Result<Filter, Failure> {
    parse_filter(&format!("{field}={}", quoted(value)))
}

/// Reads a place of this store.
pub(crate) fn place_of(name: &str, text: &str, core: &Core) -> Result<u64, Failure> {
    match place::read(text, core.store_id()) {
        Some(Place::Here(position)) => Ok(position),
        Some(Place::Elsewhere { store }) => {
            let message = format!(
                "the cursor is one of the store {}, and this is {}: begin again without it",
                shown(&store),
                core.store_id()
            );
            let failure = Failure::new(StatusCode::GONE, "other_store", message);
            Err(failure.with("store", Json::text(core.store_id())))
        }
        None => Err(bad(name, text, "a cursor such as <store id>:12, or a position")),
    }
}

/// Refuses to go on behind a place that is not in the log: pruned already, or beyond its end.
pub(crate) async fn check_after(core: &Core, after: u64) -> Result<(), Failure> {
    let Some(position) = Position::new(after) else { return Ok(()) };
    if after > core.feed().last() {
        // Whoever stored an event is told so before it is read back, and may ask for what follows at once.
        let mut cursor = core.feed().cursor(position);
        let caught_up = tokio::time::timeout(CATCH_UP, cursor.ready()).await;
        if caught_up != Ok(true) {
            let last = core.feed().last();
            let message = format!("position {after} is beyond the end of the log, which is {last}");
            let failure = Failure::new(StatusCode::GONE, "beyond_end", message);
            return Err(failure.with("last", Json::integer(last)));
        }
    }
    // Nothing was missed if the next one is the first that is kept.
    let first = first_kept(core).await?;
    if after.saturating_add(1) < first { Err(pruned(position, first)) } else { Ok(()) }
}

/// Refuses to go back from a place that was pruned: what was before it was too.
pub(crate) async fn check_before(core: &Core, before: u64) -> Result<(), Failure> {
    let Some(position) = Position::new(before) else { return Ok(()) };
    let first = first_kept(core).await?;
    if before < first { Err(pruned(position, first)) } else { Ok(()) }
}

async fn first_kept(core: &Core) -> Result<u64, Failure> {
    let root = core.store().root().to_owned();
    let first = tokio::task::spawn_blocking(move || reader::first_kept(RealDisk, &root)).await;
    let first = first.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
    Ok(first.map_err(|error| Failure::store(&error))?.map_or(1, Position::get))
}

/// Says that a position is no longer in the log.
pub(crate) fn pruned(position: Position, first: u64) -> Failure {
    let message = format!(
        "position {position} was pruned: the log begins at {first}, and `after={}` reads from there",
        first - 1
    );
    Failure::new(StatusCode::GONE, "pruned", message).with("first", Json::integer(first))
}

/// Says that a parameter has a value that it cannot have.
pub(crate) fn bad(name: &str, value: &str, wanted: &str) -> Failure {
    let message = format!("`{name}` is `{}`, and must be {wanted}", shown(value));
    Failure::bad("bad_parameter", message).with("parameter", Json::text(name))
}

/// Returns what a client sent as it is shown in a message.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(100).collect()
}

//! The parameters of a request for records, each by name. One that is not known is refused, so that a slip does not go unseen.

use axum::http::{StatusCode, Uri};
use weft_log::disk::RealDisk;
use weft_log::query::Order;
use weft_log::{Filter, Position, reader};

use super::answer::Failure;
use super::query::{self, BadQuery};
use crate::Core;
use crate::place::{self, Place};

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
        if let Some((name, _)) = pairs.iter().find(|(name, _)| !known.contains(&&**name)) {
            let message = format!("there is no parameter `{name}`; there are {}", known.join(", "));
            return Err(Failure::new(StatusCode::BAD_REQUEST, "unknown_parameter", message));
        }
        Ok(Self { pairs })
    }

    /// Returns the value of a parameter, the last one where it is given more than once.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().rev().find(|(known, _)| known == name).map(|(_, value)| &**value)
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

    /// Returns the position that a parameter names, if it is given.
    pub(crate) fn place(&self, name: &str, core: &Core) -> Result<Option<u64>, Failure> {
        self.get(name).map(|text| place_of(name, text, core)).transpose()
    }
}

/// Parses a filter; without Weft's own records unless it asks for them.
pub(crate) fn parse_filter(text: &str) -> Result<Filter, Failure> {
    let now_ns = i64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX);
    let filter = Filter::parse(text, now_ns).map_err(|error| {
        let message = format!("the filter is wrong at byte {}: {error}", error.offset);
        Failure::new(StatusCode::BAD_REQUEST, "bad_filter", message)
    })?;
    Ok(filter.without_bookkeeping())
}

/// Reads a place of this store.
pub(crate) fn place_of(name: &str, text: &str, core: &Core) -> Result<u64, Failure> {
    match place::read(text, core.store_id()) {
        Some(Place::Here(position)) => Ok(position),
        Some(Place::Elsewhere { store }) => {
            let message = format!(
                "the cursor is one of the store {store}, and this is {}: begin again without it",
                core.store_id()
            );
            Err(Failure::new(StatusCode::GONE, "other_store", message))
        }
        None => Err(bad(name, text, "a cursor such as <store id>:12, or a position")),
    }
}

/// Refuses to go on behind a place that is not in the log: pruned already, or beyond its end.
pub(crate) async fn check_resume(core: &Core, after: u64) -> Result<(), Failure> {
    let last = core.feed().last();
    if after > last {
        let message = format!("position {after} is beyond the end of the log, which is {last}");
        return Err(Failure::new(StatusCode::GONE, "beyond_end", message));
    }
    let root = core.store().root().to_owned();
    let first = tokio::task::spawn_blocking(move || reader::first_kept(RealDisk, &root)).await;
    let first = first.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
    let first = first.map_err(|error| Failure::store(&error))?.map_or(1, Position::get);
    // Nothing was missed if the next one is the first that is kept; and who begins at the beginning takes what there is.
    if after == 0 || after + 1 >= first {
        return Ok(());
    }
    Err(pruned(Position::new(after).unwrap_or(Position::FIRST), first))
}

/// Says that a position is no longer in the log.
pub(crate) fn pruned(position: Position, first: u64) -> Failure {
    let message = format!("position {position} was pruned: the log begins at {first}");
    Failure::new(StatusCode::GONE, "pruned", message)
}

pub(crate) fn bad(name: &str, value: &str, wanted: &str) -> Failure {
    let message = format!("`{name}` is `{value}`, and must be {wanted}");
    Failure::new(StatusCode::BAD_REQUEST, "bad_parameter", message)
}

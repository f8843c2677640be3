//! Records as a model reads them: a page, a single one, a resource. Every answer is bounded, and says what it leaves out.

use std::ops::RangeInclusive;

use weft_event::json::{Json, Tape, Value};
use weft_log::query::{Found, Order, Page};
use weft_log::{Filter, Position};

use super::Told;
use super::argument::get;
use super::shelf::{Seen, Shelf};
use super::shorten::shorten;
use super::tool::LIMIT_DEFAULT;
use crate::reads::Question;
use crate::record;

/// Bytes of an answer's records, to about the last: what a model can be expected to read.
pub(super) const ANSWER_BYTES_MAX: usize = 64 << 10;

/// Bytes of one event in a list. The texts of one that is larger are shortened.
pub(super) const LISTED_BYTES_MAX: usize = 8 << 10;

/// Bytes of events that are read from the log for one answer.
const READ_BYTES_MAX: usize = 4 << 20;

/// Records of a resource.
const RESOURCE_RECORDS_MAX: usize = 100;

/// What a page is asked to have.
#[derive(Debug)]
pub(super) struct Asked {
    filter: Filter,
    limit: usize,
    from: From,
}

/// Where a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
enum From {
    Newest,
    Oldest,
    /// Before a position of a store, newest first.
    Before {
        store: String,
        position: u64,
    },
    /// Behind a position of a store, oldest first.
    Behind {
        store: String,
        position: u64,
    },
}

impl Asked {
    /// Reads what is asked for off arguments that are checked. Relative times count from `now_ns`.
    pub(super) fn read(given: Value<'_>, now_ns: i64) -> Result<Self, Told> {
        let text = |name: &str| get(given, name).and_then(Value::as_text);
        let filter = text("filter").unwrap_or_default();
        let filter = Filter::parse(&filter, now_ns)
            .map_err(|error| Told(format!("The filter is wrong. {}", error.render(&filter))))?;
        let limit = get(given, "limit").and_then(Value::as_u64);
        let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(LIMIT_DEFAULT);
        let from = match (text("cursor"), text("order").as_deref()) {
            (Some(cursor), _) => From::of(&cursor).ok_or_else(|| {
                Told("`cursor` is none that an answer gave: leave it out to begin anew".to_owned())
            })?,
            (None, Some("oldest")) => From::Oldest,
            (None, _) => From::Newest,
        };
        Ok(Self { filter: filter.without_bookkeeping(), limit, from })
    }
}

impl From {
    fn of(cursor: &str) -> Option<Self> {
        let (way, place) = cursor.split_once(':')?;
        let (store, position) = place.rsplit_once(':')?;
        let (store, position) = (store.to_owned(), position.parse().ok()?);
        match way {
            "before" => Some(From::Before { store, position }),
            "behind" => Some(From::Behind { store, position }),
            _ => None,
        }
    }

    fn cursor(&self) -> Option<String> {
        match self {
            From::Newest | From::Oldest => None,
            From::Before { store, position } => Some(format!("before:{store}:{position}")),
            From::Behind { store, position } => Some(format!("behind:{store}:{position}")),
        }
    }

    fn order(&self) -> Order {
        match self {
            From::Newest | From::Before { .. } => Order::Descending,
            From::Oldest | From::Behind { .. } => Order::Ascending,
        }
    }

    /// Returns the positions that are looked at; `None` if there are none.
    fn range(&self) -> Option<RangeInclusive<Position>> {
        let last = Position::new(u64::MAX)?;
        match self {
            From::Newest | From::Oldest => Some(Position::FIRST..=last),
            From::Before { position, .. } => {
                Some(Position::FIRST..=Position::new(position.checked_sub(1)?)?)
            }
            From::Behind { position, .. } => Some(Position::new(position.checked_add(1)?)?..=last),
        }
    }

    /// Refuses a place that is not in this store, or not any more.
    fn check<T>(&self, seen: &Seen<T>) -> Result<(), Told> {
        let (store, position, is_kept) = match self {
            From::Newest | From::Oldest => return Ok(()),
            From::Before { store, position } => (store, position, *position >= seen.first),
            From::Behind { store, position } => (store, position, position + 1 >= seen.first),
        };
        if *store != seen.store_id {
            return Err(Told(
                "`cursor` is of another store: leave it out to begin anew".to_owned(),
            ));
        }
        if !is_kept {
            let first = seen.first;
            return Err(Told(format!(
                "`cursor` is at position {position}, which was pruned: the log begins at {first}"
            )));
        }
        Ok(())
    }
}

/// Returns a page of records.
pub(super) async fn page<S: Shelf>(shelf: &S, asked: Asked) -> Result<Json<'static>, Told> {
    let Asked { filter, limit, from } = asked;
    let order = from.order();
    let Some(range) = from.range() else {
        return Ok(Shown::default().json(from.cursor()));
    };
    let question = Question { filter, range, order, limit, bytes_max: READ_BYTES_MAX };
    let seen = shelf.find(question).await?;
    from.check(&seen)?;
    let shown = Shown::of(&seen);
    let next = shown.next(&seen.store_id, order).unwrap_or(from);
    let next = Some(next).filter(|_| {
        // Newer ones may come; older ones do not.
        shown.has_more || order == Order::Ascending
    });
    Ok(shown.json(next.and_then(|next| next.cursor())))
}

/// Returns the newest records that match, the newest last; `None` if there are none.
pub(super) async fn newest<S: Shelf>(
    shelf: &S,
    filter: Filter,
) -> Result<Option<Json<'static>>, Told> {
    let range = Position::FIRST..=Position::new(u64::MAX).expect("it is not 0");
    let (order, limit, bytes_max) = (Order::Descending, RESOURCE_RECORDS_MAX, READ_BYTES_MAX);
    let seen = shelf.find(Question { filter, range, order, limit, bytes_max }).await?;
    let mut shown = Shown::of(&seen);
    let next = shown.next(&seen.store_id, order).filter(|_| shown.has_more);
    shown.records.reverse();
    let is_empty = shown.records.is_empty();
    Ok((!is_empty).then(|| shown.json(next.and_then(|next| next.cursor()))))
}

/// Returns one record.
pub(super) async fn one<S: Shelf>(shelf: &S, position: Position) -> Result<Json<'static>, Told> {
    let Seen { store_id, first, found } = shelf.get(position).await?;
    let Some(found) = found else {
        return Err(Told(if position.get() < first {
            format!("position {position} was pruned: the log begins at {first}")
        } else {
            format!("there is no event at position {position}, or it is damaged")
        }));
    };
    let (record, is_shortened) = write(&store_id, &found, ANSWER_BYTES_MAX);
    Ok(Json::object(|object| {
        object.json("record", &record);
        object.json("is_shortened", &Json::bool(is_shortened));
    }))
}

/// Records that go into an answer.
#[derive(Debug, Default)]
struct Shown {
    records: Vec<Json<'static>>,
    last: Option<Position>,
    has_more: bool,
    shortened: Vec<Position>,
    lost: Vec<(Position, Position)>,
}

impl Shown {
    fn of(seen: &Seen<Page>) -> Self {
        let Seen { store_id, found: page, .. } = seen;
        let mut shown =
            Self { has_more: page.next.is_some(), lost: page.lost.clone(), ..Self::default() };
        let mut bytes = 0;
        for found in &page.records {
            let (record, is_shortened) = write(store_id, found, LISTED_BYTES_MAX);
            bytes += record.as_str().len();
            if bytes > ANSWER_BYTES_MAX {
                shown.has_more = true;
                break;
            }
            let position = found.meta.position;
            shown.last = Some(position);
            shown.shortened.extend(is_shortened.then_some(position));
            shown.records.push(record);
        }
        shown
    }

    /// Returns where the next page begins; `None` if nothing is shown.
    fn next(&self, store_id: &str, order: Order) -> Option<From> {
        let (store, position) = (store_id.to_owned(), self.last?.get());
        Some(match order {
            Order::Ascending => From::Behind { store, position },
            Order::Descending => From::Before { store, position },
        })
    }

    fn json(self, next: Option<String>) -> Json<'static> {
        let number = |position: Position| Json::integer(position.get());
        Json::object(|object| {
            object.json("records", &Json::array(self.records));
            object.json("has_more", &Json::bool(self.has_more));
            next.iter().for_each(|next| object.text("next_cursor", next));
            if !self.shortened.is_empty() {
                let positions = self.shortened.into_iter().map(number);
                object.json("shortened", &Json::array(positions));
            }
            if !self.lost.is_empty() {
                let runs = self.lost.into_iter().map(|(first, last)| {
                    Json::object(|run| {
                        run.json("first", &number(first));
                        run.json("last", &number(last));
                    })
                });
                object.json("lost", &Json::array(runs));
            }
        })
    }
}

/// Writes a record, its event shortened to about so many bytes; returns whether it was.
fn write(store_id: &str, found: &Found, bytes_max: usize) -> (Json<'static>, bool) {
    let shortened = shorten(&found.line, bytes_max);
    let line = shortened.as_deref().map_or(found.line.as_slice(), str::as_bytes);
    let mut out = Vec::with_capacity(line.len() + 256);
    record::write(&mut out, store_id, &found.meta, line);
    let mut tape = Tape::new();
    let record = tape.parse_bytes(&out).expect("a record is written as JSON");
    (Json::of(record).into_owned(), shortened.is_some())
}

//! `positions(kind, value)` for SQL: where the records of a trace or a task are, as an array for `json_each`.

use std::path::Path;
use std::sync::Mutex;

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::{Connection, Error};

use super::read::json_array;
use super::{IndexError, Order, Reader, Select, SqlValue, integer};
use crate::Position;
use crate::filter::Demands;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
enum FindError {
    #[error("positions(kind, value) knows the kinds 'trace' and 'task', not '{0}'")]
    Kind(String),
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// Registers the function. It asks through a connection of its own, opened when it is first called: a function cannot use
/// the one that called it.
pub(super) fn register(connection: &Connection, path: &Path) -> rusqlite::Result<()> {
    let (path, reader) = (path.to_owned(), Mutex::new(None::<Reader>));
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function("positions", 2, flags, move |context| {
        let mut reader = reader.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let reader = match &mut *reader {
            Some(reader) => reader,
            none => none.insert(Reader::open(&path).map_err(refused)?),
        };
        positions(context, reader)
    })
}

fn positions(context: &Context<'_>, reader: &Reader) -> rusqlite::Result<Option<String>> {
    let (kind, value): (String, Option<String>) = (context.get(0)?, context.get(1)?);
    let Some(value) = value else { return Ok(None) };
    let one = Some(vec![value.clone()]);
    let (condition, demands) = match &*kind {
        "trace" => ("trace = ?1", Demands { traces: one, ..Demands::NONE }),
        "task" => ("task = ?1", Demands { tasks: one, ..Demands::NONE }),
        _ => return Err(refused(FindError::Kind(kind))),
    };
    let last = Position::new(u64::MAX).expect("it is not zero");
    let (params, range) = ([SqlValue::Text(value)], Position::FIRST..=last);
    let select = Select { condition, params: &params, range };
    let found =
        reader.rows_with(&demands, &select, Order::Ascending, usize::MAX).map_err(refused)?;
    Ok(Some(json_array(found.iter().map(|row| integer(row.found.position.get())))))
}

fn refused(error: impl Into<FindError>) -> Error {
    Error::UserFunctionError(Box::new(error.into()))
}

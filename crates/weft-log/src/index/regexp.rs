//! `text REGEXP pattern` for SQL, with the syntax of the `regex` crate.

use std::sync::Arc;

use regex::Regex;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Registers the function. A pattern is compiled once per statement.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("regexp", 2, flags, is_match)
}

/// SQL hands the pattern over first. Nothing matches NULL, as with every other operator.
fn is_match(context: &Context<'_>) -> rusqlite::Result<Option<bool>> {
    let compile =
        |pattern: ValueRef<'_>| -> Result<Regex, AnyError> { Ok(Regex::new(pattern.as_str()?)?) };
    let text = match (context.get_raw(0), context.get_raw(1)) {
        (ValueRef::Null, _) | (_, ValueRef::Null) => return Ok(None),
        (_, text) => text,
    };
    let pattern: Arc<Regex> = context.get_or_create_aux(0, compile)?;
    let matches = match text {
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            let text = std::str::from_utf8(text)
                .map_err(|error| Error::UserFunctionError(error.into()))?;
            pattern.is_match(text)
        }
        ValueRef::Integer(number) => pattern.is_match(&number.to_string()),
        ValueRef::Real(number) => pattern.is_match(&number.to_string()),
        ValueRef::Null => return Ok(None),
    };
    Ok(Some(matches))
}

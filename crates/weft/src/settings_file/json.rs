//! The text of a settings file that is JSON: read with care, because what is not understood must not be changed.

use weft_event::json::{Json, Kind, Syntax, SyntaxError, Tape, Value, canonical};

/// Why settings are left alone.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    #[error("it is not JSON: {kind} in line {line}, column {column}")]
    Syntax { kind: Syntax, line: usize, column: usize },
    #[error("{what} is not an {expected} but {found}")]
    Shape { what: String, expected: &'static str, found: &'static str },
    #[error("the key `{key}` stands twice in one object")]
    RepeatedKey { key: String },
}

/// Reads a text that is one object without a key twice in it.
pub(crate) fn parse<'a>(tape: &'a mut Tape, text: &'a str) -> Result<Value<'a>, SettingsError> {
    let root = match tape.parse(text) {
        Ok(root) => root,
        Err(SyntaxError { kind, offset }) => {
            let before = &text.as_bytes()[..offset.min(text.len())];
            let line = before.split(|byte| *byte == b'\n').count();
            let column = before.rsplit(|byte| *byte == b'\n').next().map_or(0, <[u8]>::len) + 1;
            return Err(SettingsError::Syntax { kind, line, column });
        }
    };
    if let Some(key) = root.repeated_keys().next() {
        let key = key.as_text().unwrap_or_default().into_owned();
        return Err(SettingsError::RepeatedKey { key });
    }
    expect(root, Kind::Object, || "the whole".to_owned())?;
    Ok(root)
}

/// Refuses a value of another kind.
pub(crate) fn expect(
    value: Value<'_>,
    kind: Kind,
    what: impl FnOnce() -> String,
) -> Result<(), SettingsError> {
    if value.kind() == kind {
        return Ok(());
    }
    let (expected, found) = (kind.name(), value.kind().name());
    Err(SettingsError::Shape { what: what(), expected, found })
}

/// Returns whether a value is what would be written now.
pub(crate) fn is_same(handler: Value<'_>, wanted: &Json<'_>) -> bool {
    let mut tape = Tape::new();
    let wanted = tape.parse(wanted.as_str()).expect("what we write is JSON");
    canonical(handler) == canonical(wanted)
}

/// Splits a byte-order mark off.
pub(crate) fn split_mark(text: &str) -> (&str, &str) {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.split_at(text.len() - rest.len())
}

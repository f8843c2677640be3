//! What holds for any line: it stays a line of the same structure, and a second pass finds nothing.

use proptest::prelude::*;

use super::super::{Rules, redact};
use super::redacted;
use crate::json::{Kind, Tape, Value};

/// Pieces that rules begin with, and signs that matter between them.
const PIECES: &[&str] = &[
    "password",
    "Token",
    "API_KEY",
    "secret",
    "pwd",
    "passphrase",
    "=",
    ":",
    " = ",
    "\"",
    "\\\"",
    "\\\\\\\"",
    "'",
    "\\n",
    "\\\\n",
    " ",
    "hunter2",
    "a1b2c3d4e5f6a7b8c9d0",
    "ghp_",
    "sk-ant-",
    "sk-",
    "AKIA",
    "eyJhbGciOiJIUzI1NiJ9",
    ".",
    "://",
    ":\\/\\/",
    "@",
    "user:",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7",
    "Bearer ",
    "Basic ",
    "curl -u ",
    "[redacted:",
    "]",
    "[redacted:jwt]",
    "\\u003d",
    "\\ud83d\\ude00",
    "é",
    ",",
    "{",
    "}",
    "[",
    "<",
    ">",
    "--",
    "value",
    "Server=x;",
    "host=x ",
    "@tcp(",
    "8Q~",
    "xoxb-",
    "weft_",
    "0123456789abcdef0123456789abcdef",
    "\\u001b[1;31m",
    "\u{1b}[K",
    "\\u0070",
    "\\\\u0041",
    "%3A%2F%2F",
    "%3A",
    "%40",
    "{\"stringValue\":",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|pieces| pieces.concat())
}

/// Returns what of a line must not change: its structure, keys, and all that is no string.
fn frame(value: Value<'_>) -> String {
    let inside = |parts: Vec<String>| parts.join(",");
    match value.kind() {
        Kind::Text => "text".to_owned(),
        Kind::Object => {
            let members =
                value.members().map(|(key, value)| format!("{}:{}", key.raw(), frame(value)));
            format!("{{{}}}", inside(members.collect()))
        }
        Kind::Array => format!("[{}]", inside(value.items().map(frame).collect())),
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Key => value.raw().to_owned(),
    }
}

fn upholds(line: &[u8]) -> Result<(), TestCaseError> {
    let rules = Rules::default();
    let once = redact(line, &rules, &mut Vec::new()).into_owned();
    let mut matched = Vec::new();
    let twice = redact(&once, &rules, &mut matched);
    prop_assert_eq!(&twice[..], &once[..]);
    prop_assert!(matched.is_empty());
    if let Ok(value) = Tape::new().parse_bytes(line) {
        let mut tape = Tape::new();
        let redacted =
            tape.parse_bytes(&once).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(frame(redacted), frame(value));
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes_are_fine(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        upholds(&bytes)?;
    }

    #[test]
    fn any_pieces_are_fine(text in text()) {
        upholds(text.as_bytes())?;
    }

    #[test]
    fn a_line_keeps_its_structure(key in text(), first in text(), second in text(), n in any::<u32>()) {
        let line = format!(r#"{{"{key}":"{first}","n":{n},"list":["{second}",null,{{"{second}":true}}],"{first}":{n}}}"#);
        upholds(line.as_bytes())?;
    }

    #[test]
    fn strings_in_strings_keep_theirs(first in text(), second in text()) {
        let inside = serde_json::json!({"a": first, "token": second, "n": 1}).to_string();
        let line = serde_json::json!({"input": inside, "list": [second, first]}).to_string();
        upholds(line.as_bytes())?;
        serde_json::from_str::<serde_json::Value>(&redacted(&line)).expect("still JSON");
    }
}

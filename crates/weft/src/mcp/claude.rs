//! Our entry in the text of Claude Code's list of servers, which is JSON.

use weft_event::json::{Json, Kind, Tape, Value};

use crate::mcp::entry::Entry;
use crate::settings_file::edit::{Edits, Left, Piece, Style, add, indent_of_value, span, take};
use crate::settings_file::json::{SettingsError, expect, is_same, parse, split_mark};

/// The member that holds servers, and the name of ours in it.
const SERVERS: &str = "mcpServers";
const NAME: &str = "weft";

/// Why a list of servers is left alone.
#[derive(Debug, thiserror::Error)]
pub(super) enum ClaudeError {
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error("`{SERVERS}.{NAME}` is the entry of another program")]
    Foreign,
}

/// Returns the text with our entry in it; the same text if it is there already.
pub(super) fn install(text: Option<&str>, wanted: &Entry) -> Result<String, ClaudeError> {
    let servers = Json::object(|servers| servers.json(NAME, &wanted.json()));
    let Some(whole) = text else {
        let all = Json::object(|root| root.json(SERVERS, &servers));
        return Ok(Style::ours().lay_out(&all, "") + "\n");
    };
    let (mark, text) = split_mark(whole);
    let mut tape = Tape::new();
    let root = read(&mut tape, text)?;
    let style = Style::of(text, root);
    let mut edits = Edits::default();
    match root.get(SERVERS) {
        None => {
            let piece = Piece { name: Some(SERVERS), value: servers };
            add(&mut edits, text, &style, root, &[piece]);
        }
        Some(servers) => match servers.get(NAME) {
            None => {
                let piece = Piece { name: Some(NAME), value: wanted.json() };
                add(&mut edits, text, &style, servers, &[piece]);
            }
            Some(there) if is_same(there, &wanted.json()) => {}
            Some(there) if is_ours(there) => {
                let style = style.spread(there.raw().contains('\n'));
                let new = style.lay_out(&wanted.json(), indent_of_value(text, there));
                edits.put(span(there), new);
            }
            Some(_) => return Err(ClaudeError::Foreign),
        },
    }
    Ok(format!("{mark}{}", edits.apply(text)))
}

/// Returns the text without our entry; `None` if nothing is left that was there before.
pub(super) fn uninstall(whole: &str) -> Result<Option<String>, ClaudeError> {
    let (mark, text) = split_mark(whole);
    let mut tape = Tape::new();
    let root = read(&mut tape, text)?;
    let same = || Ok(Some(whole.to_owned()));
    let Some(servers) = root.get(SERVERS) else { return same() };
    let is_ours = |(key, value): (Value<'_>, Value<'_>)| key.is_text(NAME) && is_ours(value);
    let Some(idx) = servers.members().position(is_ours) else { return same() };
    let style = Style::of(text, root);
    let mut edits = Edits::default();
    if take(&mut edits, text, &style, servers, &[idx]) == Left::Nothing {
        edits = Edits::default();
        let idx = root.members().position(|(key, _)| key.is_text(SERVERS));
        if take(&mut edits, text, &style, root, idx.as_slice()) == Left::Nothing {
            return Ok(None);
        }
    }
    Ok(Some(format!("{mark}{}", edits.apply(text))))
}

/// Returns our entry, if it is there.
pub(super) fn look(whole: &str) -> Result<Option<Entry>, ClaudeError> {
    let mut tape = Tape::new();
    let root = read(&mut tape, split_mark(whole).1)?;
    let Some(there) = root.get(SERVERS).and_then(|servers| servers.get(NAME)) else {
        return Ok(None);
    };
    let entry = Entry::read(there).filter(Entry::is_ours);
    entry.map(Some).ok_or(ClaudeError::Foreign)
}

fn is_ours(entry: Value<'_>) -> bool {
    Entry::read(entry).is_some_and(|entry| entry.is_ours())
}

fn read<'a>(tape: &'a mut Tape, text: &'a str) -> Result<Value<'a>, SettingsError> {
    let root = parse(tape, text)?;
    if let Some(servers) = root.get(SERVERS) {
        expect(servers, Kind::Object, || format!("`{SERVERS}`"))?;
    }
    Ok(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REAL: &str = r#"{
  "numStartups": 41,
  "projects": { "/srv/a": { "allowedTools": [], "mcpServers": {} } },
  "mcpServers": {
    "docs": {
      "command": "npx",
      "args": ["-y", "docs"]
    }
  },
  "userID": "u"
}
"#;

    fn ours() -> Entry {
        Entry::ours("/opt/weft".to_owned(), None)
    }

    #[test]
    fn an_entry_is_added_in_the_style_of_the_file_and_goes_without_a_trace() {
        for text in [
            REAL,
            "{}",
            "{}\n",
            r#"{"mcpServers":{}}"#,
            r#"{"mcpServers":{"a":{"command":"b"}},"x":1}"#,
            "\u{feff}{\r\n\t\"x\": 1\r\n}\r\n",
        ] {
            let with = install(Some(text), &ours()).unwrap();
            assert_eq!(look(&with).unwrap(), Some(ours()), "{with}");
            assert_eq!(install(Some(&with), &ours()).unwrap(), with);
            assert_eq!(uninstall(&with).unwrap().as_deref(), Some(text));
        }
        insta::assert_snapshot!(install(Some(REAL), &ours()).unwrap(), @r#"
        {
          "numStartups": 41,
          "projects": { "/srv/a": { "allowedTools": [], "mcpServers": {} } },
          "mcpServers": {
            "docs": {
              "command": "npx",
              "args": ["-y", "docs"]
            },
            "weft": {
              "type": "stdio",
              "command": "/opt/weft",
              "args": ["mcp"]
            }
          },
          "userID": "u"
        }
        "#);
        let made = install(None, &ours()).unwrap();
        assert_eq!(uninstall(&made).unwrap(), None);
        assert_eq!(uninstall(REAL).unwrap().as_deref(), Some(REAL));
    }

    #[test]
    fn an_old_entry_of_ours_is_replaced_in_its_place() {
        let with = install(Some(REAL), &Entry::ours("weft".to_owned(), Some("/s"))).unwrap();
        assert_eq!(look(&with).unwrap().unwrap().store(), Some("/s"));
        assert_eq!(install(Some(&with), &ours()).unwrap(), install(Some(REAL), &ours()).unwrap());
    }

    #[test]
    fn what_cannot_be_read_or_is_another_programs_is_left_alone() {
        let error = |text: &str| install(Some(text), &ours()).unwrap_err().to_string();
        insta::assert_snapshot!(error("{\n  \"a\": 1,\n}"), @"it is not JSON: unexpected character in line 3, column 1");
        insta::assert_snapshot!(error(r#"{"mcpServers":[]}"#), @"`mcpServers` is not an object but array");
        let foreign = r#"{"mcpServers":{"weft":{"type":"http","url":"http://x/mcp"}}}"#;
        insta::assert_snapshot!(error(foreign), @"`mcpServers.weft` is the entry of another program");
        assert_eq!(uninstall(foreign).unwrap().as_deref(), Some(foreign));
    }
}

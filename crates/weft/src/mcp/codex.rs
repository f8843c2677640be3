//! Our entry in the text of Codex's configuration, which is TOML: added to its end, and taken away again to the byte.

use toml::de::{DeTable, DeValue};

use crate::mcp::entry::Entry;

/// The table that holds servers, and the name of ours in it.
const SERVERS: &str = "mcp_servers";
const NAME: &str = "weft";

/// Why a configuration is left alone.
#[derive(Debug, thiserror::Error)]
pub(super) enum CodexError {
    #[error("it is not TOML: {0}")]
    Syntax(String),
    #[error("`{SERVERS}.{NAME}` is the entry of another program")]
    Foreign,
    #[error(
        "`{SERVERS}` is written so that nothing can be added to it: add [{SERVERS}.{NAME}] by hand"
    )]
    Closed,
    #[error("[{SERVERS}.{NAME}] was changed by hand: remove it by hand")]
    Changed,
}

/// Returns the configuration with our entry in it; the same text if it is there already.
pub(super) fn install(text: Option<&str>, wanted: &Entry) -> Result<String, CodexError> {
    let Some(text) = text else { return Ok(block(wanted, "\n")) };
    let rest = match look(text)? {
        Some(there) if there == *wanted => return Ok(text.to_owned()),
        Some(_) => take(text)?,
        None => text.to_owned(),
    };
    let newline = newline_of(text);
    let with = format!("{rest}{newline}{}", block(wanted, newline));
    match look(&with) {
        Ok(Some(there)) if there == *wanted => Ok(with),
        Ok(_) | Err(_) => Err(CodexError::Closed),
    }
}

/// Returns the configuration without our entry; `None` if nothing else was ever there.
pub(super) fn uninstall(text: &str) -> Result<Option<String>, CodexError> {
    match look(text) {
        Ok(None) | Err(CodexError::Foreign) => return Ok(Some(text.to_owned())),
        Ok(Some(there)) if block(&there, "\n") == text => return Ok(None),
        Ok(Some(_)) => {}
        Err(error) => return Err(error),
    }
    take(text).map(Some)
}

/// Returns our entry, if it is there.
pub(super) fn look(text: &str) -> Result<Option<Entry>, CodexError> {
    let root = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        CodexError::Syntax(format!("{} in line {line}", error.message()))
    })?;
    let servers = match root.get_ref().get(SERVERS).map(|servers| servers.get_ref()) {
        None => return Ok(None),
        Some(DeValue::Table(servers)) => servers,
        Some(_) => return Err(CodexError::Closed),
    };
    let Some(entry) = servers.get(NAME) else { return Ok(None) };
    let text_of = |value: &DeValue<'_>| value.as_str().map(str::to_owned);
    let member = |name: &str| entry.get_ref().get(name).map(|value| value.get_ref().clone());
    let command = member("command").and_then(|command| text_of(&command));
    let args = member("args").and_then(|args| {
        let args = args.as_array()?.iter().map(|arg| text_of(arg.get_ref()));
        args.collect::<Option<Vec<String>>>()
    });
    let entry = command.map(|command| Entry { command, args: args.unwrap_or_default() });
    entry.filter(Entry::is_ours).map(Some).ok_or(CodexError::Foreign)
}

/// Takes our entry away, as it was added.
fn take(text: &str) -> Result<String, CodexError> {
    let there = look(text)?.ok_or(CodexError::Changed)?;
    let newline = newline_of(text);
    let added = format!("{newline}{}", block(&there, newline));
    let rest = match (text.split_once(&added), text.strip_prefix(&block(&there, newline))) {
        (Some((before, after)), _) => format!("{before}{after}"),
        (None, Some(after)) => after.to_owned(),
        (None, None) => return Err(CodexError::Changed),
    };
    match look(&rest) {
        Ok(None) => Ok(rest),
        Ok(Some(_)) | Err(_) => Err(CodexError::Changed),
    }
}

fn newline_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn block(entry: &Entry, newline: &str) -> String {
    let args: Vec<String> = entry.args.iter().map(|arg| quoted(arg)).collect();
    let command = quoted(&entry.command);
    let args = args.join(", ");
    format!("[{SERVERS}.{NAME}]{newline}command = {command}{newline}args = [{args}]{newline}")
}

/// Returns a text as a basic string of TOML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out += &format!("\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const REAL: &str = "# my settings\nmodel = \"gpt-5\"\napproval_policy = 'on-request'\n\n[mcp_servers.docs]\ncommand = \"npx\"\nargs = [\"-y\", \"docs\"]\n\n[projects.\"/srv/a\"]\ntrust_level = \"trusted\" # yes\n";

    fn ours() -> Entry {
        Entry { command: "/opt/weft".to_owned(), args: vec!["mcp".to_owned()] }
    }

    #[test]
    fn an_entry_is_added_to_the_end_and_goes_without_a_trace() {
        for text in [REAL, "", "a = 1", "a = 1\n", "a = 1\n\n\n", "a = 1\r\nb = 2\r\n", "# only\n"]
        {
            let with = install(Some(text), &ours()).unwrap();
            assert!(with.starts_with(text), "{with}");
            assert_eq!(look(&with).unwrap(), Some(ours()));
            assert_eq!(install(Some(&with), &ours()).unwrap(), with);
            assert_eq!(uninstall(&with).unwrap().as_deref(), Some(text));
        }
        insta::assert_snapshot!(install(None, &ours()).unwrap(), @r#"
        [mcp_servers.weft]
        command = "/opt/weft"
        args = ["mcp"]
        "#);
        assert_eq!(uninstall(&install(None, &ours()).unwrap()).unwrap(), None);
        assert_eq!(uninstall(REAL).unwrap().as_deref(), Some(REAL));
    }

    #[test]
    fn an_old_entry_of_ours_is_replaced_and_what_comes_behind_it_stays() {
        let old = Entry { command: "/old/weft".to_owned(), args: vec!["mcp".to_owned()] };
        let with = install(Some(REAL), &old).unwrap() + "\n[tui]\ntheme = \"dark\"\n";
        let renewed = install(Some(&with), &ours()).unwrap();
        assert_eq!(look(&renewed).unwrap(), Some(ours()));
        let plain = format!("{REAL}\n[tui]\ntheme = \"dark\"\n");
        assert_eq!(uninstall(&renewed).unwrap().as_deref(), Some(plain.as_str()));
    }

    #[test]
    fn what_cannot_be_read_or_is_another_programs_is_left_alone() {
        let error = |text: &str| install(Some(text), &ours()).unwrap_err().to_string();
        insta::assert_snapshot!(error("a = 1\nb = \n"), @"it is not TOML: string values must be quoted, expected literal string in line 2");
        insta::assert_snapshot!(error("mcp_servers = { docs = { command = 'x' } }\n"), @"`mcp_servers` is written so that nothing can be added to it: add [mcp_servers.weft] by hand");
        insta::assert_snapshot!(error("mcp_servers = 3\n"), @"`mcp_servers` is written so that nothing can be added to it: add [mcp_servers.weft] by hand");
        let foreign = "[mcp_servers.weft]\ncommand = \"loom\"\n";
        insta::assert_snapshot!(error(foreign), @"`mcp_servers.weft` is the entry of another program");
        assert_eq!(uninstall(foreign).unwrap().as_deref(), Some(foreign));
        let changed = "[mcp_servers.weft]\ncommand = \"weft\"\nargs = [\"mcp\"] # mine\n";
        let error = uninstall(changed).unwrap_err().to_string();
        insta::assert_snapshot!(error, @"[mcp_servers.weft] was changed by hand: remove it by hand");
    }

    proptest! {
        #[test]
        fn whatever_stands_there_it_is_the_same_afterwards(text in "[a-z=\\[\\]\"'#.\r\n 0-9]{0,60}") {
            if let Ok(with) = install(Some(&text), &ours()) {
                prop_assert_eq!(uninstall(&with).unwrap(), Some(text));
            }
        }

        #[test]
        fn any_path_is_read_as_it_was_written(path in "\\PC{0,20}/weft", arg in "\\PC*") {
            let entry = Entry { command: path, args: vec!["mcp".to_owned(), arg] };
            prop_assert_eq!(look(&install(None, &entry).unwrap()).unwrap(), Some(entry));
        }
    }
}

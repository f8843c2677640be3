//! The commands that act on a need, or else show it, as they are typed into a shell.

/// The command that shows who is in whose way.
pub(super) const COLLISIONS: &str = "weft files --collisions";

/// Returns the command that shows a session, or what an actor did where there is none.
pub(super) fn session(session: Option<&str>, actor: &str) -> String {
    match session {
        Some(session) => format!("weft session {}", word(session)),
        None => actor_log(actor),
    }
}

/// Returns the command that lets a loop go on, paused or stale.
pub(super) fn resume(session: Option<&str>) -> String {
    match session {
        Some(session) => format!("weft loop resume --session {}", word(session)),
        None => "weft loop resume".to_owned(),
    }
}

/// Returns the command that shows what an actor did.
pub(crate) fn actor_log(actor: &str) -> String {
    log("actor", actor)
}

/// Returns the command that shows the records of which a field has this value.
pub(super) fn log(field: &str, of: &str) -> String {
    format!("weft log {}", word(&format!("{field}={}", value(of))))
}

/// Returns the command that shows a record.
pub(super) fn show(position: u64) -> String {
    format!("weft show {position}")
}

/// Returns a value of the filter language: in quotes, unless it can only be read as it stands.
fn value(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            _ if character.is_control() => quoted.extend(character.escape_unicode()),
            _ => quoted.push(character),
        }
    }
    quoted + "\""
}

/// Returns a word of a shell: in quotes, unless every shell reads it as it stands.
fn word(text: &str) -> String {
    match text.split_once('=') {
        _ if is_plain(text) => text.to_owned(),
        Some((name, value)) if is_plain(name) && is_plain(value) => text.to_owned(),
        Some(_) | None => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

fn is_plain(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"@._:/+-".contains(&byte);
    !text.is_empty() && !text.starts_with('-') && text.bytes().all(is_plain)
}

//! A message in words, and as JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use weft_view::At;
use weft_view::inbox::{Need, NeedKind};

use super::memory::Message;

/// Needs that a message has in full.
const NEEDS_MAX: usize = 20;

/// Needs that its text has a line for.
const LINES_MAX: usize = 5;

/// Characters of a name and of a sentence in it.
const NAME_CHARS_MAX: usize = 60;
const WHAT_CHARS_MAX: usize = 200;

/// A message as it is handed on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worded {
    /// The rule that says so.
    pub rule: String,
    /// Whether it is an example.
    pub is_test: bool,
    /// When it was made.
    pub at: At,
    /// How many needs it is about.
    pub n_needs: usize,
    /// How many of them were held back while it was quiet.
    pub n_held: usize,
    /// What it is about, in a line.
    pub title: String,
    /// The first needs, a line each.
    pub text: String,
    /// The first needs in full, as the inbox has them.
    pub needs: Vec<Need>,
}

impl Worded {
    /// Puts a message into words.
    pub fn new(message: &Message, now_ns: i64) -> Self {
        let Message { rule, needs, n_held } = message;
        Self {
            rule: rule.clone(),
            is_test: false,
            at: At(now_ns),
            n_needs: needs.len(),
            n_held: *n_held,
            title: title(needs),
            text: text(needs, *n_held),
            needs: needs.iter().take(NEEDS_MAX).cloned().collect(),
        }
    }

    /// Returns an example.
    pub fn example(rule: &str, now_ns: i64) -> Self {
        let need = Need {
            id: "blocked/@example/1".to_owned(),
            kind: NeedKind::Blocked,
            actor: "@example".to_owned(),
            session: None,
            task: None,
            since: At(now_ns),
            what: "this is an example of `weft notify test`: nobody is blocked".to_owned(),
            positions: Vec::new(),
            command: "weft inbox".to_owned(),
        };
        let message = Message { rule: rule.to_owned(), needs: vec![need], n_held: 0 };
        Self { is_test: true, ..Self::new(&message, now_ns) }
    }
}

fn title(needs: &[Need]) -> String {
    if let [need] = needs {
        return format!("{} {}", short(&need.actor, NAME_CHARS_MAX), phrase(need.kind));
    }
    let mut kinds: BTreeMap<NeedKind, usize> = BTreeMap::new();
    needs.iter().for_each(|need| *kinds.entry(need.kind).or_default() += 1);
    let kinds: Vec<String> = kinds.iter().map(|(kind, n)| format!("{n} {}", word(*kind))).collect();
    format!("{} things need you: {}", needs.len(), kinds.join(", "))
}

fn text(needs: &[Need], n_held: usize) -> String {
    let mut lines = Vec::new();
    match needs {
        [need] => lines.push(short(&need.what, WHAT_CHARS_MAX)),
        needs => {
            let line = |need: &Need| {
                let actor = short(&need.actor, NAME_CHARS_MAX);
                format!("{actor}: {}", short(&need.what, WHAT_CHARS_MAX))
            };
            lines.extend(needs.iter().take(LINES_MAX).map(line));
        }
    }
    match needs.len().saturating_sub(LINES_MAX) {
        0 => {}
        n_more => lines.push(format!("and {n_more} more")),
    }
    if n_held > 0 {
        lines.push(format!("{n_held} came while it was quiet"));
    }
    match needs {
        [need] => lines.push(short(&need.command, WHAT_CHARS_MAX)),
        _ => lines.push("weft inbox".to_owned()),
    }
    lines.join("\n")
}

/// Returns what one of a kind does.
fn phrase(kind: NeedKind) -> &'static str {
    match kind {
        NeedKind::Permission => "asks for permission",
        NeedKind::Answer => "waits for an answer",
        NeedKind::Blocked => "is blocked",
        NeedKind::Deadlock => "waits for what will not come",
        NeedKind::OverBudget => "is over its budget",
        NeedKind::Failed => "failed",
        NeedKind::Stuck => "is stuck",
        NeedKind::Collision => "is in another's way",
        NeedKind::Idle => "has nothing to do",
    }
}

/// Returns the name of a kind, as words.
fn word(kind: NeedKind) -> String {
    kind.as_str().replace('_', " ")
}

/// Returns a text in one line, not too long and without signs that a terminal or a header takes for orders.
fn short(text: &str, chars_max: usize) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let mut short: String = text.chars().take(chars_max).map(plain).collect();
    if text.chars().nth(chars_max).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests;

//! What an agent says of its loop: a marker alone on a line of its last message.
//!
//! Only a line that is nothing else counts. What stands in a code fence, is indented or quoted is shown, not said.

use weft_event::idle::Mode;

/// What an agent says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// That its work is done.
    Complete,
    /// That it cannot go on.
    Stuck,
    /// That there is no issue left.
    NoMoreIssues,
}

/// Returns what a message says of a loop of this mode; the last marker counts. Limits are not an agent's to call: a marker that
/// says one was reached says nothing.
pub fn find(message: &str, mode: Mode) -> Option<Marker> {
    let mut fence = None;
    let mut found = None;
    for line in message.lines() {
        match (fence, fence_of(line)) {
            (None, Some(opened)) => fence = Some(opened),
            (Some(open), Some(closing)) if closes(open, closing, line) => fence = None,
            (None, None) => found = read(line.trim_end(), mode).or(found),
            (Some(_), _) => {}
        }
    }
    found
}

fn read(line: &str, mode: Mode) -> Option<Marker> {
    match (mode, line) {
        (Mode::Loop | Mode::Issue, "<loop-done>COMPLETE</loop-done>") => Some(Marker::Complete),
        (Mode::Loop | Mode::Issue, "<loop-done>STUCK</loop-done>") => Some(Marker::Stuck),
        (Mode::Issue, "<issue-complete>DONE</issue-complete>") => Some(Marker::Complete),
        (Mode::Grind, "<grind-done>NO_MORE_ISSUES</grind-done>") => Some(Marker::NoMoreIssues),
        (Mode::Loop | Mode::Issue | Mode::Grind, _) => None,
    }
}

/// Returns the character and the length of a fence that a line opens or closes.
fn fence_of(line: &str) -> Option<(char, usize)> {
    let text = line.trim_start_matches(' ');
    let sign = text.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let length = text.len() - text.trim_start_matches(sign).len();
    (length >= 3 && line.len() - text.len() <= 3).then_some((sign, length))
}

fn closes((sign, length): (char, usize), closing: (char, usize), line: &str) -> bool {
    let is_bare = line.trim().chars().all(|other| other == sign);
    closing.0 == sign && closing.1 >= length && is_bare
}

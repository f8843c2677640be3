//! Messages on the screen and on their way to programs.

use weft_event::json::Json;
use weft_runtime::topics::Posted;

use crate::output::{Shown, plural};
use crate::times::Clock;

/// Characters of a summary.
const SUMMARY_CHARS: usize = 80;

/// What a tab is shown as.
const TAB: &str = "    ";

/// How much is shown of what a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// All of it.
    Whole,
    /// Its first line, cut.
    Summary,
}

impl Body {
    /// Returns what the flag asks for.
    pub(crate) fn of(is_summary: bool) -> Self {
        if is_summary { Body::Summary } else { Body::Whole }
    }
}

/// Returns a message for a person: who, when and where on a line, and below it what it says.
pub(crate) fn text(posted: &Posted, depth: usize, body: Body, clock: &Clock) -> String {
    let indent = "  ".repeat(depth);
    let mut text = format!("{indent}{}\n", Shown(&header(posted, clock)));
    match body {
        Body::Whole => {
            for line in posted.body.lines() {
                text += format!("{indent}  {}", Shown(&line.replace('\t', TAB))).trim_end();
                text.push('\n');
            }
        }
        Body::Summary => {
            let line = posted.body.trim_start().lines().next().unwrap_or_default();
            let mut cut: String = line.chars().take(SUMMARY_CHARS).collect();
            if cut.len() < line.len() || posted.body.trim().len() > line.len() {
                cut.push('…');
            }
            text += &format!("{indent}  {}\n", Shown(&cut.replace('\t', TAB)));
        }
    }
    text
}

/// Returns everything about a message but what it says.
fn header(posted: &Posted, clock: &Clock) -> String {
    let message = posted.message.as_ref();
    let mut parts = vec![posted.name()];
    if let Some(by) = message.and_then(|it| it.by()) {
        parts[0] += &format!(" by {by}");
    }
    parts.push(age(posted, clock));
    parts.extend(message.and_then(|it| it.at()).map(|at| format!("on {at}")));
    parts.extend(posted.key.as_ref().filter(|key| !key.is_empty()).map(|key| format!("key {key}")));
    let parent = message.and_then(|it| it.parent.as_ref());
    parts.extend(parent.map(|parent| format!("in reply to {parent}")));
    parts.join(", ")
}

/// Returns how old something is, and whether it counts no more.
pub(crate) fn age(posted: &Posted, clock: &Clock) -> String {
    match posted.expiry() {
        Some(expiry) => {
            let old = clock.ago(expiry.since_ns).map(|ago| match ago.strip_suffix(" ago") {
                Some(age) => format!("{age} old"),
                None => ago,
            });
            let old = old.unwrap_or_else(|| clock.brief(expiry.since_ns));
            let stale = if expiry.is_over(clock.now_ns()) { ", stale" } else { "" };
            format!("{old}{stale}")
        }
        None => clock.ago(posted.posted_ns).unwrap_or_else(|| clock.brief(posted.posted_ns)),
    }
}

/// Returns a message for a program.
pub(crate) fn json(posted: &Posted, n_replies: Option<u64>, clock: &Clock) -> Json<'static> {
    Json::object(|object| posted.write(object, n_replies, clock.now_ns()))
}

/// Returns messages for a program, as one array on a line.
pub(crate) fn array(posted: &[Posted], clock: &Clock) -> String {
    let all = Json::array(posted.iter().map(|posted| json(posted, None, clock)));
    format!("{}\n", all.as_str())
}

/// Returns messages for a person.
pub(crate) fn list(posted: &[Posted], body: Body, clock: &Clock) -> String {
    let between = match body {
        Body::Whole => "\n",
        Body::Summary => "",
    };
    let texts = posted.iter().map(|posted| text(posted, 0, body, clock));
    texts.collect::<Vec<_>>().join(between)
}

/// Returns a number of messages with its noun.
pub(crate) fn messages(n: usize) -> String {
    plural(n as u64, "message")
}

//! What a digest says, line by line, in either form: the same words, with what agents wrote in them made harmless.

use weft_event::time::format_rfc3339;

use super::escape;
use super::{ActorDigest, Digest, Failure, Piece};
use crate::decisions::DecisionRow;
use crate::files::Collision;
use crate::inbox::Need;
use crate::loops::LoopState;
use crate::usage::UsageRow;
use crate::work::WorkState;
use crate::{At, Money, loops, runs};

/// Things in a line.
const THINGS_MAX: usize = 5;
/// Characters of a text.
pub(super) const TEXT_CHARS_MAX: usize = 160;
/// Characters of a name.
const NAME_CHARS_MAX: usize = 120;

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Markdown,
    Html,
}

impl Digest {
    /// Returns what it is of; `None` where there are no records and no time was asked for.
    pub(super) fn range(&self) -> Option<String> {
        match (self.since, self.until) {
            (Some(since), Some(until)) => {
                Some(format!("{} to {} UTC", minute(since), minute(until)))
            }
            (Some(since), None) => Some(format!("{} UTC and later", minute(since))),
            (None, Some(until)) => Some(format!("the time before {} UTC", minute(until))),
            (None, None) => None,
        }
    }

    /// Returns when its events happened, if some of them were received later than that.
    pub(super) fn late(&self) -> Option<String> {
        let (since, first, last) = (self.since?, self.first_event?, self.last_event?);
        let (first, last) = (minute(first), minute(last));
        let is_late = first < minute(since);
        is_late.then(|| format!("Received in this time, but happened from {first} to {last} UTC"))
    }
}

impl Form {
    /// Returns a text of one line, cut, in which nothing is markup.
    pub(super) fn plain(self, text: &str, chars_max: usize) -> String {
        match self {
            Form::Markdown => escape::plain(text, chars_max),
            Form::Html => escape::html(text, chars_max),
        }
    }

    /// Returns a text as code, on one line and cut.
    pub(super) fn code(self, text: &str, chars_max: usize) -> String {
        match self {
            Form::Markdown => escape::code(text, chars_max),
            Form::Html => format!("<code>{}</code>", escape::html(text, chars_max)),
        }
    }

    fn strong(self, written: &str) -> String {
        match self {
            Form::Markdown => format!("**{written}**"),
            Form::Html => format!("<strong>{written}</strong>"),
        }
    }

    /// Returns what there is to tell of an actor, each with its title.
    pub(super) fn actor(self, actor: &ActorDigest) -> Vec<(&'static str, String)> {
        let by = |rows: &[Piece]| self.things_by(rows, "; ", "weft work", |row| self.piece(row));
        let failure = |failure: &Failure| {
            let text = self.plain(&failure.signature, TEXT_CHARS_MAX);
            let colon = if text.is_empty() { "" } else { ": " };
            format!("{} × {}{colon}{text}", failure.n, self.name_of(&failure.kind))
        };
        let started_by = actor.parent.as_deref().map(|name| self.name_of(name));
        let needs = self.things(&actor.needs, "weft inbox", |row| self.need_in_brief(row));
        let asked = |text: &String| self.quoted(text);
        let asked = self.things_by(&actor.asked, "; ", &log_of(actor), asked);
        let decided = |row: &DecisionRow| self.decision(row);
        let lines = [
            ("Started by", started_by.unwrap_or_default()),
            ("Needs a person", needs),
            ("Asked", asked),
            ("Did", self.did(actor)),
            ("Finished", by(&actor.done)),
            ("Failed", by(&actor.failed)),
            ("Decided", self.things_by(&actor.decisions, "; ", "weft decisions", decided)),
            ("Cost", self.cost(actor)),
            ("Errors", self.things_by(&actor.errors, "; ", "weft errors", failure)),
            ("Left", self.things_by(&actor.left, "; ", "weft work", |row| self.held(row))),
        ];
        lines.into_iter().filter(|(_, text)| !text.is_empty()).collect()
    }

    pub(super) fn collision(self, row: &Collision) -> String {
        let names = self.things(&row.actors, "weft files", |name| self.name_of(name));
        let (first, last) = (minute(row.first_seen), minute(row.last_seen));
        format!("{}: {names}, from {first} to {last}", self.name_of(&row.what))
    }

    /// Returns what an actor did, in counts and names.
    pub(super) fn did(self, actor: &ActorDigest) -> String {
        let mut parts = Vec::new();
        if actor.n_turns > 0 {
            let failed = match actor.n_failed_turns {
                0 => String::new(),
                n => format!(" ({n} failed)"),
            };
            parts.push(format!("{}{failed}", count(actor.n_turns as usize, "turn")));
        }
        if let Some((n_done, n_steps)) = actor.steps {
            parts.push(format!("{n_done} of {} of its plan", count(n_steps, "step")));
        }
        let n_calls: u64 = actor.calls.iter().map(|tool| tool.n).sum();
        if !actor.calls.is_empty() {
            let tools = self.things(&actor.calls, &log_of(actor), |tool| {
                let name = if tool.tool.is_empty() {
                    "unnamed".to_owned()
                } else {
                    self.name_of(&tool.tool)
                };
                let mut text = format!("{name} {}", tool.n);
                let bad = [(tool.n_failed, "failed"), (tool.n_denied, "denied")];
                let bad: Vec<String> = bad
                    .iter()
                    .filter(|(n, _)| *n > 0)
                    .map(|(n, what)| format!("{n} {what}"))
                    .collect();
                if !bad.is_empty() {
                    text += &format!(" ({})", bad.join(", "));
                }
                text
            });
            parts.push(format!("{} ({tools})", count(n_calls as usize, "call")));
        }
        if !actor.files.is_empty() {
            let names = self.things(&actor.files, "weft files", |path| self.name_of(path));
            parts.push(format!("{} changed ({names})", count(actor.files.len(), "file")));
        }
        parts.join("; ")
    }

    pub(super) fn decision(self, row: &DecisionRow) -> String {
        let chosen = row.chosen.as_deref().or(row.id.as_deref()).unwrap_or("something");
        let mut text = self.strong(&self.plain(chosen, TEXT_CHARS_MAX));
        if let Some(rationale) = &row.rationale {
            text += &format!(", because {}", self.plain(rationale, TEXT_CHARS_MAX));
        }
        // Of what there was to choose from, what was not chosen was turned down.
        let is_other = |option: &&String| {
            let is_told = row.rejected.iter().any(|rejected| rejected.option == **option);
            row.chosen.as_ref() != Some(option) && !is_told
        };
        let told = row.rejected.iter().map(|rejected| match &rejected.reason {
            Some(reason) => format!(
                "{} ({})",
                self.plain(&rejected.option, NAME_CHARS_MAX),
                self.plain(reason, TEXT_CHARS_MAX)
            ),
            None => self.plain(&rejected.option, NAME_CHARS_MAX),
        });
        let others =
            row.options.iter().filter(is_other).map(|option| self.plain(option, NAME_CHARS_MAX));
        let rejected: Vec<String> = told.chain(others).collect();
        if !rejected.is_empty() {
            text += &format!("; turned down: {}", self.listed(&rejected, ", ", "weft decisions"));
        }
        text
    }

    pub(super) fn cost(self, actor: &ActorDigest) -> String {
        let by_model = |row: &UsageRow| match &row.name {
            Some(model) => format!("{} {}", self.name_of(model), cost_of(row)),
            None => cost_of(row),
        };
        let models = self.things_by(&actor.usage, "; ", "weft usage --by model", by_model);
        match actor.usage.len() {
            0 | 1 => models,
            _ => format!("{} in all; {models}", dollars(actor.cost_usd)),
        }
    }

    pub(super) fn need(self, need: &Need) -> String {
        let kind = need.kind.as_str().replace('_', " ");
        let what = self.plain(&need.what, TEXT_CHARS_MAX);
        let command = self.code(&need.command, TEXT_CHARS_MAX);
        format!(
            "{} {kind}: {what}, since {}: {command}",
            self.name_of(&need.actor),
            minute(need.since)
        )
    }

    pub(super) fn need_in_brief(self, need: &Need) -> String {
        let kind = need.kind.as_str().replace('_', " ");
        format!("{kind} ({})", self.plain(&need.what, TEXT_CHARS_MAX))
    }

    pub(super) fn run(self, row: &runs::Row) -> String {
        let goal =
            row.goal.as_deref().map(|goal| format!(" {}", self.quoted(goal))).unwrap_or_default();
        let state = row
            .state
            .as_deref()
            .map_or_else(String::new, |state| self.plain(state, NAME_CHARS_MAX));
        let mut text = format!("{}{goal}: {state}", self.name_of(&row.run));
        if let Some(verdict) = row.verdict {
            text += &format!(", judged {}", verdict.0.as_str());
        }
        let why: Vec<String> = row
            .reasons
            .iter()
            .chain(&row.error)
            .map(|why| self.plain(why, TEXT_CHARS_MAX))
            .collect();
        if !why.is_empty() {
            text += &format!(": {}", self.listed(&why, "; ", "weft runs"));
        }
        text += &format!(" ({} of {} done)", row.n_steps_done, count(row.n_steps, "step"));
        text
    }

    pub(super) fn broken(self, row: &loops::Row) -> String {
        let state = match row.state {
            LoopState::Aborted => "stopped",
            LoopState::Stale => "stale",
            LoopState::Running => "running",
            LoopState::Paused => "paused",
            LoopState::Done => "done",
            LoopState::Replaced => "replaced",
        };
        let at = minute(row.ended.unwrap_or(row.last_seen));
        let mut text = format!("{}: {state} at {at}", self.name_of(&row.run));
        if let Some(frame) = row.frames.last() {
            text += &format!(" in iteration {} of {}", frame.iter, frame.max);
        }
        if let Some(reason) = &row.reason {
            text += &format!(": {}", self.plain(reason, TEXT_CHARS_MAX));
        }
        if let Some(next) = &row.next_step {
            text += &format!("; next: {}", self.plain(next, TEXT_CHARS_MAX));
        }
        text
    }

    pub(super) fn piece(self, piece: &Piece) -> String {
        match &piece.title {
            Some(title) => {
                format!("{} {}", self.name_of(&piece.id), self.plain(title, TEXT_CHARS_MAX))
            }
            None => self.name_of(&piece.id),
        }
    }

    pub(super) fn held(self, row: &Piece) -> String {
        let mut text = format!("{}: {}", self.piece(row), state(row.state));
        if let Some(since) = row.since {
            text += &format!(" since {}", minute(since));
        }
        if !row.blocked_by.is_empty() {
            let parts = self.things(&row.blocked_by, "weft work", |id| self.name_of(id));
            text += &format!(", waits for {parts}");
        }
        text
    }

    pub(super) fn left(self, row: &Piece) -> String {
        match &row.actor {
            Some(actor) => format!("{}, {}", self.held(row), self.name_of(actor)),
            None => self.held(row),
        }
    }

    pub(super) fn things<T>(
        self,
        rows: &[T],
        command: &str,
        text: impl Fn(&T) -> String,
    ) -> String {
        self.things_by(rows, ", ", command, text)
    }

    /// Returns the first of some things in a line, and how many more there are.
    pub(super) fn things_by<T>(
        self,
        rows: &[T],
        by: &str,
        command: &str,
        text: impl Fn(&T) -> String,
    ) -> String {
        let shown: Vec<String> = rows.iter().take(THINGS_MAX).map(text).collect();
        match rows.len().saturating_sub(THINGS_MAX) {
            0 => shown.join(by),
            n_more => {
                let command = self.code(command, TEXT_CHARS_MAX);
                format!("{}{by}and {n_more} more: {command}", shown.join(by))
            }
        }
    }

    pub(super) fn listed(self, texts: &[String], by: &str, command: &str) -> String {
        self.things_by(texts, by, command, String::clone)
    }

    pub(super) fn name_of(self, name: &str) -> String {
        self.code(name, NAME_CHARS_MAX)
    }

    pub(super) fn quoted(self, text: &str) -> String {
        format!("“{}”", self.plain(text, TEXT_CHARS_MAX))
    }
}

/// Returns what something cost and how many tokens that were, with what of it is estimated or not known.
pub(super) fn cost_of(row: &UsageRow) -> String {
    let mut text = dollars(row.cost_usd);
    if row.estimated_usd.0 > 0 {
        text += &match row.reported_usd.0 {
            0 => " estimated".to_owned(),
            _ => format!(" (of it {} estimated)", dollars(row.estimated_usd)),
        };
    }
    text += &format!(", {} tokens", tokens(row.total_tokens));
    if row.unpriced_tokens > 0 {
        text += &format!(" ({} of them without a known price)", tokens(row.unpriced_tokens));
    }
    text
}

fn state(state: WorkState) -> &'static str {
    match state {
        WorkState::Blocked => "blocked",
        WorkState::Failed => "failed",
        WorkState::Exhausted => "given up",
        WorkState::Working => "being worked on",
        WorkState::Claimed => "claimed",
        WorkState::Released => "released",
        WorkState::Open => "open",
        WorkState::Split => "split",
        WorkState::Left => "left, nobody says what became of it,",
        WorkState::Done => "done",
    }
}

/// Returns the command that shows what an actor did.
pub(super) fn log_of(actor: &ActorDigest) -> String {
    crate::inbox::actor_log(&actor.actor)
}

pub(super) fn count(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

/// Returns dollars to the cent, or to what there is of a cent.
pub(super) fn dollars(money: Money) -> String {
    const CENT_NANO: u64 = 10_000_000;
    match money.0 {
        0 => "$0".to_owned(),
        nano if nano < CENT_NANO => format!("${:.4}", money.dollars()),
        _ => format!("${:.2}", money.dollars()),
    }
}

pub(super) fn tokens(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..1_000_000 => format!("{} k", n / 1_000),
        1_000_000.. => format!("{}.{} M", n / 1_000_000, n % 1_000_000 / 100_000),
    }
}

/// Returns day and time, in UTC.
pub(super) fn minute(at: At) -> String {
    let text = format_rfc3339(at.0);
    text.get(..16).unwrap_or(&text).replace('T', " ")
}

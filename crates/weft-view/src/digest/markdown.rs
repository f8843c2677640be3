//! A digest as Markdown, short enough to be read in the morning.

use weft_event::time::format_rfc3339;

use super::escape::{code, plain};
use super::{ActorDigest, Digest, Piece};
use crate::decisions::DecisionRow;
use crate::inbox::Need;
use crate::loops::LoopState;
use crate::usage::UsageRow;
use crate::work::WorkState;
use crate::{At, Money, loops, runs};

/// Actors that are told of one by one.
const ACTORS_MAX: usize = 20;
/// Lines of a list.
const LINES_MAX: usize = 10;
/// Things in a line.
const THINGS_MAX: usize = 5;
/// Characters of a text.
const TEXT_CHARS_MAX: usize = 160;
/// Characters of a name.
const NAME_CHARS_MAX: usize = 120;

impl Digest {
    /// Returns it as Markdown.
    pub fn to_markdown(&self) -> String {
        let mut out = self.headline();
        section(&mut out, "Needs a person", &self.needs, "weft inbox", need);
        if !self.actors.is_empty() {
            out += "\n## Agents\n";
        }
        for actor in self.actors.iter().take(ACTORS_MAX) {
            write_actor(&mut out, actor);
        }
        if self.actors.len() > ACTORS_MAX {
            let n_more = self.actors.len() - ACTORS_MAX;
            out += &format!("\nAnd {n_more} more agents: `weft digest --json`\n");
        }
        if !self.only_seen.is_empty() {
            let names = things(&self.only_seen, "weft fleet", |name| name_of(name));
            out += &format!("\nSeen without anything to tell: {names}.\n");
        }
        section(&mut out, "Collisions", &self.collisions, "weft files", |row| {
            let names = things(&row.actors, "weft files", |name| name_of(name));
            format!(
                "{}: {names}, from {} to {}",
                name_of(&row.what),
                minute(row.first_seen),
                minute(row.last_seen)
            )
        });
        section(&mut out, "Failed runs", &self.runs, "weft runs", run);
        section(&mut out, "Broken loops", &self.loops, "weft loops", broken);
        section(&mut out, "Left", &self.left, "weft work", left);
        out
    }

    fn headline(&self) -> String {
        let (Some(since), Some(until)) = (self.since, self.until) else {
            return "# Digest\n\nThere are no records.\n".to_owned();
        };
        let mut out = format!("# Digest of {} to {} UTC\n\n", minute(since), minute(until));
        if let Some(session) = &self.session {
            out += &format!("Session {} alone.\n\n", name_of(session));
        }
        if self.n_events == 0 {
            out += "Nothing was recorded in this time.\n";
            return out;
        }
        out += &format!(
            "- {} in {}, {}\n",
            count(self.actors.len() + self.only_seen.len(), "agent"),
            count(self.n_sessions, "session"),
            count(self.n_events as usize, "event")
        );
        out += &format!("- {}\n", self.cost());
        let n_done: usize = self.actors.iter().map(|actor| actor.done.len()).sum();
        let n_failed: usize = self.actors.iter().map(|actor| actor.failed.len()).sum();
        let work = count(n_done, "piece");
        out += &format!("- {work} of work done, {n_failed} failed, {} left\n", self.left.len());
        out += &match self.needs.len() {
            0 => "- Nothing needs a person\n".to_owned(),
            1 => "- **1 thing needs a person**\n".to_owned(),
            n => format!("- **{n} things need a person**\n"),
        };
        out
    }

    fn cost(&self) -> String {
        let mut out = cost_of(&self.usage);
        if let Some(as_of) = &self.prices_as_of {
            out += &format!("; estimates by prices of {as_of}");
        }
        out
    }
}

/// Writes a section, if there is anything in it.
fn section<T>(
    out: &mut String,
    title: &str,
    rows: &[T],
    command: &str,
    line: impl Fn(&T) -> String,
) {
    if rows.is_empty() {
        return;
    }
    *out += &format!("\n## {title}\n\n");
    for row in rows.iter().take(LINES_MAX) {
        *out += &format!("- {}\n", line(row));
    }
    if rows.len() > LINES_MAX {
        *out += &format!("- and {} more: `{command}`\n", rows.len() - LINES_MAX);
    }
}

fn write_actor(out: &mut String, actor: &ActorDigest) {
    *out += &format!("\n### {}\n\n", name_of(&actor.actor));
    let mut line = |title: &str, text: String| {
        if !text.is_empty() {
            *out += &format!("- {title}: {text}\n");
        }
    };
    line("Started by", actor.parent.as_deref().map(name_of).unwrap_or_default());
    line("Needs a person", things(&actor.needs, "weft inbox", need_in_brief));
    line("Asked", things_by(&actor.asked, "; ", &log_of(actor), |text| quoted(text)));
    line("Did", did(actor));
    line("Finished", things_by(&actor.done, "; ", "weft work", piece));
    line("Failed", things_by(&actor.failed, "; ", "weft work", piece));
    line("Decided", things_by(&actor.decisions, "; ", "weft decisions", decision));
    line("Cost", cost(actor));
    line(
        "Errors",
        things_by(&actor.errors, "; ", "weft errors", |failure| {
            let text = plain(&failure.signature, TEXT_CHARS_MAX);
            let colon = if text.is_empty() { "" } else { ": " };
            format!("{} × {}{colon}{text}", failure.n, name_of(&failure.kind))
        }),
    );
    line("Left", things_by(&actor.left, "; ", "weft work", held));
}

/// Returns what an actor did, in counts and names.
fn did(actor: &ActorDigest) -> String {
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
        let tools = things(&actor.calls, &log_of(actor), |tool| {
            let name =
                if tool.tool.is_empty() { "unnamed".to_owned() } else { name_of(&tool.tool) };
            let mut text = format!("{name} {}", tool.n);
            let bad = [(tool.n_failed, "failed"), (tool.n_denied, "denied")];
            let bad: Vec<String> =
                bad.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
            if !bad.is_empty() {
                text += &format!(" ({})", bad.join(", "));
            }
            text
        });
        parts.push(format!("{} ({tools})", count(n_calls as usize, "call")));
    }
    if !actor.files.is_empty() {
        let names = things(&actor.files, "weft files", |path| name_of(path));
        parts.push(format!("{} changed ({names})", count(actor.files.len(), "file")));
    }
    parts.join("; ")
}

fn decision(row: &DecisionRow) -> String {
    let chosen = row.chosen.as_deref().or(row.id.as_deref()).unwrap_or("something");
    let mut text = format!("**{}**", plain(chosen, TEXT_CHARS_MAX));
    if let Some(rationale) = &row.rationale {
        text += &format!(", because {}", plain(rationale, TEXT_CHARS_MAX));
    }
    // Of what there was to choose from, what was not chosen was turned down.
    let is_other = |option: &&String| {
        let is_told = row.rejected.iter().any(|rejected| rejected.option == **option);
        row.chosen.as_ref() != Some(option) && !is_told
    };
    let told = row.rejected.iter().map(|rejected| match &rejected.reason {
        Some(reason) => format!(
            "{} ({})",
            plain(&rejected.option, NAME_CHARS_MAX),
            plain(reason, TEXT_CHARS_MAX)
        ),
        None => plain(&rejected.option, NAME_CHARS_MAX),
    });
    let others = row.options.iter().filter(is_other).map(|option| plain(option, NAME_CHARS_MAX));
    let rejected: Vec<String> = told.chain(others).collect();
    if !rejected.is_empty() {
        text += &format!("; turned down: {}", listed(&rejected, ", ", "weft decisions"));
    }
    text
}

fn cost(actor: &ActorDigest) -> String {
    let by_model = |row: &UsageRow| match &row.name {
        Some(model) => format!("{} {}", name_of(model), cost_of(row)),
        None => cost_of(row),
    };
    let models = things_by(&actor.usage, "; ", "weft usage --by model", by_model);
    match actor.usage.len() {
        0 | 1 => models,
        _ => format!("{} in all; {models}", dollars(actor.cost_usd)),
    }
}

/// Returns what something cost and how many tokens that were, with what of it is estimated or not known.
fn cost_of(row: &UsageRow) -> String {
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

fn need(need: &Need) -> String {
    let kind = need.kind.as_str().replace('_', " ");
    let what = plain(&need.what, TEXT_CHARS_MAX);
    let command = code(&need.command, TEXT_CHARS_MAX);
    format!("{} {kind}: {what}, since {}: {command}", name_of(&need.actor), minute(need.since))
}

fn need_in_brief(need: &Need) -> String {
    let kind = need.kind.as_str().replace('_', " ");
    format!("{kind} ({})", plain(&need.what, TEXT_CHARS_MAX))
}

fn run(row: &runs::Row) -> String {
    let goal = row.goal.as_deref().map(|goal| format!(" {}", quoted(goal))).unwrap_or_default();
    let state = row.state.as_deref().map_or_else(String::new, |state| plain(state, NAME_CHARS_MAX));
    let mut text = format!("{}{goal}: {state}", name_of(&row.run));
    if let Some(verdict) = row.verdict {
        text += &format!(", judged {}", verdict.0.as_str());
    }
    let why: Vec<String> =
        row.reasons.iter().chain(&row.error).map(|why| plain(why, TEXT_CHARS_MAX)).collect();
    if !why.is_empty() {
        text += &format!(": {}", listed(&why, "; ", "weft runs"));
    }
    text += &format!(" ({} of {} done)", row.n_steps_done, count(row.n_steps, "step"));
    text
}

fn broken(row: &loops::Row) -> String {
    let state = match row.state {
        LoopState::Aborted => "stopped",
        LoopState::Stale => "stale",
        LoopState::Running => "running",
        LoopState::Done => "done",
        LoopState::Replaced => "replaced",
    };
    let at = minute(row.ended.unwrap_or(row.last_seen));
    let mut text = format!("{}: {state} at {at}", name_of(&row.run));
    if let Some(frame) = row.frames.last() {
        text += &format!(" in iteration {} of {}", frame.iter, frame.max);
    }
    if let Some(reason) = &row.reason {
        text += &format!(": {}", plain(reason, TEXT_CHARS_MAX));
    }
    if let Some(next) = &row.next_step {
        text += &format!("; next: {}", plain(next, TEXT_CHARS_MAX));
    }
    text
}

fn piece(piece: &Piece) -> String {
    match &piece.title {
        Some(title) => format!("{} {}", name_of(&piece.id), plain(title, TEXT_CHARS_MAX)),
        None => name_of(&piece.id),
    }
}

fn held(row: &Piece) -> String {
    let mut text = format!("{}: {}", piece(row), state(row.state));
    if let Some(since) = row.since {
        text += &format!(" since {}", minute(since));
    }
    if !row.blocked_by.is_empty() {
        let parts = things(&row.blocked_by, "weft work", |id| name_of(id));
        text += &format!(", waits for {parts}");
    }
    text
}

fn left(row: &Piece) -> String {
    match &row.actor {
        Some(actor) => format!("{}, {}", held(row), name_of(actor)),
        None => held(row),
    }
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

fn things<T>(rows: &[T], command: &str, text: impl Fn(&T) -> String) -> String {
    things_by(rows, ", ", command, text)
}

/// Returns the first of some things in a line, and how many more there are.
fn things_by<T>(rows: &[T], by: &str, command: &str, text: impl Fn(&T) -> String) -> String {
    let shown: Vec<String> = rows.iter().take(THINGS_MAX).map(text).collect();
    match rows.len().saturating_sub(THINGS_MAX) {
        0 => shown.join(by),
        n_more => {
            let command = code(command, TEXT_CHARS_MAX);
            format!("{}{by}and {n_more} more: {command}", shown.join(by))
        }
    }
}

fn listed(texts: &[String], by: &str, command: &str) -> String {
    things_by(texts, by, command, String::clone)
}

fn name_of(name: &str) -> String {
    code(name, NAME_CHARS_MAX)
}

fn quoted(text: &str) -> String {
    format!("“{}”", plain(text, TEXT_CHARS_MAX))
}

/// Returns the command that shows what an actor did.
fn log_of(actor: &ActorDigest) -> String {
    crate::inbox::actor_log(&actor.actor)
}

fn count(n: usize, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

/// Returns dollars to the cent, or to what there is of a cent.
fn dollars(money: Money) -> String {
    const CENT_NANO: u64 = 10_000_000;
    match money.0 {
        0 => "$0".to_owned(),
        nano if nano < CENT_NANO => format!("${:.4}", money.dollars()),
        _ => format!("${:.2}", money.dollars()),
    }
}

fn tokens(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..1_000_000 => format!("{} k", n / 1_000),
        1_000_000.. => format!("{}.{} M", n / 1_000_000, n % 1_000_000 / 100_000),
    }
}

/// Returns day and time, in UTC.
fn minute(at: At) -> String {
    let text = format_rfc3339(at.0);
    text.get(..16).unwrap_or(&text).replace('T', " ")
}

//! One session as a conversation: who said what, which tools were called, and what it cost.

use weft_event::json::Tape;
use weft_log::query::Found;
use weft_view::sessions::{AgentItem, CallItem, Conversation, Item, SessionRow, Sessions, Turn};
use weft_view::usage::{UsageBook, UsageRow};
use weft_view::{At, Entry, Prices, View as _};

use crate::columns::cut;
use crate::output::{Shown, plural};
use crate::table::wrap;
use crate::times::{Clock, duration};

/// Columns of the clock and of who speaks.
const MARGIN: usize = 20;
/// Fewest columns that what is said is given.
const WORDS_MIN: usize = 30;
/// Columns of a text where there is no terminal.
const WORDS_WIDE: usize = 100;
/// Most levels that subagents are indented by.
const DEPTH_MAX: usize = 4;

/// How much is shown of a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tools {
    /// One line.
    Folded,
    /// What it was given and gave back, too.
    Full,
}

/// A session that was read.
pub(super) struct Talk {
    pub(super) turns: Vec<Turn>,
    /// What is known of it as a whole; `None` if nothing is.
    pub(super) row: Option<SessionRow>,
    used: UsageRow,
}

/// How a session is written.
pub(super) struct Look<'c> {
    pub(super) clock: &'c Clock,
    pub(super) tools: Tools,
    /// How wide the terminal is; `None` if there is none.
    pub(super) columns: Option<usize>,
}

/// Reads the records of a session, each producer's in its order.
pub(super) fn read(session: &str, records: &[Found], prices: Prices) -> Talk {
    let (mut conversation, mut sessions) = (Conversation::default(), Sessions::default());
    let (mut usage, mut tape) = (UsageBook::default(), Tape::new());
    let mut last_ns = 0;
    for found in records {
        let Some(event) = found.read(&mut tape) else { continue };
        let facts = event.facts();
        let report = event.report(&facts);
        let mark = found.meta.mark.as_ref();
        let entry = Entry {
            position: found.meta.position.get(),
            received_ns: found.meta.at_us.map_or(0, |at_us| at_us.saturating_mul(1000)),
            is_carried: mark.is_some_and(|mark| mark.carried.is_some()),
            facts: &facts,
            report: &report,
        };
        last_ns = last_ns.max(entry.time_ns());
        if !entry.is_carried {
            conversation.add(&entry);
        }
        sessions.apply(&entry);
        usage.apply(&entry);
    }
    let row =
        sessions.rows(last_ns, &usage, &prices).into_iter().find(|row| row.session == session);
    Talk { turns: conversation.turns(), row, used: usage.total(&prices) }
}

impl Talk {
    /// Returns it for people.
    pub(super) fn to_text(&self, look: &Look<'_>) -> String {
        let mut out = String::new();
        for (nth, turn) in self.turns.iter().enumerate() {
            if nth > 0 {
                out.push('\n');
            }
            write_turn(&mut out, turn, look);
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&self.summary());
        out
    }

    /// Returns one object a line for each turn, and one for the whole.
    pub(super) fn to_json(&self) -> String {
        let turns = self.turns.iter().map(serde_json::to_string);
        let whole =
            serde_json::to_string(&serde_json::json!({ "session": self.row, "usage": self.used }));
        let lines = turns.chain([whole]).map(|line| line.expect("rows can be written as JSON"));
        lines.flat_map(|line| [line, "\n".to_owned()]).collect()
    }

    fn summary(&self) -> String {
        let UsageRow { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, .. } =
            self.used;
        let mut out = String::new();
        if let Some(row) = &self.row {
            let took =
                duration(u64::try_from((row.last_seen.0 - row.since.0) / 1_000_000).unwrap_or(0));
            out += &format!(
                "{}, {}, {} in {took}\n",
                plural(row.n_turns, "turn"),
                plural(row.n_calls, "call"),
                plural(row.n_errors, "error"),
            );
        }
        if self.used.total_tokens > 0 {
            out += &format!(
                "{} tokens: {input_tokens} in, {output_tokens} out, {cache_read_tokens} read from a cache, {cache_write_tokens} written to one\n",
                self.used.total_tokens
            );
        }
        let (cost, guess) = (self.used.cost_usd.dollars(), self.used.estimated_usd.dollars());
        let as_of = self.used.prices_as_of.as_deref().unwrap_or("an unknown day");
        match (cost > 0.0, guess > 0.0) {
            (false, _) if self.used.unpriced_tokens > 0 => {
                out += "cost unknown: no price is known of its model\n"
            }
            (false, _) => {}
            (true, false) => out += &format!("cost ${cost:.4}, as reported\n"),
            (true, true) => {
                out += &format!(
                    "cost ${cost:.4}, of which ${guess:.4} is estimated by prices of {as_of}\n"
                );
            }
        }
        out
    }
}

fn write_turn(out: &mut String, turn: &Turn, look: &Look<'_>) {
    if let Some(prompt) = &turn.prompt {
        write_words(out, prompt.at, "person", &prompt.text, 0, look);
    }
    write_items(out, &turn.items, 0, look);
    if let Some(end) = &turn.end {
        write_words(out, end.at, "", &format!("── turn {} ──", end.phase), 0, look);
    }
}

fn write_items(out: &mut String, items: &[Item], depth: usize, look: &Look<'_>) {
    for item in items {
        match item {
            Item::Words(said) => write_words(out, said.at, "agent", &said.text, depth, look),
            Item::Thought(said) => write_words(out, said.at, "thinks", &said.text, depth, look),
            Item::Notice(said) => write_words(out, said.at, "notice", &said.text, depth, look),
            Item::Call(call) => {
                write_call(out, call, depth, look);
                if let Some(agent) = &call.agent {
                    write_agent(out, agent, depth + 1, look);
                }
            }
            Item::Agent(agent) => write_agent(out, agent, depth + 1, look),
        }
    }
}

fn write_agent(out: &mut String, agent: &AgentItem, depth: usize, look: &Look<'_>) {
    write_words(out, agent.at, "subagent", &agent.actor, depth, look);
    write_items(out, &agent.items, depth, look);
}

fn write_call(out: &mut String, call: &CallItem, depth: usize, look: &Look<'_>) {
    let (sign, state) = match (call.is_denied, call.is_ok) {
        (true, _) => ("■", " denied"),
        (false, None) => ("◆", " running"),
        (false, Some(true)) => ("✓", ""),
        (false, Some(false)) => ("✗", " failed"),
    };
    let tool = call.tool.as_deref().unwrap_or("tool");
    let took = call.duration_ms.map(|ms| format!(" {}", duration(ms))).unwrap_or_default();
    let about = call.path.as_deref().or(call.input.as_deref()).unwrap_or_default();
    let head = format!("{sign} {tool}{state}{took}");
    let columns = words_columns(look, depth);
    let text = match look.tools {
        Tools::Folded => cut(&format!("{head}  {}", one_line(about)), columns),
        Tools::Full => {
            let parts = [("file", &call.path), ("given", &call.input), ("gave", &call.result)];
            let parts = parts.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?)));
            let parts =
                parts.map(|(name, text)| format!("\n  {name}: {}", text.replace('\n', "\n    ")));
            head + &parts.collect::<String>()
        }
    };
    write_words(out, call.at, "tool", text.trim_end(), depth, look);
}

/// Writes what somebody said, with the time and who it was before its first line.
fn write_words(out: &mut String, at: At, who: &str, text: &str, depth: usize, look: &Look<'_>) {
    let indent = "  ".repeat(depth.min(DEPTH_MAX));
    let columns = words_columns(look, depth);
    let mut margin =
        format!("{} {who:<MARGIN_WHO$}", look.clock.time(at.0), MARGIN_WHO = MARGIN - 9);
    for line in text.lines() {
        let shown = Shown(line).to_string();
        let start = shown.len() - shown.trim_start().len();
        for (nth, part) in wrap(&shown[start..], columns.saturating_sub(start)).iter().enumerate() {
            let hang = if nth > 0 { start.min(8) } else { start };
            out.push_str(format!("{margin}{indent}{:hang$}{part}", "").trim_end());
            out.push('\n');
            margin = " ".repeat(MARGIN);
        }
    }
}

fn words_columns(look: &Look<'_>, depth: usize) -> usize {
    let columns = look.columns.map_or(WORDS_WIDE, |columns| columns.saturating_sub(MARGIN));
    columns.saturating_sub(2 * depth.min(DEPTH_MAX)).max(WORDS_MIN)
}

/// Returns a text without line breaks and runs of spaces.
fn one_line(text: &str) -> String {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |line, word| line + " " + word)
}

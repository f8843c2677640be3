//! One session as it was talked: prompts, what the agent said, thought and did about each, and how that ended.
//!
//! A prompt, a call or an answer may be told by a hook, by the session's file and by more: it is one item.

mod assemble;
mod diff;
mod flat;
mod list;
mod place;

use serde::Serialize;
use weft_event::json::{Kind, Value};
use weft_event::report::{CallPhase, Part, Saying, Speaker, TurnPhase};

use crate::files::{Access, access};
use crate::{At, Entry, errors};

pub use diff::Diff;
pub use flat::{Marks, TalkItem, TalkKind};
pub use list::TalkList;

/// Notes that are kept of one session, the first; a session that has more is cut.
const NOTES_MAX: usize = 200_000;
/// How much of what a tool was given, and of what it gave back, is kept.
const HEAD_CHARS_MAX: usize = 400;

/// A prompt, and all that came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Turn {
    /// What was asked for; none of what came before the first prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Said>,
    /// What was said and done, in order.
    pub items: Vec<Item>,
    /// How it ended; none while it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Said {
    /// Who says it.
    pub by: &'static str,
    /// The text.
    pub text: String,
    /// When.
    pub at: At,
    /// The records that tell it.
    pub positions: Vec<u64>,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct End {
    /// `completed`, `failed` or `aborted`.
    pub phase: &'static str,
    /// When.
    pub at: At,
    /// The records that tell it.
    pub positions: Vec<u64>,
}

/// One thing that was said or done in a turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Item {
    /// Words to the person.
    Words(Said),
    /// What the agent reasons.
    Thought(Said),
    /// What the program tells, or asks for.
    Notice(Said),
    /// A tool call.
    Call(CallItem),
    /// What a subagent said and did, where the call is not known that started it.
    Agent(AgentItem),
}

/// A tool call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallItem {
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The file that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The beginning of what the tool was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The beginning of what it gave back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// What it changes in the file, where it is an edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<Box<Diff>>,
    /// Whether it went well; none while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_ok: Option<bool>,
    /// Whether it was denied.
    pub is_denied: bool,
    /// How long it took: as told, else from its first record to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// When it began.
    pub at: At,
    /// What the subagent said and did that it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentItem>,
    /// The records that tell of it.
    pub positions: Vec<u64>,
}

/// What a subagent said and did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgentItem {
    /// Who.
    pub actor: String,
    /// When it was first heard of.
    pub at: At,
    /// What it said and did, in order.
    pub items: Vec<Item>,
}

/// A session while its records are gathered.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    notes: Vec<Note>,
    asides: Vec<Aside>,
}

/// What is no part of the talk and belongs beside it.
#[derive(Clone, Debug)]
struct Aside {
    at_ns: i64,
    position: u64,
    actor: Option<String>,
    what: Beside,
}

#[derive(Clone, Debug)]
enum Beside {
    /// Part of a decision: its id, what was chosen, and why.
    Decision(Option<String>, Option<String>, Option<String>),
    /// What failed, in words.
    Error(String),
}

/// What is taken of one record.
#[derive(Clone, Debug)]
struct Note {
    at_ns: i64,
    order: Option<u64>,
    position: u64,
    actor: Option<String>,
    is_subagent: bool,
    span: Option<String>,
    parent_span: Option<String>,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Prompt(String),
    Words(Speaker, Saying, String),
    Call(CallNote),
    Began,
    End(TurnPhase, Option<String>),
    Notice(String),
    /// An actor is there.
    Seen,
}

#[derive(Clone, Debug)]
struct CallNote {
    phase: CallPhase,
    tool: Option<String>,
    path: Option<String>,
    input: Option<String>,
    result: Option<String>,
    diff: Option<Box<Diff>>,
    duration_ms: Option<u64>,
}

impl Conversation {
    /// Takes in a record of the session; those of one producer in its order.
    pub fn add(&mut self, entry: &Entry<'_, '_>) {
        let facts = entry.facts;
        let is_subagent = facts.parent.is_some();
        if self.notes.len() + self.asides.len() >= NOTES_MAX {
            return;
        }
        let text = |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(str::to_owned);
        let what = what(entry);
        if let Some(what) = beside(entry).filter(|_| what.is_none()) {
            let (at_ns, position, actor) = (entry.time_ns(), entry.position, text(&facts.actor));
            self.asides.push(Aside { at_ns, position, actor, what });
        }
        let Some(what) = what.or_else(|| is_subagent.then_some(What::Seen)) else { return };
        self.notes.push(Note {
            at_ns: entry.time_ns(),
            order: facts.order,
            position: entry.position,
            actor: text(&facts.actor),
            is_subagent,
            span: text(&facts.span),
            parent_span: text(&facts.parent_span),
            what,
        });
    }

    /// Returns the turns, in order.
    pub fn turns(&self) -> Vec<Turn> {
        place::turns(list::assembled(&self.notes))
    }
}

/// Returns what a record tells that belongs beside the talk.
fn beside(entry: &Entry<'_, '_>) -> Option<Beside> {
    let text = |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(str::to_owned);
    if let Part::Decision(told) = &entry.report.part {
        let reason = text(&told.rationale).or_else(|| text(&told.reason));
        let is_whole = told.is_made || told.id.is_none();
        let message = || text(&entry.facts.message).filter(|_| is_whole);
        let chosen = text(&told.chosen).or_else(message);
        return Some(Beside::Decision(text(&told.id), chosen, reason));
    }
    errors::is_error(entry).then(|| {
        let said = errors::said(entry);
        let said = if said.trim().is_empty() { &*entry.facts.event_type } else { &*said };
        Beside::Error(said.to_owned())
    })
}

fn what(entry: &Entry<'_, '_>) -> Option<What> {
    let facts = entry.facts;
    let part = &entry.report.part;
    let message = || facts.message.as_deref().unwrap_or_default().to_owned();
    if let Part::Words(words) = part {
        let text = words.text.as_deref().filter(|text| !text.trim().is_empty())?.to_owned();
        return match words.saying {
            Saying::Prompt => Some(What::Prompt(text)),
            Saying::Message | Saying::Chunk | Saying::Thought => {
                Some(What::Words(words.by, words.saying, text))
            }
            Saying::Notice => Some(What::Notice(text)),
            Saying::Title => None,
        };
    }
    if let Part::Turn(turn) = part {
        return Some(match turn.phase {
            TurnPhase::Began => What::Began,
            TurnPhase::Completed | TurnPhase::Failed | TurnPhase::Aborted => {
                What::End(turn.phase, turn.words.as_deref().map(str::to_owned))
            }
        });
    }
    if let Part::Call(call) = part {
        return Some(What::Call(CallNote {
            phase: call.phase,
            tool: facts.tool.as_deref().map(str::to_owned),
            path: facts.path.as_deref().map(str::to_owned),
            input: call.input.and_then(head),
            result: call.result.and_then(head),
            diff: call
                .input
                .filter(|_| is_edit(facts.tool.as_deref()))
                .and_then(Diff::of)
                .map(Box::new),
            duration_ms: facts.duration_ms,
        }));
    }
    if let Part::Ask(ask) = part {
        let word = if ask.is_answer { "Answered" } else { "Asked" };
        return Some(What::Notice(format!("{word}: {}", message())));
    }
    if let Part::Mail(mail) = part {
        return mail.text.as_deref().map(|text| What::Prompt(text.to_owned()));
    }
    if let Part::Reply(reply) = part {
        let text = reply.text.as_deref()?.to_owned();
        return Some(What::Words(Speaker::Agent, Saying::Message, text));
    }
    None
}

/// Returns whether a tool is one that changes files.
fn is_edit(tool: Option<&str>) -> bool {
    tool.is_some_and(|tool| access(tool) == Access::Write)
}

/// Returns the beginning of a value: of a text, or of anything else as JSON.
fn head(value: Value<'_>) -> Option<String> {
    let text = match value.kind() {
        Kind::Null => return None,
        Kind::Text => value.as_text()?,
        Kind::True | Kind::False | Kind::Number | Kind::Array | Kind::Object | Kind::Key => {
            value.raw().into()
        }
    };
    Some(text.chars().take(HEAD_CHARS_MAX).collect::<String>()).filter(|text| !text.is_empty())
}

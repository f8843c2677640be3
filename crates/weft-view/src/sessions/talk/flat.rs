//! What was said and done as a list shows it: each thing has its number, its turn, and how many subagents deep it is.

use std::collections::HashMap;

use serde::Serialize;
use weft_event::report::TurnPhase;

use super::{Aside, Beside, Diff, End, Item, Said, is_edit};
use crate::At;

/// How much of a text is given. The whole is in its records.
const TEXT_CHARS_MAX: usize = 20_000;
/// How many places of one kind are given, the last.
const MARKS_MAX: usize = 2_000;

/// What a thing in a talk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TalkKind {
    /// What was asked for.
    Prompt,
    /// Words to the person.
    Said,
    /// What the agent reasons.
    Thought,
    /// A tool call.
    Call,
    /// A tool call that changes a file.
    Edit,
    /// A subagent begins; what it said and did follows, one deeper.
    Agent,
    /// What the program tells or asks for.
    Note,
    /// A failure that is no call's and no turn's.
    Error,
    /// A decision.
    Decision,
    /// The end of a turn.
    End,
}

/// One thing that was said or done.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TalkItem {
    /// Its number in the list, from 0.
    pub nth: usize,
    /// The turn that it belongs to, from 0.
    pub turn: usize,
    /// How many subagents deep it is.
    pub depth: usize,
    /// What it is.
    pub kind: TalkKind,
    /// Who: person, agent or program, or the name of an actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What was said; of a turn's end, how it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
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
    /// Whether it went well; none while it goes on, or where that cannot be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_ok: Option<bool>,
    /// Whether the call was denied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_denied: Option<bool>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// What it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<Box<Diff>>,
    /// When it began.
    pub at: At,
    /// The records that tell of it.
    pub positions: Vec<u64>,
}

/// Where in a talk one may want to go: the numbers of its items.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Marks {
    /// What failed.
    pub errors: Vec<usize>,
    /// What was decided.
    pub decisions: Vec<usize>,
    /// What was changed in files.
    pub edits: Vec<usize>,
    /// Where turns begin.
    pub turns: Vec<usize>,
}

/// Finds the last places of each kind while a list is made.
#[derive(Default)]
pub(super) struct Marker {
    marks: Marks,
    turn: Option<usize>,
}

impl Marker {
    /// Notes the next thing of the list: its number, its turn, what it is and whether it went well.
    pub(super) fn see(&mut self, nth: usize, turn: usize, kind: (TalkKind, Option<bool>)) {
        let (kind, is_ok) = kind;
        let marks = &mut self.marks;
        let is_failed = is_ok == Some(false) || kind == TalkKind::Error;
        marks.errors.extend(is_failed.then_some(nth));
        marks.decisions.extend((kind == TalkKind::Decision).then_some(nth));
        marks.edits.extend((kind == TalkKind::Edit).then_some(nth));
        marks.turns.extend((self.turn != Some(turn)).then_some(nth));
        self.turn = Some(turn);
    }

    /// Returns the last places of each kind.
    pub(super) fn marks(self) -> Marks {
        let mut marks = self.marks;
        let lists = [&mut marks.errors, &mut marks.decisions, &mut marks.edits, &mut marks.turns];
        for list in lists {
            list.drain(..list.len().saturating_sub(MARKS_MAX));
        }
        marks
    }
}

/// Returns what an item is, and whether it went well.
pub(super) fn kind(item: &Item) -> (TalkKind, Option<bool>) {
    match item {
        Item::Words(_) => (TalkKind::Said, None),
        Item::Thought(_) => (TalkKind::Thought, None),
        Item::Notice(_) => (TalkKind::Note, None),
        Item::Call(call) => {
            let is_edit = is_edit(call.tool.as_deref()) && call.path.is_some();
            (if is_edit { TalkKind::Edit } else { TalkKind::Call }, call.is_ok)
        }
        Item::Agent(_) => (TalkKind::Agent, None),
    }
}

/// Returns what the end of a turn is, and whether it went well.
pub(super) fn end_kind(end: &End) -> (TalkKind, Option<bool>) {
    (TalkKind::End, Some(end.phase != TurnPhase::Failed.as_str()))
}

/// Returns an item as it is shown.
pub(super) fn item(item: &Item) -> TalkItem {
    let (kind, is_ok) = kind(item);
    match item {
        Item::Words(words) | Item::Thought(words) | Item::Notice(words) => said(kind, words),
        Item::Agent(agent) => helper(&agent.actor, agent.at),
        Item::Call(call) => {
            let mut item = TalkItem::new(kind, call.at, call.positions.clone());
            (item.tool, item.path) = (call.tool.clone(), call.path.clone());
            (item.input, item.result) = (call.input.clone(), call.result.clone());
            (item.diff, item.duration_ms) = (call.diff.clone(), call.duration_ms);
            (item.is_ok, item.is_denied) = (is_ok, call.is_denied.then_some(true));
            item
        }
    }
}

/// Returns the end of a turn as it is shown.
pub(super) fn end(end: &End) -> TalkItem {
    let (kind, is_ok) = end_kind(end);
    let mut item = TalkItem::new(kind, end.at, end.positions.clone());
    (item.text, item.is_ok) = (Some(end.phase.to_owned()), is_ok);
    item
}

/// Returns what was said as it is shown.
pub(super) fn said(kind: TalkKind, said: &Said) -> TalkItem {
    let mut item = TalkItem::new(kind, said.at, said.positions.clone());
    (item.by, item.text) = (Some(said.by.to_owned()), Some(cut(&said.text)));
    item
}

/// Returns the beginning of a subagent as it is shown.
pub(super) fn helper(actor: &str, at: At) -> TalkItem {
    let mut item = TalkItem::new(TalkKind::Agent, at, Vec::new());
    item.by = Some(actor.to_owned());
    item
}

impl TalkItem {
    fn new(kind: TalkKind, at: At, positions: Vec<u64>) -> Self {
        Self {
            nth: 0,
            turn: 0,
            depth: 0,
            kind,
            by: None,
            text: None,
            tool: None,
            path: None,
            input: None,
            result: None,
            is_ok: None,
            is_denied: None,
            duration_ms: None,
            diff: None,
            at,
            positions,
        }
    }
}

/// What belongs beside a talk, in order; the parts of a decision are one.
#[derive(Clone, Debug, Default)]
pub(super) struct Asides {
    items: Vec<TalkItem>,
    /// The items in the order of their times.
    order: Vec<usize>,
    decisions: HashMap<String, usize>,
}

impl Asides {
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns the item of this number in order.
    pub(super) fn item(&self, nth: usize) -> &TalkItem {
        &self.items[self.order[nth]]
    }

    /// Puts in the next.
    pub(super) fn take(&mut self, aside: &Aside) {
        let mut item = TalkItem::new(TalkKind::Error, At(aside.at_ns), vec![aside.position]);
        item.by.clone_from(&aside.actor);
        match &aside.what {
            Beside::Error(text) => item.text = Some(cut(text)),
            Beside::Decision(id, chosen, reason) => {
                item.kind = TalkKind::Decision;
                (item.text, item.result) = (chosen.as_deref().map(cut), reason.as_deref().map(cut));
                if let Some(known) = id.as_ref().and_then(|id| self.decisions.get(id)) {
                    let known = &mut self.items[*known];
                    known.text = item.text.or_else(|| known.text.take());
                    known.result = item.result.or_else(|| known.result.take());
                    known.positions.push(aside.position);
                    return;
                }
                self.decisions.extend(id.clone().map(|id| (id, self.items.len())));
            }
        }
        let key = |item: &TalkItem| (item.at, item.positions.first().copied());
        let place = self.order.partition_point(|idx| key(&self.items[*idx]) <= key(&item));
        self.order.insert(place, self.items.len());
        self.items.push(item);
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

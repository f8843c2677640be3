//! From notes to turns.

use std::collections::HashMap;

use weft_event::report::{CallPhase, Saying, Speaker, TurnPhase};

use super::{AgentItem, CallItem, CallNote, End, Item, Note, Said, Turn, What};
use crate::At;

/// How far apart the same prompt may be told in two ways that do not share an id.
const SAME_PROMPT_NS: i64 = 10_000_000_000;
const NS_PER_MS: u64 = 1_000_000;

/// A turn that is being put together.
#[derive(Default)]
struct Draft {
    turn: Turn,
    /// The span of its prompt.
    span: Option<String>,
    /// Where its calls stand among the items, by their ids.
    calls: HashMap<String, usize>,
    /// Whether the last item is made of pieces, and whose.
    pieces_of: Option<Option<String>>,
}

/// What a subagent said and did, and what started it.
struct Helper {
    actor: String,
    at_ns: i64,
    spans: Vec<String>,
    draft: Draft,
}

pub(super) fn turns(notes: &[Note]) -> Vec<Turn> {
    let mut notes: Vec<&Note> = notes.iter().collect();
    // Numbered records are in order as they come; others are told late by some, and then by their times.
    if notes.iter().any(|note| note.order.is_none()) {
        notes.sort_by_key(|note| (note.at_ns, note.position));
    }
    let mut drafts: Vec<Draft> = Vec::new();
    let mut helpers: Vec<Helper> = Vec::new();
    for note in notes {
        match note.actor.as_deref().filter(|_| note.is_subagent) {
            Some(actor) => helper(&mut helpers, actor, note).put(note),
            None => take(&mut drafts, note),
        }
    }
    helpers.into_iter().for_each(|helper| place(&mut drafts, helper));
    drafts.into_iter().map(|draft| draft.turn).collect()
}

/// Puts a note of the main agent into its turn.
fn take(drafts: &mut Vec<Draft>, note: &Note) {
    if let What::Prompt(text) = &note.what {
        match drafts.iter_mut().rev().find(|draft| draft.is_prompt(note, text)) {
            Some(draft) => draft.ask_again(note),
            None => drafts.push(Draft::asked(note, text)),
        }
        return;
    }
    let of_prompt = |draft: &Draft| {
        let spans = [&note.parent_span, &note.span];
        draft.span.is_some() && spans.into_iter().any(|span| *span == draft.span)
    };
    let of_call =
        |draft: &Draft| note.span.as_ref().is_some_and(|span| draft.calls.contains_key(span));
    let known = drafts.iter().rposition(|draft| of_call(draft) || of_prompt(draft));
    let is_begin = matches!(note.what, What::Began);
    let idx = known.unwrap_or_else(|| {
        let is_over = drafts.last().is_some_and(|draft| draft.turn.end.is_some());
        if drafts.is_empty() || (is_begin && is_over) {
            drafts.push(Draft::default());
        }
        drafts.len() - 1
    });
    drafts[idx].put(note);
}

fn helper<'h>(helpers: &'h mut Vec<Helper>, actor: &str, note: &Note) -> &'h mut Draft {
    let idx = helpers.iter().position(|helper| helper.actor == actor).unwrap_or_else(|| {
        let draft = Draft::default();
        helpers.push(Helper {
            actor: actor.to_owned(),
            at_ns: note.at_ns,
            spans: Vec::new(),
            draft,
        });
        helpers.len() - 1
    });
    let helper = &mut helpers[idx];
    for span in [&note.parent_span, &note.span].into_iter().flatten() {
        if !helper.spans.contains(span) {
            helper.spans.push(span.clone());
        }
    }
    &mut helper.draft
}

/// Puts what a subagent did into the call that started it: the one that it names, else the last one before it that has no
/// subagent yet and was running; else into its turn.
fn place(drafts: &mut [Draft], helper: Helper) {
    let Helper { actor, at_ns, spans, draft } = helper;
    let agent = AgentItem { actor, at: At(at_ns), items: draft.turn.items };
    let named = |call: &CallItem| call.call.as_ref().is_some_and(|call| spans.contains(call));
    let is_free = |call: &CallItem| {
        let is_open = call.duration_ms.is_none_or(|ms| {
            let end_ns = call
                .at
                .0
                .saturating_add(i64::try_from(ms.saturating_mul(NS_PER_MS)).unwrap_or(i64::MAX));
            end_ns >= at_ns
        });
        call.agent.is_none() && call.at.0 <= at_ns && is_open && starts_agents(call.tool.as_deref())
    };
    let slots = [&named as &dyn Fn(&CallItem) -> bool, &is_free];
    for is_it in slots {
        let calls = drafts.iter_mut().rev().flat_map(|draft| draft.turn.items.iter_mut().rev());
        let mut calls =
            calls.filter_map(|item| if let Item::Call(call) = item { Some(call) } else { None });
        if let Some(call) = calls.find(|call| is_it(call) && call.agent.is_none()) {
            call.agent = Some(agent);
            return;
        }
    }
    let of_prompt = |draft: &Draft| draft.span.as_ref().is_some_and(|span| spans.contains(span));
    let named = drafts.iter().rposition(of_prompt);
    let begun =
        |draft: &Draft| draft.turn.prompt.as_ref().is_some_and(|prompt| prompt.at.0 <= at_ns);
    let idx = named.or_else(|| drafts.iter().rposition(begun)).unwrap_or(0);
    if let Some(draft) = drafts.get_mut(idx) {
        let at = draft.turn.items.partition_point(|item| item.at() <= At(at_ns));
        draft.turn.items.insert(at, Item::Agent(agent));
    }
}

/// Returns whether a tool is one that starts agents.
fn starts_agents(tool: Option<&str>) -> bool {
    tool.is_some_and(|tool| ["Task", "Agent", "spawn_agent", "delegate"].contains(&tool))
}

impl Item {
    /// Returns when it began.
    pub fn at(&self) -> At {
        match self {
            Item::Words(said) | Item::Thought(said) | Item::Notice(said) => said.at,
            Item::Call(call) => call.at,
            Item::Agent(agent) => agent.at,
        }
    }
}

impl Draft {
    fn asked(note: &Note, text: &str) -> Self {
        let prompt = Some(said(note, Speaker::Person, text));
        let span = note.span.clone();
        Self { turn: Turn { prompt, ..Turn::default() }, span, ..Self::default() }
    }

    fn is_prompt(&self, note: &Note, text: &str) -> bool {
        let Some(prompt) = &self.turn.prompt else { return false };
        let is_same_span = self.span.is_some() && self.span == note.span;
        let is_near = note.at_ns.abs_diff(prompt.at.0) <= SAME_PROMPT_NS.unsigned_abs();
        is_same_span || (is_near && prompt.text.trim() == text.trim())
    }

    fn ask_again(&mut self, note: &Note) {
        self.span = self.span.take().or_else(|| note.span.clone());
        if let Some(prompt) = &mut self.turn.prompt {
            add_position(&mut prompt.positions, note.position);
        }
    }

    fn put(&mut self, note: &Note) {
        let is_chunk = matches!(note.what, What::Words(_, Saying::Chunk, _));
        match &note.what {
            What::Prompt(text) => self.say(note, Item::Words, Speaker::Person, text),
            What::Words(by, saying, text) => match saying {
                Saying::Thought => self.say(note, Item::Thought, *by, text),
                Saying::Chunk => self.add_piece(note, *by, text),
                Saying::Prompt | Saying::Message | Saying::Notice | Saying::Title => {
                    self.say(note, Item::Words, *by, text);
                }
            },
            What::Notice(text) => self.say(note, Item::Notice, Speaker::Program, text),
            What::Call(call) => self.call(note, call),
            What::Began => self.span = self.span.take().or_else(|| note.span.clone()),
            What::End(phase, words) => self.end(note, *phase, words.as_deref()),
            What::Seen => {}
        }
        if !is_chunk {
            self.pieces_of = None;
        }
    }

    /// Puts in words, unless they are told already; the whole of what was told in pieces takes their place.
    fn say(&mut self, note: &Note, item: fn(Said) -> Item, by: Speaker, text: &str) {
        let told = self.turn.items.iter_mut().rev().find_map(|item| match item {
            Item::Words(said) | Item::Thought(said) | Item::Notice(said) => {
                (said.text.trim() == text.trim()).then_some(said)
            }
            Item::Call(_) | Item::Agent(_) => None,
        });
        if let Some(told) = told {
            return add_position(&mut told.positions, note.position);
        }
        let mut new = said(note, by, text);
        if self.pieces_of.as_ref() == Some(&note.actor)
            && let Some(Item::Words(pieces)) = self.turn.items.last()
            && text.starts_with(pieces.text.trim_end())
        {
            new.at = pieces.at;
            new.positions.splice(0..0, pieces.positions.iter().copied());
            self.turn.items.pop();
        }
        self.turn.items.push(item(new));
    }

    fn add_piece(&mut self, note: &Note, by: Speaker, text: &str) {
        if self.pieces_of.as_ref() == Some(&note.actor)
            && let Some(Item::Words(pieces)) = self.turn.items.last_mut()
        {
            pieces.text.push_str(text);
            return add_position(&mut pieces.positions, note.position);
        }
        self.turn.items.push(Item::Words(said(note, by, text)));
        self.pieces_of = Some(note.actor.clone());
    }

    fn call(&mut self, note: &Note, told: &CallNote) {
        let known = note.span.as_ref().and_then(|span| self.calls.get(span)).copied();
        let idx = known.unwrap_or_else(|| {
            self.turn.items.push(Item::Call(CallItem::new(note)));
            let idx = self.turn.items.len() - 1;
            self.calls.extend(note.span.clone().map(|span| (span, idx)));
            idx
        });
        if let Item::Call(call) = &mut self.turn.items[idx] {
            call.put(note, told);
        }
    }

    fn end(&mut self, note: &Note, phase: TurnPhase, words: Option<&str>) {
        if let Some(words) = words.filter(|words| !words.trim().is_empty()) {
            self.say(note, Item::Words, Speaker::Agent, words);
        }
        match &mut self.turn.end {
            Some(end) => add_position(&mut end.positions, note.position),
            None => {
                let (phase, at) = (phase.as_str(), At(note.at_ns));
                self.turn.end = Some(End { phase, at, positions: vec![note.position] });
            }
        }
    }
}

impl CallItem {
    fn new(note: &Note) -> Self {
        Self {
            call: note.span.clone(),
            tool: None,
            path: None,
            input: None,
            result: None,
            is_ok: None,
            is_denied: false,
            duration_ms: None,
            at: At(note.at_ns),
            agent: None,
            positions: Vec::new(),
        }
    }

    fn put(&mut self, note: &Note, told: &CallNote) {
        let fill = |slot: &mut Option<String>, text: &Option<String>| {
            *slot = slot.take().or_else(|| text.clone());
        };
        fill(&mut self.tool, &told.tool);
        fill(&mut self.path, &told.path);
        fill(&mut self.input, &told.input);
        fill(&mut self.result, &told.result);
        let ended = match told.phase {
            CallPhase::Proposed | CallPhase::Running | CallPhase::Output => None,
            CallPhase::Completed => Some(true),
            CallPhase::Failed => Some(false),
            CallPhase::Denied => {
                self.is_denied = true;
                Some(false)
            }
        };
        self.is_ok = self.is_ok.or(ended);
        let spent_ms = note.at_ns.abs_diff(self.at.0) / NS_PER_MS;
        let spent_ms = Some(spent_ms).filter(|_| ended.is_some() && !self.positions.is_empty());
        self.duration_ms = told.duration_ms.or(self.duration_ms).or(spent_ms);
        add_position(&mut self.positions, note.position);
    }
}

fn said(note: &Note, by: Speaker, text: &str) -> Said {
    let (by, text) = (by.as_str(), text.to_owned());
    Said { by, text, at: At(note.at_ns), positions: vec![note.position] }
}

fn add_position(positions: &mut Vec<u64>, position: u64) {
    if let Err(idx) = positions.binary_search(&position) {
        positions.insert(idx, position);
    }
}

//! From notes to turns, one note after the other: what is put together is only added to.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher as _, RandomState};

use weft_event::report::{CallPhase, Saying, Speaker, TurnPhase};

use super::place::starts_agents;
use super::{CallItem, CallNote, End, Item, Note, Said, Turn, What};
use crate::At;

/// How far apart the same prompt may be told in two ways that do not share an id.
const SAME_PROMPT_NS: i64 = 10_000_000_000;
/// How many turns with the same prompt are looked at for one that is told again, the last.
const SAME_PROMPT_MAX: usize = 64;
/// How many of a turn's items that were told in pieces are compared with what is told whole, the last.
const PIECED_MAX: usize = 64;
const NS_PER_MS: u64 = 1_000_000;

/// Where an item stands: its turn, and its number among the turn's items.
pub(super) type Spot = (usize, usize);

/// Turns that are being put together.
#[derive(Clone, Debug, Default)]
pub(super) struct Assembly {
    pub(super) drafts: Vec<Draft>,
    /// What subagents said and did, in the order in which they were first heard of.
    pub(super) helpers: Vec<Helper>,
    /// The calls that can have started a subagent.
    pub(super) starters: BTreeSet<Spot>,
    /// Which subagents name a span.
    pub(super) helpers_of: HashMap<String, Vec<usize>>,
    of_actor: HashMap<String, usize>,
    /// The calls of this id.
    of_call: HashMap<String, Vec<Spot>>,
    /// The last turn whose prompt has this span.
    of_prompt: HashMap<String, usize>,
    /// The last turn with a prompt that has this span.
    of_asked: HashMap<String, usize>,
    /// The turns with a prompt of this text, by a hash of it.
    of_text: HashMap<u64, Vec<usize>>,
    hasher: RandomState,
}

/// A turn that is being put together.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub(super) turn: Turn,
    /// The span of its prompt.
    pub(super) span: Option<String>,
    /// Where its calls stand among the items, by their ids.
    calls: HashMap<String, usize>,
    /// Where words stand among the items, by a hash of them.
    words: HashMap<u64, usize>,
    hasher: RandomState,
    /// Where words stand that were told in pieces.
    pieced: Vec<usize>,
    /// Whether the last item is made of pieces, and whose.
    pieces_of: Option<Option<String>>,
}

/// What a subagent said and did, and the calls that it names.
#[derive(Clone, Debug)]
pub(super) struct Helper {
    pub(super) actor: String,
    pub(super) at_ns: i64,
    pub(super) named: BTreeSet<Spot>,
    pub(super) draft: Draft,
}

impl Assembly {
    /// Puts in the next note.
    pub(super) fn take(&mut self, note: &Note) {
        match note.actor.as_deref().filter(|_| note.is_subagent) {
            Some(actor) => {
                let idx = self.helper(actor, note);
                self.helpers[idx].draft.put(note);
            }
            None => self.take_main(note),
        }
    }

    /// Puts a note of the main agent into its turn.
    fn take_main(&mut self, note: &Note) {
        let idx = match &note.what {
            What::Prompt(text) => self.ask(note, text),
            What::Words(..)
            | What::Call(_)
            | What::Began
            | What::End(..)
            | What::Notice(_)
            | What::Seen => self.put(note),
        };
        let draft = &self.drafts[idx];
        if let Some(span) = &draft.span {
            later(&mut self.of_prompt, span, idx);
            if draft.turn.prompt.is_some() {
                later(&mut self.of_asked, span, idx);
            }
        }
    }

    /// Puts a prompt in, unless it is told already; returns which turn is its.
    fn ask(&mut self, note: &Note, text: &str) -> usize {
        let same_span = note.span.as_ref().and_then(|span| self.of_asked.get(span)).copied();
        let hash = self.hasher.hash_one(text.trim());
        let same_text = self.of_text.entry(hash).or_default();
        let near = same_text.iter().rev().take(SAME_PROMPT_MAX).copied();
        let near = near.filter(|idx| self.drafts[*idx].is_prompt(note, text)).max();
        if let Some(idx) = same_span.max(near) {
            self.drafts[idx].ask_again(note);
            return idx;
        }
        same_text.push(self.drafts.len());
        self.drafts.push(Draft::asked(note, text));
        self.drafts.len() - 1
    }

    /// Puts anything else in; returns into which turn.
    fn put(&mut self, note: &Note) -> usize {
        let span = note.span.as_ref();
        let of_call = span.and_then(|span| self.of_call.get(span)?.last());
        let of_call = of_call.map(|(turn, _)| turn);
        let of_prompt = |span: &String| self.of_prompt.get(span);
        let above = note.parent_span.as_ref().and_then(of_prompt);
        let known = [of_call, above, span.and_then(of_prompt)].into_iter().flatten().max().copied();
        let is_begin = matches!(note.what, What::Began);
        let idx = known.unwrap_or_else(|| {
            let is_over = self.drafts.last().is_some_and(|draft| draft.turn.end.is_some());
            if self.drafts.is_empty() || (is_begin && is_over) {
                self.drafts.push(Draft::default());
            }
            self.drafts.len() - 1
        });
        if let Some(call) = self.drafts[idx].put(note) {
            self.know_call(note, (idx, call));
        }
        idx
    }

    /// Notes where a call of the main agent stands.
    fn know_call(&mut self, note: &Note, spot: Spot) {
        let item = &self.drafts[spot.0].turn.items[spot.1];
        if matches!(item, Item::Call(call) if starts_agents(call.tool.as_deref())) {
            self.starters.insert(spot);
        }
        let Some(span) = &note.span else { return };
        let spots = self.of_call.entry(span.clone()).or_default();
        match spots.iter().position(|known| *known == spot) {
            // The last one is the one that was told of last.
            Some(idx) => spots[idx..].rotate_left(1),
            None => spots.push(spot),
        }
        for helper in self.helpers_of.get(span).into_iter().flatten() {
            self.helpers[*helper].named.insert(spot);
        }
    }

    /// Returns which subagent an actor is, and notes which spans it names.
    fn helper(&mut self, actor: &str, note: &Note) -> usize {
        let known = self.of_actor.get(actor).copied();
        let idx = known.unwrap_or_else(|| {
            let (named, draft) = (BTreeSet::new(), Draft::default());
            let (actor, at_ns) = (actor.to_owned(), note.at_ns);
            self.of_actor.insert(actor.clone(), self.helpers.len());
            self.helpers.push(Helper { actor, at_ns, named, draft });
            self.helpers.len() - 1
        });
        for span in [&note.parent_span, &note.span].into_iter().flatten() {
            let helpers = self.helpers_of.entry(span.clone()).or_default();
            if !helpers.contains(&idx) {
                helpers.push(idx);
                self.helpers[idx].named.extend(self.of_call.get(span).into_iter().flatten());
            }
        }
        idx
    }
}

/// Notes that a turn has a span, unless a later one has it.
fn later(turns: &mut HashMap<String, usize>, span: &str, idx: usize) {
    match turns.get_mut(span) {
        Some(last) => *last = idx.max(*last),
        None => {
            turns.insert(span.to_owned(), idx);
        }
    }
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

    fn said(&self) -> Option<&Said> {
        match self {
            Item::Words(said) | Item::Thought(said) | Item::Notice(said) => Some(said),
            Item::Call(_) | Item::Agent(_) => None,
        }
    }

    fn said_mut(&mut self) -> Option<&mut Said> {
        match self {
            Item::Words(said) | Item::Thought(said) | Item::Notice(said) => Some(said),
            Item::Call(_) | Item::Agent(_) => None,
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
        let is_near = note.at_ns.abs_diff(prompt.at.0) <= SAME_PROMPT_NS.unsigned_abs();
        is_near && prompt.text.trim() == text.trim()
    }

    fn ask_again(&mut self, note: &Note) {
        self.span = self.span.take().or_else(|| note.span.clone());
        if let Some(prompt) = &mut self.turn.prompt {
            add_position(&mut prompt.positions, note.position);
        }
    }

    /// Puts a note in; returns where the call stands that it is about.
    fn put(&mut self, note: &Note) -> Option<usize> {
        let is_chunk = matches!(note.what, What::Words(_, Saying::Chunk, _));
        let mut spot = None;
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
            What::Call(call) => spot = Some(self.call(note, call)),
            What::Began => self.span = self.span.take().or_else(|| note.span.clone()),
            What::End(phase, words) => self.end(note, *phase, words.as_deref()),
            What::Seen => {}
        }
        if !is_chunk {
            self.pieces_of = None;
        }
        spot
    }

    /// Puts in words, unless they are told already; the whole of what was told in pieces takes their place.
    fn say(&mut self, note: &Note, item: fn(Said) -> Item, by: Speaker, text: &str) {
        let hash = self.hasher.hash_one(text.trim());
        let looked_at = self.pieced.iter().rev().take(PIECED_MAX).chain(self.words.get(&hash));
        let told = looked_at.copied().filter(|idx| {
            let said = self.turn.items.get(*idx).and_then(Item::said);
            said.is_some_and(|said| said.text.trim() == text.trim())
        });
        if let Some(said) = told.max().and_then(|idx| self.turn.items[idx].said_mut()) {
            return add_position(&mut said.positions, note.position);
        }
        let mut new = said(note, by, text);
        if self.pieces_of.as_ref() == Some(&note.actor)
            && let Some(Item::Words(pieces)) = self.turn.items.last()
            && text.starts_with(pieces.text.trim_end())
        {
            new.at = pieces.at;
            new.positions.splice(0..0, pieces.positions.iter().copied());
            self.turn.items.pop();
            self.pieced.pop();
        }
        self.words.insert(hash, self.turn.items.len());
        self.turn.items.push(item(new));
    }

    fn add_piece(&mut self, note: &Note, by: Speaker, text: &str) {
        if self.pieces_of.as_ref() == Some(&note.actor)
            && let Some(Item::Words(pieces)) = self.turn.items.last_mut()
        {
            pieces.text.push_str(text);
            return add_position(&mut pieces.positions, note.position);
        }
        self.pieced.push(self.turn.items.len());
        self.turn.items.push(Item::Words(said(note, by, text)));
        self.pieces_of = Some(note.actor.clone());
    }

    fn call(&mut self, note: &Note, told: &CallNote) -> usize {
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
        idx
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
            diff: None,
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
        self.diff = self.diff.take().or_else(|| told.diff.clone());
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

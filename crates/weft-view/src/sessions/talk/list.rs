//! A session as one list that grows: what is put together stays, and what is new is added to it.
//!
//! Only where a record belongs before others that are in the list already is it put together anew: the order of what was said
//! decides which turn is whose.

use std::ops::Range;

use super::assemble::Assembly;
use super::flat::{self, Marker, Marks, TalkItem, TalkKind};
use super::place::{Placed, place};
use super::{Aside, Conversation, Item, Note, Turn};
use crate::At;

/// A session as one list: what was said and done up to a position, and the decisions and failures beside it.
#[derive(Clone, Debug, Default)]
pub struct TalkList {
    notes: Taken,
    assembly: Assembly,
    order: Order,
    aside: Taken,
    asides: flat::Asides,
    lines: Vec<Line>,
    marks: Marks,
}

/// One thing of the list.
#[derive(Clone, Copy, Debug)]
struct Line {
    turn: usize,
    depth: usize,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Prompt,
    Item(usize),
    End,
    /// A subagent begins.
    Helper(usize),
    /// What a subagent said or did: which one, and its item.
    Of(usize, usize),
    Aside(usize),
}

impl TalkList {
    /// Takes in what a conversation has up to a position.
    pub fn catch_up(&mut self, conversation: &Conversation, upto: u64) {
        let Conversation { notes, asides } = conversation;
        let is_same = self.take_notes(notes, upto) & self.take_asides(asides, upto);
        if !is_same {
            self.draw();
        }
    }

    /// Returns how many items there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns where one may want to go.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    /// Returns the items from one number to another, as many as there are.
    pub fn items(&self, range: Range<usize>) -> impl Iterator<Item = TalkItem> {
        let lines = self.lines.iter().enumerate().take(range.end).skip(range.start);
        lines.map(|(nth, line)| {
            let item = self.item(line);
            TalkItem { nth, turn: line.turn, depth: line.depth, ..item }
        })
    }

    fn item(&self, line: &Line) -> TalkItem {
        let Assembly { drafts, helpers, .. } = &self.assembly;
        let turn = || &drafts[line.turn].turn;
        match line.what {
            What::Prompt => {
                let prompt = turn().prompt.as_ref().expect("a line is drawn of what is there");
                flat::said(TalkKind::Prompt, prompt)
            }
            What::End => flat::end(turn().end.as_ref().expect("a line is drawn of what is there")),
            What::Item(idx) => flat::item(&turn().items[idx]),
            What::Helper(nth) => flat::helper(&helpers[nth].actor, At(helpers[nth].at_ns)),
            What::Of(nth, idx) => flat::item(&helpers[nth].draft.turn.items[idx]),
            What::Aside(idx) => self.asides.item(idx).clone(),
        }
    }

    /// Takes in notes; returns whether all is as it was.
    fn take_notes(&mut self, notes: &[Note], upto: u64) -> bool {
        let new = self.notes.next(notes, upto, |note| note.position);
        let new = new.map(|range| taken(&notes[range], upto, |note| note.position));
        if let Some(new) = new.and_then(|new| self.order.next(new)) {
            new.iter().for_each(|note| self.assembly.take(note));
            return new.is_empty();
        }
        (self.notes, self.order) = (Taken::default(), Order::default());
        self.assembly = Assembly::default();
        let all = self.notes.next(notes, upto, |note| note.position).unwrap_or_default();
        let all = self.order.next(taken(&notes[all], upto, |note| note.position));
        all.into_iter().flatten().for_each(|note| self.assembly.take(note));
        false
    }

    /// Takes in what belongs beside the talk; returns whether all is as it was.
    fn take_asides(&mut self, asides: &[Aside], upto: u64) -> bool {
        let position = |aside: &Aside| aside.position;
        let new = self.aside.next(asides, upto, position).unwrap_or_else(|| {
            self.asides = flat::Asides::default();
            self.aside = Taken::default();
            self.aside.next(asides, upto, position).unwrap_or_default()
        });
        let new = taken(&asides[new], upto, position);
        new.iter().for_each(|aside| self.asides.take(aside));
        new.is_empty()
    }

    /// Puts everything into one list.
    fn draw(&mut self) {
        let placed = place(&self.assembly);
        let mut drawing = Drawing {
            assembly: &self.assembly,
            placed: &placed,
            asides: &self.asides,
            next_aside: 0,
            turn: 0,
            lines: std::mem::take(&mut self.lines),
            marks: Marker::default(),
        };
        drawing.lines.clear();
        drawing.draw();
        (self.lines, self.marks) = (drawing.lines, drawing.marks.marks());
    }
}

/// Puts notes together.
pub(super) fn assembled(notes: &[Note]) -> Assembly {
    let mut assembly = Assembly::default();
    let notes = Order::default().next(notes.iter().collect());
    notes.into_iter().flatten().for_each(|note| assembly.take(note));
    assembly
}

/// How far a list of what is taken in has been looked at.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    upto: u64,
    n_seen: usize,
    /// The first position among those looked at that did not count yet.
    passed: Option<u64>,
}

impl Taken {
    /// Returns which of a list are new up to a position; `None` if they do not all come behind those that were taken in.
    fn next<T>(
        &mut self,
        all: &[T],
        upto: u64,
        position: impl Fn(&T) -> u64,
    ) -> Option<Range<usize>> {
        if upto < self.upto || self.passed.is_some_and(|passed| passed <= upto) {
            return None;
        }
        let new = &all[self.n_seen..];
        let n_new = new.iter().rposition(|one| position(one) <= upto).map_or(0, |last| last + 1);
        let passed = new[..n_new].iter().map(position).filter(|position| *position > upto);
        self.passed = self.passed.into_iter().chain(passed).min();
        let range = self.n_seen..self.n_seen + n_new;
        (self.upto, self.n_seen) = (upto, range.end);
        Some(range)
    }
}

fn taken<T>(all: &[T], upto: u64, position: impl Fn(&T) -> u64) -> Vec<&T> {
    all.iter().filter(|one| position(one) <= upto).collect()
}

/// In which order notes were taken in.
#[derive(Clone, Copy, Debug, Default)]
struct Order {
    /// Whether some are not numbered: those are told late by some, and all are in the order of their times. Numbered ones are in
    /// order as they come.
    is_timed: bool,
    /// Whether some stand before others that were earlier.
    is_mixed: bool,
    last: Option<(i64, u64)>,
}

impl Order {
    /// Returns notes in the order in which they are taken in; `None` if they do not all come behind those that were.
    fn next<'n>(&mut self, mut notes: Vec<&'n Note>) -> Option<Vec<&'n Note>> {
        let is_timed = self.is_timed || notes.iter().any(|note| note.order.is_none());
        if is_timed {
            notes.sort_by_key(|note| key(note));
            let is_late = notes.first().is_some_and(|note| Some(key(note)) < self.last);
            if self.is_mixed || is_late {
                return None;
            }
        }
        self.is_timed = is_timed;
        for note in &notes {
            self.is_mixed |= Some(key(note)) < self.last;
            self.last = self.last.max(Some(key(note)));
        }
        Some(notes)
    }
}

fn key(note: &Note) -> (i64, u64) {
    (note.at_ns, note.position)
}

/// The list while it is made.
struct Drawing<'l> {
    assembly: &'l Assembly,
    placed: &'l Placed,
    asides: &'l flat::Asides,
    next_aside: usize,
    turn: usize,
    lines: Vec<Line>,
    marks: Marker,
}

impl Drawing<'_> {
    fn draw(&mut self) {
        let Assembly { drafts, helpers, .. } = self.assembly;
        for (idx, draft) in drafts.iter().enumerate() {
            self.turn(idx, &draft.turn);
        }
        // Subagents of which alone is known.
        if drafts.is_empty() && !helpers.is_empty() {
            self.turn(0, &Turn::default());
        }
        while self.next_aside < self.asides.len() {
            self.aside();
        }
    }

    fn turn(&mut self, idx: usize, turn: &Turn) {
        let (assembly, placed) = (self.assembly, self.placed);
        let helpers = placed.of_turn.get(&idx).map_or(&[][..], Vec::as_slice);
        let at = |nth: usize| At(assembly.helpers[nth].at_ns);
        let first_helper = helpers.first().filter(|(before, _)| *before == 0);
        let first = turn.prompt.as_ref().map(|said| said.at);
        let first = first.or(first_helper.map(|(_, nth)| at(*nth)));
        if let Some(first) = first.or(turn.items.first().map(Item::at)) {
            self.catch_up(first);
        }
        self.turn = idx;
        if turn.prompt.is_some() {
            self.push(What::Prompt, 0, (TalkKind::Prompt, None));
        }
        let mut helpers = helpers.iter().peekable();
        for nth in 0..=turn.items.len() {
            while let Some((_, helper)) = helpers.next_if(|(before, _)| *before == nth) {
                self.catch_up(at(*helper));
                self.helper(*helper);
            }
            let Some(item) = turn.items.get(nth) else { break };
            self.catch_up(item.at());
            self.push(What::Item(nth), 0, flat::kind(item));
            if let Some(helper) = placed.of_call.get(&(idx, nth)) {
                self.helper(*helper);
            }
        }
        if let Some(end) = &turn.end {
            self.catch_up(end.at);
            self.push(What::End, 0, flat::end_kind(end));
        }
    }

    /// Puts in what a subagent said and did.
    fn helper(&mut self, nth: usize) {
        self.push(What::Helper(nth), 0, (TalkKind::Agent, None));
        let assembly = self.assembly;
        for (idx, item) in assembly.helpers[nth].draft.turn.items.iter().enumerate() {
            self.push(What::Of(nth, idx), 1, flat::kind(item));
        }
    }

    /// Puts in what was beside the talk before a moment.
    fn catch_up(&mut self, at: At) {
        while self.next_aside < self.asides.len() && self.asides.item(self.next_aside).at < at {
            self.aside();
        }
    }

    fn aside(&mut self) {
        let kind = self.asides.item(self.next_aside).kind;
        self.push(What::Aside(self.next_aside), 0, (kind, None));
        self.next_aside += 1;
    }

    fn push(&mut self, what: What, depth: usize, kind: (TalkKind, Option<bool>)) {
        let (nth, turn) = (self.lines.len(), self.turn);
        self.lines.push(Line { turn, depth, what });
        self.marks.see(nth, turn, kind);
    }
}

#[cfg(test)]
mod tests;

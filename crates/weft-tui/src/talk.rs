//! One session as a conversation: the turns of the view, one block for each thing that was said or done.

use std::collections::VecDeque;

use weft_view::sessions::{AgentItem, CallItem, Conversation, Item as Said, Turn};
use weft_view::{At, Entry};

use crate::listing::{Cell, Field, Item, Link, Look, field, has_words};
use crate::reading::Reading;
use crate::source::Record;
use crate::text::span;
use crate::theme::Tone;

/// Most records of a session that are read at once.
pub(crate) const PAGE_MAX: usize = 2000;
/// Most that are kept at once; beyond it those at the other end go, and are read again when they are scrolled to.
const RECORDS_MAX: usize = 6000;

/// A session that is shown, or a part of it.
#[derive(Debug)]
pub(crate) struct Talk {
    pub(crate) session: String,
    pub(crate) blocks: Vec<Block>,
    /// Whether there are older records than those that were read.
    pub(crate) has_older: bool,
    /// Whether there are newer ones, which what comes is part of then.
    pub(crate) has_newer: bool,
    /// Whether a page is asked for.
    pub(crate) is_asked: bool,
    records: VecDeque<Record>,
    conversation: Conversation,
    /// The words that blocks are shown by.
    words: String,
    /// Whether the blocks are to be made anew.
    is_stale: bool,
}

/// Something that was said or done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    pub(crate) at: At,
    /// How many subagents deep it was.
    pub(crate) depth: usize,
    pub(crate) kind: Kind,
    pub(crate) positions: Vec<u64>,
}

/// What it was.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Prompt(String),
    Words(String),
    Thought(String),
    Notice(String),
    Call(Box<CallItem>),
    /// A subagent begins to speak.
    Agent(String),
    End(&'static str),
}

impl Talk {
    pub(crate) fn new(session: String) -> Self {
        Self {
            session,
            blocks: Vec::new(),
            has_older: false,
            has_newer: false,
            is_asked: true,
            records: VecDeque::new(),
            conversation: Conversation::default(),
            words: String::new(),
            is_stale: false,
        }
    }

    /// Returns the first and the last position that were read.
    pub(crate) fn ends(&self) -> Option<(u64, u64)> {
        Some((self.records.front()?.position, self.records.back()?.position))
    }

    /// Takes in what a record says that has just come. Returns whether it is of this session, and is to be kept.
    pub(crate) fn hear(&mut self, entry: &Entry<'_, '_>) -> bool {
        let is_next = self.ends().is_none_or(|(_, last)| last < entry.position);
        let is_ours = entry.facts.session.as_deref() == Some(self.session.as_str());
        if !is_ours || !is_next || self.has_newer || entry.is_carried {
            return false;
        }
        self.conversation.add(entry);
        self.is_stale = true;
        true
    }

    /// Keeps a record that was taken in.
    pub(crate) fn keep(&mut self, record: Record, reading: &mut Reading) {
        self.records.push_back(record);
        if self.records.len() > RECORDS_MAX {
            self.records.drain(..PAGE_MAX);
            self.has_older = true;
            self.read_again(reading);
        }
    }

    /// Puts records in the place of those that are there.
    pub(crate) fn put(&mut self, records: Vec<Record>, reading: &mut Reading) {
        self.records = records.into();
        self.read_again(reading);
    }

    /// Adds older records before the others.
    pub(crate) fn prepend(&mut self, older: Vec<Record>, reading: &mut Reading) {
        older.into_iter().rev().for_each(|record| self.records.push_front(record));
        if self.records.len() > RECORDS_MAX {
            self.records.truncate(RECORDS_MAX);
            self.has_newer = true;
        }
        self.read_again(reading);
    }

    /// Adds newer records behind the others.
    pub(crate) fn append(&mut self, newer: Vec<Record>, reading: &mut Reading) {
        self.records.extend(newer);
        let n_more = self.records.len().saturating_sub(RECORDS_MAX);
        if n_more > 0 {
            self.records.drain(..n_more);
            self.has_older = true;
        }
        self.read_again(reading);
    }

    fn read_again(&mut self, reading: &mut Reading) {
        self.conversation = Conversation::default();
        for record in self.records.iter().filter(|record| !record.is_carried) {
            let conversation = &mut self.conversation;
            reading.take(record, |entry, _| conversation.add(entry));
        }
        self.is_stale = true;
    }

    /// Makes the blocks anew that have some words, if something changed.
    pub(crate) fn refresh(&mut self, words: &str) {
        if std::mem::take(&mut self.is_stale) || self.words != words {
            words.clone_into(&mut self.words);
            self.blocks = blocks(self.conversation.turns());
            self.blocks.retain(|block| has_words(words, [block.who().0, &block.text()]));
        }
    }

    /// Returns the block that a record is part of, or the next one.
    pub(crate) fn block_of(&self, position: u64) -> usize {
        let is_part = |block: &Block| block.positions.contains(&position);
        let after = |block: &Block| block.positions.first().is_some_and(|first| *first >= position);
        let found = self.blocks.iter().position(is_part);
        found.or_else(|| self.blocks.iter().position(after)).unwrap_or(0)
    }
}

fn blocks(turns: Vec<Turn>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for turn in turns {
        if let Some(prompt) = turn.prompt {
            let (at, positions) = (prompt.at, prompt.positions);
            blocks.push(Block { at, depth: 0, kind: Kind::Prompt(prompt.text), positions });
        }
        add(&mut blocks, turn.items, 0);
        if let Some(end) = turn.end {
            let kind = Kind::End(end.phase);
            blocks.push(Block { at: end.at, depth: 0, kind, positions: end.positions });
        }
    }
    blocks
}

fn add(blocks: &mut Vec<Block>, items: Vec<Said>, depth: usize) {
    for item in items {
        match item {
            Said::Words(said) => {
                let kind = Kind::Words(said.text);
                blocks.push(Block { at: said.at, depth, kind, positions: said.positions });
            }
            Said::Thought(said) => {
                let kind = Kind::Thought(said.text);
                blocks.push(Block { at: said.at, depth, kind, positions: said.positions });
            }
            Said::Notice(said) => {
                let kind = Kind::Notice(said.text);
                blocks.push(Block { at: said.at, depth, kind, positions: said.positions });
            }
            Said::Call(mut call) => {
                let (agent, positions) = (call.agent.take(), call.positions.clone());
                let kind = Kind::Call(Box::new(call.clone()));
                blocks.push(Block { at: call.at, depth, kind, positions });
                if let Some(agent) = agent {
                    add_agent(blocks, agent, depth + 1);
                }
            }
            Said::Agent(agent) => add_agent(blocks, agent, depth + 1),
        }
    }
}

fn add_agent(blocks: &mut Vec<Block>, agent: AgentItem, depth: usize) {
    let kind = Kind::Agent(agent.actor);
    blocks.push(Block { at: agent.at, depth, kind, positions: Vec::new() });
    add(blocks, agent.items, depth);
}

/// Returns the sign, the word and the tone of how far a call is.
pub(crate) fn call_state(call: &CallItem) -> (&'static str, &'static str, Tone) {
    match (call.is_denied, call.is_ok) {
        (true, _) => ("■", "denied", Tone::Bad),
        (false, None) => ("◆", "running", Tone::Busy),
        (false, Some(true)) => ("✓", "done", Tone::Good),
        (false, Some(false)) => ("✗", "failed", Tone::Bad),
    }
}

/// Returns what a call is about: its file, else what it was given.
pub(crate) fn call_about(call: &CallItem) -> &str {
    call.path.as_deref().or(call.input.as_deref()).unwrap_or_default()
}

impl Block {
    /// Returns who or what it is of, in a word.
    pub(crate) fn who(&self) -> (&'static str, Tone) {
        match &self.kind {
            Kind::Prompt(_) => ("person", Tone::Accent),
            Kind::Words(_) => ("agent", Tone::Good),
            Kind::Thought(_) => ("thinks", Tone::Faint),
            Kind::Notice(_) => ("notice", Tone::Warn),
            Kind::Call(_) => ("tool", Tone::Busy),
            Kind::Agent(_) => ("subagent", Tone::Calm),
            Kind::End(_) => ("", Tone::Faint),
        }
    }

    fn text(&self) -> String {
        match &self.kind {
            Kind::Prompt(text) | Kind::Words(text) | Kind::Thought(text) | Kind::Notice(text) => {
                text.clone()
            }
            Kind::Call(call) => {
                format!("{} {}", call.tool.as_deref().unwrap_or("tool"), call_about(call))
            }
            Kind::Agent(actor) => actor.clone(),
            Kind::End(phase) => format!("turn {phase}"),
        }
    }
}

impl Item for Block {
    fn id(&self) -> String {
        let first = self.positions.first().map(u64::to_string).unwrap_or_default();
        format!("{}{first}", self.who().0)
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        let (who, tone) = self.who();
        vec![
            Cell::faint(look.zone.clock(self.at.0)),
            Cell::new(who, tone),
            Cell::plain(self.text()),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name, text: Option<String>| field(&mut fields, name, text);
        add("time", Some(look.zone.whole(self.at.0)));
        if let Kind::Call(call) = &self.kind {
            add("tool", call.tool.clone());
            add("state", Some(call_state(call).1.to_owned()));
            add("took", call.duration_ms.map(span));
            add("file", call.path.clone());
            add("given", call.input.clone());
            add("gave", call.result.clone());
        } else {
            add("text", Some(self.text()));
        }
        let positions: Vec<String> = self.positions.iter().map(u64::to_string).collect();
        add("records", Some(positions.join(" ")));
        fields
    }

    fn link(&self) -> Link {
        let terms = self.positions.iter().map(|position| format!("position={position}"));
        let records = terms.collect::<Vec<_>>().join(" or ");
        Link { records: Some(records).filter(|text| !text.is_empty()), ..Link::default() }
    }

    fn command(&self) -> String {
        match self.positions.first() {
            Some(position) => format!("weft show {position}"),
            None => "weft log".to_owned(),
        }
    }
}

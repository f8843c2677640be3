//! One session as a conversation: the turns of the view, one block for each thing that was said or done.

use weft_view::sessions::{AgentItem, CallItem, Conversation, Item as Said, Turn};
use weft_view::{At, Entry};

use crate::listing::{Cell, Field, Item, Link, Look, field};
use crate::text::span;
use crate::theme::Tone;

/// Most records of a session that are read, the newest.
pub(crate) const RECORDS_MAX: usize = 5000;

/// A session that is shown.
#[derive(Debug)]
pub(crate) struct Talk {
    pub(crate) session: String,
    pub(crate) blocks: Vec<Block>,
    /// Whether older records are left out.
    pub(crate) is_cut: bool,
    conversation: Conversation,
    /// The last record taken in.
    position: u64,
    /// Whether records came since the blocks were made.
    is_stale: bool,
}

/// Something that was said or done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    pub(crate) at: At,
    /// How many subagents deep it was.
    pub(crate) depth: usize,
    pub(crate) kind: Kind,
    positions: Vec<u64>,
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
        let conversation = Conversation::default();
        Self {
            session,
            blocks: Vec::new(),
            is_cut: false,
            conversation,
            position: 0,
            is_stale: false,
        }
    }

    /// Takes a record of the session in, if it comes after those before.
    pub(crate) fn take(&mut self, entry: &Entry<'_, '_>) {
        let is_ours = entry.facts.session.as_deref() == Some(self.session.as_str());
        if is_ours && entry.position > self.position && !entry.is_carried {
            self.position = entry.position;
            self.conversation.add(entry);
            self.is_stale = true;
        }
    }

    /// Makes the blocks anew, if records came.
    pub(crate) fn refresh(&mut self) {
        if std::mem::take(&mut self.is_stale) {
            self.blocks = blocks(self.conversation.turns());
        }
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

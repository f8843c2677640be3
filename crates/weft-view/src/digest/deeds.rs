//! What each actor was asked and did, as far as no other view tells: prompts, turns, and calls by tool.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use weft_event::report::{CallPhase, Part, Saying, Speaker, TurnPhase};

use crate::bounded::Bounded;
use crate::distinct::{Distinct, fingerprint};
use crate::way::Way;
use crate::{Entry, View};

/// Actors that are kept.
const ACTORS_MAX: usize = 2_000;
/// Prompts of an actor that are kept, the first.
const PROMPTS_MAX: usize = 64;
/// Tools of an actor that are told apart, the first by name.
const TOOLS_MAX: usize = 256;
/// Sessions of an actor that are kept, the first by name.
const SESSIONS_MAX: usize = 64;
/// How much of a prompt is kept.
const PROMPT_CHARS_MAX: usize = 400;

/// What each actor was asked and did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Deeds {
    actors: Bounded<Deed, ACTORS_MAX>,
}

/// What one actor was asked and did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Deed {
    /// By time, then position.
    prompts: Vec<(i64, u64, String)>,
    /// What each way counts, in the order of [`Way::ALL`].
    turns: [Turns; Way::ALL.len()],
    tools: BTreeMap<String, Tool>,
    sessions: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Turns {
    n_prompts: u64,
    n_begun: u64,
    n_ended: u64,
    n_failed: u64,
}

/// What is known of the calls of one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Tool {
    /// What each way counts, in the order of [`Way::ALL`].
    calls: [Calls; Way::ALL.len()],
    /// The calls that failed and those that were denied: the end of one may be told more than once.
    failed: Distinct,
    denied: Distinct,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Calls {
    n_begun: u64,
    n_ended: u64,
}

/// Calls of one tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolCalls {
    /// The tool.
    pub tool: String,
    /// How often it was called.
    pub n: u64,
    /// How often it failed.
    pub n_failed: u64,
    /// How often it was denied.
    pub n_denied: u64,
}

impl View for Deeds {
    const NAME: &'static str = "deeds";
    const VERSION: u32 = 1;

    fn apply(&mut self, entry: &Entry<'_, '_>) {
        let Some(name) = entry.facts.actor.as_deref() else { return };
        if entry.is_carried {
            return;
        }
        if let Some(deed) = self.actors.touch(name, entry.time_ns()) {
            deed.put(entry);
        }
    }
}

impl Deeds {
    pub(super) fn of(&self, actor: &str) -> Option<&Deed> {
        self.actors.get(actor)
    }
}

impl Deed {
    fn put(&mut self, entry: &Entry<'_, '_>) {
        if let Some(session) = entry.facts.session.as_deref().filter(|id| !id.is_empty())
            && let Err(idx) = self.sessions.binary_search_by(|known| known.as_str().cmp(session))
        {
            self.sessions.insert(idx, session.to_owned());
            self.sessions.truncate(SESSIONS_MAX);
        }
        let way = Way::of(entry);
        let idx =
            Way::ALL.iter().position(|known| *known == way).expect("every way is in the list");
        let turns = &mut self.turns[idx];
        if let Part::Words(words) = &entry.report.part {
            if words.saying == Saying::Prompt && words.by == Speaker::Person {
                turns.n_prompts += 1;
                let text = words.text.as_deref().or(entry.facts.message.as_deref());
                self.ask(entry, text.unwrap_or_default());
            }
        } else if let Part::Turn(turn) = &entry.report.part {
            match turn.phase {
                TurnPhase::Began => turns.n_begun += 1,
                TurnPhase::Completed | TurnPhase::Aborted => turns.n_ended += 1,
                TurnPhase::Failed => {
                    turns.n_ended += 1;
                    turns.n_failed += 1;
                }
            }
        } else if let Part::Call(call) = &entry.report.part {
            self.call(entry, idx, call.phase);
        } else if let Part::Mail(mail) = &entry.report.part {
            self.ask(entry, mail.text.as_deref().unwrap_or_default());
        }
    }

    fn ask(&mut self, entry: &Entry<'_, '_>, text: &str) {
        let text: String = text.trim().chars().take(PROMPT_CHARS_MAX).collect();
        if text.is_empty() {
            return;
        }
        let prompt = (entry.time_ns(), entry.position, text);
        let idx = self.prompts.partition_point(|known| *known < prompt);
        self.prompts.insert(idx, prompt);
        self.prompts.truncate(PROMPTS_MAX);
    }

    fn call(&mut self, entry: &Entry<'_, '_>, way_idx: usize, phase: CallPhase) {
        let facts = entry.facts;
        let name = facts.tool.as_deref().unwrap_or_default();
        if !self.tools.contains_key(name) {
            self.tools.insert(name.to_owned(), Tool::default());
            if self.tools.len() > TOOLS_MAX {
                self.tools.pop_last();
            }
        }
        let Some(tool) = self.tools.get_mut(name) else { return };
        let call = || match facts.span.as_deref() {
            Some(span) => fingerprint(facts.session.as_deref(), span),
            None => fingerprint(None, &entry.position.to_string()),
        };
        match phase {
            CallPhase::Running => tool.calls[way_idx].n_begun += 1,
            CallPhase::Completed => tool.calls[way_idx].n_ended += 1,
            CallPhase::Failed => {
                tool.calls[way_idx].n_ended += 1;
                tool.failed.put(call());
            }
            CallPhase::Denied => tool.denied.put(call()),
            CallPhase::Proposed | CallPhase::Output => {}
        }
    }

    /// Returns what it was asked, each once, in order.
    pub(super) fn asked(&self) -> Vec<String> {
        let mut asked: Vec<String> = Vec::new();
        for (_, _, text) in &self.prompts {
            if !asked.contains(text) {
                asked.push(text.clone());
            }
        }
        asked
    }

    /// Returns how many turns it had and how many of them failed. Of what several ways count, the fullest counts.
    pub(super) fn n_turns(&self) -> (u64, u64) {
        let most = |of: fn(&Turns) -> u64| self.turns.iter().map(of).max().unwrap_or(0);
        let n_begun = most(|turns| turns.n_prompts.max(turns.n_begun));
        let n_turns = if n_begun > 0 { n_begun } else { most(|turns| turns.n_ended) };
        (n_turns, most(|turns| turns.n_failed))
    }

    /// Returns its calls by tool, the most called first.
    pub(super) fn calls(&self) -> Vec<ToolCalls> {
        // The end of a call may be told more than once, and its beginning only where no other way tells it.
        let n = |calls: &Calls| if calls.n_begun > 0 { calls.n_begun } else { calls.n_ended };
        let row = |(name, tool): (&String, &Tool)| ToolCalls {
            tool: name.clone(),
            n: tool.calls.iter().map(n).max().unwrap_or(0),
            n_failed: tool.failed.count(),
            n_denied: tool.denied.count(),
        };
        let mut rows: Vec<ToolCalls> = self.tools.iter().map(row).collect();
        rows.retain(|row| row.n + row.n_denied > 0);
        rows.sort_by(|a, b| b.n.cmp(&a.n).then_with(|| a.tool.cmp(&b.tool)));
        rows
    }

    /// Returns the sessions it had part in, by name.
    pub(super) fn sessions(&self) -> &[String] {
        &self.sessions
    }
}

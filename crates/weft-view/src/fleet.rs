//! Who is there and what everyone does.
//!
//! An actor may speak in several sessions at once or one after the other. Each session is a producer with an order of its own; the
//! one that spoke last by its clock speaks for the actor. What one actor says about another never counts as a sign of life of that
//! other.

mod about;
mod actor;
mod producer;
mod row;
mod wait;

use serde::{Deserialize, Serialize};
use weft_event::hook;
use weft_event::report::{Finding, Part};

use crate::bounded::Bounded;
use crate::loops::ends::{End, Ends};
use crate::word::Word;
use crate::{Entry, View};

use actor::Handed;

pub(crate) use actor::{Actor, Seen};
pub(crate) use producer::{Asked, Called, Producer, Run, State, stands_still};
pub(crate) use row::elapsed_ms;
pub use row::{Presence, Row};
pub(crate) use wait::{Deadlock, Edge};

/// Most actors that are kept.
pub const ACTORS_MAX: usize = 10_000;
/// Most actors of which it is kept what others found about them.
pub const FINDINGS_MAX: usize = 1_000;
/// Most bytes of a text that are kept.
pub const TEXT_BYTES_MAX: usize = 400;

/// Who is there and what everyone does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fleet {
    actors: Bounded<Actor, ACTORS_MAX>,
    /// What other actors found about an actor, by its name. It need not have said a word itself.
    findings: Bounded<Option<Found>, FINDINGS_MAX>,
    loop_ends: Ends,
}

/// What an actor found about another. The words of several actors have no common order but their clocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) at_ns: i64,
    pub(crate) position: u64,
    pub(crate) finding: Word<Finding>,
    pub(crate) by: String,
    pub(crate) what: Option<String>,
}

impl View for Fleet {
    const NAME: &'static str = "fleet";
    const VERSION: u32 = 5;

    fn apply(&mut self, entry: &Entry<'_, '_>) {
        let at_ns = entry.seen_ns();
        let Some(name) = entry.facts.actor.as_deref() else {
            self.loop_ends.apply(at_ns, entry);
            return;
        };
        if let Some(actor) = self.actors.touch(name, at_ns) {
            actor.apply(name, at_ns, entry);
        }
        let Some(subject) = entry.facts.subject.as_deref().filter(|subject| *subject != name)
        else {
            return;
        };
        if let Part::Finding(finding) = entry.report.part {
            self.find(subject, at_ns, name, finding, entry);
        } else if matches!(entry.report.part, Part::Handoff) {
            self.hand(subject, at_ns, entry);
        }
    }
}

impl Fleet {
    fn find(
        &mut self,
        subject: &str,
        at_ns: i64,
        by: &str,
        finding: Finding,
        entry: &Entry<'_, '_>,
    ) {
        let Some(found) = self.findings.touch(subject, at_ns) else {
            return;
        };
        if found
            .as_ref()
            .is_none_or(|found| (found.at_ns, found.position) < (at_ns, entry.position))
        {
            *found = Some(Found {
                at_ns,
                position: entry.position,
                finding: Word(finding),
                by: by.to_owned(),
                what: entry.facts.message.as_deref().map(cut),
            });
        }
    }

    fn hand(&mut self, to: &str, at_ns: i64, entry: &Entry<'_, '_>) {
        let Some(task) = entry.facts.task.as_deref() else {
            return;
        };
        if let Some(actor) = self.actors.touch(to, at_ns) {
            actor.hand(Handed { at_ns, position: entry.position, task: task.to_owned() });
        }
    }

    /// Returns what an actor is doing, and since when: by its own words, or by the end of its loop that does not name it.
    pub(crate) fn run(&self, actor: &Actor) -> Option<Run> {
        let run = actor.speaker()?.run();
        let Some(end) = self.loop_end(actor) else {
            return run;
        };
        Some(Run {
            status: end.status.or_else(|| Some(run?.status))?,
            since_ns: end.at_ns,
            since_position: end.position,
            newest_ns: end.at_ns,
            newest_position: end.position,
            at_work: None,
        })
    }

    /// Returns whether an actor said that it ends, and nothing since.
    pub(crate) fn is_ended(&self, actor: &Actor) -> bool {
        let is_aborted = self.loop_end(actor).is_some_and(|end| end.is_abort);
        is_aborted || actor.speaker().is_some_and(Producer::is_ended)
    }

    /// Returns whether an actor is gone: it said so, or another found it.
    pub(crate) fn is_gone(&self, name: &str, actor: &Actor) -> bool {
        let last_ns = actor.seen().map(|seen| seen.last_ns);
        let is_gone =
            |found: &Found| found.finding == Word(Finding::Gone) && Some(found.at_ns) >= last_ns;
        self.is_ended(actor) || self.finding(name).is_some_and(is_gone)
    }

    /// Returns what ended the loop that an actor is, where that does not name it.
    pub(crate) fn loop_end(&self, actor: &Actor) -> Option<&End> {
        let speaker = actor.speaker()?;
        self.loop_ends.after(speaker.session(), speaker.looped_ns()?)
    }

    /// Returns an actor.
    pub(crate) fn actor(&self, name: &str) -> Option<&Actor> {
        self.actors.get(name).filter(|actor| !actor.is_hearsay())
    }

    /// Returns every actor that has said something, in no order.
    pub(crate) fn actors(&self) -> impl Iterator<Item = (&str, &Actor)> {
        self.actors.iter().filter(|(_, actor)| !actor.is_hearsay())
    }

    /// Returns what was found last about every actor that something was found about, in no order.
    pub(crate) fn findings(&self) -> impl Iterator<Item = (&str, &Found)> {
        self.findings.iter().filter_map(|(name, found)| Some((name, found.as_ref()?)))
    }

    /// Returns what was found last about an actor.
    pub(crate) fn finding(&self, name: &str) -> Option<&Found> {
        self.findings.get(name)?.as_ref()
    }
}

/// Returns whether a name is the one that hooks give the main agent of a session. The agent may call itself otherwise.
pub(crate) fn is_main_agent(name: &str, session: &str) -> bool {
    name.starts_with("session-") && hook::main_agent(session) == name
}

/// Returns as much of a text as is kept.
pub(crate) fn cut(text: &str) -> String {
    shorten(text).to_owned()
}

fn shorten(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_BYTES_MAX)]
}

#[cfg(test)]
mod tests;

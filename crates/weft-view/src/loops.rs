//! Loops: their frames, iterations and age, how they ended, and where to take them up again.
//!
//! A loop is known by its run. What does not name a run is about the loop of its session; an end that names neither is that of the
//! loop that was told of last.

pub(crate) mod ends;
mod row;

use serde::{Deserialize, Serialize};
use weft_event::report::{Loop, LoopPhase, Part};

use crate::bounded::Bounded;
use crate::fleet::cut;
use crate::{Entry, Latest, Stamp, View};

use ends::{End, Ends, NO_SESSION};

pub(crate) use row::PAUSED_BY_A_PERSON;
pub use row::{FrameRow, LoopState, Row};

/// Most loops that are kept.
pub const LOOPS_MAX: usize = 2_000;
/// Most sessions whose anchors are kept that name no run.
pub const ANCHORS_MAX: usize = 1_000;
/// Most frames of a stack that are kept, the innermost ones.
pub const FRAMES_MAX: usize = 16;

/// Loops: their frames, iterations and age.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Loops {
    loops: Bounded<Told, LOOPS_MAX>,
    /// Ends that name no run.
    ends: Ends,
    /// The newest anchors that name no run, by session.
    anchors: Bounded<Option<Latest<Anchor>>, ANCHORS_MAX>,
}

/// What was told of a loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Told {
    first_ns: Option<i64>,
    last_ns: Option<i64>,
    session: Option<Latest<String>>,
    state: Option<Latest<Stack>>,
    end: Option<Latest<End>>,
    anchor: Option<Latest<Anchor>>,
    trace: Option<Latest<Trace>>,
    request: Option<Latest<Request>>,
}

/// The frames of a loop, the one at work last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Stack {
    at_ns: i64,
    frames: Vec<FrameRow>,
    /// Why it waits for a person.
    paused: Option<String>,
}

/// A point to take up the work from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Anchor {
    at_ns: i64,
    goal: Option<String>,
    next_step: Option<String>,
}

/// Something that happened in a loop, by its trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Trace {
    at_ns: i64,
    word: String,
}

/// What was asked of a loop, or how it answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Request {
    at_ns: i64,
    id: Option<String>,
    word: String,
}

impl View for Loops {
    const NAME: &'static str = "loops";
    const VERSION: u32 = 4;

    fn apply(&mut self, entry: &Entry<'_, '_>) {
        let Part::Loop(told) = &entry.report.part else {
            return;
        };
        let at_ns = entry.time_ns();
        if let Some(run) = entry.facts.actor.as_deref() {
            if let Some(of) = self.loops.touch(run, at_ns) {
                of.apply(told, at_ns, entry);
            }
        } else if let LoopPhase::Anchor = told.phase {
            let session = entry.facts.session.as_deref().unwrap_or(NO_SESSION);
            if let Some(anchor) = self.anchors.touch(session, at_ns) {
                Latest::put(anchor, entry.stamp(), || Anchor::read(told, at_ns));
            }
        } else {
            self.ends.apply(at_ns, entry);
        }
    }
}

impl Told {
    fn apply(&mut self, told: &Loop<'_>, at_ns: i64, entry: &Entry<'_, '_>) {
        let stamp: Stamp = entry.stamp();
        if let Some(session) = entry.facts.session.as_deref() {
            Latest::put(&mut self.session, stamp, || session.to_owned());
        }
        let word = || told.reason.as_deref().map(cut).unwrap_or_default();
        let is_new = match told.phase {
            LoopPhase::State => {
                Latest::put(&mut self.state, stamp, || Stack::read(told, at_ns));
                true
            }
            LoopPhase::Done | LoopPhase::Abort => {
                if let Some(end) = End::read(told, at_ns, entry) {
                    Latest::put(&mut self.end, stamp, || end);
                }
                true
            }
            LoopPhase::Anchor => {
                Latest::put(&mut self.anchor, stamp, || Anchor::read(told, at_ns));
                true
            }
            LoopPhase::Trace => {
                Latest::put(&mut self.trace, stamp, || Trace { at_ns, word: word() });
                true
            }
            LoopPhase::Control => {
                let id = told.request.as_deref().map(str::to_owned);
                Latest::put(&mut self.request, stamp, || Request { at_ns, id, word: word() });
                false
            }
        };
        // Who asks something of a loop says nothing of how it is.
        if is_new {
            self.first_ns = Some(self.first_ns.map_or(at_ns, |first_ns| first_ns.min(at_ns)));
            self.last_ns = self.last_ns.max(Some(at_ns));
        }
    }
}

impl Stack {
    fn read(told: &Loop<'_>, at_ns: i64) -> Self {
        let inner = &told.frames[told.frames.len().saturating_sub(FRAMES_MAX)..];
        let frames = inner.iter().map(FrameRow::read).collect();
        Self { at_ns, frames, paused: told.paused.as_deref().map(cut) }
    }
}

impl Anchor {
    fn read(told: &Loop<'_>, at_ns: i64) -> Self {
        let text = |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(cut);
        Self { at_ns, goal: text(&told.goal), next_step: text(&told.next_step) }
    }
}

#[cfg(test)]
mod tests;

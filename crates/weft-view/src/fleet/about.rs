//! What a session says of itself: the newest value of everything that only has one.

use serde::{Deserialize, Serialize};
use weft_event::report::{Part, Place, Saying, Turn, WorkChange};

use super::shorten;
use crate::files::{Access, access};
use crate::{Entry, Latest, Stamp};

/// What a fact of how far the work is counts in.
const MILLION: f64 = 1e6;

type Text = Option<Latest<String>>;

/// The newest value of everything that only has one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct About {
    pub(super) message: Text,
    pub(super) prompt: Text,
    pub(super) parent: Text,
    pub(super) tenant: Text,
    pub(super) dialect: Text,
    pub(super) host: Text,
    pub(super) folder: Text,
    pub(super) branch: Text,
    pub(super) model: Text,
    pub(super) tool: Option<Latest<Tool>>,
    /// The file that was edited last.
    pub(super) edited: Text,
    pub(super) task: Option<Latest<Task>>,
    /// In millionths, which survive being saved.
    pub(super) progress: Option<Latest<u32>>,
}

/// The tool and file of one event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tool {
    pub(super) tool: Option<String>,
    pub(super) path: Option<String>,
}

/// The task that it is on since this time; none since it put it down.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(super) at_ns: i64,
    pub(super) task: Option<String>,
}

impl About {
    /// Takes in an event of the session.
    pub(super) fn apply(&mut self, name: &str, stamp: Stamp, at_ns: i64, entry: &Entry<'_, '_>) {
        let facts = entry.facts;
        self.say(stamp, entry);
        put(&mut self.parent, stamp, facts.parent.as_deref().filter(|parent| *parent != name));
        put(&mut self.tenant, stamp, facts.tenant.as_deref());
        put(&mut self.dialect, stamp, Some(facts.dialect.as_str()));
        if let Some(place) = &entry.report.place {
            self.stand(stamp, place);
        }
        put(&mut self.model, stamp, facts.usage.as_ref().and_then(|usage| usage.model.as_deref()));
        let (tool, path) = (facts.tool.as_deref(), facts.path.as_deref());
        if tool.is_some() || path.is_some() {
            Latest::change(&mut self.tool, stamp, |known| {
                write(&mut known.tool, tool);
                write(&mut known.path, path);
            });
        }
        put(
            &mut self.edited,
            stamp,
            path.filter(|_| tool.is_some_and(|tool| access(tool) == Access::Write)),
        );
        if let Some(task) = facts.task.as_deref() {
            let mut turn_to = |task| {
                Latest::change(&mut self.task, stamp, |known| {
                    known.at_ns = at_ns;
                    write(&mut known.task, task);
                });
            };
            match hold(entry) {
                Hold::Held => turn_to(Some(task)),
                Hold::PutDown => turn_to(None),
                Hold::Untouched => {}
            }
        }
        if let Some(progress) = facts.progress {
            Latest::put(&mut self.progress, stamp, || (progress * MILLION).round() as u32);
        }
    }

    /// Takes in what is said: its last words and what it was asked to do are apart.
    fn say(&mut self, stamp: Stamp, entry: &Entry<'_, '_>) {
        let message = entry.facts.message.as_deref();
        if let Part::Words(words) = &entry.report.part {
            let text = words.text.as_deref().or(message);
            match words.saying {
                Saying::Prompt => put(&mut self.prompt, stamp, text),
                Saying::Message | Saying::Thought | Saying::Notice => {
                    put(&mut self.message, stamp, text)
                }
                Saying::Chunk | Saying::Title => {}
            }
        } else if let Part::Turn(Turn { words: Some(words), .. }) = &entry.report.part {
            put(&mut self.message, stamp, Some(words));
        } else if !matches!(entry.report.part, Part::Heartbeat) {
            put(&mut self.message, stamp, message);
        }
    }

    fn stand(&mut self, stamp: Stamp, place: &Place<'_>) {
        put(&mut self.host, stamp, place.host.as_deref());
        put(&mut self.folder, stamp, place.folder.as_deref());
        put(&mut self.branch, stamp, place.branch.as_deref());
        put(&mut self.model, stamp, place.model.as_deref());
    }

    /// Returns how far the work is, from 0 to 1.
    pub(super) fn progress(&self) -> Option<f64> {
        self.progress.as_ref().map(|progress| f64::from(*progress.value()) / MILLION)
    }
}

/// Returns the newest value of a text.
pub(super) fn text(slot: &Text) -> Option<&str> {
    slot.as_ref().map(|latest| latest.value().as_str())
}

fn put(slot: &mut Text, stamp: Stamp, text: Option<&str>) {
    if let Some(text) = text {
        Latest::change(slot, stamp, |known| shorten(text).clone_into(known));
    }
}

/// Puts a text in the place of another, and into its memory.
fn write(known: &mut Option<String>, text: Option<&str>) {
    match (known.as_mut(), text) {
        (Some(known), Some(text)) => text.clone_into(known),
        (Some(_) | None, text) => *known = text.map(str::to_owned),
    }
}

/// What an event about a task says of the actor's part in it.
enum Hold {
    /// It is on it.
    Held,
    /// It is no longer on it.
    PutDown,
    /// Nothing: somebody may take it up later.
    Untouched,
}

fn hold(entry: &Entry<'_, '_>) -> Hold {
    let part = &entry.report.part;
    if matches!(part, Part::Handoff) {
        return Hold::PutDown;
    }
    let Part::Work(work) = part else {
        // What changes nothing about its actor may be a word about work that it has put down.
        return if entry.facts.status.is_some() { Hold::Held } else { Hold::Untouched };
    };
    match work.change {
        WorkChange::Exhausted
        | WorkChange::Completed
        | WorkChange::Failed
        | WorkChange::Released => Hold::PutDown,
        WorkChange::Created | WorkChange::Tried | WorkChange::Retried => Hold::Untouched,
        WorkChange::Claimed | WorkChange::Worked | WorkChange::Handled | WorkChange::Split => {
            Hold::Held
        }
    }
}

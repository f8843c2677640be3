//! Decisions: what was chosen, from what, why, and what was turned down and why.
//!
//! A decision may be told in several events, by several actors, in any order: what has the same id is one. What has none is a
//! decision by itself.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use weft_event::report::{Decision, Part};

use crate::ordered::{Ordered, Ranked};
use crate::{At, Entry, First, View, snug};

/// Decisions that are kept.
pub const DECISIONS_MAX: usize = 5_000;
/// Options that are kept of one decision, and records of it.
const PARTS_MAX: usize = 64;

/// When something was said: time, then position.
type Moment = (i64, u64);

/// What was said last of something.
type Word<T> = Option<(Moment, T)>;

/// What was decided.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Decisions {
    decisions: Ordered<Kept, DECISIONS_MAX>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Kept {
    id: Option<String>,
    chosen: Word<String>,
    options: Word<Vec<String>>,
    rationale: Word<String>,
    category: Word<String>,
    task: Word<String>,
    /// By the options' names.
    rejected: Vec<(String, Word<String>)>,
    /// Who says that it was made.
    maker: Word<Maker>,
    /// Who spoke of it first.
    first: Word<Maker>,
    last_ns: i64,
    positions: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Maker {
    actor: Option<String>,
    session: Option<String>,
}

/// A decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DecisionRow {
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// What there was to choose from.
    pub options: Vec<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What was turned down.
    pub rejected: Vec<RejectedRow>,
    /// Whether it was made, and not only spoken of.
    pub is_made: bool,
    /// Who made it, else who spoke of it first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// In which session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The piece of work that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// When it was made, else first spoken of.
    pub since: At,
    /// When it was last spoken of.
    pub last_seen: At,
    /// The records that tell of it.
    pub positions: Vec<u64>,
}

/// An option that was turned down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RejectedRow {
    /// The option.
    pub option: String,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl View for Decisions {
    const NAME: &'static str = "decisions";
    const VERSION: u32 = 1;

    fn apply(&mut self, entry: &Entry<'_, '_>) {
        let Part::Decision(told) = &entry.report.part else { return };
        let id = told.id.as_deref().filter(|id| !id.is_empty());
        // A blank is no beginning of an id, so that a decision without one has a key of its own.
        let key = id.map_or_else(|| format!(" {}", entry.position), str::to_owned);
        self.decisions.change(&key, entry.time_ns(), |kept| {
            kept.id = id.map(str::to_owned);
            kept.put(entry, told);
        });
    }
}

/// The latest first.
impl Ranked for Kept {
    type Rank = Reverse<Moment>;
    type Ranks = Option<Reverse<Moment>>;

    fn ranks(&self) -> Self::Ranks {
        self.positions.first().map(|position| Reverse((self.by().0, *position)))
    }
}

impl Kept {
    fn put(&mut self, entry: &Entry<'_, '_>, told: &Decision<'_>) {
        let facts = entry.facts;
        let now = (entry.time_ns(), entry.position);
        let text = |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(str::to_owned);
        say(&mut self.chosen, now, text(&told.chosen));
        say(&mut self.rationale, now, text(&told.rationale));
        say(&mut self.category, now, text(&told.category));
        say(&mut self.task, now, text(&facts.task));
        let options: Vec<String> =
            told.options.iter().map(ToString::to_string).take(PARTS_MAX).collect();
        say(&mut self.options, now, Some(options).filter(|options| !options.is_empty()));
        if let Some(option) = told.rejected.as_deref() {
            self.reject(now, option, text(&told.reason));
        }
        let maker = || Maker { actor: text(&facts.actor), session: text(&facts.session) };
        say(&mut self.maker, now, told.is_made.then(maker));
        if self.first.as_ref().is_none_or(|(first, _)| now < *first) {
            self.first = Some((now, maker()));
        }
        self.last_ns = self.last_ns.max(now.0);
        if let Err(idx) = self.positions.binary_search(&entry.position) {
            snug::insert(&mut self.positions, idx, entry.position);
        }
        if self.positions.len() > PARTS_MAX {
            self.positions.remove(0);
        }
    }

    fn reject(&mut self, now: Moment, option: &str, reason: Option<String>) {
        let found = self.rejected.binary_search_by(|(known, _)| known.as_str().cmp(option));
        let idx = match found {
            Ok(idx) => idx,
            Err(_) if self.rejected.len() >= PARTS_MAX => return,
            Err(idx) => {
                snug::insert(&mut self.rejected, idx, (option.to_owned(), None));
                idx
            }
        };
        say(&mut self.rejected[idx].1, now, reason);
    }
}

/// Puts a word in the place of an older one.
fn say<T>(word: &mut Word<T>, now: Moment, said: Option<T>) {
    if let Some(said) = said.filter(|_| word.as_ref().is_none_or(|(known, _)| *known <= now)) {
        *word = Some((now, said));
    }
}

fn said<T: Clone>(word: &Word<T>) -> Option<T> {
    word.as_ref().map(|(_, said)| said.clone())
}

impl Decisions {
    /// Returns what was decided, the latest first.
    pub fn rows(&self) -> Vec<DecisionRow> {
        self.first(usize::MAX).rows
    }

    /// Returns the first of these.
    pub fn first(&self, limit: usize) -> First<DecisionRow> {
        self.decisions.first(limit, |_, kept| kept.row())
    }
}

impl Kept {
    /// Returns when it was made and by whom, else when it was first spoken of.
    fn by(&self) -> (i64, Option<&Maker>) {
        let by = self.maker.as_ref().or(self.first.as_ref());
        by.map_or((self.last_ns, None), |((at_ns, _), maker)| (*at_ns, Some(maker)))
    }

    fn row(&self) -> DecisionRow {
        let (at_ns, maker) = self.by();
        let rejected = self
            .rejected
            .iter()
            .map(|(option, reason)| RejectedRow { option: option.clone(), reason: said(reason) });
        DecisionRow {
            id: self.id.clone(),
            chosen: said(&self.chosen),
            options: said(&self.options).unwrap_or_default(),
            rationale: said(&self.rationale),
            category: said(&self.category),
            rejected: rejected.collect(),
            is_made: self.maker.is_some(),
            actor: maker.and_then(|maker| maker.actor.clone()),
            session: maker.and_then(|maker| maker.session.clone()),
            task: said(&self.task),
            since: At(at_ns),
            last_seen: At(self.last_ns),
            positions: self.positions.clone(),
        }
    }
}

#[cfg(test)]
mod tests;

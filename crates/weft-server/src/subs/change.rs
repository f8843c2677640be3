//! Changes of subscriptions, as records: the same for the command line, for HTTP and for the server itself.

use weft_log::admit::Refusal;
use weft_log::log::{Batch, Condition, Durability};
use weft_log::{Store, TopicKey};

use super::books::{self, Books, DEFINITIONS, Dead, Entry, Fate, Note};
use super::definition::{Definition, DefinitionError, State};

/// Why a subscription is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// There is one already.
    #[error("there is a subscription `{name}` already")]
    Exists {
        /// Its name.
        name: String,
    },
    /// There is none.
    #[error("there is no subscription `{name}`")]
    Missing {
        /// The name.
        name: String,
    },
    /// It cannot be read.
    #[error("the subscription `{name}` cannot be read by this version of weft")]
    Unreadable {
        /// Its name.
        name: String,
        /// What is wrong.
        source: DefinitionError,
    },
    /// There are too many.
    #[error("there are {max} subscriptions, and no more may be")]
    TooMany {
        /// How many may be.
        max: usize,
    },
    /// No such dead letter.
    #[error("the event at position {position} is not on the list of the dead of `{name}`")]
    NotDead {
        /// The subscription.
        name: String,
        /// The position.
        position: u64,
    },
}

/// Which dead letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// All of them.
    All,
    /// Those at these positions.
    At(Vec<u64>),
}

/// Records that are written together, if nobody changed the subscription meanwhile.
#[derive(Clone, Debug)]
pub struct Change {
    notes: Vec<Note>,
    condition: Condition,
}

impl Change {
    /// Returns how many records it has.
    pub fn n_notes(&self) -> usize {
        self.notes.len()
    }

    /// Returns what is appended to the log.
    pub fn batch(&self, store: &Store, now_ns: i64) -> Result<Batch, Refusal> {
        let events =
            self.notes.iter().map(|note| note.admit(store, now_ns)).collect::<Result<_, _>>()?;
        let conditions = vec![self.condition.clone()];
        Ok(Batch { events, conditions, durability: Durability::Synced })
    }
}

/// Makes a subscription.
pub fn add(books: &Books, definition: &Definition, max: usize) -> Result<Change, ChangeError> {
    let name = &definition.name;
    if books.get(name).is_some() {
        return Err(ChangeError::Exists { name: name.clone() });
    }
    if books.entries().count() >= max {
        return Err(ChangeError::TooMany { max });
    }
    let condition = Condition { topic: key(name), last: books.last(name) };
    Ok(Change { notes: vec![Note::definition(definition)], condition })
}

/// Gives a subscription another state; `None` if it has it already.
pub fn set_state(books: &Books, name: &str, state: State) -> Result<Option<Change>, ChangeError> {
    let (entry, definition) = find(books, name)?;
    if definition.state == state {
        return Ok(None);
    }
    let changed = Definition { state, ..definition.clone() };
    Ok(Some(change(entry, name, vec![Note::definition(&changed)])))
}

/// Sends a subscription back, or forward: the event at a position is the next.
pub fn replay(books: &Books, name: &str, position: u64) -> Result<Change, ChangeError> {
    let (entry, definition) = find(books, name)?;
    let progress = &entry.progress;
    let seen = progress.settled.last().map_or(0, |range| *range.end()).max(progress.position);
    let changed = Definition {
        round: definition.round + 1,
        start: position.saturating_sub(1),
        replayed_upto: seen.max(definition.replayed_upto),
        ..definition.clone()
    };
    Ok(change(entry, name, vec![Note::definition(&changed)]))
}

/// Lets dead letters be delivered again, or drops them.
pub fn set_fate(
    books: &Books,
    name: &str,
    which: &Which,
    fate: Fate,
) -> Result<Change, ChangeError> {
    let (entry, definition) = find(books, name)?;
    let chosen: Vec<&Dead> = match which {
        Which::All => entry.dead.values().collect(),
        Which::At(positions) => {
            let dead = |position: &u64| {
                let missing =
                    || ChangeError::NotDead { name: name.to_owned(), position: *position };
                entry.dead.get(position).ok_or_else(missing)
            };
            positions.iter().map(dead).collect::<Result<_, _>>()?
        }
    };
    let note = |dead: &Dead| Note::dead(definition, &Dead { fate, ..dead.clone() });
    Ok(change(entry, name, chosen.into_iter().map(note).collect()))
}

fn find<'b>(books: &'b Books, name: &str) -> Result<(&'b Entry, &'b Definition), ChangeError> {
    let entry = books.get(name).ok_or_else(|| ChangeError::Missing { name: name.to_owned() })?;
    match &entry.definition {
        Ok(definition) => Ok((entry, definition)),
        Err(source) => {
            Err(ChangeError::Unreadable { name: name.to_owned(), source: source.clone() })
        }
    }
}

fn change(entry: &Entry, name: &str, notes: Vec<Note>) -> Change {
    Change { notes, condition: Condition { topic: key(name), last: Some(entry.position) } }
}

fn key(name: &str) -> TopicKey {
    books::topic(DEFINITIONS, name.to_owned())
}

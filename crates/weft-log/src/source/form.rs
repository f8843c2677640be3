//! What the lines of a file are: events, or rows in which an agent records a session.

use std::path::{Path, PathBuf};

use weft_event::input::{Ending, Item, Line};
use weft_event::json::Tape;
use weft_event::transcript::{Client, Reader};

use super::batch::Batch;
use super::walk;

/// What the lines of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Events, as they are.
    Events,
    /// Rows of sessions of this client, which become events.
    Sessions(Client),
}

impl Form {
    /// Returns whether a search for files of this form takes one of this name.
    pub(super) fn takes(self, path: &Path) -> bool {
        match self {
            Form::Events => walk::has_extension(path),
            Form::Sessions(client) => client.takes(&path.to_string_lossy()),
        }
    }
}

/// Which form files have, by the paths that were named.
#[derive(Clone, Debug, Default)]
pub(super) struct Forms(Vec<(PathBuf, Form)>);

impl Forms {
    pub(super) fn add(&mut self, path: PathBuf, form: Form) {
        self.0.push((path, form));
        // The longest first: the nearest folder above a file says what it is.
        self.0.sort_by_key(|(path, _)| std::cmp::Reverse(path.as_os_str().len()));
    }

    /// Returns the form of what stands at a path.
    pub(super) fn of(&self, path: &Path) -> Form {
        let named = self.0.iter().find(|(named, _)| path.starts_with(named));
        named.map_or(Form::Events, |(_, form)| *form)
    }
}

/// Makes events of the rows of one file.
#[derive(Clone, Debug)]
pub(super) struct Translator(Reader);

impl Translator {
    /// Returns one that goes on where another was, or begins with a file's first line; `None` where lines are events already, or
    /// what the other left is of no use.
    pub(super) fn new(form: Form, path: &Path, state: Option<&str>) -> Option<Self> {
        let path = path.to_string_lossy();
        match (form, state) {
            (Form::Events, _) => None,
            (Form::Sessions(client), None) => Some(Self(Reader::new(client, &path))),
            (Form::Sessions(client), Some(state)) => Reader::resume(client, &path, state).map(Self),
        }
    }

    /// Returns what is left of a state when the file is read from its first line again.
    pub(super) fn state_again(form: Form, path: &Path, state: &str) -> Option<String> {
        match form {
            Form::Events => None,
            Form::Sessions(client) => {
                Some(Reader::again(client, &path.to_string_lossy(), state).state())
            }
        }
    }

    /// Returns what [`Translator::new`] takes.
    pub(super) fn state(&self) -> String {
        self.0.state()
    }

    /// Adds what a line tells to a batch. One that is no row goes on as it is: whoever judges it says why.
    pub(super) fn push(&mut self, item: Item<'_>, tape: &mut Tape, batch: &mut Batch) {
        let line = match item {
            Item::Line(line) => line,
            Item::Fault(_) => return batch.push(item),
        };
        let mut events = Vec::new();
        // A line that ends with the file is read again when more of it comes, as if it had not been read before.
        let mut once = (line.ending == Ending::EndOfInput).then(|| self.0.clone());
        let reader = once.as_mut().unwrap_or(&mut self.0);
        match reader.read(tape, &line.on_one_line(), &mut events) {
            Ok(()) => {
                for event in &events {
                    batch.push(Item::Line(Line { bytes: event.as_bytes(), ..line }));
                }
            }
            Err(_) => batch.push(item),
        }
    }
}

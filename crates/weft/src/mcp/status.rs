//! Where `weft mcp` is installed.

use weft_event::json::Json;

use super::entry::Entry;
use super::place::Place;
use crate::columns::{self, Columns};
use crate::output::Shown;
use crate::settings_file::file;

/// What is known of one file.
pub(super) struct Look {
    place: Place,
    path: String,
    state: State,
}

enum State {
    Missing,
    Unreadable(String),
    Absent,
    Present { entry: Entry, is_current: bool },
}

/// Looks at a place.
pub(super) fn look(place: Place) -> anyhow::Result<Look> {
    let path = place.file()?;
    let found = || match file::read(&path)? {
        None => Ok(State::Missing),
        Some(text) => match place.look(&text)? {
            None => Ok(State::Absent),
            Some(entry) => {
                let is_current = place.wanted(entry.store())? == entry;
                Ok(State::Present { entry, is_current })
            }
        },
    };
    let state =
        found().unwrap_or_else(|error: anyhow::Error| State::Unreadable(format!("{error:#}")));
    Ok(Look { place, path: path.display().to_string(), state })
}

/// Returns what was found, for a person.
pub(super) fn text(looks: &[Look]) -> String {
    let mut files = Columns::new(["PLACE", "STATE", "FILE"], columns::terminal_columns());
    let row =
        |look: &Look| vec![look.place.as_str().to_owned(), look.state.text(), look.path.clone()];
    files.render(looks.iter().map(row).collect())
}

/// Returns it as one JSON object.
pub(super) fn json(looks: &[Look]) -> String {
    let files = looks.iter().map(|look| {
        Json::object(|object| {
            object.text("place", look.place.as_str());
            object.text("path", &look.path);
            object.text("state", &look.state.text());
            let store = look.state.store().map_or(Json::null(), Json::text);
            object.json("store", &store);
        })
    });
    let all = Json::object(|object| object.json("files", &Json::array(files)));
    format!("{}\n", all.as_str())
}

impl State {
    fn store(&self) -> Option<&str> {
        match self {
            State::Present { entry, .. } => entry.store(),
            State::Missing | State::Unreadable(_) | State::Absent => None,
        }
    }

    fn text(&self) -> String {
        match self {
            State::Missing => "no file".to_owned(),
            State::Unreadable(why) => format!("cannot be read: {}", Shown(why)),
            State::Absent => "not installed".to_owned(),
            State::Present { is_current, .. } => {
                let state = if *is_current { "installed" } else { "out of date" };
                match self.store() {
                    Some(store) => format!("{state}, to {}", Shown(store)),
                    None => state.to_owned(),
                }
            }
        }
    }
}

//! Which hooks are installed where, and which fired lately.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use weft_event::collector::hook_event_type;
use weft_event::hook::Caller;
use weft_event::json::Json;
use weft_event::time::{SECOND_NS, format_rfc3339};
use weft_log::index::SqlValue;
use weft_log::{Filter, Store};

use super::commands;
use super::place::Place;
use super::settings::{self, Present};
use super::wanted::{self, Part};
use crate::columns::{self, Columns};
use crate::hook::VIA;
use crate::output::Shown;
use crate::records;
use crate::settings_file::file;
use crate::settings_file::json::SettingsError;
use crate::stores::StoreArgs;
use crate::times::Clock;

/// How far back is lately.
const LATELY_DAYS: i64 = 7;

/// What is known of one file.
struct Look {
    place: Place,
    path: String,
    state: State,
}

enum State {
    Missing,
    Unreadable(String),
    Read(Read),
}

/// What stands in a file.
struct Read {
    present: Vec<Present>,
    n_wanted: usize,
    /// The store that its entries name, if they do.
    store: Option<String>,
    are_all_off: bool,
    /// How many slash commands there are, and of how many, where loops are run.
    commands: Option<(usize, usize)>,
}

/// How often a type of hook fired, and when last.
#[derive(Default)]
struct Fired {
    n: i64,
    last_ns: i64,
}

/// Returns the state of these places, for a person or a program.
pub(super) fn status(places: &[Place], store: &StoreArgs) -> anyhow::Result<Status> {
    let looks = places.iter().map(|place| look(*place)).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(Status { looks, fired: fired(store)? })
}

/// What there is to tell.
pub(super) struct Status {
    looks: Vec<Look>,
    /// By type; `None` if there is no store.
    fired: Option<BTreeMap<String, Fired>>,
}

fn look(place: Place) -> anyhow::Result<Look> {
    let path = place.file()?;
    let program = place.program()?;
    let commands = place.commands()?.map(|folder| commands::count(&folder)).transpose()?;
    let read = |text: String| -> Result<State, SettingsError> {
        let store = settings::store(&text)?;
        let part = settings::part(&text)?;
        let wanted = wanted::wanted(place.caller(), part, &program, store.as_deref());
        let are_all_off = settings::are_all_off(&text)?;
        let present = settings::look(&text, &wanted)?;
        let (n_wanted, commands) = (wanted.len(), commands.filter(|_| part == Part::Loops));
        Ok(State::Read(Read { present, n_wanted, store, are_all_off, commands }))
    };
    let state = match file::read(&path) {
        Ok(None) => State::Missing,
        Ok(Some(text)) => read(text).unwrap_or_else(|error| State::Unreadable(error.to_string())),
        Err(error) => State::Unreadable(format!("{error:#}")),
    };
    Ok(Look { place, path: path.display().to_string(), state })
}

fn fired(args: &StoreArgs) -> anyhow::Result<Option<BTreeMap<String, Fired>>> {
    if Store::open(&args.folder()?).is_err() {
        return Ok(None);
    }
    let records = records::open(args, &Filter::all())?;
    let mut fired: BTreeMap<String, Fired> = BTreeMap::new();
    let Some(index) = records.index() else { return Ok(Some(fired)) };
    let since_us = (crate::times::now_ns() - LATELY_DAYS * 24 * 60 * 60 * SECOND_NS) / 1_000;
    // Times of receipt rise with the positions, so that nothing older is looked at.
    let query = format!(
        "SELECT type, count(*), max(time_ns) FROM events WHERE via = '{VIA}' AND position > coalesce((\
             SELECT position FROM records WHERE at_us <= {since_us} ORDER BY position DESC LIMIT 1), 0) \
         GROUP BY type"
    );
    index.sql(&query, |_, row| {
        if let [SqlValue::Text(name), SqlValue::Integer(n), SqlValue::Integer(last_ns)] = row {
            fired.insert(name.clone(), Fired { n: *n, last_ns: *last_ns });
        }
        ControlFlow::Continue(())
    })?;
    Ok(Some(fired))
}

impl Status {
    /// Returns it as text.
    pub(super) fn text(&self, clock: &Clock) -> String {
        let mut files = Columns::new(["PLACE", "STATE", "FILE"], columns::terminal_columns());
        let row = |look: &Look| {
            vec![look.place.as_str().to_owned(), look.state.text(), look.path.clone()]
        };
        let mut text = files.render(self.looks.iter().map(row).collect());
        let Some(fired) = &self.fired else {
            return text + "\nNo hook has fired yet: there is no store.\n";
        };
        let header = ["HOOK", "INSTALLED", "LAST FIRED", "IN 7 DAYS"];
        let mut hooks = Columns::new(header, columns::terminal_columns());
        let rows = self.hooks().into_iter().map(|(hook, event_type)| {
            let fired = fired.get(&event_type);
            let last = fired.map_or_else(|| "-".to_owned(), |fired| clock.brief(fired.last_ns));
            let n = fired.map_or(0, |fired| fired.n);
            vec![hook.clone(), self.where_installed(&hook), last, n.to_string()]
        });
        text.push('\n');
        text += &hooks.render(rows.collect());
        text
    }

    /// Returns it as one JSON object.
    pub(super) fn json(&self) -> String {
        let files = self.looks.iter().map(Look::json);
        let hooks = self.hooks().into_iter().map(|(hook, event_type)| {
            let fired = self.fired.as_ref().and_then(|fired| fired.get(&event_type));
            Json::object(|object| {
                object.text("hook", &hook);
                object.text("type", &event_type);
                let places = self.looks.iter().filter(|look| look.has(&hook));
                let places = places.map(|look| Json::text(look.place.as_str()));
                object.json("installed", &Json::array(places));
                object.json("fired", &Json::integer(fired.map_or(0, |fired| fired.n)));
                let last = fired.map(|fired| Json::text(&format_rfc3339(fired.last_ns)));
                object.json("last", &last.unwrap_or(Json::null()));
            })
        });
        let all = Json::object(|object| {
            object.json("days", &Json::integer(LATELY_DAYS));
            object.json("files", &Json::array(files));
            object.json("hooks", &Json::array(hooks));
        });
        format!("{}\n", all.as_str())
    }

    /// Returns the hooks that are known, installed or fired, with their types.
    fn hooks(&self) -> Vec<(String, String)> {
        let known = Caller::ClaudeCode.hooks().iter();
        let mut hooks: Vec<(String, String)> =
            known.map(|hook| ((*hook).to_owned(), hook_event_type(hook).into_owned())).collect();
        for event_type in self.fired.iter().flat_map(BTreeMap::keys) {
            if !hooks.iter().any(|(_, known)| known == event_type) {
                hooks.push((event_type.clone(), event_type.clone()));
            }
        }
        hooks
    }

    fn where_installed(&self, hook: &str) -> String {
        let places = self.looks.iter().filter(|look| look.has(hook));
        let places: Vec<&str> = places.map(|look| look.place.as_str()).collect();
        if places.is_empty() { "-".to_owned() } else { places.join(", ") }
    }
}

impl Look {
    fn read(&self) -> Option<&Read> {
        match &self.state {
            State::Read(read) => Some(read),
            State::Missing | State::Unreadable(_) => None,
        }
    }

    fn has(&self, hook: &str) -> bool {
        let mut present = self.read().into_iter().flat_map(|read| &read.present);
        present.any(|present| present.event == hook)
    }

    fn json(&self) -> Json<'static> {
        let store = self.read().and_then(|read| read.store.as_deref());
        Json::object(|object| {
            object.text("place", self.place.as_str());
            object.text("path", &self.path);
            object.text("state", &self.state.text());
            object.json("store", &store.map_or(Json::null(), Json::text));
        })
    }
}

impl State {
    fn text(&self) -> String {
        match self {
            State::Missing => "no file".to_owned(),
            State::Unreadable(why) => format!("cannot be read: {}", Shown(why)),
            State::Read(read) if read.present.is_empty() => "not installed".to_owned(),
            State::Read(read) => {
                let n_stale = read.present.iter().filter(|present| !present.is_current).count();
                let mut text = format!("{} of {} hooks", read.present.len(), read.n_wanted);
                if n_stale > 0 {
                    text += &format!(", {n_stale} out of date");
                }
                if let Some((n, of)) = read.commands {
                    text += &format!(", {n} of {of} commands");
                }
                if read.are_all_off {
                    text += ", all hooks are switched off";
                }
                if let Some(store) = &read.store {
                    text += &format!(", to {}", Shown(store));
                }
                text
            }
        }
    }
}

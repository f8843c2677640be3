//! `weft doctor`: everything around a store that can be wrong, and what to do about it.

mod access;
mod disk;
mod log;
mod notify;
mod server;

use weft_event::json::Json;
use weft_log::{Store, StoreError};

use crate::Outcome;
use crate::output::{Shown, print};
use crate::stores::StoreArgs;

const EXAMPLES: &str = "\
Examples:
  weft doctor           look at the store, its server and its disk
  weft doctor --json    let a program read it

Nothing is changed but a small file that is written and removed to measure the disk.
Exit codes: 0 nothing has to be done, 1 something has, 2 wrong use.";

/// Check the store, its server and its disk, and say what to do
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What a look at one thing found.
struct Check {
    /// What was looked at.
    name: &'static str,
    level: Level,
    /// What it is like.
    text: String,
    /// What to do about it; empty if that is nothing.
    advice: String,
}

/// What a finding means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Fine,
    /// Good to know.
    Note,
    /// Something has to be done.
    Wrong,
}

impl Level {
    fn word(self) -> &'static str {
        match self {
            Level::Fine => "ok",
            Level::Note => "note",
            Level::Wrong => "wrong",
        }
    }
}

impl Check {
    fn fine(name: &'static str, text: impl Into<String>) -> Self {
        Self { name, level: Level::Fine, text: text.into(), advice: String::new() }
    }

    fn note(name: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, level: Level::Note, text: text.into(), advice: advice.into() }
    }

    fn wrong(name: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, level: Level::Wrong, text: text.into(), advice: advice.into() }
    }

    fn text(&self) -> String {
        let advice = if self.advice.is_empty() { "" } else { ": " };
        let line = format!("{}{advice}{}", self.text, self.advice);
        format!("{:<6}{:<9}{}\n", self.level.word(), self.name, Shown(&line))
    }

    fn json(&self) -> Json<'static> {
        Json::object(|object| {
            object.text("check", self.name);
            object.text("level", self.level.word());
            object.text("message", &self.text);
            if !self.advice.is_empty() {
                object.text("advice", &self.advice);
            }
        })
    }
}

pub(crate) fn run(args: Args) -> anyhow::Result<Outcome> {
    let folder = args.store.folder()?;
    let checks = match Store::open(&folder) {
        Ok(store) => look(&store),
        Err(error @ StoreError::Missing { .. }) => {
            vec![Check::wrong("store", error.to_string(), "")]
        }
        Err(error) => return Err(error.into()),
    };
    let is_wrong = checks.iter().any(|check| check.level == Level::Wrong);
    let text = if args.json {
        let object = Json::object(|object| {
            object.json("fine", &Json::bool(!is_wrong));
            object.json("checks", &Json::array(checks.iter().map(Check::json)));
        });
        format!("{}\n", object.as_str())
    } else {
        checks.iter().map(Check::text).collect()
    };
    print(text.as_bytes())?;
    Ok(if is_wrong { Outcome::Found } else { Outcome::Fine })
}

fn look(store: &Store) -> Vec<Check> {
    let mut checks = Vec::new();
    checks.extend(log::look(store));
    checks.extend(server::look(store));
    checks.extend(disk::look(store));
    checks
}

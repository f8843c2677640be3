//! The settings of a server: one order for all of them (flag, environment, file, default), and an error for whatever is not one.
//!
//! It reads no file and no environment itself: both come in as arguments.

mod folder;
mod judging;
mod key;
mod list;
mod notify;
mod table;
mod value;

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};
use tracing::level_filters::LevelFilter;
use weft_event::transcript::Client;
use weft_log::redact::Settings;
use weft_view::usage::Limit;
use weft_view::{Judgement, Prices, Rules};

use crate::limits::Limits;
use crate::notify::Rule;
use crate::tls::TlsFiles;
use key::{env_name, nearest, slots};
use value::{Given, Wrong};

pub use folder::FolderSetting;
pub use judging::PriceSetting;

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Where HTTP is spoken; `None` for loopback at the usual port.
    pub listen: Option<Vec<SocketAddr>>,
    /// Host names that requests may be for, beside this machine's own.
    pub hosts: Vec<String>,
    /// Origins of pages that may ask, beside the server's own.
    pub origins: Vec<String>,
    /// The file of the server's certificate, with those that vouch for it.
    tls_cert: Option<PathBuf>,
    /// The file of its key. It is there if the certificate is.
    tls_key: Option<PathBuf>,
    /// From which level on the server tells of itself.
    pub log: LevelFilter,
    /// The agents whose sessions are read while the server runs.
    pub sessions: Sessions,
    /// The folders that are read while it runs.
    pub folders: Vec<FolderSetting>,
    /// How secrets are kept out of the store.
    pub redact: Settings,
    /// The thresholds of rules by which views judge.
    pub rules: Rules,
    /// What models cost, in the place of built-in prices or beside them.
    pub prices: Vec<PriceSetting>,
    /// Budgets that usage is held against.
    pub budgets: Vec<Limit>,
    /// Who is told when something needs a person.
    pub notify: Vec<Rule>,
    /// The limits.
    pub limits: Limits,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            tls_cert: None,
            tls_key: None,
            log: LevelFilter::WARN,
            sessions: Sessions::default(),
            folders: Vec::new(),
            redact: Settings::default(),
            rules: Rules::default(),
            prices: Vec::new(),
            budgets: Vec::new(),
            notify: Vec::new(),
            limits: Limits::default(),
        }
    }
}

/// The agents whose sessions are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sessions {
    claude: bool,
    codex: bool,
    gemini: bool,
}

impl Sessions {
    /// Returns the agents.
    pub fn clients(&self) -> impl Iterator<Item = Client> {
        let Self { claude, codex, gemini } = *self;
        let all = [(claude, Client::ClaudeCode), (codex, Client::Codex), (gemini, Client::Gemini)];
        all.into_iter().filter(|(is_set, _)| *is_set).map(|(_, client)| client)
    }
}

impl Config {
    /// Returns the files of the server's certificate and key, if HTTP is encrypted.
    pub fn tls(&self) -> Option<TlsFiles> {
        let (cert, key) = (self.tls_cert.clone()?, self.tls_key.clone()?);
        Some(TlsFiles { cert, key })
    }

    /// Returns what views are judged by.
    pub fn judgement(&self) -> Judgement {
        let mut prices = Prices::default();
        self.prices.iter().for_each(|price| prices.set(&price.price()));
        Judgement { rules: self.rules.clone(), prices, limits: self.budgets.clone() }
    }
}

/// Where settings come from.
pub struct Sources<'s> {
    /// The file's name and text, if there is one.
    pub file: Option<(&'s Path, &'s str)>,
    /// Returns a variable of the environment.
    pub environment: &'s dyn Fn(&str) -> Option<String>,
    /// What flags say: the name of the setting, and the text.
    pub flags: &'s [(&'s str, String)],
}

/// One setting, and why it is as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name, such as `limits.body_bytes_max`.
    pub name: &'static str,
    /// Its value, as it would be written.
    pub value: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// The file.
    File {
        /// The line in it.
        line: usize,
    },
    /// The environment.
    Environment {
        /// The name of the variable.
        variable: String,
    },
    /// A flag.
    Flag {
        /// The flag, as it is written.
        flag: String,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { line } => write!(f, "file, line {line}"),
            Origin::Environment { variable } => f.write_str(variable),
            Origin::Flag { flag } => f.write_str(flag),
        }
    }
}

/// What is wrong with a setting, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ConfigError {
    /// `file:line:column`, the variable or the flag.
    pub place: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

/// Settles every setting; returns them with where they come from, or everything that is wrong.
pub fn resolve(sources: &Sources<'_>) -> Result<(Config, Vec<Setting>), Vec<ConfigError>> {
    let mut config = Config::default();
    let (mut given, mut errors) = (Vec::new(), Vec::new());
    if let Some((path, text)) = sources.file {
        read_file(path, text, &mut given, &mut errors);
    }
    for (name, _) in slots(&mut Config::default()) {
        let variable = env_name(name);
        if let Some(text) = (sources.environment)(&variable) {
            let origin = Origin::Environment { variable: variable.clone() };
            given.push(Said { name, given: Given::Text(text), origin, place: variable });
        }
    }
    for (name, text) in sources.flags {
        let flag = format!("--{}", name.replace('.', "-"));
        let (place, origin) = (flag.clone(), Origin::Flag { flag });
        let given_text = Given::Text(text.clone());
        match known(name) {
            Some(name) => given.push(Said { name, given: given_text, origin, place }),
            None => errors.push(ConfigError { place, message: "no such setting".to_owned() }),
        }
    }
    let mut origins: Vec<(&'static str, Origin)> = Vec::new();
    let mut places = Vec::new();
    for Said { name, given, origin, place } in given {
        match set(&mut config, name, &given, folder_of(&origin, sources)) {
            Ok(()) => {
                origins.push((name, origin));
                places.push((name, place));
            }
            Err(wrong) => errors.push(ConfigError { place, message: wrong.to_string() }),
        }
    }
    errors.extend(half_of_tls(&config, &places));
    if !errors.is_empty() {
        return Err(errors);
    }
    let settings = slots(&mut config.clone())
        .into_iter()
        .map(|(name, slot)| {
            let last = origins.iter().rev().find(|(set, _)| *set == name);
            let origin = last.map_or(Origin::Default, |(_, origin)| origin.clone());
            Setting { name, value: slot.show(), origin }
        })
        .collect();
    Ok((config, settings))
}

/// Returns the folder that the names of files count from where a setting comes from.
fn folder_of<'s>(origin: &Origin, sources: &Sources<'s>) -> &'s Path {
    let file = sources.file.and_then(|(path, _)| path.parent());
    match origin {
        Origin::File { .. } => file.unwrap_or(Path::new("")),
        Origin::Default | Origin::Environment { .. } | Origin::Flag { .. } => Path::new(""),
    }
}

/// Says that a certificate is named without its key, or the other way round.
fn half_of_tls(config: &Config, places: &[(&str, String)]) -> Option<ConfigError> {
    let (there, missing) = match (&config.tls_cert, &config.tls_key) {
        (Some(_), None) => ("tls.cert", "tls.key"),
        (None, Some(_)) => ("tls.key", "tls.cert"),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    let place = places.iter().rev().find(|(name, _)| *name == there)?.1.clone();
    let message = format!("`{there}` is set and `{missing}` is not: a certificate needs its key");
    Some(ConfigError { place, message })
}

/// A value that somebody gave.
struct Said {
    name: &'static str,
    given: Given,
    origin: Origin,
    place: String,
}

fn known(name: &str) -> Option<&'static str> {
    slots(&mut Config::default()).into_iter().map(|(known, _)| known).find(|known| *known == name)
}

/// Reads the file: its tables have the names before the dot.
fn read_file(path: &Path, text: &str, given: &mut Vec<Said>, errors: &mut Vec<ConfigError>) {
    let place_of = |offset: usize| {
        let (line, column) = line_and_column(text, offset);
        (line, format!("{}:{line}:{column}", path.display()))
    };
    let table = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(error) => {
            let (_, place) = place_of(error.span().map_or(0, |span| span.start));
            errors.push(ConfigError { place, message: error.message().to_owned() });
            return;
        }
    };
    let (mut waiting, mut found) = (vec![(String::new(), table)], Vec::new());
    while let Some((before, table)) = waiting.pop() {
        for (key, value) in table {
            let name = format!("{before}{}", key.get_ref());
            match value.into_inner() {
                DeValue::Table(table) if key::is_table(&name) => {
                    waiting.push((format!("{name}."), table));
                }
                value => found.push((key.span().start, name, Given::of(value))),
            }
        }
    }
    found.sort_by_key(|(offset, _, _)| *offset);
    for (offset, name, value) in found {
        let (line, place) = place_of(offset);
        let Some(name) = known(&name) else {
            errors.push(ConfigError { place, message: unknown(&name) });
            continue;
        };
        match set(&mut Config::default(), name, &value, Path::new("")) {
            Ok(()) => {
                given.push(Said { name, given: value, origin: Origin::File { line }, place });
            }
            Err(wrong) => {
                let (_, place) = place_of(wrong.place().unwrap_or(offset));
                errors.push(ConfigError { place, message: wrong.to_string() });
            }
        }
    }
}

fn set(config: &mut Config, name: &str, given: &Given, folder: &Path) -> Result<(), Wrong> {
    let mut slots = slots(config);
    let (_, slot) = slots.iter_mut().find(|(known, _)| *known == name).expect("it is known");
    slot.set(given, folder)
}

fn unknown(name: &str) -> String {
    if key::is_table(name) {
        return format!("`{name}` is a table of settings: write [{name}] above them");
    }
    match nearest(name) {
        Some(near) => format!("there is no setting `{name}`; is `{near}` meant?"),
        None => format!("there is no setting `{name}`; `weft config show` lists them"),
    }
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests;

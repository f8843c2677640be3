//! The values of settings: how they are written, and what is wrong with those that are not so.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;
use tracing::level_filters::LevelFilter;
use weft_event::secrets::Rule;

use super::list::List;

/// A value as it was given.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Given {
    Text(String),
    Integer(u64),
    Decimal(f64),
    Bool(bool),
    List(Vec<Given>),
    Table(Vec<Member>),
    /// Anything else.
    Other(&'static str),
}

/// A member of a table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) name: String,
    /// Where in the file it stands.
    pub(super) at: usize,
    pub(super) given: Given,
}

/// Why a value does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Wrong {
    #[error("{got} is not {wanted}")]
    Kind { got: String, wanted: &'static str },
    #[error("it has to be at least 1")]
    Zero,
    #[error("there is no rule `{name}`; there are {}", names())]
    NoRule { name: String },
    #[error("this is set by tables in the file: write [[{what}]] above its settings")]
    NoTables { what: &'static str },
    #[error("[[{what}]] has no `{name}`; {hint}")]
    NoMember { what: &'static str, name: String, hint: String },
    #[error("{message}")]
    Said { message: String },
    /// The same, within a value.
    #[error("{wrong}")]
    At { at: usize, wrong: Box<Wrong> },
}

impl Wrong {
    /// Says where in the file it is, unless that is known better.
    pub(super) fn at(self, at: usize) -> Self {
        if self.place().is_some() { self } else { Wrong::At { at, wrong: Box::new(self) } }
    }

    /// Returns where in the file it is, if that is within the value.
    pub(super) fn place(&self) -> Option<usize> {
        if let Wrong::At { at, .. } = self { Some(*at) } else { None }
    }
}

/// Where a setting is kept.
pub(super) enum Slot<'c> {
    File(&'c mut Option<PathBuf>),
    Level(&'c mut LevelFilter),
    Count(&'c mut usize),
    /// A count that may be 0.
    Times(&'c mut usize),
    Positions(&'c mut u64),
    Bytes(&'c mut usize),
    Time(&'c mut Duration),
    /// Milliseconds, which may be 0.
    Span(&'c mut u64),
    /// From 0 to 1.
    Share(&'c mut f64),
    Switch(&'c mut bool),
    List(List<'c>),
}

/// Returns the names of the built-in rules.
fn names() -> String {
    Rule::ALL.map(Rule::name).join(", ")
}

impl Given {
    /// Returns what a file says.
    pub(super) fn of(value: DeValue<'_>) -> Self {
        match value {
            DeValue::String(text) => Given::Text(text.into_owned()),
            DeValue::Integer(number) => {
                let digits = number.as_str().replace('_', "");
                let parsed = u64::from_str_radix(&digits, number.radix());
                parsed.map_or(Given::Other("a number below 0 or too large"), Given::Integer)
            }
            DeValue::Array(items) => {
                Given::List(items.into_iter().map(|item| Given::of(item.into_inner())).collect())
            }
            DeValue::Float(number) => {
                let parsed = number.as_str().replace('_', "").parse();
                parsed.map_or(Given::Other("no number"), Given::Decimal)
            }
            DeValue::Boolean(value) => Given::Bool(value),
            DeValue::Datetime(_) => Given::Other("a time"),
            DeValue::Table(members) => {
                let member = |(key, value): (Spanned<Cow<'_, str>>, Spanned<DeValue<'_>>)| {
                    let at = key.span().start;
                    let (name, given) = (key.into_inner().into_owned(), value.into_inner());
                    Member { name, at, given: Given::of(given) }
                };
                let mut members: Vec<Member> = members.into_iter().map(member).collect();
                members.sort_by_key(|member| member.at);
                Given::Table(members)
            }
        }
    }

    pub(super) fn show(&self) -> String {
        match self {
            Given::Text(text) => format!("`{text}`"),
            Given::Integer(number) => number.to_string(),
            Given::Decimal(number) => number.to_string(),
            Given::Bool(value) => value.to_string(),
            Given::List(_) => "a list".to_owned(),
            Given::Table(_) => "a table".to_owned(),
            Given::Other(what) => (*what).to_owned(),
        }
    }

    /// Returns the text of one word, whichever way it was given.
    fn text(&self) -> Option<String> {
        match self {
            Given::Text(text) => Some(text.trim().to_owned()),
            Given::Integer(number) => Some(number.to_string()),
            Given::Decimal(number) => Some(number.to_string()),
            Given::Bool(value) => Some(value.to_string()),
            Given::List(_) | Given::Table(_) | Given::Other(_) => None,
        }
    }

    /// Returns a text as it stands.
    pub(super) fn verbatim(&self) -> Option<String> {
        if let Given::Text(text) = self { Some(text.clone()) } else { None }
    }

    /// Returns a text that is not empty.
    pub(super) fn word(&self) -> Option<String> {
        self.verbatim().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Returns a number, not below 0.
    pub(super) fn amount(&self) -> Option<f64> {
        let amount: f64 = self.text()?.replace('_', "").parse().ok()?;
        (amount.is_finite() && amount >= 0.0).then_some(amount)
    }

    /// Returns a whole number, not below 0.
    pub(super) fn whole(&self) -> Option<u64> {
        self.text()?.replace('_', "").parse().ok()
    }

    /// Returns true or false.
    pub(super) fn switch(&self) -> Option<bool> {
        self.text()?.parse().ok()
    }

    /// Returns a time with its unit.
    pub(super) fn time(&self) -> Option<Duration> {
        parse_time(&self.text()?)
    }

    /// Returns the texts of a list; one text may hold several with commas between.
    pub(super) fn texts(&self) -> Option<Vec<String>> {
        match self {
            Given::List(items) => items.iter().map(Given::text).collect(),
            Given::Text(text) => Some(text.split(',').map(|part| part.trim().to_owned()).collect()),
            Given::Integer(_)
            | Given::Decimal(_)
            | Given::Bool(_)
            | Given::Table(_)
            | Given::Other(_) => None,
        }
    }
}

/// How times are written.
pub(super) const TIME: &str = "a time with its unit, such as 500ms, 30s or 2m";

impl Slot<'_> {
    /// Sets it. Names of files count from a folder.
    pub(super) fn set(&mut self, given: &Given, folder: &Path) -> Result<(), Wrong> {
        let wrong = |wanted| Wrong::Kind { got: given.show(), wanted };
        let number = || {
            let number = given.text().and_then(|text| text.replace('_', "").parse().ok());
            number.ok_or_else(|| wrong("a number"))
        };
        match self {
            Slot::File(file) => {
                let name = given.text().filter(|name| !name.is_empty());
                **file = Some(folder.join(name.ok_or_else(|| wrong("the name of a file"))?));
            }
            Slot::Switch(switch) => {
                **switch = given.switch().ok_or_else(|| wrong("true or false"))?;
            }
            Slot::Level(level) => {
                let word = given.text().unwrap_or_default();
                let wanted = "one of off, error, warn, info, debug and trace";
                **level = word.parse().map_err(|_no_level| wrong(wanted))?;
            }
            Slot::Count(count) => **count = positive(number()?)?,
            Slot::Times(times) => **times = number()?,
            Slot::Positions(count) => **count = positive(number()?)? as u64,
            Slot::Bytes(bytes) => {
                let number = given.text().and_then(|text| parse_bytes(&text));
                let wanted = "a number of bytes, such as 65536, 64K or 16M";
                **bytes = positive(number.ok_or_else(|| wrong(wanted))?)?;
            }
            Slot::Time(time) => {
                **time = given.time().ok_or_else(|| wrong(TIME))?;
                if time.is_zero() {
                    return Err(Wrong::Zero);
                }
            }
            Slot::Span(ms) => {
                let nothing = (given.whole() == Some(0)).then_some(Duration::ZERO);
                let time = nothing.or(given.time()).ok_or_else(|| wrong(TIME))?;
                **ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            }
            Slot::Share(share) => {
                let share_given = given.amount().filter(|share| *share <= 1.0);
                **share = share_given.ok_or_else(|| wrong("a share from 0 to 1, such as 0.8"))?;
            }
            Slot::List(list) => list.set(given, folder)?,
        }
        Ok(())
    }

    /// Returns the value as it would be written.
    pub(super) fn show(&self) -> String {
        match self {
            Slot::File(None) => "none".to_owned(),
            Slot::File(Some(file)) => file.display().to_string(),
            Slot::Level(level) => level.to_string(),
            Slot::Count(count) | Slot::Times(count) => count.to_string(),
            Slot::Positions(count) => count.to_string(),
            Slot::Bytes(bytes) => show_bytes(**bytes),
            Slot::Time(time) => show_time(**time),
            Slot::Span(ms) => show_time(Duration::from_millis(**ms)),
            Slot::Share(share) => share.to_string(),
            Slot::Switch(switch) => switch.to_string(),
            Slot::List(list) => list.show(),
        }
    }
}

fn positive(number: usize) -> Result<usize, Wrong> {
    if number == 0 { Err(Wrong::Zero) } else { Ok(number) }
}

fn parse_bytes(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KIB" => 10,
        "M" | "MIB" => 20,
        "G" | "GIB" => 30,
        _ => return None,
    };
    digits.replace('_', "").parse::<usize>().ok()?.checked_mul(1 << shift)
}

fn show_bytes(bytes: usize) -> String {
    let units = [(30, "G"), (20, "M"), (10, "K")];
    let whole = units.into_iter().find(|(shift, _)| bytes.is_multiple_of(1 << shift));
    whole.map_or(bytes.to_string(), |(shift, unit)| format!("{}{unit}", bytes >> shift))
}

/// The units of times, in milliseconds, the longest first.
const UNITS: [(u64, &str); 5] =
    [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s"), (1, "ms")];

fn parse_time(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().ok()?;
    let (ms, _) = UNITS.into_iter().find(|(_, unit)| *unit == &text[digits.len()..])?;
    Some(Duration::from_millis(number.checked_mul(ms)?))
}

/// Returns a time in the longest unit that it is a whole number of.
pub(super) fn show_time(time: Duration) -> String {
    let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let whole = UNITS.into_iter().find(|(unit, _)| ms > 0 && ms.is_multiple_of(*unit));
    let (unit, name) = whole.unwrap_or((1_000, "s"));
    format!("{}{name}", ms / unit)
}

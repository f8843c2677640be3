//! The values of settings: how they are written, and what is wrong with those that are not so.

use std::borrow::Cow;
use std::error::Error as _;
use std::net::{Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;
use tracing::level_filters::LevelFilter;
use weft_event::secrets::Rule;
use weft_log::redact::{OwnRule, OwnRuleError};

use super::folder::FolderSetting;

/// A value as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Text(String),
    Integer(u64),
    Bool(bool),
    List(Vec<Given>),
    Table(Vec<(String, Given)>),
    /// Anything else.
    Other(&'static str),
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
    #[error("{what}")]
    OwnRule { what: String },
}

/// Where a setting is kept.
pub(super) enum Slot<'c> {
    Addresses(&'c mut Option<Vec<SocketAddr>>),
    Hosts(&'c mut Vec<String>),
    Origins(&'c mut Vec<String>),
    File(&'c mut Option<PathBuf>),
    Level(&'c mut LevelFilter),
    Count(&'c mut usize),
    Positions(&'c mut u64),
    Bytes(&'c mut usize),
    Time(&'c mut Duration),
    Switch(&'c mut bool),
    Folders(&'c mut Vec<FolderSetting>),
    Sources(&'c mut Vec<String>),
    Rules(&'c mut Vec<Rule>),
    OwnRules(&'c mut Vec<OwnRule>),
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
            DeValue::Float(_) => Given::Other("a number with a point"),
            DeValue::Boolean(value) => Given::Bool(value),
            DeValue::Datetime(_) => Given::Other("a time"),
            DeValue::Table(members) => {
                let member = |(key, value): (Spanned<Cow<'_, str>>, Spanned<DeValue<'_>>)| {
                    (key.into_inner().into_owned(), Given::of(value.into_inner()))
                };
                Given::Table(members.into_iter().map(member).collect())
            }
        }
    }

    pub(super) fn show(&self) -> String {
        match self {
            Given::Text(text) => format!("`{text}`"),
            Given::Integer(number) => number.to_string(),
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
            Given::Bool(value) => Some(value.to_string()),
            Given::List(_) | Given::Table(_) | Given::Other(_) => None,
        }
    }

    /// Returns the texts of a list; one text may hold several with commas between.
    fn texts(&self) -> Option<Vec<String>> {
        match self {
            Given::List(items) => items.iter().map(Given::text).collect(),
            Given::Text(text) => Some(text.split(',').map(|part| part.trim().to_owned()).collect()),
            Given::Integer(_) | Given::Bool(_) | Given::Table(_) | Given::Other(_) => None,
        }
    }
}

impl Slot<'_> {
    /// Sets it. Names of files count from a folder.
    pub(super) fn set(&mut self, given: &Given, folder: &Path) -> Result<(), Wrong> {
        let wrong = |wanted| Wrong::Kind { got: given.show(), wanted };
        let number = || {
            let number = given.text().and_then(|text| text.replace('_', "").parse().ok());
            number.ok_or_else(|| wrong("a number"))
        };
        match self {
            Slot::Addresses(addresses) => {
                let texts = given.texts().unwrap_or_default();
                let parsed = texts.iter().map(|text| text.parse()).collect::<Result<Vec<_>, _>>();
                let wanted = "an address and port, such as 127.0.0.1:9338";
                match parsed {
                    Ok(parsed) if !parsed.is_empty() => **addresses = Some(parsed),
                    Ok(_) | Err(_) => return Err(wrong(wanted)),
                }
            }
            Slot::Hosts(hosts) => {
                let wanted = "a host name or address without a port, such as weft.example";
                **hosts = all(given, host, wanted)?;
            }
            Slot::Origins(origins) => {
                let wanted = "an origin, such as https://board.example:8443, without a path";
                **origins = all(given, origin, wanted)?;
            }
            Slot::File(file) => {
                let name = given.text().filter(|name| !name.is_empty());
                **file = Some(folder.join(name.ok_or_else(|| wrong("the name of a file"))?));
            }
            Slot::Switch(switch) => {
                let word = given.text().unwrap_or_default();
                **switch = word.parse().map_err(|_no_bool| wrong("true or false"))?;
            }
            Slot::Folders(folders) => **folders = FolderSetting::all(given, folder)?,
            Slot::Level(level) => {
                let word = given.text().unwrap_or_default();
                let wanted = "one of off, error, warn, info, debug and trace";
                **level = word.parse().map_err(|_no_level| wrong(wanted))?;
            }
            Slot::Count(count) => **count = positive(number()?)?,
            Slot::Positions(count) => **count = positive(number()?)? as u64,
            Slot::Bytes(bytes) => {
                let number = given.text().and_then(|text| parse_bytes(&text));
                let wanted = "a number of bytes, such as 65536, 64K or 16M";
                **bytes = positive(number.ok_or_else(|| wrong(wanted))?)?;
            }
            Slot::Time(time) => {
                let parsed = given.text().and_then(|text| parse_time(&text));
                let wanted = "a time with its unit, such as 500ms, 30s or 2m";
                **time = parsed.ok_or_else(|| wrong(wanted))?;
                if time.is_zero() {
                    return Err(Wrong::Zero);
                }
            }
            Slot::Sources(sources) => {
                let wanted = "a list of ways in, such as [\"demo\"], or [\"*\"] for all";
                let word = |text: &str| (!text.is_empty()).then(|| text.to_owned());
                **sources = all(given, word, wanted)?;
            }
            Slot::Rules(rules) => {
                let names = given.texts().ok_or_else(|| wrong("a list of rules"))?;
                let rule = |name: String| Rule::of_name(&name).ok_or(Wrong::NoRule { name });
                **rules = names.into_iter().map(rule).collect::<Result<_, _>>()?;
            }
            Slot::OwnRules(rules) => {
                let wanted =
                    "a list of tables: write [[redact.own]] above name, contains and pattern";
                let Given::List(tables) = given else { return Err(wrong(wanted)) };
                **rules = tables.iter().map(own_rule).collect::<Result<_, _>>()?;
            }
        }
        Ok(())
    }

    /// Returns the value as it would be written.
    pub(super) fn show(&self) -> String {
        match self {
            Slot::Addresses(None) => "127.0.0.1:9338 or any free port".to_owned(),
            Slot::Addresses(Some(addresses)) => {
                let all: Vec<String> = addresses.iter().map(ToString::to_string).collect();
                all.join(", ")
            }
            Slot::Hosts(texts) | Slot::Origins(texts) | Slot::Sources(texts)
                if texts.is_empty() =>
            {
                "none".to_owned()
            }
            Slot::Hosts(texts) | Slot::Origins(texts) | Slot::Sources(texts) => texts.join(", "),
            Slot::Rules(rules) if rules.is_empty() => "none".to_owned(),
            Slot::Rules(rules) => {
                rules.iter().map(|rule| rule.name()).collect::<Vec<_>>().join(", ")
            }
            Slot::OwnRules(rules) if rules.is_empty() => "none".to_owned(),
            Slot::OwnRules(rules) => {
                rules.iter().map(|rule| rule.name.as_str()).collect::<Vec<_>>().join(", ")
            }
            Slot::File(None) => "none".to_owned(),
            Slot::File(Some(file)) => file.display().to_string(),
            Slot::Level(level) => level.to_string(),
            Slot::Count(count) => count.to_string(),
            Slot::Positions(count) => count.to_string(),
            Slot::Bytes(bytes) => show_bytes(**bytes),
            Slot::Time(time) => show_time(**time),
            Slot::Switch(switch) => switch.to_string(),
            Slot::Folders(folders) if folders.is_empty() => "none".to_owned(),
            Slot::Folders(folders) => {
                folders.iter().map(FolderSetting::show).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// Reads a rule of the user's own.
fn own_rule(given: &Given) -> Result<OwnRule, Wrong> {
    let wrong = |what: String| Wrong::OwnRule { what };
    let Given::Table(members) = given else {
        return Err(Wrong::Kind { got: given.show(), wanted: "a table" });
    };
    let mut rule = OwnRule { name: String::new(), contains: String::new(), pattern: String::new() };
    for (key, value) in members {
        let place = match key.as_str() {
            "name" => &mut rule.name,
            "contains" => &mut rule.contains,
            "pattern" => &mut rule.pattern,
            _ => {
                return Err(wrong(format!(
                    "a rule has name, contains and pattern, and no `{key}`"
                )));
            }
        };
        let Given::Text(text) = value else {
            return Err(Wrong::Kind { got: value.show(), wanted: "a text" });
        };
        place.clone_from(text);
    }
    let told = |error: OwnRuleError| match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    };
    rule.check().map_err(|error| wrong(told(error)))?;
    Ok(rule)
}

/// Reads each text of a list.
fn all(
    given: &Given,
    read: impl Fn(&str) -> Option<String>,
    wanted: &'static str,
) -> Result<Vec<String>, Wrong> {
    let wrong = |got| Wrong::Kind { got, wanted };
    let texts = given.texts().ok_or_else(|| wrong(given.show()))?;
    let each = texts.iter().map(|text| read(text).ok_or_else(|| wrong(format!("`{text}`"))));
    each.collect()
}

/// Reads a host as requests name it: an address of the sixth version stands in brackets there.
fn host(text: &str) -> Option<String> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    if bare.parse::<Ipv6Addr>().is_ok() {
        return Some(format!("[{bare}]"));
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    (!text.is_empty() && text.chars().all(is_part)).then(|| text.to_owned())
}

/// Reads an origin as browsers send it.
fn origin(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let (name, port) = match rest.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        Some(_) | None => (rest, None),
    };
    let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok());
    let is_fine = ["http", "https"].contains(&scheme) && host(name)? == name && is_port;
    is_fine.then(|| format!("{scheme}://{rest}"))
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

fn parse_time(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().ok()?;
    match &text[digits.len()..] {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_secs(number.checked_mul(60)?)),
        "h" => Some(Duration::from_secs(number.checked_mul(3600)?)),
        _ => None,
    }
}

fn show_time(time: Duration) -> String {
    match (time.as_millis() % 1000, time.as_secs()) {
        (0, seconds) if seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
        (0, seconds) => format!("{seconds}s"),
        (_, _) => format!("{}ms", time.as_millis()),
    }
}

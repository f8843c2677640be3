//! Settings that are lists: of words, and of tables.

use std::error::Error as _;
use std::net::{Ipv6Addr, SocketAddr};
use std::path::Path;

use weft_event::secrets::Rule;
use weft_log::redact::{OwnRule, OwnRuleError};
use weft_view::usage::Limit;

use super::folder::FolderSetting;
use super::judging::{self, PriceSetting};
use super::table::Members;
use super::value::{Given, Wrong};
use crate::notify;

/// Where a setting is kept that is a list.
pub(super) enum List<'c> {
    Addresses(&'c mut Option<Vec<SocketAddr>>),
    Hosts(&'c mut Vec<String>),
    Origins(&'c mut Vec<String>),
    Folders(&'c mut Vec<FolderSetting>),
    Sources(&'c mut Vec<String>),
    Rules(&'c mut Vec<Rule>),
    OwnRules(&'c mut Vec<OwnRule>),
    Prices(&'c mut Vec<PriceSetting>),
    Limits(&'c mut Vec<Limit>),
    Notify(&'c mut Vec<notify::Rule>),
}

impl List<'_> {
    /// Sets it. Names of files count from a folder.
    pub(super) fn set(&mut self, given: &Given, folder: &Path) -> Result<(), Wrong> {
        let wrong = |wanted| Wrong::Kind { got: given.show(), wanted };
        match self {
            List::Addresses(addresses) => {
                let texts = given.texts().unwrap_or_default();
                let parsed = texts.iter().map(|text| text.parse()).collect::<Result<Vec<_>, _>>();
                let wanted = "an address and port, such as 127.0.0.1:9338";
                match parsed {
                    Ok(parsed) if !parsed.is_empty() => **addresses = Some(parsed),
                    Ok(_) | Err(_) => return Err(wrong(wanted)),
                }
            }
            List::Hosts(hosts) => {
                let wanted = "a host name or address without a port, such as weft.example";
                **hosts = all(given, host, wanted)?;
            }
            List::Origins(origins) => {
                let wanted = "an origin, such as https://board.example:8443, without a path";
                **origins = all(given, origin, wanted)?;
            }
            List::Folders(folders) => **folders = FolderSetting::all(given, folder)?,
            List::Sources(sources) => {
                let wanted = "a list of ways in, such as [\"demo\"], or [\"*\"] for all";
                let word = |text: &str| (!text.is_empty()).then(|| text.to_owned());
                **sources = all(given, word, wanted)?;
            }
            List::Rules(rules) => {
                let names = given.texts().ok_or_else(|| wrong("a list of rules"))?;
                let rule = |name: String| Rule::of_name(&name).ok_or(Wrong::NoRule { name });
                **rules = names.into_iter().map(rule).collect::<Result<_, _>>()?;
            }
            List::OwnRules(rules) => **rules = own_rules(given)?,
            List::Prices(prices) => **prices = PriceSetting::all(given)?,
            List::Limits(limits) => **limits = judging::limits(given)?,
            List::Notify(rules) => **rules = super::notify::rules(given, folder)?,
        }
        Ok(())
    }

    /// Returns the value as it would be written.
    pub(super) fn show(&self) -> String {
        let all: Vec<String> = match self {
            List::Addresses(None) => return "127.0.0.1:9338 or any free port".to_owned(),
            List::Addresses(Some(addresses)) => addresses.iter().map(ToString::to_string).collect(),
            List::Hosts(texts) | List::Origins(texts) | List::Sources(texts) => texts.to_vec(),
            List::Rules(rules) => rules.iter().map(|rule| rule.name().to_owned()).collect(),
            List::OwnRules(rules) => rules.iter().map(|rule| rule.name.clone()).collect(),
            List::Folders(folders) => folders.iter().map(FolderSetting::show).collect(),
            List::Prices(prices) => prices.iter().map(PriceSetting::show).collect(),
            List::Limits(limits) => limits.iter().map(judging::show_limit).collect(),
            List::Notify(rules) => rules.iter().map(super::notify::show).collect(),
        };
        if all.is_empty() { "none".to_owned() } else { all.join(", ") }
    }
}

/// Reads the rules of the user's own.
fn own_rules(given: &Given) -> Result<Vec<OwnRule>, Wrong> {
    let names = ["name", "contains", "pattern"];
    Members::each(given, ("redact.own", &names), |members| {
        let text = |name| Ok(members.get(name, "a text", Given::verbatim)?.unwrap_or_default());
        let rule =
            OwnRule { name: text("name")?, contains: text("contains")?, pattern: text("pattern")? };
        let told = |error: OwnRuleError| match error.source() {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        };
        rule.check().map_err(|error| members.wrong("pattern", told(error)))?;
        Ok(rule)
    })
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

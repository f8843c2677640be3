//! Who is told when something needs a person: `[[notify]]`.

use std::path::Path;
use std::time::Duration;

use weft_view::inbox::NeedKind;

use super::table::Members;
use super::value::{Given, TIME, Wrong};
use crate::notify::quiet::Quiet;
use crate::notify::rule::{AFTER, GATHER, RULES_MAX};
use crate::notify::{Channel, Pattern, Rule};
use crate::subs::definition::{self, Kind, SecretRef};

const NAMES: [&str; 13] = [
    "name",
    "when",
    "actor",
    "session",
    "after",
    "gather",
    "quiet",
    "quiet_except",
    "desktop",
    "bell",
    "webhook",
    "secret_file",
    "command",
];

/// Reads all rules. Names of files count from a folder.
pub(super) fn rules(given: &Given, folder: &Path) -> Result<Vec<Rule>, Wrong> {
    let rules = Members::each(given, ("notify", &NAMES), |members| rule(members, folder))?;
    let said = |message: String| Err(Wrong::Said { message });
    if rules.len() > RULES_MAX {
        return said(format!("there are more than {RULES_MAX} of [[notify]]"));
    }
    let mut names: Vec<&str> = rules.iter().map(|rule| rule.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => said(format!("two of [[notify]] have the name `{}`", pair[0])),
        None => Ok(rules),
    }
}

fn rule(members: &Members<'_>, folder: &Path) -> Result<Rule, Wrong> {
    let name = members.get("name", "a name of letters, digits, `.`, `_` and `-`", |given| {
        given.word().filter(|name| definition::check_name(name).is_ok())
    })?;
    let kinds = |name| members.read(name, kinds);
    let pattern = |name| {
        let pattern = |given: &Given| given.word().map(Pattern);
        members.get(name, "a name, or a part of one with `*`", pattern)
    };
    let span = |name, usual: Duration| Ok(members.get(name, TIME, Given::time)?.unwrap_or(usual));
    Ok(Rule {
        name: name.ok_or_else(|| members.missing("name"))?,
        when: kinds("when")?.unwrap_or(NeedKind::ALL.to_vec()),
        actor: pattern("actor")?,
        session: pattern("session")?,
        after: span("after", AFTER)?,
        gather: span("gather", GATHER)?,
        quiet: members.read("quiet", ranges)?.unwrap_or_default(),
        quiet_except: kinds("quiet_except")?.unwrap_or_default(),
        channel: channel(members, folder)?,
    })
}

/// Reads ranges of local time.
fn ranges(given: &Given) -> Result<Vec<Quiet>, Wrong> {
    let wrong = |got| Wrong::Kind { got, wanted: "a range of local time, such as 22:00-07:00" };
    let texts = given.texts().ok_or_else(|| wrong(given.show()))?;
    let range = |text: &String| Quiet::parse(text).ok_or_else(|| wrong(format!("`{text}`")));
    texts.iter().map(range).collect()
}

/// Reads kinds of need.
fn kinds(given: &Given) -> Result<Vec<NeedKind>, Wrong> {
    let all = || NeedKind::ALL.map(NeedKind::as_str).join(", ");
    let wanted = "a list of kinds of need, such as [\"permission\", \"blocked\"]";
    let texts = given.texts().ok_or_else(|| Wrong::Kind { got: given.show(), wanted })?;
    let kind = |text: &String| {
        let message = || format!("there is no kind of need `{text}`; there are {}", all());
        NeedKind::parse(text).ok_or_else(|| Wrong::Said { message: message() })
    };
    texts.iter().map(kind).collect()
}

/// Reads how a rule tells: exactly one way.
fn channel(members: &Members<'_>, folder: &Path) -> Result<Channel, Wrong> {
    let is_on = |name| Ok(members.get(name, "true or false", Given::switch)?.unwrap_or(false));
    let secret_file = members.get("secret_file", "the name of a file", Given::word)?;
    let secret = match &secret_file {
        Some(file) => SecretRef::File(folder.join(file).display().to_string()),
        None => SecretRef::Store,
    };
    let url =
        members.get("webhook", "an address, such as https://example.com/hook", Given::word)?;
    let argv = members.get("command", "a list of words, such as [\"sh\", \"-c\", \"…\"]", argv)?;
    let ways = [
        is_on("desktop")?.then_some(Channel::Desktop),
        is_on("bell")?.then_some(Channel::Bell),
        url.map(|url| Channel::Webhook { url, secret }),
        argv.map(|argv| Channel::Command { argv }),
    ];
    let mut ways = ways.into_iter().flatten();
    let wrong = |name, message: &str| Err(members.wrong(name, message.to_owned()));
    let way = match (ways.next(), ways.next()) {
        (Some(way), None) => way,
        (None | Some(_), _) => {
            return wrong("name", "[[notify]] has one of desktop, bell, webhook and command");
        }
    };
    let told = |name, kind: Kind| match definition::check_kind(&kind) {
        Ok(()) => Ok(way.clone()),
        Err(error) => wrong(name, &error.to_string()),
    };
    match &way {
        Channel::Webhook { url, secret } => {
            told("webhook", Kind::Webhook { url: url.clone(), secret: secret.clone() })
        }
        Channel::Command { argv } => told("command", Kind::Command { argv: argv.clone() }),
        Channel::Desktop | Channel::Bell if secret_file.is_some() => {
            wrong("secret_file", "`secret_file` is for a webhook")
        }
        Channel::Desktop | Channel::Bell => Ok(way),
    }
}

/// Reads the words of a command, which stand as they are.
fn argv(given: &Given) -> Option<Vec<String>> {
    if let Given::List(words) = given { words.iter().map(Given::verbatim).collect() } else { None }
}

/// Returns a rule as it is shown.
pub(super) fn show(rule: &Rule) -> String {
    format!("{} ({})", rule.name, rule.channel.as_str())
}

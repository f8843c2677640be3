//! Whether those can be told who are to be told when something needs a person.

use std::env;
use std::path::Path;

use weft_log::Store;
use weft_server::notify::{Channel, Rule, Told, desktop_tool};

use super::Check;
use crate::config::Config;
use crate::output::plural;

const NAME: &str = "notify";

pub(super) fn look(store: &Store, config: &Config) -> Vec<Check> {
    let rules = &config.notify;
    if rules.is_empty() {
        return Vec::new();
    }
    let mut checks: Vec<Check> = rules.iter().filter_map(missing).collect();
    match Told::read(store) {
        Ok(told) => checks.extend(rules.iter().filter_map(|rule| failed(&told, rule))),
        Err(error) => {
            let advice = "what was told may be told again";
            checks.push(Check::wrong(NAME, format!("cannot read what was told: {error}"), advice));
        }
    }
    if checks.is_empty() {
        let text = format!("{}, nothing is known against them", plural(rules.len() as u64, "rule"));
        checks.push(Check::fine(NAME, text));
    }
    checks
}

/// Says that the program is missing by which a rule tells.
fn missing(rule: &Rule) -> Option<Check> {
    let program = match &rule.channel {
        Channel::Desktop => desktop_tool(),
        Channel::Command { argv } => argv.first()?,
        Channel::Bell | Channel::Webhook { .. } => return None,
    };
    if is_there(program) {
        return None;
    }
    let text = format!("the rule {} needs `{program}`, which is not there", rule.name);
    let advice = match rule.channel {
        Channel::Desktop => "install it (libnotify has notify-send), or take another way to tell",
        Channel::Bell | Channel::Webhook { .. } | Channel::Command { .. } => {
            "install it, or `weft config edit`"
        }
    };
    Some(Check::wrong(NAME, text, advice))
}

/// Says that nobody got the last message of a rule.
fn failed(told: &Told, rule: &Rule) -> Option<Check> {
    let error = told.last(&rule.name)?.error.as_ref()?;
    let text = format!("the last message of the rule {} did not arrive: {error}", rule.name);
    Some(Check::note(NAME, text, format!("`weft notify test {}` tries it", rule.name)))
}

fn is_there(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

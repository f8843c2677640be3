//! The names of all settings, where each is kept, and the nearest to a wrong one.

use weft_log::redact::Settings;

use super::list::List;
use super::value::Slot;
use super::{Config, Sessions, judging};
use crate::limits::{Limits, SubscriptionLimits};

/// How far a name may be from one that is meant.
const DISTANCE_MAX: usize = 4;

/// Returns every setting with its place, in the order they are shown.
pub(super) fn slots(config: &mut Config) -> Vec<(&'static str, Slot<'_>)> {
    let Config {
        listen,
        hosts,
        origins,
        tls_cert,
        tls_key,
        log,
        sessions,
        folders,
        redact,
        rules,
        prices,
        budgets,
        notify,
        limits,
    } = config;
    let Sessions { claude, codex, gemini } = sessions;
    let Settings { sources_off, rules_off, own } = redact;
    let mut slots = vec![
        ("listen", Slot::List(List::Addresses(listen))),
        ("log", Slot::Level(log)),
        ("http.hosts", Slot::List(List::Hosts(hosts))),
        ("http.origins", Slot::List(List::Origins(origins))),
        ("tls.cert", Slot::File(tls_cert)),
        ("tls.key", Slot::File(tls_key)),
        ("sessions.claude", Slot::Switch(claude)),
        ("sessions.codex", Slot::Switch(codex)),
        ("sessions.gemini", Slot::Switch(gemini)),
        ("folder", Slot::List(List::Folders(folders))),
        ("redact.sources_off", Slot::List(List::Sources(sources_off))),
        ("redact.rules_off", Slot::List(List::Rules(rules_off))),
        ("redact.own", Slot::List(List::OwnRules(own))),
    ];
    slots.extend(judging::slots(rules));
    slots.push(("price", Slot::List(List::Prices(prices))));
    slots.push(("budget", Slot::List(List::Limits(budgets))));
    slots.push(("notify", Slot::List(List::Notify(notify))));
    slots.extend(limit_slots(limits));
    slots
}

fn limit_slots(limits: &mut Limits) -> Vec<(&'static str, Slot<'_>)> {
    // Named one by one, so that no limit is without a setting.
    let Limits {
        body_bytes_max,
        bodies_bytes_max,
        request_events_max,
        queue_bytes_max,
        queue_patience,
        connections_max,
        request_patience,
        streams_max,
        stream_bytes_max,
        reader_patience,
        heartbeat,
        page_records_max,
        page_rows_max,
        page_bytes_max,
        answers_bytes_max,
        recent_bytes_max,
        reads_max,
        index_lag_max,
        subscriptions,
    } = limits;
    let SubscriptionLimits {
        subscriptions_max,
        held_max,
        held_bytes_max,
        acknowledge_every,
        skipped_max,
        dead_max,
        pulls_max,
        pull_events_max,
        pull_patience_max,
        restored_bytes_max,
        end_patience,
    } = subscriptions;
    vec![
        ("limits.body_bytes_max", Slot::Bytes(body_bytes_max)),
        ("limits.bodies_bytes_max", Slot::Bytes(bodies_bytes_max)),
        ("limits.request_events_max", Slot::Count(request_events_max)),
        ("limits.queue_bytes_max", Slot::Bytes(queue_bytes_max)),
        ("limits.queue_patience", Slot::Time(queue_patience)),
        ("limits.connections_max", Slot::Count(connections_max)),
        ("limits.request_patience", Slot::Time(request_patience)),
        ("limits.streams_max", Slot::Count(streams_max)),
        ("limits.stream_bytes_max", Slot::Bytes(stream_bytes_max)),
        ("limits.reader_patience", Slot::Time(reader_patience)),
        ("limits.heartbeat", Slot::Time(heartbeat)),
        ("limits.page_records_max", Slot::Count(page_records_max)),
        ("limits.page_rows_max", Slot::Count(page_rows_max)),
        ("limits.page_bytes_max", Slot::Bytes(page_bytes_max)),
        ("limits.answers_bytes_max", Slot::Bytes(answers_bytes_max)),
        ("limits.recent_bytes_max", Slot::Bytes(recent_bytes_max)),
        ("limits.reads_max", Slot::Count(reads_max)),
        ("limits.index_lag_max", Slot::Positions(index_lag_max)),
        ("subscriptions.subscriptions_max", Slot::Count(subscriptions_max)),
        ("subscriptions.held_max", Slot::Count(held_max)),
        ("subscriptions.held_bytes_max", Slot::Bytes(held_bytes_max)),
        ("subscriptions.acknowledge_every", Slot::Time(acknowledge_every)),
        ("subscriptions.skipped_max", Slot::Positions(skipped_max)),
        ("subscriptions.dead_max", Slot::Count(dead_max)),
        ("subscriptions.pulls_max", Slot::Count(pulls_max)),
        ("subscriptions.pull_events_max", Slot::Count(pull_events_max)),
        ("subscriptions.pull_patience_max", Slot::Time(pull_patience_max)),
        ("subscriptions.restored_bytes_max", Slot::Bytes(restored_bytes_max)),
        ("subscriptions.end_patience", Slot::Time(end_patience)),
    ]
}

/// Returns the variable that a setting has in the environment.
pub(super) fn env_name(name: &str) -> String {
    format!("WEFT_{}", name.replace('.', "_").to_ascii_uppercase())
}

/// Returns whether settings begin with this name and a dot.
pub(super) fn is_table(name: &str) -> bool {
    let begins = |known: &str| known.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    slots(&mut Config::default()).iter().any(|(known, _)| begins(known))
}

/// Returns the setting whose name is nearest, if one is near.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let mut config = Config::default();
    let near = slots(&mut config).into_iter().flat_map(|(known, _)| {
        // A setting that stands in the wrong table is near as well, and so is the name of a table.
        let (table, inner) = known.split_once('.').unwrap_or((known, known));
        let setting = (distance(name, known).min(distance(name, inner)), known);
        [setting, (distance(name, table), table)]
    });
    near.min().filter(|(far, _)| *far <= DISTANCE_MAX.min(name.len() / 2)).map(|(_, name)| name)
}

/// Returns the name that is nearest to another, if one is near.
pub(super) fn nearest_of(
    name: &str,
    names: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    let near = names.map(|known| (distance(name, known), known)).min();
    near.filter(|(far, _)| *far <= DISTANCE_MAX.min(name.len() / 2)).map(|(_, known)| known)
}

/// Returns how many letters have to be changed to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, a) in a.chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in b.iter().enumerate() {
            let changed = before + usize::from(a != *b);
            before = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(before + 1);
        }
    }
    row[b.len()]
}

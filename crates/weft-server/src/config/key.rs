//! The names of all settings, where each is kept, and the nearest to a wrong one.

use super::Config;
use super::value::Slot;
use crate::limits::Limits;

/// How far a name may be from one that is meant.
const DISTANCE_MAX: usize = 4;

/// Returns every setting with its place, in the order they are shown.
pub(super) fn slots(config: &mut Config) -> Vec<(&'static str, Slot<'_>)> {
    let Config { listen, log, limits } = config;
    // Named one by one, so that no limit is without a setting.
    let Limits {
        body_bytes_max,
        request_events_max,
        queue_bytes_max,
        queue_patience,
        connections_max,
        request_patience,
        streams_max,
        stream_bytes_max,
        heartbeat,
        page_records_max,
        recent_bytes_max,
        reads_max,
    } = limits;
    vec![
        ("listen", Slot::Addresses(listen)),
        ("log", Slot::Level(log)),
        ("limits.body_bytes_max", Slot::Bytes(body_bytes_max)),
        ("limits.request_events_max", Slot::Count(request_events_max)),
        ("limits.queue_bytes_max", Slot::Bytes(queue_bytes_max)),
        ("limits.queue_patience", Slot::Time(queue_patience)),
        ("limits.connections_max", Slot::Count(connections_max)),
        ("limits.request_patience", Slot::Time(request_patience)),
        ("limits.streams_max", Slot::Count(streams_max)),
        ("limits.stream_bytes_max", Slot::Bytes(stream_bytes_max)),
        ("limits.heartbeat", Slot::Time(heartbeat)),
        ("limits.page_records_max", Slot::Count(page_records_max)),
        ("limits.recent_bytes_max", Slot::Bytes(recent_bytes_max)),
        ("limits.reads_max", Slot::Count(reads_max)),
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

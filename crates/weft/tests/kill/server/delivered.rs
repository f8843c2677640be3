//! What a subscriber has taken, held against the log.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::event::Event;

/// An event as a subscriber took it.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    /// What repeats are dropped by.
    pub(crate) id: String,
    pub(crate) position: u64,
    /// The event as it was delivered.
    pub(crate) event: String,
}

impl Taken {
    /// Reads a record as it was delivered under an id.
    pub(crate) fn read(id: &str, record: &str) -> Self {
        let (meta, event) = record.split_once(",\"event\":").unwrap();
        let position = meta.strip_prefix("{\"position\":").unwrap().split_once(',').unwrap().0;
        let event = event.strip_suffix('}').unwrap().to_owned();
        Self { id: id.to_owned(), position: position.parse().unwrap(), event }
    }
}

/// Asserts that a subscriber took every event that it was to get, that each is what the log has, and that without repeats they
/// came once and in the order of their sessions. Returns how many there are without repeats.
pub(crate) fn assert_delivered(
    who: &str,
    taken: &[Taken],
    log: &BTreeMap<u64, Event>,
    is_wanted: impl Fn(Event) -> bool,
) -> usize {
    let mut ids = HashMap::new();
    let mut lanes: HashMap<String, u64> = HashMap::new();
    let mut got = BTreeSet::new();
    for Taken { id, position, event: text } in taken {
        let event = *log.get(position).unwrap_or_else(|| panic!("{who}: no event at {position}"));
        assert_eq!(*text, event.line(), "{who}: position {position}");
        if let Some(before) = ids.insert(id, *position) {
            assert_eq!(before, *position, "{who}: two events have the id {id}");
            continue;
        }
        assert!(got.insert(*position), "{who}: position {position} came under two ids");
        let before = lanes.insert(event.lane(), *position).unwrap_or(0);
        let lane = event.lane();
        assert!(before < *position, "{who}: in {lane} {before} came before {position}");
    }
    let wanted: BTreeSet<u64> =
        log.iter().filter(|(_, event)| is_wanted(**event)).map(|(position, _)| *position).collect();
    let missing: Vec<_> = wanted.difference(&got).collect();
    assert!(missing.is_empty(), "{who}: never got {missing:?}");
    let surplus: Vec<_> = got.difference(&wanted).collect();
    assert!(surplus.is_empty(), "{who}: was not to get {surplus:?}");
    got.len()
}

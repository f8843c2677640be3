//! What a subscriber is given with each event, so that it can tell a repeat, a late one, and one that was tried before.

use std::sync::Arc;

use bytes::Bytes;
use weft_event::{Facts, Key, KeyDigests};

use super::definition::Definition;
use super::schedule::Flight;
use crate::feed::Live;
use crate::place;

/// Most bytes of an id or a key as it is delivered. A longer one is replaced by its hash.
const ID_BYTES_MAX: usize = 512;

/// Something that is said beside an event: its name, as in `Event-Id`, and the value.
pub(crate) type Mark = (&'static str, String);

/// An event that waits for its delivery.
#[derive(Clone, Debug)]
pub(crate) struct Post {
    pub(crate) live: Arc<Live>,
    pub(crate) event_id: String,
    pub(crate) idempotency_key: String,
}

/// One delivery.
#[derive(Clone, Debug)]
pub(crate) struct Letter {
    /// What is said beside the event.
    pub(crate) marks: Vec<Mark>,
    /// The record as JSON.
    pub(crate) body: Bytes,
}

impl Post {
    /// Makes an event ready for delivery.
    pub(super) fn new(live: Arc<Live>, facts: &Facts<'_>, store_id: &str) -> Self {
        let event_id = match facts.identity.own.map(|key| key.as_id()) {
            Some(Some(id)) => fit(&id),
            Some(None) => {
                let digest = KeyDigests::of(facts).own.expect("it has a key");
                digest.iter().map(|byte| format!("{byte:02x}")).collect()
            }
            None => place::write(store_id, live.meta.position.get()),
        };
        let idempotency_key = match &facts.identity.retry {
            Some(Key::Idempotency { key, .. }) => fit(&key.get()),
            Some(_) | None => event_id.clone(),
        };
        Self { live, event_id, idempotency_key }
    }
}

/// Returns what is said beside an event.
pub(super) fn marks(
    definition: &Definition,
    store_id: &str,
    flight: &Flight<Arc<Post>>,
) -> Vec<Mark> {
    let Post { event_id, idempotency_key, .. } = &*flight.event;
    let mut marks = vec![
        ("Event-Id", event_id.clone()),
        ("Idempotency-Key", idempotency_key.clone()),
        ("Position", flight.position.to_string()),
        ("Cursor", place::write(store_id, flight.position)),
        ("Attempt", flight.attempt.to_string()),
        ("Subscription", definition.name.clone()),
    ];
    if is_replay(definition, flight) {
        marks.push(("Replay", "true".to_owned()));
    }
    if flight.is_replay {
        marks.push(("Out-Of-Order", "true".to_owned()));
    }
    marks
}

/// Returns whether an event was delivered before, or was dead.
pub(super) fn is_replay(definition: &Definition, flight: &Flight<Arc<Post>>) -> bool {
    flight.is_replay || flight.position <= definition.replayed_upto
}

/// Returns a text that can stand in a header and in a variable: printable ASCII, the rest as `%XX`.
fn fit(text: &str) -> String {
    if text.len() > ID_BYTES_MAX {
        return blake3::hash(text.as_bytes()).to_hex().to_string();
    }
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'!'..=b'$' | b'&'..=b'~' => out.push(char::from(byte)),
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_fits_into_a_header() {
        assert_eq!(fit("evt_1:a/b"), "evt_1:a/b");
        assert_eq!(fit("a b%\r\nü"), "a%20b%25%0D%0A%C3%BC");
        assert_eq!(fit(&"x".repeat(513)).len(), 64);
    }
}

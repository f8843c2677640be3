//! Sort keys as bytes whose byte order is the order meant.

use std::borrow::Cow;

use super::Place;
use crate::Dialect;
use crate::order::Producer;

/// Bytes of a key behind its producer: whether it is numbered, the number, the place.
const TAIL_BYTES: usize = 1 + 8 + PLACE_BYTES;
/// Bytes of a place.
pub(super) const PLACE_BYTES: usize = 4 + 8;
/// The time of an event that has none: before every other.
pub(super) const NO_TIME: i64 = i64::MIN;

const NUMBERED: u8 = 0;
/// Later than numbered, so that among equal times what has no number of its own follows what has one.
const BY_ARRIVAL: u8 = 1;

/// Where an event stands among those of its producer.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderKey<'k> {
    pub(super) bytes: &'k [u8],
    pub(super) producer: &'k [u8],
    pub(super) number: Option<u64>,
    pub(super) place: Place,
}

impl<'k> OrderKey<'k> {
    pub(super) fn write(out: &mut Vec<u8>, producer: &[u8], number: Option<u64>, place: Place) {
        out.clear();
        out.extend_from_slice(producer);
        out.push(if number.is_some() { NUMBERED } else { BY_ARRIVAL });
        put_u64(out, number.unwrap_or(0));
        put_place(out, place);
    }

    pub(super) fn read(bytes: &'k [u8]) -> Self {
        let (producer, tail) = bytes.split_at(bytes.len() - TAIL_BYTES);
        let number = (tail[0] == NUMBERED).then(|| u64_at(tail, 1));
        Self { bytes, producer, number, place: place_at(tail, 9) }
    }

    /// Returns what follows the producer.
    pub(super) fn tail(&self) -> &'k [u8] {
        &self.bytes[self.producer.len()..]
    }
}

pub(super) fn put_producer(out: &mut Vec<u8>, producer: &Producer<'_>) {
    let dialect = Dialect::ALL.iter().position(|&known| known == producer.dialect);
    out.push(dialect.expect("every dialect is in the list") as u8);
    for name in [&producer.tenant, &producer.actor, &producer.session] {
        put_name(out, name.as_deref());
    }
}

/// Returns the producer of a key.
pub(super) fn producer_at(mut bytes: &[u8]) -> Producer<'static> {
    let dialect = dialect_at(bytes);
    bytes = &bytes[1..];
    let mut name = || take_name(&mut bytes).map(Cow::Owned);
    Producer { dialect, tenant: name(), actor: name(), session: name() }
}

pub(super) fn dialect_at(producer: &[u8]) -> Dialect {
    Dialect::ALL[usize::from(producer[0])]
}

/// Splits the session off a producer.
pub(super) fn split_session(producer: &[u8]) -> (&[u8], &[u8]) {
    let mut rest = &producer[1..];
    take_name(&mut rest);
    take_name(&mut rest);
    producer.split_at(producer.len() - rest.len())
}

/// Absent is before every name; a name ends with two zeros, and a zero inside it is followed by 255.
fn put_name(out: &mut Vec<u8>, name: Option<&str>) {
    let Some(name) = name else {
        out.push(0);
        return;
    };
    out.push(1);
    for byte in name.bytes() {
        out.push(byte);
        if byte == 0 {
            out.push(u8::MAX);
        }
    }
    out.extend_from_slice(&[0, 0]);
}

fn take_name(bytes: &mut &[u8]) -> Option<String> {
    let (&tag, mut rest) = bytes.split_first().expect("a producer has three names");
    let mut name = Vec::new();
    let name = (tag == 1).then(|| {
        loop {
            let at = rest.iter().position(|&byte| byte == 0).expect("a name ends with zeros");
            name.extend_from_slice(&rest[..at]);
            let inside = rest[at + 1] == u8::MAX;
            rest = &rest[at + 2..];
            if !inside {
                break String::from_utf8(std::mem::take(&mut name))
                    .expect("it was written from text");
            }
            name.push(0);
        }
    });
    *bytes = rest;
    name
}

pub(super) fn put_u64(out: &mut Vec<u8>, n: u64) {
    out.extend_from_slice(&n.to_be_bytes());
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(bytes[at..at + 8].try_into().expect("eight bytes are eight bytes"))
}

/// Flips the sign so that negative times come first.
pub(super) fn put_time(out: &mut Vec<u8>, time_ns: i64) {
    put_u64(out, time_ns as u64 ^ 1 << 63);
}

pub(super) fn time_at(bytes: &[u8], at: usize) -> i64 {
    (u64_at(bytes, at) ^ 1 << 63) as i64
}

pub(super) fn put_place(out: &mut Vec<u8>, place: Place) {
    out.extend_from_slice(&place.input.to_be_bytes());
    put_u64(out, place.line);
}

pub(super) fn place_at(bytes: &[u8], at: usize) -> Place {
    let input = bytes[at..at + 4].try_into().expect("four bytes are four bytes");
    Place { input: u32::from_be_bytes(input), line: u64_at(bytes, at + 4) }
}

#[cfg(test)]
mod tests;

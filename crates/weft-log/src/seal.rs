//! The line that closes a group: what Weft adds to its records, and the link that chains groups together.
//!
//! The hash covers the very bytes of the line that stand before it, so that a seal is checked without writing it again.

use weft_event::Dialect;
use weft_event::json::{Kind, Tape, Value, write_text};

use crate::hash::hex_pair;
use crate::{Carried, Hash, Mark, Position, TopicKey, Via, digits};

/// The version of the format that this code writes.
pub const FORMAT: u64 = 1;

/// The highest position, so that every reader's signed number holds it.
pub const POSITION_MAX: u64 = i64::MAX as u64;

/// Most bytes of a store's id.
pub const STORE_BYTES_MAX: usize = 64;

/// What every seal starts with, and no event.
pub const PREFIX: &[u8] = b"{\"weft_seal\":";

/// What stands between the covered bytes and the hash.
const HASH_KEY: &[u8] = b",\"hash\":\"";

/// What ends the line after the hash.
const END: &[u8] = b"\"}}";

/// Bytes of a line that its hash does not cover.
const UNCOVERED_BYTES: usize = HASH_KEY.len() + 64 + END.len();

/// A seal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seal {
    /// Position of the first record of the group; in an opening seal that of the next record.
    pub first: Position,
    /// Bytes of the group's lines, their ends included.
    pub bytes: u64,
    /// When the group was received, in microseconds since 1970. Never earlier than that of the seal before.
    pub at_us: i64,
    /// One for each record.
    pub marks: Vec<Mark>,
    /// Present in the seal that opens a segment, and in no other.
    pub opening: Option<Opening>,
    /// Hash of the group's lines.
    pub body: Hash,
    /// Hash of the seal before; of zeros in the first of a store.
    pub prev: Hash,
}

/// What a segment says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The store that it belongs to.
    pub store: String,
    /// The version of the format.
    pub format: u64,
    /// Its number in the store, from 1.
    pub segment: u64,
}

/// Why a line is no good seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bad {
    /// Its bytes are not those that its hash was made of.
    Hash,
    /// It is whole, but says what this code does not know.
    Content,
}

impl Seal {
    /// Returns the position after the group's last record.
    pub fn next(&self) -> Position {
        self.first.plus(self.marks.len() as u64)
    }

    /// Appends the line, with its end, and returns its hash.
    pub fn encode(&self, out: &mut Vec<u8>) -> Hash {
        let start = out.len();
        let Self { first, bytes, at_us, ref marks, ref opening, body, prev } = *self;
        Says { first, bytes, at_us, marks, opening: opening.as_ref(), body }.begin(out);
        close(out, start, &prev)
    }

    /// Reads a line, without its end, and returns the seal with its hash.
    pub fn decode(line: &[u8], tape: &mut Tape) -> Result<(Seal, Hash), Bad> {
        let hash = Self::check(line)?;
        let seal =
            tape.parse_bytes(line).ok().and_then(|line| decode_fields(line.get("weft_seal")?));
        seal.map(|seal| (seal, hash)).ok_or(Bad::Content)
    }

    /// Returns the hash of a line, without its end, whose bytes are those that the hash was made of. What it says is not read.
    pub(crate) fn check(line: &[u8]) -> Result<Hash, Bad> {
        let covered = line.len().checked_sub(UNCOVERED_BYTES).ok_or(Bad::Hash)?;
        let (covered, rest) = line.split_at(covered);
        let hash = rest
            .strip_prefix(HASH_KEY)
            .and_then(|rest| rest.strip_suffix(END))
            .and_then(|hash| Hash::parse(std::str::from_utf8(hash).ok()?))
            .ok_or(Bad::Hash)?;
        if !covered.starts_with(PREFIX) || Hash::of(covered) != hash {
            return Err(Bad::Hash);
        }
        Ok(hash)
    }
}

/// What a seal says, but for the seal before it: that one is another where a group is written again.
pub(crate) struct Says<'m, M> {
    pub(crate) first: Position,
    pub(crate) bytes: u64,
    pub(crate) at_us: i64,
    pub(crate) marks: &'m [M],
    pub(crate) opening: Option<&'m Opening>,
    pub(crate) body: Hash,
}

impl<M: AsRef<Mark>> Says<'_, M> {
    /// Appends the beginning of the line, which [`close`] ends.
    pub(crate) fn begin(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(PREFIX);
        let mut text = String::with_capacity(256 + self.marks.len() * 16);
        self.encode_fields(&mut text);
        out.extend_from_slice(text.as_bytes());
        out.extend_from_slice(b"\"body\":\"");
        out.extend_from_slice(&self.body.hex());
    }

    fn marks(&self) -> impl DoubleEndedIterator<Item = &Mark> {
        self.marks.iter().map(AsRef::as_ref)
    }

    fn encode_fields(&self, out: &mut String) {
        let n = self.marks.len();
        let (first, count) = (self.first.get(), n as u64);
        digits::push_each(
            out,
            [("{\"pos\":", first), (",\"n\":", count), (",\"bytes\":", self.bytes)],
        );
        out.push_str(",\"at\":");
        digits::push_signed(out, self.at_us);
        out.push(',');
        if let Some(Opening { store, format, segment }) = self.opening {
            out.push_str("\"store\":");
            write_text(out, store);
            out.push_str(&format!(",\"format\":{format},\"segment\":{segment},"));
        }
        if n == 0 {
            return;
        }
        out.push_str("\"dialects\":\"");
        out.extend(self.marks().map(|mark| letter(mark.dialect)));
        out.push_str("\",\"via\":[");
        // The last one stands for all that follow it.
        let last = &self.marks[n - 1].as_ref().via;
        let n_same = self.marks().rev().take_while(|mark| mark.via == *last).count();
        for (idx, mark) in self.marks().take(n - n_same + 1).enumerate() {
            comma(out, idx);
            write_text(out, &mark.via);
        }
        out.push_str("],\"crc\":[");
        for (idx, mark) in self.marks().enumerate() {
            comma(out, idx);
            out.push('"');
            out.extend(mark.crc.to_be_bytes().into_iter().flat_map(hex_pair).map(char::from));
            out.push('"');
        }
        out.push_str("],");
        self.encode_some(
            out,
            "delivery",
            |mark| mark.delivery.as_ref(),
            |out, id| write_text(out, id),
        );
        self.encode_some(
            out,
            "topic",
            |mark| mark.topic.as_ref(),
            |out, TopicKey { topic, key }| {
                out.push('[');
                write_text(out, topic);
                if let Some(key) = key {
                    out.push(',');
                    write_text(out, key);
                }
                out.push(']');
            },
        );
        self.encode_some(
            out,
            "carried",
            |mark| mark.carried,
            |out, Carried { position, at_us }| {
                out.push_str(&format!("[{position},{at_us}]"));
            },
        );
        self.encode_some(
            out,
            "conflict",
            |mark| mark.conflict,
            |out, position| {
                out.push_str(&position.to_string());
            },
        );
    }

    /// Writes a member that only some records have: an object from the record's index in the group to its value.
    fn encode_some<'m, T>(
        &'m self,
        out: &mut String,
        name: &str,
        value: impl Fn(&'m Mark) -> Option<T>,
        write: impl Fn(&mut String, T),
    ) {
        let values = self.marks().enumerate();
        let mut values = values.filter_map(|(idx, mark)| Some((idx, value(mark)?))).peekable();
        if values.peek().is_none() {
            return;
        }
        out.push_str(&format!("\"{name}\":{{"));
        for (n_written, (idx, value)) in values.enumerate() {
            comma(out, n_written);
            out.push_str(&format!("\"{idx}\":"));
            write(out, value);
        }
        out.push_str("},");
    }
}

/// Ends a line that begins at `start`, and returns its hash.
pub(crate) fn close(out: &mut Vec<u8>, start: usize, prev: &Hash) -> Hash {
    out.extend_from_slice(b"\",\"prev\":\"");
    out.extend_from_slice(&prev.hex());
    out.push(b'"');
    let hash = Hash::of(&out[start..]);
    out.extend_from_slice(HASH_KEY);
    out.extend_from_slice(&hash.hex());
    out.extend_from_slice(END);
    out.push(b'\n');
    hash
}

fn decode_fields(seal: Value<'_>) -> Option<Seal> {
    let hash = |name| Hash::parse(&seal.text_at(name)?);
    let number = |name| seal.get(name)?.as_u64();
    let first = number("pos")?;
    let n = usize::try_from(number("n")?).ok()?;
    first.checked_add(n as u64).filter(|next| *next <= POSITION_MAX)?;
    let opening = match seal.get("store") {
        None => None,
        Some(store) => Some(Opening {
            store: store.as_text().filter(|store| is_store_id(store))?.into_owned(),
            format: number("format")?,
            segment: number("segment")?,
        }),
    };
    Some(Seal {
        first: Position::new(first)?,
        bytes: number("bytes")?,
        at_us: seal.get("at")?.as_i64()?,
        marks: if n == 0 { Vec::new() } else { decode_marks(seal, n)? },
        opening,
        body: hash("body")?,
        prev: hash("prev")?,
    })
}

/// Returns whether a text may be a store's id: then it has its place in `head`, escaped or not.
fn is_store_id(text: &str) -> bool {
    text.len() <= STORE_BYTES_MAX && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

fn decode_marks(seal: Value<'_>, n: usize) -> Option<Vec<Mark>> {
    let dialects = seal.text_at("dialects")?;
    let mut via = seal.get("via")?.items();
    let mut crcs = seal.get("crc")?.items();
    let mut last_via = Via::default();
    if dialects.len() != n {
        return None;
    }
    let mut marks = Vec::with_capacity(n);
    for dialect in dialects.chars() {
        if let Some(via) = via.next() {
            last_via = Via::from(&*via.as_text()?);
        }
        let crc = crcs.next()?.as_text()?;
        marks.push(Mark {
            dialect: dialect_of(dialect)?,
            via: last_via.clone(),
            crc: u32::from_str_radix(&crc, 16).ok()?,
            delivery: None,
            topic: None,
            carried: None,
            conflict: None,
        });
    }
    if via.next().is_some() || crcs.next().is_some() {
        return None;
    }
    decode_some(seal, "delivery", &mut marks, |mark, delivery| {
        mark.delivery = Some(delivery.as_text()?.into_owned());
        Some(())
    })?;
    decode_some(seal, "topic", &mut marks, |mark, topic| {
        let mut parts = topic.items();
        let topic = parts.next()?.as_text()?.into_owned();
        let key = match parts.next() {
            None => None,
            Some(key) => Some(key.as_text()?.into_owned()),
        };
        mark.topic = Some(TopicKey { topic, key });
        Some(())
    })?;
    decode_some(seal, "carried", &mut marks, |mark, carried| {
        let mut parts = carried.items();
        let position = Position::new(parts.next()?.as_u64()?)?;
        mark.carried = Some(Carried { position, at_us: parts.next()?.as_i64()? });
        Some(())
    })?;
    decode_some(seal, "conflict", &mut marks, |mark, conflict| {
        mark.conflict = Some(Position::new(conflict.as_u64()?)?);
        Some(())
    })?;
    Some(marks)
}

/// Reads a member that only some records have.
fn decode_some(
    seal: Value<'_>,
    name: &str,
    marks: &mut [Mark],
    mut take: impl FnMut(&mut Mark, Value<'_>) -> Option<()>,
) -> Option<()> {
    let Some(some) = seal.get(name) else { return Some(()) };
    if some.kind() != Kind::Object {
        return None;
    }
    for (idx, value) in some.members() {
        let mark = marks.get_mut(idx.as_text()?.parse::<usize>().ok()?)?;
        take(mark, value)?;
    }
    Some(())
}

fn comma(out: &mut String, n_before: usize) {
    if n_before > 0 {
        out.push(',');
    }
}

/// The letter that stands for a dialect: its first.
fn letter(dialect: Dialect) -> char {
    char::from(dialect.as_str().as_bytes()[0])
}

fn dialect_of(letter_read: char) -> Option<Dialect> {
    Dialect::ALL.iter().copied().find(|dialect| letter(*dialect) == letter_read)
}

#[cfg(test)]
mod tests;

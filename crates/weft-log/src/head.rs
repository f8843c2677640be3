//! `head`: what is known durable. Overwritten after each sync and itself synced only before a segment is removed, so that after a
//! power cut it may be old, and never ahead.

use weft_event::json::{Object, Tape, Value};

use crate::hash::hex_pair;
use crate::segment::{Form, SegmentName};
use crate::{Hash, Position, digits};

/// Bytes of the file, always.
pub(crate) const HEAD_BYTES: usize = 512;

/// The end of what is durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The store's id.
    pub store: String,
    /// The last segment.
    pub segment: SegmentName,
    /// Its number in the store, from 1.
    pub number: u64,
    /// Offset of its last seal.
    pub seal: u64,
    /// Offset after its last seal.
    pub end: u64,
    /// The position that the next record will have.
    pub next: Position,
    /// When the last group was received, in microseconds since 1970.
    pub at_us: i64,
    /// Hash of the last seal.
    pub hash: Hash,
}

impl Head {
    /// Returns the position of the last record; `None` in an empty log.
    pub fn last(&self) -> Option<Position> {
        Position::new(self.next.get() - 1)
    }

    /// Writes the file: one line, filled with blanks.
    pub fn encode(&self) -> [u8; HEAD_BYTES] {
        let mut text = String::with_capacity(HEAD_BYTES);
        text.push_str("{\"weft_head\":");
        let mut object = Object::begin(&mut text);
        object.text("store", &self.store);
        object.text("segment", &self.segment.file(Form::Plain));
        digits::push_each(
            &mut text,
            [
                (",\"number\":", self.number),
                (",\"seal\":", self.seal),
                (",\"end\":", self.end),
                (",\"pos\":", self.next.get()),
            ],
        );
        text.push_str(",\"at\":");
        digits::push_signed(&mut text, self.at_us);
        text.push_str(",\"hash\":\"");
        text.push_str(std::str::from_utf8(&self.hash.hex()).expect("digits are ASCII"));
        text.push_str("\"}");
        let crc = crc32c::crc32c(text.as_bytes());
        text.push_str(",\"crc\":\"");
        text.extend(crc.to_be_bytes().into_iter().flat_map(hex_pair).map(char::from));
        text.push_str("\"}");

        let mut file = [b' '; HEAD_BYTES];
        file[..text.len()].copy_from_slice(text.as_bytes());
        file[HEAD_BYTES - 1] = b'\n';
        file
    }

    /// Reads the file; `None` unless it is whole.
    pub fn decode(file: &[u8]) -> Option<Self> {
        let file: &[u8; HEAD_BYTES] = file.try_into().ok()?;
        let text = std::str::from_utf8(file).ok()?.trim_end();
        let (covered, crc) = text.rsplit_once(",\"crc\":\"")?;
        if format!("{:08x}\"}}", crc32c::crc32c(covered.as_bytes())) != crc {
            return None;
        }
        let mut tape = Tape::new();
        decode_fields(tape.parse(text).ok()?.get("weft_head")?)
    }
}

fn decode_fields(head: Value<'_>) -> Option<Head> {
    let number = |name| head.get(name)?.as_u64();
    let (segment, _) = SegmentName::parse(&head.text_at("segment")?)?;
    Some(Head {
        store: head.text_at("store")?.into_owned(),
        segment,
        number: number("number")?,
        seal: number("seal")?,
        end: number("end")?,
        next: Position::new(number("pos")?)?,
        at_us: head.get("at")?.as_i64()?,
        hash: Hash::parse(&head.text_at("hash")?)?,
    })
}

#[cfg(test)]
mod tests;

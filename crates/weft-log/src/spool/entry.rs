//! One entry of the spool as bytes: the header line that says whose the event is and proves it whole, then the event's line.

use std::borrow::Cow;

use uuid::Uuid;
use weft_event::Dialect;
use weft_event::json::{Json, LINE_BYTES_MAX, Tape, Value};

use super::SpoolError;
use crate::TopicKey;

/// The longest header, without its line break.
pub const HEADER_BYTES_MAX: usize = 16 << 10;
/// What every header begins with. Inside a string of an event the quotes would be escaped.
pub(super) const MARKER: &[u8] = b"{\"weft_spool\":{";
/// What a delivery id begins with that was made by a producer before its first try.
const BEFORE_ID: &str = "id:";
/// What stands before the checksum, which covers everything up to here and the event's line.
const BEFORE_CRC: &[u8] = b",\"crc\":\"";
const AFTER_CRC: &[u8] = b"\"}}";
const CRC_DIGITS: usize = 8;

/// An event that waits in the spool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'e> {
    /// When Weft received it, in microseconds since 1970.
    pub at_us: i64,
    /// The way it came in: `hook`, `emit` …
    pub via: Cow<'e, str>,
    /// What tells this delivery from another. It is made before the first try, so that a second one is recognised.
    pub id: Uuid,
    /// The dialect it was read in, where its producer named one.
    pub dialect: Option<Dialect>,
    /// The topic it is posted to.
    pub topic: Option<TopicKey>,
    /// The event, on one line, without the line's end.
    pub line: &'e [u8],
}

impl Entry<'_> {
    /// Returns the delivery id that the event has in the log, by whatever way it gets there.
    pub fn delivery(id: Uuid) -> String {
        format!("{BEFORE_ID}{id}")
    }

    /// Returns whether a delivery id is one of these.
    pub(crate) fn is_delivery(delivery: &str) -> bool {
        delivery.starts_with(BEFORE_ID)
    }

    /// Returns the two lines.
    pub(super) fn encode(&self) -> Result<Vec<u8>, SpoolError> {
        if self.line.len() > LINE_BYTES_MAX {
            return Err(SpoolError::TooLong { bytes: self.line.len() });
        }
        if memchr::memchr(b'\n', self.line).is_some() {
            return Err(SpoolError::LineBreak);
        }
        let header = Json::object(|header| {
            header.json("at", &Json::integer(self.at_us));
            header.text("via", &self.via);
            header.text("id", &self.id.to_string());
            header.json("bytes", &Json::integer(self.line.len() as u64));
            if let Some(dialect) = self.dialect {
                header.text("dialect", dialect.as_str());
            }
            if let Some(TopicKey { topic, key }) = &self.topic {
                header.text("topic", topic);
                if let Some(key) = key {
                    header.text("key", key);
                }
            }
        });
        let fields = header.as_str().as_bytes();
        let mut bytes = Vec::with_capacity(MARKER.len() + fields.len() + self.line.len() + 32);
        bytes.extend_from_slice(MARKER);
        bytes.extend_from_slice(&fields[1..fields.len() - 1]);
        bytes.extend_from_slice(BEFORE_CRC);
        let crc = crc32c::crc32c_append(crc32c::crc32c(&bytes), self.line);
        bytes.extend_from_slice(format!("{crc:08x}").as_bytes());
        bytes.extend_from_slice(AFTER_CRC);
        if bytes.len() > HEADER_BYTES_MAX {
            return Err(SpoolError::HeaderTooLong { bytes: bytes.len() });
        }
        bytes.push(b'\n');
        bytes.extend_from_slice(self.line);
        bytes.push(b'\n');
        Ok(bytes)
    }
}

/// What a header says; its checksum is not compared yet.
#[derive(Debug)]
pub(super) struct Header {
    at_us: i64,
    via: String,
    id: Uuid,
    dialect: Option<Dialect>,
    topic: Option<TopicKey>,
    /// The length of the event's line.
    pub(super) bytes: usize,
    /// Checksum of the header's own part.
    crc_before: u32,
    crc: u32,
}

impl Header {
    /// Reads a header's line, without its line break; `None` if it is none.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let crc_at = line.len().checked_sub(CRC_DIGITS + AFTER_CRC.len())?;
        let (covered, crc) = line.split_at(crc_at);
        let digits = crc.strip_suffix(AFTER_CRC)?;
        if !covered.ends_with(BEFORE_CRC) || digits.iter().any(u8::is_ascii_uppercase) {
            return None;
        }
        let crc = u32::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
        let mut tape = Tape::new();
        let fields = tape.parse_bytes(line).ok()?.get("weft_spool")?;
        let bytes = usize::try_from(fields.get("bytes")?.as_u64()?).ok()?;
        let topic = fields.text_at("topic").map(|topic| TopicKey {
            topic: topic.into_owned(),
            key: fields.text_at("key").map(Cow::into_owned),
        });
        (bytes <= LINE_BYTES_MAX).then_some(Self {
            at_us: fields.get("at").and_then(Value::as_i64)?,
            via: fields.text_at("via")?.into_owned(),
            id: Uuid::try_parse(&fields.text_at("id")?).ok()?,
            dialect: fields.text_at("dialect").and_then(|word| Dialect::parse(&word)),
            topic,
            bytes,
            crc_before: crc32c::crc32c(covered),
            crc,
        })
    }

    /// Returns whether header and line are as they were written.
    pub(super) fn proves(&self, line: &[u8]) -> bool {
        crc32c::crc32c_append(self.crc_before, line) == self.crc
    }

    /// Returns the entry with this line.
    pub(super) fn with_line(self, line: &[u8]) -> Entry<'_> {
        let Self { at_us, via, id, dialect, topic, .. } = self;
        Entry { at_us, via: Cow::Owned(via), id, dialect, topic, line }
    }
}

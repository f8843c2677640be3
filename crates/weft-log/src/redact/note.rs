//! The record that says what was taken out of a group that is stored: `log.redacted`, in Weft's own dialect.

use weft_event::event::Expect;
use weft_event::json::{Json, Tape, Value};
use weft_event::{Dialect, time};

use crate::admit::{Admitted, Arrival, Gate, Strictness};
use crate::blobs::Which;
use crate::log::now_us;
use crate::{Hash, Position, Store, TopicKey};

/// The type of the record.
pub const REDACTED: &str = "log.redacted";

/// How every line of such a record begins.
pub(crate) const LINE_BEGIN: &[u8] = b"{\"weft\":1,\"type\":\"log.redacted\",";

/// The topic that keeps the newest record of each group, so that it outlives the segment it stands in.
const TOPIC: &str = "weft:redacted";

/// The way these records come in.
const VIA: &str = "scan";

/// What a group is once secrets were taken out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The first position of the group.
    pub first: Position,
    /// The hash of its lines as they are now; `None` if the group was damaged before.
    pub body: Option<Hash>,
    /// The records that changed.
    pub records: Vec<NotedRecord>,
}

/// A record that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotedRecord {
    /// Its position.
    pub position: Position,
    /// The rules that found something.
    pub rules: Vec<String>,
    /// The checksum of its line as it is now.
    pub crc: u32,
}

impl Note {
    /// Reads the line of a record; `None` if it is another.
    pub fn read(line: &[u8]) -> Option<Self> {
        if !line.starts_with(LINE_BEGIN) {
            return None;
        }
        let mut tape = Tape::new();
        let data = tape.parse_bytes(line).ok()?.get("data")?;
        let record = |record: Value<'_>| {
            let rules = record.get("rules")?.items();
            Some(NotedRecord {
                position: Position::new(record.get("position")?.as_u64()?)?,
                rules: rules.filter_map(|rule| Some(rule.as_text()?.into_owned())).collect(),
                crc: u32::from_str_radix(&record.text_at("crc")?, 16).ok()?,
            })
        };
        Some(Self {
            first: Position::new(data.get("first")?.as_u64()?)?,
            body: data.text_at("body").and_then(|body| Hash::parse(&body)),
            records: data.get("records")?.items().map(record).collect::<Option<_>>()?,
        })
    }

    /// Returns the event that goes into the log.
    pub(super) fn admit(&self, store: &Store) -> Admitted {
        let topic = TopicKey { topic: TOPIC.to_owned(), key: Some(self.first.to_string()) };
        let line = self.to_line();
        let mut gate = Gate::new(store, Which::Largest, Strictness::Lenient);
        let arrival = Arrival {
            line: line.as_bytes(),
            expect: Expect::Dialect(Dialect::Weft),
            via: VIA,
            delivery: None,
            topic: Some(&topic),
        };
        gate.admit_own(&arrival).expect("a record of our own is valid")
    }

    fn to_line(&self) -> String {
        let records = self.records.iter().map(|record| {
            Json::object(|object| {
                object.json("position", &Json::integer(record.position.get()));
                object
                    .json("rules", &Json::array(record.rules.iter().map(|rule| Json::text(rule))));
                object.text("crc", &format!("{:08x}", record.crc));
            })
        });
        let data = Json::object(|data| {
            data.json("first", &Json::integer(self.first.get()));
            match self.body {
                Some(body) => data.text("body", &body.to_string()),
                None => data.json("body", &Json::null()),
            }
            data.json("records", &Json::array(records));
        });
        let line = Json::object(|record| {
            record.json("weft", &Json::integer(1));
            record.text("type", REDACTED);
            record.text("id", &uuid::Uuid::now_v7().to_string());
            record.text("at", &time::format_rfc3339(now_us().saturating_mul(1000)));
            record.json("data", &data);
        });
        line.as_str().to_owned()
    }
}

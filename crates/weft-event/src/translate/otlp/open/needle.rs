//! What of a log record of NEEDLE goes into the event, and whether anything has no place there.

use super::record::{Record, attribute, put_key_values};
use super::{NEEDLE_BEAD, NEEDLE_SEQUENCE, NEEDLE_SESSION, NEEDLE_WORKER};
use crate::facts::carried;
use crate::json::{Json, Kind, Object, Value};
use crate::needle::level;
use crate::translate::otlp::severity;

/// The attribute that names the event where the record's own field does not.
const NAME: &str = "event.name";

impl Record<'_> {
    /// Returns the event's `data`: a body that is an object, else the attributes; a body that is text is the message.
    pub(super) fn needle_data(&self, name: &str, add: &dyn Fn(&mut Object<'_>)) -> Json<'static> {
        Json::object(|data| {
            put_key_values(data, self.data_list(), |key| self.is_in_data(key));
            if let Some(body) = self.body().filter(|body| body != name && !self.has_message()) {
                data.text("message", &body);
            }
            add(data);
        })
    }

    /// Returns whether the record says anything that the event does not, apart from what surrounds it.
    pub(super) fn says_more_than_needle(&self, name: &str) -> bool {
        self.value.members().any(|(key, member)| {
            let says_something = match member.kind() {
                Kind::Null => false,
                Kind::Text => member.raw_text() != Some(""),
                Kind::Number => member.as_u64() != Some(0),
                Kind::True | Kind::False | Kind::Object | Kind::Array | Kind::Key => true,
            };
            says_something
                && match key.as_text().as_deref() {
                    Some("timeUnixNano" | "observedTimeUnixNano") => self.time_ns().is_none(),
                    Some("eventName" | "event_name") => !member.is_text(name),
                    Some("severityNumber") => member.as_u64() != Some(usual_severity(name).0),
                    Some("severityText") => !is_word(member, usual_severity(name).1),
                    Some("body") => !self.is_body_in_data(name),
                    Some("attributes") => !member.items().all(|item| self.is_placed(item, name)),
                    Some("traceId") => self.trace_id().is_none() && !is_zero(member),
                    Some("spanId") => self.span_id().is_none() && !is_zero(member),
                    Some(_) | None => true,
                }
        })
    }

    /// Returns the list that `data` is made of.
    fn data_list(&self) -> Option<Value<'_>> {
        self.object_body().map_or(self.value.get("attributes"), |body| body.get("values"))
    }

    fn object_body(&self) -> Option<Value<'_>> {
        self.value.get("body")?.get("kvlistValue")
    }

    /// Returns whether a key of the list goes into `data`; ours would be taken for carried facts.
    fn is_in_data(&self, key: &str) -> bool {
        let is_own = |key: &str| key.starts_with("needle.") || key == NAME;
        key != carried::KEY && (self.object_body().is_some() || !is_own(key))
    }

    fn has_message(&self) -> bool {
        attribute(self.value, "message").is_some()
    }

    fn is_body_in_data(&self, name: &str) -> bool {
        match self.object_body() {
            Some(list) => {
                let list = list.get("values").into_iter().flat_map(Value::items);
                let mut seen = Vec::new();
                list.filter_map(|item| item.text_at("key")).all(|key| {
                    let is_first = !seen.contains(&key);
                    let is_in_data = self.is_in_data(&key);
                    seen.push(key);
                    is_first && is_in_data
                })
            }
            None => self.body().is_some_and(|body| body == name || !self.has_message()),
        }
    }

    /// Returns whether an attribute is in the event: as a field of its own, or in `data`.
    fn is_placed(&self, item: Value<'_>, name: &str) -> bool {
        let Some(key) = item.text_at("key") else { return false };
        let value = item.get("value");
        let is_first = attribute(self.value, &key).map(Value::idx) == value.map(Value::idx);
        is_first
            && match key.as_ref() {
                NEEDLE_WORKER | NEEDLE_SESSION | NEEDLE_SEQUENCE | NEEDLE_BEAD => {
                    self.text(&[&key]).is_some()
                }
                NAME => self.text(&[NAME]).is_some_and(|named| named == name),
                key => self.object_body().is_none() && self.is_in_data(key),
            }
    }
}

/// Returns the severity that a needle event has by its type.
fn usual_severity(name: &str) -> (u64, &'static str) {
    severity(level(name))
}

fn is_word(value: Value<'_>, word: &str) -> bool {
    value.as_text().is_some_and(|text| text.eq_ignore_ascii_case(word))
}

/// Returns whether an id is the one that stands for none.
fn is_zero(id: Value<'_>) -> bool {
    id.as_text().is_some_and(|id| id.bytes().all(|byte| byte == b'0'))
}

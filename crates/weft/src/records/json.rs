//! One record as a JSON object: what Weft adds, the facts, and the event as it came.

use weft_event::json::{Json, Object, Tape};
use weft_event::time::format_rfc3339;
use weft_log::query::Found;

/// Appends the object of a record, on one line.
pub(crate) fn write_record(out: &mut String, found: &Found, tape: &mut Tape) {
    let mut object = Object::begin(out);
    let meta = &found.meta;
    object.json("position", &Json::integer(meta.position.get()));
    if let Some(at_us) = meta.at_us {
        object.text("at", &format_us(at_us));
    }
    match &meta.mark {
        None => object.json("unverified", &Json::bool(true)),
        Some(mark) => {
            object.text("via", &mark.via);
            object.text("dialect", mark.dialect.as_str());
            if let Some(topic) = &mark.topic {
                object.text("topic", &topic.topic);
                topic.key.iter().for_each(|key| object.text("key", key));
            }
            mark.delivery.iter().for_each(|delivery| object.text("delivery", delivery));
            if let Some(carried) = mark.carried {
                let carried = Json::object(|object| {
                    object.json("position", &Json::integer(carried.position.get()));
                    object.text("at", &format_us(carried.at_us));
                });
                object.json("carried", &carried);
            }
            if let Some(other) = mark.conflict {
                object.json("conflict", &Json::integer(other.get()));
            }
        }
    }
    match found.read(tape) {
        Some(event) => {
            object.json("facts", &event.facts().json());
            object.json("event", &Json::of(event.value()));
        }
        None => object.text("line", &String::from_utf8_lossy(&found.line)),
    }
    object.end();
}

/// Returns a time in microseconds as RFC 3339.
pub(crate) fn format_us(at_us: i64) -> String {
    format_rfc3339(at_us.saturating_mul(1000))
}

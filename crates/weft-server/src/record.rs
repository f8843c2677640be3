//! A record as clients are given it: what Weft adds, and the event's own bytes in it.

use weft_event::json::{Json, Object, Tape};
use weft_event::time::format_rfc3339;
use weft_log::Meta;

use crate::place;

/// Writes a record as one JSON object. The event stands in it byte for byte.
pub fn write(out: &mut Vec<u8>, store_id: &str, meta: &Meta, line: &[u8]) {
    let position = meta.position.get();
    let mut text = String::with_capacity(256);
    let mut object = Object::begin(&mut text);
    object.json("position", &Json::integer(position));
    object.text("cursor", &place::write(store_id, position));
    if let Some(at_us) = meta.at_us {
        object.text("received", &format_rfc3339(at_us.saturating_mul(1000)));
    }
    match &meta.mark {
        Some(mark) => {
            object.text("dialect", mark.dialect.as_str());
            object.text("via", &mark.via);
            if let Some(topic) = &mark.topic {
                object.text("topic", &topic.topic);
                topic.key.iter().for_each(|key| object.text("key", key));
            }
            if let Some(conflict) = mark.conflict {
                object.json("conflict", &Json::integer(conflict.get()));
            }
            if let Some(carried) = mark.carried {
                object.json("carried", &Json::integer(carried.position.get()));
            }
        }
        None => object.json("unverified", &Json::bool(true)),
    }
    object.end();
    // The object is closed behind the event instead.
    text.pop();
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(b",\"event\":");
    // What no seal vouches for may be anything.
    let is_whole = meta.mark.is_some() || Tape::new().parse_bytes(line).is_ok();
    out.extend_from_slice(if is_whole { line } else { b"null" });
    out.push(b'}');
}

//! Records on the socket: what Weft adds stands in the frame's header, the lines in its body.

use weft_event::Dialect;
use weft_event::json::{Json, Object, Value};
use weft_log::query::Found;
use weft_log::{Carried, Mark, Meta, Position};

use super::BadMessage;
use super::request::{items, position, read_topic, write_topic};

/// Writes what Weft adds to a record.
fn write_meta(object: &mut Object<'_>, meta: &Meta) {
    let number = |position: Position| Json::integer(position.get());
    object.json("position", &number(meta.position));
    if let Some(at_us) = meta.at_us {
        object.json("at", &Json::integer(at_us));
    }
    let Some(mark) = &meta.mark else { return };
    object.text("dialect", mark.dialect.as_str());
    object.text("via", &mark.via);
    object.json("crc", &Json::integer(mark.crc));
    if let Some(delivery) = &mark.delivery {
        object.text("delivery", delivery);
    }
    if let Some(topic) = &mark.topic {
        write_topic(object, topic);
    }
    if let Some(Carried { position, at_us }) = mark.carried {
        let carried = Json::object(|carried| {
            carried.json("position", &number(position));
            carried.json("at", &Json::integer(at_us));
        });
        object.json("carried", &carried);
    }
    if let Some(conflict) = mark.conflict {
        object.json("conflict", &number(conflict));
    }
}

fn read_meta(value: Value<'_>) -> Result<Meta, BadMessage> {
    let at = |value: Value<'_>| value.get("at").and_then(Value::as_i64);
    let place = |value: Value<'_>| match value.get("position") {
        Some(number) => position(number),
        None => Err(BadMessage::new("a record has no position")),
    };
    let carried = |value: Value<'_>| {
        let at_us = at(value).ok_or_else(|| BadMessage::new("no time of a carried record"))?;
        Ok(Carried { position: place(value)?, at_us })
    };
    let mark = match value.text_at("dialect").and_then(|word| Dialect::parse(&word)) {
        None => None,
        Some(dialect) => Some(Mark {
            dialect,
            via: value.text_at("via").unwrap_or_default().as_ref().into(),
            crc: value.get("crc").and_then(Value::as_u64).unwrap_or_default() as u32,
            delivery: value.text_at("delivery").map(|delivery| delivery.into_owned()),
            topic: read_topic(value),
            carried: value.get("carried").map(carried).transpose()?,
            conflict: value.get("conflict").map(position).transpose()?,
        }),
    };
    Ok(Meta { position: place(value)?, at_us: at(value), mark })
}

/// Writes records: what Weft adds to `object`, the lines to `body`.
pub(super) fn write(object: &mut Object<'_>, records: &[Found], body: &mut Vec<u8>) {
    let metas = records.iter().map(|found| Json::object(|meta| write_meta(meta, &found.meta)));
    object.json("records", &Json::array(metas));
    for found in records {
        body.extend_from_slice(&found.line);
        body.push(b'\n');
    }
}

/// Reads records.
pub(super) fn read(value: Value<'_>, body: &[u8]) -> Result<Vec<Found>, BadMessage> {
    let mut lines = body.split(|byte| *byte == b'\n');
    let record = |value: Value<'_>| {
        let line = lines.next().ok_or_else(|| BadMessage::new("more records than lines"))?;
        Ok(Found { meta: read_meta(value)?, line: line.to_vec() })
    };
    items(value, "records").map(record).collect()
}

/// Writes positions whose records are damaged or gone.
pub(super) fn write_lost(object: &mut Object<'_>, lost: &[(Position, Position)]) {
    if !lost.is_empty() {
        let pair = |(first, last): &(Position, Position)| {
            Json::array([first, last].map(|position| Json::integer(position.get())))
        };
        object.json("lost", &Json::array(lost.iter().map(pair)));
    }
}

/// Reads positions whose records are damaged or gone.
pub(super) fn read_lost(value: Value<'_>) -> Result<Vec<(Position, Position)>, BadMessage> {
    let pair = |pair: Value<'_>| {
        let mut ends = pair.items().map(position);
        match (ends.next(), ends.next()) {
            (Some(first), Some(last)) => Ok((first?, last?)),
            (_, _) => Err(BadMessage::new("a gap has two ends")),
        }
    };
    items(value, "lost").map(pair).collect()
}

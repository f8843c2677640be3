//! Made-up records of Weft's own.

use super::draw::Draw;
use crate::json::{Json, Object};

pub(super) fn write(object: &mut Object<'_>, event_type: &str, draw: &mut Draw) {
    object.json("weft", &Json::integer(1));
    object.text("type", event_type);
    object.text("id", &draw.uuid());
    object.text("at", &draw.time());
    object.json("data", &data(event_type, draw));
}

fn data(event_type: &str, draw: &mut Draw) -> Json<'static> {
    let row = crate::Dialect::Weft.taxonomy().get(event_type);
    Json::object(|data| {
        for &field in row.map_or(&[][..], |row| row.fields) {
            match field {
                "name" => data.text(field, draw.dice.pick(&["audit", "dashboard", "résumé-feed"])),
                "position" | "first" | "last" => data.json(field, &draw.count(1, 90_000)),
                "hash" | "body" => data.text(field, &draw.dice.hex(64)),
                "until" => data.text(field, &draw.time_in(30)),
                "owner" => data.text(field, &format!("@worker-{}", draw.producer())),
                "issue_id" => data.text(field, &format!("auth-{}", draw.dice.below(300))),
                _ => data.text(field, &draw.path()),
            }
        }
        if event_type == "issue.changed" {
            draw.write_prose(data, "title", 1);
        }
    })
}

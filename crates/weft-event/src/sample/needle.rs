//! Made-up needle events.

use super::draw::Draw;
use crate::json::{Json, Object};
use crate::{Dialect, Level};

const WORKERS: [&str; 4] = ["tcb-alpha", "tcb-bravo", "tcb-charlie", "nœud-4"];

pub(super) fn write(object: &mut Object<'_>, event_type: &str, draw: &mut Draw) {
    let row = Dialect::Needle.taxonomy().get(event_type);
    let fields = row.map_or(&[][..], |row| row.fields);
    let bead = format!("bd-{}", draw.dice.hex(6));
    if draw.dice.chance(70) {
        object.json("schema_version", &Json::integer(1));
    }
    object.text("timestamp", &draw.time());
    object.text("event_type", event_type);
    object.text("worker_id", WORKERS[draw.producer() as usize % WORKERS.len()]);
    object.text("session_id", &draw.steady_uuid(4)[..8]);
    object.json("sequence", &Json::integer(draw.sequence()));
    if event_type.starts_with("bead.") || fields.contains(&"data.bead_id") {
        object.text("bead_id", &bead);
    }
    let data = Json::object(|data| {
        for name in fields.iter().filter_map(|field| field.strip_prefix("data.")) {
            write_field(data, name, &bead, draw);
        }
        if draw.dice.chance(60) {
            draw.write_prose(data, "note", 3);
        }
        if draw.dice.chance(30) {
            let (name, input) = draw.tool_call();
            data.text("tool", name);
            data.json("input", &input);
        }
    });
    object.json("data", &data);
    if draw.dice.chance(40) {
        object.text("workspace", "/home/ana/app");
        object.text("trace_id", &draw.steady_uuid(5).replace('-', ""));
        object.text("span_id", &draw.dice.hex(16));
    }
}

/// Writes a record in one of the two old shapes; `false` if the name is of something else.
pub(super) fn write_document(object: &mut Object<'_>, name: &str, draw: &mut Draw) -> bool {
    let worker = draw.dice.pick(&WORKERS);
    match name {
        "legacy-event" => {
            object.text("ts", &draw.time());
            object
                .text("event", draw.dice.pick(&["worker.started", "bead.claimed", "hook.failed"]));
            if draw.dice.chance(50) {
                object.text("worker", worker);
            } else {
                let parts = Json::object(|parts| {
                    parts.text("runner", "claude-code");
                    parts.text("provider", "anthropic");
                    parts.text("model", draw.model());
                    parts.text("identifier", worker);
                });
                object.json("worker", &parts);
            }
            object.text("level", draw.dice.pick(Level::WORDS));
            object.text("session", &draw.steady_uuid(4)[..8]);
            let data = Json::object(|data| draw.write_prose(data, "note", 2));
            object.json("data", &data);
        }
        "legacy-flat" => {
            object.json("ts", &Json::integer(draw.millis()));
            object.text("worker", worker);
            object.text("level", draw.dice.pick(Level::WORDS));
            draw.write_prose(object, "msg", 2);
            object.text("bead", &format!("bd-{}", draw.dice.hex(6)));
        }
        _ => return false,
    }
    true
}

/// Writes one of the notable fields of a type; its name says what it holds.
fn write_field(data: &mut Object<'_>, field: &str, bead: &str, draw: &mut Draw) {
    match field {
        "bead_id" | "parent_bead_id" => data.text(field, bead),
        "child_id" | "child_bead_id" => data.text(field, &format!("bd-{}", draw.dice.hex(6))),
        "duration_ms" => data.json(field, &draw.duration()),
        "error" => draw.write_prose(data, field, 2),
        "path" | "file" => data.text(field, &draw.path()),
        "worker_id" | "from_worker" => data.text(field, draw.dice.pick(&WORKERS)),
        "workers" => data.json(field, &Json::array(WORKERS[..2].iter().map(|w| Json::text(w)))),
        "cost" | "percentage" => data.json(field, &draw.cost()),
        "line" | "count" | "attempt" | "exit_code" | "gaps_found" | "issues_found"
        | "bytes_freed" | "tokens" | "used" | "limit" => data.json(field, &draw.count(1, 20_000)),
        "since" => data.text(field, &draw.time_in(-300)),
        "severity" => data.text(field, draw.dice.pick(&["low", "high"])),
        "status" => data.text(field, draw.dice.pick(&["idle", "executing"])),
        "version" => data.text(field, "0.14.2"),
        _ => data.text(field, draw.dice.pick(&["pluck", "explore", "lint-debt", "größe"])),
    }
}

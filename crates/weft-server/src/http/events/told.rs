//! What came of each event, for the client: one object for one event, a list for many.

use std::fmt::Write as _;

use axum::http::StatusCode;
use axum::response::Response;
use weft_event::json::{Json, write_text};
use weft_log::log::{Durability, Outcome};
use weft_log::rejected::{Reason, RefusalId};

use super::sort::{Shape, Slot, Sorted};
use crate::http::answer;

/// Violations, and warnings, that are told of one event. All of them are kept with what was refused.
const TOLD_MAX: usize = 20;

/// What an answer says besides if nothing was accepted, so that it looks like every other failure.
const REFUSED: &str =
    r#","error":{"code":"refused","message":"no event was accepted: see the violations"}"#;

/// Returns the answer. `kept` has the ids of what was refused, if that could be kept.
pub(super) fn answer(
    sorted: &Sorted,
    outcomes: &[Outcome],
    kept: Option<&[RefusalId]>,
    durability: Durability,
) -> Response {
    let n_refused = sorted.refused.len();
    let mut writer = Writer { sorted, outcomes, kept, durability, n_told: 0, n_told_refused: 0 };
    match sorted.shape {
        Shape::Single => {
            let mut text = String::with_capacity(128);
            text.push('{');
            writer.event(&mut text, 0);
            let status = if n_refused == 0 {
                StatusCode::ACCEPTED
            } else {
                text.push_str(REFUSED);
                StatusCode::BAD_REQUEST
            };
            text.push('}');
            answer::json(status, text)
        }
        Shape::List => {
            let n_accepted = outcomes.len();
            let mut text = String::with_capacity(64 + 96 * sorted.slots.len());
            put(
                &mut text,
                format_args!(r#"{{"accepted":{n_accepted},"refused":{n_refused},"results":["#),
            );
            for index in 0..sorted.slots.len() {
                let comma = if index > 0 { "," } else { "" };
                put(&mut text, format_args!(r#"{comma}{{"index":{index},"#));
                writer.event(&mut text, index);
                text.push('}');
            }
            text.push(']');
            let status = if n_accepted > 0 || n_refused == 0 {
                StatusCode::ACCEPTED
            } else {
                text.push_str(REFUSED);
                StatusCode::UNPROCESSABLE_ENTITY
            };
            text.push('}');
            answer::json(status, text)
        }
    }
}

/// Writes what came of one event after the other.
struct Writer<'s> {
    sorted: &'s Sorted,
    outcomes: &'s [Outcome],
    kept: Option<&'s [RefusalId]>,
    durability: Durability,
    n_told: usize,
    n_told_refused: usize,
}

impl Writer<'_> {
    /// Writes the members for the event at an index, which comes after all before it.
    fn event(&mut self, out: &mut String, index: usize) {
        match &self.sorted.slots[index] {
            Slot::Admitted(id) => {
                let id = &self.sorted.ids[id.start as usize..id.end as usize];
                self.accepted(out, index, if id.is_empty() { "null" } else { id });
            }
            Slot::Refused => self.refused(out),
        }
    }

    fn accepted(&mut self, out: &mut String, index: usize, id: &str) {
        let outcome = self.outcomes[self.n_told];
        self.n_told += 1;
        let position = outcome.position();
        put(out, format_args!(r#""accepted":true,"event_id":{id},"position":{position}"#));
        match outcome {
            Outcome::Repeat { .. } => out.push_str(r#","repeat":true"#),
            Outcome::Stored { conflict: Some(first), .. } => {
                put(out, format_args!(r#","conflict":{first}"#));
            }
            Outcome::Stored { conflict: None, .. } => {}
        }
        if self.durability == Durability::Written {
            out.push_str(r#","durability":"written""#);
        }
        let warnings = &self.sorted.warnings;
        if let Ok(at) = warnings.binary_search_by_key(&index, |(index, _)| *index) {
            let reasons: Vec<Reason> = warnings[at].1.iter().map(Reason::from).collect();
            out.push_str(r#","warnings":"#);
            list(out, &reasons);
        }
    }

    fn refused(&mut self, out: &mut String) {
        let refused = &self.sorted.refused[self.n_told_refused];
        let id = self.kept.and_then(|kept| kept.get(self.n_told_refused));
        self.n_told_refused += 1;
        out.push_str(r#""accepted":false,"violations":"#);
        list(out, &refused.reasons);
        match id {
            Some(id) => put(out, format_args!(r#","rejected":"{id}""#)),
            None => out.push_str(r#","rejected":null"#),
        }
    }
}

fn list(out: &mut String, reasons: &[Reason]) {
    let told = reasons.iter().take(TOLD_MAX).map(|reason| {
        Json::object(|object| {
            object.text("code", &reason.code);
            object.text("pointer", &reason.path);
            object.text("message", &reason.message);
        })
    });
    out.push_str(Json::array(told).as_str());
    let n_more = reasons.len().saturating_sub(TOLD_MAX);
    if n_more > 0 {
        out.pop();
        out.push_str(r#",{"code":"more","pointer":"","message":"#);
        write_text(out, &format!("there are {n_more} more"));
        out.push_str("}]");
    }
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string cannot fail");
}

//! `idle`: loop states and recovery anchors, schema 0, with the jwz records that carry them and the topics `loop:trace` and
//! `loop:control`.
//!
//! How the schema may change, as the idle document settles it: a new optional field needs no new number, so a reader ignores
//! every field it does not know; removing a required field or changing what a field means needs one. Weft reads
//! [`SCHEMAS_READ`] and writes [`SCHEMA`].

mod control;
mod event;
mod facts;
mod frame;
mod jwz;
mod report;
mod run;
mod topic;
mod trace;
mod types;
mod words;

use std::time::Duration;

use crate::dialect::Speech;
use crate::event::report_repeated_keys;
use crate::json::{Kind, Value};
use crate::problem::{Code, Problems};
use crate::shape::{
    Check, Draft, Field, Fields, Is, Others, Presence, Rule, Shape, Union, Variant, When, pick,
};

pub use control::{
    ACK, Ack, Command, ControlResult, REPEAT_WINDOW, REQUEST, REQUEST_EXPIRY, RESULT, Refusal,
    Request,
};
pub use event::{
    ABORT, ANCHOR, Abort, AbortDetail, AbortReason, Anchor, DONE, Done, DoneReason, EmptyStack,
    STATE, State,
};
pub use frame::{
    FRAME, Frame, GRIND_FRAME, GrindFrame, ISSUE_FRAME, IssueFrame, LOOP_FRAME, LoopFrame,
};
pub use jwz::{Body, GIT, Git, MESSAGE, Message, SENDER, Sender, TOPIC, TopicRecord};
pub use run::{FrameId, Iteration, Mode, RunId};
pub use topic::{Topic, TopicKind};
pub use trace::{LoopKind, TRACE, Trace, TraceEvent};
pub use types::TAXONOMY;
pub use words::{
    AbortWord, AckWord, AnchorWord, DoneWord, GrindWord, IssueWord, LoopWord, MessageWord,
    RequestWord, ResultWord, StateWord, TopicWord,
};

/// The schema number that Weft writes.
pub const SCHEMA: u64 = 0;

/// The schema numbers that Weft reads. The document says 0, producers write 1; the fields are the same.
pub const SCHEMAS_READ: [u64; 2] = [SCHEMA, 1];

/// How long a STATE counts.
pub const STATE_LIFE: Duration = Duration::from_secs(2 * 60 * 60);

/// Returns whether a STATE of this time no longer counts. One that is exactly [`STATE_LIFE`] old still does.
pub fn is_stale(updated_at_ns: i64, now_ns: i64) -> bool {
    u128::try_from(i128::from(now_ns) - i128::from(updated_at_ns))
        .is_ok_and(|age_ns| age_ns > STATE_LIFE.as_nanos())
}

/// What `schema` must be in every event that has it.
const SCHEMA_CHECK: Check =
    Check::Version { current: SCHEMA, tolerated: Some((SCHEMAS_READ[1], Code::SchemaOne)) };

/// An object that is no event, for want of a known word in `event`.
static UNKNOWN_EVENT: Shape = Shape::new(
    "Unknown Event",
    "An object that is no event of the dialect.",
    &[
        Field::new(
            "event",
            Presence::Required,
            Check::Text(Rule::OneOf(&[
                "STATE", "DONE", "ABORT", "ANCHOR", "REQUEST", "ACK", "RESULT",
            ])),
            "Which event it is.",
        ),
        Field::new("schema", Presence::Optional, SCHEMA_CHECK, "Version of the schema."),
        Field::new("run_id", Presence::Optional, Check::TEXT, "Id of the run."),
        Field::new("updated_at", Presence::Optional, Check::TIME, "When it was posted."),
        Field::new("stack", Presence::Optional, Check::List(&Check::Union(&FRAME)), "The frames."),
    ],
    Others::Allowed,
);

/// An object that is no jwz record, for want of a known word in `type`.
static UNKNOWN_RECORD: Shape = Shape::new(
    "Unknown Record",
    "An object that is no record of a message store.",
    &[Field::new(
        "type",
        Presence::Required,
        Check::Text(Rule::OneOf(&["topic", "message"])),
        "Which record it is.",
    )],
    Others::Allowed,
);

/// An event of the dialect. What is most frequent is tried first. A trace can have the word ABORT too, so `loop_kind` is asked
/// for before it; an ANCHOR is known by its fields, since the document gives it no `event`. The last variants are for objects
/// that lack what their kind is told by, so that they are told so.
pub static EVENT: Union = Union {
    title: "Idle Event",
    variants: &[
        Variant { when: &[When::new("event", Is::Text("STATE"))], shape: &STATE },
        Variant {
            when: &[When::new("event", Is::Absent), When::new("goal", Is::Present)],
            shape: &ANCHOR,
        },
        Variant { when: &[When::new("type", Is::Text("message"))], shape: &MESSAGE },
        Variant { when: &[When::new("type", Is::Text("topic"))], shape: &TOPIC },
        Variant { when: &[When::new("loop_kind", Is::Present)], shape: &TRACE },
        Variant { when: &[When::new("event", Is::Text("DONE"))], shape: &DONE },
        Variant { when: &[When::new("event", Is::Text("ABORT"))], shape: &ABORT },
        Variant { when: &[When::new("event", Is::Text("ANCHOR"))], shape: &ANCHOR },
        Variant { when: &[When::new("event", Is::Text("REQUEST"))], shape: &REQUEST },
        Variant { when: &[When::new("event", Is::Text("ACK"))], shape: &ACK },
        Variant { when: &[When::new("event", Is::Text("RESULT"))], shape: &RESULT },
        Variant {
            when: &[When::new("event", Is::Absent), When::new("iteration", Is::Present)],
            shape: &ANCHOR,
        },
        Variant {
            when: &[When::new("event", Is::Absent), When::new("next_step", Is::Present)],
            shape: &ANCHOR,
        },
        Variant { when: &[When::new("event_id", Is::Present)], shape: &TRACE },
        Variant {
            when: &[When::new("event", Is::Absent), When::new("type", Is::Present)],
            shape: &UNKNOWN_RECORD,
        },
        Variant {
            when: &[When::new("event", Is::Absent), When::new("created_at", Is::Present)],
            shape: &UNKNOWN_RECORD,
        },
    ],
    otherwise: &UNKNOWN_EVENT,
};

pub(crate) static SPEECH: Speech = Speech {
    validate,
    facts: facts::facts,
    report: report::report,
    taxonomy: &TAXONOMY,
    root: &Check::Union(&EVENT),
    documents: &[
        ("state", &Check::Shape(&STATE)),
        ("done", &Check::Shape(&DONE)),
        ("abort", &Check::Shape(&ABORT)),
        ("anchor", &Check::Shape(&ANCHOR)),
        ("frame", &Check::Union(&FRAME)),
        ("topic", &Check::Shape(&TOPIC)),
        ("message", &Check::Shape(&MESSAGE)),
        ("trace", &Check::Shape(&TRACE)),
        ("request", &Check::Shape(&REQUEST)),
        ("ack", &Check::Shape(&ACK)),
        ("result", &Check::Shape(&RESULT)),
    ],
    schema_id: "weft/idle-0",
    draft: Draft::Twenty,
};

fn validate(fields: &mut Fields<'_>, problems: &mut Problems) {
    let value = fields.object();
    report_repeated_keys(value, problems);
    fields.check_as(pick(&EVENT, value), problems);
    if std::ptr::eq(fields.shape(), &MESSAGE) {
        const BODY: usize = MESSAGE.slot("body");
        if let Some(body) = fields.get(BODY).filter(|body| body.kind() == Kind::Array) {
            problems.at(body, Code::BodyBytes, "a body as byte values; read as UTF-8 text");
        }
    } else if let Some(run_id) = value.get("run_id") {
        check_run_id(run_id, problems);
    }
}

fn check_run_id(value: Value<'_>, problems: &mut Problems) {
    let Some(text) = value.as_text() else { return };
    if RunId::parse(&text).is_none() {
        let message = format!("`{}` is not `mode-seconds-pid`", crate::shape::shorten(&text));
        problems.at(value, Code::RunId, message);
    }
}

#[cfg(test)]
mod tests;

//! `weft`: the internal dialect, for what Weft itself writes into the log.

use std::borrow::Cow;

use crate::dialect::Speech;
use crate::event::report_repeated_keys;
use crate::facts::Facts;
use crate::json::{Json, Value};
use crate::problem::Problems;
use crate::report::{Lease, LeaseChange, Part, Report, Work, WorkChange};
use crate::shape::{Check, Draft, Fields, Rule, record};
use crate::taxonomy::{EventType, Taxonomy, event_types};
use crate::time;

record! {
    /// One record of Weft's own bookkeeping.
    pub struct Event = EVENT("Weft Event", Allowed) {
        /// Version of this shape.
        weft: ! u64 = Check::Version { current: 1, tolerated: None };
        /// What is recorded, as `area.what`.
        kind as "type": ! Cow<'a, str> = Check::Text(Rule::NonEmpty);
        /// Id of this record.
        id: ! Cow<'a, str> = Check::Text(Rule::NonEmpty);
        /// When it was recorded.
        at: ! Cow<'a, str> = Check::TIME;
        /// What belongs to the type.
        data: ! Json<'a> = Check::Object;
    }
}

/// The types that Weft writes.
static TYPES: &[EventType] = event_types! {
    "subscription.changed" -: "A subscription was made, changed, paused or removed" ["name"] "bookkeeping, not an actor's doing";
    "subscription.acknowledged" -: "A subscription's position moved" ["name", "position"] "bookkeeping, not an actor's doing";
    "subscription.dead" -: "An event could not be delivered, or is no longer among those" ["name", "position", "error"] "bookkeeping, not an actor's doing";
    "lease.changed" -: "A lease was taken, renewed or let go" ["key", "owner", "until"] "bookkeeping, not an actor's doing";
    "issue.changed" -: "An issue was made or edited" ["issue_id"] "bookkeeping, not an actor's doing";
    "log.pruned" -: "Segments were archived or deleted" ["first", "last", "hash"] "bookkeeping, not an actor's doing";
    "log.redacted" -: "Secrets were taken out of a stored group" ["first", "body", "records"] "bookkeeping, not an actor's doing";
};

static TAXONOMY: Taxonomy = Taxonomy::new(TYPES);

pub(crate) static SPEECH: Speech = Speech {
    validate,
    facts,
    report,
    taxonomy: &TAXONOMY,
    root: &Check::Shape(&EVENT),
    documents: &[],
    schema_id: "weft/event-1",
    draft: Draft::Twenty,
};

const DATA: usize = EVENT.slot("data");

fn validate(fields: &mut Fields<'_>, problems: &mut Problems) {
    report_repeated_keys(fields.object(), problems);
    fields.check_as(&EVENT, problems);
}

fn facts<'a>(fields: &Fields<'a>, facts: &mut Facts<'a>) {
    const TYPE: usize = EVENT.slot("type");
    const ID: usize = EVENT.slot("id");
    const AT: usize = EVENT.slot("at");
    facts.event_type = fields.text(TYPE).unwrap_or_default();
    facts.set_type_defaults();
    facts.time_ns = fields.time_ns(AT);
    facts.identity.put_id(fields.get(ID));
    let Some(data) = fields.get(DATA) else { return };
    match facts.event_type.as_ref() {
        "lease.changed" => {
            Value::put_text_of(data.get("owner"), &mut facts.actor);
            Value::put_text_of(data.get("key"), &mut facts.path);
        }
        "issue.changed" => Value::put_text_of(data.get("issue_id"), &mut facts.task),
        _ => {}
    }
}

fn report<'a>(fields: &Fields<'a>, facts: &Facts<'a>) -> Report<'a> {
    let part = match (facts.event_type.as_ref(), fields.get(DATA)) {
        ("lease.changed", Some(data)) => lease(data),
        ("issue.changed", Some(data)) => issue(data),
        (_, _) => Part::Nothing,
    };
    Report { part, place: None }
}

/// Reads a lease: until some time it is held, without one it was let go.
fn lease(data: Value<'_>) -> Part<'_> {
    let until = data.text_at("until").and_then(|until| time::parse_rfc3339(&until));
    let change = if until.is_some() { LeaseChange::Taken } else { LeaseChange::Released };
    Part::Lease(Lease { change, actors: Vec::new(), until_ns: until })
}

/// Reads an issue, by its status in the words of the tracker. One that does not say it was edited, and nothing is known of how.
fn issue(data: Value<'_>) -> Part<'_> {
    let change = match data.text_at("status").as_deref() {
        Some("open") => WorkChange::Created,
        Some("in_progress") => WorkChange::Worked,
        Some("paused") => WorkChange::Released,
        Some("closed") => WorkChange::Completed,
        Some(_) | None => return Part::Nothing,
    };
    Part::Work(Work { title: data.text_at("title"), ..Work::of(change) })
}

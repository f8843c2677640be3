//! `weft`: the internal dialect, for what Weft itself writes into the log.

use std::borrow::Cow;

use crate::dialect::Speech;
use crate::event::report_repeated_keys;
use crate::facts::Facts;
use crate::json::Json;
use crate::problem::Problems;
use crate::report::Report;
use crate::shape::{Check, Draft, Fields, Rule, record};
use crate::taxonomy::{EventType, Taxonomy, event_types};

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
}

fn report<'a>(_fields: &Fields<'a>, _facts: &Facts<'a>) -> Report<'a> {
    Report::default()
}

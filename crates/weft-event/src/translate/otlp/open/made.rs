//! The collector event that is made of a record, a span or a data point, with what it was made of beside it.

use std::borrow::Cow;

use super::record::{Around, Record};
use crate::Dialect;
use crate::collector::{Correlation, Event, Tool, VERSION};
use crate::facts::{Usage, carried};
use crate::json::{Json, Object};
use crate::time;
use crate::translate::otlp::names::AGENT;
use crate::translate::{
    Fill, Lack, Lacks, Loss, Opened, Origin, Target, Untranslatable, on_one_line,
};

/// Bytes of `metadata` beside the record itself, of most records.
const ROOM_BYTES: usize = 512;

/// When something happened, and who it is about.
pub(super) struct Known<'a> {
    pub(super) time_ns: i64,
    pub(super) agent_id: Cow<'a, str>,
}

/// What is to be said in an event.
pub(super) struct Made<'a, 'r> {
    pub(super) known: Known<'a>,
    /// The collector's type.
    pub(super) event_type: &'static str,
    /// The name that it goes by in OTLP.
    pub(super) name: Cow<'a, str>,
    pub(super) id: Option<String>,
    pub(super) message: Cow<'a, str>,
    pub(super) tool: Tool<'a>,
    pub(super) correlation: Correlation<'a>,
    pub(super) usage: Option<Usage<'a>>,
    /// Where the figures of `usage` come from.
    pub(super) usage_from: &'static str,
    /// Further members of `metadata`.
    pub(super) metadata: Vec<(&'static str, Json<'static>)>,
    /// Facts that the event has no field for.
    pub(super) facts: Vec<(&'static str, Json<'static>)>,
    /// Writes a request with nothing but what it is made of.
    pub(super) request: &'r dyn Fn(&mut String),
}

/// Returns what every event has to say; what is in neither the record nor `fill` is lacking.
pub(super) fn known<'a>(
    record: &Record<'a>,
    time: (Option<i64>, &'static str),
    fill: &Fill,
) -> Result<Known<'a>, Untranslatable> {
    let (time_ns, field) = time;
    let agent = record.agent().or(fill.agent.clone().map(Into::into));
    match (time_ns.or(fill.time_ns), agent) {
        (Some(time_ns), Some(agent_id)) => Ok(Known { time_ns, agent_id }),
        (time_ns, agent) => {
            let lacks = [
                (time_ns.is_none(), Lack { field, flag: "--time" }),
                (agent.is_none(), Lack { field: AGENT[0], flag: "--agent" }),
            ];
            let lacks =
                lacks.into_iter().filter_map(|(is_missing, lack)| is_missing.then_some(lack));
            let (what, lacks) = (Target::Otlp, Lacks(lacks.collect()));
            Err(Untranslatable::Incomplete { what, lacks })
        }
    }
}

/// Writes the event.
pub(super) fn write(record: &Record<'_>, made: Made<'_, '_>) -> Opened {
    let n_bytes = record.value.raw().len() + ROOM_BYTES;
    let metadata = Json::large_object(n_bytes, |metadata| {
        if let Some(usage) = &made.usage {
            metadata.json("usage", &carried::write_usage(usage));
            metadata.text("usage_from", made.usage_from);
        }
        made.metadata.iter().for_each(|(name, json)| metadata.json(name, json));
        write_added(metadata.key(carried::KEY), &made.name, &made.facts, made.request);
    });
    let Made { known, event_type, id, message, tool, correlation, .. } = made;
    let event = Event {
        version: VERSION.into(),
        event_type: event_type.into(),
        timestamp: time::format_rfc3339(known.time_ns).into(),
        agent_id: known.agent_id,
        event_id: id.map(Into::into),
        session_id: record.session(),
        message: Some(message),
        tool: (tool != Tool::default()).then_some(tool),
        correlation: (correlation != Correlation::default()).then_some(correlation),
        metadata: Some(metadata),
        ..Event::default()
    };
    let losses = match record.around {
        Around::Lost if record.has_surroundings() => vec![Loss::Surroundings],
        Around::Lost | Around::Kept => Vec::new(),
    };
    // A request may stand on many lines, and so may what a tool was given.
    let (line, dialect) = (on_one_line(event.to_line()), Dialect::Collector);
    Opened { line, dialect, origin: Origin::Made, losses }
}

/// Writes the object that is added to an event: its name in OTLP, facts without a field, and what it was made of.
pub(super) fn write_added(
    out: &mut String,
    name: &str,
    facts: &[(&'static str, Json<'static>)],
    request: &dyn Fn(&mut String),
) {
    let mut added = Object::begin(out);
    added.text("dialect", Target::Otlp.as_str());
    added.text("type", name);
    let mut inner = Object::begin(added.key("facts"));
    facts.iter().for_each(|(name, json)| inner.json(name, json));
    inner.end();
    request(added.key("event"));
    added.end();
}

//! The two shapes that came before the event, and the ways between them and it.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{EVENT, Event, VERSION};
use crate::Level;
use crate::event::SEAL_KEY;
use crate::json::{Json, Kind, Tape, Value};
use crate::shape::{Check, Rule, Shape, Wire, record};
use crate::time;

record! {
    /// A worker named by what it is made of.
    pub struct WorkerParts = WORKER_PARTS("Legacy Needle Worker", Allowed) {
        /// The program that runs the model.
        runner: ? Cow<'a, str> = Check::TEXT;
        /// The model's provider.
        provider: ? Cow<'a, str> = Check::TEXT;
        /// The model.
        model: ? Cow<'a, str> = Check::TEXT;
        /// What tells it from its like.
        identifier: ? Cow<'a, str> = Check::TEXT;
    }
}

impl WorkerParts<'_> {
    fn named(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let parts = [
            ("runner", &self.runner),
            ("provider", &self.provider),
            ("model", &self.model),
            ("identifier", &self.identifier),
        ];
        parts.into_iter().filter_map(|(name, part)| Some((name, part.as_deref()?)))
    }

    fn to_json(&self) -> Json<'static> {
        Json::object(|object| {
            self.named().for_each(|(name, part)| object.text(name, part));
            self.extra.iter().for_each(|(name, json)| object.json(name, json));
        })
    }
}

/// The worker of a [`LegacyEvent`].
#[derive(Clone, Debug, PartialEq)]
pub enum LegacyWorker<'a> {
    /// Its name.
    Name(Cow<'a, str>),
    /// What it is made of.
    Parts(WorkerParts<'a>),
}

impl<'a> LegacyWorker<'a> {
    /// Returns the worker's name; that of a worker in parts is runner, provider, model and identifier with `-` between them.
    pub fn into_name(self) -> Cow<'a, str> {
        match self {
            LegacyWorker::Name(name) => name,
            LegacyWorker::Parts(parts) => {
                let parts: Vec<_> = parts.named().map(|(_, part)| part).collect();
                Cow::Owned(parts.join("-"))
            }
        }
    }
}

impl Default for LegacyWorker<'_> {
    fn default() -> Self {
        LegacyWorker::Name(Cow::default())
    }
}

impl<'a> Wire<'a> for LegacyWorker<'a> {
    fn read(value: Value<'a>) -> Option<Self> {
        match value.as_text() {
            Some(name) => Some(LegacyWorker::Name(name)),
            None => WorkerParts::read(value).map(LegacyWorker::Parts),
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            LegacyWorker::Name(name) => name.write(out),
            LegacyWorker::Parts(parts) => parts.write(out),
        }
    }
}

record! {
    /// An event as it was before it had a sequence.
    pub struct LegacyEvent = LEGACY_EVENT("Legacy Needle Event", Allowed) {
        /// When it happened.
        ts: ! Cow<'a, str> = Check::TIME;
        /// Type, as `category.action`.
        event: ! Cow<'a, str> = Check::TEXT;
        /// The worker that wrote it.
        worker: ! LegacyWorker<'a> = Check::Either(&[Check::TEXT, Check::Shape(&WORKER_PARTS)]);
        /// How loud it is, where that is not the type's own.
        level: ? Level = Check::Text(Rule::OneOf(Level::WORDS));
        /// One lifetime of the worker.
        session: ! Cow<'a, str> = Check::TEXT;
        /// What belongs to the type.
        data: ! Json<'a> = Check::Object;
    }
}

record! {
    /// The flat record of the oldest viewers: a log line with whatever else was known beside it.
    pub struct LegacyFlat = LEGACY_FLAT("Legacy Needle Flat Record", Allowed) {
        /// When it happened, in milliseconds since 1970.
        ts: ! i64 = Check::INTEGER;
        /// The worker that wrote it.
        worker: ! Cow<'a, str> = Check::TEXT;
        /// How loud it is.
        level: ! Level = Check::Text(Rule::OneOf(Level::WORDS));
        /// The type of an event, or free text.
        msg: ! Cow<'a, str> = Check::TEXT;
    }
}

impl<'a> LegacyEvent<'a> {
    /// Returns the event that says the same. The old shape has no sequence, so the caller gives one.
    ///
    /// A worker in parts and a stated level stay beside the event as `worker` and `level`. A field that the old event had under
    /// the name of a field of the new one goes into it if it fits, else it is kept with `legacy.` before its name.
    pub fn into_event(self, sequence: u64) -> Event<'a> {
        let mut event = Event {
            schema_version: Some(VERSION),
            timestamp: self.ts,
            event_type: self.event,
            session_id: self.session,
            sequence,
            data: self.data,
            ..Event::default()
        };
        let mut extras = Extras::beside(&EVENT);
        if let LegacyWorker::Parts(parts) = &self.worker {
            extras.add("legacy.", "worker".into(), Some(parts.to_json()));
        }
        extras.add("legacy.", "level".into(), self.level.map(|level| Json::text(level.as_str())));
        event.worker_id = self.worker.into_name();
        for (name, json) in self.extra {
            match name.as_ref() {
                "bead_id" if event.bead_id.is_none() && text_of(&json).is_some() => {
                    event.bead_id = text_of(&json).map(Cow::Owned);
                }
                "workspace" if event.workspace.is_none() => event.workspace = Some(json),
                "duration_ms" if event.duration_ms.is_none() => event.duration_ms = Some(json),
                "trace_id" if event.trace_id.is_none() => event.trace_id = Some(json),
                "span_id" if event.span_id.is_none() => event.span_id = Some(json),
                _ => extras.add("legacy.", name, Some(json)),
            }
        }
        event.extra = extras.list;
        event
    }
}

impl Event<'_> {
    /// Returns the flat record that says the same: level by the [rule](super::level), type as `msg`, and session, bead and the
    /// members of `data` beside them. `None` if the time is not RFC 3339 or `data` is no object.
    ///
    /// A member of `data` whose name is taken gets `data.` before it, any other field `event.`. The flat record has no place for
    /// the sequence, the version and what is finer than a millisecond.
    pub fn flatten(&self) -> Option<LegacyFlat<'_>> {
        let time_ns = time::parse_rfc3339(&self.timestamp)?;
        let mut tape = Tape::new();
        let data =
            tape.parse(self.data.as_str()).ok().filter(|data| data.kind() == Kind::Object)?;
        let mut extras = Extras::beside(&LEGACY_FLAT);
        extras.add("event.", "session".into(), Some(Json::text(&self.session_id)));
        extras.add("event.", "bead".into(), self.bead_id.as_deref().map(Json::text));
        extras.add("event.", "trace_id".into(), self.trace_id.clone());
        extras.add("event.", "span_id".into(), self.span_id.clone());
        // From `data` these would say something else at the top: the event's own bead and trace, another shape, a seal.
        let elsewhere = ["bead", "trace_id", "span_id", "event_type", SEAL_KEY];
        extras.taken.extend(elsewhere.map(Cow::Borrowed));
        for (key, member) in data.members() {
            let name = key.as_text().expect("a key is a string");
            extras.add("data.", Cow::Owned(name.into_owned()), Some(owned(member)));
        }
        extras.add("event.", "workspace".into(), self.workspace.clone());
        extras.add("event.", "duration_ms".into(), self.duration_ms.clone());
        for (name, json) in &self.extra {
            extras.add("event.", Cow::Borrowed(name), Some(json.clone()));
        }
        Some(LegacyFlat {
            ts: time_ns.div_euclid(time::MILLI_NS),
            worker: Cow::Borrowed(&self.worker_id),
            level: self.level(),
            msg: Cow::Borrowed(&self.event_type),
            extra: extras.list,
        })
    }
}

/// Fields beside those of a shape, none of them twice.
struct Extras<'a> {
    list: Vec<(Cow<'a, str>, Json<'a>)>,
    taken: HashSet<Cow<'a, str>>,
}

impl<'a> Extras<'a> {
    fn beside(shape: &'static Shape) -> Self {
        let taken = shape.fields.iter().map(|field| Cow::Borrowed(field.name)).collect();
        Self { list: Vec::new(), taken }
    }

    /// Adds a field, if there is one; as long as its name is taken, `prefix` goes before it.
    fn add(&mut self, prefix: &str, mut name: Cow<'a, str>, json: Option<Json<'a>>) {
        let Some(json) = json else { return };
        while !self.taken.insert(name.clone()) {
            name = Cow::Owned(format!("{prefix}{name}"));
        }
        self.list.push((name, json));
    }
}

fn owned(value: Value<'_>) -> Json<'static> {
    Json::of(value).into_owned()
}

fn text_of(json: &Json<'_>) -> Option<String> {
    Some(Tape::new().parse(json.as_str()).ok()?.as_text()?.into_owned())
}

#[cfg(test)]
mod tests;

//! The fields that a filter can ask for: names, kinds, and how each is read off a record. The one list behind the parser, the
//! help and the completion.

use weft_event::{Dialect, Level, Status};

use super::Subject;

/// One field of the filter language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// The name to write.
    pub name: &'static str,
    /// What its values are.
    pub kind: FieldKind,
    /// What it is, in a few words.
    pub about: &'static str,
    pub(super) field: Field,
}

/// What the values of a field are, and with it how they are written and compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Text: equal, glob or regular expression.
    Text,
    /// One of these words, without an order.
    Word(&'static [&'static str]),
    /// One of these words, from the least to the greatest.
    Rank(&'static [&'static str]),
    /// A whole number.
    Whole,
    /// A number.
    Decimal,
    /// A number with a unit: `250ms`, `5s`, `1h30m`.
    Duration,
    /// A time: `2026-11-14`, `2026-11-14T10:00Z`, or how long ago: `2h`.
    Time,
    /// `yes` or `no`.
    YesNo,
    /// The name of a field, or a path into the event.
    FieldName,
}

/// A field by how it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Text(TextField),
    Whole(WholeField),
    Decimal(DecimalField),
    Flag(FlagField),
    Since,
    Until,
    Has,
}

/// A field that has a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextField {
    Dialect,
    Type,
    Status,
    Level,
    Actor,
    Subject,
    Parent,
    Session,
    Tenant,
    Tool,
    Path,
    Message,
    Trace,
    Span,
    Task,
    Topic,
    Key,
    Via,
    Model,
}

/// A field that has a whole number: a count, milliseconds, or nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WholeField {
    Position,
    Order,
    Duration,
    InputTokens,
    OutputTokens,
    Tokens,
    Time,
    At,
}

/// A field that has a number with a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecimalField {
    Progress,
    Cost,
}

/// A field that is there or not, and has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlagField {
    Ended,
    Conflict,
    Carried,
    Unverified,
}

const fn text(name: &'static str, field: TextField, about: &'static str) -> FieldInfo {
    FieldInfo { name, kind: FieldKind::Text, about, field: Field::Text(field) }
}

const fn whole(
    name: &'static str,
    kind: FieldKind,
    field: WholeField,
    about: &'static str,
) -> FieldInfo {
    FieldInfo { name, kind, about, field: Field::Whole(field) }
}

const fn decimal(name: &'static str, field: DecimalField, about: &'static str) -> FieldInfo {
    FieldInfo { name, kind: FieldKind::Decimal, about, field: Field::Decimal(field) }
}

const fn flag(name: &'static str, field: FlagField, about: &'static str) -> FieldInfo {
    FieldInfo { name, kind: FieldKind::YesNo, about, field: Field::Flag(field) }
}

static FIELDS: &[FieldInfo] = &[
    FieldInfo {
        name: "dialect",
        kind: FieldKind::Word(Dialect::WORDS),
        about: "the dialect the event is written in",
        field: Field::Text(TextField::Dialect),
    },
    text("type", TextField::Type, "the event's type, by the dialect's own name"),
    FieldInfo {
        name: "status",
        kind: FieldKind::Word(Status::WORDS),
        about: "what the actor is doing",
        field: Field::Text(TextField::Status),
    },
    FieldInfo {
        name: "level",
        kind: FieldKind::Rank(Level::WORDS),
        about: "how loud the event is",
        field: Field::Text(TextField::Level),
    },
    text("actor", TextField::Actor, "whoever the event is about: agent, worker, component, run"),
    text("subject", TextField::Subject, "another actor that the event names"),
    text("parent", TextField::Parent, "the actor that started this one"),
    text("session", TextField::Session, "the session"),
    text("tenant", TextField::Tenant, "the tenant"),
    text("task", TextField::Task, "the piece of work: bead, issue, step, task, job"),
    text("tool", TextField::Tool, "the tool"),
    text("path", TextField::Path, "the file"),
    text("message", TextField::Message, "what the event says to a person"),
    text("trace", TextField::Trace, "the trace"),
    text("span", TextField::Span, "the span in the trace"),
    text("model", TextField::Model, "the model"),
    text("topic", TextField::Topic, "the topic it was posted to"),
    text("key", TextField::Key, "the key within a last-value topic"),
    text("via", TextField::Via, "the way it came in: hook, http, emit, ingest, spool"),
    whole("position", FieldKind::Whole, WholeField::Position, "the record's place in the log"),
    whole("order", FieldKind::Whole, WholeField::Order, "the number in the producer's own order"),
    whole("duration", FieldKind::Duration, WholeField::Duration, "how long it took"),
    decimal("progress", DecimalField::Progress, "how far the work is, from 0 to 1"),
    decimal("cost", DecimalField::Cost, "what it cost, in US dollars"),
    whole("tokens", FieldKind::Whole, WholeField::Tokens, "all tokens used"),
    whole("input_tokens", FieldKind::Whole, WholeField::InputTokens, "tokens read"),
    whole("output_tokens", FieldKind::Whole, WholeField::OutputTokens, "tokens written"),
    whole("time", FieldKind::Time, WholeField::Time, "when it happened, by the producer's clock"),
    whole("at", FieldKind::Time, WholeField::At, "when it was received"),
    FieldInfo {
        name: "since",
        kind: FieldKind::Time,
        about: "happened then or later; where the event has no time, received",
        field: Field::Since,
    },
    FieldInfo {
        name: "until",
        kind: FieldKind::Time,
        about: "happened before; where the event has no time, received",
        field: Field::Until,
    },
    flag("ended", FlagField::Ended, "the actor is gone after it"),
    flag("conflict", FlagField::Conflict, "an earlier record has its identity and other content"),
    flag("carried", FlagField::Carried, "it was appended again so that its segment could go"),
    flag("unverified", FlagField::Unverified, "its seal is damaged: nothing vouches for it"),
    FieldInfo {
        name: "has",
        kind: FieldKind::FieldName,
        about: "the record has that field or path",
        field: Field::Has,
    },
];

/// What people call a field that has another name here.
static SYNONYMS: &[(&str, &str)] = &[
    ("agent", "actor"),
    ("agent_id", "actor"),
    ("bead", "task"),
    ("bead_id", "task"),
    ("component", "actor"),
    ("cost_usd", "cost"),
    ("duration_ms", "duration"),
    ("event_type", "type"),
    ("file", "path"),
    ("file_path", "path"),
    ("id", "position"),
    ("issue", "task"),
    ("kind", "type"),
    ("origin", "via"),
    ("received", "at"),
    ("run", "actor"),
    ("seq", "order"),
    ("sequence", "order"),
    ("session_id", "session"),
    ("severity", "level"),
    ("state", "status"),
    ("text", "message"),
    ("timestamp", "time"),
    ("tool_name", "tool"),
    ("topic_key", "key"),
    ("trace_id", "trace"),
    ("usd", "cost"),
    ("worker", "actor"),
    ("worker_id", "actor"),
];

/// How many letters may be wrong in a name for another to be offered.
const TYPOS_MAX: usize = 2;

/// Returns every field of the filter language, for help and completion.
pub fn fields() -> &'static [FieldInfo] {
    FIELDS
}

pub(super) fn find(name: &str) -> Option<&'static FieldInfo> {
    FIELDS.iter().find(|info| info.name == name)
}

/// Returns the field that a wrong name most likely means.
pub(super) fn nearest_field(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let synonym = SYNONYMS.iter().find(|(other, _)| *other == lower).map(|(_, known)| *known);
    synonym.or_else(|| nearest(&lower, FIELDS.iter().map(|info| info.name)))
}

/// Returns the word that a wrong one most likely means.
pub(super) fn nearest<'w>(wrong: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let typos = |word: &&str| n_typos(wrong, word);
    let nearest = words.min_by_key(typos)?;
    (typos(&nearest) <= TYPOS_MAX.min(wrong.chars().count() / 2)).then_some(nearest)
}

/// Counts the letters to add, drop, change or swap with their neighbour to make one word of the other.
fn n_typos(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    let mut previous = None;
    for (n, c) in from.chars().enumerate() {
        let mut row = vec![n + 1];
        for (idx, other) in to.iter().enumerate() {
            let change = last[idx] + usize::from(c != *other);
            let mut best = change.min(last[idx + 1] + 1).min(row[idx] + 1);
            if idx > 0 && previous == Some(*other) && to[idx - 1] == c {
                best = best.min(before_last[idx - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
        previous = Some(c);
    }
    last[to.len()]
}

impl Field {
    /// Returns its name.
    pub(super) fn name(self) -> &'static str {
        let info = FIELDS.iter().find(|info| info.field == self);
        info.expect("every field is in the list").name
    }
}

impl TextField {
    /// Returns the field's text, if the record has it.
    pub(super) fn of<'s>(self, subject: &'s Subject<'_>) -> Option<&'s str> {
        let facts = subject.facts;
        let mark = subject.meta.mark.as_ref();
        let posted = || mark.and_then(|mark| mark.topic.as_ref());
        match self {
            TextField::Dialect => Some(facts.dialect.as_str()),
            TextField::Type => Some(&facts.event_type),
            TextField::Status => facts.status.map(Status::as_str),
            TextField::Level => Some(facts.level.as_str()),
            TextField::Actor => facts.actor.as_deref(),
            TextField::Subject => facts.subject.as_deref(),
            TextField::Parent => facts.parent.as_deref(),
            TextField::Session => facts.session.as_deref(),
            TextField::Tenant => facts.tenant.as_deref(),
            TextField::Tool => facts.tool.as_deref(),
            TextField::Path => facts.path.as_deref(),
            TextField::Message => facts.message.as_deref(),
            TextField::Trace => facts.trace.as_deref(),
            TextField::Span => facts.span.as_deref(),
            TextField::Task => facts.task.as_deref(),
            TextField::Topic => match posted() {
                Some(posted) => Some(&posted.topic),
                None => facts.topic.as_deref(),
            },
            TextField::Key => posted()?.key.as_deref(),
            TextField::Via => mark.map(|mark| &*mark.via),
            TextField::Model => facts.usage.as_ref()?.model.as_deref(),
        }
    }
}

impl WholeField {
    /// Returns the field's number, if the record has it. Wider than either kind it comes from.
    pub(super) fn of(self, subject: &Subject<'_>) -> Option<i128> {
        let usage = || subject.facts.usage.as_deref();
        match self {
            WholeField::Position => Some(i128::from(subject.meta.position.get())),
            WholeField::Order => subject.facts.order.map(i128::from),
            WholeField::Duration => subject.facts.duration_ms.map(i128::from),
            WholeField::InputTokens => usage()?.input_tokens.map(i128::from),
            WholeField::OutputTokens => usage()?.output_tokens.map(i128::from),
            WholeField::Tokens => {
                let usage = usage()?;
                let parts = [
                    usage.input_tokens,
                    usage.output_tokens,
                    usage.cache_read_tokens,
                    usage.cache_write_tokens,
                ];
                let sum = parts.into_iter().flatten().map(i128::from).reduce(|sum, n| sum + n);
                usage.total_tokens.map(i128::from).or(sum)
            }
            WholeField::Time => subject.facts.time_ns.map(i128::from),
            WholeField::At => subject.meta.at_us.map(|at_us| i128::from(at_us) * 1000),
        }
    }
}

impl DecimalField {
    /// Returns the field's number, if the record has it.
    pub(super) fn of(self, subject: &Subject<'_>) -> Option<f64> {
        match self {
            DecimalField::Progress => subject.facts.progress,
            DecimalField::Cost => subject.facts.usage.as_ref()?.cost_usd,
        }
    }
}

impl FlagField {
    /// Returns whether the record has the flag.
    pub(super) fn of(self, subject: &Subject<'_>) -> bool {
        let mark = subject.meta.mark.as_ref();
        match self {
            FlagField::Ended => subject.facts.ended,
            FlagField::Conflict => mark.is_some_and(|mark| mark.conflict.is_some()),
            FlagField::Carried => mark.is_some_and(|mark| mark.carried.is_some()),
            FlagField::Unverified => mark.is_none(),
        }
    }
}

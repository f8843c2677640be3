//! Detection: the dialect of a line from its top-level keys, in one pass over them.
//!
//! A *mark* is a key that only one dialect writes at the top level. A dialect with no mark does not fit. Of those that fit, one
//! whose demanded keys are all there beats one that lacks some; among those that lack some the number of marks decides. What is
//! left with more than one is ambiguous.

use crate::Dialect;
use crate::json::{Kind, NAMES_MAX, Name, Names, Value};
use crate::shape::shorten;

/// What the shape of a line says about its dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detection {
    /// It is this one.
    Is(Dialect),
    /// These fit equally well.
    Ambiguous(Fits),
    /// None fits.
    Unknown,
}

/// A set of dialects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fits(u8);

impl Fits {
    /// Returns the dialects of the set.
    pub fn dialects(self) -> impl Iterator<Item = Dialect> {
        Dialect::ALL.iter().copied().filter(move |&dialect| self.0 & bit(dialect) != 0)
    }

    /// Returns the dialect of a set that has one and no more.
    fn only(self) -> Option<Dialect> {
        if self.0.is_power_of_two() {
            Some(Dialect::ALL[self.0.trailing_zeros() as usize])
        } else {
            None
        }
    }

    fn with(self, dialect: Dialect) -> Self {
        Self(self.0 | bit(dialect))
    }
}

const fn bit(dialect: Dialect) -> u8 {
    1 << dialect as u8
}

/// How well one dialect fits a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The dialect.
    pub dialect: Dialect,
    /// The keys that only it writes.
    pub marks: Vec<String>,
    /// Whether every key that it demands is there.
    pub complete: bool,
}

/// Finds the dialect of an object.
pub fn detect(value: Value<'_>) -> Detection {
    let fits = value.members().fold(0, |fits, (key, member)| fits | mark(key, member));
    match Fits(fits).only() {
        Some(dialect) => Detection::Is(dialect),
        None if fits == 0 => by_type_name(value),
        None => best_of(Fits(fits), value),
    }
}

/// Returns the dialect of an object that is valid in it, from its keys alone; `None` where that cannot be said.
///
/// The keys that are told apart by their value are fields of two dialects. Where they are as one of these demands, they tell that
/// dialect and no other.
#[inline]
pub(crate) fn detect_valid(value: Value<'_>) -> Option<Dialect> {
    let telling = value.names().first() & TELLING_NAMES;
    let dialect = DIALECT_OF[(telling & !SHARED_NAMES).trailing_zeros() as usize]?;
    // A mark of another dialect is among the rest, as is a shared key that this one has no field for.
    let rest = telling & !NAMES_OF[dialect as usize];
    if rest == 0 { Some(dialect) } else { None }
}

/// Chooses between dialects that all have a mark.
#[cold]
#[inline(never)]
fn best_of(fits: Fits, value: Value<'_>) -> Detection {
    let n_marks = |dialect: Dialect| {
        value.members().filter(|(key, member)| mark(*key, *member) == bit(dialect)).count()
    };
    // Of dialects that are all there none is the better; only among those that lack something the marks decide.
    let rank = |dialect: Dialect| match is_complete(dialect, value) {
        true => usize::MAX,
        false => n_marks(dialect),
    };
    let best = fits.dialects().map(rank).max();
    let is_best = |dialect: &Dialect| Some(rank(*dialect)) == best;
    let best_fits = fits.dialects().filter(is_best).fold(Fits::default(), Fits::with);
    best_fits.only().map_or(Detection::Ambiguous(best_fits), Detection::Is)
}

/// Returns how well every dialect fits, for explanations.
pub fn fits(value: Value<'_>) -> Vec<Fit> {
    let fit = |&dialect: &Dialect| Fit {
        dialect,
        marks: value
            .members()
            .filter(|(key, member)| mark(*key, *member) == bit(dialect))
            .filter_map(|(key, _)| Some(key.as_text()?.into_owned()))
            .collect(),
        complete: is_complete(dialect, value),
    };
    Dialect::ALL.iter().map(fit).collect()
}

/// The keys that only one dialect writes at the top level.
const MARKS: &[(&str, Dialect)] = &[
    ("agent_id", Dialect::Collector),
    ("status", Dialect::Collector),
    ("message", Dialect::Collector),
    ("tool", Dialect::Collector),
    ("hook", Dialect::Collector),
    ("correlation", Dialect::Collector),
    ("metadata", Dialect::Collector),
    ("tenant_id", Dialect::Pinchy),
    ("routing", Dialect::Pinchy),
    ("occurred_at", Dialect::Pinchy),
    ("idempotency_key", Dialect::Pinchy),
    ("meta", Dialect::Pinchy),
    ("runId", Dialect::Engine),
    ("seq", Dialect::Engine),
    ("schema_version", Dialect::Needle),
    ("worker_id", Dialect::Needle),
    ("sequence", Dialect::Needle),
    ("bead_id", Dialect::Needle),
    ("workspace", Dialect::Needle),
    ("worker", Dialect::Needle),
    ("level", Dialect::Needle),
    ("msg", Dialect::Needle),
    ("schema", Dialect::Idle),
    ("run_id", Dialect::Idle),
    ("updated_at", Dialect::Idle),
    ("stack", Dialect::Idle),
    ("goal", Dialect::Idle),
    ("iteration", Dialect::Idle),
    ("next_step", Dialect::Idle),
    ("modified_files", Dialect::Idle),
    ("loop_kind", Dialect::Idle),
    ("topic_id", Dialect::Idle),
    ("body", Dialect::Idle),
    ("created_at", Dialect::Idle),
    ("request_id", Dialect::Idle),
];

/// The keys that several dialects write and that are told apart by their value.
const SHARED: [&str; 3] = ["version", "source", "weft"];

const SHARED_NAMES: u64 = name_bit(SHARED[0]) | name_bit(SHARED[1]) | name_bit(SHARED[2]);

/// Returns the bit that a name has in [`Names::first`], which must hold it.
const fn name_bit(name: &str) -> u64 {
    let bit = Names::NONE.with(name).first();
    assert!(bit != 0, "the name must stand among the first of the vocabulary");
    bit
}

/// The keys that a valid event of each dialect may have of [`MARKS`] and [`SHARED`].
static NAMES_OF: [u64; Dialect::ALL.len()] = {
    let mut of = [0; Dialect::ALL.len()];
    let mut idx = 0;
    while idx < MARKS.len() {
        of[MARKS[idx].1 as usize] |= name_bit(MARKS[idx].0);
        idx += 1;
    }
    of[Dialect::Collector as usize] |= name_bit("version") | name_bit("source");
    of[Dialect::Pinchy as usize] |= name_bit("version") | name_bit("source");
    of
};

/// All keys of [`MARKS`] and [`SHARED`].
const TELLING_NAMES: u64 = {
    let mut names = SHARED_NAMES;
    let mut idx = 0;
    while idx < MARKS.len() {
        names |= name_bit(MARKS[idx].0);
        idx += 1;
    }
    names
};

/// The dialect whose mark a name is, by the place of its bit; the last place is for want of a bit.
static DIALECT_OF: [Option<Dialect>; 65] = {
    let mut of = [None; 65];
    let mut idx = 0;
    while idx < MARKS.len() {
        of[name_bit(MARKS[idx].0).trailing_zeros() as usize] = Some(MARKS[idx].1);
        idx += 1;
    }
    of
};

/// What stands in [`MARK_BITS`] for a key of [`SHARED`].
const BY_VALUE: u8 = 1 << 7;

/// For every listed name the bit of the dialect whose mark it is, or [`BY_VALUE`].
static MARK_BITS: [u8; NAMES_MAX] = {
    let mut bits = [0; NAMES_MAX];
    let mut idx = 0;
    while idx < MARKS.len() {
        let (name, dialect) = MARKS[idx];
        bits[Name::listed(name).idx()] = bit(dialect);
        idx += 1;
    }
    let mut idx = 0;
    while idx < SHARED.len() {
        bits[Name::listed(SHARED[idx]).idx()] = BY_VALUE;
        idx += 1;
    }
    bits
};

/// Returns the bit of the one dialect that writes this key at the top level; none if there is no one such.
#[inline(always)]
fn mark(key: Value<'_>, member: Value<'_>) -> u8 {
    match MARK_BITS[key.listed_name().idx()] {
        BY_VALUE => mark_by_value(&key.name(), member).map_or(0, bit),
        bits => bits,
    }
}

/// Some keys are shared, and what stands behind them tells whose they are.
fn mark_by_value(name: &[u8], member: Value<'_>) -> Option<Dialect> {
    match (name, member.kind()) {
        (b"version", Kind::Text) => match member.raw_bytes() {
            [b'0'..=b'9', ..] => Some(Dialect::Collector),
            [b'v', ..] => Some(Dialect::Pinchy),
            _ => None,
        },
        (b"source", Kind::Text) => Some(Dialect::Collector),
        (b"source", Kind::Object) => Some(Dialect::Pinchy),
        (b"weft", Kind::Number) => Some(Dialect::Weft),
        _ => None,
    }
}

/// Returns whether every key that marks a whole event of the dialect is there.
fn is_complete(dialect: Dialect, value: Value<'_>) -> bool {
    let has = |names: &[&str]| names.iter().all(|name| value.get(name).is_some());
    match dialect {
        Dialect::Collector => {
            has(&["version", "event_type", "timestamp", "agent_id"])
                || has(&["agent_id", "status", "timestamp"])
        }
        Dialect::Pinchy => has(&[
            "version",
            "event_id",
            "trace_id",
            "occurred_at",
            "event_type",
            "tenant_id",
            "source",
            "routing",
            "payload",
        ]),
        Dialect::Engine => has(&["id", "runId", "ts", "seq", "type", "payload"]),
        Dialect::Needle => {
            has(&["timestamp", "event_type", "worker_id", "session_id", "sequence", "data"])
                || has(&["ts", "worker", "event"])
                || has(&["ts", "worker", "msg"])
        }
        Dialect::Idle => {
            has(&["schema", "event", "stack"])
                || has(&["goal", "iteration", "next_step"])
                || has(&["type", "id", "created_at"])
                || has(&["event_id", "ts", "run_id", "loop_kind", "event"])
                || has(&["event", "request_id", "ts"])
        }
        Dialect::Weft => has(&["weft", "type", "id", "at", "data"]),
    }
}

/// A line without a mark may still name a type that one dialect alone knows.
#[cold]
#[inline(never)]
fn by_type_name(value: Value<'_>) -> Detection {
    let Some(name) = value.text_at("event_type").or_else(|| value.text_at("type")) else {
        return Detection::Unknown;
    };
    let knows = |dialect: &&Dialect| dialect.taxonomy().get(&name).is_some();
    let fits = Dialect::ALL.iter().filter(knows).fold(Fits::default(), |fits, &d| fits.with(d));
    let mut dialects = fits.dialects();
    match (dialects.next(), dialects.next()) {
        (None, _) => Detection::Unknown,
        (Some(dialect), None) => Detection::Is(dialect),
        (Some(_), Some(_)) => Detection::Ambiguous(fits),
    }
}

pub(crate) fn unknown_message(value: Value<'_>) -> String {
    let keys: Vec<_> = value
        .members()
        .filter_map(|(key, _)| key.as_text())
        .take(8)
        .map(|key| format!("`{}`", shorten(&key)))
        .collect();
    let have = if keys.is_empty() {
        "it is empty".to_owned()
    } else {
        format!("it has {}", keys.join(", "))
    };
    format!("no dialect has such a shape ({have}); name one with --dialect, or see --explain")
}

pub(crate) fn ambiguous_message(fits: Fits) -> String {
    let names: Vec<_> = fits.dialects().map(Dialect::as_str).collect();
    format!(
        "fits {} equally well; name one with --dialect {}",
        names.join(" and "),
        names.first().copied().unwrap_or("NAME")
    )
}

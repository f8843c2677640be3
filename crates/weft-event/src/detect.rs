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
    let names = value.names();
    let mut fits = marked(&names);
    if names.first() & SHARED_NAMES != 0 {
        fits |= marks_by_value(value, &names);
    }
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
    let names = value.names();
    let dialect = Fits(marked(&names)).only()?;
    let own = match dialect {
        Dialect::Collector | Dialect::Pinchy => VERSION_AND_SOURCE,
        Dialect::Idle | Dialect::Engine | Dialect::Needle | Dialect::Weft => 0,
    };
    if names.first() & SHARED_NAMES & !own == 0 { Some(dialect) } else { None }
}

/// Returns the bits of the dialects that have a mark, whatever stands behind it.
#[inline(always)]
fn marked(names: &Names) -> u8 {
    let bit_if = |(dialect, marks): &(Dialect, u64)| match names.first() & marks {
        0 => 0,
        _ => bit(*dialect),
    };
    NAMES_OF.iter().map(bit_if).fold(0, |fits, bit| fits | bit)
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

const VERSION_AND_SOURCE: u64 = name_bit(SHARED[0]) | name_bit(SHARED[1]);

const SHARED_NAMES: u64 = VERSION_AND_SOURCE | name_bit(SHARED[2]);

/// Returns the bit that a name has in [`Names::first`], which must hold it.
const fn name_bit(name: &str) -> u64 {
    let bit = Names::NONE.with(name).first();
    assert!(bit != 0, "the name must stand among the first of the vocabulary");
    bit
}

/// The keys of [`MARKS`] by dialect.
static NAMES_OF: [(Dialect, u64); 5] = {
    let mut of = [
        (Dialect::Idle, 0),
        (Dialect::Collector, 0),
        (Dialect::Pinchy, 0),
        (Dialect::Engine, 0),
        (Dialect::Needle, 0),
    ];
    let mut idx = 0;
    while idx < of.len() {
        let mut nth = 0;
        while nth < MARKS.len() {
            if bit(MARKS[nth].1) == bit(of[idx].0) {
                of[idx].1 |= name_bit(MARKS[nth].0);
            }
            nth += 1;
        }
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

/// Returns the bits of the dialects that the values of shared keys tell.
fn marks_by_value(value: Value<'_>, names: &Names) -> u8 {
    if value.has_repeated_keys() {
        return value.members().fold(0, |fits, (key, member)| fits | mark(key, member));
    }
    SHARED.iter().fold(0, |fits, name| {
        let listed = Name::of(name);
        let member = if names.has(listed) { value.member(listed) } else { None };
        let dialect = member.and_then(|member| mark_by_value(name.as_bytes(), member));
        fits | dialect.map_or(0, bit)
    })
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

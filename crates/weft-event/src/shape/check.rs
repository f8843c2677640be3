//! Checking a value against its shape: every violation, each with its place, in one walk.

use std::borrow::Cow;

use super::quick::glance;
use super::{
    Check, Is, NO_SLOT, Others, Presence, Rule, SEQUENCE_MAX, SLOTS, Shape, Union, When, Wire,
};
use crate::json::{Kind, Name, Value, same_name};
use crate::problem::{Code, Problems};
use crate::time;

/// The known fields of a checked object, found by their place in its shape.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    pub(super) shape: &'static Shape,
    pub(super) object: Value<'a>,
    /// The last time that was checked, so that facts need not parse it again.
    pub(super) time_ns: i64,
    /// Where the fields are on the tape; 0 for one that is not there.
    pub(super) slots: [u32; SLOTS],
    /// Which of their words those fields are that can be one of several; [`NO_WORD`] where it is not known.
    pub(super) words: [u8; SLOTS],
    /// Whose time that is; [`NO_SLOT`] for none.
    pub(super) time_slot: u8,
    pub(super) has_others: bool,
}

/// What stands for a word whose place in its list is not known.
pub(super) const NO_WORD: u8 = u8::MAX;

impl<'a> Fields<'a> {
    /// Finds the fields of the same object as an object of this shape, and checks them; of a repeated key the first counts.
    ///
    /// Fields are long: whoever wants to keep them lets them be filled in where they shall stay.
    pub(crate) fn check_as(&mut self, shape: &'static Shape, problems: &mut Problems) {
        self.shape = shape;
        self.check(problems);
    }

    #[inline]
    fn check(&mut self, problems: &mut Problems) {
        if !glance(self, problems) {
            walk(self, problems);
        }
    }

    /// Returns no fields.
    #[inline(always)]
    pub(crate) fn none(shape: &'static Shape, object: Value<'a>) -> Self {
        let (slots, words) = ([0; SLOTS], [NO_WORD; SLOTS]);
        Self { shape, object, time_ns: 0, slots, words, time_slot: NO_SLOT, has_others: false }
    }

    /// Returns the shape the object was checked against.
    pub fn shape(&self) -> &'static Shape {
        self.shape
    }

    /// Returns the object.
    pub fn object(&self) -> Value<'a> {
        self.object
    }

    /// Returns the value of the field at this place of the shape.
    #[inline]
    pub fn get(&self, slot: usize) -> Option<Value<'a>> {
        match self.slots[slot] {
            0 => None,
            idx => Some(self.object.value_at(idx)),
        }
    }

    /// Returns a member that the shape does not name.
    #[inline]
    pub fn other(&self, name: &str) -> Option<Value<'a>> {
        if self.has_others { self.object.get(name) } else { None }
    }

    /// Returns the time at this place of the shape, in nanoseconds since 1970.
    #[inline]
    pub fn time_ns(&self, slot: usize) -> Option<i64> {
        if usize::from(self.time_slot) == slot {
            return Some(self.time_ns);
        }
        time::parse_rfc3339(&self.text(slot)?)
    }

    /// Returns the time at this place of the shape, where it is written in milliseconds, in nanoseconds since 1970.
    #[inline]
    pub fn time_of_millis_ns(&self, slot: usize) -> Option<i64> {
        self.get(slot)?.as_i64()?.checked_mul(time::MILLI_NS)
    }

    /// Returns the string at this place of the shape.
    #[inline]
    pub fn text(&self, slot: usize) -> Option<Cow<'a, str>> {
        self.get(slot)?.as_text()
    }

    /// Returns the value of the word at this place of the shape, which must take the words of `all` in their order.
    #[inline]
    pub(crate) fn word<T: Copy + Wire<'a>>(&self, slot: usize, all: &[T]) -> Option<T> {
        match self.words[slot] {
            NO_WORD => T::read(self.get(slot)?),
            place => all.get(usize::from(place)).copied(),
        }
    }

    /// Puts the string at this place of the shape into a fact; see [`Value::put_text`].
    #[inline]
    pub(crate) fn put_text(&self, slot: usize, fact: &mut Option<Cow<'a, str>>) {
        Value::put_text_of(self.get(slot), fact);
    }
}

/// Checks any value. For objects whose fields are wanted afterwards there is [`check_fields`].
pub fn check(check: &Check, value: Value<'_>, problems: &mut Problems) {
    match check {
        Check::Any => {}
        Check::Null => expect(value, value.kind() == Kind::Null, "null", problems),
        Check::Bool => expect(value, value.as_bool().is_some(), "boolean", problems),
        Check::Object => expect(value, value.kind() == Kind::Object, "object", problems),
        Check::Text(rule) => text(rule, value, problems),
        Check::Number { min, max } => number(*min, *max, value, problems),
        Check::Integer { min } => integer(*min, value, problems),
        Check::Sequence => sequence(value, problems),
        Check::Byte => byte(value, problems),
        Check::Version { current, tolerated } => version(*current, *tolerated, value, problems),
        Check::Shape(shape) => {
            check_fields(shape, value, problems);
        }
        Check::Union(union) => {
            check_fields(pick(union, value), value, problems);
        }
        Check::List(item) => {
            expect(value, value.kind() == Kind::Array, "array", problems);
            value.items().for_each(|value| self::check(item, value, problems));
        }
        Check::EmptyList => {
            expect(value, value.kind() == Kind::Array, "array", problems);
            if value.items().next().is_some() {
                problems.at(value, Code::Length, "must be empty: `[]`");
            }
        }
        Check::Either(checks) => match checks.iter().find(|check| takes(check, value)) {
            Some(check) => self::check(check, value, problems),
            None => {
                let kinds: Vec<_> = checks.iter().map(kind_name).collect();
                expect(value, false, &kinds.join(" or "), problems);
            }
        },
    }
}

/// Checks an object against its shape and remembers where its known fields are; of a repeated key the first counts.
pub fn check_fields<'a>(
    shape: &'static Shape,
    object: Value<'a>,
    problems: &mut Problems,
) -> Fields<'a> {
    let mut fields = Fields::none(shape, object);
    fields.check(problems);
    fields
}

/// Checks an object against its shape, member by member.
#[cold]
#[inline(never)]
fn walk(fields: &mut Fields<'_>, problems: &mut Problems) {
    let Fields { shape, object, .. } = *fields;
    *fields = Fields::none(shape, object);
    if object.kind() != Kind::Object {
        return expect(object, false, "object", problems);
    }
    let mut seen = 0;
    for (key, value) in object.members() {
        let slot = shape.slots[key.listed_name().idx()];
        let Some(field) = shape.fields.get(usize::from(slot)) else {
            fields.has_others = true;
            if shape.others == Others::Refused {
                unknown(shape, key, problems);
            }
            continue;
        };
        if seen >> slot & 1 != 0 {
            continue;
        }
        seen |= 1_u32 << slot;
        fields.slots[usize::from(slot)] = value.idx();
        if matches!(field.check, Check::Text(Rule::DateTime)) && value.kind() == Kind::Text {
            if let Some(ns) = date_time(value, problems) {
                (fields.time_ns, fields.time_slot) = (ns, slot);
            }
        } else {
            check(&field.check, value, problems);
        }
    }
    missing(shape, object, seen, problems);
}

fn missing(shape: &Shape, object: Value<'_>, seen: u32, problems: &mut Problems) {
    for (slot, field) in shape.fields.iter().enumerate() {
        match field.presence {
            Presence::Required if seen >> slot & 1 == 0 => {
                problems.missing(object, field.name, Code::Missing);
            }
            Presence::Expected(code) if seen >> slot & 1 == 0 => {
                problems.missing(object, field.name, code);
            }
            Presence::Required | Presence::Expected(_) | Presence::Optional => {}
        }
    }
}

/// Returns the shape that a union gives this value.
pub(crate) fn pick(union: &Union, value: Value<'_>) -> &'static Shape {
    // Neighbouring conditions mostly ask for the same member.
    let mut last: Option<(Name, Option<Value<'_>>)> = None;
    let mut member = |name: Name| match last {
        Some((asked, found)) if asked == name => found,
        Some(_) | None => {
            let found = value.member(name);
            last = Some((name, found));
            found
        }
    };
    let mut holds = |when: &When| match (member(when.name), when.is) {
        (Some(member), Is::Text(word)) => member.is_text(word),
        (Some(_), Is::Present) | (None, Is::Absent) => true,
        (None, Is::Text(_) | Is::Present) | (Some(_), Is::Absent) => false,
    };
    let variant = union.variants.iter().find(|variant| variant.when.iter().all(&mut holds));
    variant.map_or(union.otherwise, |variant| variant.shape)
}

#[cold]
fn unknown(shape: &Shape, key: Value<'_>, problems: &mut Problems) {
    if !problems.has_room(Code::UnknownField) {
        return;
    }
    let name = key.as_text().expect("a key is a string");
    let known: Vec<_> = shape.fields.iter().map(|field| field.name).collect();
    let hint = did_you_mean(&name, &known);
    problems.at(
        key,
        Code::UnknownField,
        format!("`{}` is not a field of {}{hint}", shorten(&name), shape.title),
    );
}

/// Returns the known word that may have been meant, as the end of a message.
fn did_you_mean(word: &str, known: &[&str]) -> String {
    nearest(word, known).map_or(String::new(), |near| format!("; did you mean `{near}`?"))
}

/// Returns the known word that differs from `word` in at most two places.
pub(crate) fn nearest<'w>(word: &str, known: &[&'w str]) -> Option<&'w str> {
    let distance = |other: &str| {
        let mut row: Vec<usize> = (0..=other.len()).collect();
        for (n, a) in word.bytes().take(64).enumerate() {
            let mut diagonal = n;
            row[0] = n + 1;
            for (m, b) in other.bytes().enumerate() {
                let cost = diagonal + usize::from(a != b);
                diagonal = row[m + 1];
                row[m + 1] = cost.min(diagonal + 1).min(row[m] + 1);
            }
        }
        row[other.len()]
    };
    let best = known.iter().map(|other| (distance(other), *other)).min()?;
    (best.0 <= 2 && best.0 < best.1.len()).then_some(best.1)
}

#[inline]
fn expect(value: Value<'_>, holds: bool, wanted: &str, problems: &mut Problems) {
    if !holds {
        let found = value.kind().name();
        problems.at(value, Code::Type, format!("expected {wanted}, found {found}"));
    }
}

#[inline]
fn text(rule: &Rule, value: Value<'_>, problems: &mut Problems) {
    match value.plain_text() {
        Some(text) => plain_text(rule, text, value, problems),
        None => match value.as_text() {
            Some(text) if value.kind() == Kind::Text => plain_text(rule, &text, value, problems),
            Some(_) | None => expect(value, false, "string", problems),
        },
    }
}

fn plain_text(rule: &Rule, text: &str, value: Value<'_>, problems: &mut Problems) {
    match rule {
        Rule::Any => {}
        Rule::NonEmpty | Rule::Known(..) if text.is_empty() => {
            problems.at(value, Code::Length, "must not be empty");
        }
        Rule::NonEmpty => {}
        Rule::Known(words, code) => {
            if !words.contains(&text) {
                let hint = did_you_mean(text, words);
                let message = format!("`{}` is kept, but not known{hint}", shorten(text));
                problems.at(value, *code, message);
            }
        }
        Rule::OneOf(words) => one_of(words, &[], text, value, problems),
        Rule::Tolerant(words, tolerated) => one_of(words, tolerated, text, value, problems),
        Rule::DateTime => {
            date_time(value, problems);
        }
        Rule::Uuid => {
            if !is_uuid(text.as_bytes()) {
                problems.at(value, Code::Format, format!("`{}` is not a UUID", shorten(text)));
            }
        }
        Rule::Pattern(pattern) => {
            if !(pattern.matches)(text) {
                let message = format!("`{}` is not {}", shorten(text), pattern.expected);
                problems.at(value, Code::Pattern, message);
            }
        }
    }
}

fn date_time(value: Value<'_>, problems: &mut Problems) -> Option<i64> {
    if let Some(parts) = value.plain_bytes().and_then(time::parse_parts) {
        return time::to_ns(parts);
    }
    let text = value.as_text()?;
    let time = time::parse_parts(text.as_bytes());
    if time.is_none() {
        let message = format!(
            "`{}` is not an RFC 3339 time with an offset, such as 2026-01-31T09:30:00Z",
            shorten(&text)
        );
        problems.at(value, Code::Format, message);
    }
    time.and_then(time::to_ns)
}

fn one_of(
    words: &[&str],
    tolerated: &[(&str, Code)],
    text: &str,
    value: Value<'_>,
    problems: &mut Problems,
) {
    if words.iter().any(|word| same_name(word.as_bytes(), text.as_bytes())) {
        return;
    }
    match tolerated.iter().find(|(word, _)| *word == text) {
        Some((_, code)) => {
            problems.at(value, *code, format!("`{text}` is tolerated, not specified"))
        }
        None if words.len() == 1 => {
            let message = format!("must be `{}`, not `{}`", words[0], shorten(text));
            problems.at(value, Code::Enum, message);
        }
        None => {
            let hint = did_you_mean(text, words);
            let message = format!("`{}` is not one of {}{hint}", shorten(text), words.join(", "));
            problems.at(value, Code::Enum, message);
        }
    }
}

fn number(min: f64, max: f64, value: Value<'_>, problems: &mut Problems) {
    let Some(n) = value.as_f64() else {
        return expect(value, false, "number", problems);
    };
    if n < min || n > max {
        problems.at(value, Code::Range, format!("{} is not between {min} and {max}", value.raw()));
    }
}

fn integer(min: i64, value: Value<'_>, problems: &mut Problems) {
    if (min == i64::MIN && value.is_integer()) || value.as_small().is_some_and(|n| n as i64 >= min)
    {
        return;
    }
    if !value.is_integer() {
        let found = match value.kind() {
            Kind::Number => "a number with a fraction",
            kind => kind.name(),
        };
        return problems.at(value, Code::Type, format!("expected integer, found {found}"));
    }
    let is_less = || match value.as_i64() {
        Some(n) => n < min,
        None => value.as_f64().is_some_and(|n| n < min as f64),
    };
    if min > i64::MIN && is_less() {
        problems.at(value, Code::Range, format!("{} is less than {min}", value.raw()));
    }
}

fn byte(value: Value<'_>, problems: &mut Problems) {
    if value.as_small().is_some_and(|n| n <= u64::from(u8::MAX)) {
        return;
    }
    integer(0, value, problems);
    if value.is_integer() && value.as_f64().is_some_and(|n| n > f64::from(u8::MAX)) {
        problems.at(value, Code::Range, format!("{} is more than {}", value.raw(), u8::MAX));
    }
}

fn sequence(value: Value<'_>, problems: &mut Problems) {
    if value.as_small().is_some() {
        return;
    }
    integer(0, value, problems);
    if value.is_integer() && value.as_f64().is_some_and(|n| n > SEQUENCE_MAX as f64) {
        let message = format!("{} is more than {SEQUENCE_MAX}", value.raw());
        problems.at(value, Code::Range, message);
    }
}

fn version(
    current: u64,
    tolerated: Option<(u64, Code)>,
    value: Value<'_>,
    problems: &mut Problems,
) {
    if value.as_u64() == Some(current) {
        return;
    }
    let Some(found) = value.as_f64() else {
        return expect(value, false, "integer", problems);
    };
    match tolerated {
        Some((also, code)) if found == also as f64 => {
            problems.at(
                value,
                code,
                format!("the document says {current}, producers write {also}"),
            );
        }
        _ => {
            let also = tolerated.map_or(String::new(), |(also, _)| format!(" and {also}"));
            let message = format!("version {} cannot be read, only {current}{also}", value.raw());
            problems.at(value, Code::Version, message);
        }
    }
}

fn takes(check: &Check, value: Value<'_>) -> bool {
    let kind = value.kind();
    match check {
        Check::Any => true,
        Check::Null => kind == Kind::Null,
        Check::Bool => matches!(kind, Kind::True | Kind::False),
        Check::Text(_) => kind == Kind::Text,
        Check::Number { .. }
        | Check::Integer { .. }
        | Check::Sequence
        | Check::Byte
        | Check::Version { .. } => kind == Kind::Number,
        Check::Object | Check::Shape(_) | Check::Union(_) => kind == Kind::Object,
        Check::List(_) | Check::EmptyList => kind == Kind::Array,
        Check::Either(checks) => checks.iter().any(|check| takes(check, value)),
    }
}

fn kind_name(check: &Check) -> &'static str {
    match check {
        Check::Any => "anything",
        Check::Null => "null",
        Check::Bool => "boolean",
        Check::Text(_) => "string",
        Check::Number { .. } => "number",
        Check::Integer { .. } | Check::Sequence | Check::Byte | Check::Version { .. } => "integer",
        Check::Object | Check::Shape(_) | Check::Union(_) => "object",
        Check::List(_) | Check::EmptyList => "array",
        Check::Either(_) => "one of several",
    }
}

/// Returns whether the text is 8-4-4-4-12 hex digits.
pub(crate) fn is_uuid(text: &[u8]) -> bool {
    let Ok(bytes) = <&[u8; 36]>::try_from(text) else { return false };
    let is_hex = |byte: u8| byte.wrapping_sub(b'0') < 10 || (byte | 0x20).wrapping_sub(b'a') < 6;
    let are_dashes = [8, 13, 18, 23].iter().all(|&at| bytes[at] == b'-');
    // Without an early end the compiler makes vector code of it.
    let n_hex = bytes.iter().fold(0_u8, |n, &byte| n + u8::from(is_hex(byte)));
    are_dashes && n_hex == 32
}

/// Cuts a value for a message.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    const CHARS_MAX: usize = 60;
    match text.char_indices().nth(CHARS_MAX) {
        None => Cow::Borrowed(text),
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
    }
}

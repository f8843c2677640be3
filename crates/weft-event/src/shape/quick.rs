//! The short way through a check: what passes at a glance. It says nothing of what does not; that is for the check itself.

use super::check::{NO_WORD, check, is_uuid};
use super::{Check, FIELDS_MAX, Field, Fields, NO_SLOT, Others, Presence, Rule, SLOTS};
use crate::json::{Kind, same_name, text_hash};
use crate::problem::Problems;
use crate::time;

/// What decides most fields of a shape without a look at any of them: sets of fields, one bit each.
#[derive(Debug)]
pub(super) struct Quick {
    /// For each kind of value the fields that take it whatever it says. That of [`NO_SLOT`] stands for fields beyond the known.
    accepts: [u16; Kind::N],
    /// The fields that take no empty text.
    filled: u16,
    /// The fields that must be there.
    demanded: u16,
    /// What is asked of the values that are not accepted.
    tests: [Test; SLOTS],
}

/// What is asked of a value that is not accepted for its kind.
#[derive(Clone, Copy, Debug)]
enum Test {
    /// The whole check.
    Check,
    /// Whether it is a time.
    Time,
    /// Whether it is one of several words.
    Word,
    /// Whether it is an integer from 0 up, and not a large one.
    Count,
    /// Whether it is a certain integer.
    Exactly,
    /// Whether it is a UUID.
    Uuid,
    /// Whether it has a certain form.
    Pattern,
    /// Whether it passes as a shape.
    Shape,
}

impl Quick {
    pub(super) const fn of(fields: &[Field], others: Others) -> Self {
        let (accepts, tests) = ([0; Kind::N], [Test::Check; SLOTS]);
        let mut quick = Self { accepts, filled: 0, demanded: 0, tests };
        let mut slot = 0;
        while slot < fields.len() {
            let bit = 1 << slot;
            quick.tests[slot] = Test::of(&fields[slot].check);
            let kinds = accepted_kinds(&fields[slot].check);
            quick.accept(&kinds, bit);
            if matches!(fields[slot].check, Check::Text(Rule::NonEmpty)) {
                quick.filled |= bit;
            }
            if !matches!(fields[slot].presence, Presence::Optional) {
                quick.demanded |= bit;
            }
            slot += 1;
        }
        if matches!(others, Others::Allowed) {
            quick.accept(&[true; Kind::N], 1 << NO_SLOT);
        }
        quick
    }

    const fn accept(&mut self, kinds: &[bool; Kind::N], bit: u16) {
        let mut kind = 0;
        while kind < Kind::N {
            if kinds[kind] {
                self.accepts[kind] |= bit;
            }
            kind += 1;
        }
    }
}

/// Returns the kinds of value that pass a check whatever they say.
const fn accepted_kinds(check: &Check) -> [bool; Kind::N] {
    let kinds: &[Kind] = match check {
        Check::Any => return [true; Kind::N],
        Check::Null => &[Kind::Null],
        Check::Bool => &[Kind::True, Kind::False],
        Check::Text(Rule::Any | Rule::NonEmpty) => &[Kind::Text],
        Check::Object => &[Kind::Object],
        Check::Text(_)
        | Check::Number { .. }
        | Check::Integer { .. }
        | Check::Byte
        | Check::Sequence
        | Check::Version { .. }
        | Check::Shape(_)
        | Check::Union(_)
        | Check::List(_)
        | Check::EmptyList
        | Check::Either(_) => &[],
    };
    let mut accepted = [false; Kind::N];
    let mut idx = 0;
    while idx < kinds.len() {
        accepted[kinds[idx] as usize] = true;
        idx += 1;
    }
    accepted
}

/// Finds the fields of an object and returns whether all is as its shape says; `false` for some of which it is, too.
///
/// The members are sorted into their places without a branch that depends on them; then the few that need a look are looked at in
/// the order of the shape, which is the same for all objects of it, so that the processor can guess it.
///
/// Nothing is added to `problems`, which serves those checks that can only report.
pub(super) fn glance(fields: &mut Fields<'_>, problems: &mut Problems) -> bool {
    let Fields { shape, object, .. } = *fields;
    if object.kind() != Kind::Object || object.has_repeated_keys() {
        return false;
    }
    let quick = &shape.quick;
    let (mut seen, mut open) = (0_u16, 0_u16);
    for (key, value) in object.members() {
        let slot = usize::from(shape.slots[key.listed_name().idx()]) % SLOTS;
        let bit = 1 << slot;
        let filled = if value.n_bytes() == 0 { quick.filled } else { 0 };
        seen |= bit;
        open |= bit & !(quick.accepts[value.kind() as usize] & !filled);
        fields.slots[slot] = value.idx();
    }
    fields.has_others = seen >> NO_SLOT & 1 != 0;
    if quick.demanded & !seen != 0 || open >> NO_SLOT & 1 != 0 {
        return false;
    }
    while open != 0 {
        let slot = open.trailing_zeros() as usize % SLOTS;
        open &= open - 1;
        if !test(fields, slot, problems) {
            return false;
        }
    }
    true
}

#[inline(always)]
fn test(fields: &mut Fields<'_>, slot: usize, problems: &mut Problems) -> bool {
    let value = fields.object.value_at(fields.slots[slot]);
    // The field itself is looked at only where it has to be: it is far away.
    let field = || fields.shape.fields.get(slot);
    match fields.shape.quick.tests[slot] {
        Test::Word => {
            let Some(Field { words, .. }) = field() else { return false };
            let place = value.plain_bytes().and_then(|text| words.place(text));
            fields.words[slot] = place.unwrap_or(NO_WORD);
            place.is_some()
        }
        Test::Time => {
            let parts = value.plain_bytes().and_then(time::parse_parts);
            if let Some(ns) = parts.and_then(time::to_ns) {
                (fields.time_ns, fields.time_slot) = (ns, slot as u8);
            }
            parts.is_some()
        }
        Test::Count => value.as_small().is_some(),
        Test::Uuid => value.plain_bytes().is_some_and(is_uuid),
        Test::Exactly => match field() {
            Some(Field { check: Check::Version { current, .. }, .. }) => {
                value.as_small() == Some(*current)
            }
            Some(_) | None => false,
        },
        Test::Pattern => match field() {
            Some(Field { check: Check::Text(Rule::Pattern(pattern)), .. }) => {
                value.plain_text().is_some_and(pattern.matches)
            }
            Some(_) | None => false,
        },
        Test::Shape => match field() {
            Some(Field { check: Check::Shape(shape), .. }) => {
                glance(&mut Fields::none(shape, value), problems)
            }
            Some(_) | None => false,
        },
        Test::Check => match field() {
            Some(field) => problems.adds_none(|problems| check(&field.check, value, problems)),
            None => false,
        },
    }
}

impl Test {
    const fn of(check: &Check) -> Self {
        match check {
            Check::Text(Rule::DateTime) => Test::Time,
            Check::Text(Rule::Uuid) => Test::Uuid,
            Check::Text(Rule::Pattern(_)) => Test::Pattern,
            Check::Text(Rule::OneOf(_) | Rule::Tolerant(..) | Rule::Known(..)) => Test::Word,
            Check::Integer { min } if *min <= 0 => Test::Count,
            Check::Sequence => Test::Count,
            Check::Version { .. } => Test::Exactly,
            Check::Shape(_) => Test::Shape,
            Check::Any
            | Check::Null
            | Check::Bool
            | Check::Object
            | Check::Text(Rule::Any | Rule::NonEmpty)
            | Check::Number { .. }
            | Check::Integer { .. }
            | Check::Byte
            | Check::Union(_)
            | Check::List(_)
            | Check::EmptyList
            | Check::Either(_) => Test::Check,
        }
    }
}

/// A list of words, and for most of them their place in it by their hash.
#[derive(Debug)]
pub(super) struct Words {
    words: &'static [&'static str],
    places: [u8; 64],
}

impl Words {
    /// Returns the words that a check takes without a problem; none for a check that is not for words.
    pub(super) const fn of(check: &Check) -> Self {
        match check {
            Check::Text(Rule::OneOf(words) | Rule::Tolerant(words, _) | Rule::Known(words, _)) => {
                Self::new(words)
            }
            Check::Text(
                Rule::Any | Rule::NonEmpty | Rule::DateTime | Rule::Uuid | Rule::Pattern(_),
            )
            | Check::Any
            | Check::Null
            | Check::Bool
            | Check::Number { .. }
            | Check::Integer { .. }
            | Check::Byte
            | Check::Sequence
            | Check::Version { .. }
            | Check::Object
            | Check::Shape(_)
            | Check::Union(_)
            | Check::List(_)
            | Check::EmptyList
            | Check::Either(_) => Self::new(&[]),
        }
    }

    const fn new(words: &'static [&'static str]) -> Self {
        let mut places = [0; 64];
        let mut idx = 0;
        while idx < words.len() {
            places[text_hash(words[idx].as_bytes()) as usize % 64] = idx as u8;
            idx += 1;
        }
        Self { words, places }
    }

    /// Returns the place of a word.
    #[inline]
    fn place(&self, text: &[u8]) -> Option<u8> {
        let place = self.places[usize::from(text_hash(text)) % 64];
        match self.words.get(usize::from(place)) {
            Some(word) if same_name(word.as_bytes(), text) => Some(place),
            Some(_) | None => self.place_by_search(text),
        }
    }

    #[cold]
    #[inline(never)]
    fn place_by_search(&self, text: &[u8]) -> Option<u8> {
        self.words.iter().position(|word| word.as_bytes() == text).map(|place| place as u8)
    }
}

const _: () = assert!(FIELDS_MAX == NO_SLOT as usize && FIELDS_MAX < SLOTS);

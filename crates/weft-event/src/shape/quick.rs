//! The short way through a check: what passes at a glance. It says nothing of what does not; that is for the check itself.

use super::{Check, Pattern, Rule, Shape};
use crate::json::{Kind, Value, same_name, text_hash};

/// What of a [`Check`] is tried first.
#[derive(Debug)]
pub(super) struct Quick {
    /// A bit for each kind of value that passes whatever it says, if it is not shorter than `bytes_min`.
    accepts: u8,
    /// 1 for texts that must not be empty, which takes the place of a look at their content.
    bytes_min: u8,
    pub(super) test: Test,
}

/// What is asked of a value that is not accepted for its kind.
#[derive(Debug)]
pub(super) enum Test {
    /// The whole check.
    Check,
    /// Whether it is a time.
    Time,
    /// Whether it is one of these words.
    Word(Words),
    /// Whether it is an integer from this up, and not a large one.
    Small(u64),
    /// Whether it is a UUID.
    Uuid,
    /// Whether it has this form.
    Pattern(&'static Pattern),
    /// The check of its shape.
    Shape(&'static Shape),
}

impl Quick {
    pub(super) const fn of(check: &Check) -> Self {
        let (accepts, bytes_min) = match check {
            Check::Any => (u8::MAX, 0),
            Check::Null => (bit(Kind::Null), 0),
            Check::Bool => (bit(Kind::True) | bit(Kind::False), 0),
            Check::Text(Rule::Any) => (bit(Kind::Text), 0),
            Check::Text(Rule::NonEmpty) => (bit(Kind::Text), 1),
            Check::Object => (bit(Kind::Object), 0),
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
            | Check::Either(_) => (0, 0),
        };
        Self { accepts, bytes_min, test: Test::of(check) }
    }

    /// Returns whether a value passes for what it is.
    #[inline(always)]
    pub(super) fn accepts(&self, kind: Kind, value: Value<'_>) -> bool {
        self.accepts >> kind as u8 & 1 != 0 && value.n_bytes() >= u32::from(self.bytes_min)
    }
}

impl Test {
    const fn of(check: &Check) -> Self {
        match check {
            Check::Text(Rule::DateTime) => Test::Time,
            Check::Text(Rule::Uuid) => Test::Uuid,
            Check::Text(Rule::Pattern(pattern)) => Test::Pattern(pattern),
            Check::Text(Rule::OneOf(words) | Rule::Tolerant(words, _) | Rule::Known(words, _)) => {
                Test::Word(Words::new(words))
            }
            Check::Integer { min } if *min <= 0 => Test::Small(0),
            Check::Integer { min } => Test::Small(*min as u64),
            Check::Sequence => Test::Small(0),
            Check::Shape(shape) => Test::Shape(shape),
            Check::Any
            | Check::Null
            | Check::Bool
            | Check::Object
            | Check::Text(Rule::Any | Rule::NonEmpty)
            | Check::Number { .. }
            | Check::Byte
            | Check::Version { .. }
            | Check::Union(_)
            | Check::List(_)
            | Check::EmptyList
            | Check::Either(_) => Test::Check,
        }
    }
}

const fn bit(kind: Kind) -> u8 {
    1 << kind as u8
}

/// A list of words, and for most of them their place in it by their hash.
#[derive(Debug)]
pub(super) struct Words {
    words: &'static [&'static str],
    places: [u8; 64],
}

impl Words {
    const fn new(words: &'static [&'static str]) -> Self {
        let mut places = [0; 64];
        let mut idx = 0;
        while idx < words.len() {
            places[text_hash(words[idx].as_bytes()) as usize % 64] = idx as u8;
            idx += 1;
        }
        Self { words, places }
    }

    /// Returns whether the text is the word that its hash leads to.
    #[inline]
    pub(super) fn has(&self, text: &str) -> bool {
        let place = self.places[usize::from(text_hash(text.as_bytes())) % 64];
        let word = self.words.get(usize::from(place));
        word.is_some_and(|word| same_name(word.as_bytes(), text.as_bytes()))
    }
}

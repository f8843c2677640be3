//! Shapes: what an object of a dialect must look like, as data.
//!
//! One table per object drives the validator ([`check`]), the JSON Schema ([`schema`]) and, through the `record!` macro,
//! the typed struct that reads and writes it. The three cannot drift apart.

mod check;
mod quick;
mod record;
mod schema;

pub use check::{Fields, check, check_fields};

pub(crate) use check::{is_uuid, pick, shorten};
pub use record::Wire;
pub use schema::{Draft, schema};

pub(crate) use record::{record, text_enum, word};

use self::quick::{Quick, Words};
use crate::json::{NAMES_MAX, Name};
use crate::problem::Code;

/// Most fields a shape can have.
pub const FIELDS_MAX: usize = 14;

/// Largest number that a producer can give an event: what every reader of JSON holds exactly.
pub const SEQUENCE_MAX: u64 = (1 << 53) - 1;

/// An object: its fields, and whether it may have others.
#[derive(Debug)]
pub struct Shape {
    /// Name of the shape, as a JSON Schema title.
    pub title: &'static str,
    /// What the object is.
    pub about: &'static str,
    /// The known fields, in the order in which they are written.
    pub fields: &'static [Field],
    /// Whether fields beyond these are allowed.
    pub others: Others,
    quick: Quick,
    /// The places of the fields by name; [`NO_SLOT`] for every other name.
    slots: [u8; NAMES_MAX],
}

/// What stands for the place of a name that is no field.
const NO_SLOT: u8 = FIELDS_MAX as u8;

/// How many places there are, that of other names among them. A power of two, so that no place need be checked.
const SLOTS: usize = 16;

/// Whether an object may have fields that its shape does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// They are kept and not looked at.
    Allowed,
    /// Each is an error.
    Refused,
}

/// One field of a [`Shape`].
#[derive(Debug)]
pub struct Field {
    /// The key on the wire.
    pub name: &'static str,
    /// Whether it must be there.
    pub presence: Presence,
    /// What its value must be.
    pub check: Check,
    words: Words,
    /// What it means.
    pub about: &'static str,
}

impl Field {
    /// Returns a field. Its name must be in the vocabulary of the JSON reader, else the build fails.
    pub const fn new(
        name: &'static str,
        presence: Presence,
        check: Check,
        about: &'static str,
    ) -> Self {
        let words = Words::of(&check);
        Self { name, presence, check, words, about }
    }
}

/// Whether a field must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Without it the object is invalid.
    Required,
    /// It may be left out.
    Optional,
    /// The document demands it, producers leave it out: a warning of this code.
    Expected(Code),
}

/// What a value must be.
#[derive(Debug)]
pub enum Check {
    /// Any JSON.
    Any,
    /// `null`
    Null,
    /// `true` or `false`.
    Bool,
    /// A string.
    Text(Rule),
    /// A number within these bounds, both included.
    Number {
        /// The least allowed.
        min: f64,
        /// The most allowed.
        max: f64,
    },
    /// A number without a fraction, not under this bound.
    Integer {
        /// The least allowed.
        min: i64,
    },
    /// An integer from 0 to 255.
    Byte,
    /// A producer's own number: an integer from 0 to [`SEQUENCE_MAX`].
    Sequence,
    /// This very integer. The tolerated one is accepted with a warning.
    Version {
        /// What the document says.
        current: u64,
        /// What producers also write.
        tolerated: Option<(u64, Code)>,
    },
    /// An object of any content.
    Object,
    /// An object of this shape.
    Shape(&'static Shape),
    /// An object of the first variant whose condition holds.
    Union(&'static Union),
    /// An array whose items all pass.
    List(&'static Check),
    /// `[]`
    EmptyList,
    /// Whatever passes one of these; they differ in JSON type.
    Either(&'static [Check]),
}

impl Check {
    /// A string of any content.
    pub const TEXT: Check = Check::Text(Rule::Any);
    /// An RFC 3339 time.
    pub const TIME: Check = Check::Text(Rule::DateTime);
    /// An integer of any size.
    pub const INTEGER: Check = Check::Integer { min: i64::MIN };
    /// An integer from 0 up.
    pub const COUNT: Check = Check::Integer { min: 0 };
    /// A number of any size.
    pub const NUMBER: Check = Check::Number { min: f64::NEG_INFINITY, max: f64::INFINITY };
    /// An array of strings.
    pub const TEXTS: Check = Check::List(&Check::TEXT);
}

/// What a string must be.
#[derive(Debug)]
pub enum Rule {
    /// Anything.
    Any,
    /// Anything but the empty string.
    NonEmpty,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// One of these words, or a tolerated one with its warning.
    Tolerant(&'static [&'static str], &'static [(&'static str, Code)]),
    /// Anything but the empty string; a word that is none of these is kept with this warning.
    Known(&'static [&'static str], Code),
    /// A time as RFC 3339 writes it.
    DateTime,
    /// A hyphenated UUID.
    Uuid,
    /// A string of this form.
    Pattern(&'static Pattern),
}

/// A form that a string must have: the expression for the JSON Schema, and the function that decides it here.
#[derive(Debug)]
pub struct Pattern {
    /// The expression, in the language of JSON Schema.
    pub regex: &'static str,
    /// Whether a string has the form.
    pub matches: fn(&str) -> bool,
    /// The form in words, for messages.
    pub expected: &'static str,
}

/// An object that is one of several: the first variant whose conditions all hold, else the last resort.
#[derive(Debug)]
pub struct Union {
    /// Name of the union, as a JSON Schema title.
    pub title: &'static str,
    /// The variants, in the order in which they are tried.
    pub variants: &'static [Variant],
    /// What it is when no variant's conditions hold.
    pub otherwise: &'static Shape,
}

/// One way to be of a [`Union`].
#[derive(Debug)]
pub struct Variant {
    /// All of these must hold.
    pub when: &'static [When],
    /// Then it is this.
    pub shape: &'static Shape,
}

/// A condition on a member that selects a [`Variant`].
#[derive(Clone, Copy, Debug)]
pub struct When {
    /// The member's key.
    pub key: &'static str,
    /// What must hold of it.
    pub is: Is,
    name: Name,
}

impl When {
    /// Returns a condition. The key must be in the vocabulary of the JSON reader, else the build fails.
    pub const fn new(key: &'static str, is: Is) -> Self {
        Self { key, is, name: Name::listed(key) }
    }
}

/// What must hold of a member.
#[derive(Clone, Copy, Debug)]
pub enum Is {
    /// It is this string.
    Text(&'static str),
    /// It is there, whatever it is.
    Present,
    /// It is not there.
    Absent,
}

impl Shape {
    /// Returns a shape.
    pub const fn new(
        title: &'static str,
        about: &'static str,
        fields: &'static [Field],
        others: Others,
    ) -> Self {
        assert!(fields.len() <= FIELDS_MAX, "the shape has more fields than FIELDS_MAX");
        let mut slots = [NO_SLOT; NAMES_MAX];
        let mut slot = 0;
        while slot < fields.len() {
            slots[Name::listed(fields[slot].name).idx()] = slot as u8;
            slot += 1;
        }
        let quick = Quick::of(fields, others);
        Self { title, about, fields, others, quick, slots }
    }

    /// Returns the place of a field among the shape's fields; for constants, where a wrong name fails the build.
    pub const fn slot(&self, name: &str) -> usize {
        let mut idx = 0;
        while idx < self.fields.len() {
            if same(self.fields[idx].name.as_bytes(), name.as_bytes()) {
                return idx;
            }
            idx += 1;
        }
        panic!("the shape has no field of this name")
    }
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut idx = 0;
    while idx < a.len() {
        if a[idx] != b[idx] {
            return false;
        }
        idx += 1;
    }
    true
}

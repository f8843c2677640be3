//! A place on a tape: what a value is, what is inside it, and the JSON pointer that leads to it.

use std::borrow::Cow;
use std::ops::Range;

use super::Tape;
use super::name::{Ends, Name, Names, same_name};
use super::{number, string};

/// What a JSON value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
    /// A number.
    Number,
    /// A string.
    Text,
    /// An object.
    Object,
    /// An array.
    Array,
    /// The name of an object's member, as [`Value::members`] and [`Value::repeated_keys`] hand it out.
    Key,
}

impl Kind {
    /// How many there are.
    pub(crate) const N: usize = Kind::Key as usize + 1;

    /// Returns the JSON Schema name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::True | Kind::False => "boolean",
            Kind::Number => "number",
            Kind::Text | Kind::Key => "string",
            Kind::Object => "object",
            Kind::Array => "array",
        }
    }
}

/// The string has escapes.
pub(super) const ESCAPED: u8 = 1;
/// The number is digits alone.
pub(super) const INTEGRAL: u8 = 2;

/// The key repeats an earlier one of its object.
pub(super) const REPEATED: u8 = 4;
/// Of the root: some key of the line is repeated.
pub(super) const HAS_REPEATED: u8 = 8;

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) start: u32,
    pub(super) end: u32,
    /// The node after this one and all inside it.
    pub(super) next: u32,
    pub(super) kind: Kind,
    pub(super) flags: u8,
    /// Of a key: the number of its name. Wider than that, so that the node has no gap and this and the two before it are one
    /// store where they are constant.
    pub(super) name: u16,
}

/// One value of a parsed line. Cheap to copy; borrows the line and the tape.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    tape: &'a Tape,
    idx: u32,
}

impl<'a> Value<'a> {
    pub(super) fn root(tape: &'a Tape) -> Self {
        Self { tape, idx: 0 }
    }

    #[inline]
    fn node(self) -> Node {
        self.tape.nodes[self.idx as usize]
    }

    #[inline]
    fn at(self, idx: u32) -> Self {
        Self { idx, ..self }
    }

    /// Returns what the value is.
    #[inline]
    pub fn kind(self) -> Kind {
        self.node().kind
    }

    /// Returns the value's own text, as it stands in the line.
    pub fn raw(self) -> &'a str {
        let node = self.node();
        let quote = u32::from(matches!(node.kind, Kind::Text | Kind::Key));
        &self.tape.text[(node.start - quote) as usize..(node.end + quote) as usize]
    }

    /// Returns where the value stands in the line, in bytes; of a string or key what stands between its quotes.
    pub fn place(self) -> Range<usize> {
        let node = self.node();
        node.start as usize..node.end as usize
    }

    /// Returns the inside of a string as it stands in the line, escapes included.
    #[inline]
    pub fn raw_text(self) -> Option<&'a str> {
        let node = self.node();
        match node.kind {
            Kind::Text | Kind::Key => Some(&self.tape.text[node.start as usize..node.end as usize]),
            _ => None,
        }
    }

    /// Returns how many bytes the value has; of a string or key those between its quotes, escapes and all.
    #[inline]
    pub(crate) fn n_bytes(self) -> u32 {
        let node = self.node();
        node.end - node.start
    }

    /// Returns the bytes of the value; of a string or key those between its quotes, escapes and all.
    #[inline]
    pub(crate) fn raw_bytes(self) -> &'a [u8] {
        let node = self.node();
        &self.tape.text.as_bytes()[node.start as usize..node.end as usize]
    }

    /// Returns the bytes of a string or key; copies only where it has escapes. What is matched against many names is matched
    /// as bytes, which the compiler turns into a decision by length.
    #[inline]
    pub(crate) fn name(self) -> Cow<'a, [u8]> {
        let raw = self.raw_bytes();
        if self.is_escaped() { self.decoded_name() } else { Cow::Borrowed(raw) }
    }

    #[cold]
    fn decoded_name(self) -> Cow<'a, [u8]> {
        match self.as_text() {
            Some(Cow::Owned(text)) => Cow::Owned(text.into_bytes()),
            Some(Cow::Borrowed(text)) => Cow::Borrowed(text.as_bytes()),
            None => Cow::Borrowed(&[]),
        }
    }

    /// Returns the name of a key, if it is listed.
    #[inline(always)]
    pub(crate) fn listed_name(self) -> Name {
        Name::at(self.node().name)
    }

    /// Returns whether the string has escapes.
    #[inline]
    pub(crate) fn is_escaped(self) -> bool {
        self.node().flags & ESCAPED != 0
    }

    /// Returns a string's text; copies only where it has escapes.
    #[inline]
    pub fn as_text(self) -> Option<Cow<'a, str>> {
        let node = self.node();
        match node.kind {
            Kind::Text | Kind::Key if node.flags & ESCAPED != 0 => Some(self.decoded()),
            Kind::Text | Kind::Key => Some(Cow::Borrowed(self.slice(node))),
            Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Object | Kind::Array => {
                None
            }
        }
    }

    /// Puts the text of a string into a fact; a value that is none leaves none.
    ///
    /// Where facts are read, it stands for an assignment, which is long: it drops what was there. One copy of it stays in the
    /// cache, many do not. A text without escapes is written straight to its place: made elsewhere and moved, it would be read
    /// back before it is written.
    #[inline(never)]
    pub(crate) fn put_text(self, fact: &mut Option<Cow<'a, str>>) {
        match self.plain_text() {
            Some(text) => *fact = Some(Cow::Borrowed(text)),
            None => *fact = self.as_text(),
        }
    }

    /// Puts the text of a string into a fact; no value, or one that is none, leaves none.
    #[inline]
    pub(crate) fn put_text_of(value: Option<Value<'a>>, fact: &mut Option<Cow<'a, str>>) {
        match value {
            Some(value) => value.put_text(fact),
            None => *fact = None,
        }
    }

    /// Puts the text of a string into a fact; a value that is none leaves what was there.
    pub(crate) fn put_text_if_any(self, fact: &mut Option<Cow<'a, str>>) {
        if self.kind() == Kind::Text {
            self.put_text(fact);
        }
    }

    /// Puts the text of a string into a fact, if there is none.
    pub(crate) fn put_text_if_none(self, fact: &mut Option<Cow<'a, str>>) {
        if fact.is_none() {
            self.put_text(fact);
        }
    }

    /// Returns whether the value is a string.
    #[inline]
    pub(crate) fn is_string(&self) -> bool {
        self.kind() == Kind::Text
    }

    /// Returns whether nothing is between the value's quotes.
    #[inline]
    pub(crate) fn is_empty_text(&self) -> bool {
        let node = self.node();
        node.start == node.end
    }

    /// Returns the text of a string that has no escapes.
    #[inline]
    pub(crate) fn plain_text(self) -> Option<&'a str> {
        let node = self.node();
        let is_plain = node.kind == Kind::Text && node.flags & ESCAPED == 0;
        if is_plain { Some(self.slice(node)) } else { None }
    }

    /// Returns the bytes of a string that has no escapes.
    #[inline]
    pub(crate) fn plain_bytes(self) -> Option<&'a [u8]> {
        let node = self.node();
        let is_plain = node.kind == Kind::Text && node.flags & ESCAPED == 0;
        if is_plain { Some(self.raw_bytes()) } else { None }
    }

    /// Returns the ends of a text that has no escapes and is not long.
    #[inline(always)]
    pub(crate) fn ends(self) -> Option<Ends> {
        let node = self.node();
        if node.kind != Kind::Text || node.flags & ESCAPED != 0 {
            return None;
        }
        Ends::at(self.tape.text.as_bytes(), node.start as usize, node.end as usize)
    }

    #[cold]
    #[inline(never)]
    fn decoded(self) -> Cow<'a, str> {
        let node = self.node();
        let Tape { text, marks, .. } = self.tape;
        Cow::Owned(string::decode_marked(text, marks, node.start as usize, node.end as usize))
    }

    /// Returns the text of a node; of a string or key what is between its quotes.
    #[inline(always)]
    fn slice(self, node: Node) -> &'a str {
        &self.tape.text[node.start as usize..node.end as usize]
    }

    /// Returns whether the value is this very string.
    #[inline]
    pub fn is_text(self, expected: &str) -> bool {
        let node = self.node();
        match node.kind {
            Kind::Text | Kind::Key if node.flags & ESCAPED == 0 => {
                same_name(self.raw_bytes(), expected.as_bytes())
            }
            Kind::Text | Kind::Key => {
                string::decode(&self.tape.text[node.start as usize..node.end as usize]) == expected
            }
            Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Object | Kind::Array => {
                false
            }
        }
    }

    /// Returns the boolean.
    pub fn as_bool(self) -> Option<bool> {
        match self.kind() {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    /// Returns the number.
    pub fn as_f64(self) -> Option<f64> {
        if self.kind() == Kind::Number { self.raw().parse().ok() } else { None }
    }

    /// Returns whether the value is a number without a fraction; `1.0` is one.
    #[inline]
    pub fn is_integer(self) -> bool {
        let node = self.node();
        node.kind == Kind::Number
            && (node.flags & INTEGRAL != 0 || self.as_f64().is_some_and(|n| n.fract() == 0.0))
    }

    /// Returns the number if it is whole and fits.
    pub fn as_u64(self) -> Option<u64> {
        self.as_small().or_else(|| u64::try_from(self.as_i128()?).ok())
    }

    /// Returns the number if it is whole and fits.
    pub fn as_i64(self) -> Option<i64> {
        match self.as_small() {
            Some(n) => Some(n as i64),
            None => i64::try_from(self.as_i128()?).ok(),
        }
    }

    #[cold]
    fn as_i128(self) -> Option<i128> {
        let node = self.node();
        if node.kind != Kind::Number {
            return None;
        }
        if node.flags & INTEGRAL != 0 {
            return self.raw().parse().ok();
        }
        self.as_f64().and_then(number::whole)
    }

    /// Returns the number if it is digits alone, no sign, and not so many that 53 bits might not hold it.
    #[inline]
    pub(crate) fn as_small(self) -> Option<u64> {
        let node = self.node();
        if node.kind != Kind::Number || node.flags & INTEGRAL == 0 {
            return None;
        }
        number::small(self.raw_bytes())
    }

    /// Returns the members of an object in the order of the line; nothing for other values.
    #[inline]
    pub fn members(self) -> Members<'a> {
        let node = self.node();
        let end = if node.kind == Kind::Object { node.next } else { self.idx + 1 };
        Members { of: self, at: self.idx + 1, end }
    }

    /// Returns the items of an array; nothing for other values.
    #[inline]
    pub fn items(self) -> Items<'a> {
        let node = self.node();
        let end = if node.kind == Kind::Array { node.next } else { self.idx + 1 };
        Items { of: self, at: self.idx + 1, end }
    }

    /// Returns the first member of this name.
    #[inline(always)]
    pub fn get(self, name: &str) -> Option<Value<'a>> {
        match Name::of(name) {
            Name::UNLISTED => self.get_unlisted(name),
            listed => self.member(listed),
        }
    }

    /// Returns the first member of this listed name.
    #[inline]
    pub(crate) fn member(self, name: Name) -> Option<Value<'a>> {
        let mut members = self.members();
        members.find(|(key, _)| key.listed_name() == name).map(|(_, value)| value)
    }

    /// Returns the listed names of an object's members. Those of a whole line are known; others cost a walk.
    #[inline]
    pub(crate) fn names(self) -> Names {
        if self.idx == 0 { self.tape.names } else { self.names_inside() }
    }

    #[cold]
    #[inline(never)]
    fn names_inside(self) -> Names {
        let mut names = Names::NONE;
        self.members().for_each(|(key, _)| {
            names.insert(key.listed_name());
        });
        names
    }

    #[cold]
    fn get_unlisted(self, name: &str) -> Option<Value<'a>> {
        self.members().find(|(key, _)| key.is_text(name)).map(|(_, value)| value)
    }

    /// Returns the text of the first member of this name.
    #[inline(always)]
    pub fn text_at(self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name)?.as_text()
    }

    /// Returns whether some key of the line repeats an earlier one of its object.
    #[inline]
    pub(crate) fn has_repeated_keys(self) -> bool {
        self.tape.nodes[0].flags & HAS_REPEATED != 0
    }

    /// Returns every key of the line that repeats an earlier one of its object.
    pub fn repeated_keys(self) -> impl Iterator<Item = Value<'a>> {
        let nodes = if self.has_repeated_keys() { &*self.tape.nodes } else { &[] };
        let repeated = nodes.iter().enumerate().filter(|(_, node)| node.flags & REPEATED != 0);
        repeated.map(move |(idx, _)| self.at(idx as u32))
    }

    /// Returns the value of the member that this key names.
    pub fn member_value(self) -> Value<'a> {
        debug_assert_eq!(self.kind(), Kind::Key, "only a key has a member value");
        self.at(self.idx + 1)
    }

    /// Returns the object that this key stands in: the nearest value before it that reaches beyond it. Costs a walk over what
    /// stands between the two.
    pub(crate) fn holder(self) -> Value<'a> {
        debug_assert_eq!(self.kind(), Kind::Key, "only a key stands in an object");
        let before = &self.tape.nodes[..self.idx as usize];
        let holder = before.iter().rposition(|node| node.next > self.idx);
        self.at(holder.expect("a key stands in an object") as u32)
    }

    /// Returns the place of the value on its tape; the root is 0.
    #[inline]
    pub(crate) fn idx(self) -> u32 {
        self.idx
    }

    /// Returns the value at a place that [`Value::idx`] gave.
    #[inline]
    pub(crate) fn value_at(self, idx: u32) -> Value<'a> {
        self.at(idx)
    }

    /// Returns the JSON pointer from the root to this value or key. Costs a walk from the root.
    pub fn pointer(self) -> String {
        let mut pointer = String::new();
        let mut here = self.at(0);
        while here.idx != self.idx {
            let inside = |idx: u32, value: Value<'_>| {
                idx == self.idx || (value.idx <= self.idx && self.idx < value.node().next)
            };
            if let Some((key, value)) = here.members().find(|(key, value)| inside(key.idx, *value))
            {
                push_token(&mut pointer, &key.as_text().expect("a key is a string"));
                if key.idx == self.idx {
                    break;
                }
                here = value;
            } else if let Some((n, item)) =
                here.items().enumerate().find(|(_, item)| inside(item.idx, *item))
            {
                push_token(&mut pointer, &n.to_string());
                here = item;
            } else {
                break;
            }
        }
        pointer
    }
}

/// Appends one reference token to a JSON pointer.
pub(crate) fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    for c in token.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// The members of an object: key and value.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    of: Value<'a>,
    at: u32,
    end: u32,
}

impl<'a> Iterator for Members<'a> {
    type Item = (Value<'a>, Value<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.end {
            return None;
        }
        let key = self.of.at(self.at);
        let value = self.of.at(self.at + 1);
        self.at = value.node().next;
        Some((key, value))
    }
}

/// The items of an array.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    of: Value<'a>,
    at: u32,
    end: u32,
}

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.end {
            return None;
        }
        let item = self.of.at(self.at);
        self.at = item.node().next;
        Some(item)
    }
}

//! The one pass: checks the whole grammar of a line and leaves a tape of nodes behind.

use super::name::{KeySet, Name, Names, name_at};
use super::number;
use super::string;
use super::value::{ESCAPED, HAS_REPEATED, INTEGRAL, Kind, Node, REPEATED, Value};

/// Longest line that is parsed.
pub const LINE_BYTES_MAX: usize = 16 << 20;

/// Deepest nesting that is parsed; the same limit as `serde_json`'s.
pub const DEPTH_MAX: usize = 127;

/// Objects of more nodes than this are checked for repeated keys by sorting.
const NODES_SCANNED_MAX: usize = 96;

/// What mostly follows a key: the quote that ends it, and the colon.
const AFTER_KEY: u16 = u16::from_le_bytes(*b"\":");

/// What mostly follows a string in an object: the quote that ends it, the comma, and the quote before the next key. The highest byte
/// does not count.
const NEXT_MEMBER: u32 = u32::from_le_bytes(*b"\",\"\0");

/// A line that is not JSON, and where it stops being JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct SyntaxError {
    /// Bytes from the start of the line.
    pub offset: usize,
    /// What is wrong there.
    pub kind: Syntax,
}

/// The ways in which a line can fail to be JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Syntax {
    /// Nothing but white space.
    #[error("empty line")]
    Empty,
    /// A byte that cannot stand where it stands.
    #[error("unexpected character")]
    Unexpected,
    /// The line ends inside a value.
    #[error("the line ends inside a value")]
    Torn,
    /// Something follows the value.
    #[error("text after the end of the value")]
    Trailing,
    /// A string holds a raw control character.
    #[error("raw control character in a string")]
    Control,
    /// A backslash is followed by something JSON does not know.
    #[error("unknown escape in a string")]
    Escape,
    /// A `\u` escape is half of a surrogate pair.
    #[error("half a surrogate pair in a string")]
    Surrogate,
    /// A number that JSON cannot write, such as `01` or `1.`.
    #[error("malformed number")]
    Number,
    /// A number too large for a 64-bit float.
    #[error("number out of range")]
    NumberRange,
    /// More than [`DEPTH_MAX`] levels.
    #[error("nested deeper than {DEPTH_MAX} levels")]
    Depth,
    /// Not UTF-8.
    #[error("not UTF-8")]
    Utf8,
    /// More than [`LINE_BYTES_MAX`] bytes.
    #[error("longer than {LINE_BYTES_MAX} bytes")]
    TooLong,
}

/// One parsed line: its text, its nodes, and scratch lists. Reuse it: parsing clears it but keeps its memory.
///
/// The text is a copy, so that a [`Value`] needs no more than one reference and a place, which fit two registers: worth many times
/// what the copy costs.
#[derive(Debug, Default)]
pub struct Tape {
    /// The line, and [`string::PADDING`] or more after it.
    pub(super) text: String,
    /// The same before its encoding is checked.
    unchecked: Vec<u8>,
    pub(super) nodes: Vec<Node>,
    pub(super) marks: Vec<u8>,
    /// The listed names of the root's members, if it is an object.
    pub(super) names: Names,
}

impl Tape {
    /// Returns an empty tape.
    pub fn new() -> Self {
        Self::default()
    }

    /// Parses one line of bytes.
    pub fn parse_bytes<'a>(&'a mut self, line: &'a [u8]) -> Result<Value<'a>, SyntaxError> {
        // Whole blocks take half the time of a line that ends inside one.
        self.unchecked.clear();
        self.unchecked.extend_from_slice(line);
        self.unchecked.extend_from_slice(&[0; string::PADDING_MAX]);
        match simdutf8::basic::from_utf8(&self.unchecked[..string::padded(line.len())]) {
            Ok(text) => {
                self.text.clear();
                self.text.push_str(text);
                self.parse_text(line.len())
            }
            Err(_) => {
                let offset = std::str::from_utf8(line).err().map_or(0, |error| error.valid_up_to());
                Err(SyntaxError { offset, kind: Syntax::Utf8 })
            }
        }
    }

    /// Parses one line of text.
    pub fn parse<'a>(&'a mut self, text: &'a str) -> Result<Value<'a>, SyntaxError> {
        self.text.clear();
        self.text.push_str(text);
        let n_added = string::padded(text.len()) - text.len();
        self.text.extend(std::iter::repeat_n('\0', n_added));
        self.parse_text(text.len())
    }

    /// Parses the first so many bytes of the text.
    fn parse_text(&mut self, n_bytes: usize) -> Result<Value<'_>, SyntaxError> {
        if n_bytes > LINE_BYTES_MAX {
            return Err(SyntaxError { offset: LINE_BYTES_MAX, kind: Syntax::TooLong });
        }
        let padded = self.text.as_bytes();
        self.nodes.clear();
        string::mark_specials(padded, &mut self.marks);
        // The parser owns the list while it runs, which saves an indirection on every push.
        let mut parser = Parser {
            text: &self.text,
            line: &padded[..n_bytes],
            padded,
            marks: &self.marks,
            nodes: std::mem::take(&mut self.nodes),
            names: Names::default(),
            fault: None,
        };
        parser.document();
        self.nodes = parser.nodes;
        self.names = parser.names;
        match parser.fault {
            Some(fault) => Err(fault),
            None => Ok(Value::root(self)),
        }
    }
}

/// A parse in progress. Its functions take a place in the line and return the place after what they read, or `None` with
/// `fault` set: two registers, where a `Result` would go through memory for every token.
struct Parser<'a> {
    text: &'a str,
    line: &'a [u8],
    /// The line and the zeros after it. What is only looked at is looked at here, where the end of the line is seldom in the way.
    padded: &'a [u8],
    /// Where the special characters of strings are; see [`string::mark_specials`].
    marks: &'a [u8],
    nodes: Vec<Node>,
    /// The listed names of the root's members.
    names: Names,
    fault: Option<SyntaxError>,
}

impl Parser<'_> {
    /// Parses the whole line; a failure is in `fault`.
    fn document(&mut self) -> Option<()> {
        let Some((start, first)) = self.token(0) else {
            return self.fail(self.line.len(), Syntax::Empty);
        };
        let end = self.value(start, first, 0)?;
        match self.token(end) {
            Some((at, _)) => self.fail(at, Syntax::Trailing),
            None => Some(()),
        }
    }

    /// Skips white space: the next byte and its place, or `None` at the end of the line.
    #[inline(always)]
    fn token(&self, at: usize) -> Option<(usize, u8)> {
        match self.padded.get(at) {
            Some(&byte) if byte > b' ' => Some((at, byte)),
            Some(_) => self.token_after_space(at),
            None => None,
        }
    }

    #[cold]
    fn token_after_space(&self, at: usize) -> Option<(usize, u8)> {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let skipped = self.line[at..].iter().position(|byte| !is_space(byte))?;
        Some((at + skipped, self.line[at + skipped]))
    }

    #[inline(always)]
    fn expect_token(&mut self, at: usize) -> Option<(usize, u8)> {
        match self.token(at) {
            Some(token) => Some(token),
            None => self.fail(self.line.len(), Syntax::Torn),
        }
    }

    #[inline(always)]
    fn value(&mut self, at: usize, first: u8, depth: usize) -> Option<usize> {
        if first == b'"' { self.string(at, Kind::Text) } else { self.other(at, first, depth) }
    }

    fn other(&mut self, at: usize, first: u8, depth: usize) -> Option<usize> {
        match first {
            b'{' => self.object(at, depth + 1),
            b'[' => self.array(at, depth + 1),
            b'-' | b'0'..=b'9' => self.number(at),
            b't' => self.word(at, "true", Kind::True),
            b'f' => self.word(at, "false", Kind::False),
            b'n' => self.word(at, "null", Kind::Null),
            _ => self.fail(at, Syntax::Unexpected),
        }
    }

    fn object(&mut self, start: usize, depth: usize) -> Option<usize> {
        let object = self.open(start, Kind::Object, depth)?;
        let mut keys = Keys::default();
        let (mut at, mut next) = self.expect_token(start + 1)?;
        if next == b'}' {
            return self.close(object, at);
        }
        loop {
            if next != b'"' {
                return self.fail(at, Syntax::Unexpected);
            }
            let start = at + 1;
            let end = string::next_special(self.marks, start);
            // Of a valid line at least four bytes are left: the value and the end of the object.
            (at, next) = match self.four(end) {
                Some(four) if four as u16 == AFTER_KEY && (four >> 16) as u8 > b' ' => {
                    self.push_key(object, start, end, &mut keys);
                    (end + 2, (four >> 16) as u8)
                }
                Some(_) | None => self.spaced_key(object, start, end, &mut keys)?,
            };
            if next == b'"' {
                let end = string::next_special(self.marks, at + 1);
                // Most members are strings with another member after them, and no white space between.
                if self.four(end).is_some_and(|four| four << 8 == NEXT_MEMBER << 8) {
                    self.push(Kind::Text, 0, at + 1, end);
                    at = end + 2;
                    continue;
                }
                at = self.string_end(at + 1, end, Kind::Text)?;
            } else {
                at = self.other(at, next, depth)?;
            }
            (at, next) = self.expect_token(at)?;
            if next != b',' {
                break;
            }
            (at, next) = self.expect_token(at + 1)?;
        }
        if next != b'}' {
            return self.fail(at, Syntax::Unexpected);
        }
        let end = self.close(object, at);
        if keys.sort {
            self.sort_keys(object);
        }
        if depth == 1 {
            self.names = keys.seen.listed();
        }
        end
    }

    /// Returns the four bytes from `at` on, the first of them the lowest.
    #[inline(always)]
    fn four(&self, at: usize) -> Option<u32> {
        string::window(self.padded, at).map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// Reads a key that has escapes or is followed by white space, or fails.
    #[cold]
    #[inline(never)]
    fn spaced_key(
        &mut self,
        object: usize,
        start: usize,
        special: usize,
        keys: &mut Keys,
    ) -> Option<(usize, u8)> {
        let mut at = special + 1;
        if self.padded.get(special) == Some(&b'"') {
            self.push_key(object, start, special, keys);
        } else {
            at = self.escaped_string(start, special, Kind::Key)?;
            let key = self.nodes.len() - 1;
            let name = Name::of(&string::decode(&self.text[start..at - 1]));
            self.nodes[key].name = name.idx() as u16;
            keys.seen.insert(name, 0);
            keys.sort = true;
        }
        let (at, next) = self.expect_token(at)?;
        if next != b':' {
            return self.fail(at, Syntax::Unexpected);
        }
        self.expect_token(at + 1)
    }

    fn array(&mut self, start: usize, depth: usize) -> Option<usize> {
        let array = self.open(start, Kind::Array, depth)?;
        let (mut at, mut next) = self.expect_token(start + 1)?;
        if next == b']' {
            return self.close(array, at);
        }
        loop {
            at = self.value(at, next, depth)?;
            (at, next) = self.expect_token(at)?;
            match next {
                b',' => (at, next) = self.expect_token(at + 1)?,
                b']' => return self.close(array, at),
                _ => return self.fail(at, Syntax::Unexpected),
            }
        }
    }

    #[inline]
    fn open(&mut self, at: usize, kind: Kind, depth: usize) -> Option<usize> {
        if depth > DEPTH_MAX {
            return self.fail(at, Syntax::Depth);
        }
        let idx = self.nodes.len();
        self.push(kind, 0, at, at);
        Some(idx)
    }

    #[inline]
    fn close(&mut self, idx: usize, at: usize) -> Option<usize> {
        let next = self.nodes.len() as u32;
        let node = &mut self.nodes[idx];
        node.end = at as u32 + 1;
        node.next = next;
        Some(at + 1)
    }

    #[inline(always)]
    fn string(&mut self, quote: usize, kind: Kind) -> Option<usize> {
        let start = quote + 1;
        self.string_end(start, string::next_special(self.marks, start), kind)
    }

    /// Ends a string whose first special character is at `end`.
    #[inline(always)]
    fn string_end(&mut self, start: usize, end: usize, kind: Kind) -> Option<usize> {
        if self.padded.get(end) == Some(&b'"') {
            self.push(kind, 0, start, end);
            return Some(end + 1);
        }
        self.escaped_string(start, end, kind)
    }

    fn escaped_string(&mut self, start: usize, special: usize, kind: Kind) -> Option<usize> {
        match string::scan(self.line, self.marks, special) {
            Ok(end) => {
                self.push(kind, ESCAPED, start, end);
                Some(end + 1)
            }
            Err(error) => self.fail(error.offset, error.kind),
        }
    }

    fn number(&mut self, start: usize) -> Option<usize> {
        match number::scan(self.line, start) {
            Ok((end, integral)) => {
                self.push(Kind::Number, if integral { INTEGRAL } else { 0 }, start, end);
                Some(end)
            }
            Err(error) => self.fail(error.offset, error.kind),
        }
    }

    fn word(&mut self, start: usize, word: &str, kind: Kind) -> Option<usize> {
        let end = start + word.len();
        if self.line.get(start..end) == Some(word.as_bytes()) {
            self.push(kind, 0, start, end);
            return Some(end);
        }
        let torn = self.line.len() < end && word.as_bytes().starts_with(&self.line[start..]);
        self.fail(start, if torn { Syntax::Torn } else { Syntax::Unexpected })
    }

    #[inline(always)]
    fn push(&mut self, kind: Kind, flags: u8, start: usize, end: usize) {
        let (next, name) = (self.nodes.len() as u32 + 1, 0);
        self.nodes.push(Node { start: start as u32, end: end as u32, next, kind, flags, name });
    }

    /// Adds a key and finds an earlier equal one: a set of names settles most keys without a look at the others.
    #[inline(always)]
    fn push_key(&mut self, object: usize, start: usize, end: usize, keys: &mut Keys) {
        let (name, hash) = name_at(self.padded, start, end);
        let next = self.nodes.len() as u32 + 1;
        let (start, end, number) = (start as u32, end as u32, name.idx() as u16);
        self.nodes.push(Node { start, end, next, kind: Kind::Key, flags: 0, name: number });
        if !keys.seen.insert(name, hash) {
            self.find_earlier(object, keys);
        }
    }

    /// Finds an earlier key equal to the last, unless the object is so large that its keys are better sorted.
    #[cold]
    #[inline(never)]
    fn find_earlier(&mut self, object: usize, keys: &mut Keys) {
        let key = self.nodes.len() - 1;
        if keys.sort || key - object > NODES_SCANNED_MAX {
            keys.sort = true;
            return;
        }
        let name = |node: Node| &self.line[node.start as usize..node.end as usize];
        let wanted = name(self.nodes[key]);
        let mut earlier = object + 1;
        while earlier < key {
            if name(self.nodes[earlier]) == wanted {
                self.mark_repeated(key);
                return;
            }
            earlier = self.nodes[earlier + 1].next as usize;
        }
    }

    /// Finds the repeated keys of an object that is large or has escaped keys.
    #[cold]
    fn sort_keys(&mut self, object: usize) {
        let end = self.nodes[object].next as usize;
        let mut names = Vec::new();
        let mut key = object + 1;
        while key < end {
            let node = self.nodes[key];
            let raw = &self.text[node.start as usize..node.end as usize];
            let name = if node.flags & ESCAPED == 0 { raw.into() } else { string::decode(raw) };
            names.push((name, key));
            key = self.nodes[key + 1].next as usize;
        }
        names.sort();
        for pair in names.windows(2) {
            if pair[0].0 == pair[1].0 {
                self.mark_repeated(pair[1].1);
            }
        }
    }

    #[cold]
    fn mark_repeated(&mut self, key: usize) {
        self.nodes[key].flags |= REPEATED;
        self.nodes[0].flags |= HAS_REPEATED;
    }

    #[cold]
    fn fail<T>(&mut self, offset: usize, kind: Syntax) -> Option<T> {
        self.fault = Some(SyntaxError { offset, kind });
        None
    }
}

/// The keys of an object so far.
#[derive(Default)]
struct Keys {
    seen: KeySet,
    /// Whether they are to be sorted at the object's end.
    sort: bool,
}

//! Lines of an input, one at a time, in flat memory: what a file of events looks like before anybody reads JSON.
//!
//! Finds what is wrong with the input as a file (UTF-16, byte-order marks, NUL bytes, lines over the limit), skips blank lines
//! and seals, and takes a pretty-printed value as one line. It opens nothing and parses no events.

use std::borrow::Cow;
use std::io::{self, Read};

use memchr::memchr;

use crate::event::is_seal;
use crate::json::{LINE_BYTES_MAX, Syntax, Tape};
use crate::problem::Code;

/// How much is asked of the source at once.
const READ_BYTES: usize = 128 << 10;
/// The longest line with its line break.
const BUFFER_BYTES_MAX: usize = LINE_BYTES_MAX + 2;
/// How many bytes tell UTF-16 without a byte-order mark.
const START_BYTES: usize = 4;

/// What an input holds next.
#[derive(Clone, Copy, Debug)]
pub enum Item<'b> {
    /// A line that is neither blank nor a seal.
    Line(Line<'b>),
    /// Something wrong with the input at this place.
    Fault(Fault),
}

/// One line, without its line break.
#[derive(Clone, Copy, Debug)]
pub struct Line<'b> {
    /// Its number, from 1; of a pretty-printed object, the number of its first line.
    pub number: u64,
    /// Where its first byte stands in the input.
    pub offset: u64,
    /// The line.
    pub bytes: &'b [u8],
    /// How it ends.
    pub ending: Ending,
}

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a line break.
    Newline,
    /// With the input: if it is not whole, it was cut off.
    EndOfInput,
}

/// Something wrong with an input that is not about one event's JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The number of the line at which it was found.
    pub number: u64,
    /// Where it begins in the input.
    pub offset: u64,
    /// What is wrong.
    pub kind: FaultKind,
}

/// The ways in which an input can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// It starts with a UTF-8 byte-order mark; the mark is skipped.
    #[error("the file starts with a byte-order mark")]
    ByteOrderMark,
    /// It is UTF-16; nothing of it is read.
    #[error("the file is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8")]
    Utf16,
    /// NUL bytes stand before the line; they are skipped.
    #[error("NUL bytes before this line ({n}), as a crash leaves them")]
    NulBytes {
        /// How many.
        n: u64,
    },
    /// The line is longer than [`LINE_BYTES_MAX`]; it is skipped.
    #[error("the line is {bytes} bytes long, the limit is {LINE_BYTES_MAX}")]
    TooLong {
        /// Its length.
        bytes: u64,
    },
}

impl FaultKind {
    /// Returns the code to report it under.
    pub fn code(self) -> Code {
        match self {
            FaultKind::ByteOrderMark => Code::ByteOrderMark,
            FaultKind::Utf16 => Code::Utf16,
            FaultKind::NulBytes { .. } => Code::NulBytes,
            FaultKind::TooLong { .. } => Code::TooLong,
        }
    }

    /// Returns whether it stands for a line that cannot be read, and not only before one.
    pub fn replaces_line(self) -> bool {
        match self {
            FaultKind::Utf16 | FaultKind::TooLong { .. } => true,
            FaultKind::ByteOrderMark | FaultKind::NulBytes { .. } => false,
        }
    }
}

impl<'b> Line<'b> {
    /// Returns the event as it came: without the blanks around it, and with every line break between its tokens made a space.
    pub fn on_one_line(&self) -> Cow<'b, [u8]> {
        let bytes = self.bytes.trim_ascii();
        if memchr(b'\n', bytes).is_none() {
            return Cow::Borrowed(bytes);
        }
        let mut line = Vec::with_capacity(bytes.len());
        for part in bytes.split(|&byte| byte == b'\n') {
            if !line.is_empty() {
                line.push(b' ');
            }
            line.extend_from_slice(part.strip_suffix(b"\r").unwrap_or(part));
        }
        Cow::Owned(line)
    }
}

/// Reads the lines of a source with one buffer, which grows to the longest line and no further than the limit.
#[derive(Debug)]
pub struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    /// Where the next line begins in the buffer.
    start: usize,
    /// Where the bytes end that were read into the buffer.
    end: usize,
    /// Where `start` stands in the input.
    offset: u64,
    /// The number of the line at `start`.
    number: u64,
    n_seals: u64,
    state: State,
    form: Form,
    is_source_done: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Fresh,
    First,
    Going,
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Lines,
    /// A first line that is not whole means that the input is one document.
    Documents,
}

/// A line in the buffer, relative to `start`.
#[derive(Clone, Copy)]
struct Extent {
    len: usize,
    /// How many line breaks are inside it.
    n_breaks: u64,
    ending: Ending,
}

/// What the buffer holds at `start`.
enum Found {
    Line(Extent),
    TooLong,
    Nothing,
}

impl<R: Read> Lines<R> {
    /// Returns a reader of lines.
    pub fn new(source: R) -> Self {
        Self::with_form(source, Form::Lines)
    }

    /// Returns a reader of documents: one a line, or the whole input as one if its first line alone is not whole.
    pub fn documents(source: R) -> Self {
        Self::with_form(source, Form::Documents)
    }

    fn with_form(source: R, form: Form) -> Self {
        Self {
            source,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            offset: 0,
            number: 1,
            n_seals: 0,
            state: State::Fresh,
            form,
            is_source_done: false,
        }
    }

    /// Returns how many seals were skipped so far.
    pub fn n_seals(&self) -> u64 {
        self.n_seals
    }

    /// Returns the next line or fault; `None` at the end of the input.
    pub fn read(&mut self) -> io::Result<Option<Item<'_>>> {
        if self.state == State::Fresh {
            self.state = State::First;
            if let Some(fault) = self.look_at_start()? {
                return Ok(Some(Item::Fault(fault)));
            }
        }
        while self.state != State::Stopped {
            if let Some(fault) = self.skip_nuls()? {
                return Ok(Some(Item::Fault(fault)));
            }
            let extent = match self.find_line_end(0)? {
                Found::Nothing => break,
                Found::TooLong => return self.skip_line().map(|fault| Some(Item::Fault(fault))),
                Found::Line(extent) => extent,
            };
            let closing: Option<&[u8]> = match self.peek(extent).trim_ascii_end() {
                b"{" => Some(b"}"),
                b"[" => Some(b"]"),
                _ => None,
            };
            if let Some(closing) = closing
                && (closing == b"]" || self.opens_object(extent.len)?)
            {
                return self.read_pretty(extent, closing).map(Some);
            }
            match self.peek(extent).trim_ascii_end() {
                b"" => self.pass(extent),
                line if is_seal(line) => {
                    self.n_seals += 1;
                    self.pass(extent);
                }
                line if self.may_be_one_document() && is_torn(line) => {
                    return self.read_rest().map(Some);
                }
                _ => return Ok(Some(self.give(extent))),
            }
        }
        self.state = State::Stopped;
        Ok(None)
    }

    /// Settles the encoding by the first bytes.
    fn look_at_start(&mut self) -> io::Result<Option<Fault>> {
        while self.end < START_BYTES && self.fill()? {}
        let fault = |kind| Ok(Some(Fault { number: 1, offset: 0, kind }));
        match self.buffer[..self.end] {
            [0xEF, 0xBB, 0xBF, ..] => {
                self.skip(3);
                fault(FaultKind::ByteOrderMark)
            }
            [0xFF, 0xFE, ..]
            | [0xFE, 0xFF, ..]
            | [1..=255, 0, 1..=255, 0, ..]
            | [0, 1..=255, 0, 1..=255, ..] => {
                self.state = State::Stopped;
                fault(FaultKind::Utf16)
            }
            _ => Ok(None),
        }
    }

    fn skip_nuls(&mut self) -> io::Result<Option<Fault>> {
        let (number, offset) = (self.number, self.offset);
        loop {
            let rest = &self.buffer[self.start..self.end];
            let n = rest.iter().take_while(|&&byte| byte == 0).count();
            let all = n == rest.len();
            self.skip(n);
            if !all || !self.fill()? {
                break;
            }
        }
        let n = self.offset - offset;
        Ok((n > 0).then_some(Fault { number, offset, kind: FaultKind::NulBytes { n } }))
    }

    /// Reads until the line that `start + from` belongs to is whole in the buffer.
    fn find_line_end(&mut self, from: usize) -> io::Result<Found> {
        let mut scanned = from;
        loop {
            if let Some(at) = memchr(b'\n', &self.buffer[self.start + scanned..self.end]) {
                let len = scanned + at;
                let extent = Extent { len, n_breaks: 0, ending: Ending::Newline };
                let line = self.peek(extent);
                let is_too_long = line.strip_suffix(b"\r").unwrap_or(line).len() > LINE_BYTES_MAX;
                return Ok(if is_too_long { Found::TooLong } else { Found::Line(extent) });
            }
            scanned = self.end - self.start;
            if scanned >= BUFFER_BYTES_MAX {
                return Ok(Found::TooLong);
            }
            if !self.fill()? {
                let extent = Extent { len: scanned, n_breaks: 0, ending: Ending::EndOfInput };
                return Ok(match scanned {
                    0 => Found::Nothing,
                    1..=LINE_BYTES_MAX => Found::Line(extent),
                    _ => Found::TooLong,
                });
            }
        }
    }

    /// Skips a line of any length and returns how long it was.
    fn skip_line(&mut self) -> io::Result<Fault> {
        let (number, offset) = (self.number, self.offset);
        let bytes = loop {
            if let Some(at) = memchr(b'\n', &self.buffer[self.start..self.end]) {
                self.skip(at + 1);
                self.number += 1;
                break self.offset - 1 - offset;
            }
            self.skip(self.end - self.start);
            if !self.fill()? {
                break self.offset - offset;
            }
        };
        Ok(Fault { number, offset, kind: FaultKind::TooLong { bytes } })
    }

    /// Returns whether what follows the first line of `len` bytes continues an object, and is not a line of its own.
    fn opens_object(&mut self, len: usize) -> io::Result<bool> {
        let mut looked = len;
        loop {
            let rest = &self.buffer[self.start + looked..self.end];
            if let Some(byte) = rest.iter().find(|byte| !byte.is_ascii_whitespace()) {
                return Ok(matches!(byte, b'"' | b'}'));
            }
            looked = self.end - self.start;
            if looked >= BUFFER_BYTES_MAX || !self.fill()? {
                return Ok(false);
            }
        }
    }

    /// Takes a pretty-printed value: all lines up to the one that is its closing bracket and nothing else.
    ///
    /// Inside such a value lines are indented. One that starts with an opening brace and goes on is the next event: the value was
    /// cut off before it.
    fn read_pretty(&mut self, first: Extent, closing: &[u8]) -> io::Result<Item<'_>> {
        let mut whole = first;
        loop {
            let from = (whole.len + 1).min(self.end - self.start);
            let next = match self.find_line_end(from)? {
                Found::Line(extent) => Extent { n_breaks: whole.n_breaks + 1, ..extent },
                Found::TooLong | Found::Nothing => {
                    return self.skip_pretty(closing).map(Item::Fault);
                }
            };
            let line = &self.peek(next)[from..];
            if starts_event(line) {
                return Ok(self.give(whole));
            }
            whole = next;
            if line.trim_ascii_end() == closing || whole.ending == Ending::EndOfInput {
                return Ok(self.give(whole));
            }
        }
    }

    /// Skips a pretty-printed value of any length.
    fn skip_pretty(&mut self, closing: &[u8]) -> io::Result<Fault> {
        let (number, offset) = (self.number, self.offset);
        loop {
            match self.find_line_end(0)? {
                Found::Nothing => break,
                Found::TooLong => {
                    self.skip_line()?;
                }
                Found::Line(extent) if starts_event(self.peek(extent)) => break,
                Found::Line(extent) => {
                    let closes = self.peek(extent).trim_ascii_end() == closing;
                    self.pass(extent);
                    if closes {
                        break;
                    }
                }
            }
        }
        Ok(Fault { number, offset, kind: FaultKind::TooLong { bytes: self.offset - offset } })
    }

    fn may_be_one_document(&self) -> bool {
        self.form == Form::Documents && self.state == State::First
    }

    /// Takes all that is left as one line.
    fn read_rest(&mut self) -> io::Result<Item<'_>> {
        self.state = State::Stopped;
        while self.end - self.start < BUFFER_BYTES_MAX && self.fill()? {}
        let len = self.buffer[self.start..self.end].trim_ascii_end().len();
        if self.is_source_done && len <= LINE_BYTES_MAX {
            return Ok(self.give(Extent { len, n_breaks: 0, ending: Ending::EndOfInput }));
        }
        let (number, offset) = (self.number, self.offset);
        while self.start < self.end || self.fill()? {
            self.skip(self.end - self.start);
        }
        let kind = FaultKind::TooLong { bytes: self.offset - offset };
        Ok(Item::Fault(Fault { number, offset, kind }))
    }

    fn peek(&self, extent: Extent) -> &[u8] {
        &self.buffer[self.start..self.start + extent.len]
    }

    /// Hands a line out and goes on behind it.
    fn give(&mut self, extent: Extent) -> Item<'_> {
        if self.state == State::First {
            self.state = State::Going;
        }
        let (number, offset, start) = (self.number, self.offset, self.start);
        self.pass(extent);
        let bytes = self.buffer[start..start + extent.len].trim_ascii_end();
        Item::Line(Line { number, offset, bytes, ending: extent.ending })
    }

    /// Goes on behind a line.
    fn pass(&mut self, extent: Extent) {
        self.number += extent.n_breaks + 1;
        self.skip((extent.len + 1).min(self.end - self.start));
    }

    fn skip(&mut self, n: usize) {
        self.start += n;
        self.offset += n as u64;
    }

    /// Reads more into the buffer; returns whether anything came.
    fn fill(&mut self) -> io::Result<bool> {
        if self.is_source_done {
            return Ok(false);
        }
        if self.end == self.buffer.len() && self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            let len = (self.buffer.len() * 2).clamp(READ_BYTES, BUFFER_BYTES_MAX);
            self.buffer.resize(len, 0);
        }
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(n) => {
                    self.end += n;
                    self.is_source_done = n == 0;
                    return Ok(n > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Returns whether a line is the beginning of an event that is not pretty-printed.
fn starts_event(line: &[u8]) -> bool {
    line.starts_with(b"{\"") || line.starts_with(b"{ \"")
}

fn is_torn(line: &[u8]) -> bool {
    Tape::new().parse_bytes(line).is_err_and(|error| error.kind == Syntax::Torn)
}

#[cfg(test)]
mod tests;

//! From a line to an event: parse, find the dialect, validate. The one entry for every reader.

use std::borrow::Cow;
use std::fmt;

use crate::detect::{self, Detection};
use crate::input::{Ending, Line};
use crate::json::{Kind, Syntax, SyntaxError, Tape, Value};
use crate::problem::{Code, Problems};
use crate::report::Report;
use crate::shape::{Fields, shorten};
use crate::{Dialect, Facts, own};

/// The top-level key that only the log may write.
pub const SEAL_KEY: &str = "weft_seal";

/// A line that is an object of a known dialect; whether it is valid is in the [`Problems`] beside it.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    dialect: Dialect,
    fields: Fields<'a>,
}

/// How the dialect of a line is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// By its shape.
    Any,
    /// It is this one.
    Dialect(Dialect),
}

/// Returns whether a line is a seal of the log and not an event.
pub fn is_seal(line: &[u8]) -> bool {
    line.starts_with(b"{\"weft_seal\":")
}

/// Reads one line: every violation goes into `problems`. `None` if the line is no object of any dialect.
pub fn read<'a>(
    tape: &'a mut Tape,
    line: &'a [u8],
    expect: Expect,
    problems: &mut Problems,
) -> Option<Event<'a>> {
    let value = parse(tape, line, Ending::Newline, problems)?;
    read_value(value, expect, problems)
}

/// Reads one line of an input; see [`read`]. A last line that was cut off is told from one that is not JSON.
pub fn read_line<'a>(
    tape: &'a mut Tape,
    line: Line<'a>,
    expect: Expect,
    problems: &mut Problems,
) -> Option<Event<'a>> {
    let value = parse(tape, line.bytes, line.ending, problems)?;
    read_value(value, expect, problems)
}

/// Parses one line; `None` and a problem if it is not JSON.
pub(crate) fn parse<'a>(
    tape: &'a mut Tape,
    line: &'a [u8],
    ending: Ending,
    problems: &mut Problems,
) -> Option<Value<'a>> {
    match tape.parse_bytes(line) {
        Ok(value) => Some(value),
        Err(error) => {
            not_json(line, ending, error, problems);
            None
        }
    }
}

/// Reads one parsed line; see [`read`].
pub fn read_value<'a>(
    value: Value<'a>,
    expect: Expect,
    problems: &mut Problems,
) -> Option<Event<'a>> {
    if value.kind() != Kind::Object {
        let found = value.kind().name();
        problems.whole(Code::NotAnObject, format!("an event is an object, not {found}"));
        return None;
    }
    let dialect = match expect {
        Expect::Dialect(dialect) => dialect,
        Expect::Any => match detect::detect_valid(value) {
            Some(dialect) if problems.list().is_empty() => {
                let event = validate(dialect, value, problems);
                if problems.list().is_empty() {
                    return Some(event);
                }
                problems.clear();
                detected(value, problems)?
            }
            Some(_) | None => detected(value, problems)?,
        },
    };
    Some(validate(dialect, value, problems))
}

/// Finds the dialect of an object; `None` and a problem if there is no one such.
#[cold]
#[inline(never)]
fn detected(value: Value<'_>, problems: &mut Problems) -> Option<Dialect> {
    match detect::detect(value) {
        Detection::Is(dialect) => return Some(dialect),
        Detection::Unknown | Detection::Ambiguous(_) if value.get(SEAL_KEY).is_some() => {
            report_reserved_key(value, problems);
        }
        Detection::Unknown => problems.whole(Code::UnknownDialect, detect::unknown_message(value)),
        Detection::Ambiguous(fits) => {
            problems.whole(Code::AmbiguousDialect, detect::ambiguous_message(fits));
        }
    }
    None
}

#[inline(always)]
fn validate<'a>(dialect: Dialect, value: Value<'a>, problems: &mut Problems) -> Event<'a> {
    let mut event = Event { dialect, fields: Fields::none(&own::EVENT, value) };
    (dialect.speech().validate)(&mut event.fields, problems);
    if event.fields.other(SEAL_KEY).is_some() {
        report_reserved_key(value, problems);
    }
    event
}

fn report_reserved_key(event: Value<'_>, problems: &mut Problems) {
    if let Some(reserved) = event.get(SEAL_KEY) {
        problems.at(reserved, Code::ReservedKey, format!("`{SEAL_KEY}` is reserved for the log"));
    }
}

/// Reports every key that stands twice in its object.
pub(crate) fn report_repeated_keys(value: Value<'_>, problems: &mut Problems) {
    value.repeated_keys().for_each(|key| report_repeated_key(key, problems));
}

/// Reports one key that stands twice in its object.
pub(crate) fn report_repeated_key(key: Value<'_>, problems: &mut Problems) {
    let name = key.as_text().expect("a key is a string");
    problems.at(key, Code::DuplicateKey, format!("the key `{}` stands twice", shorten(&name)));
}

impl<'a> Event<'a> {
    /// Returns the dialect.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Returns the whole event.
    pub fn value(&self) -> Value<'a> {
        self.fields.object()
    }

    /// Returns the facts; best effort where the event is invalid.
    #[inline]
    pub fn facts(&self) -> Facts<'a> {
        let mut facts = Facts::new(self.dialect, Cow::Borrowed(""));
        (self.dialect.speech().facts)(&self.fields, &mut facts);
        facts
    }

    /// Returns what it reports beyond its facts, which are those of this very event.
    pub fn report(&self, facts: &Facts<'a>) -> Report<'a> {
        (self.dialect.speech().report)(&self.fields, facts)
    }
}

#[cold]
fn not_json(line: &[u8], ending: Ending, error: SyntaxError, problems: &mut Problems) {
    let is_cut_character =
        || std::str::from_utf8(&line[error.offset..]).is_err_and(|rest| rest.error_len().is_none());
    let is_torn = match error.kind {
        Syntax::Torn => true,
        Syntax::Utf8 => is_cut_character(),
        Syntax::TooLong
        | Syntax::Depth
        | Syntax::NumberRange
        | Syntax::Empty
        | Syntax::Unexpected
        | Syntax::Trailing
        | Syntax::Control
        | Syntax::Escape
        | Syntax::Surrogate
        | Syntax::Number => false,
    };
    if is_torn && ending == Ending::EndOfInput {
        return problems.whole(Code::TornLine, "the file ends inside this line");
    }
    let code = match error.kind {
        Syntax::Utf8 => Code::Utf8,
        Syntax::TooLong => Code::TooLong,
        Syntax::Depth => Code::TooDeep,
        Syntax::NumberRange => Code::NumberRange,
        Syntax::Torn
        | Syntax::Empty
        | Syntax::Unexpected
        | Syntax::Trailing
        | Syntax::Control
        | Syntax::Escape
        | Syntax::Surrogate
        | Syntax::Number => Code::Json,
    };
    problems.whole(code, NotJson { line, error }.to_string());
}

/// A syntax error with the text around it.
struct NotJson<'a> {
    line: &'a [u8],
    error: SyntaxError,
}

impl fmt::Display for NotJson<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SyntaxError { offset, kind } = self.error;
        let (before, rest) = self.line.split_at(offset.min(self.line.len()));
        match memchr::memrchr(b'\n', before) {
            None => write!(f, "not JSON: {kind} at column {}", offset + 1)?,
            Some(newline) => {
                let n_lines = memchr::memchr_iter(b'\n', before).count() + 1;
                let column = before.len() - newline;
                write!(f, "not JSON: {kind} on line {n_lines} of it, column {column}")?;
            }
        }
        if !rest.is_empty() && kind != Syntax::Utf8 && kind != Syntax::TooLong {
            let near = String::from_utf8_lossy(&rest[..rest.len().min(80)]);
            write!(f, ", near `{}`", shorten(&near).chars().take(20).collect::<String>())?;
        }
        Ok(())
    }
}

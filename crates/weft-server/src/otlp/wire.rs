//! Export requests from their bytes as Protocol Buffers to OTLP/JSON, in parts of bounded size.
//!
//! There is one way to read requests, and that is as JSON: a record becomes JSON anyway, because an event keeps what it was made of.
//! No structs stand between: a record of two bytes would become one of hundreds.

mod schema;

use std::fmt::Write as _;

use weft_event::json::{Object, write_text};
use weft_event::translate::otlp::Signal;

use schema::{Field, Kind, LOG_RECORD, METRIC, Message, NUMBER_MAX, RESOURCE, SCOPE, SPAN};

/// Bytes of a part beyond which the next record begins another one.
const PART_BYTES: usize = 1 << 20;

/// Levels of JSON that a record takes at most. With an event around it, it is still less than what is read.
const LEVELS_MAX: usize = 100;

/// Why bytes are no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// They end inside a field.
    #[error("the body ends inside a field")]
    Torn,
    /// A number takes more than 64 bits, or a field has no number.
    #[error("a number is not well formed")]
    Number,
    /// A field is of a form that it cannot have.
    #[error("a field is not of its kind")]
    Kind,
    /// A text is not UTF-8.
    #[error("a text is not UTF-8")]
    Text,
    /// Values are nested too deeply.
    #[error("values are nested deeper than {LEVELS_MAX} levels")]
    Depth,
}

/// Hands out the records of a request as OTLP/JSON, in requests of about a megabyte or of one record.
pub fn to_json<E: From<Broken>>(
    signal: Signal,
    body: &[u8],
    mut each: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let record = match signal {
        Signal::Logs => &LOG_RECORD,
        Signal::Traces => &SPAN,
        Signal::Metrics => &METRIC,
    };
    let mut part = Part::new(signal);
    for resource in messages(body, 1) {
        let resource = resource?;
        part.enter(0, &head("resource", &RESOURCE, resource)?);
        for scope in messages(resource, 2) {
            let scope = scope?;
            part.enter(1, &head("scope", &SCOPE, scope)?);
            for bytes in messages(scope, 2) {
                if part.is_full() {
                    each(part.close())?;
                    part.begin_again();
                }
                part.item();
                write(record, bytes?, 0, &mut part.out)?;
            }
            part.leave();
        }
        part.leave();
    }
    each(part.close())
}

/// A request as it is written.
struct Part {
    out: String,
    lists: [&'static str; 3],
    /// What stands beside the lists of the resource and the scope that are open.
    heads: Vec<String>,
    n_records: usize,
    is_first: bool,
}

impl Part {
    fn new(signal: Signal) -> Self {
        let mut part = Self {
            out: String::new(),
            lists: signal.lists(),
            heads: Vec::new(),
            n_records: 0,
            is_first: true,
        };
        part.open(0);
        part
    }

    /// Opens the list of a level.
    fn open(&mut self, level: usize) {
        if level == 0 {
            self.out.push('{');
        }
        write_text(&mut self.out, self.lists[level]);
        self.out.push_str(":[");
        self.is_first = true;
    }

    fn enter(&mut self, level: usize, head: &str) {
        self.comma();
        self.out.push('{');
        self.out.push_str(head);
        self.heads.push(head.to_owned());
        self.open(level + 1);
    }

    fn leave(&mut self) {
        self.heads.pop();
        self.out.push_str("]}");
        self.is_first = false;
    }

    /// Makes room for one more record.
    fn item(&mut self) {
        self.comma();
        self.n_records += 1;
    }

    fn comma(&mut self) {
        if !self.is_first {
            self.out.push(',');
        }
        self.is_first = false;
    }

    /// Returns whether the next record begins another part. What is written again each time is no larger than what is in the part.
    fn is_full(&self) -> bool {
        let around: usize = self.heads.iter().map(String::len).sum();
        self.n_records > 0 && self.out.len() >= PART_BYTES.max(2 * around)
    }

    /// Returns the request with everything closed that is open.
    fn close(&mut self) -> &str {
        for _ in &self.heads {
            self.out.push_str("]}");
        }
        self.out.push_str("]}");
        &self.out
    }

    fn begin_again(&mut self) {
        self.out.clear();
        self.n_records = 0;
        self.open(0);
        for (level, head) in std::mem::take(&mut self.heads).iter().enumerate() {
            self.enter(level, head);
        }
    }
}

/// Returns the members of a resource's or a scope's holder beside its list, each with a comma behind it.
fn head(name: &str, message: &'static Message, holder: &[u8]) -> Result<String, Broken> {
    let mut out = String::new();
    if let Some(bytes) = messages(holder, 1).last().transpose()? {
        write_text(&mut out, name);
        out.push(':');
        write(message, bytes, 0, &mut out)?;
        out.push(',');
    }
    if let Some(url) = messages(holder, 3).last().transpose()?.filter(|url| !url.is_empty()) {
        out.push_str("\"schemaUrl\":");
        write_text(&mut out, text(url)?);
        out.push(',');
    }
    Ok(out)
}

/// Returns the bytes of every field of this number.
fn messages(bytes: &[u8], number: u32) -> impl Iterator<Item = Result<&[u8], Broken>> {
    Fields(bytes).filter_map(move |field| match field {
        Ok((found, _)) if found != number => None,
        Ok((_, Wire::Bytes(bytes))) => Some(Ok(bytes)),
        Ok((_, Wire::Varint(_) | Wire::Bits64(_) | Wire::Bits32(_))) => Some(Err(Broken::Kind)),
        Err(broken) => Some(Err(broken)),
    })
}

/// Writes a message as an object. Fields that are not known are left out.
fn write(
    message: &'static Message,
    bytes: &[u8],
    level: usize,
    out: &mut String,
) -> Result<(), Broken> {
    if level >= LEVELS_MAX {
        return Err(Broken::Depth);
    }
    let mut found: [Option<Wire<'_>>; NUMBER_MAX] = [None; NUMBER_MAX];
    let mut last = 0;
    for field in Fields(bytes) {
        let (number, wire) = field?;
        if let Some(place) = found.get_mut(number as usize) {
            *place = Some(wire);
            last = number;
        }
    }
    let mut object = Object::begin(out);
    for field in message.fields.iter().filter(|field| !message.is_choice || field.number == last) {
        match found[field.number as usize] {
            None => {}
            Some(_) if field.is_list => {
                write_list(field, bytes, level + 1, object.key(field.name))?;
            }
            Some(wire) => write_one(field.kind, wire, level + 1, object.key(field.name))?,
        }
    }
    object.end();
    Ok(())
}

fn write_list(field: &Field, bytes: &[u8], level: usize, out: &mut String) -> Result<(), Broken> {
    out.push('[');
    let start = out.len();
    let mut one = |wire: Wire<'_>| {
        if out.len() > start {
            out.push(',');
        }
        write_one(field.kind, wire, level + 1, out)
    };
    for found in Fields(bytes) {
        match (field.kind, found?) {
            (_, (number, _)) if number != field.number => {}
            // Numbers of one width may come one behind the other in one field.
            (Kind::Fixed64 | Kind::Double, (_, Wire::Bytes(packed))) => {
                let (numbers, rest) = packed.as_chunks::<8>();
                if !rest.is_empty() {
                    return Err(Broken::Torn);
                }
                for number in numbers {
                    one(Wire::Bits64(u64::from_le_bytes(*number)))?;
                }
            }
            (_, (_, wire)) => one(wire)?,
        }
    }
    out.push(']');
    Ok(())
}

fn write_one(kind: Kind, wire: Wire<'_>, level: usize, out: &mut String) -> Result<(), Broken> {
    match (kind, wire) {
        (Kind::Text, Wire::Bytes(bytes)) => write_text(out, text(bytes)?),
        (Kind::Bool, Wire::Varint(n)) => out.push_str(if n == 0 { "false" } else { "true" }),
        (Kind::Int64, Wire::Varint(n)) => push(out, format_args!("\"{}\"", n as i64)),
        // Numbers of 32 bits come sign-extended to 64.
        (Kind::Number, Wire::Varint(n)) => push(out, format_args!("{}", n as u32)),
        (Kind::ZigZag, Wire::Varint(n)) => {
            push(out, format_args!("{}", (n >> 1) as i64 ^ -((n & 1) as i64)));
        }
        (Kind::Fixed64, Wire::Bits64(n)) => push(out, format_args!("\"{n}\"")),
        (Kind::SignedFixed64, Wire::Bits64(n)) => push(out, format_args!("\"{}\"", n as i64)),
        (Kind::Fixed32, Wire::Bits32(n)) => push(out, format_args!("{n}")),
        (Kind::Double, Wire::Bits64(n)) => double(out, f64::from_bits(n)),
        (Kind::Hex, Wire::Bytes(bytes)) => {
            out.push('"');
            let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
            out.extend(digits.map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])));
            out.push('"');
        }
        (Kind::Base64, Wire::Bytes(bytes)) => {
            push(out, format_args!("\"{}\"", crate::base64::encode(bytes)));
        }
        (Kind::Message(message), Wire::Bytes(bytes)) => write(message, bytes, level, out)?,
        (_, Wire::Varint(_) | Wire::Bits64(_) | Wire::Bits32(_) | Wire::Bytes(_)) => {
            return Err(Broken::Kind);
        }
    }
    Ok(())
}

/// Writes a number as JSON of Protocol Buffers does: those that are none are words.
fn double(out: &mut String, n: f64) {
    match n.is_finite() {
        true => push(out, format_args!("{n:?}")),
        false if n.is_nan() => out.push_str("\"NaN\""),
        false if n > 0.0 => out.push_str("\"Infinity\""),
        false => out.push_str("\"-Infinity\""),
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string cannot fail");
}

fn text(bytes: &[u8]) -> Result<&str, Broken> {
    str::from_utf8(bytes).map_err(|_invalid| Broken::Text)
}

/// The value of a field as it stands on the wire.
#[derive(Clone, Copy, Debug)]
enum Wire<'b> {
    Varint(u64),
    Bits64(u64),
    Bytes(&'b [u8]),
    Bits32(u32),
}

/// The fields of a message, by number. It ends at the first that is broken.
struct Fields<'b>(&'b [u8]);

impl<'b> Iterator for Fields<'b> {
    type Item = Result<(u32, Wire<'b>), Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

impl<'b> Fields<'b> {
    fn field(&mut self) -> Result<(u32, Wire<'b>), Broken> {
        let key = self.varint()?;
        let number = u32::try_from(key >> 3).map_err(|_too_large| Broken::Number)?;
        if number == 0 {
            return Err(Broken::Number);
        }
        let wire = match key & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Bits64(u64::from_le_bytes(self.array()?)),
            2 => {
                let n_bytes = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
                let (bytes, rest) = self.0.split_at_checked(n_bytes).ok_or(Broken::Torn)?;
                self.0 = rest;
                Wire::Bytes(bytes)
            }
            5 => Wire::Bits32(u32::from_le_bytes(self.array()?)),
            // 3 and 4 are groups, which OTLP never had.
            _ => return Err(Broken::Kind),
        };
        Ok((number, wire))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Broken> {
        let (first, rest) = self.0.split_first_chunk().ok_or(Broken::Torn)?;
        self.0 = rest;
        Ok(*first)
    }

    fn varint(&mut self) -> Result<u64, Broken> {
        let mut n = 0;
        for (idx, byte) in self.0.iter().enumerate().take(10) {
            // The tenth byte has room for one bit.
            if idx == 9 && *byte > 1 {
                return Err(Broken::Number);
            }
            n |= u64::from(byte & 0x7f) << (7 * idx);
            if byte & 0x80 == 0 {
                self.0 = &self.0[idx + 1..];
                return Ok(n);
            }
        }
        Err(if self.0.len() < 10 { Broken::Torn } else { Broken::Number })
    }
}

#[cfg(test)]
mod tests;

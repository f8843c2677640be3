//! Writing JSON: strings, objects member by member, and ready-made fragments.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::value::Value;

/// A piece of JSON text that is known to be whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Json<'a>(Cow<'a, str>);

impl<'a> Json<'a> {
    /// Returns the text of a parsed value.
    pub fn of(value: Value<'a>) -> Self {
        Self(Cow::Borrowed(value.raw()))
    }

    /// Returns the empty object.
    pub fn empty_object() -> Self {
        Self(Cow::Borrowed("{}"))
    }

    /// Returns what `fill` writes, as an object.
    pub fn object(fill: impl FnOnce(&mut Object<'_>)) -> Json<'static> {
        let mut out = String::new();
        let mut object = Object::begin(&mut out);
        fill(&mut object);
        object.end();
        Json(Cow::Owned(out))
    }

    /// Returns what `fill` writes, as an object, with room for so many bytes from the start.
    pub(crate) fn large_object(
        n_bytes: usize,
        fill: impl FnOnce(&mut Object<'_>),
    ) -> Json<'static> {
        let mut out = String::with_capacity(n_bytes);
        let mut object = Object::begin(&mut out);
        fill(&mut object);
        object.end();
        Json(Cow::Owned(out))
    }

    /// Returns a string.
    pub fn text(text: &str) -> Json<'static> {
        let mut out = String::new();
        write_text(&mut out, text);
        Json(Cow::Owned(out))
    }

    /// Returns the array of these fragments.
    pub fn array<'b>(items: impl IntoIterator<Item = Json<'b>>) -> Json<'static> {
        let mut out = String::from("[");
        for item in items {
            if out.len() > 1 {
                out.push(',');
            }
            out.push_str(item.as_str());
        }
        out.push(']');
        Json(Cow::Owned(out))
    }

    /// Returns a whole number.
    pub fn integer(n: impl Into<i128>) -> Json<'static> {
        Json(Cow::Owned(n.into().to_string()))
    }

    /// Returns `true` or `false`.
    pub fn bool(value: bool) -> Json<'static> {
        Json(Cow::Borrowed(if value { "true" } else { "false" }))
    }

    /// Returns `null`.
    pub fn null() -> Json<'static> {
        Json(Cow::Borrowed("null"))
    }

    /// Returns a number; JSON has no word for one that is not finite, so such a number is `null`.
    pub fn number(n: f64) -> Json<'static> {
        Json(if n.is_finite() { Cow::Owned(n.to_string()) } else { Cow::Borrowed("null") })
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the fragment with a text of its own.
    pub fn into_owned(self) -> Json<'static> {
        Json(Cow::Owned(self.0.into_owned()))
    }
}

impl Default for Json<'_> {
    fn default() -> Self {
        Self::empty_object()
    }
}

/// An object being written, member by member.
#[derive(Debug)]
pub struct Object<'o> {
    out: &'o mut String,
    empty: bool,
}

impl<'o> Object<'o> {
    /// Opens an object at the end of `out`.
    pub fn begin(out: &'o mut String) -> Self {
        out.push('{');
        Self { out, empty: true }
    }

    /// Writes a member's name and returns where its value goes.
    pub fn key(&mut self, name: &str) -> &mut String {
        if !self.empty {
            self.out.push(',');
        }
        self.empty = false;
        write_text(self.out, name);
        self.out.push(':');
        self.out
    }

    /// Writes a string member.
    pub fn text(&mut self, name: &str, text: &str) {
        write_text(self.key(name), text);
    }

    /// Writes a member that is JSON already.
    pub fn json(&mut self, name: &str, json: &Json<'_>) {
        self.key(name).push_str(json.as_str());
    }

    /// Closes the object.
    pub fn end(self) {
        self.out.push('}');
    }
}

/// Writes a string with the escapes that JSON demands and no others.
pub fn write_text(out: &mut String, text: &str) {
    let is_special = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    out.push('"');
    // Most texts have nothing to escape, and to see that needs no branch a byte.
    if !text.bytes().fold(false, |is_any, byte| is_any | is_special(byte)) {
        out.push_str(text);
        out.push('"');
        return;
    }
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        if !is_special(byte) {
            continue;
        }
        out.push_str(&text[plain..at]);
        plain = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            control => write!(out, "\\u{control:04x}").expect("writing to a string cannot fail"),
        }
    }
    out.push_str(&text[plain..]);
    out.push('"');
}

//! Writing members of objects in place, without a string of their own for each.

use std::fmt::{Display, Write as _};

use crate::json::{Object, write_text};

/// Writes an object member.
pub(super) fn nest(object: &mut Object<'_>, name: &str, fill: impl FnOnce(&mut Object<'_>)) {
    let mut inner = Object::begin(object.key(name));
    fill(&mut inner);
    inner.end();
}

/// Writes an object as an item of a list that is being written.
pub(super) fn item(list: &mut String, fill: impl FnOnce(&mut Object<'_>)) {
    if !list.ends_with('[') {
        list.push(',');
    }
    let mut inner = Object::begin(list);
    fill(&mut inner);
    inner.end();
}

/// Writes a whole number, or `true` or `false`.
pub(super) fn plain(object: &mut Object<'_>, name: &str, value: impl Display) {
    write!(object.key(name), "{value}").expect("writing to a string cannot fail");
}

/// Writes a text that is put together.
pub(super) fn text(object: &mut Object<'_>, name: &str, value: impl Display) {
    object.text(name, &value.to_string());
}

/// Writes a list of texts.
pub(super) fn texts(object: &mut Object<'_>, name: &str, items: &[&str]) {
    let out = object.key(name);
    out.push('[');
    for (n, item) in items.iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        write_text(out, item);
    }
    out.push(']');
}

/// Writes millionths of a dollar as dollars.
pub(super) fn dollars(object: &mut Object<'_>, name: &str, micros: u64) {
    plain(object, name, micros as f64 / 1_000_000.0);
}

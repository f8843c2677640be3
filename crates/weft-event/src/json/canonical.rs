//! One spelling for equal values: what "the same content" means.

use super::number;
use super::value::{Kind, Value};
use super::write::write_text;

/// Returns the value with sorted keys, no white space, the shortest escapes and one spelling per number.
///
/// Of a repeated key every member is kept, so that two lines which differ only there stay different.
pub fn canonical(value: Value<'_>) -> String {
    let mut out = String::with_capacity(value.raw().len());
    write(&mut out, value);
    out
}

/// Returns a 128-bit digest of [`canonical`].
pub fn digest(value: Value<'_>) -> [u8; 16] {
    let mut digest = [0; 16];
    digest.copy_from_slice(&blake3::hash(canonical(value).as_bytes()).as_bytes()[..16]);
    digest
}

fn write(out: &mut String, value: Value<'_>) {
    match value.kind() {
        Kind::Null | Kind::True | Kind::False => out.push_str(value.raw()),
        Kind::Number => write_number(out, value),
        Kind::Text | Kind::Key => write_text(out, &value.as_text().expect("the kind is a string")),
        Kind::Array => {
            out.push('[');
            for (n, item) in value.items().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                write(out, item);
            }
            out.push(']');
        }
        Kind::Object => {
            let mut members: Vec<_> = value
                .members()
                .map(|(key, member)| (key.as_text().expect("a key is a string"), member))
                .collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            out.push('{');
            for (n, (key, member)) in members.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                write_text(out, key);
                out.push(':');
                write(out, *member);
            }
            out.push('}');
        }
    }
}

fn write_number(out: &mut String, value: Value<'_>) {
    let raw = value.raw();
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        out.push_str(if raw == "-0" { "0" } else { raw });
        return;
    }
    let n = value.as_f64().expect("the kind is a number");
    match number::whole(n) {
        // The shortest digits of a large float are those of another integer than the one it is.
        Some(whole) => out.push_str(&whole.to_string()),
        None => out.push_str(&n.to_string()),
    }
}

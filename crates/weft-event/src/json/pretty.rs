//! JSON for people: the same value over several lines.

use super::value::{Kind, Value};

/// Returns the value with one member or item a line, indented by two spaces, in its own order and spelling.
pub fn pretty(value: Value<'_>) -> String {
    let mut out = String::new();
    write(&mut out, value, 0);
    out
}

fn write(out: &mut String, value: Value<'_>, depth: usize) {
    match value.kind() {
        Kind::Object if value.members().next().is_some() => {
            out.push('{');
            for (n, (key, member)) in value.members().enumerate() {
                begin_line(out, n, depth + 1);
                out.push_str(key.raw());
                out.push_str(": ");
                write(out, member, depth + 1);
            }
            end_line(out, depth, '}');
        }
        Kind::Array if value.items().next().is_some() => {
            out.push('[');
            for (n, item) in value.items().enumerate() {
                begin_line(out, n, depth + 1);
                write(out, item, depth + 1);
            }
            end_line(out, depth, ']');
        }
        Kind::Object => out.push_str("{}"),
        Kind::Array => out.push_str("[]"),
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Text | Kind::Key => {
            out.push_str(value.raw());
        }
    }
}

fn begin_line(out: &mut String, n_before: usize, depth: usize) {
    out.push_str(if n_before == 0 { "\n" } else { ",\n" });
    out.extend(std::iter::repeat_n("  ", depth));
}

fn end_line(out: &mut String, depth: usize, close: char) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
    out.push(close);
}

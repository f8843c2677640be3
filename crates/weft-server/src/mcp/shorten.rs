//! An event made shorter for a reader with little room: its long texts are cut, everything else stays as it is.

use weft_event::json::{Kind, Tape, Value, write_text};

/// Characters that are left of a text, tried one after the other until the event fits.
const CHARS: [usize; 4] = [2000, 500, 100, 20];

/// Returns an event with its texts cut so that it has about so many bytes; `None` if it has no more anyway. An event that is too
/// large without its texts becomes `null`.
pub(super) fn shorten(line: &[u8], bytes_max: usize) -> Option<String> {
    if line.len() <= bytes_max {
        return None;
    }
    let mut tape = Tape::new();
    let event = tape.parse_bytes(line).ok();
    let cut = |event: Value<'_>, chars_max: usize| {
        let mut out = String::new();
        write(&mut out, event, chars_max);
        out
    };
    let fits = |text: &String| text.len() <= bytes_max;
    let short = event.and_then(|event| CHARS.into_iter().map(|n| cut(event, n)).find(fits));
    Some(short.unwrap_or_else(|| "null".to_owned()))
}

fn write(out: &mut String, value: Value<'_>, chars_max: usize) {
    match value.kind() {
        Kind::Text => {
            let text = value.as_text().unwrap_or_default();
            match text.char_indices().nth(chars_max) {
                Some((at, _)) => {
                    let n_left = text.len() - at;
                    write_text(out, &format!("{}… ({n_left} bytes left out)", &text[..at]));
                }
                None => out.push_str(value.raw()),
            }
        }
        Kind::Object => {
            out.push('{');
            for (n, (key, member)) in value.members().enumerate() {
                out.push_str(if n > 0 { "," } else { "" });
                out.push_str(key.raw());
                out.push(':');
                write(out, member, chars_max);
            }
            out.push('}');
        }
        Kind::Array => {
            out.push('[');
            for (n, item) in value.items().enumerate() {
                out.push_str(if n > 0 { "," } else { "" });
                write(out, item, chars_max);
            }
            out.push(']');
        }
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Key => {
            out.push_str(value.raw());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_texts_are_cut_and_the_rest_stays() {
        let long = "ä".repeat(3000);
        let line = format!(r#"{{"a":"{long}","b":[1.50,"short","{long}"],"a\"b":null}}"#);
        let short = shorten(line.as_bytes(), 3000).unwrap();
        let a = "ä".repeat(500);
        let expected = format!(
            r#"{{"a":"{a}… (5000 bytes left out)","b":[1.50,"short","{a}… (5000 bytes left out)"],"a\"b":null}}"#
        );
        assert_eq!(short, expected);
        assert_eq!(shorten(line.as_bytes(), line.len()), None);
    }

    #[test]
    fn what_is_large_without_texts_is_left_out_whole() {
        let line = format!("[{}0]", "1234567890,".repeat(1000));
        assert_eq!(shorten(line.as_bytes(), 100).as_deref(), Some("null"));
    }

    proptest! {
        #[test]
        fn whatever_comes_the_result_is_json_that_fits(line in any::<Vec<u8>>(), max in 4_usize..64) {
            if let Some(short) = shorten(&line, max) {
                prop_assert!(Tape::new().parse(&short).is_ok());
                prop_assert!(short.len() <= max);
            }
        }
    }
}

//! Bodies that are JSON, also those that were broken on their way: producers expanded `\n` inside strings, which leaves line breaks
//! where none may stand.

use std::borrow::Cow;

use weft_event::json::Tape;

/// Returns a body as JSON that can be parsed, if it is an object; `None` if it is none, and cannot be made one.
///
/// What is made good is only what cannot have been meant: a control character inside a string becomes its escape.
pub fn object(body: &str) -> Option<Cow<'_, str>> {
    let body = body.trim();
    if !body.starts_with('{') || !body.ends_with('}') {
        return None;
    }
    let is_good = |text: &str| Tape::new().parse(text).is_ok();
    if is_good(body) {
        return Some(Cow::Borrowed(body));
    }
    match escaped(body) {
        Cow::Owned(text) if is_good(&text) => Some(Cow::Owned(text)),
        Cow::Owned(_) | Cow::Borrowed(_) => None,
    }
}

/// Returns a text with the control characters inside its strings escaped, as if it were JSON otherwise.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.chars().any(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let (mut is_inside, mut is_escape) = (false, false);
    for c in text.chars() {
        let was_escape = std::mem::replace(&mut is_escape, false);
        match c {
            '"' if !was_escape => is_inside = !is_inside,
            '\\' if is_inside && !was_escape => is_escape = true,
            '\0'..=' ' if is_inside && c != ' ' => {
                // A backslash before it escapes nothing that there is, and stands for itself.
                if was_escape {
                    out.push('\\');
                }
                push_escape(&mut out, c);
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    if out == text { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

fn push_escape(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c => out.push_str(&format!("\\u{:04x}", u32::from(c))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use weft_event::json::{Json, canonical};

    use super::*;

    #[test]
    fn line_breaks_inside_strings_are_made_good_and_others_stay() {
        let broken = "{\n  \"goal\": \"one\ntwo\tthree\",\r\n  \"n\": 1\n}";
        let good = object(broken).expect("it can be made good");
        assert_eq!(good, "{\n  \"goal\": \"one\\ntwo\\tthree\",\r\n  \"n\": 1\n}");
        let mut tape = Tape::new();
        let value = tape.parse(&good).expect("it is JSON");
        assert_eq!(value.text_at("goal").as_deref(), Some("one\ntwo\tthree"));
    }

    #[test]
    fn what_is_good_is_not_touched_and_what_is_no_object_is_none() {
        assert!(matches!(object(" {\"a\":1}\n"), Some(Cow::Borrowed("{\"a\":1}"))));
        for none in ["", "plain words", "[1]", "{", "{no json}", "{\"a\":\"\n}", "\"{}\""] {
            assert_eq!(object(none), None, "{none}");
        }
    }

    #[test]
    fn a_backslash_before_a_line_break_stands_for_itself() {
        assert_eq!(escaped("{\"a\":\"x\\\ny\\\\\n\"}"), "{\"a\":\"x\\\\\\ny\\\\\\n\"}");
    }

    /// What the fuzz target found of interest, and what it starts from.
    #[test]
    fn the_corpus_is_made_good_once_and_for_all() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/body");
        let files: Vec<_> = std::fs::read_dir(folder).expect("there is a corpus").collect();
        assert!(files.len() >= 5);
        for file in files {
            let path = file.expect("it is listed").path();
            let text = std::fs::read_to_string(&path).expect("it is text");
            let good = object(&text).unwrap_or_else(|| panic!("{}", path.display()));
            assert_eq!(object(&good), Some(Cow::Borrowed(&*good)));
        }
    }

    proptest! {
        /// What was JSON before its escapes were expanded is that JSON again.
        #[test]
        fn expanded_escapes_are_made_good(key in "[a-z]{1,5}", text in "[a-z \n\t]{0,20}") {
            let whole = Json::object(|object| object.text(&key, &text));
            let expanded = whole.as_str().replace("\\n", "\n").replace("\\t", "\t");
            let good = object(&expanded).expect("it can be made good").into_owned();
            let canon = |text: &str| canonical(Tape::new().parse(text).expect("it is JSON"));
            prop_assert_eq!(canon(&good), canon(whole.as_str()));
        }

        #[test]
        fn whatever_is_given_what_comes_back_is_json_and_stays_so(text in "[{}\"\\\\\n\t:,a1\u{1}é]{0,40}") {
            if let Some(good) = object(&text) {
                prop_assert!(Tape::new().parse(&good).is_ok());
                let again = object(&good).map(Cow::into_owned);
                prop_assert_eq!(again.as_deref(), Some(&*good));
            }
            drop(escaped(&text));
        }
    }
}

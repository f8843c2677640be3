//! Text search: what a word is, and that a made-up word is found wherever it stands.

use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};
use weft_event::json::Tape;

use crate::filter::words::{Last, Phrase};
use crate::filter::write_search_text;

fn finds(query: &str, last: Last, line: &str) -> bool {
    let mut tape = Tape::new();
    let event = tape.parse_bytes(line.as_bytes()).unwrap();
    Phrase::of(query, last).unwrap().is_in(event)
}

#[test]
fn words_are_found_whatever_their_case_accents_and_neighbours() {
    let line = r#"{"key":"Disk-full: NAÏVE café (cafe\u0301) in src/main.rs","list":[{"x":["ΟΔΟΣ"]}],"n":42,"two":"İstanbul"}"#;
    for query in [
        "disk",
        "DISK",
        "full",
        "disk full",
        "disk-FULL",
        "naive",
        "naïve",
        "CAFÉ",
        "cafe",
        "main.rs",
        "οδοσ",
        "istanbul",
        "cafe cafe",
    ] {
        assert!(finds(query, Last::Whole, line), "{query}");
    }
    for query in ["dis", "key", "42", "full disk", "rs ΟΔΟΣ", "diskfull", "main rs x"] {
        assert!(!finds(query, Last::Whole, line), "{query}");
    }
    for query in ["dis", "disk", "disk fu", "na", "οδ", "src/main.r"] {
        assert!(finds(query, Last::Prefix, line), "{query}");
    }
    for query in ["isk", "di full", "disk-", "diskf"] {
        assert_eq!(finds(query, Last::Prefix, line), query == "disk-", "{query}");
    }
}

#[test]
fn the_index_is_fed_string_values_with_foreign_letters_folded() {
    let mut tape = Tape::new();
    let line = r#"{"Key":"Disk-Full","list":[1,true,{"x":["Ünï/CODE"]}],"z":"a\nb"}"#;
    let mut body = String::new();
    write_search_text(tape.parse_bytes(line.as_bytes()).unwrap(), &mut body);
    assert_eq!(body, "Disk-Full\nuni code \na\nb\n");
}

#[test]
fn a_folded_word_is_folded_for_good() {
    for c in ('\0'..=char::MAX).filter(|c| c.is_alphanumeric()) {
        let text = c.to_string();
        let Some(phrase) = Phrase::of(&text, Last::Whole) else { continue };
        let printed = phrase.to_string();
        assert_eq!(Phrase::of(&printed, Last::Whole).as_ref(), Some(&phrase), "{c:?}");
        assert!(!printed.contains(' '), "{c:?} is one word");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_word_and_beginning_of_a_word_is_found_in_its_own_text(text in any::<String>()) {
        let mut line = String::from("{\"x\":");
        weft_event::json::write_text(&mut line, &text);
        line.push('}');
        for word in text.split(|c: char| !c.is_alphanumeric() && !('\u{300}'..='\u{36f}').contains(&c)).filter(|word| !word.is_empty()) {
            if Phrase::of(word, Last::Whole).is_some() {
                prop_assert!(finds(word, Last::Prefix, &line), "{}", word);
            }
        }
        if Phrase::of(&text, Last::Whole).is_some() {
            prop_assert!(finds(&text, Last::Whole, &line), "{:?}", text);
        }
    }
}

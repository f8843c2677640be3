//! What is offered while a filter is typed.

use proptest::prelude::*;

use super::{FieldInfo, complete};
use crate::filter::Filter;

fn seen(field: &FieldInfo) -> Vec<String> {
    match field.name {
        "actor" => ["@ada", "@bob", "two words"].map(str::to_owned).to_vec(),
        _ => Vec::new(),
    }
}

fn words(text: &str) -> String {
    let completion = complete(text, text.len(), seen);
    let words: Vec<String> = completion.offers.into_iter().map(|offer| offer.text).collect();
    format!("{}|{}", &text[..completion.from], words.join(" "))
}

#[test]
fn fields_words_and_values_are_offered_in_their_places() {
    assert_eq!(words("to"), "|tool= topic= tokens>");
    assert_eq!(words("status=error -se"), "status=error -|session=");
    assert_eq!(words("status=b"), "status=|blocked");
    assert_eq!(words("level>=w"), "level>=|warn");
    assert_eq!(words("actor="), "actor=|@ada @bob \"two words\"");
    assert_eq!(words("(actor=@b"), "(actor=|@bob");
    assert_eq!(words("actor=\"tw"), "actor=|\"two words\"");
    assert_eq!(words("nothing=a"), "nothing=|");
    assert_eq!(words("ended="), "ended=|yes no");
}

#[test]
fn a_field_says_what_it_is() {
    let about = |text: &str| complete(text, text.len(), seen).offers[0].about;
    assert_eq!(about("toke"), Some("all tokens used"));
    assert_eq!(about("has:sess"), Some("the session"));
    assert_eq!(about("actor="), None);
}

#[test]
fn what_is_offered_for_a_value_can_be_read() {
    for text in ["actor=", "status=", "level>=", "since:", "ended=", "has:"] {
        for offer in complete(text, text.len(), seen).offers {
            let whole = format!("{text}{}", offer.text);
            assert!(Filter::parse(&whole, 0).is_ok(), "{whole}");
        }
    }
}

proptest! {
    #[test]
    fn whatever_is_typed_and_wherever_the_cursor_is_the_places_are_in_the_text(
        text in "(actor=|status|\\(|-| |\u{3000}|ñ|\"|=|:|[a-z]{1,4}){0,8}",
        cursor in 0..60_usize,
    ) {
        let completion = complete(&text, cursor, seen);
        let inside = text.get(completion.from..completion.to);
        prop_assert!(inside.is_some(), "{completion:?}");
        prop_assert!(completion.to <= cursor);
    }
}

use weft_log::query::Found;
use weft_log::{Filter, Meta, Position};

use super::complete;

fn words(text: &str) -> String {
    let line = |actor: &str| {
        let line = format!(
            r#"{{"version":"1.0.0","event_type":"lifecycle.started","agent_id":"{actor}","session_id":"s-1","timestamp":"2026-11-15T08:00:00Z"}}"#
        );
        let meta = Meta { position: Position::FIRST, at_us: None, mark: None };
        Found { meta, line: line.into_bytes() }
    };
    let offers = complete(text, text.len(), || ["@ada", "@bob", "two words"].map(line).to_vec());
    format!("{}|{}", &text[..offers.from], offers.words.join(" "))
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
fn what_is_offered_for_a_value_can_be_read() {
    for text in ["actor=", "status=", "level>=", "since:", "ended=", "has:"] {
        let offers = complete(text, text.len(), Vec::new);
        for word in offers.words {
            let whole = format!("{text}{word}");
            assert!(Filter::parse(&whole, 0).is_ok(), "{whole}");
        }
    }
}

#[test]
fn a_cursor_anywhere_is_no_harm() {
    for at in 0..12 {
        complete("añ=語 b", at, Vec::new);
    }
}

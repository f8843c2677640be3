//! What an address's query says.

use super::{BadQuery, pairs, percent_decoded};

fn read(query: &str) -> Result<Vec<(String, String)>, BadQuery> {
    pairs(query)
        .map(|pair| pair.map(|(name, value)| (name.into_owned(), value.into_owned())))
        .collect()
}

#[test]
fn names_and_values_are_decoded() {
    insta::assert_debug_snapshot!(
        read("a=1&b+c=%C3%A9%26&&empty=&bare&x=y=z").expect("it is well formed"),
        @r#"
    [
        (
            "a",
            "1",
        ),
        (
            "b c",
            "é&",
        ),
        (
            "empty",
            "",
        ),
        (
            "bare",
            "",
        ),
        (
            "x",
            "y=z",
        ),
    ]
    "#
    );
    assert_eq!(read(""), Ok(Vec::new()));
}

#[test]
fn what_is_no_escape_is_told() {
    for query in ["a=%", "a=%4", "a=%zz", "%ff=1", "a=%C3"] {
        assert_eq!(read(query), Err(BadQuery), "{query}");
    }
}

#[test]
fn escapes_are_decoded_once() {
    assert_eq!(percent_decoded(b"%2525").as_deref(), Some(&b"%25"[..]));
    assert_eq!(percent_decoded(b"Euro%20%E2%82%AC+").as_deref(), Some("Euro €+".as_bytes()));
    assert_eq!(percent_decoded(b"%+1"), None);
}

//! Which CloudEvents are well formed.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use weft_event::json::Tape;

use super::{check, of_headers};

fn told(event: &str) -> String {
    let mut tape = Tape::new();
    let problems = check(tape.parse(event).expect("it is JSON"));
    let lines = problems.iter().map(|reason| format!("{} {}", reason.path, reason.code));
    lines.collect::<Vec<_>>().join(", ")
}

/// Returns a good event with more members.
fn with(members: &str) -> String {
    format!(r#"{{"specversion":"1.0","id":"1","source":"urn:a","type":"t"{members}}}"#)
}

#[test]
fn the_required_attributes_are_texts_that_are_not_empty() {
    assert_eq!(told(&with("")), "");
    assert_eq!(told("{}"), "/specversion missing, /id missing, /source missing, /type missing");
    assert_eq!(told("[1]"), " not_an_object");
    let wrong = r#"{"specversion":"0.3","id":"","source":7,"type":null}"#;
    assert_eq!(told(wrong), "/id length, /source type, /type missing, /specversion version");
}

#[test]
fn the_others_are_checked_where_they_are_there() {
    let good = r#","subject":"s","time":"2026-11-15T10:00:01.120Z","datacontenttype":"application/json","dataschema":"https://a/b","sequence":"17","flag":true,"count":-3,"gone":null,"data":{"x":[]}"#;
    assert_eq!(told(&with(good)), "");
    assert_eq!(told(&with(r#","subject":null,"time":null,"data":null"#)), "");
    assert_eq!(told(&with(r#","time":"yesterday""#)), "/time format");
    assert_eq!(
        told(&with(r#","subject":"","dataschema":"b""#)),
        "/subject length, /dataschema format"
    );
    assert_eq!(told(&with(r#","my_key":1,"Key":1"#)), "/my_key format, /Key format");
    assert_eq!(
        told(&with(r#","a":{},"b":[],"c":1.5,"d":2147483648"#)),
        "/a type, /b type, /c type, /d type"
    );
    assert_eq!(told(&with(r#","id":"2""#)), "/id duplicate_key");
}

#[test]
fn extensions_have_a_limit_and_do_not_take_long() {
    let many = |n: usize| (0..n).map(|n| format!(r#","x{n}":1"#)).collect::<String>();
    assert_eq!(told(&with(&many(256))), "");
    assert_eq!(told(&with(&many(257))), "/x256 length");
    assert_eq!(told(&with(&many(300_000))), "/x256 length");
    assert!(
        told(&with(&r#","id":"2""#.repeat(300_000))).ends_with("/id duplicate_key, /id length")
    );
}

#[test]
fn data_stands_in_one_place() {
    assert_eq!(told(&with(r#","data_base64":"Zg==""#)), "");
    assert_eq!(told(&with(r#","data":1,"data_base64":"Zg==""#)), "/data_base64 unknown_field");
    assert_eq!(told(&with(r#","data_base64":"Zg""#)), "/data_base64 format");
    assert_eq!(told(&with(r#","data_base64":{}"#)), "/data_base64 format");
}

fn headers(pairs: &[(&'static str, &[u8])]) -> String {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let value = HeaderValue::from_bytes(value).expect("a header's value");
        headers.append(HeaderName::from_static(name), value);
    }
    let (attributes, problems) = of_headers(&headers);
    let attributes = attributes.iter().map(|(name, value)| format!("{name}={value}"));
    let problems = problems.iter().map(|reason| format!("{} {}", reason.code, reason.message));
    attributes.chain(problems).collect::<Vec<_>>().join("\n")
}

#[test]
fn headers_are_unquoted_and_decoded_once() {
    insta::assert_snapshot!(
        headers(&[
            ("ce-id", b"Euro%20%E2%82%AC%2520"),
            ("ce-source", b"\"a \\\"b\\\" %C3%A9\""),
            ("ce-type", "ü".as_bytes()),
            ("content-type", b"application/json"),
        ]),
        @r#"
    id=Euro €%20
    source=a "b" é
    type=ü
    "#
    );
}

#[test]
fn headers_that_cannot_be_attributes_are_told() {
    insta::assert_snapshot!(
        headers(&[
            ("ce-id", b"%zz"),
            ("ce-type", b"%ff"),
            ("ce-source", b"a"),
            ("ce-datacontenttype", b"text/plain"),
        ]),
        @"
    source=a
    format ce-id: the header is not percent-encoded UTF-8
    format ce-type: the header is not percent-encoded UTF-8
    unknown_field ce-datacontenttype: the content type is a header of its own, the data is the body
    "
    );
    insta::assert_snapshot!(headers(&[("ce-id", b"1"), ("ce-id", b"2")]), @r"
    id=1
    duplicate_key ce-id: the header stands twice
    ");
}

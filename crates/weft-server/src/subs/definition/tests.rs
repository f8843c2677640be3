//! What a subscription can be, and that it reads back as it was written.

use weft_event::json::{Json, Tape};

use super::{Blobs, Definition, DefinitionError, Kind, Request, Retry, SecretRef, State};

fn request(name: &str, kind: Kind) -> Request {
    let (filter, now_ns) = ("level>=warn".to_owned(), 1_794_736_800_000_000_000);
    let (name, blobs, retry) = (name.to_owned(), Blobs::Referenced, Retry::default());
    Request { name, filter, start: 7, kind, blobs, retry, now_ns }
}

fn webhook(url: &str) -> Kind {
    Kind::Webhook { url: url.to_owned(), secret: SecretRef::Store }
}

fn error(request: Request) -> String {
    Definition::new(request).expect_err("it is wrong").to_string()
}

#[test]
fn it_reads_back_as_it_was_written() {
    let secret = SecretRef::File("/etc/hook".to_owned());
    let kinds = [
        Kind::Pull,
        webhook("https://example.com/hook?a=b"),
        Kind::Webhook { url: "http://[::1]:8080/".to_owned(), secret },
        Kind::Otlp { url: "https://example.com:4318".to_owned() },
        Kind::Command { argv: vec!["sh".to_owned(), "-c".to_owned(), "cat >> \"x\"".to_owned()] },
    ];
    for kind in kinds {
        let mut definition = Definition::new(request("mine", kind)).expect("it is fine");
        for state in [
            State::Active,
            State::Paused { why: None },
            State::Paused { why: Some("gone".into()) },
            State::Removed,
        ] {
            definition.state = state;
            definition.replayed_upto += 3;
            definition.blobs = match definition.blobs {
                Blobs::Referenced => Blobs::Restored,
                Blobs::Restored => Blobs::Referenced,
            };
            let written = Json::object(|object| definition.write(object));
            let mut tape = Tape::new();
            let value = tape.parse(written.as_str()).expect("it is JSON");
            assert_eq!(Definition::read(value).as_ref(), Ok(&definition));
        }
    }
}

#[test]
fn one_from_before_values_were_put_back_reads_as_it_was_and_is_written_so() {
    let read = |text: &str| {
        let mut tape = Tape::new();
        Definition::read(tape.parse(text).expect("it is JSON"))
    };
    let mut definition = Definition::new(request("mine", Kind::Pull)).expect("it is fine");
    definition.id = "1".to_owned();
    let written = Json::object(|object| definition.write(object));
    let old = r#"{"name":"mine","id":"1","round":0,"filter":"level=warn or level=error","start":7,"kind":"pull","state":"active","retry":{"attempts_max":10,"backoff_min_ms":1000,"backoff_max_ms":300000,"timeout_ms":30000,"parallel_max":8},"created":"2026-11-15T10:00:00Z"}"#;
    assert_eq!(written.as_str(), old);
    assert_eq!(read(old), Ok(definition.clone()));
    let with = |blobs: &str| old.replace(r#""state""#, &format!(r#""blobs":{blobs},"state""#));
    definition.blobs = Blobs::Restored;
    assert_eq!(Json::object(|object| definition.write(object)).as_str(), with("true"));
    assert_eq!(read(&with("true")), Ok(definition.clone()));
    definition.blobs = Blobs::Referenced;
    assert_eq!(read(&with("false")), Ok(definition));
    let error = DefinitionError::Member { field: "blobs", wanted: "true or false" };
    assert_eq!(read(&with("\"yes\"")), Err(error));
}

#[test]
fn what_is_wrong_is_said() {
    for name in ["", ".a", "a b", "a/b", "ä", &"a".repeat(65)] {
        let said = error(request(name, Kind::Pull));
        assert!(said.starts_with("a subscription's name has"), "{said}");
    }
    for url in ["", "x", "ftp://a/", "http://", "/a", "http://u:p@a/", "https://a/#b"] {
        assert!(error(request("a", webhook(url))).starts_with("the address must be"), "{url}");
    }
    for argv in [vec![], vec![String::new()], vec!["a\0".to_owned()], vec!["a".to_owned(); 65]] {
        assert!(error(request("a", Kind::Command { argv })).starts_with("a command has"));
    }
    let mut impatient = request("a", Kind::Pull);
    impatient.retry.attempts_max = 0;
    assert_eq!(error(impatient), "`attempts_max` must be from 1 to 1000");
    let mut unfiltered = request("a", Kind::Pull);
    unfiltered.filter = "level>=".to_owned();
    insta::assert_snapshot!(error(unfiltered), @"the filter is wrong at byte 0: `level>=` has no value");
}

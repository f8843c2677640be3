//! Requests as bytes, and what they are as JSON.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use serde_json::Value;
use weft_event::translate::otlp::Signal;

use super::{Broken, PART_BYTES, to_json};

/// Returns a field of bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut n = bytes.len();
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
    out.extend_from_slice(bytes);
    out
}

/// Returns a request with records of one scope of one resource.
fn request(records: &[Vec<u8>]) -> Vec<u8> {
    let service = field(1, &[field(1, b"service.name"), field(2, &field(1, b"s"))].concat());
    let scope = [field(1, &field(1, b"scope")), records.concat()].concat();
    field(1, &[field(1, &service), field(2, &scope)].concat())
}

fn parts(signal: Signal, body: &[u8]) -> Result<Vec<String>, Broken> {
    let mut parts = Vec::new();
    to_json(signal, body, |part| {
        parts.push(part.to_owned());
        Ok::<(), Broken>(())
    })?;
    Ok(parts)
}

fn one(signal: Signal, body: &[u8]) -> String {
    parts(signal, body).map_or_else(|broken| broken.to_string(), |parts| parts.join("\n"))
}

#[test]
fn a_record_is_written_as_json() {
    let attribute = |value: Vec<u8>| field(6, &[field(1, b"k"), field(2, &value)].concat());
    let record = [
        [&[9][..], &1_794_736_800_000_000_000_u64.to_le_bytes()].concat(),
        vec![16, 17],
        field(5, &field(1, "é\"\n".as_bytes())),
        attribute(vec![16, 1]),
        attribute([&[24][..], &[0xff; 9], &[1]].concat()),
        attribute([&[33][..], &0.5_f64.to_le_bytes()].concat()),
        attribute([&[33][..], &f64::NAN.to_le_bytes()].concat()),
        attribute(field(5, &[field(1, &[16, 0]), field(1, b"")].concat())),
        attribute(field(7, &[0, 255])),
        // Of a choice the last counts.
        attribute([vec![16, 1], field(1, b"last")].concat()),
        field(9, &[0xab; 16]),
        field(12, b"e"),
        // Fields of a later version.
        vec![0xa0, 6, 1],
    ];
    let request = request(&[field(2, &record.concat())]);
    assert_snapshot!(one(Signal::Logs, &request), @r#"{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]},"scopeLogs":[{"scope":{"name":"scope"},"logRecords":[{"timeUnixNano":"1794736800000000000","severityNumber":17,"eventName":"e","body":{"stringValue":"é\"\n"},"attributes":[{"key":"k","value":{"boolValue":true}},{"key":"k","value":{"intValue":"-1"}},{"key":"k","value":{"doubleValue":0.5}},{"key":"k","value":{"doubleValue":"NaN"}},{"key":"k","value":{"arrayValue":{"values":[{"boolValue":false},{}]}}},{"key":"k","value":{"bytesValue":"AP8="}},{"key":"k","value":{"stringValue":"last"}}],"traceId":"abababababababababababababababab"}]}]}]}"#);
}

/// The corpus of the fuzz target was written with the official package for Python, out of that of the JSON.
#[test]
fn requests_of_the_official_package_are_the_json_that_they_were_made_of() {
    let read = |corpus: &str, name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(corpus);
        fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{corpus} {name}: {error}"))
    };
    for (name, signal) in [
        ("claude_tool", Signal::Logs),
        ("values", Signal::Logs),
        ("span_tool", Signal::Traces),
        ("sum", Signal::Metrics),
        ("histogram", Signal::Metrics),
    ] {
        let written = one(signal, &read("otlp_wire", name));
        let written: Value = serde_json::from_str(&written).expect("JSON");
        let source = String::from_utf8(read("otlp", name)).expect("text");
        // Ids come in small letters.
        let source = source.replace("0AF7", "0af7");
        let source: Value = serde_json::from_str(&source).expect("JSON");
        assert_eq!(written, source, "{name}");
    }
}

#[test]
fn what_is_no_request_is_told() {
    assert_snapshot!(one(Signal::Logs, b""), @r#"{"resourceLogs":[]}"#);
    assert_snapshot!(one(Signal::Logs, b"\x0a"), @"the body ends inside a field");
    assert_snapshot!(one(Signal::Logs, b"\x0a\x05x"), @"the body ends inside a field");
    assert_snapshot!(one(Signal::Logs, b"\x08\x01"), @"a field is not of its kind");
    assert_snapshot!(one(Signal::Logs, b"\x00"), @"a number is not well formed");
    assert_snapshot!(one(Signal::Logs, &[0xff; 11]), @"a number is not well formed");
    assert_snapshot!(one(Signal::Logs, &request(&[field(2, &field(12, &[0xff]))])), @"a text is not UTF-8");
    let mut value = field(1, b"x");
    for _ in 0..200 {
        value = field(5, &field(1, &value));
    }
    assert_snapshot!(one(Signal::Logs, &request(&[field(2, &field(5, &value))])), @"values are nested deeper than 100 levels");
}

/// Tiny records must not become large ones, and large requests not one large text.
#[test]
fn a_large_request_comes_in_parts_with_its_surroundings() {
    let record = field(2, &field(5, &field(1, &[b'x'; 1000])));
    let body = request(&vec![record; 5000]);
    let parts = parts(Signal::Logs, &body).expect("a request");
    assert!(parts.len() >= 4, "{} parts", parts.len());
    let mut n_records = 0;
    for part in &parts {
        assert!(part.len() < PART_BYTES + 2048, "{} bytes", part.len());
        let part: Value = serde_json::from_str(part).expect("JSON");
        let in_resource = &part["resourceLogs"][0];
        assert_eq!(in_resource["resource"]["attributes"][0]["key"], "service.name");
        assert_eq!(in_resource["scopeLogs"][0]["scope"]["name"], "scope");
        n_records += in_resource["scopeLogs"][0]["logRecords"].as_array().expect("a list").len();
    }
    assert_eq!(n_records, 5000);
    let empty = request(&vec![field(2, b""); 1 << 20]);
    let written: usize = one(Signal::Logs, &empty).len();
    assert!(written < 2 * empty.len(), "{written} bytes of {}", empty.len());
}

/// Bytes that are sometimes messages: fields inside fields, with whatever between them.
fn messages() -> impl Strategy<Value = Vec<u8>> {
    let leaf = prop_oneof![prop::collection::vec(any::<u8>(), 0..12), Just(b"text".to_vec())];
    leaf.prop_recursive(8, 64, 4, |inner| {
        prop::collection::vec((1..16_u8, inner), 0..4).prop_map(|fields| {
            fields.iter().flat_map(|(number, bytes)| field(*number, bytes)).collect()
        })
    })
}

proptest! {
    #[test]
    fn whatever_comes_is_json_or_broken(body in messages()) {
        for signal in Signal::ALL {
            for part in parts(signal, &body).unwrap_or_default() {
                serde_json::from_str::<Value>(&part).expect("JSON");
            }
        }
    }
}

//! The `jsonschema` crate as a peer, on the schemas that `weft schema` prints.

use std::hint::black_box;

use serde_json::Value;
use weft_event::Dialect;

use super::corpus::Corpus;

/// Returns the pass: parse into a tree, then validate with the schema of the dialect, which is known beforehand.
pub(crate) fn jsonschema() -> impl FnMut(&Corpus) -> usize {
    let validators: Vec<_> = Dialect::ALL.iter().map(|dialect| compile(*dialect)).collect();
    move |corpus| {
        let is_good = |(dialect, line): &(Dialect, &[u8])| {
            let parsed = serde_json::from_slice::<Value>(line);
            parsed.is_ok_and(|value| black_box(validators[*dialect as usize].is_valid(&value)))
        };
        corpus.events().filter(is_good).count()
    }
}

fn compile(dialect: Dialect) -> jsonschema::Validator {
    let schema = serde_json::from_str(&dialect.schema()).expect("a schema is JSON");
    jsonschema::options()
        .should_validate_formats(true)
        .with_format("uuid", is_uuid)
        .build(&schema)
        .expect("the printed schema is a schema")
}

/// Draft-07 has no such format.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

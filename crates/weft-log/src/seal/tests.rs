//! Seals come back as they were written, and a changed one is told from a good one.

use proptest::prelude::*;
use weft_event::Dialect;
use weft_event::json::Tape;

use super::{Bad, Opening, PREFIX, Seal};
use crate::{Carried, Hash, Mark, Position, TopicKey};

fn mark() -> impl Strategy<Value = Mark> {
    let topic = ("[a-z:\\\\\"]{1,9}", prop::option::of("\\PC{0,6}"));
    let carried = (1..u64::MAX, any::<i64>());
    (
        prop::sample::select(Dialect::ALL),
        prop::sample::select(&["hook", "http", "emit"][..]),
        any::<u32>(),
        prop::option::of("\\PC{0,20}"),
        prop::option::of(topic),
        prop::option::of(carried),
        prop::option::of(1..u64::MAX),
    )
        .prop_map(|(dialect, via, crc, delivery, topic, carried, conflict)| Mark {
            dialect,
            via: via.into(),
            crc,
            delivery,
            topic: topic.map(|(topic, key)| TopicKey { topic, key }),
            carried: carried.map(|(position, at_us)| Carried {
                position: Position::new(position).unwrap(),
                at_us,
            }),
            conflict: conflict.and_then(Position::new),
        })
}

proptest! {
    #[test]
    fn a_seal_comes_back_as_it_was_written(
        first in 1..u64::MAX / 2,
        bytes in 0..1_u64 << 40,
        at_us in any::<i64>(),
        marks in prop::collection::vec(mark(), 0..9),
        is_opening in any::<bool>(),
        body in any::<[u8; 3]>(),
    ) {
        let opening = Opening { store: "s\"1".to_owned(), format: 1, segment: 7 };
        let seal = Seal {
            first: Position::new(first).unwrap(),
            bytes,
            at_us,
            marks,
            opening: is_opening.then_some(opening),
            body: Hash::of(&body),
            prev: Hash::ZERO,
        };
        let mut line = Vec::new();
        let hash = seal.encode(&mut line);
        prop_assert_eq!(line.pop(), Some(b'\n'));
        prop_assert!(line.starts_with(PREFIX));
        prop_assert!(!line.contains(&b'\n'));
        prop_assert_eq!(Seal::decode(&line, &mut Tape::new()), Ok((seal, hash)));
    }
}

#[test]
fn the_line_is_as_the_format_says() {
    let mark = |dialect, via: &str, crc| Mark {
        dialect,
        via: via.into(),
        crc,
        delivery: None,
        topic: None,
        carried: None,
        conflict: None,
    };
    let mut marks = vec![
        mark(Dialect::Collector, "hook", 0x5ad1_c3f0),
        mark(Dialect::Needle, "http", 0x0b77_e2d1),
    ];
    marks.push(mark(Dialect::Needle, "http", 1));
    marks[1].delivery = Some("file:a.jsonl@0".to_owned());
    marks[2].topic = Some(TopicKey { topic: "loop:current".to_owned(), key: Some("k".to_owned()) });
    let seal = Seal {
        first: Position::new(41).unwrap(),
        bytes: 812,
        at_us: 1_794_736_800_123_456,
        marks,
        opening: None,
        body: Hash::of(b"body"),
        prev: Hash::ZERO,
    };
    let mut line = Vec::new();
    seal.encode(&mut line);
    insta::assert_snapshot!(String::from_utf8(line).unwrap(), @r#"{"weft_seal":{"pos":41,"n":3,"bytes":812,"at":1794736800123456,"dialects":"cnn","via":["hook","http"],"crc":["5ad1c3f0","0b77e2d1","00000001"],"delivery":{"1":"file:a.jsonl@0"},"topic":{"2":["loop:current","k"]},"body":"0be9c598ae63835518e7fb422dc3027f452d75f3dbdb94c90d843298b1180ad9","prev":"0000000000000000000000000000000000000000000000000000000000000000","hash":"c8b877be6618ff298049b0a08b1a2d6d4ce1dabb20f1de5478ec894c178b586c"}}"#);
}

#[test]
fn every_flipped_bit_of_a_seal_shows() {
    let seal = Seal {
        first: Position::FIRST,
        bytes: 0,
        at_us: 5,
        marks: Vec::new(),
        opening: None,
        body: Hash::of(b""),
        prev: Hash::ZERO,
    };
    let mut line = Vec::new();
    seal.encode(&mut line);
    line.pop();
    for bit in 0..line.len() * 8 {
        line[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(Seal::decode(&line, &mut Tape::new()), Err(Bad::Hash), "bit {bit}");
        line[bit / 8] ^= 1 << (bit % 8);
    }
    for len in 0..line.len() {
        assert_eq!(Seal::decode(&line[..len], &mut Tape::new()), Err(Bad::Hash), "cut at {len}");
    }
}

//! The walk over bytes that nobody wrote: it ends, stays within them, and asks for no more memory than they need.

use std::io;

use proptest::prelude::*;
use weft_event::Dialect;
use weft_log::scan::{Bytes, Link, Scan};
use weft_log::seal::{Opening, PREFIX, Seal};
use weft_log::{Hash, Mark, Position};

use crate::sample::sample;

const CASES: u32 = 4_000;
const CASES_LONG: u32 = 1_000_000;

/// More than a walk may ask for at once on so short an input.
const READ_BYTES_MAX: usize = 1 << 20;

struct Source(Vec<u8>);

impl Bytes for Source {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        assert!(buffer.len() <= READ_BYTES_MAX, "{} bytes asked for at once", buffer.len());
        let rest = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..));
        let rest = rest.unwrap_or_default();
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }
}

fn any_number() -> impl Strategy<Value = u64> {
    prop_oneof![0..20_u64, Just(i64::MAX as u64), Just(u64::MAX), any::<u64>()]
}

/// A seal that is good by its hash, whatever it says.
fn any_seal() -> impl Strategy<Value = Vec<u8>> {
    let mark = |crc| Mark {
        dialect: Dialect::Idle,
        via: "v".into(),
        crc,
        delivery: None,
        topic: None,
        carried: None,
        conflict: None,
    };
    let crcs = prop::collection::vec(prop_oneof![Just(crc32c::crc32c(b"{}")), any::<u32>()], 0..5);
    let bodies = prop::sample::select(vec![&b""[..], b"{}\n", b"{}\n{}\n", b"{}"]);
    let is_opening = any::<bool>();
    (any_number(), any_number(), any::<i64>(), crcs, bodies, is_opening).prop_map(
        move |(first, bytes, at_us, crcs, body, is_opening)| {
            let opening = Opening { store: "s".repeat(3), format: first, segment: bytes };
            let seal = Seal {
                first: Position::new(first.max(1)).expect("not 0"),
                bytes: if first.is_multiple_of(2) { body.len() as u64 } else { bytes },
                at_us,
                marks: crcs.into_iter().map(mark).collect(),
                opening: is_opening.then_some(opening),
                body: Hash::of(body),
                prev: Hash::ZERO,
            };
            let mut line = body.to_vec();
            seal.encode(&mut line);
            line
        },
    )
}

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    let log = sample();
    let segments: Vec<Vec<u8>> = (0..3).map(|idx| log.bytes(idx).to_vec()).collect();
    let piece = prop_oneof![
        4 => any_seal(),
        2 => (any_seal(), any::<prop::sample::Index>()).prop_map(|(seal, len)| seal[..len.index(seal.len())].to_vec()),
        2 => prop::collection::vec(any::<u8>(), 0..60),
        2 => prop::collection::vec(prop::sample::select(&b"\n{}\":,[] \\a1"[..]), 0..60),
        2 => Just(b"{}\n".to_vec()),
        1 => Just(PREFIX.to_vec()),
        1 => Just(b"\"}}".to_vec()),
        1 => Just(b"\n".to_vec()),
        1 => prop::sample::select(segments),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn walk(bytes: &[u8], link: Link, rest: Position) {
    let mut scan = Scan::new(Source(bytes.to_vec()), 0, u64::MAX, link);
    let mut end = 0;
    let mut last = 0;
    let mut is_rest_taken = false;
    loop {
        let stretch = match scan.read().expect("the source reads") {
            Some(stretch) => stretch,
            None if is_rest_taken => break,
            None => {
                is_rest_taken = true;
                scan.take_rest(rest)
            }
        };
        assert_eq!(stretch.offset, end, "a stretch begins where the one before it ended");
        assert!(stretch.end > end || is_rest_taken, "a stretch takes bytes");
        end = stretch.end;
        let start = usize::try_from(stretch.offset).expect("small");
        assert_eq!(scan.bytes(), &bytes[start..usize::try_from(end).expect("small")]);
        for line in &stretch.lines {
            assert!(line.position.get() > last && line.start <= line.end);
            last = line.position.get();
            let text = &scan.bytes()[line.start..line.end];
            let Some(idx) = line.mark_idx else { continue };
            let (seal, _) = stretch.seal.as_ref().expect("a mark is in a seal");
            let is_whole = Hash::of(&scan.bytes()[..scan.bytes().len().min(seal.bytes as usize)]);
            let is_right = seal.marks[idx].crc == crc32c::crc32c(text) || is_whole == seal.body;
            assert!(is_right, "position {last} is vouched for by nothing");
        }
    }
    assert_eq!(end, bytes.len() as u64, "all bytes are given");
}

#[test]
fn a_walk_over_anything_ends_within_it() {
    let is_long = std::env::var("WEFT_TEST_EFFORT").is_ok_and(|effort| effort == "long");
    let cases = if is_long { CASES_LONG } else { CASES };
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    proptest!(config, |(bytes in any_bytes(), next in any_number(), rest in any_number())| {
        let position = |number: u64| Position::new(number.clamp(1, i64::MAX as u64)).expect("not 0");
        walk(&bytes, Link { next: position(next), hash: None }, position(rest));
    });
    println!("{cases} cases");
}

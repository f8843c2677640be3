//! `head` comes back as it was written, or not at all.

use super::{HEAD_BYTES, Head};
use crate::segment::SegmentName;
use crate::{Hash, Position};

fn head(number: u64) -> Head {
    Head {
        store: "0192f6c4-1111-7222-8333-444455556666".to_owned(),
        segment: SegmentName::first_of_day(1_794_744_000_000_000),
        number,
        seal: number,
        end: number,
        next: Position::new(number).unwrap(),
        at_us: i64::MAX,
        hash: Hash::of(b"seal"),
    }
}

#[test]
fn it_has_one_size_and_comes_back() {
    for number in [1, u64::MAX] {
        let file = head(number).encode();
        assert_eq!(Head::decode(&file), Some(head(number)));
    }
}

#[test]
fn a_damaged_one_is_none() {
    let file = head(77).encode();
    let len = std::str::from_utf8(&file).unwrap().trim_end().len();
    for bit in 0..len * 8 {
        let mut damaged = file;
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(Head::decode(&damaged), None, "bit {bit}");
    }
    for cut in 0..HEAD_BYTES {
        assert_eq!(Head::decode(&file[..cut]), None, "cut at {cut}");
    }
    let newer = head(78).encode();
    let other: Vec<_> = (0..HEAD_BYTES).filter(|at| file[*at] != newer[*at]).collect();
    for tear in other[0] + 1..=other[other.len() - 1] {
        let torn = [&file[..tear], &newer[tear..]].concat();
        assert_eq!(Head::decode(&torn), None, "torn at {tear}");
    }
}

//! What is known from memory, and what that costs.

use std::sync::Arc;
use std::thread;

use proptest::prelude::*;
use weft_event::digest_parts;

use super::{Known, Seen, Tail};
use crate::index::{Keys, delivery_key};
use crate::{Position, TopicKey};

fn key(number: u64) -> i64 {
    let digest = digest_parts(&[b"test", &number.to_le_bytes()]);
    i64::from_le_bytes(*digest.first_chunk().unwrap())
}

fn position(number: u64) -> Position {
    Position::new(number).unwrap()
}

/// Returns how many of some keys that were never added look known, of ten thousand.
fn taken_for_known(known: &Known) -> usize {
    let unknown = 1_000_000_000..1_000_100_000;
    unknown.filter(|number| known.has(key(*number)) == Seen::Maybe).count() / 10
}

#[test]
fn a_filter_takes_two_bytes_a_key_and_is_rarely_wrong_until_it_is_full() {
    let n_keys = 200_000;
    let known = Known::with_room_for(n_keys);
    known.set_ready();
    (0..n_keys).for_each(|number| known.add(key(number)));
    assert!(!known.is_full());
    assert!(known.bytes() as u64 <= n_keys * 2 + 64);
    let when_new = taken_for_known(&known);
    let mut number = n_keys;
    while !known.is_full() {
        known.add(key(number));
        number += 1;
    }
    assert!(
        (number * 3 / 4).abs_diff(n_keys) < 64,
        "it takes a third more, but for a line's worth"
    );
    let when_full = taken_for_known(&known);
    assert!(when_new <= 70, "{when_new} of 10,000");
    assert!(when_full <= 220, "{when_full} of 10,000");
    assert!((0..number).all(|number| known.has(key(number)) == Seen::Maybe));
}

#[test]
fn until_it_is_ready_a_filter_rules_nothing_out() {
    let known = Known::with_room_for(100);
    assert_eq!(known.has(key(1)), Seen::Maybe);
    known.set_ready();
    assert_eq!(known.has(key(1)), Seen::No);
}

#[test]
fn two_threads_fill_one_filter() {
    let known = Arc::new(Known::with_room_for(100_000));
    let other = Arc::clone(&known);
    let builder = thread::spawn(move || {
        (0..50_000).for_each(|number| other.add(key(number)));
        other.set_ready();
    });
    (50_000..100_000).for_each(|number| known.add(key(number)));
    builder.join().unwrap();
    assert!((0..100_000).all(|number| known.has(key(number)) == Seen::Maybe));
    assert_eq!(known.n_added(), 100_000);
}

fn post(topic: &str, key: Option<&str>) -> TopicKey {
    TopicKey { topic: topic.to_owned(), key: key.map(str::to_owned) }
}

#[test]
fn a_tail_knows_the_newest_value_of_a_key_until_the_index_does() {
    let mut tail = Tail::default();
    let (a, b, without) = (post("t", Some("a")), post("t", Some("b")), post("t", None));
    tail.add(position(5), &Keys::NONE, Some(&a));
    tail.add(position(6), &Keys::NONE, Some(&b));
    tail.add(position(7), &Keys::NONE, Some(&a));
    tail.add(position(8), &Keys::NONE, Some(&without));
    assert_eq!((tail.latest(&a), tail.latest(&b)), (Some(position(7)), Some(position(6))));
    assert_eq!(tail.latest(&without), None);
    tail.forget(position(6));
    assert_eq!((tail.latest(&a), tail.latest(&b)), (Some(position(7)), None));
    tail.forget(position(8));
    assert_eq!(tail.latest(&a), None);
}

#[test]
fn a_tail_of_many_keys_finds_each_and_forgets_them_by_chunks() {
    let mut tail = Tail::default();
    for number in 1..=200_000 {
        let keys = Keys::NONE.with_delivery(Some(&number.to_string()));
        tail.add(position(number), &keys, None);
    }
    assert_eq!(tail.n_keys(), 200_000);
    for number in [1, 65_536, 65_537, 131_073, 200_000] {
        let found: Vec<Position> = tail.find(delivery_key(&number.to_string())).collect();
        assert_eq!(found, [position(number)]);
    }
    tail.forget(position(70_000));
    assert_eq!(tail.find(delivery_key("70000")).next(), None);
    assert_eq!(tail.find(delivery_key("70001")).next(), Some(position(70_001)));
    assert_eq!(tail.n_keys(), 200_000 - 65_536);
    tail.forget(position(200_000));
    assert_eq!(tail.n_keys(), 0);
}

#[test]
fn records_that_are_far_apart_are_found_all_the_same() {
    let mut tail = Tail::default();
    let far = [1, 2, 65_536, 65_537, 65_538, 1_000_000, u64::from(u32::MAX) * 2];
    for number in far {
        tail.add(position(number), &Keys::NONE.with_delivery(Some("again")), None);
    }
    let found: Vec<u64> = tail.find(delivery_key("again")).map(Position::get).collect();
    assert_eq!(found, far);
    tail.forget(position(65_537));
    let found: Vec<u64> = tail.find(delivery_key("again")).map(Position::get).collect();
    assert_eq!(found, far[4..]);
}

proptest! {
    #[test]
    fn a_tail_finds_what_a_plain_list_finds(
        ids in proptest::collection::vec(0..6_u8, 0..40),
        chunk_keys in 1..12_usize,
        forgotten in 0..45_u64,
    ) {
        let mut tail = Tail::with_chunks_of(chunk_keys);
        for (id, number) in ids.iter().zip(1..) {
            tail.add(position(number), &Keys::NONE.with_delivery(Some(&id.to_string())), None);
        }
        if let Some(upto) = Position::new(forgotten) {
            tail.forget(upto);
        }
        for id in 0..6_u8 {
            let rows = ids.iter().zip(1..).filter(|(of, number)| **of == id && *number > forgotten);
            let expected: Vec<_> = rows.map(|(_, number)| position(number)).collect();
            let found: Vec<_> = tail.find(delivery_key(&id.to_string())).collect();
            prop_assert_eq!(found, expected);
        }
        let n_left = ids.len().saturating_sub(forgotten as usize);
        prop_assert!((n_left..n_left + chunk_keys).contains(&tail.n_keys()));
    }
}

//! Keys sort as what they stand for, and read back as it.

use super::{OrderKey, producer_at, put_producer, put_time, split_session, time_at};
use crate::Dialect;
use crate::merge::Place;
use crate::order::Producer;

fn producers() -> Vec<Producer<'static>> {
    let names =
        [None, Some(""), Some("\0"), Some("\0a"), Some("a"), Some("a\0"), Some("ab"), Some("ä")];
    let name = |i: usize| names[i].map(Into::into);
    let mut producers = Vec::new();
    for dialect in [Dialect::Idle, Dialect::Needle] {
        for actor in 0..names.len() {
            for session in 0..names.len() {
                let (tenant, actor, session) = (name(session), name(actor), name(session));
                producers.push(Producer { dialect, tenant, actor, session });
            }
        }
    }
    producers
}

fn encoded(producer: &Producer<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_producer(&mut bytes, producer);
    bytes
}

#[test]
fn producers_sort_by_dialect_tenant_actor_and_session() {
    for a in &producers() {
        assert_eq!(producer_at(&encoded(a)), *a);
        for b in &producers() {
            assert_eq!(encoded(a).cmp(&encoded(b)), a.cmp(b), "{a:?} and {b:?}");
        }
    }
}

#[test]
fn the_session_is_what_two_producers_of_a_worker_differ_in() {
    let producer = |session: &'static str| {
        let (actor, session) = (Some("w\0".into()), Some(session.into()));
        encoded(&Producer { dialect: Dialect::Needle, tenant: None, actor, session })
    };
    let (one, two) = (producer("one"), producer("two"));
    assert_eq!(split_session(&one).0, split_session(&two).0);
    assert_ne!(split_session(&one).1, split_session(&two).1);
    assert_eq!(split_session(&one).1, b"\x01one\0\0");
}

#[test]
fn times_before_1970_come_first() {
    let times = [i64::MIN, -1, 0, 1, i64::MAX];
    let encoded: Vec<_> = times
        .iter()
        .map(|&time_ns| {
            let mut bytes = Vec::new();
            put_time(&mut bytes, time_ns);
            assert_eq!(time_at(&bytes, 0), time_ns);
            bytes
        })
        .collect();
    assert!(encoded.is_sorted());
}

#[test]
fn an_order_key_reads_back() {
    let producer = encoded(&producers()[9]);
    let place = Place { input: 3, line: 1 << 40 };
    let mut bytes = Vec::new();
    for number in [None, Some(0), Some(u64::MAX)] {
        OrderKey::write(&mut bytes, &producer, number, place);
        let key = OrderKey::read(&bytes);
        assert_eq!((key.producer, key.number, key.place), (&producer[..], number, place));
    }
}

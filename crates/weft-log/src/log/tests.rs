//! What a producer gets: every event once, in order, and an answer that says where.

mod spooled;

use std::io;
use std::path::Path;
use std::time::Duration;

use weft_event::event::Expect;
use weft_event::sample;

use super::{
    Answer, AppendError, Batch, BeginError, Condition, Durability, Hold, Indexing, Log, Options,
    Outcome, now_us, settle,
};
use crate::admit::{Admitted, Arrival, Gate, Strictness};
use crate::blobs::Which;
use crate::disk::RealDisk;
use crate::lock::Owner;
use crate::reader::{Reader, read_head};
use crate::recover::{self, Finding};
use crate::spool::SpoolError;
use crate::writer::Writer;
use crate::{Network, Position, Store, TopicKey};

const NEEDLE: &str = r#"{"schema_version":1,"timestamp":"2026-11-15T12:00:00.000Z","event_type":"bead.claimed","worker_id":"w","session_id":"s","sequence":7,"data":{"bead_id":"b"}}"#;
const DONE: &str = r#"{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[]}"#;

fn open(root: &Path, hold: Hold) -> Log {
    open_indexing(root, hold, Indexing::Meanwhile)
}

fn open_indexing(root: &Path, hold: Hold, indexing: Indexing) -> Log {
    let store = Store::make(root, Network::Refuse).unwrap();
    let owner = Owner { pid: std::process::id(), what: "test".to_owned() };
    let options = Options { owner, patience: Duration::from_secs(60), hold, indexing };
    Log::open(store, options, &mut |_| {}).unwrap()
}

fn admit(root: &Path, line: &str, delivery: Option<&str>) -> Admitted {
    let mut gate = Gate::new(&Store::at(root), Which::Largest, Strictness::Lenient);
    let (line, expect, via) = (line.as_bytes(), Expect::Any, "test");
    gate.admit_own(&Arrival { line, expect, via, delivery, topic: None }).unwrap()
}

fn batch(events: Vec<Admitted>) -> Batch {
    Batch { events, conditions: Vec::new(), durability: Durability::Synced }
}

fn positions(answer: &Answer) -> Vec<u64> {
    answer.outcomes.iter().map(|outcome| outcome.position().get()).collect()
}

fn lines(root: &Path) -> Vec<String> {
    let mut reader = Reader::open(RealDisk, root.to_owned(), Position::FIRST).unwrap();
    let mut lines = Vec::new();
    while let Some(batch) = reader.read().unwrap() {
        lines.extend(
            batch.records().map(|(record, _)| String::from_utf8(record.line.to_vec()).unwrap()),
        );
    }
    lines
}

#[test]
fn a_repeat_is_answered_with_the_first_in_the_group_later_and_after_a_restart() {
    for hold in [Hold::Briefly, Hold::Long] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let event = || admit(root, NEEDLE, None);
        let log = open(root, hold);
        let first = log.append(batch(vec![event(), event()])).unwrap();
        let stored = Outcome::Stored { position: Position::FIRST, conflict: None };
        let repeat = Outcome::Repeat { position: Position::FIRST };
        assert_eq!(first.outcomes, [stored, repeat]);
        assert_eq!(log.append(batch(vec![event()])).unwrap().outcomes, [repeat]);
        drop(log);
        let log = open(root, hold);
        assert_eq!(log.append(batch(vec![event()])).unwrap().outcomes, [repeat]);
        assert_eq!(lines(root), [NEEDLE]);
    }
}

#[test]
fn a_repeat_is_as_durable_as_it_is_asked_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let log = open(root, Hold::Briefly);
    let append = |durability| {
        let (events, conditions) = (vec![admit(root, NEEDLE, None)], Vec::new());
        let answer = log.append(Batch { events, conditions, durability }).unwrap();
        let durable = read_head(&RealDisk, root).unwrap().next.get() - 1;
        (answer.outcomes[0], answer.durability, durable)
    };
    let stored = Outcome::Stored { position: Position::FIRST, conflict: None };
    let repeat = Outcome::Repeat { position: Position::FIRST };
    assert_eq!(append(Durability::Written), (stored, Durability::Written, 0));
    assert_eq!(append(Durability::Written), (repeat, Durability::Written, 0));
    assert_eq!(append(Durability::Synced), (repeat, Durability::Synced, 1));
}

#[test]
fn a_clock_that_is_behind_is_told_and_time_does_not_go_back() {
    const HOUR_US: i64 = 3_600_000_000;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    assert_eq!(open(root, Hold::Briefly).take_findings(), []);
    let ahead_us = now_us() + HOUR_US;
    let (mut writer, _) = Writer::open(RealDisk, root.to_owned(), ahead_us).unwrap();
    writer.append(&[admit(root, NEEDLE, None).entry], ahead_us).unwrap();
    drop(writer);
    let log = open(root, Hold::Briefly);
    let findings = log.take_findings();
    let [Finding::ClockBehind { by_us }] = findings[..] else { panic!("{findings:?}") };
    assert!(HOUR_US / 2 < by_us && by_us <= HOUR_US, "{by_us}");
    log.append(batch(vec![admit(root, DONE, None)])).unwrap();
    assert_eq!(read_head(&RealDisk, root).unwrap().at_us, ahead_us);
}

#[test]
fn other_content_under_the_same_identity_is_kept_and_marked() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let log = open(root, Hold::Briefly);
    let other = NEEDLE.replace("\"b\"", "\"c\"");
    log.append(batch(vec![admit(root, NEEDLE, None)])).unwrap();
    let answer = log.append(batch(vec![admit(root, &other, None)])).unwrap();
    let second = Position::new(2).unwrap();
    let conflict = Outcome::Stored { position: second, conflict: Some(Position::FIRST) };
    assert_eq!(answer.outcomes, [conflict]);
    // The same conflicting event again is a repeat of itself.
    let answer = log.append(batch(vec![admit(root, &other, None)])).unwrap();
    assert_eq!(answer.outcomes, [Outcome::Repeat { position: second }]);
    assert_eq!(lines(root), [NEEDLE, &other]);
}

#[test]
fn events_without_identity_are_told_apart_by_their_delivery_alone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let log = open(root, Hold::Briefly);
    let append =
        |delivery| positions(&log.append(batch(vec![admit(root, DONE, delivery)])).unwrap());
    assert_eq!(append(None), [1]);
    assert_eq!(append(None), [2]);
    assert_eq!(append(Some("file:a@0")), [3]);
    assert_eq!(append(Some("file:a@0")), [3]);
    assert_eq!(append(Some("file:a@48")), [4]);
    log.close().unwrap();
    assert_eq!(append(Some("file:a@48")), [4]);
}

#[test]
fn an_id_of_a_client_is_for_one_event() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let log = open(root, Hold::Briefly);
    let append = |line: &str| {
        let event = admit(root, line, Some("id:019cd700-0000-7000-8000-000000000003"));
        log.append(batch(vec![event])).unwrap().outcomes[0]
    };
    let other = DONE.replace("COMPLETE", "MAX_ITERATIONS");
    let (first, second) = (Position::FIRST, Position::new(2).unwrap());
    assert_eq!(append(DONE), Outcome::Stored { position: first, conflict: None });
    assert_eq!(append(&other), Outcome::Stored { position: second, conflict: Some(first) });
    assert_eq!(append(DONE), Outcome::Repeat { position: first });
    assert_eq!(append(&other), Outcome::Repeat { position: second });
    // Where an event has an identity of its own, the id says nothing.
    let needle = Outcome::Stored { position: Position::new(3).unwrap(), conflict: None };
    assert_eq!(append(NEEDLE), needle);
    assert_eq!(lines(root), [DONE, &other, NEEDLE]);
}

#[test]
fn a_repeat_is_known_after_a_rule_was_made_for_its_secret() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let log = open(root, Hold::Briefly);
    let secret = NEEDLE.replace("\"b\"", "\"b acme_1234567890\"");
    let redacted = NEEDLE.replace("\"b\"", "\"b [redacted:acme]\"");
    let repeat = [Outcome::Repeat { position: Position::FIRST }];
    log.append(batch(vec![admit(root, &secret, Some("file:a@0"))])).unwrap();
    for delivery in [None, Some("file:a@0"), Some("file:b@0")] {
        let answer = log.append(batch(vec![admit(root, &redacted, delivery)])).unwrap();
        assert_eq!(answer.outcomes, repeat, "{delivery:?}");
    }
    let other = redacted.replace("[redacted:acme]", "[redacted:acme] c");
    let answer = log.append(batch(vec![admit(root, &other, None)])).unwrap();
    let conflict = Some(Position::FIRST);
    assert_eq!(
        answer.outcomes,
        [Outcome::Stored { position: Position::new(2).unwrap(), conflict }]
    );
}

#[test]
fn every_kind_of_event_comes_back_verbatim_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let log = open(root, Hold::Long);
    let events: Vec<String> = sample::events(7).take(3000).collect();
    let mut stored = Vec::new();
    for some in events.chunks(100) {
        let admitted = some.iter().map(|line| admit(root, line, None)).collect();
        let answer = log.append(batch(admitted)).unwrap();
        for (line, outcome) in some.iter().zip(answer.outcomes) {
            if matches!(outcome, Outcome::Stored { .. }) {
                stored.push(line.clone());
                assert_eq!(outcome.position().get(), stored.len() as u64);
            }
        }
    }
    drop(log);
    assert_eq!(lines(root), stored);
}

#[test]
fn what_a_commit_shows_is_what_a_reader_of_the_log_gets() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let log = open(root, Hold::Long);
    let events: Vec<String> = sample::events(7).take(9000).collect();
    let conflict = |line: &String| line.replace("\"b\"", "\"c\"");
    let lines = [NEEDLE.to_owned(), conflict(&NEEDLE.to_owned())].into_iter().chain(events);
    let admitted: Vec<Admitted> = lines.map(|line| admit(root, &line, None)).collect();
    let (some, rest) = admitted.split_at(50);
    let mut shown = Vec::new();
    // The second is cut into several groups, and the batches of the third have nothing new.
    for batches in
        [vec![batch(some.to_vec())], vec![batch(rest.to_vec())], vec![batch(some.to_vec())]]
    {
        let Some(written) = log.append_all(batches).written else { continue };
        assert_eq!(written.first().get(), shown.len() as u64 + 1);
        let mileage = written.mileage;
        shown.extend(written.into_records());
        assert_eq!(mileage.next.get(), shown.len() as u64 + 1);
        let mut rest = Reader::resume(RealDisk, root.to_owned(), mileage).unwrap().unwrap();
        assert!(rest.read().unwrap().is_none(), "a reader goes on behind it");
    }
    let mut reader = Reader::open(RealDisk, root.to_owned(), Position::FIRST).unwrap();
    let mut shown = shown.into_iter();
    while let Some(batch) = reader.read().unwrap() {
        for (record, _) in batch.records() {
            assert_eq!(shown.next(), Some((record.meta, record.line.to_vec().into())));
        }
    }
    assert_eq!(shown.next(), None);
}

#[test]
fn what_is_only_written_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let log = open(root, Hold::Long);
    let written = Batch { durability: Durability::Written, ..batch(vec![admit(root, DONE, None)]) };
    assert_eq!(log.append_all(vec![written]).written, None);
    let shown = log.append_all(vec![batch(vec![admit(root, DONE, None)])]).written.unwrap();
    assert_eq!(
        shown.first().get(),
        2,
        "the first is durable now, and a reader finds it in the log"
    );
}

#[test]
fn many_producers_at_once_each_get_their_own_positions() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let log = open(root, Hold::Long);
    let mut all: Vec<u64> = std::thread::scope(|scope| {
        let producers: Vec<_> = (0..16)
            .map(|worker| {
                let log = log.clone();
                scope.spawn(move || {
                    let append = |sequence: u64| {
                        let line = NEEDLE.replace("\"w\"", &format!("\"w{worker}\""));
                        let line = line.replace(":7,", &format!(":{sequence},"));
                        positions(&log.append(batch(vec![admit(root, &line, None)])).unwrap())[0]
                    };
                    (0..50).map(append).collect::<Vec<_>>()
                })
            })
            .collect();
        producers.into_iter().flat_map(|producer| producer.join().unwrap()).collect()
    });
    all.sort_unstable();
    assert_eq!(all, (1..=800).collect::<Vec<_>>());
    drop(log);
    assert_eq!(lines(root).len(), 800);
}

#[test]
fn a_condition_that_does_not_hold_refuses_the_batch() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let topic = TopicKey { topic: "lease".to_owned(), key: Some("file".to_owned()) };
    let event = |n: u64| {
        let mut event = admit(root, &NEEDLE.replace(":7,", &format!(":{n},")), None);
        event.entry.mark.topic = Some(topic.clone());
        event
    };
    let expect = |last: Option<u64>, n| Batch {
        conditions: vec![Condition { topic: topic.clone(), last: last.and_then(Position::new) }],
        ..batch(vec![event(n)])
    };
    let log = open(root, Hold::Briefly);
    assert_eq!(positions(&log.append(expect(None, 1)).unwrap()), [1]);
    assert_eq!(positions(&log.append(expect(Some(1), 2)).unwrap()), [2]);
    let refused = log.append(expect(Some(1), 3)).unwrap_err();
    assert!(
        matches!(refused, AppendError::Condition { actual: Some(actual), .. } if actual.get() == 2)
    );
    assert_eq!(log.latest(&topic).unwrap().map(Position::get), Some(2));
    drop(log);
    assert_eq!(open(root, Hold::Briefly).latest(&topic).unwrap().map(Position::get), Some(2));
}

#[test]
fn what_is_left_for_others_to_index_counts_all_the_same_and_stays_little() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let topic = TopicKey { topic: "lease".to_owned(), key: Some("file".to_owned()) };
    let event = |n: u64| admit(root, &NEEDLE.replace(":7,", &format!(":{n},")), None);
    let append = |batch: Batch| {
        let log = open_indexing(root, Hold::Briefly, Indexing::Later);
        let appended = log.append(batch);
        log.close().unwrap();
        appended
    };
    let indexed = || {
        let index = crate::index::Reader::open(&Store::at(root).index()).unwrap();
        index.watermark(crate::index::Follower::Core).unwrap().position
    };
    let (mut last, mut marks) = (None, std::collections::BTreeSet::new());
    for n in 1..=200 {
        let mut new = event(n);
        new.entry.mark.topic = Some(topic.clone());
        let condition = Condition { topic: topic.clone(), last };
        let stored = append(Batch { conditions: vec![condition.clone()], ..batch(vec![new]) });
        assert_eq!(positions(&stored.unwrap()), [n]);
        last = Position::new(n);
        let refused = append(Batch { conditions: vec![condition], ..batch(vec![event(n + 1)]) });
        assert!(
            matches!(refused, Err(AppendError::Condition { actual, .. }) if actual == last),
            "{refused:?}"
        );
        let earlier = [1, n / 2, n].map(|n| n.max(1));
        let again = append(batch(earlier.map(event).to_vec())).unwrap();
        let repeats = earlier.map(|n| Outcome::Repeat { position: Position::new(n).unwrap() });
        assert_eq!(again.outcomes, repeats);
        assert!(n - indexed() <= 64, "{n} records, {} indexed", indexed());
        marks.insert(indexed());
    }
    // The first few find no index to go on from.
    assert!(marks.len() <= 6, "it is indexed rarely: {marks:?}");
    let other = NEEDLE.replace(":7,", ":200,").replace("\"b\"", "\"c\"");
    let conflict = append(batch(vec![admit(root, &other, None)])).unwrap();
    let (position, conflict_with) = (Position::new(201).unwrap(), Position::new(200));
    assert_eq!(conflict.outcomes, [Outcome::Stored { position, conflict: conflict_with }]);
    assert_eq!(open(root, Hold::Briefly).latest(&topic).unwrap(), Position::new(200));
    assert_eq!(indexed(), 201);
}

#[test]
fn repeats_within_a_batch_of_several_groups_are_recognised() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let log = open(root, Hold::Long);
    let event = |n: u64| admit(root, &NEEDLE.replace(":7,", &format!(":{n},")), None);
    let n = 2 * crate::writer::GROUP_RECORDS_MAX as u64;
    let events = (0..n).chain(0..n).map(event).collect();
    let positions = positions(&log.append(batch(events)).unwrap());
    assert_eq!(positions, (1..=n).chain(1..=n).collect::<Vec<_>>());
}

#[test]
fn a_disk_is_told_to_be_full_through_every_layer() {
    let recover = |kind: io::ErrorKind| {
        BeginError::Recover(recover::Error::Io { path: "aside".into(), source: kind.into() })
    };
    let spool = |kind: io::ErrorKind| {
        BeginError::Spool(SpoolError::Write { path: "spool".into(), source: kind.into() })
    };
    assert!(settle::is_disk_full(&recover(io::ErrorKind::StorageFull)));
    assert!(settle::is_disk_full(&spool(io::ErrorKind::QuotaExceeded)));
    assert!(!settle::is_disk_full(&recover(io::ErrorKind::NotFound)));
}

#[test]
fn what_is_new_among_repeats_keeps_no_memory_of_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let log = open(root, Hold::Long);
    let mut gate = Gate::new(&Store::at(root), Which::Largest, Strictness::Lenient);
    gate.expect_together(1 << 20);
    let mut some = |sequences: std::ops::RangeInclusive<u64>| {
        let mut admit = |sequence| {
            let line = NEEDLE.replace("\"sequence\":7", &format!("\"sequence\":{sequence}"));
            let (line, expect, via) = (line.as_bytes(), Expect::Any, "test");
            gate.admit(&Arrival { line, expect, via, delivery: None, topic: None }).unwrap()
        };
        sequences.map(&mut admit).collect::<Vec<_>>()
    };
    let ends = |events: &[Admitted]| {
        events.iter().map(|event| event.entry.line.as_ptr_range().end).collect::<Vec<_>>()
    };
    let append = |events: Vec<Admitted>| {
        let written = log.append_all(vec![batch(events)]).written.unwrap();
        written.into_records().map(|(_, line)| line).collect::<Vec<_>>()
    };
    let all_new = some(1..=9);
    let before = ends(&all_new);
    let after: Vec<_> = append(all_new).iter().map(|line| line.as_ptr_range().end).collect();
    assert_eq!(after, before, "where all are new nothing is copied");
    let one_new = some(1..=10);
    let before = ends(&one_new);
    let [line] = &append(one_new)[..] else { panic!("one is new") };
    assert!(!before.contains(&line.as_ptr_range().end));
    assert!(line.ends_with(b"\"sequence\":10,\"data\":{\"bead_id\":\"b\"}}"));
}

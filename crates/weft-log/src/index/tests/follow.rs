//! What is in the index after records went in: the facts of each, once, and a watermark that fits.

use rusqlite::Connection;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;

use super::{Records, STORE, add, dump, folder, position, show, upto};
use crate::Hash;
use crate::index::keys::{Bucket, LEVEL_BITS};
use crate::index::{
    Entry, Follower, Gap, Index, IndexError, Keys, Place, Reader, Rebuild, Segment, Watermark,
    compare, schema,
};

/// Returns what the view should say of a record, straight from the event.
fn expected(entry: &Entry<'_>) -> Vec<(&'static str, String)> {
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    let event = event::read(&mut tape, entry.line, Expect::Any, &mut problems).unwrap();
    let facts = event.facts();
    let mark = entry.meta.mark.as_ref();
    let posted = mark.and_then(|mark| mark.topic.as_ref());
    let usage = facts.usage.as_deref();
    let text = |text: Option<&str>| text.unwrap_or("-").to_owned();
    let number = |number: Option<i64>| number.map_or("-".to_owned(), |number| number.to_string());
    let count = |count: Option<u64>| number(count.map(|count| count as i64));
    let flag = |flag: bool| i64::from(flag).to_string();
    let carried = mark.and_then(|mark| mark.carried);
    let received = carried.map(|carried| carried.at_us).or(entry.meta.at_us);
    vec![
        ("position", entry.meta.position.to_string()),
        ("dialect", facts.dialect.as_str().to_owned()),
        ("type", facts.event_type.to_string()),
        ("time_ns", number(facts.time_ns)),
        ("at_us", number(received)),
        ("actor", text(facts.actor.as_deref())),
        ("session", text(facts.session.as_deref())),
        ("parent", text(facts.parent.as_deref())),
        ("subject", text(facts.subject.as_deref())),
        ("tenant", text(facts.tenant.as_deref())),
        ("status", text(facts.status.map(|status| status.as_str()))),
        ("ended", flag(facts.ended)),
        ("level", facts.level.as_str().to_owned()),
        ("ordinal", count(facts.order)),
        ("task", text(facts.task.as_deref())),
        ("tool", text(facts.tool.as_deref())),
        ("path", text(facts.path.as_deref())),
        ("trace", text(facts.trace.as_deref())),
        ("topic", text(posted.map(|posted| &*posted.topic).or(facts.topic.as_deref()))),
        ("topic_key", text(posted.and_then(|posted| posted.key.as_deref()))),
        ("duration_ms", count(facts.duration_ms)),
        ("input_tokens", count(usage.and_then(|usage| usage.input_tokens))),
        ("output_tokens", count(usage.and_then(|usage| usage.output_tokens))),
        (
            "cost_usd",
            usage.and_then(|usage| usage.cost_usd).map_or("-".to_owned(), |usd| usd.to_string()),
        ),
        ("model", text(usage.and_then(|usage| usage.model.as_deref()))),
        ("via", text(mark.map(|mark| &*mark.via))),
        ("segment", entry.place.segment.to_string()),
        ("offset", entry.place.offset.to_string()),
        ("bytes", entry.place.bytes.to_string()),
        ("crc", number(mark.map(|mark| i64::from(mark.crc)))),
        ("carried", flag(carried.is_some())),
        ("conflict", flag(mark.is_some_and(|mark| mark.conflict.is_some()))),
        ("unverified", flag(mark.is_none())),
        ("bookkeeping", flag(facts.dialect == weft_event::Dialect::Weft)),
    ]
}

#[test]
fn every_fact_of_every_event_is_in_its_row() {
    let (_folder, path) = folder();
    let records = Records::made_up(600);
    let entries = records.entries();
    add(&mut Index::open(&path, STORE).unwrap(), &entries, 100);

    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(&schema::view()).unwrap();
    let mut statement = connection.prepare("SELECT * FROM events WHERE position = ?1").unwrap();
    for entry in &entries {
        let mut rows = statement.query([entry.meta.position.get() as i64]).unwrap();
        let row = rows.next().unwrap().unwrap();
        for (column, value) in expected(entry) {
            let found = row.get(column).unwrap();
            assert_eq!(show(&found), value, "{column} of {}", entry.meta.position);
        }
    }
}

#[test]
fn every_key_of_every_event_leads_to_it() {
    let (_folder, path) = folder();
    let records = Records::made_up(300);
    let entries = records.entries();
    add(&mut Index::open(&path, STORE).unwrap(), &entries, 50);

    let reader = Reader::open(&path).unwrap();
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    let mut n_keys = 0;
    for entry in &entries {
        let event = event::read(&mut tape, entry.line, Expect::Any, &mut problems).unwrap();
        let delivery = entry.meta.mark.as_ref().and_then(|mark| mark.delivery.as_deref());
        let keys = Keys::of(&event.facts()).with_delivery(delivery);
        let found = reader.candidates(keys.as_slice()).unwrap();
        let found: Vec<_> = found.iter().map(|(key, found)| (*key, found.position)).collect();
        let mut expected: Vec<_> =
            keys.as_slice().iter().map(|key| (*key, entry.meta.position)).collect();
        expected.sort_unstable();
        assert_eq!(found, expected);
        n_keys += expected.len();
    }
    assert!(n_keys > entries.len(), "some events have several keys");
}

/// Records on both sides of the places where keys are settled, behind the last of them in buckets of every level.
fn around_buckets() -> Records {
    let sum = |end: &mut u64, bits: &u32| {
        *end += 1 << bits;
        Some(*end)
    };
    let sums = LEVEL_BITS.iter().rev().scan(0, sum);
    let ends = LEVEL_BITS.iter().map(|bits| 1 << bits).chain(sums);
    let mut numbers: Vec<u64> = (1..=40).chain(ends.flat_map(|end| end - 9..=end + 10)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    Records::at(numbers.into_iter())
}

/// Returns the levels of the buckets that an index has.
fn levels(path: &std::path::Path) -> Vec<usize> {
    let connection = Connection::open(path).unwrap();
    let mut ids = connection.prepare("SELECT id FROM keys ORDER BY id").unwrap();
    let ids = ids.query_map([], |row| row.get(0)).unwrap();
    let mut levels: Vec<usize> = ids.map(|id| Bucket::of_run(id.unwrap()).level).collect();
    levels.dedup();
    levels
}

#[test]
fn a_rebuilt_index_equals_one_that_followed() {
    let records = around_buckets();
    let entries = records.entries();
    let gap = Gap { first: position(41), last: position(1 << 19), reason: "gone".to_owned() };
    let segment = Segment { number: 1, name: "events".to_owned(), first: position(1) };

    let mut dumps = Vec::new();
    for together in [1, 7, 50, 1000] {
        let (_folder, path) = folder();
        let mut index = Index::open(&path, STORE).unwrap();
        add(&mut index, &entries, together);
        index.add(&[], std::slice::from_ref(&gap), upto(&entries)).unwrap();
        index.add_segment(segment.clone()).unwrap();
        drop(index);
        dumps.push(dump(&path));
    }
    let (_folder, path) = folder();
    let mut rebuild = Rebuild::begin(&path, STORE).unwrap();
    rebuild.add_segment(segment).unwrap();
    for some in entries.chunks(60) {
        rebuild.add(some, std::slice::from_ref(&gap), upto(some)).unwrap();
    }
    rebuild.finish().unwrap();
    dumps.push(dump(&path));

    assert!(dumps[0].contains("\nrecent_keys: 0 ") && dumps[0].contains("\nrecent_keys: 1 "));
    assert_eq!(levels(&path), [0, 1, 2, 3]);
    for other in &dumps[1..] {
        assert_eq!(*other, dumps[0]);
    }
}

#[test]
fn a_rebuilt_index_is_followed_like_any_other() {
    let (records, together) = (around_buckets(), 20);
    let entries = records.entries();
    let (_folder, followed) = folder();
    add(&mut Index::open(&followed, STORE).unwrap(), &entries, together);

    let (_folder, path) = folder();
    let mut rebuild = Rebuild::begin(&path, STORE).unwrap();
    rebuild.add(&entries[..50], &[], upto(&entries[..50])).unwrap();
    rebuild.finish().unwrap();
    let mut index = Index::open(&path, STORE).unwrap();
    assert_eq!(index.watermark(Follower::Core), upto(&entries[..50]));
    add(&mut index, &entries[50..], together);
    drop(index);
    assert_eq!(dump(&path), dump(&followed));
}

#[test]
fn adding_records_again_changes_nothing() {
    let (_folder, path) = folder();
    let records = around_buckets();
    let entries = records.entries();
    let mut index = Index::open(&path, STORE).unwrap();
    add(&mut index, &entries, 30);
    let before = dump(&path);
    index.add(&entries[10..60], &[], upto(&entries)).unwrap();
    index.add(&entries, &[], upto(&entries)).unwrap();
    assert_eq!(dump(&path), before);
}

#[test]
fn a_record_that_is_added_in_another_place_is_found_there() {
    let (_folder, path) = folder();
    let records = Records::made_up(20);
    let mut entries = records.entries();
    let mut index = Index::open(&path, STORE).unwrap();
    add(&mut index, &entries, 10);
    let moved = Place { segment: 2, offset: 5, bytes: entries[19].place.bytes };
    entries[19].place = moved;
    index.add(&entries[19..], &[], upto(&entries)).unwrap();
    let reader = Reader::open(&path).unwrap();
    assert_eq!(reader.place(position(20)).unwrap().unwrap().place, moved);
    assert_eq!(reader.stats().unwrap().n_records, 20);
}

#[test]
fn a_record_that_takes_the_place_of_another_leaves_nothing_of_it() {
    let (_folder, path) = folder();
    let mut records = around_buckets();
    let mut index = Index::open(&path, STORE).unwrap();
    add(&mut index, &records.entries(), 30);
    records.lines.rotate_right(70);
    for (line, meta) in records.lines.iter().zip(&mut records.metas) {
        *meta = super::meta(line, meta.position.get());
    }
    let entries = records.entries();
    for some in entries.chunks(50).rev() {
        index.add(some, &[], upto(&entries)).unwrap();
    }
    drop(index);
    let (_folder, fresh) = folder();
    add(&mut Index::open(&fresh, STORE).unwrap(), &entries, 1000);
    assert_eq!(compare(&path, &fresh).unwrap(), []);
}

#[test]
fn a_record_that_turns_up_after_all_fills_its_gap() {
    let (_folder, path) = folder();
    let records = Records::made_up(10);
    let entries = records.entries();
    let gap = Gap { first: position(5), last: position(6), reason: "damaged".to_owned() };
    let mut index = Index::open(&path, STORE).unwrap();
    let others: Vec<Entry<'_>> = [&entries[..4], &entries[6..]].concat();
    index.add(&others, std::slice::from_ref(&gap), upto(&entries)).unwrap();
    assert_eq!(Reader::open(&path).unwrap().gaps().unwrap(), [gap]);
    index.add(&entries[4..6], &[], upto(&entries)).unwrap();
    assert_eq!(Reader::open(&path).unwrap().gaps().unwrap(), []);
    assert_eq!(Reader::open(&path).unwrap().stats().unwrap().n_records, 10);
}

#[test]
fn a_transaction_that_breaks_off_leaves_rows_and_watermark_in_step() {
    let (_folder, path) = folder();
    let records = Records::made_up(40);
    let entries = records.entries();
    let mut index = Index::open(&path, STORE).unwrap();
    add(&mut index, &entries[..20], 10);
    let before = dump(&path);
    index.begin_and_break_off(&entries[20..]);
    drop(index);
    assert_eq!(dump(&path), before);

    let mut index = Index::open(&path, STORE).unwrap();
    assert_eq!(index.watermark(Follower::Core), upto(&entries[..20]));
    add(&mut index, &entries[20..], 10);
    drop(index);
    let (_folder, whole) = folder();
    add(&mut Index::open(&whole, STORE).unwrap(), &entries, 10);
    assert_eq!(dump(&path), dump(&whole));
}

#[test]
fn a_transaction_that_fails_is_taken_back_and_can_be_tried_again() {
    let (_folder, path) = folder();
    let records = Records::made_up(40);
    let entries = records.entries();
    let mut index = Index::open(&path, STORE).unwrap();
    add(&mut index, &entries[..20], 10);
    let before = dump(&path);
    let doubled = [&entries[20..], &entries[20..]].concat();
    let failed = index.add(&doubled, &[], upto(&entries)).unwrap_err();
    assert!(matches!(failed, IndexError::Sqlite { .. }), "{failed:?}");
    assert_eq!(dump(&path), before);
    assert_eq!(index.watermark(Follower::Core), upto(&entries[..20]));
    index.add(&entries[20..], &[], upto(&entries)).unwrap();
    drop(index);
    let (_folder, whole) = folder();
    add(&mut Index::open(&whole, STORE).unwrap(), &entries, 20);
    assert_eq!(dump(&path), dump(&whole));
}

#[test]
fn pruned_positions_are_gone_from_every_table() {
    let (_folder, path) = folder();
    let records = around_buckets();
    let entries = records.entries();
    let mut index = Index::open(&path, STORE).unwrap();
    add(&mut index, &entries, 30);
    index.add_text(&entries, upto(&entries)).unwrap();
    let last = entries[entries.len() - 41].meta.position;
    index.prune(position(1), last).unwrap();
    drop(index);

    let (_folder, kept) = folder();
    add(&mut Index::open(&kept, STORE).unwrap(), &entries[entries.len() - 40..], 40);
    let without_names = |path| {
        let reader = Reader::open(path).unwrap();
        let mut text = String::new();
        for sql in [
            "SELECT * FROM events",
            "SELECT t.text, k.text, position FROM latest JOIN names t ON t.id = topic JOIN names k ON k.id = key ORDER BY 1, 2",
            "SELECT d.text, t.text, n FROM counts JOIN names d ON d.id = dialect JOIN names t ON t.id = type ORDER BY 1, 2",
        ] {
            let show_row = |_: &[String], row: &[_]| {
                text.extend(row.iter().map(|value| show(value) + " "));
                text.push('\n');
                std::ops::ControlFlow::Continue(())
            };
            reader.sql(sql, show_row).unwrap();
        }
        text
    };
    assert_eq!(without_names(&path), without_names(&kept));
    assert_eq!(compare(&path, &kept).unwrap(), []);
    let reader = Reader::open(&path).unwrap();
    let mut keys = Vec::new();
    reader.each_key(|key| keys.push(key)).unwrap();
    assert!(reader.candidates(&keys).unwrap().iter().all(|(_, found)| found.position > last));
    assert_eq!(levels(&path), [0, 1]);
    let count = |path, table: &str| -> i64 {
        let connection = Connection::open(path).unwrap();
        connection
            .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))
            .unwrap()
    };
    assert_eq!(count(&path, "blocks"), count(&kept, "blocks"));
    let connection = Connection::open(&path).unwrap();
    let n: i64 = connection.query_row("SELECT count(*) FROM text", [], |row| row.get(0)).unwrap();
    assert_eq!(n, 40);
}

#[test]
fn a_line_that_cannot_be_read_keeps_its_place() {
    let (_folder, path) = folder();
    let mut records = Records::made_up(3);
    records.lines[1] = "{\"torn".to_owned();
    let entries = records.entries();
    let mut index = Index::open(&path, STORE).unwrap();
    index.add(&entries, &[], upto(&entries)).unwrap();
    index.add_text(&entries, upto(&entries)).unwrap();
    let found = Reader::open(&path).unwrap().place(position(2)).unwrap().unwrap();
    assert_eq!(found.place, entries[1].place);
}

#[test]
fn names_that_are_remembered_have_a_limit() {
    let mut names = crate::index::names::Names::default();
    let limit = crate::index::names::REMEMBERED_MAX;
    let mut resets = 0;
    for n in 0..limit * 3 {
        names.token(&n.to_string());
        if n % 100 == 0 {
            resets += usize::from(names.take_news().reset);
            assert!(names.len() <= limit + 100);
        }
    }
    assert_eq!(resets, 2);
}

#[test]
fn a_mark_with_nothing_behind_it_is_kept_too() {
    let (_folder, path) = folder();
    let mark = Watermark { position: 0, segment: 3, offset: 99, hash: Hash::of(b"a seal") };
    Index::open(&path, STORE).unwrap().add(&[], &[], mark).unwrap();
    assert_eq!(Index::open(&path, STORE).unwrap().watermark(Follower::Core), mark);
    assert_eq!(Reader::open(&path).unwrap().watermark(Follower::Text).unwrap(), Watermark::NONE);
}

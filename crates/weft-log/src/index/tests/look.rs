//! What readers find.

use std::ops::ControlFlow;

use insta::assert_snapshot;

use super::{Records, STORE, add, folder, position, show, upto};
use crate::TopicKey;
use crate::index::delivery_key;
use crate::index::read::LATEST_BY_PREFIX;
use crate::index::{Index, IndexError, Order, Reader, Segment, Select, SqlError, SqlValue};
use crate::known::{Known, Seen};

/// Returns the answer to a query, one row a line.
fn ask(reader: &Reader, query: &str) -> Result<String, SqlError> {
    let mut text = String::new();
    reader.sql(query, |_, row| {
        text.push_str(&row.iter().map(show).collect::<Vec<_>>().join(" "));
        text.push('\n');
        ControlFlow::Continue(())
    })?;
    Ok(text)
}

#[test]
fn records_are_paged_by_position_from_both_ends() {
    let (_folder, path) = folder();
    let records = Records::made_up(200);
    add(&mut Index::open(&path, STORE).unwrap(), &records.entries(), 50);
    let reader = Reader::open(&path).unwrap();
    let params = [SqlValue::Text("needle".to_owned())];
    let condition = "dialect = (SELECT id FROM names WHERE text = ?1)";
    let select = |range| Select { condition, params: &params, range };
    let numbers = |select: &Select<'_>, order, limit| -> Vec<u64> {
        let found = reader.positions(select, order, limit).unwrap();
        found.iter().map(|found| found.position.get()).collect()
    };
    let all = select(position(1)..=position(200));
    let ascending = numbers(&all, Order::Ascending, 1000);
    assert_eq!(reader.count(&all).unwrap(), ascending.len() as u64);
    assert!(ascending.len() > 20 && ascending.is_sorted());
    let mut descending = numbers(&all, Order::Descending, 1000);
    descending.reverse();
    assert_eq!(descending, ascending);
    assert_eq!(numbers(&all, Order::Descending, 3)[0], ascending[ascending.len() - 1]);
    let middle = select(position(ascending[3])..=position(ascending[6]));
    assert_eq!(numbers(&middle, Order::Ascending, 1000), ascending[3..=6]);
    let wrong = Select { condition: "no_such_column = 1", params: &[], range: all.range };
    assert!(matches!(reader.count(&wrong), Err(IndexError::Sqlite { .. })));
}

#[test]
fn the_newest_value_of_a_key_is_known_and_falls_back_when_it_goes() {
    let (_folder, path) = folder();
    let records = Records::made_up(100);
    let mut index = Index::open(&path, STORE).unwrap();
    add(&mut index, &records.entries(), 7);
    let reader = Reader::open(&path).unwrap();
    let number = |key| reader.latest("a topic", key).unwrap().map(|position| position.get());
    assert_eq!((number("key 0"), number("key 2"), number("key 1")), (Some(96), Some(90), None));
    let range = position(91)..=position(100);
    assert_eq!(reader.latest_within(&range).unwrap(), [position(96)]);
    index.prune(position(91), position(100)).unwrap();
    assert_eq!((number("key 0"), number("key 2")), (Some(84), Some(90)));
}

#[test]
fn the_newest_values_of_topics_are_listed_by_how_their_names_begin() {
    let (_folder, path) = folder();
    let mut records = Records::made_up(100);
    let names = ["issue:b", "issue:a", "issues", "issue", "issue:a", "other:a", "issue:é"];
    for (topic, meta) in names.into_iter().zip(&mut records.metas) {
        let key = Some("snapshot".to_owned());
        meta.mark.as_mut().unwrap().topic = Some(TopicKey { topic: topic.to_owned(), key });
    }
    add(&mut Index::open(&path, STORE).unwrap(), &records.entries(), 7);
    let reader = Reader::open(&path).unwrap();
    let found = |prefix, key| -> Vec<(String, u64)> {
        let found = reader.latest_by_prefix(prefix, key).unwrap();
        found.into_iter().map(|(topic, position)| (topic, position.get())).collect()
    };
    let expected = [("issue:a", 5), ("issue:b", 1), ("issue:é", 7)];
    assert_eq!(found("issue:", "snapshot"), expected.map(|(name, n)| (name.to_owned(), n)));
    assert_eq!(found("a t", "key 0"), [("a topic".to_owned(), 96)]);
    assert!(found("issue:", "other").is_empty() && found("nothing", "snapshot").is_empty());
    let plan = LATEST_BY_PREFIX.replace("?1", "'a'").replace("?2", "'b'").replace("?3", "'c'");
    let plan = ask(&reader, &format!("EXPLAIN QUERY PLAN {plan}")).unwrap();
    assert!(!plan.contains("SCAN"), "{plan}");
}

#[test]
fn the_newest_of_a_topic_are_those_that_a_look_at_every_record_finds() {
    let (_folder, path) = folder();
    let records = Records::made_up(200);
    add(&mut Index::open(&path, STORE).unwrap(), &records.entries(), 50);
    let reader = Reader::open(&path).unwrap();
    assert!(reader.topics().unwrap().contains(&"a topic".to_owned()));
    let posted = |key: Option<Option<&str>>, range: &std::ops::RangeInclusive<_>, limit| {
        let mark = |meta: &crate::Meta| meta.mark.clone().and_then(|mark| mark.topic);
        let is_meant = |topic: &crate::TopicKey| {
            topic.topic == "a topic" && key.is_none_or(|key| topic.key.as_deref() == key)
        };
        let metas = records.metas.iter().rev().filter(|meta| range.contains(&meta.position));
        let found = metas.filter(|meta| mark(meta).is_some_and(|topic| is_meant(&topic)));
        found.map(|meta| meta.position).take(limit).collect::<Vec<_>>()
    };
    let ranges = [position(1)..=position(200), position(30)..=position(120)];
    for (range, limit) in ranges.iter().flat_map(|range| [1, 7, 500].map(|n| (range, n))) {
        let newest = reader.newest_of("a topic", range, limit).unwrap();
        assert_eq!(newest, posted(None, range, limit));
        for key in [None, Some("key 0"), Some("key 1"), Some("nothing")] {
            let newest = reader.newest_of_key("a topic", key, range, limit).unwrap();
            assert_eq!(newest, posted(Some(key), range, limit), "{key:?}");
        }
    }
    let latest = reader.latest_of("a topic").unwrap();
    assert!(latest.is_sorted_by(|(_, a), (_, b)| a > b));
    for (key, newest) in &latest {
        assert_eq!(reader.latest("a topic", key).unwrap(), Some(*newest));
    }
    assert_eq!(reader.latest_of("no topic").unwrap(), []);
}

#[test]
fn a_filter_filled_from_the_index_rules_out_what_is_new() {
    let (_folder, path) = folder();
    let records = Records::made_up(300);
    let entries = records.entries();
    add(&mut Index::open(&path, STORE).unwrap(), &entries, 100);
    let reader = Reader::open(&path).unwrap();
    let known = Known::with_room_for(reader.n_records().unwrap());
    assert_eq!(reader.each_key(|key| known.add(key)).unwrap(), upto(&entries));
    known.set_ready();
    let delivery = |number: u64| known.has(delivery_key(&format!("delivery {number}")));
    assert!((1..=300).filter(|n| n % 5 == 0 && n % 17 != 0).all(|n| delivery(n) == Seen::Maybe));
    assert!((1..=300).filter(|n| n % 5 != 0).all(|n| delivery(n) == Seen::No));
}

#[test]
fn segments_and_their_new_names_are_listed() {
    let (_folder, path) = folder();
    let mut index = Index::open(&path, STORE).unwrap();
    let segment = |number, name: &str, first| Segment {
        number,
        name: name.to_owned(),
        first: position(first),
    };
    index.add_segment(segment(2, "b.jsonl", 40)).unwrap();
    index.add_segment(segment(1, "a.jsonl", 1)).unwrap();
    index.add_segment(segment(1, "a.jsonl.zst", 1)).unwrap();
    index.add_segment(segment(3, "c.jsonl", 90)).unwrap();
    index.drop_segment(3).unwrap();
    let found = Reader::open(&path).unwrap().segments().unwrap();
    assert_eq!(found, [segment(1, "a.jsonl.zst", 1), segment(2, "b.jsonl", 40)]);
}

#[test]
fn statistics_count_each_type() {
    let (_folder, path) = folder();
    let records = Records::made_up(500);
    add(&mut Index::open(&path, STORE).unwrap(), &records.entries(), 100);
    let reader = Reader::open(&path).unwrap();
    let stats = reader.stats().unwrap();
    assert_eq!((stats.n_records, stats.range), (500, Some((position(1), position(500)))));
    let sql = "SELECT dialect, type, count(*) FROM events GROUP BY 1, 2 ORDER BY 1, 2";
    let counted: String = stats
        .types
        .iter()
        .map(|row| format!("{} {} {}\n", row.dialect, row.event_type, row.n))
        .collect();
    assert_eq!(counted, ask(&reader, sql).unwrap());
}

#[test]
fn times_are_readable_in_the_view() {
    let (_folder, path) = folder();
    let records = Records::made_up(2);
    add(&mut Index::open(&path, STORE).unwrap(), &records.entries(), 2);
    let reader = Reader::open(&path).unwrap();
    let times = ask(&reader, "SELECT time, time_ns, received, at_us FROM events").unwrap();
    assert_snapshot!(times, @"
    2026-03-02T08:00:00.202Z 1772438400202000000 2026-11-06T21:20:00.000Z 1794000000000001
    2026-03-02T08:00:00.335Z 1772438400335000000 2026-11-06T21:20:00.000Z 1794000000000002
    ");
}

#[test]
fn a_view_of_names_is_searched_through_indexes() {
    let (_folder, path) = folder();
    drop(Index::open(&path, STORE).unwrap());
    let reader = Reader::open(&path).unwrap();
    let plan = |query: &str| ask(&reader, &format!("EXPLAIN QUERY PLAN {query}")).unwrap();
    assert_snapshot!(plan("SELECT position FROM events WHERE session = 'a' AND type = 'b'"), @"
    6 0 45 SEARCH ty USING COVERING INDEX sqlite_autoindex_names_1 (text=?)
    10 0 45 SEARCH se USING COVERING INDEX sqlite_autoindex_names_1 (text=?)
    14 0 131 SEARCH r USING INDEX records_session (session=?)
    ");
    assert_snapshot!(plan("SELECT type FROM events WHERE position IN (SELECT value FROM json_each(positions('trace', 'a')))"), @"
    3 0 93 SEARCH r USING INTEGER PRIMARY KEY (rowid=?)
    7 0 0 LIST SUBQUERY 1
    9 7 0 SCAN json_each VIRTUAL TABLE INDEX 1:
    24 0 45 SEARCH ty USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN
    ");
    assert_snapshot!(plan("SELECT position FROM records WHERE session = 1 AND type = 2 AND position > 5 ORDER BY position DESC LIMIT 9"), @"5 0 111 SEARCH records USING INDEX records_session (session=? AND rowid>?)");
    assert_snapshot!(plan("SELECT position FROM records WHERE topic = 1 ORDER BY position"), @"
    3 0 107 SEARCH records USING COVERING INDEX records_topic (topic=?)
    11 0 0 USE TEMP B-TREE FOR ORDER BY
    ");
}

/// Returns each query with its answer, or why it got none.
fn ask_all(reader: &Reader, queries: &[&str]) -> String {
    let mut answers = String::new();
    for query in queries {
        let answer = match ask(reader, query) {
            Ok(rows) => rows.trim_end().to_owned(),
            Err(SqlError::Sqlite(error)) => format!("failed: {error}"),
            Err(error) => format!("refused: {error}"),
        };
        answers.push_str(&format!("{query:?}\n    {answer}\n"));
    }
    answers
}

#[test]
fn sql_of_people_reads() {
    let (_folder, path) = folder();
    add(&mut Index::open(&path, STORE).unwrap(), &Records::made_up(10).entries(), 10);
    let queries = [
        "SELECT count(*) FROM events",
        " -- how many\n /* really */ WITH a AS (SELECT 1) SELECT * FROM a;",
        "VALUES (1, 'two')",
        "SELECT 'Bash' REGEXP '^b', 'Bash' REGEXP '(?i)^b', NULL REGEXP 'a', 12 REGEXP '^1'",
        "SELECT 'a' REGEXP '('",
        "SELECT no_such_column FROM events",
    ];
    assert_snapshot!(ask_all(&Reader::open(&path).unwrap(), &queries), @r#"
    "SELECT count(*) FROM events"
        10
    " -- how many\n /* really */ WITH a AS (SELECT 1) SELECT * FROM a;"
        1
    "VALUES (1, 'two')"
        1 two
    "SELECT 'Bash' REGEXP '^b', 'Bash' REGEXP '(?i)^b', NULL REGEXP 'a', 12 REGEXP '^1'"
        0 1 - 1
    "SELECT 'a' REGEXP '('"
        failed: regex parse error:
        (
        ^
    error: unclosed group
    "SELECT no_such_column FROM events"
        failed: no such column: no_such_column in SELECT no_such_column FROM events at offset 7
    "#);
}

#[test]
fn sql_finds_traces_and_tasks_by_their_keys() {
    let (_folder, path) = folder();
    add(&mut Index::open(&path, STORE).unwrap(), &Records::made_up(3000).entries(), 700);
    let reader = Reader::open(&path).unwrap();
    for kind in ["trace", "task"] {
        let sql = format!(
            "WITH some AS (SELECT DISTINCT {kind} AS name FROM events WHERE {kind} IS NOT NULL LIMIT 50) \
             SELECT name, (SELECT count(*) FROM events WHERE {kind} = name), json_array_length(positions('{kind}', name)), \
             (SELECT count(*) FROM events WHERE {kind} = name AND position IN (SELECT value FROM json_each(positions('{kind}', name)))) \
             FROM some"
        );
        let answer = ask(&reader, &sql).unwrap();
        assert_eq!(answer.lines().count(), 50);
        for line in answer.lines() {
            let counts: Vec<&str> = line.rsplitn(4, ' ').take(3).collect();
            assert!(counts[0] == counts[1] && counts[1] == counts[2] && counts[0] != "0", "{line}");
        }
    }
    let queries = [
        "SELECT positions('trace', 'no such'), positions('task', NULL)",
        "SELECT positions('colour', 'red')",
    ];
    assert_snapshot!(ask_all(&reader, &queries), @r#"
    "SELECT positions('trace', 'no such'), positions('task', NULL)"
        [] -
    "SELECT positions('colour', 'red')"
        failed: positions(kind, value) knows the kinds 'trace' and 'task', not 'colour'
    "#);
}

#[test]
fn many_places_are_asked_for_at_once() {
    let (_folder, path) = folder();
    let records = Records::made_up(20);
    let entries = records.entries();
    let mut index = Index::open(&path, STORE).unwrap();
    add(&mut index, &entries, 20);
    index.prune(position(4), position(6)).unwrap();
    let reader = Reader::open(&path).unwrap();
    let found = reader.places(&[9, 5, 2, 99, 9].map(position)).unwrap();
    let places: Vec<_> = found.iter().map(|found| (found.position, found.place)).collect();
    assert_eq!(places, [2, 9].map(|n| (position(n), entries[n as usize - 1].place)));
    assert_eq!(reader.places(&[]).unwrap(), []);
}

#[test]
fn sql_of_people_does_nothing_but_read() {
    let (folder, path) = folder();
    add(&mut Index::open(&path, STORE).unwrap(), &Records::made_up(10).entries(), 10);
    let reader = Reader::open(&path).unwrap();
    let other = folder.path().join("other.db");
    let with_files = [
        format!("ATTACH '{}' AS other", other.display()),
        format!("VACUUM INTO '{}'", other.display()),
    ];
    for query in &with_files {
        assert!(matches!(ask(&reader, query), Err(SqlError::NotAQuery)));
    }
    let queries = [
        "DELETE FROM records",
        "WITH a AS (SELECT 1) DELETE FROM records",
        "INSERT INTO meta VALUES('a', 'b')",
        "SELECT 1; DELETE FROM records",
        "PRAGMA query_only = OFF",
        "PRAGMA journal_mode = DELETE",
        "BEGIN",
        "SELECT load_extension('a')",
        "",
    ];
    assert_snapshot!(ask_all(&reader, &queries), @r#"
    "DELETE FROM records"
        refused: only queries that read are allowed: SELECT, WITH, VALUES or EXPLAIN
    "WITH a AS (SELECT 1) DELETE FROM records"
        refused: only queries that read are allowed: SELECT, WITH, VALUES or EXPLAIN
    "INSERT INTO meta VALUES('a', 'b')"
        refused: only queries that read are allowed: SELECT, WITH, VALUES or EXPLAIN
    "SELECT 1; DELETE FROM records"
        refused: one query at a time
    "PRAGMA query_only = OFF"
        refused: only queries that read are allowed: SELECT, WITH, VALUES or EXPLAIN
    "PRAGMA journal_mode = DELETE"
        refused: only queries that read are allowed: SELECT, WITH, VALUES or EXPLAIN
    "BEGIN"
        refused: only queries that read are allowed: SELECT, WITH, VALUES or EXPLAIN
    "SELECT load_extension('a')"
        failed: not authorized
    ""
        refused: only queries that read are allowed: SELECT, WITH, VALUES or EXPLAIN
    "#);
    assert!(!other.exists());
    assert_eq!(reader.stats().unwrap().n_records, 10);
}

#[test]
fn a_query_can_be_stopped() {
    let (_folder, path) = folder();
    add(&mut Index::open(&path, STORE).unwrap(), &Records::made_up(10).entries(), 10);
    let mut n_rows = 0;
    let stop_at_3 = |_: &[String], _: &[SqlValue]| {
        n_rows += 1;
        if n_rows == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let columns =
        Reader::open(&path).unwrap().sql("SELECT position AS p, type FROM events", stop_at_3);
    assert_eq!(columns.unwrap(), ["p", "type"]);
    assert_eq!(n_rows, 3);
}

#[test]
fn words_are_found_in_values_and_not_in_names() {
    let (_folder, path) = folder();
    let mut records = Records::made_up(3);
    records.lines[0] =
        r#"{"a":"the quick","b":["brown fox",{"c":"jumped\nover"}],"quick":1}"#.to_owned();
    records.lines[1] = r#"{"quick":"slow","n":42,"d":"Über-Größe src/main.rs"}"#.to_owned();
    let entries = records.entries();
    let mut index = Index::open(&path, STORE).unwrap();
    index.add_text(&entries[..2], upto(&entries[..2])).unwrap();
    let reader = Reader::open(&path).unwrap();
    let search = |query: &str| {
        let sql = format!("SELECT rowid FROM text WHERE text MATCH '{query}'");
        ask(&reader, &sql).unwrap().replace('\n', "")
    };
    let found = |query: &str| format!("{query}: {}\n", search(query));
    let queries = ["quick", "quick AND brown", "slow", "uber", "main", "jum*", "42", "over AND rs"];
    assert_snapshot!(queries.map(found).concat(), @"
    quick: 1
    quick AND brown: 1
    slow: 2
    uber: 2
    main: 2
    jum*: 1
    42: 
    over AND rs:
    ");

    index.add_text(&entries[1..], upto(&entries)).unwrap();
    assert_eq!(search("slow"), "2");
}

//! The plan against a real SQLite: no matching record is missed, and where the plan says it is exact none is too many.

use std::cell::OnceCell;

use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use regex::Regex;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value as SqliteValue;
use rusqlite::{Connection, params_from_iter};
use weft_event::Status;

use super::made_up::{N_EVENTS, events, meta, tree};
use super::{now_ns, parse, with_subject};
use crate::Meta;
use crate::filter::{Filter, Plan, SEARCH_TOKENIZER, SqlValue, Subject, write_search_text};

/// How far the text index of the test has come.
const TEXT_WATERMARK: u64 = 250;

const SCHEMA: &str = "
    CREATE TABLE names(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
    CREATE TABLE records(position INTEGER PRIMARY KEY, at_us INTEGER, time_ns INTEGER, dialect INTEGER, type INTEGER,
        via INTEGER, actor INTEGER, session INTEGER, parent INTEGER, subject INTEGER, tenant INTEGER, tool INTEGER,
        path INTEGER, topic INTEGER, topic_key INTEGER, model INTEGER, status INTEGER, level INTEGER, trace TEXT, task TEXT,
        ended INTEGER, ordinal INTEGER, duration_ms INTEGER, input_tokens INTEGER, output_tokens INTEGER,
        cost_usd REAL, flags INTEGER);
    CREATE INDEX records_session ON records(session);
";

/// An index of the made-up events, filled as the index follower fills it.
struct Index {
    lines: Vec<String>,
    connection: Connection,
}

impl Index {
    fn new() -> Self {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(SCHEMA).unwrap();
        let text = "CREATE VIRTUAL TABLE text USING fts5(body, content='', detail=none, tokenize='";
        connection.execute_batch(&format!("{text}{SEARCH_TOKENIZER}')")).unwrap();
        let regexp = |context: &rusqlite::functions::Context<'_>| {
            let pattern = context.get_or_create_aux(0, |pattern| {
                Ok::<_, rusqlite::types::FromSqlError>(Regex::new(pattern.as_str()?).unwrap())
            })?;
            Ok(context.get::<Option<String>>(1)?.map(|text| pattern.is_match(&text)))
        };
        connection
            .create_scalar_function("regexp", 2, FunctionFlags::SQLITE_DETERMINISTIC, regexp)
            .unwrap();
        let index = Self { lines: events(), connection };
        index.connection.execute_batch("BEGIN").unwrap();
        for n in 0..N_EVENTS {
            index.with_record(n, |subject| index.insert(subject));
        }
        index.connection.execute_batch("COMMIT").unwrap();
        index
    }

    fn with_record<T>(&self, n: usize, ask: impl FnOnce(&Subject<'_>) -> T) -> T {
        with_subject(&self.lines[n], |dialect| meta(n, dialect), ask)
    }

    fn insert(&self, subject: &Subject<'_>) {
        let Subject { meta, facts, event } = subject;
        let usage = facts.usage.as_deref();
        let posted = meta.mark.as_ref().and_then(|mark| mark.topic.as_ref());
        let topic = posted.map(|posted| posted.topic.as_str()).or(facts.topic.as_deref());
        let names = [
            Some(facts.dialect.as_str()),
            Some(&*facts.event_type),
            meta.mark.as_ref().map(|mark| &*mark.via),
            facts.actor.as_deref(),
            facts.session.as_deref(),
            facts.parent.as_deref(),
            facts.subject.as_deref(),
            facts.tenant.as_deref(),
            facts.tool.as_deref(),
            facts.path.as_deref(),
            topic,
            posted.and_then(|posted| posted.key.as_deref()),
            usage.and_then(|usage| usage.model.as_deref()),
            facts.status.map(Status::as_str),
            Some(facts.level.as_str()),
        ];
        let whole = |number: Option<u64>| match number {
            Some(number) => SqliteValue::Integer(i64::try_from(number).unwrap_or(i64::MAX)),
            None => SqliteValue::Null,
        };
        let position = SqliteValue::Integer(meta.position.get() as i64);
        let mut row = vec![position, meta.at_us.into(), facts.time_ns.into()];
        row.extend(names.map(|name| name.map_or(SqliteValue::Null, |name| self.name_id(name))));
        let text = |text: Option<&str>| text.map(str::to_owned).into();
        row.extend([
            text(facts.trace.as_deref()),
            text(facts.task.as_deref()),
            SqliteValue::Integer(facts.ended.into()),
            whole(facts.order),
            whole(facts.duration_ms),
            whole(usage.and_then(|usage| usage.input_tokens)),
            whole(usage.and_then(|usage| usage.output_tokens)),
            usage.and_then(|usage| usage.cost_usd).into(),
            SqliteValue::Integer(flags(meta)),
        ]);
        let marks = vec!["?"; row.len()].join(",");
        let sql = format!("INSERT INTO records VALUES ({marks})");
        self.connection.execute(&sql, params_from_iter(row)).unwrap();
        if meta.position.get() <= TEXT_WATERMARK {
            let mut body = String::new();
            write_search_text(*event, &mut body);
            let sql = "INSERT INTO text(rowid, body) VALUES (?, ?)";
            self.connection.execute(sql, (meta.position.get() as i64, body)).unwrap();
        }
    }

    fn name_id(&self, name: &str) -> SqliteValue {
        let sql = "INSERT INTO names(text) VALUES (?) ON CONFLICT DO NOTHING";
        self.connection.execute(sql, [name]).unwrap();
        let mut find = self.connection.prepare("SELECT id FROM names WHERE text = ?").unwrap();
        SqliteValue::Integer(find.query_row([name], |row| row.get(0)).unwrap())
    }

    fn select(&self, plan: &Plan, columns: &str) -> Vec<String> {
        let values = plan.params.iter().map(|param| match param {
            SqlValue::Text(text) => SqliteValue::Text(text.clone()),
            SqlValue::Integer(number) => SqliteValue::Integer(*number),
            SqlValue::Real(number) => SqliteValue::Real(*number),
            SqlValue::TextWatermark => SqliteValue::Integer(TEXT_WATERMARK as i64),
        });
        let sql = format!("{columns} FROM records WHERE {} ORDER BY position", plan.sql);
        let last = if columns.starts_with("EXPLAIN") { 3 } else { 0 };
        let mut select = self.connection.prepare(&sql).unwrap();
        let text = |row: &rusqlite::Row<'_>| match row.get_unwrap::<_, SqliteValue>(last) {
            SqliteValue::Text(text) => Ok(text),
            other => Ok(format!("{other:?}")),
        };
        select.query_map(params_from_iter(values), text).unwrap().map(Result::unwrap).collect()
    }

    fn candidates(&self, plan: &Plan) -> Vec<u64> {
        let positions = self.select(plan, "SELECT cast(position AS TEXT)");
        positions.iter().map(|position| position.parse().unwrap()).collect()
    }

    fn matches(&self, filter: &Filter) -> Vec<u64> {
        let is_match = |n: &usize| self.with_record(*n, |subject| filter.matches(subject));
        (0..N_EVENTS).filter(is_match).map(|n| n as u64 + 1).collect()
    }
}

fn flags(meta: &Meta) -> i64 {
    match &meta.mark {
        Some(mark) => i64::from(mark.carried.is_some()) | (i64::from(mark.conflict.is_some()) << 1),
        None => 4,
    }
}

thread_local! {
    static INDEX: OnceCell<Index> = const { OnceCell::new() };
}

fn check(index: &Index, filter: &Filter) -> Result<(), proptest::test_runner::TestCaseError> {
    let plan = filter.plan();
    let matches = index.matches(filter);
    let candidates = index.candidates(&plan);
    if plan.is_exact {
        prop_assert_eq!(&candidates, &matches, "{} as {}", filter, plan.sql);
    }
    let mut rest = candidates.iter();
    let missed = matches.iter().find(|position| !rest.any(|candidate| candidate == *position));
    prop_assert!(missed.is_none(), "{filter} as {} misses {missed:?}", plan.sql);
    let is_within = |position: &u64| (plan.position_min..=plan.position_max).contains(position);
    prop_assert!(matches.iter().all(is_within), "{filter} outside {plan:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_index_misses_no_match_and_is_exact_where_it_says_so(tree in tree()) {
        let filter = Filter::parse(&tree.text(), now_ns()).unwrap();
        INDEX.with(|index| check(index.get_or_init(Index::new), &filter))?;
    }

    #[test]
    fn and_or_and_not_mean_what_they_say(tree in tree(), n in 0..N_EVENTS) {
        let filter = Filter::parse(&tree.text(), now_ns()).unwrap();
        INDEX.with(|index| {
            let index = index.get_or_init(Index::new);
            index.with_record(n, |subject| {
                let expected = tree.evaluate(&mut |term| parse(term).matches(subject));
                prop_assert_eq!(filter.matches(subject), expected, "{}", filter);
                for filter in [filter.clone(), filter.clone().without_bookkeeping()] {
                    if let Some(unread) = filter.matches_unread(subject.meta) {
                        prop_assert_eq!(unread, filter.matches(subject), "{} unread", filter);
                    }
                }
                Ok(())
            })
        })?;
    }
}

#[test]
fn each_single_question_is_answered_alike_by_index_and_filter() {
    let filters = [
        "type=bead.*",
        "type!=bead.*",
        "actor=a*b?[c]",
        "actor=\"a*b?[c]\"",
        "tool=B*h",
        "tool=Ba?sh",
        "session=\"\"",
        "session~[üÜ]",
        "cafe",
        "CAFÉ",
        "naiv*",
        "नमस्ते",
        "\"नमस्ते दुनिया\"",
        "strasse",
        "straße",
        "-cafe",
        "order>5",
        "order>9223372036854775806",
        "order=9223372036854775807",
        "order!=3",
        "since:20m",
        "-since:20m",
        "until:20m",
        "at>=10m",
        "at<10m",
        "at=2026-11-15T11:59:59Z",
        "at=2026-11-15T11:59:59.0000001Z",
        "time=2026-11-14",
        "-time=2026-11-14",
        "has:time",
        "-has:time",
        "-has:at",
        "level>=warn",
        "-level>=warn",
        "ended=yes",
        "ended=no",
        "conflict=yes",
        "carried=no",
        "unverified=yes",
        "unverified=no",
        "topic=lease",
        "key='key 1'",
        "-has:key",
        ".data.bead_id=bd-42",
        ".data.bead_id!=bd-42",
        "-(session=\"\" or cafe)",
        "dialect=idle",
        "cost>0",
        "-cost>0",
        "position>590 cafe",
        "-position>3",
        "position=7 or position=9",
        "*",
        "-*",
        "tokens>100",
        "input_tokens>100",
    ];
    let index = Index::new();
    for filter in filters {
        check(&index, &parse(filter)).unwrap();
    }
}

#[test]
fn plans_read_as_conditions_on_the_index() {
    let plan = |text: &str| {
        let plan = parse(text).plan();
        let params: Vec<String> = plan.params.iter().map(|param| format!("{param:?}")).collect();
        let exact = if plan.is_exact { "exact" } else { "superset" };
        format!(
            "{}\n{exact} [{}] {}..{}",
            plan.sql,
            params.join(", "),
            plan.position_min,
            plan.position_max
        )
    };
    insta::assert_snapshot!(plan("session=s-1 type=bead.* level>=warn"), @r#"
    (session = (SELECT id FROM names WHERE text = ?1) AND type IN (SELECT id FROM names WHERE text GLOB ?2) AND (level = (SELECT id FROM names WHERE text = ?3) OR level = (SELECT id FROM names WHERE text = ?4)))
    exact [Text("s-1"), Text("bead.*"), Text("warn"), Text("error")] 1..18446744073709551615
    "#);
    insta::assert_snapshot!(plan("session!=s-1 since:2h -has:task"), @r#"
    ((session = (SELECT id FROM names WHERE text = ?1)) IS NOT TRUE AND (time_ns >= ?2 OR (time_ns IS NULL AND at_us >= ?3)) AND (task IS NOT NULL) IS NOT TRUE)
    exact [Text("s-1"), Integer(1794736800000000000), Integer(1794736800000000)] 1..18446744073709551615
    "#);
    insta::assert_snapshot!(plan("disk full position>=100 position<200"), @r#"
    (+position >= ?1 AND +position < ?2 AND position IN (SELECT rowid FROM text WHERE text MATCH ?3 UNION ALL SELECT position FROM records WHERE position > ?4))
    superset [Integer(100), Integer(200), Text("\"disk\" AND \"full\""), TextWatermark] 100..199
    "#);
    insta::assert_snapshot!(plan("-(session=s-1 or disk)"), @r#"
    (session = (SELECT id FROM names WHERE text = ?1)) IS NOT TRUE
    superset [Text("s-1")] 1..18446744073709551615
    "#);
    insta::assert_snapshot!(plan("session=s-1 or disk"), @r#"
    (session = (SELECT id FROM names WHERE text = ?1) OR position IN (SELECT rowid FROM text WHERE text MATCH ?2 UNION ALL SELECT position FROM records WHERE position > ?3))
    superset [Text("s-1"), Text("\"disk\""), TextWatermark] 1..18446744073709551615
    "#);
    insta::assert_snapshot!(plan("session=s-1 or .data.n>3"), @"
    1
    superset [] 1..18446744073709551615
    ");
    insta::assert_snapshot!(plan(".data.bead_id=bd-42 .data.n=3"), @r#"
    position IN (SELECT rowid FROM text WHERE text MATCH ?1 UNION ALL SELECT position FROM records WHERE position > ?2)
    superset [Text("\"bd\" AND \"42\""), TextWatermark] 1..18446744073709551615
    "#);
    insta::assert_snapshot!(plan("*"), @"
    1
    exact [] 1..18446744073709551615
    ");
    insta::assert_snapshot!(plan("-*"), @"
    0
    exact [] 18446744073709551615..0
    ");
}

#[test]
fn a_plan_uses_the_indexes_there_are() {
    let index = Index::new();
    let steps =
        |text: &str| index.select(&parse(text).plan(), "EXPLAIN QUERY PLAN SELECT *").join("\n");
    insta::assert_snapshot!(steps("session=s-1"), @"
    SEARCH records USING INDEX records_session (session=?)
    SCALAR SUBQUERY 1
    SEARCH names USING COVERING INDEX sqlite_autoindex_names_1 (text=?)
    ");
    insta::assert_snapshot!(steps("session=s-*"), @"
    SEARCH records USING INDEX records_session (session=?)
    LIST SUBQUERY 1
    SEARCH names USING COVERING INDEX sqlite_autoindex_names_1 (text>? AND text<?)
    USE TEMP B-TREE FOR ORDER BY
    ");
    insta::assert_snapshot!(steps("since:2h"), @"SCAN records");
    insta::assert_snapshot!(steps("disk full"), @"
    SEARCH records USING INTEGER PRIMARY KEY (rowid=?)
    LIST SUBQUERY 2
    COMPOUND QUERY
    LEFT-MOST SUBQUERY
    SCAN text VIRTUAL TABLE INDEX 0:M1
    UNION ALL
    SEARCH records USING INTEGER PRIMARY KEY (rowid>?)
    ");
}

#[test]
fn a_filter_of_the_largest_size_is_still_a_query() {
    let index = Index::new();
    let words: Vec<String> = (0..256).map(|n| format!("word{n}")).collect();
    assert_eq!(index.candidates(&parse(&words.join(" ")).plan()).len(), N_EVENTS - 250);
    let tasks: Vec<String> = (0..256).map(|n| format!("task=bd-{n}")).collect();
    check(&index, &parse(&tasks.join(" or "))).unwrap();
    let nested = format!("{}session=s-1{}", "-(cafe or ".repeat(32), ")".repeat(32));
    check(&index, &parse(&nested)).unwrap();
}

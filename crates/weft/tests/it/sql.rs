//! `weft sql`: what a query gives, and what a wrong one gets.

use crate::stored::{Stored, collector, needle};

fn some() -> Stored {
    Stored::with(&[
        collector(0, "lifecycle.started", r#""message":"a","session_id":"x, \"y\"""#),
        needle(1, "alpha", "s", 1),
        needle(2, "alpha", "s", 2),
    ])
}

#[test]
fn rows_come_in_three_forms() {
    let stored = some();
    let query =
        "SELECT position, time, actor, session, ordinal, 0.5 AS half, x'01ff' AS bytes FROM events";
    insta::assert_snapshot!(stored.run(&["sql", query]).show(), @r#"
    position  time                      actor  session  ordinal  half  bytes
    1         2020-01-01T00:00:00.000Z  @a     x, "y"            0.5   x'01ff'
    2         2020-01-01T00:00:01.000Z  alpha  s        1        0.5   x'01ff'
    3         2020-01-01T00:00:02.000Z  alpha  s        2        0.5   x'01ff'
    --- stderr
    --- exit 0
    "#);
    insta::assert_snapshot!(stored.run(&["sql", query, "--format", "json"]).show(), @r#"
    {"position":1,"time":"2020-01-01T00:00:00.000Z","actor":"@a","session":"x, \"y\"","ordinal":null,"half":0.5,"bytes":"x'01ff'"}
    {"position":2,"time":"2020-01-01T00:00:01.000Z","actor":"alpha","session":"s","ordinal":1,"half":0.5,"bytes":"x'01ff'"}
    {"position":3,"time":"2020-01-01T00:00:02.000Z","actor":"alpha","session":"s","ordinal":2,"half":0.5,"bytes":"x'01ff'"}
    --- stderr
    --- exit 0
    "#);
    insta::assert_snapshot!(stored.run(&["sql", query, "--format", "csv"]).show().replace('\r', "␍"), @r#"
    position,time,actor,session,ordinal,half,bytes␍
    1,2020-01-01T00:00:00.000Z,@a,"x, ""y""",,0.5,x'01ff'␍
    2,2020-01-01T00:00:01.000Z,alpha,s,1,0.5,x'01ff'␍
    3,2020-01-01T00:00:02.000Z,alpha,s,2,0.5,x'01ff'␍
    --- stderr
    --- exit 0
    "#);
    insta::assert_snapshot!(stored.run(&["sql", "SELECT 1 AS a, 2 AS a", "--format", "json"]).stdout, @r#"{"a":1,"a_2":2}"#);
    insta::assert_snapshot!(stored.run(&["sql", "SELECT position FROM events WHERE 0"]).show(), @"
    position
    --- stderr
    --- exit 0
    ");
}

#[test]
fn a_wrong_query_is_marked_where_it_is_wrong() {
    let stored = some();
    insta::assert_snapshot!(stored.run(&["sql", "SELECT postion FROM events"]).show(), @"
    --- stderr
    error: no such column: postion
      SELECT postion FROM events
             ^
    --- exit 2
    ");
    insta::assert_snapshot!(stored.run(&["sql", "SELEC 1"]).show(), @"
    --- stderr
    error: only queries that read are allowed: SELECT, WITH, VALUES or EXPLAIN
    --- exit 2
    ");
    insta::assert_snapshot!(stored.run(&["sql", "SELECT 1; SELECT 2"]).show(), @"
    --- stderr
    error: one query at a time
    --- exit 2
    ");
    for query in [
        "DELETE FROM records",
        "ATTACH 'x' AS x",
        "PRAGMA user_version = 3",
        "WITH a AS (SELECT 1) DELETE FROM records",
    ] {
        let ran = stored.run(&["sql", query]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{query}");
        assert!(
            ran.stderr.contains("only queries that read are allowed"),
            "{query}: {}",
            ran.stderr
        );
    }
    assert_eq!(
        stored.run(&["sql", "SELECT count(*) FROM records", "--format", "csv"]).stdout,
        "count(*)\r\n3\r\n"
    );
}

#[test]
fn rows_beyond_the_first_are_printed_under_the_same_header() {
    let query = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) SELECT i FROM n";
    let expected: String = (1..=2500).map(|n| format!("{n}\n")).collect();
    assert_eq!(some().run(&["sql", query]).stdout, format!("i\n{expected}"));
}

#[test]
fn the_document_tells_the_columns_and_its_queries_run() {
    let path = format!("{}/../../docs/query.md", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let stored = some();
    let (_, view) = text.split_once("### The view `events`").unwrap();
    let (view, tables) = view.split_once("### The tables").unwrap();
    let header = stored.run(&["sql", "SELECT * FROM events LIMIT 0", "--format", "csv"]).stdout;
    for column in header.trim_end().split(',') {
        assert!(view.contains(&format!("`{column}`")), "{column}");
    }
    let schema = "SELECT name FROM sqlite_schema WHERE type = 'table' \
                  AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'text_%'";
    for table in stored.run(&["sql", schema]).stdout.lines().skip(1) {
        assert!(tables.contains(&format!("`{table}`")), "{table}");
    }
    let (_, queries) = view.split_once("```sql\n").unwrap();
    let (queries, _) = queries.split_once("```").unwrap();
    for query in queries.lines() {
        let ran = stored.run(&["sql", query]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{query}");
    }
}

//! Filters printed: one normal form, which means the same.

use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};

use super::made_up::tree;
use super::{now_ns, parse};
use crate::filter::{DEPTH_MAX, Filter, TEXT_BYTES_MAX};

const FORMS: [&str; 53] = [
    "",
    " * ",
    "not *",
    "a AND (b and c)",
    "a or (b or c) d",
    "not (a or b)",
    "!!a",
    "--force",
    "not not not a",
    "-(a -b)",
    "(* or a) b",
    "status == Error",
    "status:error",
    "status!=error",
    "-status!=error",
    "level >= WARN",
    "level<debug",
    "type:bead.*",
    "type=*",
    "-type:*",
    "actor='it is'",
    "actor=\"and\\\"\"",
    "actor='*'",
    "path~\\.rs$",
    "path!~'a\"b'",
    "message~(foo|bar)+",
    "duration>1.5s",
    "duration=1h30m",
    "time=2026-11-14",
    "time<=2026-11-14",
    "time>2026-11-14T10:00:00.25+01:00",
    "since:2h until:2026-11-15",
    "since:'2026-11-14 10:00'",
    "cost>1",
    "cost>=1e-3",
    "ended=no",
    "conflict:yes",
    "has:.tool.tool_input[\"file path\"]",
    "priority:1",
    "data.bead_id:bd-1",
    ".['a b'][0][].c=1.50",
    ".x=\"1\"",
    ".x!=null",
    ".x>=2026-11-14",
    ".x=2*",
    "src/main.rs:10",
    "std::env",
    "https://example.org/a",
    "Foo-Ba*",
    "\"disk full\"*",
    "\"or\"",
    "\"And\"*",
    "CAFÉ",
];

#[test]
fn a_filter_prints_in_one_normal_form() {
    let lines: Vec<String> = FORMS
        .iter()
        .map(|text| format!("{text:36}{}", parse(text)).trim_end().to_owned())
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
                                        *
     *                                  *
    not *                               -*
    a AND (b and c)                     a b c
    a or (b or c) d                     a or (b or c) d
    not (a or b)                        -(a or b)
    !!a                                 a
    --force                             force
    not not not a                       -a
    -(a -b)                             -(a -b)
    (* or a) b                          b
    status == Error                     status=error
    status:error                        status=error
    status!=error                       status!=error
    -status!=error                      status=error
    level >= WARN                       level=warn or level=error
    level<debug                         -*
    type:bead.*                         type=bead.*
    type=*                              has:type
    -type:*                             -has:type
    actor='it is'                       actor="it is"
    actor="and\""                       actor="and\""
    actor='*'                           actor="*"
    path~\.rs$                          path~"\.rs$"
    path!~'a"b'                         path!~'a"b'
    message~(foo|bar)+                  message~"(foo|bar)+"
    duration>1.5s                       duration>1500ms
    duration=1h30m                      duration=5400000ms
    time=2026-11-14                     time>=2026-11-14T00:00:00Z time<2026-11-15T00:00:00Z
    time<=2026-11-14                    time<2026-11-15T00:00:00Z
    time>2026-11-14T10:00:00.25+01:00   time>2026-11-14T09:00:00.250Z
    since:2h until:2026-11-15           since:2026-11-15T10:00:00Z until:2026-11-15T00:00:00Z
    since:'2026-11-14 10:00'            since:2026-11-14T10:00:00Z
    cost>1                              cost>1.0
    cost>=1e-3                          cost>=0.001
    ended=no                            -has:ended
    conflict:yes                        has:conflict
    has:.tool.tool_input["file path"]   has:.tool.tool_input["file path"]
    priority:1                          .priority=1
    data.bead_id:bd-1                   .data.bead_id=bd-1
    .['a b'][0][].c=1.50                .["a b"][0][].c=1.50
    .x="1"                              .x="1"
    .x!=null                            .x!=null
    .x>=2026-11-14                      .x>=2026-11-14T00:00:00Z
    .x=2*                               .x=2*
    src/main.rs:10                      "src main rs 10"
    std::env                            "std env"
    https://example.org/a               "https example org a"
    Foo-Ba*                             "foo ba"*
    "disk full"*                        "disk full"*
    "or"                                "or"
    "And"*                              "and"*
    CAFÉ                                cafe
    "#);
}

#[test]
fn only_the_filter_that_matches_everything_is_all() {
    assert!(Filter::all().is_all());
    assert!(parse("").is_all());
    assert!(parse("* or a").is_all());
    assert!(!parse("a").is_all());
    assert!(!parse("not *").is_all());
    assert_eq!(parse("*"), Filter::all());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_filter_prints_parses_back_to_it(tree in tree()) {
        let filter = Filter::parse(&tree.text(), now_ns()).unwrap();
        let printed = filter.to_string();
        let again = Filter::parse(&printed, 0);
        prop_assert_eq!(again.as_ref(), Ok(&filter), "{}", printed);
        prop_assert_eq!(again.unwrap().to_string(), printed);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in any::<String>(), now_ns in any::<i64>()) {
        round_trip(&text, now_ns);
    }

    #[test]
    fn no_text_of_the_language_s_own_characters_makes_the_parser_panic(
        text in r#"([ ()"'=!~<>:.*?\[\]\\\-a-c0-9é\n]|and |or |not |since:|has:|type|\.x|level|time|duration){0,24}"#,
        now_ns in any::<i64>(),
    ) {
        round_trip(&text, now_ns);
    }
}

/// Parses a text; what parses must print and parse back, and what does not must say where.
fn round_trip(text: &str, now_ns: i64) {
    match Filter::parse(text, now_ns) {
        Ok(filter) => {
            assert_eq!(Filter::parse(&filter.to_string(), 0), Ok(filter.clone()), "{text:?}");
            filter.plan();
        }
        Err(error) => {
            assert!(text.is_char_boundary(error.offset), "{text:?}: {error:?}");
            assert!(text.is_char_boundary(error.offset + error.length), "{text:?}: {error:?}");
            assert_eq!(error.render(text).lines().count(), 4, "{text:?}: {error:?}");
        }
    }
}

#[test]
fn the_deepest_filter_prints_no_deeper() {
    let nested = |open: &str, inner: &str, close: &str| {
        let depth = DEPTH_MAX - 1;
        format!("{}({inner}){}", open.repeat(depth), close.repeat(depth))
    };
    for (open, close) in
        [("a or b (", ") c"), ("a (b or ", ") or c"), ("-(a or ", ")"), ("-(", ")")]
    {
        for inner in
            ["a", "time=2026-11-14", "a time!=2026-11-14", "level<=warn", "a or level!=warn b"]
        {
            let text = nested(open, inner, close);
            let is_read = Filter::parse(&text, now_ns()).is_ok();
            assert_eq!(is_read, !inner.contains("time") && !inner.contains("<="), "{text}");
            round_trip(&text, now_ns());
            round_trip(&text.replacen('(', "", 1).replacen(')', "", 1), now_ns());
        }
    }
}

#[test]
fn a_filter_whose_normal_form_is_too_long_is_refused() {
    let text = format!("actor=\"{}\"", "\u{1}".repeat(TEXT_BYTES_MAX / 2));
    assert!(Filter::parse(&text, now_ns()).is_err());
}

//! What is wrong with a filter, as it is shown.

use crate::filter::{DEPTH_MAX, Filter, REGEXES_MAX, TERMS_MAX, TEXT_BYTES_MAX};

use super::now_ns;

fn error(text: &str) -> String {
    match Filter::parse(text, now_ns()) {
        Ok(filter) => panic!("{text} is read as {filter}"),
        Err(error) => error.render(text),
    }
}

fn errors(texts: &[&str]) -> String {
    texts.iter().map(|text| error(text)).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn an_unknown_field_is_named_with_what_was_meant() {
    insta::assert_snapshot!(errors(&[
        "level=warn and stauts=error",
        "agent_id=a",
        "data.bead_id=bd-1",
        "frobnicate<3",
        "a/b=c",
        "has:sesion",
        "has:since",
        "héé=1",
    ]), @r#"
    there is no field `stauts`
      level=warn and stauts=error
                     ^^^^^^
    help: is it `status`? A member of the event is written `.stauts`

    there is no field `agent_id`
      agent_id=a
      ^^^^^^^^
    help: is it `actor`? A member of the event is written `.agent_id`

    there is no field `data.bead_id`
      data.bead_id=bd-1
      ^^^^^^^^^^^^
    help: a member of the event is written `.data.bead_id`

    there is no field `frobnicate`
      frobnicate<3
      ^^^^^^^^^^
    help: a member of the event is written `.frobnicate`

    there is no field `a/b`
      a/b=c
      ^^^
    help: a member of the event is written `.["a/b"]`

    there is no field `sesion`
      has:sesion
          ^^^^^^
    help: is it `session`? A member of the event is written `.sesion`

    there is no field `since`
      has:since
          ^^^^^
    help: is it `time`? A member of the event is written `.since`

    there is no field `héé`
      héé=1
      ^^^
    help: a member of the event is written `.héé`
    "#);
}

#[test]
fn a_value_that_the_field_cannot_have_is_named_with_those_it_can() {
    insta::assert_snapshot!(errors(&[
        "status=eror",
        "status=x*",
        "level>=loud",
        "dialect:french",
    ]), @"
    `eror` is no status
      status=eror
             ^^^^
    help: is it `error`? The words are started, thinking, tool_use, progress, waiting, blocked, completed, error

    `x*` is no status
      status=x*
             ^^
    help: the words are started, thinking, tool_use, progress, waiting, blocked, completed, error

    `loud` is no level
      level>=loud
             ^^^^
    help: the words are debug, info, warn, error

    `french` is no dialect
      dialect:french
              ^^^^^^
    help: the words are idle, collector, pinchy, engine, needle, weft
    ");
}

#[test]
fn a_value_of_the_wrong_kind_is_shown() {
    insta::assert_snapshot!(errors(&[
        "since:yesterday",
        "since:2026-02-30",
        "time>5",
        "duration>5",
        "duration>0.5ms",
        "order=1.5",
        "position=99999999999999999999",
        "cost>cheap",
        "ended=maybe",
        ".x>abc",
        ".x>\"5\"",
    ]), @r#"
    `yesterday` is not a time
      since:yesterday
            ^^^^^^^^^
    help: write `2h` (s, m, h, d, w) for that long ago, `2026-11-14`, or `2026-11-14T10:00Z`

    `2026-02-30` is not a time
      since:2026-02-30
            ^^^^^^^^^^
    help: write `2h` (s, m, h, d, w) for that long ago, `2026-11-14`, or `2026-11-14T10:00Z`

    `5` is not a time
      time>5
           ^
    help: write `2h` (s, m, h, d, w) for that long ago, `2026-11-14`, or `2026-11-14T10:00Z`

    `5` is not a duration
      duration>5
               ^
    help: write whole milliseconds with a unit: `250ms`, `5s`, `1.5m`, `1h30m`, `2d`

    `0.5ms` is not a duration
      duration>0.5ms
               ^^^^^
    help: write whole milliseconds with a unit: `250ms`, `5s`, `1.5m`, `1h30m`, `2d`

    `1.5` is not a whole number
      order=1.5
            ^^^
    help: write digits alone, up to 9223372036854775807

    `99999999999999999999` is not a whole number
      position=99999999999999999999
               ^^^^^^^^^^^^^^^^^^^^
    help: write digits alone, up to 9223372036854775807

    `cheap` is not a number
      cost>cheap
           ^^^^^
    help: write it like `0.25`

    `maybe` is not `yes` or `no`
      ended=maybe
            ^^^^^
    help: write one of the two

    `abc` is not a number or a time
      .x>abc
         ^^^
    help: nothing else has an order; compare text with `=` or `~`

    `5` is not a number or a time
      .x>"5"
         ^^^
    help: nothing else has an order; compare text with `=` or `~`
    "#);
}

#[test]
fn an_operator_that_the_field_does_not_take_is_shown() {
    insta::assert_snapshot!(errors(&[
        "status<error",
        "actor>=a",
        "order~5",
        "since>2h",
        "ended<yes",
    ]), @"
    `status` cannot be compared with `<`
      status<error
            ^
    help: it takes `=`, `!=`, `~`, `!~` and `:`

    `actor` cannot be compared with `>=`
      actor>=a
           ^^
    help: it takes `=`, `!=`, `~`, `!~` and `:`

    `order` cannot be compared with `~`
      order~5
           ^
    help: it takes `=`, `!=`, `<`, `<=`, `>`, `>=` and `:`

    `since` cannot be compared with `>`
      since>2h
           ^
    help: it takes `:` and `=`

    `ended` cannot be compared with `<`
      ended<yes
           ^
    help: it takes `=`, `!=` and `:`
    ");
}

#[test]
fn an_operator_without_a_field_or_value_is_shown() {
    insta::assert_snapshot!(errors(&[
        "=error",
        "a !=b",
        ":x",
        "duration:>5s",
        "status=",
        "status= and x",
        "since: 2h",
        "(actor=)",
        ".data",
    ]), @"
    `=` has no field before it
      =error
      ^
    help: write a field or a `.path` before it, or put it in quotes to search for it

    there is no field `a`
      a !=b
      ^
    help: a member of the event is written `.a`

    `:` has no field before it
      :x
      ^
    help: write a field or a `.path` before it, or put it in quotes to search for it

    `>` follows an operator
      duration:>5s
               ^
    help: write one of them, or put the value in quotes

    `status=` has no value
      status=
      ^^^^^^^
    help: write the value behind it, or `has:status` to ask for any

    `status=` has no value
      status= and x
      ^^^^^^^
    help: write the value behind it, or `has:status` to ask for any

    `since:` has no value
      since: 2h
      ^^^^^^
    help: write the value right behind it: `since:value`

    `actor=` has no value
      (actor=)
       ^^^^^^
    help: write the value behind it, or `has:actor` to ask for any

    the path `.data` is compared with nothing
      .data
      ^^^^^
    help: write `.data=value`, `has:.data`, or quotes to search for the text
    ");
}

#[test]
fn quotes_and_parentheses_that_do_not_match_are_shown() {
    insta::assert_snapshot!(errors(&[
        "message=\"disk full",
        "a 'b",
        "a\"b",
        "path=a\"b",
        "\"a\"b",
        "path=\"C:\\dir\"",
        "path=\"\\u{110000}\"",
        "(a or (b",
        "a or b)",
        "()",
        "(",
        "message~(a b)",
        "message~(a|b",
    ]), @r#"
    this quote is never closed
      message="disk full
              ^^^^^^^^^^
    help: end the text with `"`

    this quote is never closed
      a 'b
        ^^
    help: end the text with `'`

    a quote stands inside a word
      a"b
       ^
    help: put the whole word in quotes, with `\"` for the one inside

    a quote stands inside a word
      path=a"b
            ^
    help: put the whole word in quotes, with `\"` for the one inside

    something stands right behind the closing quote
      "a"b
         ^
    help: put a blank between the two, or all of it in quotes

    `\d` is no known escape
      path="C:\dir"
              ^^
    help: a backslash is written `\\`; the others are \" \' \n \r \t \u{1f600}

    `\u` is no known escape
      path="\u{110000}"
            ^^
    help: a backslash is written `\\`; the others are \" \' \n \r \t \u{1f600}

    this parenthesis is never closed
      (a or (b
            ^
    help: add a `)`

    this parenthesis closes nothing
      a or b)
            ^
    help: remove it, or put what it belongs to in quotes

    nothing stands between these parentheses
      ()
      ^^
    help: remove them, or write `*` for everything

    this parenthesis is never closed
      (
      ^
    help: add a `)`

    a blank cuts this value off inside its parentheses
      message~(a b)
              ^^
    help: put the whole value in quotes

    this parenthesis is never closed
      message~(a|b
              ^^^^
    help: add a `)`
    "#);
}

#[test]
fn a_word_with_nothing_beside_it_is_shown() {
    insta::assert_snapshot!(errors(&[
        "a and",
        "a or or b",
        "and a",
        "or",
        "not",
        "a -",
        "(a and) b",
        "(or a)",
        "a && b",
        "a || b",
        "\"--\"",
        "f*o",
    ]), @r#"
    nothing to match follows `and`
      a and
        ^^^
    help: remove it, or search for the word as `"and"`

    nothing to match follows `or`
      a or or b
        ^^
    help: remove it, or search for the word as `"or"`

    nothing to match stands before `and`
      and a
      ^^^
    help: remove it, or search for the word as `"and"`

    nothing to match stands before `or`
      or
      ^^
    help: remove it, or search for the word as `"or"`

    nothing to match follows `not`
      not
      ^^^
    help: remove it, or search for the word as `"not"`

    nothing to match follows `-`
      a -
        ^
    help: remove it, or put it right before what must not match

    nothing to match follows `and`
      (a and) b
         ^^^
    help: remove it, or search for the word as `"and"`

    nothing to match stands before `or`
      (or a)
       ^^
    help: remove it, or search for the word as `"or"`

    `&&` has no letter or digit to search for
      a && b
        ^^
    help: write `and`, or nothing: terms side by side must all match

    `||` has no letter or digit to search for
      a || b
        ^^
    help: write `or`

    `--` has no letter or digit to search for
      "--"
      ^^^^
    help: search looks for words; for other characters compare a field: `message~"=>"`

    a word to search for takes `*` at its end only
      f*o
       ^
    help: compare a field with a glob or a regular expression: `message~"fo.*ar"`
    "#);
}

#[test]
fn a_bad_path_or_regular_expression_is_shown() {
    insta::assert_snapshot!(errors(&[
        "..x=1",
        ".a.=1",
        ".a[x]=1",
        ".a[0=1",
        ".a[99999999999999999999]=1",
        ".[\"a]=1",
        "has:.a..b",
        "has:.a/b",
        "path~*.rs",
        "path~\"[a\"",
        "path~\\w{5000}",
    ]), @r#"
    not a path: a name follows a dot
      ..x=1
      ^
    help: paths look like `.data.bead_id`, `.items[0].x`, `.items[].x`, `.["odd name"]`

    not a path: a name follows a dot
      .a.=1
        ^
    help: paths look like `.data.bead_id`, `.items[0].x`, `.items[].x`, `.["odd name"]`

    not a path: a number or a quoted name stands in brackets
      .a[x]=1
        ^
    help: paths look like `.data.bead_id`, `.items[0].x`, `.items[].x`, `.["odd name"]`

    not a path: a bracket closes with `]`
      .a[0=1
        ^^
    help: paths look like `.data.bead_id`, `.items[0].x`, `.items[].x`, `.["odd name"]`

    not a path: a number or a quoted name stands in brackets
      .a[99999999999999999999]=1
        ^^^^^^^^^^^^^^^^^^^^^
    help: paths look like `.data.bead_id`, `.items[0].x`, `.items[].x`, `.["odd name"]`

    this quote is never closed
      .["a]=1
        ^^^^^
    help: end the text with `"`

    not a path: a name follows a dot
      has:.a..b
            ^
    help: paths look like `.data.bead_id`, `.items[0].x`, `.items[].x`, `.["odd name"]`

    not a path: something else stands behind it
      has:.a/b
            ^^
    help: paths look like `.data.bead_id`, `.items[0].x`, `.items[].x`, `.["odd name"]`

    not a regular expression: repetition operator missing expression
      path~*.rs
           ^^^^
    help: a glob is compared with `=`; here a backslash stands before what means itself

    not a regular expression: unclosed character class
      path~"[a"
           ^^^^
    help: a glob is compared with `=`; here a backslash stands before what means itself

    the regular expression takes more than 1048576 bytes of memory
      path~\w{5000}
           ^^^^^^^^
    help: use smaller repetitions, and `[0-9]` for `\d`
    "#);
}

#[test]
fn the_limits_have_names() {
    let fault = |text: &str| error(text).lines().next().unwrap().to_owned();
    let deep = |n: usize| format!("{}a{}", "(".repeat(n), ")".repeat(n));
    let terms = |n: usize| vec!["a"; n].join(" ");
    let regexes = |n: usize| vec!["path~a"; n].join(" or ");
    assert!(Filter::parse(&deep(DEPTH_MAX), now_ns()).is_ok());
    assert!(Filter::parse(&terms(TERMS_MAX), now_ns()).is_ok());
    assert!(Filter::parse(&regexes(REGEXES_MAX), now_ns()).is_ok());
    let faults = [
        fault(&"a".repeat(TEXT_BYTES_MAX + 1)),
        fault(&deep(DEPTH_MAX + 1)),
        fault(&deep(DEPTH_MAX).replace('a', "a level>=warn")),
        fault(&terms(TERMS_MAX + 1)),
        fault(&regexes(REGEXES_MAX + 1)),
    ];
    insta::assert_snapshot!(faults.join("\n"), @"
    the filter has 16385 bytes, more than the 16384 allowed
    parentheses nest deeper than 32
    parentheses nest deeper than 32
    the filter has more than 256 terms
    the filter has more than 32 regular expressions
    ");
}

#[test]
fn a_long_filter_is_shown_around_the_fault() {
    let long =
        format!("{}stauts=error\t{}", "actor=alpha or ".repeat(9), "or actor=beta ".repeat(9));
    insta::assert_snapshot!(error(&long), @"
    there is no field `stauts`
      …a or actor=alpha or actor=alpha or actor=alpha or stauts=error or actor=beta or actor=beta or actor=beta o…
                                                         ^^^^^^
    help: is it `status`? A member of the event is written `.stauts`
    ");
    insta::assert_snapshot!(error(&format!("héllo \"{}", "x".repeat(99))), @r#"
    this quote is never closed
      héllo "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    help: end the text with `"`
    "#);
}

//! Tables as they look.

use super::Columns;

fn rows(rows: &[&[&str]]) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
}

#[test]
fn a_later_row_makes_a_column_wider_and_never_narrower() {
    let mut table = Columns::new(["A", "B"], None);
    insta::assert_snapshot!(table.render(rows(&[&["1", "one"], &["2", ""]])), @"
    A  B
    1  one
    2
    ");
    insta::assert_snapshot!(table.render(rows(&[&["1000", "a thousand"], &["1", "one"]])), @"
    1000  a thousand
    1     one
    ");
}

#[test]
fn what_does_not_fit_the_terminal_is_cut() {
    let mut table = Columns::new(["WHO", "WHAT"], Some(24));
    let long = "x".repeat(50);
    let table = table.render(rows(&[
        &["abc", "a message that is long"],
        &["日本", "語語語語語語語語語語語語"],
        &["a", &long],
    ]));
    assert!(table.lines().all(|line| super::n_columns(line) <= 24), "{table}");
    insta::assert_snapshot!(table, @"
    WHO   WHAT
    abc   a message that is…
    日本  語語語語語語語語…
    a     xxxxxxxxxxxxxxxxx…
    ");
}

#[test]
fn a_narrow_terminal_shows_what_fits() {
    let mut table = Columns::new(["POSITION", "TIME", "WHAT"], Some(20));
    insta::assert_snapshot!(table.render(rows(&[&["1", "2020-01-01 00:00:00", "x"]])), @"
    POSITION  TIME     …
    1         2020-01-0…
    ");
}

#[test]
fn a_cell_stays_in_its_line() {
    let mut table = Columns::new(["A", "B"], None);
    insta::assert_snapshot!(table.render(rows(&[&["a\nb", "\u{1b}[31mred\u{202e}"]])), @r"
    A     B
    a\nb  \u{1b}[31mred\u{202e}
    ");
}

#[test]
fn spare_columns_are_left_out_where_the_last_needs_their_room() {
    let table = |room| {
        let header = ["WHO", "HOST", "SESSION", "BY", "WHAT"];
        let mut table = Columns::new(header, room).sparing([3, 2, 1]);
        let first = table.render(rows(&[&["abc", "quay-1", "0b9c1f9e", "", "a message"]]));
        first + &table.render(rows(&[&["abc", "", "", "", "another"]]))
    };
    insta::assert_snapshot!(table(None), @"
    WHO  HOST    SESSION   BY  WHAT
    abc  quay-1  0b9c1f9e      a message
    abc                        another
    ");
    insta::assert_snapshot!(table(Some(5 + 8 + 10 + 24)), @"
    WHO  HOST    SESSION   WHAT
    abc  quay-1  0b9c1f9e  a message
    abc                    another
    ");
    insta::assert_snapshot!(table(Some(5 + 8 + 10 + 23)), @"
    WHO  SESSION   WHAT
    abc  0b9c1f9e  a message
    abc            another
    ");
    insta::assert_snapshot!(table(Some(20)), @"
    WHO  WHAT
    abc  a message
    abc  another
    ");
}

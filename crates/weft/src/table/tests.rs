//! How tables come out at different widths.

use super::Table;

fn table() -> Table {
    let mut table = Table::new(["TYPE", "STATUS", "MEANING", "FIELDS"]);
    let mut row = |cells: [&str; 4]| table.row(cells.map(str::to_owned));
    row(["bead.claimed", "started", "A worker took a bead and begins to work on it", "bead_id"]);
    row(["x", "-", "", "data.a_long_name, data.b, data.c"]);
    table
}

#[test]
fn columns_are_as_wide_as_their_longest_cell() {
    insta::assert_snapshot!(table().render(None), @"
    TYPE          STATUS   MEANING                                        FIELDS
    bead.claimed  started  A worker took a bead and begins to work on it  bead_id
    x             -                                                       data.a_long_name, data.b, data.c
    ");
    assert_eq!(table().render(Some(200)), table().render(None));
}

#[test]
fn the_last_two_columns_wrap_to_the_width() {
    let text = table().render(Some(70));
    insta::assert_snapshot!(text, @"
    TYPE          STATUS   MEANING                      FIELDS
    bead.claimed  started  A worker took a bead and     bead_id
                           begins to work on it
    x             -                                     data.a_long_name,
                                                        data.b, data.c
    ");
    assert!(text.lines().all(|line| line.chars().count() <= 70));
}

#[test]
fn no_column_is_squeezed_to_nothing() {
    insta::assert_snapshot!(table().render(Some(10)), @"
    TYPE          STATUS   MEANING       FIELDS
    bead.claimed  started  A worker      bead_id
                           took a bead
                           and begins
                           to work on
                           it
    x             -                      data.a_long_name,
                                         data.b,
                                         data.c
    ");
}

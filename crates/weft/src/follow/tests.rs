//! What is new of a text.

use super::new_lines;

#[test]
fn lines_are_new_that_are_there_more_often_than_before() {
    assert_eq!(new_lines("", "a\n\nb\n"), "a\n\nb\n");
    assert_eq!(new_lines("a\n\nb\n", "a\n\nb\n"), "");
    assert_eq!(new_lines("a\n}\n1 turn\n", "a\n}\nb\n}\n2 turns\n"), "b\n}\n2 turns\n");
}

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::Typed;

fn pressed(text: &str, keys: &[(KeyCode, KeyModifiers)]) -> String {
    let mut typed = Typed::new(text);
    for (code, modifiers) in keys {
        typed.press(KeyEvent::new(*code, *modifiers));
    }
    let (before, after) = typed.text().split_at(typed.cursor());
    format!("{before}|{after}")
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const CONTROL: KeyModifiers = KeyModifiers::CONTROL;

#[test]
fn a_line_is_edited_as_everywhere() {
    let left = (KeyCode::Left, NONE);
    assert_eq!(pressed("ab", &[(KeyCode::Char('c'), NONE)]), "abc|");
    assert_eq!(pressed("añb", &[left, left, (KeyCode::Backspace, NONE)]), "|ñb");
    assert_eq!(pressed("añb", &[left, left, (KeyCode::Delete, NONE)]), "a|b");
    assert_eq!(pressed("ab", &[(KeyCode::Home, NONE), (KeyCode::Char('x'), NONE)]), "x|ab");
    assert_eq!(pressed("one two ", &[(KeyCode::Char('w'), CONTROL)]), "one |");
    assert_eq!(pressed("one two", &[left, (KeyCode::Char('k'), CONTROL)]), "one tw|");
    assert_eq!(pressed("one two", &[left, (KeyCode::Char('u'), CONTROL)]), "|o");
}

#[test]
fn nothing_that_is_pressed_breaks_it() {
    let codes = [
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Backspace,
        KeyCode::Delete,
        KeyCode::Char('語'),
        KeyCode::Char('w'),
        KeyCode::Home,
        KeyCode::End,
    ];
    let mut typed = Typed::new("añ語");
    for n in 0..4096_usize {
        let code = codes[(n * 7 + n / 5 + n / 64) % codes.len()];
        let modifiers = if n % 11 == 0 { CONTROL } else { NONE };
        typed.press(KeyEvent::new(code, modifiers));
        assert!(typed.text().is_char_boundary(typed.cursor()));
    }
}

#[test]
fn what_is_pasted_is_one_line() {
    let mut typed = Typed::default();
    typed.insert("a\nb\u{1b}[2J");
    assert_eq!(typed.text(), "ab[2J");
}

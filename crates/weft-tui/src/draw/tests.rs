//! Every screen as text, at several sizes, and the mouse on it.

use crossterm::event::{KeyCode, MouseButton, MouseEvent, MouseEventKind};
use insta::assert_snapshot;

use crate::app::Input;
use crate::panel::Panel;
use crate::scene::Scene;

/// The panels with the key that shows each.
const KEYS: [(Panel, char); 14] = [
    (Panel::Fleet, '1'),
    (Panel::Inbox, '2'),
    (Panel::Timeline, '3'),
    (Panel::Session, '4'),
    (Panel::Trace, '5'),
    (Panel::Work, '6'),
    (Panel::Usage, '7'),
    (Panel::Files, '8'),
    (Panel::Errors, '9'),
    (Panel::Decisions, '0'),
    (Panel::Loops, 'o'),
    (Panel::Runs, 'u'),
    (Panel::Gateway, 'w'),
    (Panel::Log, 'l'),
];

fn screens(columns: u16, rows: u16) {
    let mut scene = Scene::new(columns, rows);
    let mut shoot = |name: &str, keys: &str| {
        for key in keys.chars() {
            scene.press(&[match key {
                '⏎' => KeyCode::Enter,
                '⎋' => KeyCode::Esc,
                key => KeyCode::Char(key),
            }]);
        }
        assert_snapshot!(format!("{name}-{columns}x{rows}"), scene.screen());
    };
    for (panel, key) in KEYS {
        shoot(&format!("{panel:?}"), &key.to_string());
    }
    shoot("plans", "6v");
    shoot("budgets", "7v");
    shoot("collisions", "8v");
    shoot("leases", "v");
    shoot("talk", "4jjjjs");
    shoot("talk-unfolded", "z");
    shoot("spans", "5t");
    shoot("details", "1⏎");
    shoot("help", "⎋?");
    shoot("palette", "⎋:");
}

#[test]
fn every_screen_of_a_small_terminal() {
    screens(80, 24);
}

#[test]
fn every_screen_of_a_large_terminal() {
    screens(200, 60);
}

#[test]
fn who_is_stuck_is_shown_with_the_rules_and_the_records_that_made_it() {
    const QUARTER_HOUR_NS: i64 = 900_000_000_000;
    for (columns, rows) in [(80, 24), (200, 60)] {
        let mut scene = Scene::new(columns, rows);
        scene.pass(QUARTER_HOUR_NS);
        for (name, keys) in [("stuck-fleet", "1j"), ("stuck", "2v")] {
            scene.type_in(keys);
            assert_snapshot!(format!("{name}-{columns}x{rows}"), scene.screen());
        }
    }
}

#[test]
fn a_narrow_terminal_keeps_what_matters() {
    let mut scene = Scene::new(60, 20);
    for (panel, key) in KEYS {
        scene.type_in(&key.to_string());
        assert_snapshot!(format!("{panel:?}-60x20"), scene.screen());
    }
}

#[test]
fn no_size_breaks_a_screen() {
    let mut scene = Scene::new(80, 24);
    for (columns, rows) in
        [(1, 1), (2, 40), (300, 3), (20, 6), (21, 7), (40, 10), (59, 12), (500, 200)]
    {
        scene.input(Input::Resize(columns, rows));
        for (_, key) in KEYS {
            scene.type_in(&key.to_string());
            scene.screen();
            for over in ["?", ":", "/", "@"] {
                scene.type_in(over);
                scene.screen();
                scene.press(&[KeyCode::Esc]);
            }
            scene.press(&[KeyCode::Enter, KeyCode::PageDown, KeyCode::Esc]);
        }
    }
}

#[test]
fn nothing_is_shown_before_anything_is_known() {
    let mut scene = Scene::of(Vec::new(), 60, 8);
    assert_snapshot!(scene.screen(), @"
    1 Fleet 2 Inbox 3 Time 4 Sess 5 6 Work 7 8 9 0 o u w l Log
     ● live  0 of 0                                        demo

     nobody has said anything yet



     ? help  Enter details  s open session  r open records
    ");
    scene.type_in("2");
    assert_snapshot!(scene.screen(), @"
    1 Fleet 2 Inbox 3 Time 4 Sess 5 6 Work 7 8 9 0 o u w l Log
     ● live  0 of 0                                        demo

     nothing needs you



     ? help  Enter details  v other table  r open records
    ");
}

#[test]
fn a_click_chooses_a_panel_or_a_row_and_the_wheel_moves() {
    let mouse = |kind, column, row| {
        Input::Mouse(MouseEvent {
            kind,
            column,
            row,
            modifiers: crossterm::event::KeyModifiers::NONE,
        })
    };
    let click = MouseEventKind::Down(MouseButton::Left);
    let mut scene = Scene::new(80, 24);
    scene.input(mouse(click, 12, 0));
    assert_eq!(scene.app.panel, Panel::Inbox);
    scene.type_in("1");
    scene.input(mouse(click, 10, 5));
    assert_eq!(scene.app.spot().idx, 2);
    scene.input(mouse(MouseEventKind::ScrollDown, 10, 5));
    assert_eq!(scene.app.spot().idx, 5);
    scene.input(mouse(MouseEventKind::ScrollUp, 10, 5));
    assert_eq!(scene.app.spot().idx, 2);
}

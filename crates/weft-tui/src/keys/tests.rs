use std::collections::HashSet;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Action, CONTEXTS, Context, TABLE, action};
use crate::panel::Panel;

#[test]
fn no_key_has_two_meanings() {
    for context in CONTEXTS {
        let counts = |other: Context| other == context || Some(other) == context.base();
        let keys = TABLE.iter().filter(|binding| counts(binding.context));
        let mut seen = HashSet::new();
        for key in keys.flat_map(|binding| binding.keys) {
            assert!(
                seen.insert(key.label()),
                "{} means two things: {}",
                key.label(),
                context.title()
            );
        }
    }
}

#[test]
fn every_panel_has_a_key_and_every_name_is_one_action_s() {
    for panel in Panel::ALL {
        assert!(TABLE.iter().any(|binding| binding.action == Action::Show(panel)), "{panel:?}");
    }
    let names: HashSet<&str> = TABLE.iter().map(|binding| binding.name).collect();
    assert_eq!(names.len(), TABLE.len());
}

#[test]
fn keys_of_all_panels_count_in_each() {
    let press = |c: char| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
    assert_eq!(action(Context::Timeline, press('+')), Some(Action::Narrow));
    assert_eq!(action(Context::Timeline, press('q')), Some(Action::Quit));
    assert_eq!(action(Context::Panels, press('+')), None);
    assert_eq!(action(Context::Prompt, press('q')), None);
    let shifted = KeyEvent::new(KeyCode::Char('G'), KeyModifiers::SHIFT);
    assert_eq!(action(Context::Panels, shifted), Some(Action::Last));
}

//! When the bell rings.

use jiff::tz::TimeZone;
use weft_view::inbox::{Need, NeedKind};

use super::Bell;
use crate::notify::{Channel, scene};

fn need(id: &str) -> Need {
    scene::need(NeedKind::Failed, id)
}

#[test]
fn it_rings_once_for_what_comes_while_somebody_watches() {
    let mut bell = Bell::new(&[scene::rule("r", Channel::Bell)], TimeZone::UTC);
    assert!(!bell.is_due(&[need("old")], 1), "it is on the screen from the beginning");
    assert!(!bell.is_due(&[need("old")], 2));
    assert!(bell.is_due(&[need("old"), need("new")], 3));
    assert!(!bell.is_due(&[need("old"), need("new")], 4));
    assert!(!bell.is_due(&[], 5));
}

#[test]
fn other_ways_to_tell_ring_nothing() {
    let mut bell = Bell::new(&[scene::rule("r", Channel::Desktop)], TimeZone::UTC);
    assert!(!bell.is_set());
    assert!(!bell.is_due(&[], 1));
    assert!(!bell.is_due(&[need("new")], 2));
}

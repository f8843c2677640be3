//! Room is taken by size, and what is larger than all of it goes alone.

use std::time::Duration;

use futures_util::FutureExt as _;

use super::Rooms;

fn rooms() -> Rooms {
    Rooms::new(64 << 10, Duration::ZERO)
}

/// Returns whether there is room at once.
fn has_room(rooms: &Rooms, n_bytes: usize) -> bool {
    rooms.wait(n_bytes).now_or_never().is_some()
}

#[test]
fn as_much_is_let_in_as_fits_by_size() {
    let rooms = rooms();
    let large = rooms.wait(40_000).now_or_never().expect("there is room");
    assert!(large.bytes() >= 40_000);
    assert!(!has_room(&rooms, 40_000), "there are 24 KiB left");
    let small = rooms.wait(20_000).now_or_never().expect("a smaller one fits beside it");
    assert!(!has_room(&rooms, 10_000));
    drop(large);
    assert!(has_room(&rooms, 40_000));
    drop(small);
}

#[test]
fn one_that_is_larger_than_all_the_room_goes_alone() {
    let rooms = rooms();
    let small = rooms.wait(1).now_or_never().expect("there is room");
    let mut huge = Box::pin(rooms.wait(1 << 30));
    assert!(huge.as_mut().now_or_never().is_none(), "it waits for the other");
    assert!(!has_room(&rooms, 1), "and others wait behind it");
    drop(small);
    let huge = huge.now_or_never().expect("it has all of the room");
    assert_eq!(huge.bytes(), 64 << 10);
    assert!(!has_room(&rooms, 1), "nothing goes beside it");
    drop(huge);
    assert!(has_room(&rooms, 1));
}

//! The order of stamps.

use super::Stamp;

#[test]
fn stamps_are_in_the_order_of_numbers_and_times_and_then_of_positions() {
    let time = |ns: i64, position: u64| Stamp::from((false, ns, position));
    let number = |number: u64, position: u64| Stamp::from((true, number.cast_signed(), position));
    let ordered = [
        time(i64::MIN, 9),
        time(-1, 9),
        time(0, 3),
        time(0, 4),
        time(i64::MAX, 1),
        number(0, 7),
        number(1, 2),
        number(1, 3),
        number(1 << 63, 1),
        number(u64::MAX, 1),
    ];
    assert!(ordered.is_sorted_by(|a, b| a < b), "{ordered:?}");
    assert_eq!(ordered.map(|stamp| stamp.position()), [9, 9, 3, 4, 1, 7, 2, 3, 1, 1]);
}

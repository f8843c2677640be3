//! The limit of a bounded map, and what goes at it.

use super::Bounded;

fn names<const MAX: usize>(bounded: &Bounded<u64, MAX>) -> String {
    let mut names: Vec<&str> = bounded.iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    names.join(" ")
}

#[test]
fn what_was_touched_longest_ago_goes() {
    let mut bounded = Bounded::<u64, 3>::default();
    for (name, at_ns) in [("a", 1), ("b", 2), ("c", 3), ("a", 4), ("d", 5)] {
        *bounded.touch(name, at_ns).expect("it is the newest") += 1;
    }
    assert_eq!(names(&bounded), "a c d");
    assert_eq!(bounded.get("a"), Some(&2));
}

#[test]
fn what_is_older_than_all_that_is_kept_is_not_taken() {
    let mut bounded = Bounded::<u64, 2>::default();
    for (name, at_ns) in [("a", 10), ("b", 20)] {
        assert!(bounded.touch(name, at_ns).is_some());
    }
    assert_eq!(bounded.touch("late", 5), None);
    assert_eq!(names(&bounded), "a b");
    assert!(bounded.touch("a", 5).is_some(), "what is kept can still be told late");
}

#[test]
fn the_same_stay_whatever_order_they_came_in() {
    let stays = |step: u64| {
        let mut bounded = Bounded::<u64, 300>::default();
        for n in (0..1_000).map(|n| n * step % 1_000) {
            bounded.touch(&format!("{n:03}"), n as i64 / 2);
        }
        names(&bounded)
    };
    let newest: Vec<String> = (700..1_000).map(|n| format!("{n:03}")).collect();
    assert_eq!(stays(1), newest.join(" "));
    assert_eq!(stays(7), stays(1));
    assert_eq!(stays(999), stays(1));
}

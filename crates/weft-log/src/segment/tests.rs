//! Names of segments sort as the log does.

use super::{Form, SegmentName};

const NOON_US: i64 = 1_794_744_000_000_000; // 2026-11-15T12:00:00Z
const DAY_US: i64 = 86_400_000_000;

#[test]
fn a_name_is_the_day_and_a_number() {
    let first = SegmentName::first_of_day(NOON_US);
    assert_eq!(first.file(Form::Plain), "events-2026-11-15.0000.jsonl");
    assert_eq!(first.file(Form::Archive), "events-2026-11-15.0000.jsonl.zst");
    for form in [Form::Plain, Form::Archive] {
        assert_eq!(SegmentName::parse(&first.file(form)), Some((first, form)));
    }
}

#[test]
fn the_next_name_sorts_after_and_never_goes_back_a_day() {
    let first = SegmentName::first_of_day(NOON_US);
    let second = first.next(NOON_US).unwrap();
    let tomorrow = second.next(NOON_US + DAY_US).unwrap();
    let after_clock_jumped_back = tomorrow.next(NOON_US - DAY_US).unwrap();
    let names = [first, second, tomorrow, after_clock_jumped_back].map(|name| name.to_string());
    assert_eq!(
        names,
        [
            "events-2026-11-15.0000",
            "events-2026-11-15.0001",
            "events-2026-11-16.0000",
            "events-2026-11-16.0001"
        ]
    );
    assert!(names.is_sorted());
}

#[test]
fn a_day_ends_at_its_last_number() {
    let (last, _) = SegmentName::parse("events-2026-11-15.9999.jsonl").unwrap();
    assert_eq!(last.next(NOON_US), None);
    assert!(last.next(NOON_US + DAY_US).is_some());
}

#[test]
fn other_files_are_no_segments() {
    for file in [
        "",
        "events-",
        "events-2026-11-15.jsonl",
        "events-2026-11-15.0000",
        "events-2026-11-15.00a0.jsonl",
        "events-2026/11-15.0000.jsonl",
        "events-2026-11-15.0000.jsonl.zst.new",
    ] {
        assert_eq!(SegmentName::parse(file), None, "{file}");
    }
}

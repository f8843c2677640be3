//! Every view gives rows that are told apart by their ids.

use std::collections::HashSet;

use weft_event::demo::World;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_view::{Entry, Views};

use super::{Ask, Page, Row};
use crate::views::Judgement;
use crate::views::{GROUPINGS, Name};

/// 2026-11-15 08:00 UTC.
const START_NS: i64 = 1_794_729_600_000_000_000;
const SECOND_NS: i64 = 1_000_000_000;
const N_EVENTS: u64 = 3000;
const NOW_NS: i64 = START_NS + N_EVENTS as i64 * SECOND_NS;

fn demo() -> Views {
    let mut views = Views::default();
    for (position, moment) in (1..=N_EVENTS).zip(World::new(11, START_NS)) {
        let (mut tape, mut problems) = (Tape::new(), Problems::new());
        let event = event::read(&mut tape, moment.line.as_bytes(), Expect::Any, &mut problems);
        let event = event.expect("the demo is valid");
        let facts = event.facts();
        views.apply(&Entry {
            position,
            received_ns: START_NS + position as i64 * SECOND_NS,
            is_carried: false,
            facts: &facts,
            report: &event.report(&facts),
        });
    }
    views
}

fn page(views: &Views, view: Name, limit: usize) -> Page {
    let ask = Ask { view, by: GROUPINGS[0].1, now_ns: NOW_NS, limit };
    Page::of(views, &ask, &Judgement::default())
}

#[test]
fn every_view_has_rows_and_no_two_have_the_same_id() {
    let views = demo();
    for view in Name::ALL {
        let page = page(&views, view, usize::MAX);
        assert!(!page.rows.is_empty(), "{}", view.as_str());
        let ids: HashSet<&str> = page.rows.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(ids.len(), page.rows.len(), "{}", view.as_str());
        for row in &page.rows {
            let mut tape = Tape::new();
            let json = tape.parse(&row.json).expect("it is JSON");
            assert!(json.members().next().is_some(), "{}", row.json);
        }
    }
}

#[test]
fn a_page_says_how_many_rows_it_leaves_out() {
    let views = demo();
    let all = page(&views, Name::Fleet, usize::MAX);
    let some = page(&views, Name::Fleet, 2);
    assert_eq!(some.rows, all.rows[..2]);
    assert_eq!((all.n_more, some.n_more), (0, all.rows.len() - 2));
    let [one, two, ..] = all.rows.as_slice() else { panic!("there are more than two") };
    let bytes_max = one.id.len() + one.json.len() + two.id.len() + two.json.len();
    let mut cut = all.clone();
    cut.cut(bytes_max);
    assert_eq!(cut, some);
}

#[test]
fn time_that_passes_is_no_change() {
    let row = |json: &str| Row::new(String::new(), json.to_owned());
    let before = row(r#"{"quiet_ms":100,"what":"a_ms\":5","lease":{"held_ms":7,"n":1}}"#);
    let after = row(r#"{"quiet_ms":2200,"what":"a_ms\":5","lease":{"held_ms":90,"n":1}}"#);
    assert_eq!(before.gist(), after.gist());
    for changed in [
        r#"{"quiet_ms":100,"what":"a_ms\":6","lease":{"held_ms":7,"n":1}}"#,
        r#"{"quiet_ms":100,"what":"a_ms\":5","lease":{"held_ms":7,"n":2}}"#,
    ] {
        assert_ne!(row(changed).gist(), before.gist());
    }
}

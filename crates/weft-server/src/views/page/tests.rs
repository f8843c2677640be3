//! Every view gives rows that are told apart by their ids.

use std::collections::HashSet;

use weft_event::demo::World;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_event::time::format_rfc3339;
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
    let moments = World::new(11, START_NS).take(N_EVENTS as usize);
    folded(&moments.map(|moment| moment.line).collect::<Vec<_>>())
}

fn folded(lines: &[String]) -> Views {
    let mut views = Views::default();
    for (position, line) in (1..).zip(lines) {
        let (mut tape, mut problems) = (Tape::new(), Problems::new());
        let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems);
        let event = event.expect("it is valid");
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
fn actors_that_collide_again_are_another_row_and_a_third_is_not() {
    let edit = |nth: i64, session: &str| {
        let at = format_rfc3339(START_NS + (nth - 200) * SECOND_NS);
        format!(
            r#"{{"version":"1.0.0","event_type":"hook.pre_tool_use","timestamp":"{at}","agent_id":"{session}","session_id":"{session}","source":"hook","tool":{{"tool_name":"Edit","tool_input":{{"file_path":"/src/a.rs"}}}},"hook":{{"hook_type":"pre_tool_use","raw_payload":{{}}}},"correlation":{{"trace_id":"t","span_id":"c-{nth}"}}}}"#
        )
    };
    let mut lines = vec![edit(1, "a"), edit(2, "b"), edit(101, "a"), edit(102, "b")];
    let ids = |lines: &[String]| {
        let page = page(&folded(lines), Name::Collisions, usize::MAX);
        page.rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&lines), ["file /src/a.rs 3", "file /src/a.rs 1"]);
    lines.push(edit(103, "c"));
    assert_eq!(ids(&lines), ["file /src/a.rs 3", "file /src/a.rs 1"]);
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

//! The page of a digest: that it is whole, needs nothing else, and that nothing an agent wrote is markup in it.

use serde_json::json;

use crate::Judgement;
use crate::digest::{Digest, Question, Told, digest};
use crate::scene::agent;
use crate::testing::{Placed, apply_to, demo, place};

fn digest_of(lines: &[Placed]) -> Digest {
    let mut told = Told::default();
    lines.iter().for_each(|placed| apply_to(placed, |entry| told.apply(entry)));
    let judgement = Judgement::default();
    digest(&Question {
        told: &told,
        end: &told.views,
        since_ns: None,
        until_ns: None,
        session: None,
        judgement: &judgement,
    })
}

/// Asserts that every element that is opened is closed, in order; returns how many there are.
fn assert_closed(page: &str) -> usize {
    const VOID: [&str; 2] = ["meta", "!doctype"];
    let body = page.split_once("</style>").expect("a style").1;
    let (mut open, mut n_elements) = (vec!["html", "head"], 0);
    for tag in body.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap_or_else(|| panic!("<{tag} never ends"));
        let name = tag.split([' ', '\n', '/']).next().unwrap_or_default();
        match tag.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed), "{tag}"),
            None if VOID.contains(&name) || tag.ends_with('/') => n_elements += 1,
            None => {
                open.push(name);
                n_elements += 1;
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
    n_elements
}

#[test]
fn a_page_is_whole_and_needs_nothing_else() {
    let digest = digest_of(&demo(7, 2000));
    let page = digest.to_html();
    assert!(assert_closed(&page) > 100);
    for foreign in ["<script", "<link", "<img", "<iframe", "src=", "href=", "url(", "@import"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    for actor in &digest.actors {
        assert!(page.contains(&actor.actor), "{}", actor.actor);
    }
    for title in ["Events by time", "Cost by agent", "Cost by model", "Calls by tool", "Left"] {
        assert!(page.contains(title), "{title}");
    }
}

#[test]
fn what_an_agent_wrote_is_no_markup() {
    let evil = "</dd><script>alert(1)</script> <img src=x onerror=alert(1)> \" onload=\"x ' &amp;";
    let lines = [
        agent("<b>\"@evil'", "s-1", 1, "activity.prompt", json!({"message": evil})),
        agent("<b>\"@evil'", "s-1", 2, "coordination.blocked", json!({"message": evil})),
        agent(
            "<b>\"@evil'",
            "s-1",
            3,
            "activity.tool_use",
            json!({"message": evil, "tool": {"tool_name": "</svg><script>"}}),
        ),
    ];
    let page = digest_of(&place(lines)).to_html();
    assert_closed(&page);
    assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("<b>\""));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(page.contains("&amp;amp;"));
}

#[test]
fn a_night_without_records_says_so() {
    let page = digest_of(&[]).to_html();
    assert_closed(&page);
    assert!(page.contains("There are no records."));
}

#[test]
fn the_steps_of_time_have_every_event_and_no_hole() {
    let digest = digest_of(&demo(5, 3000));
    let rows = &digest.activity;
    assert!((2..=97).contains(&rows.len()), "{}", rows.len());
    assert_eq!(rows.iter().map(|row| row.n_events).sum::<u64>(), digest.n_events);
    let step_ns = i64::try_from(rows[0].step_ms).unwrap() * 1_000_000;
    assert!(rows.windows(2).all(|pair| pair[1].at.0 - pair[0].at.0 == step_ns));
    assert!(rows.iter().any(|row| row.n_errors > 0));
}

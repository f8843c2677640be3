//! What was decided, put together from what was said of it.

use insta::assert_snapshot;

use super::{DECISIONS_MAX, Decisions};
use crate::testing::{assert_law, fold, place};

fn told(word: &str, time: &str, actor: &str, metadata: &str) -> String {
    format!(
        r#"{{"version":"1.0.0","event_type":"decision.{word}","timestamp":"2026-11-15T08:{time}Z","agent_id":"{actor}","session_id":"s1","message":"{word}","metadata":{{{metadata}}}}}"#
    )
}

fn decisions(lines: &[String]) -> Decisions {
    let lines = place(lines.iter().map(String::as_str));
    assert_law::<Decisions>(&lines, lines.len());
    fold(&lines)
}

#[test]
fn parts_with_one_id_are_one_decision() {
    let decisions = decisions(&[
        told(
            "rejected",
            "01:02",
            "ana",
            r#""decision_id":"d1","option":"timers","reason":"lost on restart""#,
        ),
        told(
            "made",
            "01:00",
            "ana",
            r#""decision_id":"d1","task_id":"har-1","category":"delivery","options":["table","timers","queue"],"chosen":"table""#,
        ),
        told(
            "rationale",
            "01:01",
            "bob",
            r#""decision_id":"d1","rationale":"A restart loses nothing""#,
        ),
        told(
            "rejected",
            "01:03",
            "ana",
            r#""decision_id":"d1","option":"queue","reason":"one more service""#,
        ),
    ]);
    assert_snapshot!(serde_json::to_string_pretty(&decisions.rows()).unwrap(), @r#"
    [
      {
        "id": "d1",
        "chosen": "table",
        "options": [
          "table",
          "timers",
          "queue"
        ],
        "rationale": "A restart loses nothing",
        "category": "delivery",
        "rejected": [
          {
            "option": "queue",
            "reason": "one more service"
          },
          {
            "option": "timers",
            "reason": "lost on restart"
          }
        ],
        "is_made": true,
        "actor": "ana",
        "session": "s1",
        "task": "har-1",
        "since": "2026-11-15T08:01:00Z",
        "last_seen": "2026-11-15T08:01:03Z",
        "positions": [
          1,
          2,
          3,
          4
        ]
      }
    ]
    "#);
}

#[test]
fn decisions_without_an_id_stay_apart() {
    let made = |time, chosen: &str| told("made", time, "ana", &format!(r#""chosen":"{chosen}""#));
    let rows = decisions(&[made("01:00", "a"), made("02:00", "b"), made("01:30", "a")]).rows();
    let chosen: Vec<&str> = rows.iter().filter_map(|row| row.chosen.as_deref()).collect();
    assert_eq!(chosen, ["b", "a", "a"]);
}

#[test]
fn the_later_word_on_a_decision_counts_whenever_it_comes() {
    let made = |time, chosen: &str| {
        told("made", time, "ana", &format!(r#""decision_id":"d1","chosen":"{chosen}""#))
    };
    let rows = decisions(&[made("02:00", "new"), made("01:00", "old")]).rows();
    assert_eq!(rows[0].chosen.as_deref(), Some("new"));
    assert_eq!(rows[0].positions, [1, 2]);
}

#[test]
fn the_oldest_decisions_are_forgotten() {
    let made = |n: usize| {
        told(
            "made",
            &format!("{:02}:00", n * 59 / DECISIONS_MAX),
            "ana",
            &format!(r#""decision_id":"d{n:05}","chosen":"x""#),
        )
    };
    let decisions: Decisions = fold(&place((0..=DECISIONS_MAX).map(made)));
    let rows = decisions.rows();
    assert!(
        rows.len() <= DECISIONS_MAX && rows.iter().all(|row| row.id.as_deref() != Some("d00000"))
    );
}

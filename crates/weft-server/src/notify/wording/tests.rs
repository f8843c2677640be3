//! What a message says.

use insta::assert_snapshot;
use weft_view::inbox::{Need, NeedKind};

use super::Worded;
use crate::notify::memory::Message;
use crate::notify::scene;

fn need(kind: NeedKind, actor: &str, what: &str) -> Need {
    let need = scene::need(kind, &format!("{}/{actor}/1", kind.as_str()));
    Need { actor: actor.to_owned(), session: None, what: what.to_owned(), ..need }
}

fn worded(needs: Vec<Need>, n_held: usize) -> Worded {
    Worded::new(&Message { rule: "r".to_owned(), needs, n_held }, 0)
}

fn shown(needs: Vec<Need>, n_held: usize) -> String {
    let Worded { title, text, .. } = worded(needs, n_held);
    format!("{title}\n{text}")
}

#[test]
fn one_need_says_who_and_what() {
    let one = need(NeedKind::Permission, "@qa", "wants to use Bash");
    assert_snapshot!(shown(vec![one], 0), @"
    @qa asks for permission
    wants to use Bash
    weft show 7
    ");
}

#[test]
fn many_are_counted_and_the_worst_told() {
    let mut needs = vec![need(NeedKind::Blocked, "@lead", "no\nkey \u{1b}[31m")];
    needs.extend((0..40).map(|n| need(NeedKind::Failed, &format!("w-{n}"), &"x".repeat(300))));
    let worded = worded(needs.clone(), 3);
    assert_eq!((worded.n_needs, worded.needs.len()), (41, 20));
    let text = shown(needs, 3).replace(&"x".repeat(200), "(200 x)");
    assert_snapshot!(text, @"
    41 things need you: 1 blocked, 40 failed
    @lead: no key  [31m
    w-0: (200 x)…
    w-1: (200 x)…
    w-2: (200 x)…
    w-3: (200 x)…
    and 36 more
    3 came while it was quiet
    weft inbox
    ");
}

#[test]
fn a_message_is_the_json_that_programs_get() {
    let one = worded(vec![need(NeedKind::Stuck, "@qa", "silent")], 0);
    assert_snapshot!(serde_json::to_string_pretty(&one).unwrap(), @r#"
    {
      "rule": "r",
      "is_test": false,
      "at": "1970-01-01T00:00:00Z",
      "n_needs": 1,
      "n_held": 0,
      "title": "@qa is stuck",
      "text": "silent\nweft show 7",
      "needs": [
        {
          "id": "stuck/@qa/1",
          "kind": "stuck",
          "actor": "@qa",
          "since": "1970-01-01T00:00:00Z",
          "what": "silent",
          "positions": [
            7
          ],
          "command": "weft show 7"
        }
      ]
    }
    "#);
}

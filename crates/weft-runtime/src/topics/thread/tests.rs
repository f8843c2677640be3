//! The order of a thread, whatever the messages are.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::topics::posted::Message;

fn posted(position: u64, id: &str, parent: Option<&str>, posted_ns: i64) -> Posted {
    Posted {
        position: Position::new(position).expect("it is not 0"),
        topic: "t".to_owned(),
        key: None,
        message: Some(Message {
            id: id.to_owned(),
            topic_id: "t".to_owned(),
            parent: parent.map(str::to_owned),
            sender: None,
            git: None,
        }),
        body: id.to_owned(),
        posted_ns,
        session: None,
    }
}

fn shown(messages: Vec<Posted>) -> String {
    let line = |reply: &Reply| format!("{}{}", "  ".repeat(reply.depth), reply.posted.body);
    arrange(messages).iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn answers_stand_below_what_they_answer_oldest_first() {
    let messages = vec![
        posted(1, "root", None, 10),
        posted(5, "late", Some("root"), 40),
        posted(2, "early", Some("root"), 20),
        posted(4, "to early", Some("early"), 50),
        posted(3, "to late", Some("late"), 45),
        posted(6, "elsewhere", Some("nobody"), 1),
        posted(7, "early", Some("root"), 20),
    ];
    insta::assert_snapshot!(shown(messages), @"
    root
      early
        to early
      late
        to late
    ");
}

#[test]
fn messages_that_answer_each_other_in_a_circle_end() {
    let messages = vec![
        posted(1, "a", Some("b"), 1),
        posted(2, "b", Some("a"), 2),
        posted(3, "c", Some("c"), 3),
    ];
    assert_eq!(shown(messages), "a\n  b");
    assert_eq!(shown(Vec::new()), "");
}

/// Messages of which each answers an earlier one or, wrongly, any other.
fn messages() -> impl Strategy<Value = Vec<Posted>> {
    let one = (prop::option::weighted(0.9, any::<prop::sample::Index>()), 0_i64..6, any::<bool>());
    prop::collection::vec(one, 1..30).prop_map(|rows| {
        let n = rows.len();
        let made = rows.into_iter().enumerate().map(|(idx, (parent, at_ns, is_wild))| {
            let reach = if is_wild { n } else { idx.max(1) };
            let parent = parent.filter(|_| idx > 0).map(|parent| parent.index(reach).to_string());
            posted(idx as u64 + 1, &idx.to_string(), parent.as_deref(), at_ns)
        });
        made.collect()
    })
}

proptest! {
    #[test]
    fn a_thread_has_each_answer_once_below_its_parent_and_by_time(messages in messages()) {
        let arranged = arrange(messages.clone());
        let parent = |reply: &Reply| reply.posted.message.as_ref().and_then(|it| it.parent.clone());
        // Everything that hangs on the first is there, and nothing else.
        let parents: HashMap<String, Option<String>> = messages
            .iter()
            .map(|it| (it.name(), it.message.as_ref().and_then(|it| it.parent.clone())))
            .collect();
        let hangs = |mut name: String| {
            for _ in 0..=messages.len() {
                if name == "0" {
                    return true;
                }
                match parents.get(&name).cloned().flatten() {
                    Some(parent) => name = parent,
                    None => return false,
                }
            }
            false
        };
        let mut expected: Vec<String> = messages.iter().map(Posted::name).filter(|name| hangs(name.clone())).collect();
        let mut got: Vec<String> = arranged.iter().map(|reply| reply.posted.name()).collect();
        expected.sort();
        got.sort();
        prop_assert_eq!(got, expected);
        prop_assert_eq!(arranged[0].depth, 0);
        // The nearest one before it that is one level less deep is what it answers; those side by side are in order.
        for (idx, reply) in arranged.iter().enumerate().skip(1) {
            let above = arranged[..idx].iter().rev().find(|other| other.depth < reply.depth).expect("the first is above all");
            prop_assert_eq!(above.depth + 1, reply.depth);
            prop_assert_eq!(parent(reply), Some(above.posted.name()));
            let before = arranged[..idx].iter().rev().take_while(|other| other.depth >= reply.depth);
            if let Some(sibling) = before.into_iter().find(|other| other.depth == reply.depth) {
                prop_assert!(key(&sibling.posted) <= key(&reply.posted));
            }
        }
    }
}

//! What is told when: each cause once, nothing while it is quiet but what is excepted.

mod model;

use std::time::Duration;

use jiff::tz::TimeZone;
use weft_view::inbox::{Need, NeedKind};

use super::{CAUSES_MAX, Memory, Now, Outlook, REMEMBERED_NS};
use crate::notify::quiet::Quiet;
use crate::notify::scene::{self, need};
use crate::notify::{Channel, Pattern, Rule};

const SECOND: i64 = 1_000_000_000;
const HOUR: i64 = 3_600 * SECOND;

fn rule(name: &str) -> Rule {
    let (after, gather) = (Duration::from_secs(10), Duration::from_secs(2));
    Rule { after, gather, ..scene::rule(name, Channel::Desktop) }
}

fn blocked(ids: &[&str]) -> Vec<Need> {
    ids.iter().map(|id| need(NeedKind::Blocked, id)).collect()
}

/// Looks, and lets whatever is told arrive.
fn look(memory: &mut Memory, rules: &[Rule], needs: &[Need], now_ns: i64) -> Outlook {
    let outlook = memory.look(rules, needs, Now { ns: now_ns, zone: &TimeZone::UTC });
    outlook.tell.iter().for_each(|message| memory.landed(&message.rule, now_ns));
    outlook
}

/// Returns the ids that are told, and in how many seconds to look again.
fn told(outlook: &Outlook, now_ns: i64) -> String {
    let ids = |message: &super::Message| {
        let ids: Vec<&str> = message.needs.iter().map(|need| need.id.as_str()).collect();
        format!("{}: {}", message.rule, ids.join(" "))
    };
    let all: Vec<String> = outlook.tell.iter().map(ids).collect();
    let again = outlook.again_ns.map_or("-".to_owned(), |ns| ((ns - now_ns) / SECOND).to_string());
    format!("[{}] again {again}", all.join(", "))
}

/// Looks at what is there at each moment; returns what is told.
fn play(rules: &[Rule], moments: &[(i64, &[&str])]) -> Vec<String> {
    let mut memory = Memory::default();
    let moment = |(seconds, ids): &(i64, &[&str])| {
        let now_ns = seconds * SECOND;
        let outlook = look(&mut memory, rules, &blocked(ids), now_ns);
        format!("{seconds} {}", told(&outlook, now_ns))
    };
    moments.iter().map(moment).collect()
}

#[test]
fn a_need_is_told_once_when_it_has_stood_long_enough() {
    let played = play(
        &[rule("r")],
        &[(0, &["a"]), (5, &["a"]), (11, &["a"]), (12, &["a"]), (13, &["a"]), (9_000, &["a"])],
    );
    assert_eq!(
        played,
        [
            "0 [] again 12",
            "5 [] again 7",
            "11 [] again 1",
            "12 [r: a] again -",
            "13 [] again -",
            "9000 [] again -"
        ]
    );
}

#[test]
fn what_is_resolved_meanwhile_is_not_told_and_begins_anew() {
    let played =
        play(&[rule("r")], &[(0, &["a"]), (8, &[]), (9, &["a"]), (20, &["a"]), (21, &["a"])]);
    assert_eq!(played[3..], ["20 [] again 1", "21 [r: a] again -"]);
}

#[test]
fn a_storm_is_one_message() {
    let ids: Vec<String> = (0..40).map(|n| format!("n{n:02}")).collect();
    let names: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut memory = Memory::default();
    let rules = [rule("r")];
    for n in 1..=40i64 {
        let there = &names[..usize::try_from(n).unwrap()];
        let outlook = look(&mut memory, &rules, &blocked(there), n * 50_000_000);
        assert_eq!(outlook.tell, []);
    }
    let outlook = look(&mut memory, &rules, &blocked(&names), 50_000_000 + 12 * SECOND);
    assert_eq!(outlook.tell.len(), 1);
    assert_eq!(outlook.tell[0].needs.len(), 40);
}

#[test]
fn a_cause_that_comes_back_is_news_only_after_a_while() {
    let hour = REMEMBERED_NS / SECOND;
    let back = |away: i64| {
        play(
            &[rule("r")],
            &[
                (0, &["a"]),
                (12, &["a"]),
                (20, &[]),
                (20 + away, &[]),
                (20 + away, &["a"]),
                (40 + away, &["a"]),
            ],
        )
        .pop()
        .unwrap()
    };
    assert_eq!(back(hour - 1), format!("{} [] again -", 40 + hour - 1));
    assert_eq!(back(hour), format!("{} [r: a] again -", 40 + hour));
}

#[test]
fn while_a_message_is_under_way_its_rule_waits_and_others_do_not() {
    let rules = [rule("r"), Rule { after: Duration::from_secs(30), ..rule("slow") }];
    let mut memory = Memory::default();
    let see = |memory: &mut Memory, ids: &[&str], seconds: i64| {
        let now = Now { ns: seconds * SECOND, zone: &TimeZone::UTC };
        told(&memory.look(&rules, &blocked(ids), now), now.ns)
    };
    see(&mut memory, &["a"], 0);
    assert_eq!(see(&mut memory, &["a"], 12), "[r: a] again 20");
    assert_eq!(see(&mut memory, &["a", "b"], 13), "[] again 19");
    assert_eq!(see(&mut memory, &["a", "b"], 32), "[slow: a] again 13");
    memory.landed("r", 33 * SECOND);
    assert_eq!(see(&mut memory, &["a", "b"], 33), "[r: b] again -");
    assert_eq!(memory.told("r").collect::<Vec<_>>(), [("a", 33 * SECOND)]);
}

#[test]
fn what_comes_while_it_is_quiet_is_told_at_its_end_if_it_still_stands() {
    let night = Rule {
        quiet: vec![Quiet::parse("22:00-07:00").unwrap()],
        quiet_except: vec![NeedKind::Permission],
        ..rule("r")
    };
    let needs = |ids: &[&str]| {
        let mut needs = blocked(ids);
        needs.push(need(NeedKind::Permission, "p"));
        needs
    };
    let rules = [night];
    let mut memory = Memory::default();
    let evening = 22 * HOUR - 5 * SECOND;
    assert_eq!(told(&look(&mut memory, &rules, &blocked(&["a"]), evening), evening), "[] again 12");
    let late = 23 * HOUR;
    let outlook = look(&mut memory, &rules, &blocked(&["a", "b"]), late);
    assert_eq!(told(&outlook, late), format!("[] again {}", 8 * HOUR / SECOND));
    look(&mut memory, &rules, &needs(&["a", "b"]), late);
    let later = late + 12 * SECOND;
    let outlook = look(&mut memory, &rules, &needs(&["a", "b"]), later);
    assert_eq!(told(&outlook, later), format!("[r: p] again {}", 8 * HOUR / SECOND - 12));
    let morning = 31 * HOUR;
    let outlook = look(&mut memory, &rules, &needs(&["a", "c"]), morning);
    assert_eq!(told(&outlook, morning), "[r: a] again 12", "b was resolved, c has just come");
    assert_eq!(outlook.tell[0].n_held, 1);
}

#[test]
fn rules_tell_what_they_are_about() {
    let of = |rule: &Rule, need: &Need| rule.is_about(need);
    let asks = need(NeedKind::Permission, "lead-1");
    assert!(of(&rule("r"), &asks));
    assert!(!of(&Rule { when: vec![NeedKind::Failed], ..rule("r") }, &asks));
    let actor = |text: &str| Rule { actor: Some(Pattern(text.to_owned())), ..rule("r") };
    assert!(of(&actor("@lead*"), &asks) && of(&actor("@lead-1"), &asks));
    assert!(!of(&actor("@lead"), &asks));
    let session = Rule { session: Some(Pattern("s-?".to_owned())), ..rule("r") };
    assert!(of(&session, &asks));
    assert!(!of(&session, &Need { session: None, ..asks }), "one without a session");
}

#[test]
fn memory_does_not_grow_without_end() {
    let rules = [Rule { after: Duration::ZERO, gather: Duration::ZERO, ..rule("r") }];
    let mut memory = Memory::default();
    for round in 0..5 {
        let ids: Vec<String> = (0..CAUSES_MAX).map(|n| format!("{round}-{n}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        look(&mut memory, &rules, &blocked(&ids), round * SECOND);
    }
    assert_eq!(memory.books["r"].len(), 2 * CAUSES_MAX);
    let long = "x".repeat(100_000);
    look(&mut memory, &rules, &blocked(&[&long]), 10 * HOUR);
    assert!(memory.told("r").all(|(id, _)| id.len() <= 200));
    assert_eq!(look(&mut memory, &rules, &blocked(&[&long]), 11 * HOUR).tell, []);
}

//! What users of the world rely on: clean lines, every type, order, causes before effects, and a first minute that shows it all.

mod cause;
mod opening;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use super::{Moment, World};
use crate::event::{self, Event, Expect};
use crate::identity::KeyDigests;
use crate::idle::STATE_LIFE;
use crate::json::{Tape, Value};
use crate::order::{self, Step, Watch};
use crate::problem::Problems;
use crate::testing::show;
use crate::time::{MILLI_NS, SECOND_NS};
use crate::{Dialect, collector, engine};

/// 2026-03-02T20:00:00Z.
const START_NS: i64 = 1_772_481_600 * SECOND_NS;
const SEEDS: [u64; 5] = [0, 1, 7, 4_242, u64::MAX];
const N: usize = 10_000;

static NIGHTS: LazyLock<Vec<Vec<Moment>>> =
    LazyLock::new(|| SEEDS.iter().map(|&seed| night(seed, N)).collect());

fn night(seed: u64, n: usize) -> Vec<Moment> {
    World::new(seed, START_NS).take(n).collect()
}

/// Reads every moment of some nights, each night with a state of its own.
fn each<S: Default>(
    nights: &[Vec<Moment>],
    mut check: impl FnMut(&mut S, &Moment, &Event<'_>),
    mut end: impl FnMut(S),
) {
    let mut tape = Tape::new();
    for night in nights {
        let mut state = S::default();
        for moment in night {
            check(&mut state, moment, &read(&mut tape, moment));
        }
        end(state);
    }
}

fn read<'a>(tape: &'a mut Tape, moment: &'a Moment) -> Event<'a> {
    let mut problems = Problems::new();
    let event = event::read(tape, moment.line.as_bytes(), Expect::Any, &mut problems);
    assert_eq!(show(&problems), "fine", "{}", moment.line);
    event.expect("a line without problems is an event")
}

#[test]
fn every_line_is_clean_and_of_the_dialect_it_says() {
    each(
        &NIGHTS,
        |n: &mut usize, moment, event| {
            *n += 1;
            assert_eq!(event.dialect(), moment.dialect, "{}", moment.line);
            assert!(!moment.line.contains('\n') && moment.line.len() < 4_000, "{}", moment.line);
        },
        |n| assert_eq!(n, N),
    );
}

#[test]
fn ten_thousand_events_have_every_type_that_is_sent_and_every_action() {
    let types: BTreeSet<(Dialect, &str)> = Dialect::ALL
        .iter()
        .filter(|&&dialect| dialect != Dialect::Weft)
        .flat_map(|&dialect| dialect.taxonomy().rows().iter().map(move |row| (dialect, row.name)))
        // What files of sessions tell stands for what hooks tell here.
        .filter(|(_, name)| !collector::RECORDED.contains(name))
        .collect();
    each(
        &NIGHTS,
        |seen: &mut (BTreeSet<(Dialect, String)>, BTreeSet<String>), _, event| {
            let facts = event.facts();
            seen.0.insert((facts.dialect, facts.event_type.clone().into_owned()));
            if facts.event_type == "AgentActionProposed" {
                seen.1.extend(facts.tool.map(|tool| tool.into_owned()));
            }
        },
        |(seen, actions)| {
            let is_missing = |(dialect, name): &&(Dialect, &str)| {
                !seen.contains(&(*dialect, (*name).to_owned()))
            };
            let missing: Vec<_> = types.iter().filter(is_missing).collect();
            assert!(missing.is_empty(), "{missing:?}");
            let is_recorded =
                |(_, name): &&(Dialect, String)| collector::RECORDED.contains(&name.as_str());
            assert_eq!(seen.iter().find(is_recorded), None);
            let all: BTreeSet<_> = engine::action::ACTIONS.iter().map(|&a| a.to_owned()).collect();
            assert_eq!(actions, all);
        },
    );
}

#[test]
fn documents_inside_engine_events_are_valid() {
    let mut n_checked = BTreeMap::<&str, usize>::new();
    let mut check = |name: &'static str, value: Value<'_>| {
        let (mut tape, mut problems) = (Tape::new(), Problems::new());
        let document = tape.parse(value.raw()).unwrap();
        assert!(Dialect::Engine.check_document(name, document, &mut problems));
        assert_eq!(show(&problems), "fine", "{name}: {}", value.raw());
        *n_checked.entry(name).or_default() += 1;
    };
    each(
        &NIGHTS[..2],
        |(): &mut (), _, event| {
            let facts = event.facts();
            let Some(payload) = event.value().get("payload") else { return };
            match facts.event_type.as_ref() {
                "AgentActionProposed" => check("action", payload.get("action").unwrap()),
                "Observation" => check("observation", payload),
                "PlanUpdated" => check("plan", payload),
                "TaskUpdated" => check("task", payload),
                "JudgeResult" => {
                    check("result", payload);
                    check("evidence", payload.get("pack").unwrap());
                }
                _ => {}
            }
        },
        |()| {},
    );
    assert_eq!(n_checked.len(), 6, "{n_checked:?}");
}

#[test]
fn sequences_begin_at_zero_and_have_no_gap() {
    each(
        &NIGHTS[..2],
        |watches: &mut HashMap<String, (Watch, u64)>, moment, event| {
            let facts = event.facts();
            let Some(number) = facts.order else { return };
            let producer = order::producer(&facts).to_string();
            let first = (Watch::new(facts.dialect), number);
            let (watch, first) = watches.entry(producer).or_insert(first);
            assert_eq!(*first, 0, "{}", moment.line);
            assert_eq!(watch.step(number), Step::Next, "{}", moment.line);
        },
        |watches| assert!(watches.len() > 20, "{} producers", watches.len()),
    );
}

#[test]
fn time_never_goes_back_and_a_line_says_when_it_is_due() {
    each(
        &NIGHTS[..2],
        |before: &mut (i64, HashMap<String, i64>), moment, event| {
            assert!(moment.due_ns >= before.0, "{}", moment.line);
            before.0 = moment.due_ns;
            let facts = event.facts();
            let time_ns = facts.time_ns.expect("every event says when it happened");
            let late_ns = moment.due_ns - time_ns;
            // The one exception is the state of the evening before, which is found when the night begins.
            let is_found = facts.event_type == "STATE" && late_ns > STATE_LIFE.as_nanos() as i64;
            assert!((0..MILLI_NS).contains(&late_ns) || is_found, "{}", moment.line);
            let last_ns = before.1.insert(order::producer(&facts).to_string(), time_ns);
            assert!(last_ns.is_none_or(|last_ns| last_ns <= time_ns), "{}", moment.line);
        },
        |_| {},
    );
}

#[test]
fn no_event_is_a_repeat_of_another_or_in_conflict_with_it() {
    each(
        &NIGHTS,
        |seen: &mut HashSet<(&'static str, [u8; 16])>, moment, event| {
            let KeyDigests { own, place, retry } = KeyDigests::of(&event.facts());
            let [retry, _] = retry;
            for (kind, digest) in [("own", own), ("place", place), ("retry", retry)] {
                let is_new = digest.is_none_or(|digest| seen.insert((kind, digest)));
                assert!(is_new, "{kind}: {}", moment.line);
            }
        },
        |seen| assert!(seen.len() > N, "nearly every event has an identity"),
    );
}

#[test]
fn the_same_seed_and_start_give_the_same_bytes_and_others_give_others() {
    assert_eq!(night(7, 3_000), NIGHTS[2][..3_000]);
    assert_ne!(night(8, 200), NIGHTS[2][..200]);
    let later: Vec<_> = World::new(7, START_NS + SECOND_NS).take(200).collect();
    assert_ne!(later, NIGHTS[2][..200]);
}

#[test]
fn a_start_before_1970_counts_as_1970_and_one_at_the_end_of_time_is_no_panic() {
    let first = |start_ns| World::new(1, start_ns).next().unwrap();
    assert_eq!(first(-5), first(0));
    assert_eq!(World::new(1, i64::MAX - SECOND_NS).take(3_000).count(), 3_000);
}

#[test]
fn the_night_is_lively_and_not_hectic() {
    for night in NIGHTS.iter() {
        let minute = |moment: &Moment| (moment.due_ns - START_NS) / (60 * SECOND_NS);
        let last = night.last().map_or(0, minute);
        let mut n_events = vec![0; last as usize + 1];
        night.iter().for_each(|moment| n_events[minute(moment) as usize] += 1);
        n_events.pop();
        assert!((25..60).contains(&last), "{last} minutes");
        for n in n_events {
            assert!((2 * 60..=7 * 60).contains(&n), "{n} events in a minute");
        }
        let mean = N as i64 / last / 60;
        assert!((3..=5).contains(&mean), "{mean} events a second");
    }
}

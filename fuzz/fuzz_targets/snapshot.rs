//! Reads any bytes as the views of a snapshot, whatever stands in it, asks them everything, and goes on from there.
#![no_main]

use libfuzzer_sys::fuzz_target;
use weft_event::demo::World;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_view::usage::{By, Limit, LimitOf, Per};
use weft_view::{Entry, Judgement, Money, Views, inbox, packed, stuck};

fuzz_target!(|content: &[u8]| snapshot(content));

/// When the records are from that are folded into what was read: 2026-11-15 08:00 UTC.
const START_NS: i64 = 1_794_729_600_000_000_000;

/// How many.
const N_RECORDS: usize = 60;

/// Moments at which rows are asked for: then, before everything and after it.
const MOMENTS_NS: [i64; 4] = [START_NS, 0, i64::MIN, i64::MAX];

/// Reads any bytes as the views of a snapshot. Where they are some, every question is answered, what they say is the same when it is
/// saved and read again, and the log goes on from there.
fn snapshot(content: &[u8]) {
    let Ok(mut views) = packed::read::<Views>(content) else { return };
    assert_eq!(read(&save(&views)), views, "a snapshot of it says something else");
    MOMENTS_NS.iter().for_each(|now_ns| ask(&views, *now_ns));
    fold(&mut views, N_RECORDS);
    assert_eq!(read(&save(&views)), views, "a snapshot of it says something else");
    ask(&views, views.received_ns());
}

/// Takes in the first records of the demonstration's world.
fn fold(views: &mut Views, n_records: usize) {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let first = views.position().min(u64::MAX / 2) + 1;
    for (position, moment) in (first..).zip(World::new(7, START_NS).take(n_records)) {
        let event = event::read(&mut tape, moment.line.as_bytes(), Expect::Any, &mut problems);
        let event = event.expect("the demonstration is valid");
        let facts = event.facts();
        let report = event.report(&facts);
        let received_ns = moment.due_ns;
        let (facts, report) = (&facts, &report);
        views.apply(&Entry { position, received_ns, is_carried: false, facts, report });
    }
}

/// Returns views as they are saved.
fn save(views: &Views) -> Vec<u8> {
    let mut saved = Vec::new();
    packed::write(views, &mut saved).expect("views can be saved");
    saved
}

fn read(content: &[u8]) -> Views {
    packed::read(content).expect("what was saved can be read")
}

/// Asks everything that is shown of views.
fn ask(views: &Views, now_ns: i64) {
    let day = Limit { per: vec![Per::Actor, Per::Day], of: LimitOf::Cost(Money(1)) };
    let judgement = Judgement { limits: vec![day], ..Judgement::default() };
    let Judgement { rules, prices, .. } = &judgement;
    inbox::needs(views, now_ns, &judgement);
    stuck::stuck(views, now_ns, rules);
    views.fleet.rows(now_ns, rules);
    views.sessions.rows(now_ns, &views.usage, prices);
    views.traces.rows();
    views.work.rows(now_ns);
    views.work.plans(now_ns);
    views.decisions.rows();
    views.loops.rows(now_ns, rules);
    views.runs.rows(now_ns, rules);
    views.gateway.rows(now_ns, rules);
    for by in [By::Actor, By::Session, By::Task, By::Model, By::Day] {
        views.usage.rows(by, prices);
    }
    views.usage.all_budgets(&judgement, now_ns);
    views.files.rows(now_ns);
    views.files.collisions(now_ns, &rules.windows());
    views.errors.rows();
}

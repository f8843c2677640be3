//! What a page of each view costs, on a log of one size and of another.

use std::hint::black_box;
use std::time::Instant;

use weft_event::demo::World;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_server::views::{Ask, GROUPINGS, Judgement, Name, Page};
use weft_view::{Entry, Views};

use super::{Args, START_NS};
use crate::bench::measured::median;

/// Rows of a page.
const ROWS: usize = 100;

/// How often a page is made of each, for every round.
const TURNS: u32 = 8;

/// What a page of a view costs.
pub(super) struct Cost {
    pub(super) view: Name,
    /// Seconds on the smaller log and on the larger one.
    pub(super) seconds: [f64; 2],
}

pub(super) fn measure(args: &Args) -> anyhow::Result<Vec<Cost>> {
    let mut world = World::new(args.seed, START_NS);
    let mut views = Views::default();
    let mut take = |upto: u64| {
        let (mut tape, mut problems) = (Tape::new(), Problems::new());
        let n = usize::try_from(upto.saturating_sub(views.position())).unwrap_or(usize::MAX);
        for moment in world.by_ref().take(n) {
            problems.clear();
            let line = moment.line.as_bytes();
            let event = event::read(&mut tape, line, Expect::Any, &mut problems);
            let event = event.expect("made-up events are valid");
            let facts = event.facts();
            let received_ns = facts.time_ns.unwrap_or(START_NS);
            let (position, report) = (views.position() + 1, event.report(&facts));
            let (facts, report) = (&facts, &report);
            views.apply(&Entry { position, received_ns, is_carried: false, facts, report });
        }
        // A copy, so that both stand in memory as copies do.
        views.clone()
    };
    let sizes = [take(args.stored), take(args.large)];
    let cost = |view| Cost { view, seconds: seconds(&sizes, view, args.iterations * TURNS) };
    Ok(Name::ALL.map(cost).into())
}

/// Takes the time of a page on both, in turns: what else the machine does meanwhile is then the same for both.
fn seconds(sizes: &[Views; 2], view: Name, turns: u32) -> [f64; 2] {
    let judgement = Judgement::default();
    let once = |views: &Views| {
        let ask = Ask { view, by: GROUPINGS[0].1, now_ns: views.received_ns(), limit: ROWS };
        let began = Instant::now();
        black_box(Page::of(views, &ask, &judgement));
        began.elapsed().as_secs_f64()
    };
    let mut taken: [Vec<f64>; 2] = Default::default();
    for _ in 0..turns {
        for (views, taken) in sizes.iter().zip(&mut taken) {
            taken.push(once(views));
        }
    }
    taken.map(|taken| median(taken.into_iter()).unwrap_or_default())
}

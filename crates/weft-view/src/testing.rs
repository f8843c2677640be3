//! What the tests of views share: lines as entries, and the law that every view keeps.

use proptest::test_runner::{Config, RngSeed, TestRunner};
use weft_event::demo::World;
use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;

use crate::{Entry, View, packed};

/// When the first line of a test was received: 2026-11-15 08:00 UTC. Each line comes a second after the one before it.
pub(crate) const START_NS: i64 = 1_794_729_600_000_000_000;

/// A line with its fixed place in the log.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) position: u64,
    pub(crate) received_ns: i64,
    pub(crate) line: String,
}

/// Returns lines at positions from 1.
pub(crate) fn place(lines: impl IntoIterator<Item = impl Into<String>>) -> Vec<Placed> {
    let placed = |(position, line): (u64, String)| Placed {
        position,
        received_ns: START_NS + position as i64 * 1_000_000_000,
        line,
    };
    (1..).zip(lines.into_iter().map(Into::into)).map(placed).collect()
}

/// Returns the first lines of the demonstration's world of a seed.
pub(crate) fn demo(seed: u64, n: usize) -> Vec<Placed> {
    place(World::new(seed, START_NS).take(n).map(|moment| moment.line))
}

/// Takes one line in.
pub(crate) fn apply<V: View>(view: &mut V, placed: &Placed) {
    apply_to(placed, |entry| view.apply(entry));
}

/// Reads one line and hands it on.
pub(crate) fn apply_to(placed: &Placed, take: impl FnOnce(&Entry<'_, '_>)) {
    let mut tape = Tape::new();
    let mut problems = Problems::new();
    let event = event::read(&mut tape, placed.line.as_bytes(), Expect::Any, &mut problems);
    let event = event.unwrap_or_else(|| panic!("{}: {problems:?}", placed.line));
    let facts = event.facts();
    let report = event.report(&facts);
    take(&Entry {
        position: placed.position,
        received_ns: placed.received_ns,
        is_carried: false,
        facts: &facts,
        report: &report,
    });
}

/// Folds lines in the order given.
pub(crate) fn fold<V: View>(lines: &[Placed]) -> V {
    let mut view = V::default();
    lines.iter().for_each(|line| apply(&mut view, line));
    view
}

/// Returns the view after it was saved and read back.
pub(crate) fn through_a_snapshot<V: View>(view: &V) -> V {
    let mut saved = Vec::new();
    packed::write(view, &mut saved).expect("a view can be saved");
    packed::read(&saved).expect("what was saved can be read")
}

/// Asserts that a view is the same however its lines come: at once, in pieces with a snapshot between them, or shuffled so that no
/// line is more than `late_max` places from where it belongs. That each comes once is for whoever folds to see to.
pub(crate) fn assert_law<V: View + PartialEq + std::fmt::Debug>(lines: &[Placed], late_max: usize) {
    let whole: V = fold(lines);
    let config = Config {
        cases: 24,
        rng_seed: RngSeed::Fixed(7),
        failure_persistence: None,
        ..Config::default()
    };
    let ask = (0..=lines.len(), proptest::collection::vec(0..=late_max, lines.len()));
    let result = TestRunner::new(config).run(&ask, |(cut, delays)| {
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by_key(|&idx| (idx + delays[idx], delays[idx], idx));
        let mut view = V::default();
        for (nth, idx) in order.into_iter().enumerate() {
            if nth == cut {
                view = through_a_snapshot(&view);
            }
            apply(&mut view, &lines[idx]);
        }
        proptest::prop_assert_eq!(&view, &whole);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{}: {failure}", V::NAME));
}

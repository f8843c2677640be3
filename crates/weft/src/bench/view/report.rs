//! The figures, and whether the targets hold.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::json;

use super::fold::{ALL, EACH, VALUE};
use super::page::Cost;
use super::past::Past;
use crate::bench::measured::{Measured, Target, Wanted};

/// Each view is to fold so many events a second, and all together so many.
const EACH_SPEED: f64 = 1_000_000.0;
const ALL_SPEED: f64 = 200_000.0;

/// The past is to be there within so many seconds.
const PAST_S: f64 = 1.0;

/// A page on the larger log is to cost so many times as much as on the smaller one.
const PAGE_RATIO: f64 = 1.5;

pub(super) struct Report {
    pub(super) measured: Measured,
    pub(super) past: Past,
    pub(super) pages: Vec<Cost>,
    pub(super) event_bytes: u64,
    pub(super) n_events: u32,
    /// Records of the smaller log and of the larger one.
    pub(super) sizes: [u64; 2],
    pub(super) rounds: u32,
}

impl Report {
    fn targets(&self) -> Vec<Target> {
        let speed = |name: &str, least: f64| Target {
            name: format!("{name}, events a second"),
            wanted: Wanted::AtLeast(least),
            found: self.measured.speed(name),
        };
        let mut targets: Vec<Target> = EACH.iter().map(|name| speed(name, EACH_SPEED)).collect();
        targets.push(speed(ALL, ALL_SPEED));
        targets.push(Target {
            name: "the state at a past position, seconds,".to_owned(),
            wanted: Wanted::AtMost(PAST_S),
            found: Some(self.past.then.as_secs_f64()),
        });
        targets.extend(self.pages.iter().map(|cost| Target {
            name: format!("a page of {}, larger log / smaller", cost.view.as_str()),
            wanted: Wanted::AtMost(PAGE_RATIO),
            found: Some(ratio(cost)),
        }));
        targets
    }

    pub(super) fn to_table(&self) -> String {
        let Self { event_bytes, n_events, rounds, sizes: [small, large], .. } = self;
        let mut out = format!(
            "{n_events} events, {event_bytes} bytes each on average, one core, median of {rounds} rounds\n\n"
        );
        out.push_str(&self.measured.to_table(*event_bytes));
        let all = self.measured.ratio(ALL, VALUE).unwrap_or_default();
        let ms = |took: Duration| 1e3 * took.as_secs_f64();
        let Past { first, now, then } = self.past;
        writeln!(out, "\nall views / {VALUE}: {all:.2}").expect("writing to a string cannot fail");
        writeln!(
            out,
            "a log of {small}: folded whole in {:.1} ms, from a snapshot in {:.1} ms, as it was at its middle in {:.1} ms",
            ms(first), ms(now), ms(then)
        )
        .expect("writing to a string cannot fail");
        writeln!(out, "\n{:34} {small:>11} {large:>11} {:>9}", "a page, in ms, records:", "ratio")
            .expect("writing to a string cannot fail");
        for cost in &self.pages {
            let [small, large] = cost.seconds.map(|seconds| 1e3 * seconds);
            let (name, ratio) = (cost.view.as_str(), ratio(cost));
            writeln!(out, "{name:34} {small:>11.3} {large:>11.3} {ratio:>9.2}")
                .expect("writing to a string cannot fail");
        }
        out.push('\n');
        self.targets().iter().for_each(|target| out.push_str(&target.to_line()));
        out
    }

    pub(super) fn to_json(&self) -> String {
        let page = |cost: &Cost| json!({ "view": cost.view.as_str(), "seconds": cost.seconds, "ratio": ratio(cost) });
        let report = json!({
            "events": self.n_events,
            "event_bytes": self.event_bytes,
            "iterations": self.rounds,
            "records": self.sizes,
            "rows": self.measured.to_json(),
            "all_times_value": self.measured.ratio(ALL, VALUE),
            "first_s": self.past.first.as_secs_f64(),
            "now_s": self.past.now.as_secs_f64(),
            "then_s": self.past.then.as_secs_f64(),
            "pages": self.pages.iter().map(page).collect::<Vec<_>>(),
            "targets": self.targets().iter().map(Target::to_json).collect::<Vec<_>>(),
        });
        format!("{report}\n")
    }
}

/// Returns how many times as much a page costs on the larger log.
fn ratio(cost: &Cost) -> f64 {
    let [small, large] = cost.seconds;
    large / small.max(f64::MIN_POSITIVE)
}

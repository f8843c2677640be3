//! The figures, and whether the targets hold.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::json;

use super::fold::{ALL, EACH, VALUE};
use super::page::Cost;
use super::past::Past;
use super::top::{First, Top};
use crate::bench::measured::{Measured, Target, Wanted};

/// Each view is to fold so many events a second, and all together so many.
const EACH_SPEED: f64 = 1_000_000.0;
const ALL_SPEED: f64 = 200_000.0;

/// The past is to be there within so many seconds.
const PAST_S: f64 = 1.0;

/// A page on the larger log is to cost so many times as much as on the smaller one.
const PAGE_RATIO: f64 = 1.5;

/// The screen's first picture is to be there within so many seconds.
const PICTURE_S: f64 = 0.1;

/// While events come the screen is to need so many cores at most, and to be so many seconds of them behind.
const CORES: f64 = 0.5;
const BEHIND_S: f64 = 1.0;

pub(super) struct Report {
    pub(super) measured: Measured,
    pub(super) past: Past,
    pub(super) top: Top,
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
        let Top { first, first_bare, busy } = &self.top;
        let at_most = |name: &str, most: f64, found: Option<f64>| Target {
            name: format!("{name},"),
            wanted: Wanted::AtMost(most),
            found,
        };
        let picture = |first: &First| Some(first.picture.as_secs_f64());
        targets.push(at_most("weft top, first picture, seconds", PICTURE_S, picture(first)));
        let bare = "weft top, first picture without snapshots, seconds";
        targets.push(at_most(bare, PICTURE_S, picture(first_bare)));
        targets.push(at_most("weft top, cores while events come", CORES, busy.cores));
        let behind = busy.behind_max as f64 / busy.rate.max(1.0);
        targets.push(at_most("weft top, seconds behind", BEHIND_S, Some(behind)));
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
        out.push_str(&self.top_lines(*small));
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

    fn top_lines(&self, n_records: u64) -> String {
        let ms = |took: Duration| format!("{:.1} ms", 1e3 * took.as_secs_f64());
        let Top { first, first_bare, busy } = &self.top;
        let whole = first.whole.map(ms).unwrap_or_default();
        let cores = busy.cores.map_or("unknown".to_owned(), |cores| format!("{cores:.2}"));
        format!(
            "weft top on it: a picture after {}, of the store after {}, of all of it after {whole}\n\
             weft top on it without snapshots: a picture after {}, of the store after {}\n\
             weft top on {n_records} and {:.0} more a second: {cores} cores, {} behind at most, all there {} after the last\n",
            ms(first.picture),
            ms(first.open),
            ms(first_bare.picture),
            ms(first_bare.open),
            busy.rate,
            busy.behind_max,
            ms(busy.caught_up),
        )
    }

    fn top_json(&self) -> serde_json::Value {
        let seconds = |took: Duration| took.as_secs_f64();
        let first = |first: &First| {
            json!({
                "picture_s": seconds(first.picture),
                "open_s": seconds(first.open),
                "whole_s": first.whole.map(seconds),
            })
        };
        let Top { first: with, first_bare, busy } = &self.top;
        json!({
            "first": first(with),
            "first_without_snapshots": first(first_bare),
            "events_per_second": busy.rate,
            "cores": busy.cores,
            "behind_max": busy.behind_max,
            "caught_up_s": seconds(busy.caught_up),
        })
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
            "top": self.top_json(),
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

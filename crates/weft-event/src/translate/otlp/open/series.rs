//! Running totals as amounts: the last total of each series, in bounded memory.

use std::collections::HashMap;

/// Most series whose last total is remembered. Beyond it those that are not heard of for longest are forgotten; the next total of
/// such a series is where counting begins again.
pub const SERIES_MAX: usize = 1 << 16;

/// The last total of each series. What was measured counts once it is [kept](Series::keep).
#[derive(Debug)]
pub struct Series {
    /// When whoever measures began, in nanoseconds since 1970.
    since_ns: i64,
    /// Half of what is remembered; when it is full it takes the place of the other half.
    young: HashMap<[u8; 16], Last>,
    old: HashMap<[u8; 16], Last>,
    /// What was there before the last measurements, the newest at the end.
    undo: Vec<([u8; 16], Option<Last>)>,
}

/// A total at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// Since when it adds up; 0 if nobody says.
    pub(super) start_ns: i64,
    pub(super) time_ns: i64,
    pub(super) total: f64,
}

/// What a total says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Amount {
    /// So much came since the last one.
    Grown(f64),
    /// It adds up from before anybody measured: counting begins here.
    Base,
    /// A later total of the series was measured already, and has it in it.
    Late,
}

#[derive(Clone, Copy, Debug)]
struct Last {
    point: Point,
    amount: Amount,
}

impl Series {
    /// Returns a memory without any series. Totals that add up from before `since_ns` are where counting begins; the others count
    /// whole.
    pub fn new(since_ns: i64) -> Self {
        Self { since_ns, young: HashMap::new(), old: HashMap::new(), undo: Vec::new() }
    }

    /// Keeps what was measured since it was last kept.
    pub fn keep(&mut self) {
        self.undo.clear();
    }

    /// Forgets what was measured since it was last kept, so that it can be measured again.
    pub fn forget(&mut self) {
        while let Some((key, last)) = self.undo.pop() {
            self.young.remove(&key);
            self.old.remove(&key);
            if let Some(last) = last {
                self.put(key, last);
            }
        }
    }

    /// Measures a total against the last one of its series. The same total again gives the same amount again.
    pub(super) fn measure(&mut self, key: [u8; 16], point: Point) -> Amount {
        let known = self.young.get(&key).or_else(|| self.old.get(&key)).copied();
        let amount = match known {
            None if point.start_ns > 0 && point.start_ns >= self.since_ns => {
                Amount::Grown(point.total)
            }
            None => Amount::Base,
            Some(last) if last.point == point => return last.amount,
            Some(Last { point: last, .. }) => grown(&last, &point),
        };
        if amount != Amount::Late {
            self.undo.push((key, known));
            self.put(key, Last { point, amount });
        }
        amount
    }

    fn put(&mut self, key: [u8; 16], last: Last) {
        if self.young.len() >= SERIES_MAX / 2 && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, last);
    }
}

fn grown(last: &Point, point: &Point) -> Amount {
    let is_late = point.time_ns <= last.time_ns || point.start_ns < last.start_ns;
    let is_same_run = point.start_ns == last.start_ns && point.total >= last.total;
    match (is_late, is_same_run) {
        (true, _) => Amount::Late,
        (false, true) => Amount::Grown(point.total - last.total),
        // It began again from nothing.
        (false, false) => Amount::Grown(point.total),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: usize) -> [u8; 16] {
        (n as u128).to_le_bytes()
    }

    #[test]
    fn no_more_series_are_remembered_than_the_limit_allows() {
        let mut series = Series::new(0);
        let point = |time_ns, total| Point { start_ns: 1, time_ns, total };
        for n in 0..2 * SERIES_MAX {
            assert_eq!(series.measure(key(n), point(10, 1.0)), Amount::Grown(1.0));
            series.keep();
            assert!(series.young.len() + series.old.len() <= SERIES_MAX);
        }
        assert_eq!(series.measure(key(0), point(20, 3.0)), Amount::Grown(3.0), "forgotten");
        let last = key(2 * SERIES_MAX - 1);
        assert_eq!(series.measure(last, point(20, 3.0)), Amount::Grown(2.0), "remembered");
        series.forget();
        assert_eq!(series.measure(last, point(30, 5.0)), Amount::Grown(4.0), "as it was kept");
    }
}

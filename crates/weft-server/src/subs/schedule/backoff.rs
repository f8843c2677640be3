//! How long to wait before another try: twice as long each time, up to a limit, and never all at the same moment.

use std::time::Duration;

/// The longest that a receiver can ask to be left alone.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(60 * 60);

/// How long to wait between tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// After the first failure.
    pub min: Duration,
    /// At most.
    pub max: Duration,
}

impl Backoff {
    /// Returns how long to wait after so many failures: between half of the time and the whole of it, by the draw; not less than the
    /// receiver asks for.
    pub fn delay(&self, failures: u32, retry_after: Option<Duration>, draw: u64) -> Duration {
        let doublings = failures.saturating_sub(1).min(31);
        let whole = self.min.saturating_mul(1 << doublings).min(self.max);
        let half = whole / 2;
        let part = u32::try_from(draw % 1001).expect("at most 1000");
        let delay = half + (whole - half) * part / 1000;
        delay.max(retry_after.unwrap_or_default().min(RETRY_AFTER_MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_are_further_and_further_apart_and_not_all_at_once() {
        let backoff = Backoff { min: Duration::from_secs(1), max: Duration::from_secs(60) };
        let span = |failures| {
            let [least, most] =
                [0, 1000].map(|draw| backoff.delay(failures, None, draw).as_millis());
            format!("{least}..{most}")
        };
        let spans: Vec<_> = [1, 2, 3, 6, 7, 8, u32::MAX].map(span).into();
        insta::assert_snapshot!(spans.join(" "), @"500..1000 1000..2000 2000..4000 16000..32000 30000..60000 30000..60000 30000..60000");
        let asked = |seconds| backoff.delay(1, Some(Duration::from_secs(seconds)), 0).as_secs();
        assert_eq!([asked(0), asked(90), asked(1_000_000)], [0, 90, 3600]);
    }
}

//! Times for people: local, or in UTC where asked for, and how long ago. Nothing here reads a clock but [`Clock::new`].

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::tz::TimeZone;

const NS_PER_SECOND: i64 = 1_000_000_000;
const SECONDS_PER_MINUTE: i64 = 60;
const SECONDS_PER_HOUR: i64 = 60 * SECONDS_PER_MINUTE;
const SECONDS_PER_DAY: i64 = 24 * SECONDS_PER_HOUR;

/// From how long ago on the date alone says more.
const AGO_DAYS_MAX: i64 = 100;

/// The option of every command that shows times.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct TimeArgs {
    /// Show times in UTC instead of local time
    #[arg(long)]
    utc: bool,
}

/// Returns the time in nanoseconds since 1970.
pub(crate) fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// What times are shown by.
pub(crate) struct Clock {
    zone: TimeZone,
    now_ns: i64,
}

impl Clock {
    /// Returns the clock of this machine, as it is now.
    pub(crate) fn new(args: TimeArgs) -> Self {
        let zone = if args.utc { TimeZone::UTC } else { TimeZone::system() };
        Self { zone, now_ns: now_ns() }
    }

    /// Returns the clock as it was or is at a time.
    pub(crate) fn then(args: TimeArgs, now_ns: i64) -> Self {
        Self { now_ns, ..Self::new(args) }
    }

    /// Returns a clock that stands still, in UTC.
    #[cfg(test)]
    pub(crate) fn at(now_ns: i64) -> Self {
        Self { zone: TimeZone::UTC, now_ns }
    }

    /// Returns what relative times count from.
    pub(crate) fn now_ns(&self) -> i64 {
        self.now_ns
    }

    /// Returns a time for a column: of the last day the time and how long ago, else date and time.
    pub(crate) fn brief(&self, ns: i64) -> String {
        let age_s = self.age_s(ns);
        match self.ago(ns).filter(|_| age_s.abs() < SECONDS_PER_DAY) {
            Some(ago) => format!("{} ({ago})", self.format(ns, "%H:%M:%S")),
            None => self.format(ns, "%Y-%m-%d %H:%M:%S"),
        }
    }

    /// Returns the time of day.
    pub(crate) fn time(&self, ns: i64) -> String {
        self.format(ns, "%H:%M:%S")
    }

    /// Returns a time exactly, with its zone, and how long ago it was where that says something.
    pub(crate) fn whole(&self, ns: i64) -> String {
        let time = self.format(ns, "%Y-%m-%d %H:%M:%S%.f %:z");
        match self.ago(ns) {
            Some(ago) => format!("{time} ({ago})"),
            None => time,
        }
    }

    /// Returns how long ago a time was, in one unit.
    pub(crate) fn ago(&self, ns: i64) -> Option<String> {
        let age_s = self.age_s(ns);
        let unit = |s: i64| match s {
            s if s < SECONDS_PER_MINUTE => format!("{s}s"),
            s if s < SECONDS_PER_HOUR => format!("{}m", s / SECONDS_PER_MINUTE),
            s if s < SECONDS_PER_DAY => format!("{}h", s / SECONDS_PER_HOUR),
            s => format!("{}d", s / SECONDS_PER_DAY),
        };
        match age_s {
            0 => Some("now".to_owned()),
            s if s.abs() >= AGO_DAYS_MAX * SECONDS_PER_DAY => None,
            s if s > 0 => Some(format!("{} ago", unit(s))),
            s => Some(format!("in {}", unit(-s))),
        }
    }

    fn age_s(&self, ns: i64) -> i64 {
        self.now_ns.saturating_sub(ns) / NS_PER_SECOND
    }

    fn format(&self, ns: i64, form: &str) -> String {
        let time = Timestamp::from_nanosecond(i128::from(ns));
        let time = time.expect("64 bits of nanoseconds stay within four-digit years");
        time.to_zoned(self.zone.clone()).strftime(form).to_string()
    }
}

/// Returns a duration with its two largest units.
pub(crate) fn duration(ms: u64) -> String {
    let (s, m, h) = (ms / 1000, ms / 60_000, ms / 3_600_000);
    match ms {
        0..1000 => format!("{ms}ms"),
        1000..60_000 => format!("{s}.{}s", ms % 1000 / 100),
        60_000..3_600_000 => format!("{m}m{:02}s", s % 60),
        3_600_000..86_400_000 => format!("{h}h{:02}m", m % 60),
        86_400_000.. => format!("{}d{:02}h", h / 24, h % 24),
    }
}

#[cfg(test)]
mod tests;

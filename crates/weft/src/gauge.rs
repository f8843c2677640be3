//! A bar on stderr for work of a known extent, shown to a person once it has taken more than a second.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How long nothing is shown.
const QUIET: Duration = Duration::from_secs(1);

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Bytes.
    Bytes,
    /// Records, rows or positions.
    Records,
}

/// How far the work is.
pub(crate) struct Gauge {
    /// What is being done, in one word.
    verb: &'static str,
    unit: Unit,
    started: Instant,
    is_watched: bool,
    bar: Option<ProgressBar>,
}

impl Gauge {
    /// Starts the clock.
    pub(crate) fn new(verb: &'static str, unit: Unit) -> Self {
        let is_watched = io::stderr().is_terminal();
        Self { verb, unit, started: Instant::now(), is_watched, bar: None }
    }

    /// Notes how much is done, of how much.
    pub(crate) fn set(&mut self, done: u64, total: u64) {
        if !self.is_watched || (self.bar.is_none() && self.started.elapsed() < QUIET) {
            return;
        }
        let (verb, unit, elapsed) = (self.verb, self.unit, self.started.elapsed());
        let bar = self.bar.get_or_insert_with(|| {
            let template = match unit {
                Unit::Bytes => "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
                Unit::Records => "{msg} {wide_bar} {pos}/{len} {eta}",
            };
            let style = ProgressStyle::with_template(template);
            let style = style.expect("the templates are well-formed");
            ProgressBar::new(total).with_elapsed(elapsed).with_style(style).with_message(verb)
        });
        bar.set_length(total);
        bar.set_position(done);
    }

    /// Runs `write` with the bar out of the way.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Gauge {
    fn drop(&mut self) {
        self.finish();
    }
}

//! Progress over records, on stderr.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use weft_log::follow::Progress;

/// How long nothing is shown.
const QUIET: Duration = Duration::from_secs(1);

/// A bar on stderr for work that takes more than a second in front of a person.
pub(crate) struct Bar {
    what: &'static str,
    started: Instant,
    bar: Option<ProgressBar>,
}

impl Bar {
    /// Starts the clock.
    pub(crate) fn new(what: &'static str) -> Self {
        Self { what, started: Instant::now(), bar: None }
    }

    /// Shows how far the work is.
    pub(crate) fn show(&mut self, progress: Progress) {
        if self.bar.is_none() && self.started.elapsed() > QUIET && io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} records {eta}")
                .expect("the template is well-formed");
            let bar = ProgressBar::new(progress.last).with_style(style).with_message(self.what);
            self.bar = Some(bar.with_elapsed(self.started.elapsed()));
        }
        if let Some(bar) = &self.bar {
            bar.set_length(progress.last);
            bar.set_position(progress.position);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

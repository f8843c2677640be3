//! A progress bar on stderr, for work that takes more than a second in front of a person.

use std::cell::{Cell, OnceCell};
use std::io::{self, IsTerminal as _, Read};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How long nothing is shown.
const QUIET: Duration = Duration::from_secs(1);

/// How far the work is.
pub(crate) struct Progress {
    started: Instant,
    total_bytes: Option<u64>,
    is_watched: bool,
    n_bytes: Cell<u64>,
    bar: OnceCell<ProgressBar>,
}

impl Progress {
    /// Starts the clock.
    pub(crate) fn new(total_bytes: Option<u64>) -> Self {
        let is_watched = io::stderr().is_terminal();
        let (n_bytes, bar) = (Cell::new(0), OnceCell::new());
        Self { started: Instant::now(), total_bytes, is_watched, n_bytes, bar }
    }

    /// Returns a reader that reports what is read through it.
    pub(crate) fn watch<R: Read>(&self, source: R) -> impl Read {
        Watched { source, progress: self }
    }

    /// Runs `write` with the bar out of the way.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        match self.bar.get() {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }

    /// Returns whether a bar is on the screen.
    pub(crate) fn is_shown(&self) -> bool {
        self.bar.get().is_some()
    }

    /// Notes that so many bytes more are done.
    pub(crate) fn add(&self, n: usize) {
        self.n_bytes.set(self.n_bytes.get() + n as u64);
        if self.is_watched && (self.is_shown() || self.started.elapsed() > QUIET) {
            let n_bytes = self.n_bytes.get();
            let new = || bar(self.total_bytes, self.started.elapsed()).with_position(n_bytes);
            self.bar.get_or_init(new).set_position(n_bytes);
        }
    }
}

fn bar(total_bytes: Option<u64>, elapsed: Duration) -> ProgressBar {
    let (bar, template) = match total_bytes {
        Some(total) => {
            (ProgressBar::new(total), "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}")
        }
        None => (ProgressBar::new_spinner(), "{spinner} {bytes} {bytes_per_sec} {elapsed}"),
    };
    let bar = bar.with_elapsed(elapsed);
    bar.with_style(ProgressStyle::with_template(template).expect("the templates are well-formed"))
}

/// Returns what shows how far the index of a store is brought up to date, while that takes more than a second.
pub(crate) fn indexing() -> impl FnMut(weft_log::follow::Progress) {
    let started = Instant::now();
    let is_watched = io::stderr().is_terminal();
    let mut bar: Option<ProgressBar> = None;
    move |progress| {
        if !is_watched || (bar.is_none() && started.elapsed() < QUIET) {
            return;
        }
        let bar = bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("indexing {wide_bar} {pos}/{len} {eta}");
            let style = style.expect("the template is well-formed");
            ProgressBar::new(progress.last).with_elapsed(started.elapsed()).with_style(style)
        });
        bar.set_length(progress.last);
        bar.set_position(progress.position);
        if progress.position >= progress.last {
            bar.finish_and_clear();
        }
    }
}

struct Watched<'p, R> {
    source: R,
    progress: &'p Progress,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(out)?;
        self.progress.add(n);
        Ok(n)
    }
}

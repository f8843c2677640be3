//! What is shown of the log as it grows, until Ctrl-C: drawn again on a terminal, and elsewhere what is new of it.

use std::collections::HashMap;
use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use weft_log::query::{Found, by_producer};
use weft_log::tail::{Step, Tail};
use weft_log::{Filter, Position, Store};

use crate::output;
use crate::records::{Lost, Printer, SORTED_MAX};
use crate::signals::Stop;
use crate::stores;

/// How long a look for more takes at most: then Ctrl-C is noticed, and what single commands left in the spool.
const LOOK: Duration = Duration::from_millis(250);

/// How often it is drawn at most.
const DRAW_EVERY: Duration = Duration::from_millis(250);

/// How often it is drawn where nothing comes: how long ago something was goes on.
const DRAW_QUIET_EVERY: Duration = Duration::from_secs(1);

/// Puts the cursor to the corner of a terminal and empties it.
pub(crate) const CLEAR: &str = "\x1b[H\x1b[2J";

/// Something that is made of records and shown while more of them come.
pub(crate) trait Watched {
    /// Takes in what came.
    fn take(&mut self, records: &[Found]) -> anyhow::Result<()>;

    /// Shows it as it is now.
    fn draw(&mut self) -> anyhow::Result<()>;
}

/// The records that are to come.
pub(crate) struct Coming {
    pub(crate) store: Store,
    /// Where they begin.
    pub(crate) from: Position,
    /// Which of them are meant.
    pub(crate) filter: Filter,
    /// What ends the waiting for them.
    pub(crate) stop: Arc<Stop>,
}

/// Begins to listen for Ctrl-C, before there is anything to wait for.
pub(crate) fn listen() -> anyhow::Result<Arc<Stop>> {
    Stop::listen().context("cannot listen for Ctrl-C")
}

/// Shows something, and takes in what comes, until Ctrl-C.
pub(crate) fn follow(coming: Coming, watched: &mut impl Watched) -> anyhow::Result<()> {
    let Coming { store, from, filter, stop } = coming;
    let mut tail = Tail::open(&store, from, filter).context("cannot follow the log")?;
    watched.draw()?;
    stop.wait_for();
    let (mut drawn, mut is_changed) = (Instant::now(), false);
    while !stop.is_asked() {
        match tail.read(LOOK).context("cannot follow the log")? {
            Step::Records { records, lost } => {
                let mut told = Lost::default();
                told.add(lost);
                told.tell();
                watched.take(&records)?;
                is_changed = true;
            }
            Step::Quiet => stores::take_spool(&store)?,
        }
        let every = if is_changed { DRAW_EVERY } else { DRAW_QUIET_EVERY };
        if drawn.elapsed() >= every {
            watched.draw()?;
            (drawn, is_changed) = (Instant::now(), false);
        }
    }
    Ok(())
}

/// Records are printed as they come.
impl Watched for Printer {
    fn take(&mut self, records: &[Found]) -> anyhow::Result<()> {
        self.print(records)
    }

    fn draw(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}

/// How a text is shown that changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The whole of it, in the place of what was there.
    Whole,
    /// The lines that are new.
    NewLines,
}

impl Way {
    /// Returns how a text for people is shown.
    pub(crate) fn of_stdout() -> Self {
        if io::stdout().is_terminal() { Way::Whole } else { Way::NewLines }
    }
}

/// Shows a text that all of some records make, in the order of their producers: once, or as long as more are to come.
pub(crate) fn show(
    records: Vec<Found>,
    write: impl Fn(&[Found]) -> String,
    way: Way,
    coming: Option<Coming>,
) -> anyhow::Result<()> {
    let Some(coming) = coming else {
        return Ok(output::print(write(&by_producer(records)).as_bytes())?);
    };
    let shown = String::new();
    follow(coming, &mut Text { records, write, way, shown, is_changed: true })
}

/// A text that all of some records make.
struct Text<F> {
    /// In the order of the log.
    records: Vec<Found>,
    /// Makes the text of records in the order of their producers.
    write: F,
    way: Way,
    /// What was shown last.
    shown: String,
    is_changed: bool,
}

impl<F: Fn(&[Found]) -> String> Watched for Text<F> {
    fn take(&mut self, records: &[Found]) -> anyhow::Result<()> {
        self.records.extend_from_slice(records);
        self.is_changed = true;
        if self.records.len() > SORTED_MAX {
            anyhow::bail!("more than {SORTED_MAX} records cannot be watched as one");
        }
        Ok(())
    }

    fn draw(&mut self) -> anyhow::Result<()> {
        if !std::mem::take(&mut self.is_changed) {
            return Ok(());
        }
        let text = (self.write)(&by_producer(self.records.clone()));
        let news = match self.way {
            Way::Whole => format!("{CLEAR}{text}"),
            Way::NewLines => new_lines(&self.shown, &text),
        };
        self.shown = text;
        Ok(output::print(news.as_bytes())?)
    }
}

/// Returns the lines of a text that it has more often than one before it.
fn new_lines(before: &str, text: &str) -> String {
    let mut known: HashMap<&str, usize> = HashMap::new();
    before.split_inclusive('\n').for_each(|line| *known.entry(line).or_default() += 1);
    let is_new = |line: &&str| match known.get_mut(*line) {
        Some(n) if *n > 0 => {
            *n -= 1;
            false
        }
        Some(_) | None => true,
    };
    text.split_inclusive('\n').filter(is_new).collect()
}

#[cfg(test)]
mod tests;

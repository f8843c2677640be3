//! What is measured on: made-up events of the five dialects.

use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_event::{Dialect, sample};

/// Events of all five dialects, mixed, each valid.
pub(crate) struct Corpus {
    text: String,
    /// Where each event ends, and its dialect.
    ends: Vec<(usize, Dialect)>,
}

impl Corpus {
    /// Makes so many events. Weft's own records are left out: no other program validates them.
    pub(crate) fn new(seed: u64, n_events: usize) -> Self {
        let mut corpus = Self { text: String::new(), ends: Vec::with_capacity(n_events) };
        let mut tape = Tape::new();
        let mut problems = Problems::new();
        for line in sample::events(seed) {
            if corpus.ends.len() == n_events {
                break;
            }
            let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems);
            let dialect = event.expect("a sample is an event").dialect();
            if dialect != Dialect::Weft {
                corpus.text.push_str(&line);
                corpus.ends.push((corpus.text.len(), dialect));
                corpus.text.push('\n');
            }
        }
        corpus
    }

    /// Returns the first so many events.
    pub(crate) fn first(&self, n_events: usize) -> Self {
        let ends = self.ends[..n_events.min(self.ends.len())].to_vec();
        let end = ends.last().map_or(0, |(end, _)| end + 1);
        Self { text: self.text[..end].to_owned(), ends }
    }

    /// Returns the events as one text, a line each.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn n_events(&self) -> usize {
        self.ends.len()
    }

    /// Returns the events with their dialects.
    pub(crate) fn events(&self) -> impl Iterator<Item = (Dialect, &[u8])> {
        let mut start = 0;
        self.ends.iter().map(move |&(end, dialect)| {
            let line = &self.text.as_bytes()[start..end];
            start = end + 1;
            (dialect, line)
        })
    }
}

//! A source whose records are given beforehand: what is replayed without a store, and what screens are tested on.
//!
//! Its filters are plain words, each of which the line has to hold.

use std::time::Duration;

use weft_event::event::{self, Expect};
use weft_event::json::Tape;
use weft_event::problem::Problems;
use weft_view::Views;

use crate::reading::Reading;
use crate::source::{
    Ask, Completions, End, FilterFault, More, Opening, Page, Place, Record, Source, SourceError,
    Which,
};

/// Most completions that are offered.
const WORDS_MAX: usize = 20;

/// Records in memory.
#[derive(Debug)]
pub struct Played {
    records: Vec<Record>,
    /// How many were given.
    n_given: usize,
    words: Vec<String>,
}

impl Played {
    /// Returns a source of records, which have to be in order and at positions from 1.
    pub fn new(records: Vec<Record>) -> Self {
        Self { records, n_given: 0, words: Vec::new() }
    }

    fn is_match(&self, line: &[u8]) -> bool {
        let text = String::from_utf8_lossy(line);
        self.words.iter().all(|word| text.contains(word.as_str()))
    }

    fn judged(&self, record: &Record) -> Record {
        Record { is_match: self.is_match(&record.line), ..record.clone() }
    }

    fn head(&self) -> u64 {
        self.records.last().map_or(0, |record| record.position)
    }
}

impl Source for Played {
    fn open(&mut self, place: &Place, _now_ns: i64) -> Result<Opening, SourceError> {
        let upto = match place {
            Place::Now => self.head(),
            Place::Position(position) => *position,
            Place::Text(text) => {
                text.parse().map_err(|_no_number| SourceError::NoMoment { text: text.clone() })?
            }
        };
        let n = self.records.iter().filter(|record| record.position <= upto).count();
        let (mut views, mut reading) = (Views::default(), Reading::default());
        for record in &self.records[..n] {
            reading.take(record, |entry, _| views.apply(entry));
        }
        self.n_given = n;
        let last = n.checked_sub(1).map(|idx| &self.records[idx]);
        let upto = last.map_or(0, |record| record.position);
        Ok(Opening {
            views,
            upto,
            position: upto,
            received_ns: last.map(|record| record.received_ns),
            head: self.head(),
        })
    }

    fn more(&mut self, max: usize, patience: Duration) -> Result<More, SourceError> {
        let rest = &self.records[self.n_given..];
        let records: Vec<Record> =
            rest.iter().take(max).map(|record| self.judged(record)).collect();
        self.n_given += records.len();
        if records.is_empty() {
            std::thread::park_timeout(patience);
        }
        Ok(More { leap: None, records, head: self.head() })
    }

    fn set_filter(&mut self, text: &str, _now_ns: i64) -> Result<(), FilterFault> {
        if let Some(offset) = text.find('"') {
            return Err(FilterFault {
                offset,
                length: 1,
                message: "words stand without quotes here".to_owned(),
                help: "write words that the line has to hold".to_owned(),
            });
        }
        self.words = text.split_whitespace().map(str::to_owned).collect();
        Ok(())
    }

    fn page(&mut self, ask: &Ask) -> Result<Page, SourceError> {
        let (mut tape, mut problems) = (Tape::new(), Problems::new());
        let mut is_meant = |record: &Record| match &ask.which {
            Which::Filter(text) => {
                let text: Vec<&str> = text.split_whitespace().collect();
                let line = String::from_utf8_lossy(&record.line);
                text.iter().all(|word| line.contains(word))
            }
            Which::Session(id) | Which::Trace(id) => {
                problems.clear();
                let event = event::read(&mut tape, &record.line, Expect::Any, &mut problems);
                event.is_some_and(|event| {
                    let facts = event.facts();
                    let name = match ask.which {
                        Which::Trace(_) => facts.trace,
                        Which::Session(_) | Which::Filter(_) => facts.session,
                    };
                    name.as_deref() == Some(id)
                })
            }
        };
        let mut records: Vec<Record> = Vec::new();
        let mut is_cut = false;
        let range =
            self.records.iter().filter(|it| ask.after < it.position && it.position <= ask.upto);
        let mut range: Vec<&Record> = range.collect();
        if ask.end == End::Newest {
            range.reverse();
        }
        for record in range {
            if is_meant(record) {
                is_cut = records.len() == ask.max;
                if is_cut {
                    break;
                }
                records.push(self.judged(record));
            }
        }
        records.sort_by_key(|record| record.position);
        Ok(Page { records, is_cut })
    }

    fn complete(&mut self, text: &str, cursor: usize) -> Completions {
        let from = text[..cursor].rfind(' ').map_or(0, |at| at + 1);
        let begin = &text[from..cursor];
        let mut words: Vec<String> = Vec::new();
        let mut reading = Reading::default();
        for record in &self.records {
            reading.take(record, |entry, _| {
                let actor = entry.facts.actor.as_deref().unwrap_or_default();
                if actor.starts_with(begin) && !words.iter().any(|word| word == actor) {
                    words.push(actor.to_owned());
                }
            });
        }
        words.sort_unstable();
        words.truncate(WORDS_MAX);
        Completions { from, words }
    }
}

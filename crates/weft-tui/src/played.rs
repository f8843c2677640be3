//! A source whose records are given beforehand: what is replayed without a store, and what screens are tested on.
//!
//! Its filters are plain words, each of which the line has to hold.

use std::time::Duration;

use weft_event::Dialect;
use weft_event::event::{self, Expect};
use weft_event::idle::{Command, SCHEMA};
use weft_event::json::{Json, Tape};
use weft_event::problem::Problems;
use weft_event::time::format_rfc3339;
use weft_view::loops::{FrameRow, LoopState, Row};
use weft_view::{Rules, Views};

use crate::reading::Reading;
use crate::source::{
    Ask, Completions, End, FilterFault, More, Opening, Page, Place, Record, Source, SourceError,
    Steer, Steered, Which,
};

/// Most completions that are offered.
const WORDS_MAX: usize = 20;

/// How long after the last record a loop is changed.
const STEER_NS: i64 = 1_000_000;

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

    fn add(&mut self, line: String, received_ns: i64) {
        self.records.push(Record {
            position: self.head() + 1,
            received_ns,
            is_carried: false,
            dialect: Some(Dialect::Idle),
            is_match: true,
            line: line.into_bytes(),
        });
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

    /// Does as a loop would, and adds the record that tells so.
    fn steer(&mut self, steer: &Steer) -> Result<Steered, SourceError> {
        let (mut views, mut reading) = (Views::default(), Reading::default());
        for record in &self.records {
            reading.take(record, |entry, _| views.apply(entry));
        }
        let now_ns = self.records.last().map_or(0, |record| record.received_ns) + STEER_NS;
        let rows = views.loops.rows(now_ns, &Rules::default()).into_iter();
        let Some(row) = rows.into_iter().find(|row| row.run == steer.run) else {
            return Ok(Steered::Refused("no loop runs".to_owned()));
        };
        let (paused, why) = match (steer.wish, row.state) {
            (_, LoopState::Done | LoopState::Aborted | LoopState::Replaced) => {
                return Ok(Steered::Refused("no loop runs".to_owned()));
            }
            (Command::Pause, LoopState::Paused) | (Command::Resume, LoopState::Running) => {
                let why = row.waits().unwrap_or("it is not paused");
                return Ok(Steered::Refused(why.to_owned()));
            }
            (Command::Pause, LoopState::Running | LoopState::Stale) => {
                (Some("asked"), "somebody paused it")
            }
            (Command::Escalate, LoopState::Running | LoopState::Paused | LoopState::Stale) => {
                (Some("escalated"), "somebody asked a person to look at it")
            }
            (Command::Resume, LoopState::Paused | LoopState::Stale) => {
                (None, "it goes on at the next stop")
            }
            (Command::Cancel, LoopState::Running | LoopState::Paused | LoopState::Stale) => {
                self.add(cancelled(&row, now_ns), now_ns);
                return Ok(Steered::Done("it was cancelled".to_owned()));
            }
        };
        self.add(stated(&row, paused, now_ns), now_ns);
        Ok(Steered::Done(why.to_owned()))
    }
}

/// Returns the end of a loop.
fn cancelled(row: &Row, now_ns: i64) -> String {
    let event = Json::object(|object| {
        object.json("schema", &Json::integer(SCHEMA));
        object.text("event", "ABORT");
        object.text("reason", "USER_CANCELLED");
        object.json("stack", &Json::array([]));
        object.text("run_id", &row.run);
        object.text("updated_at", &format_rfc3339(now_ns));
        row.session.iter().for_each(|session| object.text("session_id", session));
    });
    event.as_str().to_owned()
}

/// Returns the state of a loop that waits, or goes on.
fn stated(row: &Row, paused: Option<&str>, now_ns: i64) -> String {
    let frame = |frame: &FrameRow| {
        Json::object(|object| {
            object.text("id", &frame.id);
            object.text("mode", &frame.mode);
            object.json("iter", &Json::integer(frame.iter));
            object.json("max", &Json::integer(frame.max));
            object.text("prompt_file", "/prompt.txt");
            frame.filter.iter().for_each(|filter| object.text("filter", filter));
            frame.issue.iter().for_each(|issue| object.text("issue_id", issue));
            frame.branch.iter().for_each(|branch| object.text("branch", branch));
        })
    };
    let event = Json::object(|object| {
        object.json("schema", &Json::integer(SCHEMA));
        object.text("event", "STATE");
        object.text("run_id", &row.run);
        object.text("updated_at", &format_rfc3339(now_ns));
        object.json("stack", &Json::array(row.frames.iter().map(frame)));
        row.session.iter().for_each(|session| object.text("session_id", session));
        paused.iter().for_each(|why| object.text("paused", why));
    });
    event.as_str().to_owned()
}

//! The newest records that match the filter, as the log panel shows them.

use std::collections::VecDeque;
use std::rc::Rc;

use weft_event::{Level, Status};
use weft_view::what;

use crate::listing::{Cell, Column, Field, Item, Link, Look, field, quoted};
use crate::reading::Reading;
use crate::source::Record;
use crate::theme::{Tone, of_level, of_status};

/// Most records that are kept.
pub(crate) const LINES_MAX: usize = 2000;
/// Most bytes of a message that are kept apart from its line.
const WHAT_BYTES_MAX: usize = 400;

/// The columns of the log.
pub(crate) const COLUMNS: &[Column] = &[
    Column { title: "Position", min: 4, max: 10, rank: 3 },
    Column { title: "Time", min: 8, max: 8, rank: 0 },
    Column { title: "Actor", min: 14, max: 24, rank: 0 },
    Column { title: "Type", min: 14, max: 30, rank: 1 },
    Column { title: "Status", min: 11, max: 11, rank: 2 },
    Column { title: "What", min: 16, max: 400, rank: 0 },
];

/// One record. What it says is read when it is shown: of many that come, few ever are.
#[derive(Debug)]
pub(crate) struct LogLine {
    record: Record,
}

/// What a record says.
struct Said {
    time_ns: i64,
    actor: Option<String>,
    session: Option<String>,
    trace: Option<String>,
    event_type: String,
    status: Option<Status>,
    is_ended: bool,
    level: Level,
    what: String,
}

/// The newest records.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    lines: VecDeque<Rc<LogLine>>,
}

impl Tail {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.lines.clear();
    }

    /// Adds a record after the others.
    pub(crate) fn push(&mut self, line: LogLine) {
        if self.lines.back().is_some_and(|last| last.record.position >= line.record.position) {
            return;
        }
        if self.lines.len() == LINES_MAX {
            self.lines.pop_front();
        }
        self.lines.push_back(Rc::new(line));
    }

    /// Adds older records before the others.
    pub(crate) fn prepend(&mut self, older: Vec<LogLine>) {
        for line in older.into_iter().rev() {
            let is_older =
                self.lines.front().is_none_or(|first| line.record.position < first.record.position);
            if is_older && self.lines.len() < LINES_MAX {
                self.lines.push_front(Rc::new(line));
            }
        }
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = &Rc<LogLine>> {
        self.lines.iter()
    }
}

impl LogLine {
    pub(crate) fn new(record: Record) -> Self {
        Self { record }
    }

    fn said(&self) -> Said {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let mut said = None;
        Reading::default().take(&self.record, |entry, _| {
            let facts = entry.facts;
            said = Some(Said {
                time_ns: entry.time_ns(),
                actor: owned(facts.actor.as_deref()),
                session: owned(facts.session.as_deref()),
                trace: owned(facts.trace.as_deref()),
                event_type: facts.event_type.to_string(),
                status: facts.status,
                is_ended: facts.ended,
                level: facts.level,
                what: cut(what(facts)),
            });
        });
        said.unwrap_or_else(|| self.unread())
    }

    /// Returns what is said of a record that is no event.
    fn unread(&self) -> Said {
        let line = &self.record.line;
        let text = String::from_utf8_lossy(&line[..line.len().min(WHAT_BYTES_MAX)]);
        Said {
            time_ns: self.record.received_ns,
            actor: None,
            session: None,
            trace: None,
            event_type: String::new(),
            status: None,
            is_ended: false,
            level: Level::Warn,
            what: format!("not an event: {text}"),
        }
    }
}

impl Said {
    fn status_cell(&self) -> Cell {
        match self.status {
            Some(status) => {
                let (sign, tone) = of_status(status);
                Cell::new(format!("{sign} {}", status.as_str()), tone)
            }
            None if self.is_ended => Cell::faint("· ended"),
            None => Cell::default(),
        }
    }
}

impl Item for LogLine {
    fn id(&self) -> String {
        self.record.position.to_string()
    }

    fn cells(&self, look: &Look) -> Vec<Cell> {
        let said = self.said();
        vec![
            Cell::faint(self.record.position.to_string()),
            Cell::faint(look.zone.clock(said.time_ns)),
            Cell::new(said.actor.as_deref().unwrap_or("-"), Tone::Strong),
            Cell::plain(said.event_type.as_str()),
            said.status_cell(),
            Cell::new(said.what.as_str(), of_level(said.level)),
        ]
    }

    fn detail(&self, look: &Look) -> Vec<Field> {
        let (said, mut fields) = (self.said(), Vec::new());
        field(&mut fields, "position", Some(self.record.position.to_string()));
        field(&mut fields, "time", Some(look.zone.whole(said.time_ns)));
        field(&mut fields, "received", Some(look.zone.whole(self.record.received_ns)));
        field(&mut fields, "actor", said.actor.as_deref());
        field(&mut fields, "session", said.session.as_deref());
        field(&mut fields, "type", Some(said.event_type.as_str()));
        field(&mut fields, "status", said.status.map(Status::as_str));
        field(&mut fields, "level", Some(said.level.as_str()));
        field(&mut fields, "what", Some(said.what.as_str()));
        let mut tape = weft_event::json::Tape::new();
        let pretty = tape.parse_bytes(&self.record.line).map(weft_event::json::pretty);
        let text =
            pretty.unwrap_or_else(|_| String::from_utf8_lossy(&self.record.line).into_owned());
        field(&mut fields, "event", Some(format!("\n{text}")));
        fields
    }

    fn link(&self) -> Link {
        let said = self.said();
        let records = said.actor.as_deref().map(|actor| format!("actor={}", quoted(actor)));
        Link { session: said.session, trace: said.trace, records }
    }

    fn command(&self) -> String {
        format!("weft show {}", self.record.position)
    }
}

/// Returns as much of a text as is kept.
fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(WHAT_BYTES_MAX));
    text
}

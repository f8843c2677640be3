//! What was read and what came of it: each refusal and conflict as it comes, and the sums at the end.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;

use weft_event::Dialect;
use weft_event::json::{Json, Object};
use weft_log::Position;
use weft_log::log::{self, Outcome as Kept};
use weft_log::rejected::Reason;
use weft_log::source::{Arrived, Notice, Origin};
use weft_server::tail::judge::{self, Judged};

use crate::Outcome;
use crate::output::{self, Format, Shown, plural};
use crate::progress::Progress;

/// The name of the row for lines of no known dialect.
const UNKNOWN: &str = "unknown";

/// What came of lines.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    stored: u64,
    repeats: u64,
    conflicts: u64,
    refused: u64,
}

impl Counts {
    fn read(self) -> u64 {
        self.stored + self.repeats + self.conflicts + self.refused
    }

    fn text(self) -> String {
        let Self { stored, conflicts, refused, .. } = self;
        let (repeats, conflicts) = (plural(self.repeats, "repeat"), plural(conflicts, "conflict"));
        format!("{stored} stored, {repeats}, {conflicts}, {refused} refused")
    }

    fn write(self, object: &mut Object<'_>) {
        object.json("read", &Json::integer(self.read()));
        object.json("stored", &Json::integer(self.stored));
        object.json("repeats", &Json::integer(self.repeats));
        object.json("conflicts", &Json::integer(self.conflicts));
        object.json("refused", &Json::integer(self.refused));
    }
}

/// Where a line stands.
struct Place {
    file: String,
    line: u64,
}

impl Place {
    fn write(&self, object: &mut Object<'_>) {
        object.text("file", &self.file);
        object.json("line", &Json::integer(self.line));
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", Shown(&self.file), self.line)
    }
}

/// The report of a run.
pub(super) struct Report<'p> {
    format: Format,
    /// What standard input is named by.
    stdin: String,
    progress: &'p Progress,
    counts: BTreeMap<&'static str, Counts>,
    is_unreadable: bool,
    has_unfinished: bool,
}

impl<'p> Report<'p> {
    pub(super) fn new(format: Format, stdin: String, progress: &'p Progress) -> Self {
        let (counts, is_unreadable, has_unfinished) = (BTreeMap::new(), false, false);
        Self { format, stdin, progress, counts, is_unreadable, has_unfinished }
    }

    /// Tells of a batch that is durable.
    pub(super) fn batch(&mut self, judged: &Judged, answer: &log::Answer) -> io::Result<()> {
        judged.batch.notices().iter().for_each(|notice| self.notice(notice));
        let mut out = String::new();
        // Looked up at once, for a batch may have many of them.
        let wanted = !judged.refused.is_empty()
            || !judged.faults.is_empty()
            || !judged.unfinished.is_empty();
        let has_conflict = answer
            .outcomes
            .iter()
            .any(|kept| matches!(kept, Kept::Stored { conflict: Some(_), .. }));
        let places: Vec<Place> = match wanted || has_conflict {
            true => judged.batch.arrived().map(|arrived| self.place(&arrived)).collect(),
            false => Vec::new(),
        };
        for ((kept, dialect), line) in
            answer.outcomes.iter().zip(&judged.dialects).zip(&judged.lines)
        {
            if let Some((position, first)) = self.count(*kept, *dialect) {
                self.conflict(&places[*line], position, first, &mut out);
            }
        }
        for (line, fault) in &judged.faults {
            let place = &places[*line];
            self.progress.suspend(|| {
                output::tell(format_args!("note: {place}: {}", fault.kind));
            });
        }
        for line in &judged.unfinished {
            self.has_unfinished = true;
            let place = &places[*line];
            self.progress.suspend(|| {
                output::tell(format_args!(
                    "note: {place}: the last line is not whole; a later run reads it"
                ));
            });
        }
        for (line, refusal) in &judged.refused {
            self.counts.entry(UNKNOWN).or_default().refused += 1;
            self.refused(&places[*line], &refusal.reasons, &mut out);
        }
        if !out.is_empty() {
            self.progress.suspend(|| output::print_if_read(out.as_bytes()))?;
        }
        self.progress.add(judged.n_bytes);
        Ok(())
    }

    /// Counts an event; returns its position and the one it conflicts with, if it does.
    fn count(&mut self, kept: Kept, dialect: Dialect) -> Option<(Position, Position)> {
        let counts = self.counts.entry(dialect.as_str()).or_default();
        match kept {
            Kept::Stored { conflict: None, .. } => counts.stored += 1,
            Kept::Repeat { .. } => counts.repeats += 1,
            Kept::Stored { position, conflict: Some(first) } => {
                counts.conflicts += 1;
                return Some((position, first));
            }
        }
        None
    }

    fn conflict(&self, place: &Place, position: Position, first: Position, out: &mut String) {
        match self.format {
            Format::Text => {
                *out += &format!(
                    "{place}: stored at {position}: {first} has the same identity and other content [conflict]\n"
                );
            }
            Format::Json => {
                let object = Json::object(|object| {
                    place.write(object);
                    object.text("outcome", "conflict");
                    object.json("position", &Json::integer(position.get()));
                    object.json("conflicts_with", &Json::integer(first.get()));
                });
                *out += &format!("{}\n", object.as_str());
            }
        }
    }

    fn refused(&self, place: &Place, reasons: &[Reason], out: &mut String) {
        for Reason { code, path, message } in reasons {
            match self.format {
                Format::Text => {
                    let pointer = if path.is_empty() { "" } else { ": " };
                    let text = format!("{place}: {path}{pointer}{message} [{code}]");
                    *out += &format!("{}\n", Shown(&text));
                }
                Format::Json => {
                    let object = Json::object(|object| {
                        place.write(object);
                        object.text("outcome", "refused");
                        object.text("pointer", path);
                        object.text("code", code);
                        object.text("message", message);
                    });
                    *out += &format!("{}\n", object.as_str());
                }
            }
        }
    }

    /// Tells what happened to an input.
    fn notice(&mut self, notice: &Notice) {
        let is_trouble = match notice {
            Notice::Missing { .. } | Notice::Unreadable { .. } | Notice::TooMany { .. } => true,
            Notice::Appeared { .. }
            | Notice::NoFiles { .. }
            | Notice::Truncated { .. }
            | Notice::Rewritten { .. }
            | Notice::Rotated { .. }
            | Notice::Gone { .. } => false,
        };
        self.is_unreadable |= is_trouble;
        let mut text = notice.to_string();
        if let Notice::Unreadable { path, source } = notice {
            let name = if path == Path::new(&self.stdin) { Path::new("-") } else { path };
            text = format!("cannot read {}: {source}", name.display());
        }
        let mark = if is_trouble { "error" } else { "note" };
        self.progress.suspend(|| output::tell(format_args!("{mark}: {}", Shown(&text))));
    }

    fn place(&self, arrived: &Arrived<'_>) -> Place {
        let file = match arrived.origin {
            Origin::Stream { name } if **name == *self.stdin => "-".to_owned(),
            Origin::Stream { .. } | Origin::File { .. } => arrived.origin.shown(),
        };
        Place { file, line: judge::line_number(arrived) }
    }

    /// Writes the sums: for a person to stderr, for a program to stdout.
    pub(super) fn summary(&self) -> io::Result<()> {
        let mut total = Counts::default();
        for counts in self.counts.values() {
            total.stored += counts.stored;
            total.repeats += counts.repeats;
            total.conflicts += counts.conflicts;
            total.refused += counts.refused;
        }
        match self.format {
            Format::Text => {
                output::tell(format_args!("{}: {}", plural(total.read(), "event"), total.text()));
                let known = self.counts.iter().filter(|(name, _)| **name != UNKNOWN);
                for (name, counts) in known {
                    let read = counts.read();
                    output::tell(format_args!("  {name} {read}: {}", counts.text()));
                }
                Ok(())
            }
            Format::Json => {
                let summary = Json::object(|object| {
                    total.write(object);
                    let dialects = Json::object(|dialects| {
                        for (name, counts) in &self.counts {
                            dialects.json(name, &Json::object(|object| counts.write(object)));
                        }
                    });
                    object.json("dialects", &dialects);
                });
                let line = Json::object(|object| object.json("summary", &summary));
                output::print_if_read(format!("{}\n", line.as_str()).as_bytes())
            }
        }
    }

    /// Returns how the run turned out.
    pub(super) fn outcome(&self) -> Outcome {
        let is_odd = |counts: &Counts| counts.conflicts + counts.refused > 0;
        let has_found = self.has_unfinished || self.counts.values().any(is_odd);
        match (self.is_unreadable, has_found) {
            (true, _) => Outcome::Unreadable,
            (false, true) => Outcome::Found,
            (false, false) => Outcome::Fine,
        }
    }
}

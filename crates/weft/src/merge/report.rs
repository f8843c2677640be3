//! What `weft merge` tells on stderr: findings by place, then the counts.

use std::io::{self, BufWriter, Stderr, Write as _};

use anyhow::Context as _;
use weft_event::json::{Json, Object};
use weft_event::merge::{Finding, Kind, Place, Summary};
use weft_event::order::Producer;

use crate::output::{Format, Shown, plural};

pub(super) struct Report {
    format: Format,
    /// The names of the inputs, by number.
    names: Vec<String>,
    n_errors: u64,
    out: BufWriter<Stderr>,
}

impl Report {
    pub(super) fn new(format: Format) -> Self {
        Self { format, names: Vec::new(), n_errors: 0, out: BufWriter::new(io::stderr()) }
    }

    /// Numbers an input.
    pub(super) fn add_input(&mut self, name: &str) -> anyhow::Result<u32> {
        let input = u32::try_from(self.names.len()).context("more inputs than can be counted")?;
        self.names.push(name.to_owned());
        Ok(input)
    }

    /// Returns how many inputs could not be read.
    pub(super) fn n_errors(&self) -> u64 {
        self.n_errors
    }

    /// Tells that an input cannot be read, or not to its end.
    pub(super) fn error(&mut self, error: &anyhow::Error) {
        self.n_errors += 1;
        let line = match self.format {
            Format::Text => format!("error: {error:#}"),
            Format::Json => json_line(|object| {
                object.text("kind", "error");
                object.text("message", &format!("{error:#}"));
            }),
        };
        self.tell(&line);
        self.flush();
    }

    pub(super) fn finding(&mut self, finding: &Finding) {
        let line = match self.format {
            Format::Text => self.finding_text(finding),
            Format::Json => self.finding_json(finding),
        };
        self.tell(&line);
    }

    pub(super) fn summary(&mut self, summary: &Summary) {
        let n_inputs = self.names.len() as u64;
        let line = match self.format {
            Format::Text => summary_text(summary, n_inputs),
            Format::Json => summary_json(summary, n_inputs),
        };
        self.tell(&line);
    }

    fn finding_text(&self, finding: &Finding) -> String {
        let Finding { place, producer, kind } = finding;
        let head = |n_lines| format!("{}: {kind}", self.place(*place, n_lines));
        let whose = producer.as_ref().map_or(String::new(), |producer| format!(" {producer}:"));
        match kind {
            Kind::Repeat { first, n_lines } => {
                let first = self.place(*first, *n_lines);
                format!("{}:{whose} the same as {first}, written once", head(*n_lines))
            }
            Kind::Conflict { first } => {
                let first = self.place(*first, 1);
                format!(
                    "{}:{whose} the identity or number of {first}, other content; both written",
                    head(1)
                )
            }
            Kind::Gap { expected, found } => {
                let n = found - expected;
                format!("{}:{whose} expected {expected}, found {found}: {n} missing", head(1))
            }
            Kind::Backward { after, found } => {
                format!("{}:{whose} {found} comes after {after}", head(1))
            }
            Kind::Unreadable { code, message } => {
                format!("{}: {message} [{}]", head(1), code.as_str())
            }
        }
    }

    fn finding_json(&self, finding: &Finding) -> String {
        let number = |object: &mut Object<'_>, name: &str, n: u64| {
            object.json(name, &Json::integer(n));
        };
        let first = |object: &mut Object<'_>, place: Place| {
            let first = Json::object(|object| {
                object.text("file", self.name(place.input));
                number(object, "line", place.line);
            });
            object.json("first", &first);
        };
        json_line(|object| {
            object.text("file", self.name(finding.place.input));
            number(object, "line", finding.place.line);
            object.text("kind", finding.kind.as_str());
            if let Some(producer) = &finding.producer {
                object.json("producer", &producer_json(producer));
            }
            match &finding.kind {
                Kind::Repeat { first: place, n_lines } => {
                    first(object, *place);
                    number(object, "lines", *n_lines);
                }
                Kind::Conflict { first: place } => first(object, *place),
                Kind::Gap { expected, found } => {
                    number(object, "expected", *expected);
                    number(object, "found", *found);
                    number(object, "missing", found - expected);
                }
                Kind::Backward { after, found } => {
                    number(object, "after", *after);
                    number(object, "found", *found);
                }
                Kind::Unreadable { code, message } => {
                    object.text("code", code.as_str());
                    object.text("message", message);
                }
            }
        })
    }

    fn name(&self, input: u32) -> &str {
        &self.names[input as usize]
    }

    fn place(&self, place: Place, n_lines: u64) -> String {
        let (name, line) = (self.name(place.input), place.line);
        match n_lines {
            1 => format!("{name}:{line}"),
            n => format!("{name}:{line}-{}", line + n - 1),
        }
    }

    #[expect(
        clippy::let_underscore_must_use,
        reason = "if stderr is gone, there is nobody to tell"
    )]
    fn tell(&mut self, line: &str) {
        let _ = match self.format {
            Format::Text => writeln!(self.out, "{}", Shown(line)),
            Format::Json => writeln!(self.out, "{line}"),
        };
    }

    #[expect(
        clippy::let_underscore_must_use,
        reason = "if stderr is gone, there is nobody to tell"
    )]
    fn flush(&mut self) {
        let _ = self.out.flush();
    }
}

fn json_line(fill: impl FnOnce(&mut Object<'_>)) -> String {
    Json::object(fill).as_str().to_owned()
}

fn producer_json(producer: &Producer<'_>) -> Json<'static> {
    Json::object(|object| {
        object.text("dialect", producer.dialect.as_str());
        let names = [
            ("tenant", &producer.tenant),
            ("actor", &producer.actor),
            ("session", &producer.session),
        ];
        for (name, value) in names {
            if let Some(value) = value {
                object.text(name, value);
            }
        }
    })
}

fn summary_json(summary: &Summary, n_inputs: u64) -> String {
    let counts = [
        ("inputs", n_inputs),
        ("events", summary.n_events),
        ("written", summary.n_written),
        ("producers", summary.n_producers),
        ("invalid", summary.n_invalid),
        ("unreadable", summary.n_unreadable),
        ("repeats", summary.n_repeats),
        ("conflicts", summary.n_conflicts),
        ("gaps", summary.n_gaps),
        ("missing", summary.n_missing),
        ("backward", summary.n_backward),
    ];
    let summary = Json::object(|object| {
        for (name, n) in counts {
            object.json(name, &Json::integer(n));
        }
    });
    json_line(|object| object.json("summary", &summary))
}

fn summary_text(summary: &Summary, n_inputs: u64) -> String {
    let mut text = format!(
        "{} of {} from {}",
        plural(summary.n_written, "event"),
        plural(summary.n_producers, "producer"),
        plural(n_inputs, "input"),
    );
    let missing = format!(" ({} missing)", summary.n_missing);
    let found = [
        (summary.n_gaps, "gap", missing.as_str()),
        (summary.n_repeats, "repeat", " left out"),
        (summary.n_conflicts, "conflict", ""),
        (summary.n_backward, "backward step", ""),
        (summary.n_unreadable, "unreadable line", ""),
        (summary.n_invalid, "invalid event", " kept"),
    ];
    for (n, noun, note) in found.into_iter().filter(|(n, ..)| *n > 0) {
        text += &format!(", {}{note}", plural(n, noun));
    }
    text
}

//! What `weft validate` prints: problems and explanations on stdout, the summary where its reader looks for it.

use std::io::{self, BufWriter, StdoutLock, Write as _};

use weft_event::Dialect;
use weft_event::json::{Json, Object};
use weft_event::problem::Problem;
use weft_event::validate::{Counts, Explanation, Finding, Strictness, Summary};

use crate::output::{self, Format, Shown, plural, problem_text, write_problem};
use crate::progress::Progress;

pub(super) struct Report<'p> {
    out: BufWriter<StdoutLock<'static>>,
    line: String,
    format: Format,
    strictness: Strictness,
    progress: &'p Progress,
}

impl<'p> Report<'p> {
    pub(super) fn new(format: Format, strictness: Strictness, progress: &'p Progress) -> Self {
        let out = BufWriter::new(io::stdout().lock());
        Self { out, line: String::new(), format, strictness, progress }
    }

    /// Returns how far the work is.
    pub(super) fn progress(&self) -> &'p Progress {
        self.progress
    }

    /// Tells what was found at one place of an input.
    pub(super) fn finding(&mut self, file: &str, finding: &Finding<'_>) -> io::Result<()> {
        if finding.problems.is_empty() && finding.explanation.is_none() {
            return Ok(());
        }
        self.line.clear();
        if let Some(explanation) = &finding.explanation {
            self.add_explanation(file, finding.number, explanation);
        }
        for problem in finding.problems {
            self.add_problem(file, finding, problem);
        }
        if !self.progress.is_shown() {
            return self.out.write_all(self.line.as_bytes());
        }
        self.progress.suspend(|| {
            self.out.write_all(self.line.as_bytes())?;
            self.out.flush()
        })
    }

    fn add_explanation(&mut self, file: &str, number: u64, explanation: &Explanation) {
        match self.format {
            Format::Text => {
                let text = format!("{file}:{number}: dialect: {explanation}");
                self.line.push_str(&Shown(&text).to_string());
            }
            Format::Json => {
                let mut object = Object::begin(&mut self.line);
                object.text("file", file);
                object.json("line", &Json::integer(number));
                object.json("explain", &explanation.to_json());
                object.end();
            }
        }
        self.line.push('\n');
    }

    fn add_problem(&mut self, file: &str, finding: &Finding<'_>, problem: &Problem) {
        let severity = self.strictness.severity(problem.code);
        match self.format {
            Format::Text => {
                let text =
                    format!("{file}:{}: {}", finding.number, problem_text(problem, severity));
                self.line.push_str(&Shown(&text).to_string());
            }
            Format::Json => {
                let mut object = Object::begin(&mut self.line);
                object.text("file", file);
                object.json("line", &Json::integer(finding.number));
                write_problem(&mut object, finding.dialect, problem, severity);
                object.end();
            }
        }
        self.line.push('\n');
    }

    /// Tells the counts of all inputs.
    pub(super) fn summary(&mut self, summary: &Summary) -> io::Result<()> {
        match self.format {
            Format::Json => writeln!(self.out, "{}", summary_json(summary).as_str())?,
            Format::Text => {}
        }
        self.out.flush()?;
        match self.format {
            Format::Text => output::tell(format_args!("{}", summary_text(summary))),
            Format::Json => {}
        }
        Ok(())
    }
}

fn summary_json(summary: &Summary) -> Json<'static> {
    let counts = |object: &mut Object<'_>, counts: Counts| {
        object.json("events", &Json::integer(counts.events));
        object.json("valid", &Json::integer(counts.valid));
        object.json("invalid", &Json::integer(counts.invalid));
        object.json("warnings", &Json::integer(counts.warnings));
    };
    let dialects = Json::object(|object| {
        for (dialect, of_dialect) in summary.by_dialect() {
            object.json(name(dialect), &Json::object(|object| counts(object, of_dialect)));
        }
    });
    let summary = Json::object(|object| {
        counts(object, summary.total());
        object.json("seals", &Json::integer(summary.n_seals()));
        object.json("dialects", &dialects);
    });
    Json::object(|object| object.json("summary", &summary))
}

fn summary_text(summary: &Summary) -> String {
    let mut text = counts_text(summary.total());
    if summary.n_seals() > 0 {
        text += &format!(", {} skipped", plural(summary.n_seals(), "seal"));
    }
    if summary.by_dialect().nth(1).is_some() {
        for (dialect, counts) in summary.by_dialect() {
            text += &format!("\n  {:<10} {}", name(dialect), counts_text(counts));
        }
    }
    text
}

fn counts_text(counts: Counts) -> String {
    let events = plural(counts.events, "event");
    let warnings = plural(counts.warnings, "warning");
    format!("{events}: {} valid, {} invalid, {warnings}", counts.valid, counts.invalid)
}

fn name(dialect: Option<Dialect>) -> &'static str {
    dialect.map_or("unknown", Dialect::as_str)
}

//! Where output goes, data to stdout and words for people to stderr, and how problems look in it.

use std::fmt;
use std::io::{self, Write as _};

use weft_event::Dialect;
use weft_event::json::Object;
use weft_event::problem::{Problem, Severity};

/// Who reads the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A person.
    Text,
    /// A program.
    Json,
}

/// Writes data to stdout.
pub(crate) fn print(data: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(data)?;
    out.flush()
}

/// Writes data to stdout, in the midst of work or behind it: whoever closed the pipe has seen enough, and the work goes on.
pub(crate) fn print_if_read(data: &[u8]) -> io::Result<()> {
    match print(data) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => printed,
    }
}

/// Writes a line for people to stderr.
#[expect(clippy::let_underscore_must_use, reason = "if stderr is gone, there is nobody to tell")]
pub(crate) fn tell(message: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{message}");
}

/// Writes an error to stderr. It may hold the name of a file that somebody else gave it.
pub(crate) fn tell_error(error: &anyhow::Error) {
    match error.downcast_ref::<Marked>() {
        Some(marked) => {
            let lines: Vec<String> = marked.0.lines().map(|line| Shown(line).to_string()).collect();
            tell(format_args!("error: {}", lines.join("\n")));
        }
        None => tell(format_args!("error: {}", Shown(&format!("{error:#}")))),
    }
}

/// An error that shows its place in what was written, over several lines.
#[derive(Debug)]
pub(crate) struct Marked(pub(crate) String);

impl fmt::Display for Marked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Marked {}

/// Returns a count with its noun.
pub(crate) fn plural(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Text from an input, shown so that it stays on its line and cannot steer a terminal.
pub(crate) struct Shown<'a>(pub(crate) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut plain = 0;
        for (at, c) in self.0.char_indices().filter(|(_, c)| is_steering(*c)) {
            write!(f, "{}{}", &self.0[plain..at], c.escape_default())?;
            plain = at + c.len_utf8();
        }
        f.write_str(&self.0[plain..])
    }
}

/// Returns whether a character does something else to a terminal than stand there: controls, line breaks, and what turns the
/// direction of the text around it.
fn is_steering(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns a problem as `pointer: message [code]`.
pub(crate) fn problem_text(problem: &Problem, severity: Severity) -> String {
    let pointer = match problem.pointer.as_str() {
        "" => String::new(),
        pointer => format!("{pointer}: "),
    };
    let mark = match severity {
        Severity::Warning => "warning: ",
        Severity::Error => "",
    };
    format!("{pointer}{mark}{} [{}]", problem.message, problem.code.as_str())
}

/// Writes the members of a problem that say what it is.
pub(crate) fn write_problem(
    object: &mut Object<'_>,
    dialect: Option<Dialect>,
    problem: &Problem,
    severity: Severity,
) {
    object.text("severity", severity.as_str());
    match dialect {
        Some(dialect) => object.text("dialect", dialect.as_str()),
        None => object.key("dialect").push_str("null"),
    }
    object.text("pointer", &problem.pointer);
    object.text("code", problem.code.as_str());
    object.text("message", &problem.message);
}

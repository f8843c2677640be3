//! Validators of other languages, run if they are installed: Python's jsonschema and ajv on node.
//!
//! Each gets the events and the schemas as files and measures its own loop, so that its start does not count.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Context as _;
use weft_event::Dialect;

use super::corpus::Corpus;

/// They are slow, so they get this many events.
pub(crate) const EVENTS_MAX: usize = 2_000;

/// A validator that may be installed.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    command: &'static str,
    /// What comes before the script.
    flag: &'static str,
    /// Takes a folder as its argument; prints the seconds of its best round.
    script: &'static str,
}

/// How a program did.
pub(crate) enum Run {
    /// Its best round over so many events.
    Took { best: Duration, n_events: usize, n_bytes: usize },
    /// It is not there.
    Absent,
}

pub(crate) static PROGRAMS: [Program; 2] = [
    Program {
        name: "Python jsonschema",
        about: "json.loads, validate in the known dialect",
        command: "python3",
        flag: "-c",
        script: include_str!("installed/validate.py"),
    },
    Program {
        name: "node ajv",
        about: "JSON.parse, validate in the known dialect",
        command: "node",
        flag: "-e",
        script: include_str!("installed/validate.js"),
    },
];

/// The exit code with which a script says that its library is missing.
const MISSING: i32 = 3;

impl Program {
    /// Runs the program on the first events of the corpus.
    pub(crate) fn run(&self, corpus: &Corpus) -> anyhow::Result<Run> {
        let corpus = corpus.first(EVENTS_MAX);
        let folder = tempfile::tempdir().context("making a folder for the events")?;
        write_files(folder.path(), &corpus).context("writing the events for other programs")?;
        let child =
            Command::new(self.command).arg(self.flag).arg(self.script).arg(folder.path()).output();
        let Ok(output) = child else { return Ok(Run::Absent) };
        if output.status.code() == Some(MISSING) {
            return Ok(Run::Absent);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "{} failed: {}", self.name, said.trim());
        let seconds: f64 = String::from_utf8_lossy(&output.stdout)
            .trim()
            .parse()
            .with_context(|| format!("reading the time of {}", self.name))?;
        let best = Duration::from_secs_f64(seconds);
        Ok(Run::Took { best, n_events: corpus.n_events(), n_bytes: corpus.text().len() })
    }
}

/// Writes one schema and one file of events per dialect.
fn write_files(folder: &Path, corpus: &Corpus) -> std::io::Result<()> {
    for &dialect in Dialect::ALL {
        let mut lines = Vec::new();
        for (_, line) in corpus.events().filter(|(of, _)| *of == dialect) {
            lines.extend_from_slice(line);
            lines.push(b'\n');
        }
        fs::write(folder.join(format!("{}.jsonl", dialect.as_str())), lines)?;
        fs::write(folder.join(format!("{}.schema.json", dialect.as_str())), dialect.schema())?;
    }
    Ok(())
}

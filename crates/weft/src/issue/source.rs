//! Issues that somebody else keeps: a file, a folder, or a command that prints them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Context as _;
use weft_runtime::issues::{Sourced, parse_source};
use weft_runtime::process::{self, Ending, Heard, Limits};

use crate::output::{Shown, plural, tell};

/// What a command that prints issues may take.
const LIMITS: Limits = Limits { time: Duration::from_secs(60), output_bytes: 16 << 20 };

/// The names of the file in a folder of tissue's or beads'.
const NAMES: [&str; 2] = ["issues.jsonl", "beads.jsonl"];

/// Reads them, and tells how many could not be.
pub(super) fn read(from: &str) -> anyhow::Result<Sourced> {
    let path = Path::new(from);
    let bytes = if path.exists() {
        let file = file(path)?;
        fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?
    } else {
        printed(from)?
    };
    let sourced = parse_source(&bytes);
    if sourced.n_unreadable > 0 {
        let n = plural(sourced.n_unreadable, "line");
        tell(format_args!("note: {n} of {} cannot be read as an issue", Shown(from)));
    }
    Ok(sourced)
}

fn file(path: &Path) -> anyhow::Result<PathBuf> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let found = NAMES.iter().map(|name| path.join(name)).find(|file| file.is_file());
    found.with_context(|| format!("{} has no {}", path.display(), NAMES.join(" or ")))
}

fn printed(command: &str) -> anyhow::Result<Vec<u8>> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    let finished = process::run(shell, Heard::Apart, LIMITS).context("cannot run a command")?;
    let said = String::from_utf8_lossy(&finished.errors);
    let said = said.lines().next().unwrap_or_default();
    match finished.ending {
        Ending::Code(0) if finished.n_bytes_cut == 0 => Ok(finished.output),
        Ending::Code(0) => {
            anyhow::bail!("`{command}` printed more than {} MiB", LIMITS.output_bytes >> 20)
        }
        Ending::Code(code) => {
            anyhow::bail!("{command} is no file, and as a command it ended with {code}: {said}")
        }
        Ending::Signal(signal) => anyhow::bail!("`{command}` was ended by signal {signal}"),
        Ending::TimedOut => {
            anyhow::bail!("`{command}` took longer than {} s", LIMITS.time.as_secs())
        }
    }
}

//! Secrets in plain files: what was refused, what a recovery cut off, and prompts. A mask is as long as what it stands for, so that no
//! length and no place changes.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write};
use std::path::{Path, PathBuf};

use crate::redact::Redaction;
use crate::rejected;
use crate::spool::durable;

/// A file with secrets.
#[derive(Debug)]
pub(super) struct FoundFile {
    pub(super) path: PathBuf,
    pub(super) rules: Vec<String>,
    unit: Unit,
}

/// What is searched at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// A line, which may be JSON.
    Line,
    /// The whole file, whose lines may belong together.
    Whole,
}

impl FoundFile {
    /// Puts what is left without secrets in the place of the file.
    pub(super) fn replace(&self, redaction: &Redaction) -> io::Result<()> {
        let mut rules = Vec::new();
        durable::replace(&self.path, |out| copy(&self.path, self.unit, redaction, &mut rules, out))
    }
}

/// Returns the folders in a folder, in order; none if there is no such folder.
pub(super) fn folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = entries(folder)?;
    found.retain(|path| path.is_dir());
    Ok(found)
}

/// Looks at the files of a folder; nothing if there is no such folder.
pub(super) fn look(folder: &Path, unit: Unit, redaction: &Redaction) -> io::Result<Vec<FoundFile>> {
    let mut found = Vec::new();
    for path in entries(folder)?.into_iter().filter(|path| path.is_file()) {
        let mut rules = Vec::new();
        copy(&path, unit, redaction, &mut rules, &mut io::sink())?;
        if !rules.is_empty() {
            let rules = rules.into_iter().map(ToOwned::to_owned).collect();
            found.push(FoundFile { path, rules, unit });
        }
    }
    Ok(found)
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

fn copy<'r>(
    path: &Path,
    unit: Unit,
    redaction: &'r Redaction,
    rules: &mut Vec<&'r str>,
    out: &mut impl Write,
) -> io::Result<()> {
    if unit == Unit::Whole {
        let bytes = fs::read(path)?;
        let masked = redaction.mask(&bytes, rules);
        return out.write_all(&masked.unwrap_or(bytes));
    }
    let mut file = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    while file.read_until(b'\n', &mut line)? > 0 {
        let end = line.len() - usize::from(line.ends_with(b"\n"));
        if let Some(masked) = redaction.mask(&line[..end], rules) {
            line[..end].copy_from_slice(&masked);
        }
        if let Some(masked) = rejected::mask_base64(&line[..end], redaction, rules) {
            line[..end].copy_from_slice(&masked);
        }
        out.write_all(&line)?;
        line.clear();
    }
    Ok(())
}

//! The settings file on disk: replaced whole or not at all, with what was there before beside it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// What is added to the name of a file for that of what was there before; from the second copy on with its number.
const BACKUP: &str = "before-weft";

/// Copies of one file that are kept. None is ever written over.
const BACKUPS_MAX: usize = 100;

/// Rights of a file that we make.
const MODE: u32 = 0o600;

/// Reads a file; `None` if there is none.
pub(crate) fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => {
            let text = String::from_utf8(bytes);
            Ok(Some(text.with_context(|| format!("{} is not UTF-8", path.display()))?))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Puts another text in the place of what was read, or removes the file where there is none. Returns where a copy of what was read
/// is kept.
pub(crate) fn replace(
    path: &Path,
    before: Option<&str>,
    after: Option<&str>,
) -> anyhow::Result<Option<PathBuf>> {
    // A link stays one: what it leads to is changed.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    expect(path, before)?;
    let backup = match before {
        Some(before) => {
            let backed_up = back_up(path, before);
            Some(backed_up.with_context(|| format!("cannot change {}", path.display()))?)
        }
        None => None,
    };
    put(path, after)?;
    Ok(backup)
}

/// Does the same to a file that is wholly ours. No copy is kept.
pub(crate) fn replace_own(
    path: &Path,
    before: Option<&str>,
    after: Option<&str>,
) -> anyhow::Result<()> {
    expect(path, before)?;
    put(path, after)
}

/// Refuses a file that is another than it was.
fn expect(path: &Path, before: Option<&str>) -> anyhow::Result<()> {
    if read(path)?.as_deref() != before {
        anyhow::bail!("{} was changed meanwhile: try again", path.display());
    }
    Ok(())
}

fn put(path: &Path, after: Option<&str>) -> anyhow::Result<()> {
    let put = match after {
        Some(after) => write(path, after, mode_of(path)),
        None => fs::remove_file(path),
    };
    put.with_context(|| format!("cannot change {}", path.display()))
}

/// Keeps a copy of what was there, unless there is one already.
fn back_up(path: &Path, before: &str) -> anyhow::Result<PathBuf> {
    for n in 1..=BACKUPS_MAX {
        let backup = match n {
            1 => beside(path, BACKUP),
            n => beside(path, &format!("{BACKUP}-{n}")),
        };
        match fs::read(&backup) {
            Ok(kept) if kept == before.as_bytes() => return Ok(backup),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                write(&backup, before, mode_of(path))?;
                return Ok(backup);
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", backup.display()));
            }
        }
    }
    anyhow::bail!("{BACKUPS_MAX} copies of it are kept already: remove those you do not need")
}

/// Writes a file whole or not at all.
fn write(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let new = beside(path, &format!("{}.new", std::process::id()));
    let written = || {
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(mode).open(&new)?;
        // The rights that are asked for at the opening are less those of the umask.
        file.set_permissions(fs::Permissions::from_mode(mode))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    written().inspect_err(|_| {
        #[expect(
            unused_must_use,
            reason = "the first error counts; the file may not even be there"
        )]
        fs::remove_file(&new);
    })
}

fn mode_of(path: &Path) -> u32 {
    fs::metadata(path).map_or(MODE, |about| about.mode() & 0o777)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{ending}"));
    path.with_file_name(name)
}

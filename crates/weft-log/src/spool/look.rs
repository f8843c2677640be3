//! Looking at what waits in the spool, and leaving it there.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::entry::Entry;
use super::take::TAKING;
use super::window::Window;
use super::{FILE, FOLDER, SpoolError};

/// What a look at a spool found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// Whole entries.
    pub n_entries: u64,
    /// Stretches that are no whole entry.
    pub n_damaged: u64,
    /// What they take.
    pub n_bytes: u64,
    /// The file that writers append to, and how long it was before it was looked at.
    pub writing: Option<Writing>,
    /// Files that somebody began to move into the log. What they hold may be there already.
    pub n_moving: u64,
}

/// The file that writers append to, as it was at a moment. An equal one has nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writing {
    inode: u64,
    bytes: u64,
}

impl Writing {
    /// Returns it as it is now; `None` if there is none.
    pub fn of(store: &Path) -> Option<Self> {
        let found = fs::metadata(store.join(FOLDER).join(FILE)).ok()?;
        Some(Self { inode: found.ino(), bytes: found.len() })
    }
}

/// Hands every whole entry of a store's spool to `each`. Writers and those who take are not kept waiting, so that an entry on its
/// way in may count as damaged.
pub fn look(store: &Path, mut each: impl FnMut(&Entry<'_>)) -> Result<Looked, SpoolError> {
    let folder = store.join(FOLDER);
    let unreadable = |path: &Path, source| SpoolError::Read { path: path.to_owned(), source };
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Looked::default()),
        Err(source) => return Err(unreadable(&folder, source)),
    };
    let mut looked = Looked { writing: Writing::of(store), ..Looked::default() };
    for entry in entries {
        let path = entry.map_err(|source| unreadable(&folder, source))?.path();
        let file = match File::open(&path) {
            Ok(file) => file,
            // Somebody moves it into the log meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                looked.n_moving += 1;
                continue;
            }
            Err(source) => return Err(unreadable(&path, source)),
        };
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        looked.n_moving += u64::from(name.starts_with(TAKING.as_bytes()));
        let (mut window, mut damage) = (Window::new(file), Vec::new());
        while let Some(whole) =
            window.find(&mut damage).map_err(|source| unreadable(&path, source))?
        {
            each(&window.give(whole));
            looked.n_entries += 1;
        }
        looked.n_damaged += damage.len() as u64;
        looked.n_bytes += window.offset();
    }
    Ok(looked)
}

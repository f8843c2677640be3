//! Looking at what waits in the spool, and leaving it there.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::entry::Entry;
use super::window::Window;
use super::{FOLDER, SpoolError};

/// What a look at a spool found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// Whole entries.
    pub n_entries: u64,
    /// Stretches that are no whole entry.
    pub n_damaged: u64,
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
    let mut looked = Looked::default();
    for entry in entries {
        let path = entry.map_err(|source| unreadable(&folder, source))?.path();
        let file = match File::open(&path) {
            Ok(file) => file,
            // It was moved into the log meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(source) => return Err(unreadable(&path, source)),
        };
        let (mut window, mut damage) = (Window::new(file), Vec::new());
        while let Some(whole) =
            window.find(&mut damage).map_err(|source| unreadable(&path, source))?
        {
            each(&window.give(whole));
            looked.n_entries += 1;
        }
        looked.n_damaged += damage.len() as u64;
    }
    Ok(looked)
}

//! That a spool holds nothing, as far as its folder tells: to open and list it at every group costs the writer more than its seal.

use std::path::Path;
use std::time::{Duration, SystemTime};
use std::{fs, io};

use super::{FOLDER, is_empty};

/// How long ago a folder must have changed for a later change to show as another time. System clocks tick every few milliseconds,
/// and some file systems keep whole or even seconds.
const SETTLED: Duration = Duration::from_secs(3);

/// When the folder of a spool that held nothing was last changed. An entry in an empty folder is a new name there, and changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownEmpty {
    /// It may hold something.
    No,
    /// There was no folder.
    Missing,
    /// It has held nothing since then.
    Since(SystemTime),
}

impl KnownEmpty {
    /// Returns whether the spool of a store holds nothing. Lists it unless it is known to be as it was; `now` is the time.
    pub(crate) fn is_so(&mut self, store: &Path, now: SystemTime) -> bool {
        // Before the folder is listed: what comes between the two shows at the next look.
        let changed = match fs::metadata(store.join(FOLDER)) {
            Ok(found) => found.modified().map_or(Self::No, Self::Since),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::Missing,
            Err(_) => Self::No,
        };
        if *self == changed && changed != Self::No {
            return true;
        }
        let is_settled = match changed {
            Self::No => false,
            Self::Missing => true,
            Self::Since(time) => now.duration_since(time).is_ok_and(|age| age > SETTLED),
        };
        let is_empty = is_empty(store);
        *self = if is_empty && is_settled { changed } else { Self::No };
        is_empty
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    use super::KnownEmpty;
    use crate::spool::FOLDER;

    const HOUR: Duration = Duration::from_secs(3600);

    fn is_empty(known: &mut KnownEmpty, store: &Path) -> bool {
        known.is_so(store, SystemTime::now())
    }

    #[test]
    fn whatever_comes_into_an_empty_folder_is_noticed() {
        let store = tempfile::tempdir().unwrap();
        let (store, folder) = (store.path(), store.path().join(FOLDER));
        let known = &mut KnownEmpty::No;
        assert!(is_empty(known, store));
        assert_eq!(*known, KnownEmpty::Missing);
        fs::create_dir(&folder).unwrap();
        assert!(is_empty(known, store));
        for n in 0..200 {
            if n % 2 == 0 {
                // As if nothing had come for long.
                let long_ago = SystemTime::now() - HOUR;
                File::open(&folder).unwrap().set_modified(long_ago).unwrap();
            }
            assert!(is_empty(known, store) && is_empty(known, store));
            assert_eq!(matches!(known, KnownEmpty::Since(_)), n % 2 == 0);
            let entry = folder.join(n.to_string());
            fs::write(&entry, "").unwrap();
            assert!(!is_empty(known, store) && !is_empty(known, store));
            fs::remove_file(&entry).unwrap();
        }
        fs::remove_dir(&folder).unwrap();
        assert!(is_empty(known, store));
    }

    #[test]
    fn a_clock_that_is_behind_says_nothing_of_how_long_ago_a_folder_changed() {
        let store = tempfile::tempdir().unwrap();
        fs::create_dir(store.path().join(FOLDER)).unwrap();
        let mut known = KnownEmpty::No;
        assert!(known.is_so(store.path(), SystemTime::now() - HOUR));
        assert_eq!(known, KnownEmpty::No);
    }
}

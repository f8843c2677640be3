//! How far the reading of folders is, for whoever asks.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use weft_event::json::Json;
use weft_log::source::{FolderState, Sources};

/// How far the reading of folders is. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct TailState(Arc<Mutex<TailStatus>>);

/// How far it is at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TailStatus {
    /// The folders.
    pub folders: Vec<FolderStatus>,
    /// Whether everything that was there at the beginning has been read.
    pub has_caught_up: bool,
    /// Why nothing is read, if that is so.
    pub error: Option<String>,
    /// Events that were stored.
    pub n_stored: u64,
    /// Events that the log had already.
    pub n_repeats: u64,
    /// Lines that were refused.
    pub n_refused: u64,
}

/// A folder that is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderStatus {
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is there.
    pub is_there: bool,
    /// How many of its files are read.
    pub n_files: usize,
}

impl TailState {
    /// Returns how far it is now.
    pub fn get(&self) -> TailStatus {
        self.lock().clone()
    }

    /// Notes that nothing is read, and why.
    pub(super) fn fail(&self, error: String) {
        self.lock().error = Some(error);
    }

    /// Notes what became of a batch.
    pub(super) fn count(&self, n_stored: u64, n_repeats: u64, n_refused: u64) {
        let mut status = self.lock();
        status.n_stored += n_stored;
        status.n_repeats += n_repeats;
        status.n_refused += n_refused;
    }

    /// Notes which folders are there, and how many files.
    pub(super) fn look(&self, sources: &Sources) {
        let folder = |FolderState { path, is_there, n_files }: FolderState<'_>| FolderStatus {
            path: path.to_owned(),
            is_there,
            n_files,
        };
        let folders: Vec<FolderStatus> = sources.folders().map(folder).collect();
        let mut status = self.lock();
        status.folders = folders;
        status.has_caught_up = sources.has_caught_up();
    }

    fn lock(&self) -> MutexGuard<'_, TailStatus> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TailStatus {
    /// Returns it as JSON.
    pub fn json(&self) -> Json<'static> {
        let folder = |folder: &FolderStatus| {
            Json::object(|object| {
                object.text("path", &folder.path.display().to_string());
                object.json("exists", &Json::bool(folder.is_there));
                object.json("files", &Json::integer(folder.n_files as u64));
            })
        };
        Json::object(|object| {
            object.json("folders", &Json::array(self.folders.iter().map(folder)));
            object.json("caught_up", &Json::bool(self.has_caught_up));
            object.json("stored", &Json::integer(self.n_stored));
            object.json("repeats", &Json::integer(self.n_repeats));
            object.json("refused", &Json::integer(self.n_refused));
            self.error.iter().for_each(|error| object.text("error", error));
        })
    }
}

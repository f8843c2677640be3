//! Inputs as they were named, sorted by what stands there.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::form::{Form, Forms};
use super::stream::Stream;
use super::{Input, Options, SourceError, Work, walk};

/// What was named.
#[derive(Default)]
pub(super) struct Named {
    pub(super) files: Vec<PathBuf>,
    pub(super) roots: Vec<PathBuf>,
    pub(super) forms: Forms,
    /// What is to be looked at first.
    pub(super) queue: VecDeque<Work>,
}

impl Named {
    /// Sorts inputs; refuses what is a part of the store.
    pub(super) fn sort(inputs: Vec<Input>, options: &Options) -> Result<Self, SourceError> {
        let mut named = Self::default();
        for input in inputs {
            let (path, form, may_come) = match input {
                Input::Path(path) => (path, Form::Events, false),
                Input::Sessions { client, path } => (path, Form::Sessions(client), false),
                Input::Folder { path, form } => (path, form, true),
                Input::Stream { name, bytes } => {
                    let stop = Arc::clone(&options.stop);
                    named.queue.push_back(Work::Stream(Stream::new(name, bytes, stop)));
                    continue;
                }
            };
            let path = real(&path);
            if path.ancestors().any(|part| walk::is_own_part(part, &options.store)) {
                return Err(SourceError::OwnStore { path });
            }
            named.add(path, form, may_come);
        }
        Ok(named)
    }

    fn add(&mut self, path: PathBuf, form: Form, may_come: bool) {
        self.forms.add(path.clone(), form);
        let found = fs::metadata(&path);
        let is_folder = found.as_ref().map_or(may_come, fs::Metadata::is_dir);
        if is_folder {
            self.roots.push(path.clone());
            self.queue.push_back(Work::Folder(path));
        } else if found.is_ok_and(|found| !found.is_file()) {
            self.queue.push_back(Work::Pipe(path));
        } else {
            self.files.push(path.clone());
            self.queue.push_back(Work::Path(path));
        }
    }
}

/// Returns a path without links and relative parts, but for its last one: what a link leads to may change.
pub(super) fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if absolute.is_dir() {
        return absolute.canonicalize().unwrap_or(absolute);
    }
    match (absolute.parent().map(Path::canonicalize), absolute.file_name()) {
        (Some(Ok(folder)), Some(name)) => folder.join(name),
        (_, _) => absolute,
    }
}

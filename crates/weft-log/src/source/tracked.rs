//! One file that is being read: how far, and whether it is still the file it was.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weft_event::input::Item;
use weft_event::json::Tape;

use super::batch::{Batch, Notice, Origin};
use super::checkpoint::{Checkpoint, FileId, Incarnation, digest, fingerprint};
use super::form::{Form, Translator};
use super::passage::{self, AtEnd, Passed, Place};
use super::{Start, name, walk};

/// A file that is being read.
#[derive(Debug)]
pub(super) struct Tracked {
    /// How far it was read; the log may not have all of that yet.
    pub(super) checkpoint: Arc<Checkpoint>,
    /// How many of the paths we look at name it.
    pub(super) n_paths: usize,
    /// What it looked like when it was last read to its end.
    seen: Option<Seen>,
    /// Where the search for the end of the next line goes on.
    scanned: u64,
    /// How long it was when it turned out to be nothing that can be read.
    unfit_len: Option<u64>,
    /// The file before it under the same name.
    before: Option<Box<Before>>,
    form: Form,
}

/// What tells whether a file may have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    len: u64,
    modified: (i64, i64),
}

impl Seen {
    pub(super) fn of(file: &Metadata) -> Self {
        Self { len: file.len(), modified: (file.mtime(), file.mtime_nsec()) }
    }
}

/// The file that had the name before.
#[derive(Clone, Debug)]
pub(super) struct Before {
    pub(super) incarnation: Option<Incarnation>,
    pub(super) fate: Fate,
    /// What was remembered of its rows, where they are most likely the same.
    pub(super) state: Option<String>,
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It lives on under another name: an equal first line is another line.
    Moved,
    /// It was overwritten: an equal first line is most likely the same line, written again.
    Overwritten,
}

/// How a file compares with what was read of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// What was read is still there.
    Same,
    /// There is less than was read.
    Shorter,
    /// Something else is there.
    Other,
}

/// Whether there is more to read right now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visit {
    /// The file's end was reached.
    Done,
    /// The batch is full, or the file has changed under us.
    More,
}

impl Tracked {
    /// Returns a file that is read from its start.
    pub(super) fn fresh(
        path: &Path,
        id: FileId,
        before: Option<Before>,
        form: Form,
    ) -> io::Result<Self> {
        let state = before.as_ref().and_then(|before| before.state.as_deref());
        let state = state.and_then(|state| Translator::state_again(form, path, state));
        let name = name::encode(&path.canonicalize()?).into();
        let checkpoint = Checkpoint {
            path: path.into(),
            name,
            id,
            offset: 0,
            number: 1,
            incarnation: None,
            fingerprint: 0,
            state,
        };
        Ok(Self::at(checkpoint, before, form))
    }

    /// Returns a file that is read on from where it was left.
    pub(super) fn resumed(path: &Path, id: FileId, checkpoint: &Checkpoint, form: Form) -> Self {
        let mut checkpoint = Checkpoint { path: path.into(), id, ..checkpoint.clone() };
        let state = checkpoint.state.as_deref();
        // What was read as something else, or by another version, is read again.
        let was_as_now = match form {
            Form::Events => state.is_none(),
            Form::Sessions(_) => state.is_some() && Translator::new(form, path, state).is_some(),
        };
        if !was_as_now {
            (checkpoint.offset, checkpoint.number, checkpoint.state) = (0, 1, None);
        }
        Self::at(checkpoint, None, form)
    }

    fn at(checkpoint: Checkpoint, before: Option<Before>, form: Form) -> Self {
        let (seen, unfit_len) = (None, None);
        let (checkpoint, before) = (Arc::new(checkpoint), before.map(Box::new));
        Self { checkpoint, n_paths: 0, seen, scanned: 0, unfit_len, before, form }
    }

    /// Returns the file as it is begun with. What was read of it is still there, so its lines keep their names.
    pub(super) fn started(mut self, start: Start) -> Self {
        match start {
            Start::Checkpoint => {}
            Start::Beginning => {
                let checkpoint = Arc::make_mut(&mut self.checkpoint);
                (checkpoint.offset, checkpoint.number) = (0, 1);
                self.begin_again();
            }
        }
        self
    }

    /// Returns whether nothing can have changed since it was last read to its end.
    pub(super) fn has_seen(&self, seen: Seen) -> bool {
        self.seen == Some(seen)
    }

    /// Notes what it looked like before it was read to its end.
    pub(super) fn note_seen(&mut self, seen: Seen) {
        self.seen = Some(seen);
    }

    /// Reads on into a batch.
    pub(super) fn read_on(
        &mut self,
        file: &File,
        at_end: AtEnd,
        batch: &mut Batch,
        tape: &mut Tape,
    ) -> io::Result<Visit> {
        self.check(file, batch)?;
        let from = self.checkpoint.offset;
        let len = file.metadata()?.len();
        if self.unfit_len.is_some_and(|unfit_len| unfit_len <= len) {
            return Ok(Visit::Done);
        }
        if passage::is_at_end(file, from)? {
            return Ok(Visit::Done);
        }
        if at_end == AtEnd::KeepBack
            && self.scanned > from
            && !passage::has_line_end(file, self.scanned, len)?
        {
            self.scanned = self.scanned.max(len);
            return Ok(Visit::Done);
        }
        let mark = batch.mark();
        let incarnation = self.checkpoint.incarnation;
        let path = Arc::clone(&self.checkpoint.path);
        let name = Arc::clone(&self.checkpoint.name);
        batch.begin(Origin::File { path, name, incarnation, form: self.form });
        // Most files are at rest, and only their state is kept.
        let state = self.checkpoint.state.as_deref();
        let mut translator = Translator::new(self.form, &self.checkpoint.path, state);
        let mut place = Place { offset: from, number: self.checkpoint.number };
        let (mut settled, before) = (incarnation, self.before.as_deref());
        let mut has_line = false;
        let passed = passage::read(file, &mut place, at_end, batch, |batch, item| {
            if let Item::Line(line) = item
                && !std::mem::replace(&mut has_line, true)
            {
                let first = || incarnate(&line.on_one_line(), before);
                batch.settle(*settled.get_or_insert_with(first));
            }
            match &mut translator {
                Some(translator) => translator.push(item, tape, batch),
                None => batch.push(item),
            }
        })?;
        let reached = fingerprint(file, place.offset)?;
        let (Compared::Same, Some(reached)) = (compare(file, &self.checkpoint)?, reached) else {
            batch.go_back(mark);
            return Ok(Visit::More);
        };
        if place.offset > from {
            let checkpoint = Arc::make_mut(&mut self.checkpoint);
            checkpoint.offset = place.offset;
            checkpoint.number = place.number;
            checkpoint.fingerprint = reached;
            checkpoint.incarnation = settled;
            checkpoint.state = translator.as_ref().map(Translator::state);
        }
        Ok(match passed {
            Passed::Full => Visit::More,
            Passed::Unfit => {
                self.unfit_len = Some(len);
                Visit::Done
            }
            Passed::End(at) => {
                self.scanned = at;
                Visit::Done
            }
        })
    }

    /// Starts again if what was read is no longer there.
    fn check(&mut self, file: &File, batch: &mut Batch) -> io::Result<()> {
        let path = || self.checkpoint.path.to_path_buf();
        match compare(file, &self.checkpoint)? {
            Compared::Same => return Ok(()),
            Compared::Shorter => batch.notices.push(Notice::Truncated { path: path() }),
            Compared::Other => batch.notices.push(Notice::Rewritten { path: path() }),
        }
        let incarnation = self.checkpoint.incarnation;
        let before = Before { incarnation, fate: Fate::Overwritten, state: None };
        self.before = Some(Box::new(before));
        self.scanned = 0;
        let start = (0, 1, None, 0);
        let Checkpoint { offset, number, incarnation, fingerprint, .. } =
            Arc::make_mut(&mut self.checkpoint);
        (*offset, *number, *incarnation, *fingerprint) = start;
        self.begin_again();
        Ok(())
    }

    fn begin_again(&mut self) {
        let Checkpoint { path, state, .. } = Arc::make_mut(&mut self.checkpoint);
        *state = state.as_deref().and_then(|state| Translator::state_again(self.form, path, state));
    }
}

/// Compares a file with what was read of it.
pub(super) fn compare(file: &File, checkpoint: &Checkpoint) -> io::Result<Compared> {
    if checkpoint.offset == 0 {
        return Ok(Compared::Same);
    }
    Ok(match fingerprint(file, checkpoint.offset)? {
        None => Compared::Shorter,
        Some(found) if found == checkpoint.fingerprint => Compared::Same,
        Some(_) => Compared::Other,
    })
}

/// Tells a file from those that had its name before, by its first line.
fn incarnate(first_line: &[u8], before: Option<&Before>) -> Incarnation {
    let first_line = digest(first_line);
    let generation = match before {
        Some(Before { incarnation: Some(before), fate, .. }) if before.first_line == first_line => {
            match fate {
                Fate::Moved => before.generation + 1,
                Fate::Overwritten => before.generation,
            }
        }
        Some(_) | None => 0,
    };
    Incarnation { first_line, generation }
}

/// Opens the file at a path if it is the one that is meant.
pub(super) fn open(path: &Path, id: FileId) -> io::Result<Option<File>> {
    let file = File::open(path)?;
    let is_meant = FileId::of(&file.metadata()?) == id;
    Ok(is_meant.then_some(file))
}

/// Finds a file that has left its path, if it is still in the same folder and what was read of it is still there.
pub(super) fn find_moved(checkpoint: &Checkpoint) -> Option<(PathBuf, File)> {
    let inodes = walk::inodes(checkpoint.path.parent()?).ok()?;
    open_moved(checkpoint, &inodes)
}

/// Opens a file that has left its path; `inodes` are those of its folder.
pub(super) fn open_moved(
    checkpoint: &Checkpoint,
    inodes: &HashMap<u64, PathBuf>,
) -> Option<(PathBuf, File)> {
    // A file of which nothing was read has nothing to be known by but its number, and that may be another's by now.
    let path = inodes.get(&checkpoint.id.inode).filter(|_| checkpoint.offset > 0)?;
    let file = open(path, checkpoint.id).ok()??;
    let is_same = compare(&file, checkpoint).ok()? == Compared::Same;
    is_same.then(|| (path.clone(), file))
}

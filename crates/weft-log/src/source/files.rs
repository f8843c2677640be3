//! All files that are being read, by path and by what the file system calls them: renamed, rotated, truncated and deleted ones
//! are told from each other here.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fs::{self, File};
use std::io;
use std::ops::Bound;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use weft_event::json::Tape;

use super::batch::{Batch, Notice};
use super::checkpoint::{Checkpoint, Checkpoints, FileId};
use super::form::Forms;
use super::open::OpenFiles;
use super::packed::Packed;
use super::passage::AtEnd;
use super::tracked::{self, Before, Compared, Fate, Seen, Tracked, Visit};
use super::{Start, walk};

/// How many looks a file that has lost its path gets without growing: its producer may still have it open.
const RETIRED_LOOKS_MAX: u32 = 10;
/// The most files that have lost their paths and are still looked at.
const RETIRED_MAX: usize = 64;

/// The coarsest step of a file system's clock.
const CLOCK_STEP_MAX: Duration = Duration::from_secs(2);

/// The files that are being read.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) checkpoints: Checkpoints,
    paths: BTreeMap<Arc<Path>, FileId>,
    tracked: HashMap<FileId, Tracked>,
    pub(super) open: OpenFiles,
    retired: VecDeque<Retired>,
    /// Whether some of those may have grown.
    is_retired_due: bool,
    /// Paths that were named, so that their absence is told.
    named: HashSet<PathBuf>,
    /// Paths whose absence or unreadability was told already.
    told: HashSet<PathBuf>,
    /// Compressed files that were read, or found to be read already.
    packed: HashSet<PathBuf>,
    forms: Forms,
    tape: Tape,
    start: Start,
    at_end: AtEnd,
}

/// A file that is no longer at its path.
#[derive(Debug)]
struct Retired {
    id: FileId,
    file: File,
    n_looks: u32,
}

/// What is known of a file from earlier runs.
enum Recalled {
    /// It was read up to here.
    Resumed(Arc<Checkpoint>),
    /// Nothing, but perhaps of one that stood at its path before.
    Anew(Option<Before>),
}

impl Files {
    pub(super) fn new(
        checkpoints: Checkpoints,
        named: HashSet<PathBuf>,
        forms: Forms,
        (start, at_end): (Start, AtEnd),
    ) -> Self {
        Self {
            checkpoints,
            paths: BTreeMap::new(),
            tracked: HashMap::new(),
            open: OpenFiles::default(),
            retired: VecDeque::new(),
            is_retired_due: false,
            named,
            told: HashSet::new(),
            packed: HashSet::new(),
            forms,
            tape: Tape::new(),
            start,
            at_end,
        }
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        self.paths.contains_key(path) || self.packed.contains(path)
    }

    /// Returns how many paths are known.
    pub(super) fn n_paths(&self) -> usize {
        self.paths.len() + self.packed.len()
    }

    /// Returns how many of the paths are in a folder, or in one below it.
    pub(super) fn n_below(&self, folder: &Path) -> usize {
        let below = self.paths.range::<Path, _>((Bound::Excluded(folder), Bound::Unbounded));
        let n_plain = below.take_while(|(path, _)| path.starts_with(folder)).count();
        n_plain + self.packed.iter().filter(|path| path.starts_with(folder)).count()
    }

    /// Opens a compressed file, unless nothing of it is new.
    pub(super) fn open_packed(&mut self, path: &Path, batch: &mut Batch) -> Option<Packed> {
        let form = self.forms.of(path);
        match Packed::open(path, form, &self.checkpoints, self.start) {
            Ok(packed) => {
                self.told.remove(path);
                self.packed.insert(path.to_owned());
                packed
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.lose(path, batch);
                None
            }
            Err(source) => {
                if self.told.insert(path.to_owned()) {
                    batch.notices.push(Notice::Unreadable { path: path.to_owned(), source });
                }
                None
            }
        }
    }

    /// Returns up to `n` paths after the given one, and from the first on again at the end.
    pub(super) fn paths_after(&self, path: &Path, n: usize) -> Vec<PathBuf> {
        let after = self.paths.range::<Path, _>((Bound::Excluded(path), Bound::Unbounded));
        let before = self.paths.range::<Path, _>((Bound::Unbounded, Bound::Included(path)));
        after.chain(before).take(n).map(|(path, _)| path.to_path_buf()).collect()
    }

    /// Looks at a path, and reads what is new there.
    pub(super) fn visit(&mut self, path: &Path, batch: &mut Batch) -> Visit {
        match self.try_visit(path, batch) {
            Ok(visit) => {
                self.told.remove(path);
                visit
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.lose(path, batch);
                Visit::Done
            }
            Err(source) => {
                if self.told.insert(path.to_owned()) {
                    batch.notices.push(Notice::Unreadable { path: path.to_owned(), source });
                }
                Visit::Done
            }
        }
    }

    fn try_visit(&mut self, path: &Path, batch: &mut Batch) -> io::Result<Visit> {
        let named = fs::metadata(path)?;
        if !named.is_file() {
            return Ok(Visit::Done);
        }
        let id = FileId::of(&named);
        match self.paths.get(path).copied() {
            Some(known) if known == id => {}
            Some(old) => {
                self.replace(path, old, id, batch)?;
                // What is left of the old one comes first.
                return Ok(Visit::More);
            }
            None => {
                let Some(file) = tracked::open(path, id)? else { return Ok(Visit::More) };
                self.begin(path, id, file, batch)?;
                if self.is_retired_due {
                    return Ok(Visit::More);
                }
            }
        }
        let tracked = self.tracked.get_mut(&id).expect("a known path names a tracked file");
        let seen = Seen::of(&named);
        if tracked.has_seen(seen) {
            return Ok(Visit::Done);
        }
        if self.open.get(id).is_none() {
            match tracked::open(path, id)? {
                Some(file) => self.open.put(id, file),
                None => return Ok(Visit::More),
            }
        }
        let file = self.open.get(id).expect("it was opened above");
        let visit = tracked.read_on(file, self.at_end, batch, &mut self.tape)?;
        if visit == Visit::Done && is_at_rest(&named) {
            tracked.note_seen(seen);
        }
        batch.progress.push(Arc::clone(&tracked.checkpoint));
        Ok(visit)
    }

    /// Takes up a path that was not known.
    fn begin(&mut self, path: &Path, id: FileId, file: File, batch: &mut Batch) -> io::Result<()> {
        if self.join(path, id) {
            return Ok(());
        }
        let form = self.forms.of(path);
        let tracked = match self.recall(path, id, &file, batch)? {
            Recalled::Resumed(checkpoint) => {
                Tracked::resumed(path, id, &checkpoint, form).started(self.start)
            }
            Recalled::Anew(before) => Tracked::fresh(path, id, before, form)?,
        };
        self.insert(tracked, file);
        Ok(())
    }

    /// Finds out what earlier runs have read of the file at a path, and of the one that stood there before.
    fn recall(
        &mut self,
        path: &Path,
        id: FileId,
        file: &File,
        batch: &mut Batch,
    ) -> io::Result<Recalled> {
        // A checkpoint that says nothing of the content may be that of a file whose number was given to a new one.
        let was_here = self.checkpoints.by_path(path).is_some_and(|known| known.id == id);
        let known = self.checkpoints.by_id(id);
        if let Some(checkpoint) = known.filter(|known| known.offset > 0 || was_here) {
            let notice = match tracked::compare(file, checkpoint)? {
                Compared::Same => return Ok(Recalled::Resumed(Arc::clone(checkpoint))),
                Compared::Shorter => Notice::Truncated { path: path.to_owned() },
                Compared::Other => Notice::Rewritten { path: path.to_owned() },
            };
            if was_here {
                batch.notices.push(notice);
                return Ok(Recalled::Anew(Some(overwritten(checkpoint))));
            }
        }
        let Some(checkpoint) = self.checkpoints.by_path(path).cloned() else {
            return Ok(Recalled::Anew(None));
        };
        // The one that stood here is read under another path; a new file with its number has another name.
        let tracked = self.tracked.get(&checkpoint.id);
        if tracked.is_some_and(|tracked| tracked.checkpoint.name == checkpoint.name) {
            return Ok(Recalled::Anew(Some(moved(&checkpoint))));
        }
        if let Some((moved_to, old)) = tracked::find_moved(&checkpoint) {
            batch.notices.push(Notice::Rotated { path: path.to_owned() });
            self.finish_moved(&moved_to, old, &checkpoint);
            return Ok(Recalled::Anew(Some(moved(&checkpoint))));
        }
        if tracked::compare(file, &checkpoint)? == Compared::Same {
            return Ok(Recalled::Resumed(checkpoint));
        }
        batch.notices.push(Notice::Rewritten { path: path.to_owned() });
        Ok(Recalled::Anew(Some(overwritten(&checkpoint))))
    }

    /// Takes up another file at a path that is known.
    fn replace(
        &mut self,
        path: &Path,
        old: FileId,
        id: FileId,
        batch: &mut Batch,
    ) -> io::Result<()> {
        let Some(file) = tracked::open(path, id)? else { return Ok(()) };
        let checkpoint = Arc::clone(&self.tracked[&old].checkpoint);
        let is_last_path = self.tracked[&old].n_paths == 1;
        let old_file = match self.open.take(old) {
            Some(file) => Some(file),
            None => tracked::find_moved(&checkpoint).map(|(_, file)| file),
        };
        let lives_on = match &old_file {
            Some(file) => file.metadata()?.nlink() > 0,
            None => false,
        };
        self.leave(path, old);
        let is_same = !lives_on && tracked::compare(&file, &checkpoint)? == Compared::Same;
        if let Some(old_file) = old_file
            && is_last_path
            && !is_same
        {
            self.retire(old, old_file);
        } else if is_last_path {
            self.tracked.remove(&old);
        }
        if self.join(path, id) {
            return Ok(());
        }
        let form = self.forms.of(path);
        let tracked = if is_same {
            Tracked::resumed(path, id, &checkpoint, form)
        } else if lives_on {
            batch.notices.push(Notice::Rotated { path: path.to_owned() });
            Tracked::fresh(path, id, Some(moved(&checkpoint)), form)?
        } else {
            batch.notices.push(Notice::Rewritten { path: path.to_owned() });
            Tracked::fresh(path, id, Some(overwritten(&checkpoint)), form)?
        };
        self.insert(tracked, file);
        Ok(())
    }

    /// Lets a path go that names no file any more.
    fn lose(&mut self, path: &Path, batch: &mut Batch) {
        if self.packed.remove(path) {
            batch.notices.push(Notice::Gone { path: path.to_owned() });
        } else if let Some(id) = self.paths.get(path).copied() {
            self.leave(path, id);
            batch.notices.push(Notice::Gone { path: path.to_owned() });
            if self.tracked[&id].n_paths == 0 {
                match self.open.take(id) {
                    Some(file) => self.retire(id, file),
                    None => drop(self.tracked.remove(&id)),
                }
            }
        } else if self.named.contains(path) && self.told.insert(path.to_owned()) {
            batch.notices.push(Notice::Missing { path: path.to_owned() });
        }
    }

    /// Makes a path another name of a file that is known; returns whether it is.
    fn join(&mut self, path: &Path, id: FileId) -> bool {
        let Some(tracked) = self.tracked.get_mut(&id) else { return false };
        tracked.n_paths += 1;
        let path: Arc<Path> = path.into();
        Arc::make_mut(&mut tracked.checkpoint).path = Arc::clone(&path);
        self.paths.insert(path, id);
        if let Some(idx) = self.retired.iter().position(|retired| retired.id == id)
            && let Some(retired) = self.retired.remove(idx)
        {
            self.open.put(id, retired.file);
        }
        true
    }

    fn insert(&mut self, mut tracked: Tracked, file: File) {
        let id = tracked.checkpoint.id;
        tracked.n_paths = 1;
        self.paths.insert(Arc::clone(&tracked.checkpoint.path), id);
        self.tracked.insert(id, tracked);
        self.open.put(id, file);
    }

    fn leave(&mut self, path: &Path, id: FileId) {
        self.paths.remove(path);
        let tracked = self.tracked.get_mut(&id).expect("a known path names a tracked file");
        tracked.n_paths -= 1;
    }

    fn retire(&mut self, id: FileId, file: File) {
        if self.retired.len() >= RETIRED_MAX
            && let Some(oldest) = self.retired.front_mut()
        {
            oldest.n_looks = RETIRED_LOOKS_MAX;
        }
        self.is_retired_due = true;
        self.retired.push_back(Retired { id, file, n_looks: 0 });
    }

    /// Takes up a file that has left its path since the last run, to read it to its end.
    fn finish_moved(&mut self, path: &Path, file: File, checkpoint: &Checkpoint) {
        let form = self.forms.of(path);
        let tracked = Tracked::resumed(path, checkpoint.id, checkpoint, form);
        self.tracked.insert(checkpoint.id, tracked);
        self.retire(checkpoint.id, file);
    }

    /// Notes that some time has passed for the files that have lost their paths.
    pub(super) fn age(&mut self) {
        self.is_retired_due = !self.retired.is_empty();
        self.retired.iter_mut().for_each(|retired| retired.n_looks += 1);
    }

    /// Reads what is new in files that have lost their paths, and lets those go that nobody writes to.
    pub(super) fn visit_retired(&mut self, batch: &mut Batch) -> Visit {
        if !self.is_retired_due {
            return Visit::Done;
        }
        let mut idx = 0;
        while let Some(retired) = self.retired.get_mut(idx) {
            let is_last = self.at_end == AtEnd::Give || retired.n_looks >= RETIRED_LOOKS_MAX;
            let at_end = if is_last { AtEnd::Give } else { AtEnd::KeepBack };
            let id = retired.id;
            let tracked = self.tracked.get_mut(&id).expect("a retired file is tracked");
            let n_before = batch.len();
            let visit = tracked.read_on(&retired.file, at_end, batch, &mut self.tape);
            batch.progress.push(Arc::clone(&tracked.checkpoint));
            match visit {
                Ok(Visit::More) => return Visit::More,
                Ok(Visit::Done) if !is_last => {
                    if batch.len() > n_before {
                        retired.n_looks = 0;
                    }
                    idx += 1;
                }
                Ok(Visit::Done) => self.release(idx),
                Err(source) => {
                    let path = tracked.checkpoint.path.to_path_buf();
                    batch.notices.push(Notice::Unreadable { path, source });
                    self.release(idx);
                }
            }
        }
        self.is_retired_due = false;
        Visit::Done
    }

    fn release(&mut self, idx: usize) {
        if let Some(retired) = self.retired.remove(idx) {
            self.tracked.remove(&retired.id);
        }
    }

    /// Settles what has become of files below these folders that no path leads to any more: one that was renamed is read to its
    /// end, then all of them are forgotten.
    pub(super) fn forget_gone(&mut self, roots: &[PathBuf]) {
        let is_gone = |checkpoint: &Checkpoint, is_former: bool| {
            let path = &checkpoint.path;
            let is_known = self.has(path) || self.told.contains(&**path);
            roots.iter().any(|root| path.starts_with(root))
                && !self.tracked.contains_key(&checkpoint.id)
                && (is_former || !is_known)
        };
        let all = self.checkpoints.iter();
        let gone: Vec<(Arc<Checkpoint>, bool)> = all
            .filter(|(checkpoint, is_former)| is_gone(checkpoint, *is_former))
            .map(|(checkpoint, is_former)| (Arc::clone(checkpoint), is_former))
            .collect();
        let mut folders: HashMap<PathBuf, HashMap<u64, PathBuf>> = HashMap::new();
        for (checkpoint, is_former) in gone {
            let folder = checkpoint.path.parent().unwrap_or(Path::new("/")).to_owned();
            let inodes = folders
                .entry(folder)
                .or_insert_with_key(|folder| walk::inodes(folder).unwrap_or_default());
            match tracked::open_moved(&checkpoint, inodes) {
                // It is where it was, and was left out.
                Some((path, _)) if *path == *checkpoint.path => {}
                Some((path, file)) if !is_former && has_more(&file, &checkpoint) => {
                    self.finish_moved(&path, file, &checkpoint);
                }
                Some(_) | None => self.checkpoints.forget(checkpoint.id),
            }
        }
    }
}

/// Returns whether a file's time of change tells it from one that is changed again now: clocks of file systems go in steps.
fn is_at_rest(file: &fs::Metadata) -> bool {
    let age = file.modified().ok().and_then(|modified| modified.elapsed().ok());
    age.is_some_and(|age| age > CLOCK_STEP_MAX)
}

/// Returns whether there is more in a file than the line break after what was read.
fn has_more(file: &File, checkpoint: &Checkpoint) -> bool {
    file.metadata().is_ok_and(|file| file.len() > checkpoint.offset + b"\r\n".len() as u64)
}

fn moved(checkpoint: &Checkpoint) -> Before {
    Before { incarnation: checkpoint.incarnation, fate: Fate::Moved, state: None }
}

fn overwritten(checkpoint: &Checkpoint) -> Before {
    let Checkpoint { incarnation, state, .. } = checkpoint;
    Before { incarnation: *incarnation, fate: Fate::Overwritten, state: state.clone() }
}

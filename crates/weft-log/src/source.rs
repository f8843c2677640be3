//! Reading JSONL files, folders of them and streams into the log, from where it stopped the last time.
//!
//! [`Sources::read`] gives batches of lines as they stand in the files; when a batch is in the log, [`Sources::settle`] notes how
//! far that is. Files that grow, are rotated, renamed, truncated or rewritten are told from each other by what was read of them.
//! Reading something twice is harmless, because a line has the same delivery id each time; leaving something out is not.
//!
//! A delivery id is `file:<real path>#<digest of the first line>[.<generation>]@<offset>`. The path is the first one the file was
//! read under, and stays with it when it is renamed. The digest tells a file from those that stood at its path before. Where a
//! rotated file and its successor begin with the same line, the generation does. Two things make a line's id another one: the
//! checkpoints are lost and the file was renamed, or it was renamed before anything of it was settled. Nothing here parses events.

mod batch;
mod checkpoint;
mod files;
mod folders;
mod form;
mod name;
mod named;
mod open;
mod order;
mod packed;
mod passage;
mod stream;
mod tracked;
mod walk;
mod watch;

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use weft_event::transcript::Client;

pub use batch::{Arrived, BATCH_BYTES_MAX, BATCH_LINES_MAX, Batch, Deliveries, Notice, Origin};
pub use checkpoint::{Checkpoint, Checkpoints, FileId, Incarnation};
pub use form::Form;
pub use open::OPEN_FILES_MAX;
pub use order::{First, Pick};
pub use walk::EXTENSIONS;

use files::Files;
use folders::Folders;
use named::{Named, real};
use packed::Packed;
use passage::AtEnd;
use stream::{Stream, Streamed};
use tracked::Visit;
use watch::{Heard, Watch};

/// How long following waits at most before it looks for itself.
pub const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// The most files that one run keeps track of.
pub const FILES_MAX: usize = 1 << 20;
/// The most files that are looked at without a hint each time; the others have their turn the next times.
const LOOKS_MAX: usize = 2048;
/// How much may be read again after a crash for want of a saved checkpoint.
const SAVE_BYTES: usize = 64 << 20;
/// Batches whose memory is kept for the next.
const SPARE_MAX: usize = 4;
/// How often checkpoints are saved while there is little to read.
const SAVE_INTERVAL: Duration = Duration::from_secs(5);

/// Why inputs cannot be read at all, or progress cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// An input is a part of the store that is to be written.
    #[error("{path} is a part of the store itself")]
    OwnStore {
        /// The input.
        path: PathBuf,
    },
    /// The checkpoints cannot be read or written.
    #[error("cannot keep how far files were read in {path}")]
    State {
        /// The file of checkpoints.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Something to read.
pub enum Input {
    /// A file, a folder to search, or a named pipe.
    Path(PathBuf),
    /// A file or folder of an agent's sessions.
    Sessions {
        /// The agent.
        client: Client,
        /// The file or folder.
        path: PathBuf,
    },
    /// A folder to search, which may come later.
    Folder {
        /// The folder.
        path: PathBuf,
        /// What its files have.
        form: Form,
    },
    /// Standard input and the like.
    Stream {
        /// What its lines are named by: the same for the same bytes, a new one otherwise.
        name: String,
        /// Its bytes.
        bytes: Box<dyn Read + Send>,
    },
}

/// What to do at the end of the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Stop. A last line without its line break comes as it is.
    Once,
    /// Wait for more, and for more files.
    Follow {
        /// How long to wait at most before looking, whatever hints there are; usually [`LOOK_INTERVAL`].
        look_interval: Duration,
    },
}

/// Where to begin with a file that an earlier run has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Where that run stopped.
    Checkpoint,
    /// At its first line.
    Beginning,
}

/// What a look at the inputs found.
#[derive(Debug)]
pub enum Polled {
    /// Lines, faults or notices.
    Batch(Batch),
    /// Nothing for now.
    Idle,
    /// Nothing any more.
    End,
}

/// How to read.
pub struct Options {
    /// The store's folder, which has the checkpoints and is not searched.
    pub store: PathBuf,
    /// What to do at the end.
    pub mode: Mode,
    /// Where to begin.
    pub start: Start,
    /// Which files of a folder come first, and which do not come at all.
    pub pick: Pick,
    /// Ends reading when it is set.
    pub stop: Arc<AtomicBool>,
}

/// Ends reading, also where it waits for more.
#[derive(Clone, Debug)]
pub struct Stopper {
    stop: Arc<AtomicBool>,
    waker: Option<SyncSender<PathBuf>>,
}

impl Stopper {
    /// Ends reading.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(waker) = &self.waker {
            // Where no hint has room, there are others that end the waiting.
            drop(waker.try_send(PathBuf::new()));
        }
    }
}

/// A folder that was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderState<'s> {
    /// The folder.
    pub path: &'s Path,
    /// Whether it is there.
    pub is_there: bool,
    /// How many of its files are read.
    pub n_files: usize,
}

/// Inputs that are being read.
pub struct Sources {
    options: Options,
    files: Files,
    folders: Folders,
    /// What is to be looked at, and the paths among it.
    queue: VecDeque<Work>,
    queued: HashSet<PathBuf>,
    /// The files that were named.
    named: Vec<PathBuf>,
    watch: Option<Watch>,
    /// Batches that were given back.
    spare: Vec<Batch>,
    /// Whether all inputs were gone through once.
    has_seen_all: bool,
    /// Whether hints were missed since all was last looked at.
    has_missed: bool,
    next_look: Instant,
    last_looked: PathBuf,
    last_save: Instant,
    n_unsaved_bytes: usize,
}

/// An end of the queue.
#[derive(Clone, Copy)]
enum End {
    Front,
    Back,
}

enum Work {
    Path(PathBuf),
    Packed(Box<Packed>),
    Folder(PathBuf),
    Pipe(PathBuf),
    Stream(Stream),
}

impl Sources {
    /// Takes up inputs where the last run left them. Nothing is read before [`Sources::read`].
    pub fn new(inputs: Vec<Input>, mut options: Options) -> Result<Self, SourceError> {
        let checkpoints = Checkpoints::load(&options.store)?;
        options.store = real(&options.store);
        let Named { files, roots, forms, queue } = Named::sort(inputs, &options)?;
        let (at_end, watch) = match options.mode {
            Mode::Once => (AtEnd::Give, None),
            Mode::Follow { .. } => (AtEnd::KeepBack, Some(Watch::new())),
        };
        let now = Instant::now();
        let mut sources = Self {
            files: Files::new(
                checkpoints,
                files.iter().cloned().collect(),
                forms.clone(),
                (options.start, at_end),
            ),
            folders: Folders::new(roots, forms, options.store.clone()),
            options,
            queue,
            queued: HashSet::new(),
            named: files,
            watch,
            spare: Vec::new(),
            has_seen_all: false,
            has_missed: false,
            next_look: now,
            last_looked: PathBuf::new(),
            last_save: now,
            n_unsaved_bytes: 0,
        };
        if let Some(watch) = &mut sources.watch {
            sources
                .named
                .iter()
                .filter_map(|path| path.parent())
                .for_each(|folder| watch.add(folder));
        }
        Ok(sources)
    }

    /// Returns the next batch; `None` at the end, or when told to stop.
    ///
    /// A batch is never without lines, faults or notices. Following waits here for more; a stream that gives nothing holds up the
    /// rest, and is asked to stop only when its own reading is interrupted.
    pub fn read(&mut self) -> Result<Option<Batch>, SourceError> {
        loop {
            match self.poll()? {
                Polled::Batch(batch) => return Ok(Some(batch)),
                Polled::Idle => {}
                Polled::End => return Ok(None),
            }
        }
    }

    /// Does as [`Sources::read`] does, but comes back whenever it has waited, so that batches can be settled meanwhile.
    pub fn poll(&mut self) -> Result<Polled, SourceError> {
        while !self.options.stop.load(Ordering::Relaxed) {
            if !self.queue.is_empty() {
                // What grows now is not to wait for all that has long been there.
                self.hear(Duration::ZERO, End::Front);
            }
            let mut batch = self.spare.pop().unwrap_or_default();
            self.fill(&mut batch);
            if !batch.is_empty() || !batch.notices().is_empty() {
                return Ok(Polled::Batch(batch));
            }
            self.reuse(batch);
            if !self.queue.is_empty() {
                continue;
            }
            if !self.has_seen_all {
                self.has_seen_all = true;
                self.files.forget_gone(&self.folders.present());
                continue;
            }
            match self.options.mode {
                Mode::Once => return Ok(Polled::End),
                Mode::Follow { look_interval } => {
                    self.wait(look_interval)?;
                    return Ok(Polled::Idle);
                }
            }
        }
        Ok(Polled::End)
    }

    /// Notes that everything of a batch is durable, in the log or among what was refused. Batches are settled in the order read.
    pub fn settle(&mut self, batch: &Batch) -> Result<(), SourceError> {
        for checkpoint in &batch.progress {
            self.files.checkpoints.set(Arc::clone(checkpoint));
        }
        self.n_unsaved_bytes += batch.n_bytes();
        if self.n_unsaved_bytes >= SAVE_BYTES {
            self.save()?;
        }
        Ok(())
    }

    /// Takes back a batch that is done with, whose memory the next one needs.
    pub fn reuse(&mut self, mut batch: Batch) {
        if self.spare.len() < SPARE_MAX {
            batch.clear();
            self.spare.push(batch);
        }
    }

    /// Returns what ends reading from elsewhere.
    pub fn stopper(&self) -> Stopper {
        let waker = self.watch.as_ref().map(Watch::waker);
        Stopper { stop: Arc::clone(&self.options.stop), waker }
    }

    /// Returns the folders that were named, whether each is there, and how many files of it are read.
    pub fn folders(&self) -> impl Iterator<Item = FolderState<'_>> {
        self.folders.roots().iter().map(|path| FolderState {
            path,
            is_there: self.folders.is_there(path),
            n_files: self.files.n_below(path),
        })
    }

    /// Returns whether everything that was there at the beginning has been read.
    pub fn has_caught_up(&self) -> bool {
        self.has_seen_all
    }

    /// Saves how far the inputs were settled.
    pub fn finish(mut self) -> Result<(), SourceError> {
        self.save()
    }

    fn save(&mut self) -> Result<(), SourceError> {
        self.n_unsaved_bytes = 0;
        self.last_save = Instant::now();
        self.files.checkpoints.save()
    }

    /// Reads what is queued until the batch is full.
    fn fill(&mut self, batch: &mut Batch) {
        while !batch.is_full() {
            if self.files.visit_retired(batch) == Visit::More {
                return;
            }
            let Some(work) = self.queue.pop_front() else { return };
            match work {
                Work::Folder(folder) => self.search(&folder, batch),
                Work::Pipe(path) => match File::open(&path) {
                    Ok(file) => {
                        let (name, stop) = (name::encode(&path), Arc::clone(&self.options.stop));
                        let stream = Stream::new(name, Box::new(file), stop);
                        self.queue.push_front(Work::Stream(stream));
                    }
                    Err(source) => batch.notices.push(Notice::Unreadable { path, source }),
                },
                Work::Stream(mut stream) => match stream.read(batch) {
                    Ok(Streamed::More) => {
                        self.queue.push_front(Work::Stream(stream));
                        return;
                    }
                    Ok(Streamed::End) => {}
                    Err(source) => {
                        let path = PathBuf::from(stream.name());
                        batch.notices.push(Notice::Unreadable { path, source });
                    }
                },
                Work::Packed(mut packed) => match packed.read(batch) {
                    Ok(Streamed::More) => {
                        self.queue.push_front(Work::Packed(packed));
                        return;
                    }
                    Ok(Streamed::End) => {}
                    Err(source) => {
                        batch.notices.push(Notice::Unreadable { path: packed.path(), source });
                    }
                },
                Work::Path(path) if packed::is_packed(&path) => {
                    self.queued.remove(&path);
                    if let Some(packed) = self.files.open_packed(&path, batch) {
                        self.queue.push_front(Work::Packed(Box::new(packed)));
                    }
                }
                Work::Path(path) => {
                    self.queued.remove(&path);
                    match (self.files.visit(&path, batch), self.options.mode) {
                        (Visit::Done, _) => {}
                        (Visit::More, Mode::Once) => self.queue.push_front(Work::Path(path)),
                        // The others have their turn before more of this one.
                        (Visit::More, Mode::Follow { .. }) => self.look_at(path),
                    }
                }
            }
        }
    }

    fn look_at(&mut self, path: PathBuf) {
        if self.queued.insert(path.clone()) {
            self.queue.push_back(Work::Path(path));
        }
    }

    /// Searches a folder; its files come before all else that is queued.
    fn search(&mut self, folder: &Path, batch: &mut Batch) {
        let mut found = self.folders.search(folder, FILES_MAX, self.watch.as_mut());
        batch.notices.append(&mut found.notices);
        found.files.retain(|path| !self.files.has(path) && !self.queued.contains(path));
        let n_left = FILES_MAX.saturating_sub(self.files.n_paths() + self.queued.len());
        if let Some(path) = found.files.get(n_left) {
            batch.notices.push(Notice::TooMany { path: path.clone(), max: FILES_MAX });
            found.files.truncate(n_left);
        }
        for path in self.options.pick.arrange(found.files).into_iter().rev() {
            self.queued.insert(path.clone());
            self.queue.push_front(Work::Path(path));
        }
    }

    /// Waits until something may have changed, and queues it.
    fn wait(&mut self, look_interval: Duration) -> Result<(), SourceError> {
        self.spare.clear();
        if self.last_save.elapsed() >= SAVE_INTERVAL {
            self.save()?;
        }
        let limit = self.next_look.saturating_duration_since(Instant::now());
        let has_missed = self.hear(limit, End::Back);
        let now = Instant::now();
        if has_missed || now >= self.next_look {
            self.next_look = now + look_interval;
            self.look_around(if has_missed { usize::MAX } else { LOOKS_MAX });
        }
        Ok(())
    }

    /// Waits for hints, and queues what they are about; returns whether some were missed.
    fn hear(&mut self, limit: Duration, end: End) -> bool {
        let Heard { paths, has_missed } = match &mut self.watch {
            Some(watch) => watch.wait(limit),
            None => Heard::default(),
        };
        for path in paths {
            let is_file = self.files.has(&path) || self.named.contains(&path);
            if !is_file && !self.folders.is_searched(&path) {
                continue;
            }
            match (is_file || !path.is_dir(), end) {
                // It may stand in the queue a second time, where nothing is left of it by then.
                (true, End::Front) => self.queue.push_front(Work::Path(path)),
                (true, End::Back) => self.look_at(path),
                (false, _) if self.folders.has(&path) => {}
                (false, End::Front | End::Back) => self.queue.push_back(Work::Folder(path)),
            }
        }
        // Whoever looks around later has to know.
        self.has_missed |= has_missed;
        match end {
            End::Front => self.has_missed,
            End::Back => std::mem::take(&mut self.has_missed),
        }
    }

    /// Queues what may have changed without a hint, so many files at most.
    fn look_around(&mut self, n_looks: usize) {
        self.files.age();
        let paths = self.files.paths_after(&self.last_looked, n_looks);
        if let Some(last) = paths.last() {
            self.last_looked.clone_from(last);
        }
        let absent: Vec<PathBuf> =
            self.named.iter().filter(|path| !self.files.has(path)).cloned().collect();
        paths.into_iter().chain(absent).for_each(|path| self.look_at(path));
        for folder in self.folders.changed(n_looks) {
            self.queue.push_back(Work::Folder(folder));
        }
    }
}

#[cfg(test)]
mod tests;

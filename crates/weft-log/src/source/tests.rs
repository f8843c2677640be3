//! Files are read once, whole, and from where reading stopped, whatever happens to them in between.

mod checkpoints;
mod folders;
mod follow;
mod model;
mod once;
mod passages;
mod sessions;
mod streams;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tempfile::TempDir;
use weft_event::input::{Ending, Item};

use super::{Arrived, Batch, Input, Mode, Options, Pick, Polled, Sources, Start};

/// How often a test that follows looks, so that it does not depend on hints.
const QUICK: Mode = Mode::Follow { look_interval: Duration::from_millis(2) };

/// A folder with inputs, and a store.
struct Scene {
    inputs: TempDir,
    store: TempDir,
}

impl Scene {
    fn new() -> Self {
        // The store is where syncing costs nothing, if there is such a place; the inputs are where inodes are used again.
        let memory = Path::new("/dev/shm");
        let store =
            if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        Self { inputs: tempfile::tempdir().unwrap(), store: store.unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        let folder = self.inputs.path().canonicalize().unwrap();
        if name.is_empty() { folder } else { folder.join(name) }
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn append(&self, name: &str, bytes: impl AsRef<[u8]>) {
        append(&self.path(name), bytes);
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    fn sources_of(&self, names: &[&str], mode: Mode) -> Sources {
        self.started(names, mode, Start::Checkpoint)
    }

    fn started(&self, names: &[&str], mode: Mode, start: Start) -> Sources {
        let inputs = names.iter().map(|name| Input::Path(self.path(name))).collect();
        let (store, stop) = (self.store.path().to_owned(), Arc::new(AtomicBool::new(false)));
        Sources::new(inputs, Options { store, mode, start, pick: Pick::ALL, stop }).unwrap()
    }

    fn with(&self, inputs: Vec<Input>, mode: Mode, pick: Pick) -> Sources {
        let (store, stop) = (self.store.path().to_owned(), Arc::new(AtomicBool::new(false)));
        let start = Start::Checkpoint;
        Sources::new(inputs, Options { store, mode, start, pick, stop }).unwrap()
    }

    fn follow(&self) -> Sources {
        self.sources_of(&[""], QUICK)
    }

    /// Reads everything once, with the checkpoints kept; returns what came.
    fn run(&self) -> String {
        self.run_of(&[""])
    }

    fn run_of(&self, names: &[&str]) -> String {
        let mut sources = self.sources_of(names, Mode::Once);
        let mut shown = String::new();
        while let Some(batch) = sources.read().unwrap() {
            shown.push_str(&self.show(&batch));
            sources.settle(&batch).unwrap();
        }
        sources.finish().unwrap();
        shown
    }

    /// Reads everything once, from the start, and leaves the checkpoints alone; returns the delivery ids.
    fn ids(&self) -> Vec<String> {
        let store = tempfile::tempdir().unwrap();
        let inputs = vec![Input::Path(self.path(""))];
        let stop = Arc::new(AtomicBool::new(false));
        let options = Options {
            store: store.path().to_owned(),
            mode: Mode::Once,
            start: Start::Checkpoint,
            pick: Pick::ALL,
            stop,
        };
        let mut sources = Sources::new(inputs, options).unwrap();
        let mut ids = Vec::new();
        while let Some(batch) = sources.read().unwrap() {
            ids.extend(batch.arrived().filter_map(|arrived| arrived.delivery()));
        }
        ids
    }

    /// Writes a batch as text, with the folder left out.
    fn show(&self, batch: &Batch) -> String {
        let mut shown = String::new();
        for notice in batch.notices() {
            shown.push_str(&format!("! {notice}\n"));
        }
        for arrived in batch.arrived() {
            shown.push_str(&show_one(&arrived));
        }
        let folder = self.path("").display().to_string();
        shown.replace(&format!("{folder}/"), "").replace(&folder, ".")
    }

    /// Reads one batch, which must come.
    fn next(&self, sources: &mut Sources) -> String {
        let batch = sources.read().unwrap().expect("nobody said stop");
        sources.settle(&batch).unwrap();
        self.show(&batch)
    }

    /// Reads batches until this many lines, faults and notices have come.
    fn next_n(&self, sources: &mut Sources, n: usize) -> String {
        let mut shown = String::new();
        while shown.lines().count() < n {
            shown.push_str(&self.next(sources));
        }
        shown
    }
}

fn append(path: &Path, bytes: impl AsRef<[u8]>) {
    let mut file = File::options().append(true).create(true).open(path).unwrap();
    file.write_all(bytes.as_ref()).unwrap();
}

fn show_one(arrived: &Arrived<'_>) -> String {
    let origin = arrived.origin.shown();
    match arrived.item {
        Item::Fault(fault) => {
            format!("{origin}:{}@{}: {}\n", fault.number, fault.offset, fault.kind)
        }
        Item::Line(line) => {
            let text = String::from_utf8_lossy(line.bytes);
            let end = match line.ending {
                Ending::Newline => "",
                Ending::EndOfInput => "<end>",
            };
            format!("{origin}:{}@{}: {text}{end}\n", line.number, line.offset)
        }
    }
}

//! A store, events that can be told apart, and what the log holds in the end.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use weft_log::Position;
use weft_log::disk::RealDisk;
use weft_log::reader::Reader;

/// A folder with a store in it.
pub(crate) struct Scene {
    folder: TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let scene = Self { folder: TempDir::new().unwrap() };
        let made = scene.weft(&["init"]).output().unwrap();
        assert!(made.status.success(), "{}", shown(&made));
        scene
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.path(".weft")
    }

    /// Returns the first segment of the log.
    pub(crate) fn segment(&self) -> PathBuf {
        let mut segments: Vec<PathBuf> = std::fs::read_dir(self.store().join("log"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        segments.sort();
        segments.swap_remove(0)
    }

    /// Returns the binary with arguments, to be run here.
    pub(crate) fn weft(&self, args: &[&str]) -> Command {
        self.program(env!("CARGO_BIN_EXE_weft"), args)
    }

    /// Returns another program, to be run here.
    pub(crate) fn program(&self, name: &str, args: &[&str]) -> Command {
        let mut command = Command::new(name);
        command.args(args).current_dir(self.folder.path()).env_remove("WEFT_STORE");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn append(&self, name: &str, lines: impl Iterator<Item = String>) {
        let mut file = File::options().append(true).create(true).open(self.path(name)).unwrap();
        let text: String = lines.map(|line| line + "\n").collect();
        file.write_all(text.as_bytes()).unwrap();
    }

    /// Reads the whole log, whose positions must be dense, and returns where each event stands.
    pub(crate) fn census(&self) -> Census {
        Census::of(&self.store())
    }
}

/// Returns a run for a message.
pub(crate) fn shown(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr))
}

/// Gives a command its standard input, from a thread of its own.
pub(crate) fn feed(child: &mut std::process::Child, bytes: Vec<u8>) {
    let mut stdin = child.stdin.take().unwrap();
    // A process that was killed does not read.
    std::thread::spawn(move || drop(stdin.write_all(&bytes)));
}

/// An event with an identity: the worker and the number.
pub(crate) fn needle(worker: &str, number: u64) -> String {
    format!(
        r#"{{"schema_version":1,"timestamp":"2026-11-15T12:00:00.000Z","event_type":"bead.claimed","worker_id":"{worker}","session_id":"s","sequence":{number},"data":{{"bead_id":"b{number}"}}}}"#
    )
}

/// An event without an identity; what tells it apart is for us alone.
pub(crate) fn done(worker: &str, number: u64) -> String {
    format!(
        r#"{{"schema":0,"event":"DONE","reason":"COMPLETE","stack":[],"test":{{"worker":"{worker}","number":{number}}}}}"#
    )
}

/// Where each event of each worker stands in the log.
pub(crate) struct Census {
    pub(crate) n_records: u64,
    positions: HashMap<(String, u64), Vec<u64>>,
    by_worker: HashMap<String, Vec<u64>>,
}

impl Census {
    pub(crate) fn of(store: &Path) -> Self {
        let mut reader = Reader::open(RealDisk, store.to_owned(), Position::FIRST).unwrap();
        let (mut positions, mut by_worker) = (HashMap::new(), HashMap::new());
        let mut n_records = 0;
        while let Some(batch) = reader.read().unwrap() {
            assert_eq!(batch.lost().count(), 0, "records are damaged");
            for (record, _) in batch.records() {
                n_records += 1;
                assert_eq!(record.meta.position.get(), n_records, "positions are dense");
                let (worker, number) = read(record.line);
                by_worker.entry(worker.clone()).or_insert_with(Vec::new).push(number);
                positions.entry((worker, number)).or_insert_with(Vec::new).push(n_records);
            }
        }
        Self { n_records, positions, by_worker }
    }

    /// Asserts that an event is there, once, and returns where.
    pub(crate) fn once(&self, worker: &str, number: u64) -> u64 {
        let found = self.positions.get(&(worker.to_owned(), number)).map(Vec::as_slice);
        match found {
            Some([position]) => *position,
            found => panic!("event {number} of {worker} stands at {found:?}"),
        }
    }

    /// Asserts that nothing is there twice, and that each worker's events stand in the order in which they came.
    pub(crate) fn assert_in_order(&self) {
        for ((worker, number), positions) in &self.positions {
            assert_eq!(positions.len(), 1, "event {number} of {worker} is doubled: {positions:?}");
        }
        for (worker, numbers) in &self.by_worker {
            let broken = numbers.windows(2).find(|pair| pair[0] >= pair[1]);
            assert_eq!(broken, None, "the events of {worker} are out of order");
        }
    }
}

/// Reads whose event a line is, and its number; the line must be one that was sent, to the byte.
fn read(line: &[u8]) -> (String, u64) {
    let event: Value = serde_json::from_slice(line).unwrap();
    let (worker, number, is_done) = match event["worker_id"].as_str() {
        Some(worker) => (worker, event["sequence"].as_u64().unwrap(), false),
        None => {
            let test = &event["test"];
            (test["worker"].as_str().unwrap(), test["number"].as_u64().unwrap(), true)
        }
    };
    let sent = if is_done { done(worker, number) } else { needle(worker, number) };
    assert_eq!(String::from_utf8_lossy(line), sent, "a line is not what was sent");
    (worker.to_owned(), number)
}

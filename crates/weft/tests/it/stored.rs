//! A store with known events, written at known times.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use weft_event::event::Expect;
use weft_log::admit::{Admitted, Arrival, Gate, Strictness};
use weft_log::blobs::Which;
use weft_log::disk::RealDisk;
use weft_log::lock::Owner;
use weft_log::log::{Batch, Durability, Hold, Indexing, Log, Options};
use weft_log::writer::Writer;
use weft_log::{Network, Store};

use crate::sandbox::{Ran, Sandbox};

/// When the records were received, in microseconds: 2020-01-01T00:00:10Z, and a second more for each group.
const RECEIVED_US: i64 = 1_577_836_810_000_000;

/// A sandbox with a store in it.
pub(crate) struct Stored {
    pub(crate) sandbox: Sandbox,
}

impl Stored {
    /// Returns a store of these events, each in a group of its own.
    pub(crate) fn with<L: AsRef<str>>(lines: &[L]) -> Self {
        Self::in_groups(1, lines)
    }

    /// Returns a store of these events, so many in a group.
    pub(crate) fn in_groups<L: AsRef<str>>(n_together: usize, lines: &[L]) -> Self {
        let stored = Self { sandbox: Sandbox::with(&[]) };
        let store = stored.store();
        let mut writer = Writer::open(RealDisk, store.root().to_owned(), RECEIVED_US).unwrap().0;
        let mut gate = gate(&store, Which::Largest);
        for (n, group) in lines.chunks(n_together).enumerate() {
            let entries = group.iter().map(|line| admit(&mut gate, line.as_ref()).entry);
            let entries: Vec<_> = entries.collect();
            writer.append(&entries, RECEIVED_US + 1_000_000 * n as i64).unwrap();
        }
        stored
    }

    /// Returns a store that has a group of these events many times, whatever that means for their identity.
    pub(crate) fn many_times<L: AsRef<str>>(n_times: usize, lines: &[L]) -> Self {
        let stored = Self { sandbox: Sandbox::with(&[]) };
        let store = stored.store();
        let mut writer = Writer::open(RealDisk, store.root().to_owned(), RECEIVED_US).unwrap().0;
        let mut gate = gate(&store, Which::Largest);
        let entries: Vec<_> =
            lines.iter().map(|line| admit(&mut gate, line.as_ref()).entry).collect();
        for _ in 0..n_times {
            writer.append(&entries, RECEIVED_US).unwrap();
        }
        stored
    }

    pub(crate) fn store(&self) -> Store {
        Store::make(&self.sandbox.path().join(".weft"), Network::Refuse).unwrap()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.sandbox.command(args)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.sandbox.run(args)
    }

    /// Returns the segment that the events are in.
    pub(crate) fn segment(&self) -> PathBuf {
        self.sandbox.path().join(".weft/log/events-2020-01-01.0000.jsonl")
    }

    /// Changes a byte of an event on the disk.
    pub(crate) fn damage(&self, text: &str) {
        let path = self.segment();
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.windows(text.len()).position(|part| part == text.as_bytes()).unwrap();
        bytes[at] ^= 1;
        std::fs::write(&path, bytes).unwrap();
    }

    /// Opens the store for writing, from this process.
    pub(crate) fn log(&self) -> Log {
        let owner = Owner { pid: std::process::id(), what: "test".to_owned() };
        let (patience, hold, indexing) = (Duration::from_secs(60), Hold::Long, Indexing::Meanwhile);
        let options = Options { owner, patience, hold, indexing };
        Log::open(self.store(), options, &mut |_| {}).unwrap()
    }

    /// Appends events, all in one batch.
    pub(crate) fn append<L: AsRef<str>>(&self, log: &Log, which: Which, lines: &[L]) {
        let mut gate = gate(&self.store(), which);
        let events = lines.iter().map(|line| admit(&mut gate, line.as_ref())).collect();
        let durability = Durability::Synced;
        log.append(Batch { events, conditions: Vec::new(), durability }).unwrap();
    }
}

fn gate(store: &Store, which: Which) -> Gate {
    Gate::new(store, which, Strictness::Lenient)
}

fn admit(gate: &mut Gate, line: &str) -> Admitted {
    let (line, expect, via) = (line.as_bytes(), Expect::Any, "test");
    gate.admit_own(&Arrival { line, expect, via, delivery: None, topic: None }).unwrap()
}

/// Returns an event of the collector dialect: the type, then members to add.
pub(crate) fn collector(second: u32, event_type: &str, more: &str) -> String {
    let comma = if more.is_empty() { "" } else { "," };
    format!(
        r#"{{"version":"1.0.0","event_type":"{event_type}","timestamp":"2020-01-01T00:00:{second:02}Z","agent_id":"@a"{comma}{more}}}"#
    )
}

/// Returns an event of the needle dialect: worker, session and number.
pub(crate) fn needle(second: u32, worker: &str, session: &str, sequence: u64) -> String {
    format!(
        r#"{{"schema_version":1,"timestamp":"2020-01-01T00:00:{second:02}.000Z","event_type":"bead.claimed","worker_id":"{worker}","session_id":"{session}","sequence":{sequence},"data":{{"bead_id":"b-{sequence}"}}}}"#
    )
}

/// Returns a file's name below a folder, for messages that hold it.
pub(crate) fn hide(text: &str, folder: &Path) -> String {
    let canonical = folder.canonicalize().unwrap();
    text.replace(canonical.to_str().unwrap(), "[folder]")
        .replace(folder.to_str().unwrap(), "[folder]")
}

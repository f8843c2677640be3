//! Stores for tests: of several segments, written on days that the test names.

use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use weft_event::Dialect;
use weft_event::event::Expect;

use crate::admit::{Admitted, Arrival, Gate, Strictness};
use crate::blobs::Which;
use crate::disk::RealDisk;
use crate::lock::Owner;
use crate::log::{Hold, Indexing, Log, Options};
use crate::reader::Reader;
use crate::writer::{Entry, Writer};
use crate::{Mark, Network, Position, Store, TopicKey};

/// 2026-01-01, in microseconds since 1970.
pub(crate) const DAY_ONE_US: i64 = 1_767_225_600_000_000;
/// A day.
pub(crate) const DAY_US: i64 = 86_400_000_000;

/// A store in a folder of its own.
pub(crate) struct Scene {
    _folder: TempDir,
    pub(crate) store: Store,
}

impl Scene {
    /// Returns a store with the records of these days, each a segment. The index is up to date.
    pub(crate) fn of_days(days: &[Vec<Admitted>]) -> Self {
        let scene = Self::empty();
        let (mut writer, _) =
            Writer::open(RealDisk, scene.store.root().to_owned(), DAY_ONE_US).unwrap();
        for (day, events) in days.iter().enumerate() {
            let entries: Vec<_> = events.iter().map(|event| event.entry.clone()).collect();
            let n_together = if entries.len() > 10 { 1000 } else { 1 };
            for group in entries.chunks(n_together) {
                let at_us = DAY_ONE_US + i64::try_from(day).unwrap() * DAY_US;
                writer.append(group, at_us).unwrap();
            }
        }
        drop(writer);
        scene.log().close().unwrap();
        scene
    }

    /// Returns a folder for a store.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::make(folder.path(), Network::Refuse).unwrap();
        Self { _folder: folder, store }
    }

    pub(crate) fn log(&self) -> Log {
        Log::open(self.store.clone(), options(), &mut |_| {}).unwrap()
    }

    /// Returns the events with their positions.
    pub(crate) fn lines(&self) -> Vec<(u64, String)> {
        let mut reader =
            Reader::open(RealDisk, self.store.root().to_owned(), Position::FIRST).unwrap();
        let mut lines = Vec::new();
        while let Some(batch) = reader.read().unwrap() {
            lines.extend(batch.records().map(|(record, _)| {
                let line = String::from_utf8(record.line.to_vec()).unwrap();
                (record.meta.position.get(), line)
            }));
        }
        lines
    }

    /// Returns the names of the segments' files.
    pub(crate) fn segments(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.store.log()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Returns how tests write to a store.
pub(crate) fn options() -> Options {
    let owner = Owner { pid: std::process::id(), what: "test".to_owned() };
    let (patience, indexing) = (Duration::from_secs(60), Indexing::Meanwhile);
    Options { owner, patience, hold: Hold::Long, indexing }
}

/// 2026-11-15T12:00:00Z, in microseconds since 1970.
pub(crate) const NOON_US: i64 = 1_794_744_000_000_000;

/// Returns what a writer takes, whatever an event would have to be.
pub(crate) fn entry(text: &str) -> Entry {
    let line = format!("{{\"n\":\"{text}\"}}").into_bytes();
    let mark = Mark {
        dialect: Dialect::Idle,
        via: "test".into(),
        crc: crc32c::crc32c(&line),
        delivery: None,
        topic: None,
        carried: None,
        conflict: None,
    };
    Entry { line: line.into(), mark }
}

/// Returns an event that is told from others by its number.
pub(crate) fn event(sequence: u64) -> Admitted {
    admit(Path::new("nowhere"), &line(sequence, "b"), None)
}

/// Returns an event that is the value of a key.
pub(crate) fn value(sequence: u64, key: &str) -> Admitted {
    admit(Path::new("nowhere"), &line(sequence, "b"), Some(&lease(key)))
}

/// Returns a key of a last-value topic.
pub(crate) fn lease(key: &str) -> TopicKey {
    TopicKey { topic: "lease".to_owned(), key: Some(key.to_owned()) }
}

/// Returns the line of an event.
pub(crate) fn line(sequence: u64, bead: &str) -> String {
    format!(
        r#"{{"schema_version":1,"timestamp":"2026-01-01T12:00:00.000Z","event_type":"bead.claimed","worker_id":"w","session_id":"s","sequence":{sequence},"data":{{"bead_id":"{bead}"}}}}"#
    )
}

/// Lets an event in.
pub(crate) fn admit(root: &Path, line: &str, topic: Option<&TopicKey>) -> Admitted {
    let mut gate = Gate::new(&Store::at(root), Which::Largest, Strictness::Lenient);
    let (line, expect, via) = (line.as_bytes(), Expect::Any, "test");
    gate.admit_own(&Arrival { line, expect, via, delivery: None, topic }).unwrap()
}

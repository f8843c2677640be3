//! What was told, on disk, so that a server that starts again does not repeat it: one small file of the store.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use weft_log::Store;

use super::memory::{CAUSES_MAX, Memory};
use super::rule::Rule;

/// The file in a store.
const FILE: &str = "notify.json";

/// What this program writes.
const VERSION: u32 = 1;

/// Bytes of a file that is read: more was not written here.
const BYTES_MAX: u64 = 64 << 20;

/// What rules told, and how the last message of each went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    version: u32,
    rules: BTreeMap<String, ToldByRule>,
}

/// What a rule told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ToldByRule {
    last: Option<Last>,
    /// When each cause was told that is remembered.
    causes: BTreeMap<String, i64>,
}

/// The last message of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Last {
    /// When it went out or was given up, in nanoseconds since 1970.
    pub at_ns: i64,
    /// How many needs it was about.
    pub n_needs: usize,
    /// What it said.
    pub title: String,
    /// Why it was given up, if it was.
    pub error: Option<String>,
}

impl Told {
    /// Reads what was told. What cannot be understood counts as nothing.
    pub fn read(store: &Store) -> io::Result<Self> {
        let path = file(store);
        match fs::metadata(&path) {
            Ok(metadata) if metadata.len() > BYTES_MAX => return Ok(Self::default()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error),
        }
        let told: Self = serde_json::from_slice(&fs::read(&path)?).unwrap_or_default();
        Ok(if told.version == VERSION { told } else { Self::default() })
    }

    /// Returns the last message of a rule.
    pub fn last(&self, rule: &str) -> Option<&Last> {
        self.rules.get(rule)?.last.as_ref()
    }

    /// Returns the memory to begin with.
    pub(super) fn memory(&self, rules: &[Rule]) -> Memory {
        let mut memory = Memory::default();
        for rule in rules {
            if let Some(told) = self.rules.get(&rule.name) {
                let causes = told.causes.iter().take(2 * CAUSES_MAX);
                memory.remember(&rule.name, causes.map(|(id, at_ns)| (id.clone(), *at_ns)));
            }
        }
        memory
    }

    /// Takes up how a message went, and what its rule remembers then.
    pub(super) fn put(&mut self, rule: &str, last: Last, memory: &Memory) {
        let causes = memory.told(rule).map(|(id, at_ns)| (id.to_owned(), at_ns)).collect();
        self.version = VERSION;
        self.rules.insert(rule.to_owned(), ToldByRule { last: Some(last), causes });
    }

    /// Forgets rules that are no more.
    pub(super) fn retain(&mut self, rules: &[Rule]) {
        self.rules.retain(|name, _| rules.iter().any(|rule| rule.name == *name));
    }

    /// Writes it: whoever reads the file sees all of it as it was or all of it as it is, also after a crash.
    pub(super) fn write(&self, store: &Store) -> io::Result<()> {
        let text = serde_json::to_vec(self).expect("what was told can be written as JSON");
        let early = store.root().join(format!("{FILE}.new"));
        let mut options = OpenOptions::new();
        let mut out = options.write(true).create(true).truncate(true).mode(0o600).open(&early)?;
        out.write_all(&text)?;
        out.sync_all()?;
        fs::rename(&early, file(store))
    }
}

fn file(store: &Store) -> PathBuf {
    Path::new(store.root()).join(FILE)
}

#[cfg(test)]
mod tests;

//! Replays the corpora of the fuzz targets, and small changes of every file in them, through the targets' own functions.

mod change;
pub mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use change::Changes;
use targets::TARGETS;

/// Corpora stay small enough to read.
const FILES_MAX: usize = 24;

/// Changed inputs per file.
const CHANGES: usize = 400;
const CHANGES_LONG: usize = 100_000;

const SEED: u64 = 0x5EED_0002;

fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{target}: {error}"));
    let mut paths: Vec<_> =
        entries.map(|entry| entry.expect("the folder can be listed").path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).expect("a corpus file can be read");
        (path, bytes)
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn every_corpus_file_upholds_its_target() {
    for (name, target) in TARGETS {
        let files = corpus(name);
        assert!((1..=FILES_MAX).contains(&files.len()), "{name} has {} files", files.len());
        for (path, bytes) in files {
            let outcome = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
            assert!(outcome.is_ok(), "{name} fails on {}", path.display());
        }
    }
}

#[test]
fn small_changes_of_every_corpus_file_uphold_its_target() {
    let seed = std::env::var("WEFT_TEST_SEED").map_or(SEED, |text| text.parse().unwrap());
    let is_long = std::env::var("WEFT_TEST_EFFORT").is_ok_and(|effort| effort == "long");
    let n_changes = if is_long { CHANGES_LONG } else { CHANGES };
    for (name, target) in TARGETS {
        let files: Vec<_> = corpus(name).into_iter().map(|(_, bytes)| bytes).collect();
        let mut changes = Changes::new(seed, &files);
        let n = n_changes * files.len();
        for _ in 0..n {
            let bytes = changes.next_input();
            let outcome = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
            let input = String::from_utf8_lossy(&bytes);
            assert!(outcome.is_ok(), "seed {seed}: {name} fails on {bytes:?}\n{input}");
        }
        println!("seed {seed}: {name}: {n} inputs");
    }
}

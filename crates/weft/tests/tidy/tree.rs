//! The files of the repository, as git knows them: tracked ones, and new ones that it does not ignore.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

/// One file: its path from the root with `/` between parts, and its bytes.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

impl File {
    /// Returns the text, or `None` for a file that is not UTF-8.
    pub(crate) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }

    /// Returns whether the path ends in one of these extensions.
    pub(crate) fn is_any_of(&self, extensions: &[&str]) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
    }
}

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_dir.ancestors().nth(2).expect("the crate is two folders below the root").to_owned()
}

/// Returns every file, in the order of their paths.
pub(crate) fn files() -> &'static [File] {
    static FILES: OnceLock<Vec<File>> = OnceLock::new();
    FILES.get_or_init(|| {
        // The owner of a checkout in a container is often another user, which git refuses unless told.
        let listing = ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others"];
        let output = Command::new("git")
            .args(listing)
            .arg("--exclude-standard")
            .current_dir(root())
            .output()
            .expect("tidy needs git to list the files");
        assert!(
            output.status.success(),
            "git cannot list the files: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let paths = String::from_utf8(output.stdout).expect("every path is UTF-8");
        let mut paths: Vec<&str> = paths.split_terminator('\0').collect();
        paths.sort_unstable();
        paths.dedup();
        let files: Vec<File> = paths.into_iter().filter_map(load).collect();
        assert!(files.len() > 20, "git lists only {} files", files.len());
        files
    })
}

/// Returns the Rust files with their text.
pub(crate) fn rust_files() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rust = files().iter().filter(|file| file.is_any_of(&["rs"]));
    rust.map(|file| (file.path.as_str(), file.text().expect("a Rust file is UTF-8")))
}

/// Runs `cargo metadata` with these arguments; the error is what cargo said.
pub(crate) fn cargo_metadata(arguments: &[&str]) -> Result<Value, Vec<u8>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(arguments)
        .env("CARGO_NET_RETRY", "0")
        .current_dir(root())
        .output()
        .expect("cargo starts");
    if !output.status.success() {
        return Err(output.stderr);
    }
    Ok(serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON"))
}

/// Fails with all offenders, or passes if there are none.
#[track_caller]
pub(crate) fn assert_none(rule: &str, offenders: Vec<String>) {
    assert!(offenders.is_empty(), "{rule}\n  {}\n", offenders.join("\n  "));
}

/// A file deleted but not yet staged is listed and not there.
fn load(path: &str) -> Option<File> {
    let full = root().join(path);
    full.is_file().then(|| {
        let bytes = fs::read(&full).unwrap_or_else(|error| panic!("cannot read {path}: {error}"));
        File { path: path.to_owned(), bytes }
    })
}

//! What work in a folder is known by, so that a change of it can be told: asked of git with one process.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Instant;

use weft_event::digest_parts;

use super::{Asked, Git, GitError};

/// Of larger files only size and time count.
const FILE_BYTES_MAX: u64 = 256 << 10;
/// The same for every file once so much was read.
const BYTES_MAX: u64 = 4 << 20;
/// Repositories inside repositories that are looked into.
const DEPTH_MAX: usize = 3;

impl Git {
    /// Returns what the work is known by: the commit, and everything that is changed since, files that git does not know among it.
    /// Equal texts are equal work. `None` if the folder is in no work tree.
    pub fn fingerprint(&self) -> Option<String> {
        self.begin_fingerprint().finish()
    }

    /// Begins to look, so that git runs while something else is done.
    pub fn begin_fingerprint(&self) -> Fingerprint {
        self.fingerprint_within(DEPTH_MAX)
    }

    fn fingerprint_within(&self, depth: usize) -> Fingerprint {
        let status = self.begin(&[
            "status",
            "--porcelain=v2",
            "--branch",
            "--no-ahead-behind",
            "--no-renames",
            "--untracked-files=all",
            "-z",
        ]);
        Fingerprint { git: self.clone(), depth, status }
    }
}

/// A look at the work in a folder, that git is asked for.
#[derive(Debug)]
pub struct Fingerprint {
    git: Git,
    depth: usize,
    status: Result<Asked, GitError>,
}

impl Fingerprint {
    /// Returns the folder that is looked at.
    pub fn folder(&self) -> &Path {
        self.git.folder()
    }

    /// Waits for git no longer than until then; returns whether it has answered.
    pub fn is_there_by(&mut self, end: Instant) -> bool {
        self.status.as_mut().map_or(true, |status| status.is_there_by(end))
    }

    /// Waits for git, and returns what the work is known by; `None` if the folder is in no work tree.
    pub fn finish(self) -> Option<String> {
        let said = self.status.and_then(Asked::answer).ok()?;
        // What git prints is from the root, wherever it is asked.
        let folder = self.git.folder().canonicalize().ok()?;
        let root = folder.ancestors().find(|folder| folder.join(".git").exists())?;
        let mut commit = "";
        let mut digest = [0; 16];
        let mut n_left = BYTES_MAX;
        for entry in said.split('\0') {
            if let Some(oid) = entry.strip_prefix("# branch.oid ") {
                commit = oid;
            }
            let Some(changed) = Changed::read(entry) else { continue };
            let path = root.join(changed.path);
            let content = if changed.is_repository {
                let depth = self.depth.checked_sub(1);
                let inner =
                    depth.and_then(|depth| Git::at(&path).fingerprint_within(depth).finish());
                inner.unwrap_or_default().into_bytes()
            } else {
                content(&path, &mut n_left)
            };
            digest = digest_parts(&[&digest, entry.as_bytes(), &content]);
        }
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Some(format!("{commit} {digest}"))
    }
}

/// Something that is not as it is in the commit.
struct Changed<'a> {
    path: &'a str,
    is_repository: bool,
}

impl<'a> Changed<'a> {
    /// Reads an entry of `git status --porcelain=v2 -z`; `None` if it is none of a file.
    fn read(entry: &'a str) -> Option<Self> {
        // How many fields stand before the path, where there may be blanks.
        let n_fields = match entry.as_bytes().first()? {
            b'1' => 8,
            b'u' => 10,
            b'?' => 1,
            _ => return None,
        };
        let path = entry.splitn(n_fields + 1, ' ').nth(n_fields)?;
        let is_repository =
            n_fields > 1 && entry.split(' ').nth(2).is_some_and(|sub| sub.starts_with('S'));
        Some(Self { path, is_repository })
    }
}

/// Returns what a file holds; of a large one, and beyond the limit, its size and time. What is not there holds nothing.
fn content(path: &Path, n_left: &mut u64) -> Vec<u8> {
    let Ok(about) = fs::symlink_metadata(path) else { return Vec::new() };
    let (bytes, time) = (about.len(), [about.mtime(), about.mtime_nsec()]);
    if about.is_symlink() {
        return fs::read_link(path)
            .map_or(Vec::new(), |to| to.into_os_string().into_encoded_bytes());
    }
    if about.is_file() && bytes <= FILE_BYTES_MAX.min(*n_left) {
        *n_left -= bytes;
        if let Ok(content) = fs::read(path) {
            return content;
        }
    }
    format!("{bytes} {time:?}").into_bytes()
}

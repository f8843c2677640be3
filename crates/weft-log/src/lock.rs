//! The store's lock: one process writes at a time. The kernel lets go of it when its owner dies, however that happens.
//!
//! Whoever waits holds a second lock, the queue, while it does. So an owner that keeps the lock for long can see that somebody
//! waits, and those who wait come in turn.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use weft_event::json::{Object, Tape};

/// The lock's file in a store.
const LOCK_FILE: &str = "lock";
/// The file that those who wait lock.
const QUEUE_FILE: &str = "lock.queue";
/// More bytes than an owner writes about itself.
const OWNER_BYTES_MAX: u64 = 4096;

/// The lock, held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
    queue: File,
}

/// Who holds a lock, as it says itself. For messages only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Its process.
    pub pid: u32,
    /// What it does: `weft ingest`, `weft up` …
    pub what: String,
}

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it, and did not let go in time.
    #[error("{path} is held by {}", owner.as_ref().map_or("another process".to_owned(), |owner| format!("process {} ({})", owner.pid, owner.what)))]
    Held {
        /// The file.
        path: PathBuf,
        /// Who has it, if it said so.
        owner: Option<Owner>,
    },
    /// The file cannot be opened or locked.
    #[error("cannot lock {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl Lock {
    /// Takes the lock of a store, waiting for it no longer than `patience`.
    pub fn take(root: &Path, owner: &Owner, patience: Duration) -> Result<Self, LockError> {
        let path = root.join(LOCK_FILE);
        let io = |source| LockError::Io { path: path.clone(), source };
        let open = |name: &str| {
            use std::os::unix::fs::OpenOptionsExt as _;
            let mut options = OpenOptions::new();
            options
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o600)
                .open(root.join(name))
        };
        let file = open(LOCK_FILE).map_err(io)?;
        let queue = open(QUEUE_FILE).map_err(io)?;
        // Somebody who waits already comes first.
        let is_taken = match queue.try_lock() {
            Ok(()) => {
                let taken = file.try_lock();
                queue.unlock().map_err(io)?;
                match taken {
                    Ok(()) => true,
                    Err(TryLockError::WouldBlock) => false,
                    Err(TryLockError::Error(source)) => return Err(io(source)),
                }
            }
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Error(source)) => return Err(io(source)),
        };
        let mut lock = match is_taken {
            true => Self { file, queue },
            false => wait(file, queue, patience)
                .map_err(io)?
                .ok_or_else(|| LockError::Held { path: path.clone(), owner: read_owner(root) })?,
        };
        lock.sign(owner).map_err(io)?;
        Ok(lock)
    }

    /// Returns whether another process waits for the lock.
    pub fn is_wanted(&self) -> bool {
        match self.queue.try_lock() {
            Ok(()) => {
                // If it cannot be given back nobody else can wait, which shows as somebody waiting.
                self.queue.unlock().is_err()
            }
            Err(_) => true,
        }
    }

    fn sign(&mut self, owner: &Owner) -> io::Result<()> {
        let mut text = String::new();
        let mut object = Object::begin(&mut text);
        object.key("pid").push_str(&owner.pid.to_string());
        object.text("what", &owner.what);
        object.end();
        text.push('\n');
        self.file.rewind()?;
        self.file.write_all(text.as_bytes())?;
        self.file.set_len(text.len() as u64)
    }
}

/// Waits in the queue, then for the lock, on a thread of its own: the system has no such wait with a limit.
fn wait(file: File, queue: File, patience: Duration) -> io::Result<Option<Lock>> {
    if patience.is_zero() {
        return Ok(None);
    }
    let (send, receive) = mpsc::sync_channel(1);
    std::thread::Builder::new().name("weft-lock".to_owned()).spawn(move || {
        let taken = queue.lock().and_then(|()| file.lock()).and_then(|()| queue.unlock());
        // Nobody waits any more once the time is over: the lock is let go as it is dropped here.
        let told = send.send(taken.map(|()| Lock { file, queue }));
        drop(told);
    })?;
    match receive.recv_timeout(patience) {
        Ok(taken) => taken.map(Some),
        Err(_) => Ok(None),
    }
}

/// Returns who holds, or last held, the lock of a store.
pub fn read_owner(root: &Path) -> Option<Owner> {
    let mut text = String::new();
    let file = File::open(root.join(LOCK_FILE)).ok()?;
    file.take(OWNER_BYTES_MAX).read_to_string(&mut text).ok()?;
    let mut tape = Tape::new();
    let owner = tape.parse(text.trim_end()).ok()?;
    let pid = u32::try_from(owner.get("pid")?.as_u64()?).ok()?;
    Some(Owner { pid, what: owner.text_at("what")?.into_owned() })
}

#[cfg(test)]
mod tests;

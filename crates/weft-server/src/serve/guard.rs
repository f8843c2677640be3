//! One server for each store: a lock of its own, apart from the store's, which is let go at times.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, test_kill_process};
use weft_log::Store;

use super::ServeError;
use crate::address::Addresses;

/// The file in a store that a running server has locked.
const FILE: &str = "server.lock";

/// How long the lock of a server that is gone is waited for. One that was killed while it started a command leaves it with that
/// command's process until the command's own program runs there.
const GONE_PATIENCE: Duration = Duration::from_secs(2);

/// How often it is looked at meanwhile.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The place of the one server of a store, given up when it is dropped.
pub(super) struct Guard {
    store: PathBuf,
    _file: File,
}

impl Guard {
    /// Takes the place, or says who has it.
    pub(super) fn take(store: &Store) -> Result<Self, ServeError> {
        let store = store.root().to_owned();
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).mode(0o600);
        let cannot = |source| ServeError::Lock { file: store.join(FILE), source };
        let file = file.open(store.join(FILE)).map_err(cannot)?;
        let until = Instant::now() + GONE_PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { store, _file: file }),
                Err(TryLockError::WouldBlock) => {
                    let addresses = Addresses::read(&store).map(Box::new);
                    if addresses.as_ref().is_some_and(|other| runs(other.pid))
                        || Instant::now() >= until
                    {
                        return Err(ServeError::Running { addresses, store });
                    }
                    thread::park_timeout(LOOK_EVERY);
                }
                Err(TryLockError::Error(source)) => return Err(cannot(source)),
            }
        }
    }

    /// Takes the traces of the server away, and gives up its place.
    pub(super) fn withdraw(self, addresses: &Addresses) {
        let withdrawn = Addresses::withdraw(&self.store);
        if let Err(error) = withdrawn.and_then(|()| fs::remove_file(&addresses.socket)) {
            tracing::warn!(%error, "cannot remove server.json or the socket");
        }
    }
}

/// Returns whether there is such a process.
fn runs(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

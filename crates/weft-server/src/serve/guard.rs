//! One server for each store: a lock of its own, apart from the store's, which is let go at times.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use weft_log::Store;

use super::{ServeError, system};
use crate::address::Addresses;

/// The file in a store that a running server has locked.
const FILE: &str = "server.lock";

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
        let file = file.open(store.join(FILE)).map_err(system("open server.lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { store, _file: file }),
            Err(TryLockError::WouldBlock) => {
                let addresses = Addresses::read(&store).map(Box::new);
                Err(ServeError::Running { addresses, store })
            }
            Err(TryLockError::Error(source)) => Err(system("lock server.lock")(source)),
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

//! Room in memory, counted in bytes: taken before something is read into it, and given back when that is gone.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// One permit stands for so many bytes.
const PERMIT_BYTES: usize = 1024;

/// Room for a limited number of bytes. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Rooms {
    free: Arc<Semaphore>,
    permits_max: usize,
    /// How long somebody waits for room.
    patience: Duration,
}

/// Room that was taken. It is given back when this is dropped.
#[derive(Debug)]
pub struct Room {
    permit: OwnedSemaphorePermit,
}

/// There is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many requests are in memory: try again later")]
pub struct NoRoom;

impl Rooms {
    /// Returns room for so many bytes.
    pub fn new(bytes_max: usize, patience: Duration) -> Self {
        let permits_max = (bytes_max / PERMIT_BYTES).clamp(1, u32::MAX as usize);
        Self { free: Arc::new(Semaphore::new(permits_max)), permits_max, patience }
    }

    /// Waits for room for so many bytes, or for all there is.
    pub async fn take(&self, n_bytes: usize) -> Result<Room, NoRoom> {
        if let Ok(permit) = Arc::clone(&self.free).try_acquire_many_owned(self.permits(n_bytes)) {
            return Ok(Room { permit });
        }
        tokio::time::timeout(self.patience, self.wait(n_bytes)).await.map_err(|_elapsed| NoRoom)
    }

    /// Waits for room for so many bytes, or for all there is, as long as it takes. Who came first is first.
    pub async fn wait(&self, n_bytes: usize) -> Room {
        let permit = Arc::clone(&self.free).acquire_many_owned(self.permits(n_bytes));
        Room { permit: permit.await.expect("nobody closes it") }
    }

    fn permits(&self, n_bytes: usize) -> u32 {
        let permits = u32::try_from((n_bytes / PERMIT_BYTES + 1).min(self.permits_max));
        permits.expect("the room is counted in 32 bits")
    }
}

impl Room {
    /// Returns how many bytes it is for.
    pub fn bytes(&self) -> usize {
        self.permit.num_permits() * PERMIT_BYTES
    }

    /// Adds more room to it.
    pub fn add(&mut self, more: Room) {
        self.permit.merge(more.permit);
    }

    /// Gives back what is beyond so many bytes.
    pub fn shrink(&mut self, n_bytes: usize) {
        let needed = n_bytes / PERMIT_BYTES + 1;
        drop(self.permit.split(self.permit.num_permits().saturating_sub(needed)));
    }
}

#[cfg(test)]
mod tests;

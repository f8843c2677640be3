//! Events with the values put back that were too large for them, for subscriptions that ask for it. Nothing is kept between tries.
//!
//! Room for what comes of it is taken before a blob is read, by what the references say. Reading is done aside.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use weft_event::json::LINE_BYTES_MAX;
use weft_log::blobs;
use weft_log::{Meta, Store};

use super::definition::Blobs;
use crate::Core;
use crate::feed::Live;
use crate::room::Room;

/// What was made of an event for its subscriber.
pub(super) struct Made<T> {
    pub(super) what: T,
    /// References whose values could not be put back.
    pub(super) n_left: usize,
    /// The room that it takes, if there was something to put back. It is held until the delivery has ended.
    pub(super) room: Option<Room>,
}

/// A line as a subscriber is given it.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) line: Bytes,
    /// References whose values could not be put back.
    pub(crate) n_left: usize,
}

impl Given {
    /// Returns a line as it stands in the log.
    pub(super) fn as_it_is(live: &Live) -> Self {
        Self { line: live.line.clone(), n_left: 0 }
    }
}

/// Returns how long a line is at most when its values are back; `None` if there is nothing to put back.
pub(super) fn bytes_of(blobs: Blobs, line: &[u8]) -> Option<usize> {
    match blobs {
        Blobs::Referenced => None,
        Blobs::Restored => {
            // What is not read as JSON is given as it is.
            let references = blobs::references(line).ok().filter(|list| !list.is_empty())?;
            let bytes: u64 = references.iter().map(|reference| reference.bytes).sum();
            let bytes = usize::try_from(bytes).unwrap_or(LINE_BYTES_MAX);
            Some(line.len().saturating_add(bytes).min(LINE_BYTES_MAX))
        }
    }
}

/// Makes something of an event, which may become so many times as long as its line. Waits for the room that it takes.
pub(super) async fn make<T: Send + 'static>(
    core: &Core,
    blobs: Blobs,
    live: &Arc<Live>,
    times: usize,
    make: impl FnOnce(&Meta, &[u8]) -> T + Send + 'static,
) -> Made<T> {
    let Some(bytes) = bytes_of(blobs, &live.line) else {
        return Made { what: make(&live.meta, &live.line), n_left: 0, room: None };
    };
    let room = Some(core.restored().wait(bytes.saturating_mul(times)).await);
    let live = Arc::clone(live);
    let made = core.reads().aside(move |store| {
        let Given { line, n_left } = restore(store, &live);
        Made { what: make(&live.meta, &line), n_left, room }
    });
    made.await
}

/// Puts the values of events back that are given together, and take so many bytes then.
pub(super) async fn all(core: &Core, lives: Vec<Arc<Live>>, bytes: usize) -> (Vec<Given>, Room) {
    let room = core.restored().wait(bytes).await;
    let restore =
        move |store: &Store| (lives.iter().map(|live| restore(store, live)).collect(), room);
    core.reads().aside(restore).await
}

/// A blob that is missing or damaged leaves its reference.
fn restore(store: &Store, live: &Live) -> Given {
    match blobs::restore(&live.line, &blobs::Blobs::new(store.blobs())) {
        Ok(restored) => {
            for (_, error) in &restored.left {
                tracing::debug!("a value of position {} stays out: {error}", live.meta.position);
            }
            let n_left = restored.left.len();
            match restored.line {
                Cow::Borrowed(_) => Given { n_left, ..Given::as_it_is(live) },
                Cow::Owned(line) => Given { n_left, line: line.into() },
            }
        }
        Err(_) => Given::as_it_is(live),
    }
}

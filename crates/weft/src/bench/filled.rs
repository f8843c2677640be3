//! A store that has events before anything is measured, so that the views are as large as they become.

use std::path::Path;

use super::ingest::anywhere;
use super::ingest::crowd::send_large;
use super::ingest::wire::{Http, Wire as _};
use super::server::Server;

/// Events that a store has before. Their sessions, 8,000, are more than the views keep: what comes then takes the place of others.
pub(super) const STORED: u64 = 5_000_000;

/// Events of a request, and connections, while a store is filled.
const STORED_TOGETHER: usize = 1_000;
const STORING_CONNECTIONS: usize = 2;

/// Events after which a store is given time to index what it has, while it is filled.
const STORED_AT_A_TIME: u64 = 100_000;

/// Stores events and has them indexed and folded, by a server that ends then: its memory is that of large requests. Returns the last
/// position.
pub(super) fn fill(
    store: &Path,
    supply: &mut dyn Iterator<Item = String>,
    n_events: u64,
) -> anyhow::Result<u64> {
    if n_events == 0 {
        return Ok(0);
    }
    let mut server = Server::start(store, anywhere())?;
    let wires = (0..STORING_CONNECTIONS).map(|_| Http::connect(&server.reach));
    let wires: Vec<Http> = wires.collect::<anyhow::Result<_>>()?;
    let mut n_left = n_events;
    while n_left > 0 {
        let n = n_left.min(STORED_AT_A_TIME);
        let events: Vec<String> = supply.take(usize::try_from(n)?).collect();
        let requests: Vec<Vec<u8>> = events.chunks(STORED_TOGETHER).map(Http::request).collect();
        send_large(&wires, &requests)?;
        server.rest()?;
        n_left -= n;
    }
    drop(wires);
    let last = server.last()?;
    server.stop()?;
    Ok(last)
}

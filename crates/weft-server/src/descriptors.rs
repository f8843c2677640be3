//! Descriptors for every connection that the limits allow, and a reserve for the store: idle clients must not keep it from its files.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::limits::Limits;

/// Descriptors for everything but HTTP connections: the socket's, the log's, the index's, deliveries and their commands.
const RESERVED: u64 = 768;

/// Connections that are accepted on an address however few descriptors there are.
const CONNECTIONS_MIN: usize = 16;

/// Returns how many descriptors a server needs for so many connections on each of its addresses.
pub fn needed(connections_max: usize, n_addresses: usize) -> u64 {
    (connections_max.saturating_mul(n_addresses.max(1)) as u64).saturating_add(RESERVED)
}

/// Returns how many the system gives a process at most; `None` if there is no limit.
pub fn limit() -> Option<u64> {
    getrlimit(Resource::Nofile).maximum
}

/// Takes as many descriptors as so many addresses need, and not more: commands that a subscription runs inherit them, and some are
/// slow where much may be open. Where the system gives fewer, fewer connections are accepted.
pub(crate) fn provide(limits: &mut Limits, n_addresses: usize) {
    let wanted = needed(limits.connections_max, n_addresses);
    let before = getrlimit(Resource::Nofile);
    let given = wanted.min(before.maximum.unwrap_or(u64::MAX));
    let mut current = before.current.unwrap_or(u64::MAX);
    if current < given {
        match setrlimit(Resource::Nofile, Rlimit { current: Some(given), ..before }) {
            Ok(()) => current = given,
            Err(error) => tracing::warn!("cannot have {given} descriptors: {error}"),
        }
    }
    if current < wanted {
        let fitting = usize::try_from(current.saturating_sub(RESERVED)).unwrap_or(usize::MAX);
        let all = limits.connections_max;
        limits.connections_max = (fitting / n_addresses.max(1)).max(CONNECTIONS_MIN);
        let some = limits.connections_max;
        tracing::info!(
            "{some} connections of {all} are accepted on an address: the system gives {current} descriptors"
        );
    }
}

//! Descriptors for every connection that the limits allow, and a reserve for the store: idle clients must not keep it from its files.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::limits::Limits;

/// Descriptors for everything but HTTP connections: the socket's, the log's, the index's, deliveries and their commands.
const RESERVED: u64 = 768;

/// Connections that are accepted on an address however few descriptors there are.
const CONNECTIONS_MIN: usize = 16;

/// Takes as many descriptors as the system gives for so many addresses. Where that is too few, fewer connections are accepted.
pub(super) fn provide(limits: &mut Limits, n_addresses: usize) {
    let n_addresses = n_addresses.max(1);
    let connections = limits.connections_max.saturating_mul(n_addresses) as u64;
    let wanted = connections.saturating_add(RESERVED);
    let limit = getrlimit(Resource::Nofile);
    let given = wanted.min(limit.maximum.unwrap_or(u64::MAX));
    let mut current = limit.current.unwrap_or(u64::MAX);
    if current < given {
        match setrlimit(Resource::Nofile, Rlimit { current: Some(given), ..limit }) {
            Ok(()) => current = given,
            Err(error) => tracing::warn!("cannot have {given} descriptors: {error}"),
        }
    }
    if current < wanted {
        let fitting = usize::try_from(current.saturating_sub(RESERVED)).unwrap_or(usize::MAX);
        limits.connections_max = (fitting / n_addresses).max(CONNECTIONS_MIN);
        let (some, all) = (limits.connections_max, connections);
        tracing::info!(
            "{some} connections of {all} are accepted: the system gives {current} descriptors"
        );
    }
}

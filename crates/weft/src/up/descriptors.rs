//! How many files and connections the process may have open at a time.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use weft_server::config::Config;

/// What is open beside the connections of clients: the log, the index, the socket's own connections, deliveries.
const BESIDE: u64 = 1024;

/// Returns how many descriptors a server with these settings may need.
pub(crate) fn needed(config: &Config) -> u64 {
    let n_addresses = config.listen.as_ref().map_or(1, Vec::len) as u64;
    (config.limits.connections_max as u64).saturating_mul(n_addresses).saturating_add(BESIDE)
}

/// Returns how many there can be at most; `None` if there is no limit.
pub(crate) fn limit() -> Option<u64> {
    getrlimit(Resource::Nofile).maximum
}

/// Lets the process have as many as its settings ask for, as far as the system lets it. Not more than that: commands that a
/// subscription runs inherit it, and some are slow where much may be open.
pub(super) fn raise(config: &Config) {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(needed(config), |maximum| maximum.min(needed(config)));
    if current.is_none_or(|current| current >= wanted) {
        return;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }) {
        Ok(()) => tracing::debug!("up to {wanted} files and connections may be open"),
        Err(error) => tracing::warn!("cannot have {wanted} files and connections open: {error}"),
    }
}

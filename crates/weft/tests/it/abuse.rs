//! Clients that mean harm, against the real server: it refuses them in bounded memory and serves the others.

mod bombs;
mod crowd;
mod doors;
mod junk;
mod random;
mod slow;
mod socket;

use std::time::Instant;

use crate::client::Client;
use crate::sandbox::FINE;
use crate::served::{PATIENCE, Served};

/// Asserts that a server takes events, shows them, and ends without a word.
fn assert_well(served: Served) {
    let mut client = Client::connect(&served.http);
    assert_eq!(client.get("/readyz").status, 200);
    let position = client.post(FINE.as_bytes()).json()["position"].as_u64().expect("it is stored");
    assert_eq!(client.get(&format!("/v1/events/{position}")).status, 200);
    drop(client);
    assert_eq!(served.end(), (Some(0), String::new()));
}

/// Waits until something is so.
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "in time: {what}");
        std::thread::yield_now();
    }
}

//! The owner's socket: append, query and tail for commands on the same machine, without HTTP and without a token.
//!
//! A connection carries frames ([`frame`]); what they say is [`request`] and [`answer`]. The format is in `docs/server.md`.

pub mod answer;
pub mod client;
pub mod frame;
mod read;
mod record;
pub mod request;
pub mod server;

/// The version of what is spoken on the socket. Both sides say theirs first, and a server answers only its own.
pub const PROTOCOL: u32 = 1;

/// Why a frame says nothing that can be acted on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bad message: {what}")]
pub struct BadMessage {
    /// What is wrong with it.
    pub what: String,
}

impl BadMessage {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }
}

//! The server of Weft: HTTP, the owner's socket, live streams and subscriptions over one log.
//!
//! It does not know terminals. One thread writes the log for everybody ([`writer`]), one reads what comes ([`feed`]), and everything
//! else asks these two.

pub mod access;
pub mod address;
mod base64;
pub mod config;
pub mod descriptors;
pub mod feed;
pub mod http;
pub mod intake;
pub mod limits;
pub mod mcp;
pub mod metrics;
pub mod notify;
pub mod otlp;
pub mod parts;
pub mod patience;
pub mod place;
pub mod player;
pub mod reads;
pub mod record;
pub mod room;
pub mod serve;
pub mod socket;
pub mod subs;
pub mod tail;
pub mod talks;
pub mod tls;
pub mod views;
pub mod writer;

pub use parts::Core;

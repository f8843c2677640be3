//! Subscriptions: named readers of the log that are given every matching event at least once, in order within a session.
//!
//! Everything about them stands in the log ([`books`]), and who starts a server reads it back. What is delivered when is decided
//! without I/O ([`schedule`]); one task for each subscription does the rest.

pub mod books;
pub mod change;
pub(crate) mod command;
pub mod definition;
pub mod desk;
mod keeper;
pub(crate) mod letter;
mod matching;
pub mod otlp;
pub(crate) mod outcome;
pub mod post;
pub(crate) mod pull;
pub(crate) mod restored;
pub mod schedule;
pub mod secrets;
pub mod webhook;
mod worker;

use tokio::task::JoinHandle;

use crate::Core;

/// The running subscriptions of a server.
pub struct SubscriptionsHandle(JoinHandle<()>);

/// Starts the subscriptions of a server. They end with it: wait for that with [`SubscriptionsHandle::join`] before the writer is
/// let go, for they write down how far they are.
pub fn start(core: &Core) -> SubscriptionsHandle {
    SubscriptionsHandle(tokio::spawn(keeper::keep(core.clone())))
}

impl SubscriptionsHandle {
    /// Waits until every subscription has ended.
    pub async fn join(self) {
        if let Err(error) = self.0.await
            && error.is_panic()
        {
            std::panic::resume_unwind(error.into_panic());
        }
    }
}

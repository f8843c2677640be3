//! The HTTP interface. So far it only says that the server is alive.

use axum::Router;
use axum::routing::get;

use crate::Core;

/// Who may ask.
#[derive(Clone, Debug)]
pub enum Access {
    /// Whoever is on this machine.
    Loopback,
}

/// Returns everything that is answered over HTTP.
pub fn router(core: &Core, access: Access) -> Router {
    match access {
        Access::Loopback => {}
    }
    Router::new().route("/healthz", get(|| async { "ok\n" })).with_state(core.clone())
}

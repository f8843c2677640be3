//! The Model Context Protocol: tools with which agents write to the log and read it, over a pipe or over HTTP, in both eras of the
//! protocol.
//!
//! One handler answers at both doors; what it works on is a [`Shelf`]. No session is kept between
//! requests over HTTP, so that there is nothing to bound and nothing that a restart could break. Only this module knows `rmcp`.

mod answer;
mod argument;
mod board;
mod handler;
mod look;
mod report;
mod rows;
mod server;
mod shelf;
mod shorten;
mod tool;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, Response};
use bytes::Bytes;
use http_body_util::Full;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::Core;
use handler::{Door, Handler};
use report::Lack;

pub use shelf::{Kept, NotAdmitted, Put, Seen, Shelf, ShelfError, VIA, admit};

/// What a model is told instead of an answer.
#[derive(Debug)]
struct Told(String);

impl From<ShelfError> for Told {
    fn from(error: ShelfError) -> Self {
        Self(error.told())
    }
}

impl From<Lack> for Told {
    fn from(lack: Lack) -> Self {
        Self(lack.to_string())
    }
}

/// What a client that is served on a pipe says of itself by starting us.
#[derive(Clone, Debug, Default)]
pub struct Client {
    /// The session that it runs for.
    pub session: Option<String>,
    /// The folder that it works in.
    pub folder: Option<PathBuf>,
}

/// Serves one client on standard input and output until it closes its end.
pub fn serve_stdio(shelf: impl Shelf, client: Client) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let handler = Handler::new(shelf, Door::Pipe(client));
        match handler.serve(rmcp::transport::stdio_pipes()).await {
            Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
            // Whoever says nothing has no questions.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    });
    // A read of standard input may still wait, and nobody cares for it any more.
    runtime.shutdown_background();
    served
}

/// Runs work that blocks beside whatever else is served.
pub async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}

/// The door over HTTP. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Service(StreamableHttpService<Handler<Core>, NeverSessionManager>);

impl Service {
    pub(crate) fn new(core: &Core) -> Self {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            // Hosts and origins are checked before a request comes here, and so is the length of its body.
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(core.limits().body_bytes_max);
        let handler = Handler::new(core.clone(), Door::Http);
        let handler = move || Ok(handler.clone());
        let sessions = Arc::new(NeverSessionManager::default());
        Self(StreamableHttpService::new(handler, sessions, config))
    }

    /// Answers a request whose body has come.
    pub(crate) async fn answer(&self, request: Request<Full<Bytes>>) -> Response<Body> {
        self.0.handle(request).await.map(Body::new)
    }
}

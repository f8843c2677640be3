//! The listeners of a server, and what waits behind the HTTP ones.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener as StdListener};
use std::os::unix::net::UnixListener as StdUnixListener;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tower::ServiceExt as _;
use weft_log::Store;

use super::{Listen, ServeError};
use crate::Core;
use crate::address::Addresses;
use crate::socket::server as socket;

/// How long nobody is accepted after it could not be done, as when there are too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Everything that listens.
pub(super) struct Doors {
    pub(super) http: Vec<StdListener>,
    pub(super) socket: StdUnixListener,
    addresses: Addresses,
}

impl Doors {
    /// Opens the doors of a server. Nobody is answered yet.
    pub(super) fn open(store: &Store, listen: &Listen, runtime: &Path) -> Result<Self, ServeError> {
        let http = match listen {
            Listen::Anywhere => vec![anywhere()?],
            Listen::At(addresses) => {
                addresses.iter().map(|address| at(*address)).collect::<Result<_, _>>()?
            }
        };
        let path: PathBuf = socket::path_of(store, runtime);
        let socket = socket::bind(&path)?;
        let addresses = Addresses {
            pid: std::process::id(),
            http: http.iter().filter_map(|listener| listener.local_addr().ok()).collect(),
            socket: path,
            started: jiff::Timestamp::now().to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        Ok(Self { http, socket, addresses })
    }

    pub(super) fn addresses(&self) -> Addresses {
        self.addresses.clone()
    }
}

fn anywhere() -> Result<StdListener, ServeError> {
    match at((Ipv4Addr::LOCALHOST, Listen::PORT).into()) {
        Err(ServeError::Listen { source, .. }) if source.kind() == io::ErrorKind::AddrInUse => {
            at((Ipv4Addr::LOCALHOST, 0).into())
        }
        other => other,
    }
}

fn at(address: SocketAddr) -> Result<StdListener, ServeError> {
    if !address.ip().is_loopback() {
        return Err(ServeError::Open { address });
    }
    let bound = StdListener::bind(address).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    bound.map_err(|source| ServeError::Listen { address, source })
}

/// Serves one HTTP listener until the server ends; then every request that was begun is answered.
pub(super) async fn serve_http(listener: TcpListener, router: Router, core: Core) {
    let places = Arc::new(Semaphore::new(core.limits().connections_max));
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = core.ended() => break,
            accepted = async {
                let place = Arc::clone(&places).acquire_owned().await.expect("it is never closed");
                listener.accept().await.map(|(stream, peer)| (stream, peer, place))
            } => accepted,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, peer, place)) => {
                let (router, core) = (router.clone(), core.clone());
                connections.spawn(async move {
                    serve_connection(stream, peer, router, core).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

async fn serve_connection(stream: TcpStream, peer: SocketAddr, router: Router, core: Core) {
    // Without it answers wait for the other end's acknowledgement; a socket that refuses it works all the same.
    drop(stream.set_nodelay(true));
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(core.limits().request_patience)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = core.ended() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "an HTTP connection ended early");
    }
}

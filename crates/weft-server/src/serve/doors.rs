//! The listeners of a server.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener as StdListener};
use std::os::unix::net::UnixListener as StdUnixListener;
use std::path::{Path, PathBuf};

use weft_log::Store;

use super::{Listen, ServeError};
use crate::address::Addresses;
use crate::socket::server as socket;
use crate::tls::Tls;

/// Everything that listens.
pub(super) struct Doors {
    pub(super) http: Vec<StdListener>,
    /// What is spoken there is encrypted with this, if it is.
    pub(super) tls: Option<Tls>,
    pub(super) socket: StdUnixListener,
    addresses: Addresses,
}

impl Doors {
    /// Opens the doors of a server. Nobody is answered yet.
    pub(super) fn open(
        store: &Store,
        listen: &Listen,
        runtime: &Path,
        tls: Option<Tls>,
    ) -> Result<Self, ServeError> {
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
            is_tls: tls.is_some(),
            is_open: listen.open().is_some(),
            socket: path,
            started: jiff::Timestamp::now().to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        Ok(Self { http, tls, socket, addresses })
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
    let bound = StdListener::bind(address).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    bound.map_err(|source| ServeError::Listen { address, source })
}

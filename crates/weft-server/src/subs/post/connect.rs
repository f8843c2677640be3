//! Connections to receivers, with TLS where the address says so.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::BoxFuture;
use hyper::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tower::Service;

use super::resolve::Resolver;

/// How long it may take until a connection stands.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// Why no connection can be made to anybody.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// TLS cannot be set up.
    #[error("cannot set up TLS")]
    Tls(#[source] rustls::Error),
    /// The system has no certificates.
    #[error("no trusted certificates were found on this system: {reason}")]
    NoRoots {
        /// What was said about them.
        reason: String,
    },
}

/// Makes connections.
#[derive(Clone)]
pub(super) struct Connector {
    tcp: HttpConnector<Resolver>,
    tls: Option<TlsConnector>,
}

impl Connector {
    pub(super) fn new(is_tls: bool, timeout: Duration) -> Result<Self, ConnectError> {
        let mut tcp = HttpConnector::new_with_resolver(Resolver);
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(timeout.min(CONNECT_MAX)));
        let tls = if is_tls { Some(tls_of_system()?) } else { None };
        Ok(Self { tcp, tls })
    }
}

/// Returns what speaks TLS with whoever the system trusts.
fn tls_of_system() -> Result<TlsConnector, ConnectError> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (n_added, _) = roots.add_parsable_certificates(found.certs);
    if n_added == 0 {
        let reasons: Vec<_> = found.errors.iter().map(ToString::to_string).collect();
        return Err(ConnectError::NoRoots { reason: reasons.join(", ") });
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(ConnectError::Tls)?.with_root_certificates(roots);
    Ok(TlsConnector::from(Arc::new(config.with_no_client_auth())))
}

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = Box<dyn std::error::Error + Send + Sync>;
    type Future = BoxFuture<'static, Result<Stream, Self::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.tcp.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let (tcp, tls) = (self.tcp.call(uri), self.tls.clone());
        Box::pin(async move {
            let tcp = tcp.await?;
            let Some(tls) = tls else { return Ok(Stream::Plain(tcp)) };
            let name = ServerName::try_from(host)?;
            Ok(Stream::Tls(Box::new(TokioIo::new(tls.connect(name, tcp.into_inner()).await?))))
        })
    }
}

/// A connection.
pub(super) enum Stream {
    Plain(TokioIo<TcpStream>),
    Tls(Box<TokioIo<TlsStream<TcpStream>>>),
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl Read for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_read(context, buffer),
        }
    }
}

impl Write for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Tls(stream) => Pin::new(stream.as_mut()).poll_shutdown(context),
        }
    }
}

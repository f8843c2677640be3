//! The beginning of an encrypted connection.

use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::tell;
use crate::Core;
use crate::patience::Patient;

/// The first byte of whoever speaks TLS.
const HANDSHAKE: u8 = 0x16;

/// Agrees with a client on how to encrypt; `None` if that does not come about, or not in time.
pub(super) async fn shake_hands(
    stream: Patient<TcpStream>,
    tls: &TlsAcceptor,
    core: &Core,
) -> Option<TlsStream<Patient<TcpStream>>> {
    let agreed = async {
        let mut first = [0];
        match stream.get_ref().peek(&mut first).await {
            Ok(1) if first[0] != HANDSHAKE => {
                let error = r#""code":"needs_tls","message":"this server is encrypted: ask it with https:// or wss://""#;
                tell(stream, "400 Bad Request", error).await;
                return None;
            }
            Ok(_) => {}
            Err(_) => return None,
        }
        match tls.accept(stream).await {
            Ok(stream) => Some(stream),
            Err(error) => {
                tracing::debug!("a connection was not encrypted: {error}");
                None
            }
        }
    };
    tokio::select! {
        agreed = agreed => agreed,
        () = tokio::time::sleep(core.limits().request_patience) => None,
        () = core.ended() => None,
    }
}

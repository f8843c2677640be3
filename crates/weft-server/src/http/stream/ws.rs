//! WebSocket: one text message for each record.

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use futures_util::{SinkExt as _, StreamExt as _};

use super::{Portion, Stream, TOLD_AFTER};
use crate::{Core, place, record};

/// Bytes of one message that a client may send: it has nothing to say.
const MESSAGE_BYTES_MAX: usize = 4096;

/// Answers with a stream.
pub(super) fn answer(upgrade: WebSocketUpgrade, core: Core, live: Stream) -> Response {
    upgrade
        .max_message_size(MESSAGE_BYTES_MAX)
        .max_write_buffer_size(core.limits().stream_bytes_max)
        .on_upgrade(move |socket| serve(socket, core, live))
}

/// Why a stream ends.
enum End {
    /// The reader closed it, or is gone.
    Gone,
    /// We do, and say so.
    Told(&'static str),
}

async fn serve(socket: WebSocket, core: Core, mut live: Stream) {
    let (mut send, mut receive) = socket.split();
    let ended = core.clone();
    let patience = core.limits().reader_patience / TOLD_AFTER;
    // Where a reader that is cut off half-way has to go on.
    let mut told = live.seen;
    let end = loop {
        let heartbeat = tokio::time::sleep(core.limits().heartbeat);
        let messages = tokio::select! {
            portion = live.next() => match portion {
                Ok(Some(portion)) => messages(core.store_id(), &portion),
                Ok(None) => break End::Told("shutdown"),
                Err(error) => {
                    tracing::warn!("a stream ends: {error}");
                    break End::Told("unreadable");
                }
            },
            said = receive.next() => match said {
                // Pings are answered by the library, and anything else says nothing to us.
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Text(_) | Message::Binary(_))) => continue,
                Some(Ok(Message::Close(_)) | Err(_)) | None => break End::Gone,
            },
            () = heartbeat => vec![(live.seen, Message::Ping(Default::default()))],
            () = ended.ended() => break End::Told("shutdown"),
        };
        let sending = async {
            for (position, message) in messages {
                send.feed(message).await?;
                told = told.max(position);
            }
            send.flush().await
        };
        match tokio::time::timeout(patience, sending).await {
            Ok(Ok(())) => {}
            Ok(Err(_gone)) => break End::Gone,
            Err(_elapsed) => break End::Told("slow"),
        }
    };
    let End::Told(why) = end else { return };
    let cursor = place::write(core.store_id(), told);
    let reason = format!("{{\"why\":\"{why}\",\"after\":\"{cursor}\"}}");
    let close = Message::Close(Some(CloseFrame { code: close_code::AWAY, reason: reason.into() }));
    // A reader that does not take this either will see the connection end.
    drop(tokio::time::timeout(patience, send.send(close)).await);
}

/// Returns the messages, each with the position up to which its reader then knows everything.
fn messages(store_id: &str, portion: &Portion) -> Vec<(u64, Message)> {
    let lost = portion.lost.iter().map(|(first, last)| {
        let text = format!("{{\"lost\":{{\"first\":{first},\"last\":{last}}}}}");
        (0, Message::Text(text.into()))
    });
    let records = portion.records.iter().map(|live| {
        let mut out = Vec::with_capacity(live.line.len() + 256);
        record::write(&mut out, store_id, &live.meta, &live.line);
        let text = String::from_utf8_lossy(&out).into_owned();
        (live.meta.position.get(), Message::Text(text.into()))
    });
    lost.chain(records).collect()
}

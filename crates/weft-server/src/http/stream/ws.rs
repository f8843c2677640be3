//! WebSocket: one text message for each record.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};

use super::{Stream, TOLD_AFTER};
use crate::feed::{Chunk, Live};
use crate::{Core, place, record};

/// Bytes of one message that a client may send: it has nothing to say.
const MESSAGE_BYTES_MAX: usize = 4096;

/// Bytes that are gathered before they are sent.
const WRITE_BYTES: usize = 16 << 10;

/// How long a reader has to answer that it saw the stream close.
const CLOSE_PATIENCE: Duration = Duration::from_secs(1);

/// Answers with a stream.
pub(super) fn answer(upgrade: WebSocketUpgrade, core: Core, live: Stream) -> Response {
    upgrade
        .max_message_size(MESSAGE_BYTES_MAX)
        .max_frame_size(MESSAGE_BYTES_MAX)
        .write_buffer_size(WRITE_BYTES)
        .on_upgrade(move |socket| serve(socket, core, live))
}

/// Why a stream ends.
enum End {
    /// The reader closed it.
    Closed,
    /// The reader is gone.
    Gone,
    /// We do, and say so.
    Told(&'static str),
}

async fn serve(socket: WebSocket, core: Core, mut live: Stream) {
    let (mut send, mut receive) = socket.split();
    let patience = core.limits().reader_patience / TOLD_AFTER;
    // Where a reader that is cut off half-way has to go on.
    let mut told = live.seen;
    let end = loop {
        if live.is_revoked() {
            break End::Told("revoked");
        }
        let next = tokio::select! {
            portion = live.next() => match portion {
                Ok(Some(portion)) => Some(portion),
                Ok(None) => break End::Told("shutdown"),
                Err(error) => {
                    tracing::warn!("a stream ends: {error}");
                    break End::Told("unreadable");
                }
            },
            said = receive.next() => match said {
                // Pings are answered by the library, and anything else says nothing to us.
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Text(_) | Message::Binary(_))) => continue,
                Some(Ok(Message::Close(_))) => break End::Closed,
                Some(Err(_)) | None => break End::Gone,
            },
            () = tokio::time::sleep(core.limits().heartbeat) => None,
            () = core.ended() => break End::Told("shutdown"),
        };
        let sending = async {
            match next {
                Some(portion) => {
                    send_portion(&mut send, core.store_id(), &portion, &mut told).await?;
                    told = told.max(live.seen);
                }
                None => send.feed(Message::Ping(Default::default())).await?,
            }
            send.flush().await
        };
        match tokio::time::timeout(patience, sending).await {
            Ok(Ok(())) => {}
            Ok(Err(_gone)) => break End::Gone,
            Err(_elapsed) => break End::Told("slow"),
        }
    };
    close(send, receive, end, &place::write(core.store_id(), told), patience).await;
}

/// Sends a portion, and notes up to where its reader then knows everything.
async fn send_portion(
    send: &mut SplitSink<WebSocket, Message>,
    store_id: &str,
    portion: &Chunk,
    told: &mut u64,
) -> Result<(), axum::Error> {
    for (first, last) in &portion.lost {
        let text = format!("{{\"lost\":{{\"first\":{first},\"last\":{last}}}}}");
        send.feed(Message::Text(text.into())).await?;
    }
    for live in &portion.records {
        send.feed(message(store_id, live)).await?;
        *told = live.meta.position.get();
    }
    Ok(())
}

fn message(store_id: &str, live: &Live) -> Message {
    let mut out = Vec::with_capacity(live.line.len() + 256);
    record::write(&mut out, store_id, &live.meta, &live.line);
    let text = String::from_utf8(out)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Message::Text(text.into())
}

/// Ends a stream so that its reader knows why, if it still reads.
async fn close(
    mut send: SplitSink<WebSocket, Message>,
    mut receive: SplitStream<WebSocket>,
    end: End,
    cursor: &str,
    patience: Duration,
) {
    let sent = match end {
        End::Gone => return,
        // The library has the answer ready; it only has to go out.
        End::Closed => tokio::time::timeout(patience, send.flush()).await,
        End::Told(why) => {
            let reason = format!("{{\"why\":\"{why}\",\"after\":\"{cursor}\"}}").into();
            let close = Message::Close(Some(CloseFrame { code: close_code::AWAY, reason }));
            tokio::time::timeout(patience, send.send(close)).await
        }
    };
    // To end the connection while the reader still sends could cost it what it has not read yet.
    if let Ok(Ok(())) = sent {
        let rest = async { while let Some(Ok(_)) = receive.next().await {} };
        drop(tokio::time::timeout(CLOSE_PATIENCE, rest).await);
    }
}

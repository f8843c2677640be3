//! One connection: the hello, then requests and their answers in turn.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::OwnedSemaphorePermit;
use weft_event::json::Tape;

use super::append::Judged;
use super::{SMALL_BYTES_MAX, Shared, append};
use crate::socket::answer::{Answer, Failure, Hello};
use crate::socket::frame::{Decoder, Frame, FrameError};
use crate::socket::read;
use crate::socket::request::{self, Request};
use crate::socket::{BadMessage, PROTOCOL};
use crate::writer::WriteFailure;

/// Bytes that are read at a time.
const PIECE_BYTES: usize = 64 << 10;

/// Why a connection ended early.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Frame(#[from] FrameError),
    #[error(transparent)]
    Message(#[from] BadMessage),
    #[error("a request took too long to come")]
    Slow,
    #[error("the server ended before a request was whole")]
    Ending,
}

/// Both ends of a connection.
pub(in crate::socket) struct Connection {
    reader: OwnedReadHalf,
    writer: OwnedWriteHalf,
    decoder: Decoder,
    /// What came of the first request at the gate, if it went through there.
    judged: Option<Judged>,
    /// What goes out with the next answer, or before anything is waited for. A hello by itself would wake a client that asked
    /// together with its own, for nothing.
    unsent: Vec<u8>,
}

/// A frame, and the room that it takes.
struct Received {
    frame: Frame,
    _room: Option<OwnedSemaphorePermit>,
}

/// The right to stay, of those that may be there at a time; `None` where there are too many.
pub(super) type Place = Option<OwnedSemaphorePermit>;

/// Whether both sides have said hello.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Greeted {
    Not,
    Both,
}

/// Serves a connection to its end.
pub(super) async fn serve(
    mut connection: Connection,
    (greeted, place): (Greeted, Place),
    shared: Arc<Shared>,
) {
    let conversed = match greeted {
        Greeted::Both => converse(&mut connection, &shared).await,
        Greeted::Not => match greet(&mut connection, &shared, place.as_ref()).await {
            Ok(Greeted::Both) => converse(&mut connection, &shared).await,
            Ok(Greeted::Not) => Ok(()),
            Err(broken) => Err(broken),
        },
    };
    // Who is hung up on is told at least by whom.
    let ended = conversed.and(connection.flush().await.map_err(Broken::from));
    if let Err(broken) = ended {
        tracing::debug!(error = %broken, "a connection to the socket ended early");
    }
}

/// Hears the hello, and has ours go out; whoever cannot stay is told why.
async fn greet(
    connection: &mut Connection,
    shared: &Arc<Shared>,
    place: Option<&OwnedSemaphorePermit>,
) -> Result<Greeted, Broken> {
    let hello =
        tokio::time::timeout(shared.core.limits().request_patience, connection.receive(shared));
    let Some(hello) = hello.await.map_err(|_elapsed| Broken::Slow)?? else {
        return Ok(Greeted::Not);
    };
    let hello = request::Hello::decode(&hello.frame)?;
    Hello::ours(shared.core.store_id()).encode(&mut connection.unsent)?;
    if hello.protocol != PROTOCOL {
        // The client sees from the hello what is spoken here.
        return Ok(Greeted::Not);
    }
    if place.is_none() {
        let message = format!("{} connections are open: try again later", super::CONNECTIONS_MAX);
        Answer::Failed(Failure::Later { message }).encode(&mut connection.unsent)?;
        return Ok(Greeted::Not);
    }
    Ok(Greeted::Both)
}

async fn converse(connection: &mut Connection, shared: &Arc<Shared>) -> Result<(), Broken> {
    loop {
        match connection.receive(shared).await {
            Ok(Some(received)) => answer(connection, shared, received).await?,
            Ok(None) => return Ok(()),
            Err(Broken::Ending) => {
                let message = WriteFailure::Closed.to_string();
                connection.send(&Answer::Failed(Failure::Later { message })).await?;
                return Err(Broken::Ending);
            }
            Err(broken) => return Err(broken),
        }
    }
}

async fn answer(
    connection: &mut Connection,
    shared: &Arc<Shared>,
    received: Received,
) -> Result<(), Broken> {
    let mut tape = Tape::new();
    let request = Request::decode(&mut tape, &received.frame);
    let answer = match request {
        Ok(Request::Append(_)) => {
            append::append(shared, received.frame, connection.judged.take()).await
        }
        Ok(Request::Page(ask)) => read::page(&shared.core, &shared.reads, ask).await,
        Ok(Request::Get(position)) => read::get(&shared.core, &shared.reads, position).await,
        Ok(Request::Loop(ask)) => read::briefing(&shared.core, &shared.reads, ask).await,
        Ok(Request::Tail(ask)) => {
            connection.flush().await?;
            match read::tail(connection, &shared.core, ask).await? {
                Some(failure) => Answer::Failed(failure),
                None => return Ok(()),
            }
        }
        Ok(Request::Settle) => append::settle(shared).await,
        Ok(Request::Status) => Answer::Status(shared.status()),
        Ok(Request::Stop) => {
            match shared.stop.try_send(()) {
                // A server that was asked before is ending already.
                Ok(()) | Err(_) => Answer::Stopping,
            }
        }
        Err(bad) => Answer::Failed(Failure::Request { message: bad.what }),
    };
    connection.send(&answer).await?;
    Ok(())
}

impl Connection {
    /// Returns a connection on which something was said that is not answered, and something is to be sent.
    pub(super) fn new(
        stream: UnixStream,
        said: &[u8],
        judged: Option<Judged>,
        unsent: Vec<u8>,
    ) -> Self {
        let (reader, writer) = stream.into_split();
        let mut decoder = Decoder::default();
        decoder.feed(said);
        Self { reader, writer, decoder, judged, unsent }
    }

    /// Returns the next frame; `None` if there is none, because the other end closed or the server ends.
    async fn receive(&mut self, shared: &Arc<Shared>) -> Result<Option<Received>, Broken> {
        if self.decoder.is_empty() {
            let is_more = tokio::select! {
                read = self.read() => read?,
                () = shared.core.ended() => false,
            };
            if !is_more {
                return Ok(None);
            }
        }
        // Once a frame has begun, the rest has to come in time.
        let rest = async {
            let mut room = None;
            loop {
                if let Some(frame) = self.decoder.take()? {
                    return Ok(Some(Received { frame, _room: room }));
                }
                let is_large = self.decoder.announced().is_some_and(|n| n > SMALL_BYTES_MAX);
                if is_large && room.is_none() {
                    room = Arc::clone(&shared.large_frames).acquire_owned().await.ok();
                }
                if !self.read().await? {
                    return Ok(None);
                }
            }
        };
        let patience = shared.core.limits().request_patience;
        tokio::select! {
            received = tokio::time::timeout(patience, rest) => {
                received.map_err(|_elapsed| Broken::Slow)?
            }
            () = shared.core.ended_for_long() => Err(Broken::Ending),
        }
    }

    /// Reads what came; returns whether the other end is still open.
    async fn read(&mut self) -> io::Result<bool> {
        self.flush().await?;
        let mut piece = vec![0; PIECE_BYTES];
        let n = self.reader.read(&mut piece).await?;
        self.decoder.feed(&piece[..n]);
        Ok(n > 0)
    }

    /// Sends what waits to go out.
    async fn flush(&mut self) -> io::Result<()> {
        if self.unsent.is_empty() {
            return Ok(());
        }
        self.writer.write_all(&std::mem::take(&mut self.unsent)).await
    }

    /// Waits for the other end to close.
    pub(in crate::socket) async fn closed(&mut self) {
        // What a client says during a tail is of no interest, and a broken connection is closed too.
        let mut piece = [0; 256];
        while self.reader.read(&mut piece).await.is_ok_and(|n| n > 0) {}
    }

    /// Sends an answer; one that does not fit into a frame is told as a failure.
    pub(in crate::socket) async fn send(&mut self, answer: &Answer) -> io::Result<()> {
        let mut out = std::mem::take(&mut self.unsent);
        if let Err(error) = answer.encode(&mut out) {
            let message = error.to_string();
            let failed = Answer::Failed(Failure::Store { message }).encode(&mut out);
            failed.map_err(io::Error::other)?;
        }
        self.writer.write_all(&out).await
    }
}

//! The body of an answer that keeps its room in memory until its client has taken it.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::HttpBody;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

use crate::room::Room;

/// Bytes that are handed on at a time. The connection asks for more when it is rid of most of them; so the room is held until the
/// last piece is on its way.
const PIECE_BYTES: usize = 64 << 10;

/// A body, and the room that it takes.
#[derive(Debug)]
pub(super) struct Sending {
    rest: Bytes,
    _room: Room,
}

impl Sending {
    /// Returns a body of these bytes.
    pub(super) fn new(bytes: Vec<u8>, room: Room) -> Self {
        Self { rest: bytes.into(), _room: room }
    }
}

impl HttpBody for Sending {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let n = self.rest.len().min(PIECE_BYTES);
        Poll::Ready((n > 0).then(|| Ok(Frame::data(self.rest.split_to(n)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

//! Which version of HTTP a connection speaks: what its first bytes say.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};

/// What a client begins with that speaks version 2 without asking.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A version of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    One,
    Two,
}

/// A connection of which some bytes were read already; whoever reads on is given them first.
#[derive(Debug)]
pub(super) struct Begun<I> {
    first: [u8; PREFACE.len()],
    n_read: usize,
    n_given: usize,
    io: I,
}

impl<I> Begun<I> {
    /// Returns a connection of which nothing was read.
    pub(super) fn new(io: I) -> Self {
        Self { first: [0; PREFACE.len()], n_read: 0, n_given: 0, io }
    }

    /// Returns whether anything came.
    pub(super) fn has_begun(&self) -> bool {
        self.n_read > 0
    }
}

impl<I: AsyncRead + Unpin> Begun<I> {
    /// Reads until it is clear which version is spoken. What has ended before is left to the first.
    pub(super) async fn version(&mut self) -> io::Result<Version> {
        while self.first[..self.n_read] == PREFACE[..self.n_read] {
            if self.n_read == PREFACE.len() {
                return Ok(Version::Two);
            }
            match self.io.read(&mut self.first[self.n_read..]).await? {
                0 => break,
                n => self.n_read += n,
            }
        }
        Ok(Version::One)
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for Begun<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.n_given == self.n_read {
            return Pin::new(&mut self.io).poll_read(cx, buf);
        }
        let n = buf.remaining().min(self.n_read - self.n_given);
        buf.put_slice(&self.first[self.n_given..self.n_given + n]);
        self.n_given += n;
        if buf.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        // What is there already belongs to it. A connection that ends with bytes unread is torn down, and the answer with it.
        match Pin::new(&mut self.io).poll_read(cx, buf) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) | Poll::Pending => Poll::Ready(Ok(())),
        }
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for Begun<I> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

//! A reader of the server's stream of events, as `GET /v1/stream` gives it over HTTP/1.1.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};

use anyhow::{Context as _, bail, ensure};

use super::super::server::{PATIENCE, Reach};

/// Bytes that are read at a time.
const PIECE_BYTES: usize = 256 << 10;

/// An open stream.
pub(in crate::bench) struct Stream {
    stream: TcpStream,
    piece: Vec<u8>,
    chunks: Chunks,
    /// What came of an event that is not whole yet.
    text: Vec<u8>,
}

impl Stream {
    /// Begins to read after a place: what comes from now on if none is named.
    pub(in crate::bench) fn open(reach: &Reach, after: Option<&str>) -> anyhow::Result<Self> {
        let mut stream = TcpStream::connect(reach.http).context("cannot reach the server")?;
        stream.set_nodelay(true)?;
        let place = after.map(|after| format!("Last-Event-ID: {after}\r\n")).unwrap_or_default();
        let request = format!(
            "GET /v1/stream HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n{place}\r\n"
        );
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(request.as_bytes())?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            head.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&head);
        ensure!(head.starts_with("HTTP/1.1 200 "), "the server gives no stream: {head}");
        ensure!(head.contains("transfer-encoding: chunked"), "the stream is not in chunks: {head}");
        let (piece, chunks, text) = (vec![0; PIECE_BYTES], Chunks::default(), Vec::new());
        Ok(Self { stream, piece, chunks, text })
    }

    /// Waits for more; calls back for each event that is whole then, with its id and its data. Returns whether there can be more.
    pub(in crate::bench) fn read(
        &mut self,
        each: impl FnMut(&str, &str) -> anyhow::Result<()>,
    ) -> anyhow::Result<bool> {
        let n = self.come()?;
        self.take(n, each)?;
        Ok(n > 0)
    }

    /// Waits for more, and returns how many bytes came. They are to be taken before others come.
    pub(super) fn come(&mut self) -> anyhow::Result<usize> {
        match self.stream.read(&mut self.piece) {
            Ok(n) => Ok(n),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => Ok(0),
            Err(error) => Err(error).context("the stream does not go on"),
        }
    }

    /// Calls back for each event that is whole with the bytes that came.
    pub(super) fn take(
        &mut self,
        n: usize,
        mut each: impl FnMut(&str, &str) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.chunks.take(&self.piece[..n], &mut self.text)?;
        let mut start = 0;
        while let Some(end) = self.text[start..].windows(2).position(|some| some == b"\n\n") {
            let event = std::str::from_utf8(&self.text[start..start + end])?;
            let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
            if let (Some(id), Some(data)) = (field("id: "), field("data: ")) {
                each(id, data)?;
            }
            start += end + 2;
        }
        self.text.drain(..start);
        Ok(())
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

/// The chunks that a body without a length comes in.
#[derive(Default)]
struct Chunks {
    /// What came of the line before a chunk.
    line: Vec<u8>,
    /// Bytes that are left of the chunk, with the line break behind it.
    left: usize,
}

impl Chunks {
    /// Takes bytes as they came, and adds those of the body.
    fn take(&mut self, mut came: &[u8], body: &mut Vec<u8>) -> anyhow::Result<()> {
        while !came.is_empty() {
            if self.left == 0 {
                let Some(end) = came.iter().position(|byte| *byte == b'\n') else {
                    self.line.extend_from_slice(came);
                    return Ok(());
                };
                self.line.extend_from_slice(&came[..end]);
                came = &came[end + 1..];
                let line = std::mem::take(&mut self.line);
                let size = std::str::from_utf8(line.trim_ascii())?;
                match usize::from_str_radix(size, 16) {
                    Ok(size) => self.left = size + 2,
                    Err(_) => bail!("the stream is broken: `{size}` is no length"),
                }
                continue;
            }
            let n = came.len().min(self.left);
            let n_body = n.min(self.left.saturating_sub(2));
            body.extend_from_slice(&came[..n_body]);
            self.left -= n;
            came = &came[n..];
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_come_in_any_pieces() {
        let whole = b"5\r\nhello\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n";
        for size in 1..=whole.len() {
            let (mut chunks, mut body) = (Chunks::default(), Vec::new());
            for piece in whole.chunks(size) {
                chunks.take(piece, &mut body).unwrap();
            }
            assert_eq!(body, b"helloabcdefghijklmnopqrstuvwxyz", "in pieces of {size}");
        }
    }
}

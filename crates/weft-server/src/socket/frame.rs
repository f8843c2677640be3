//! Frames: a length of four bytes (big-endian), a header line of JSON, a line break, and raw bytes. The length counts all but itself.
//!
//! A [`Decoder`] takes bytes as they come and gives frames; it knows no socket.

use weft_event::json::LINE_BYTES_MAX;

/// The longest header, without its line break.
pub const HEADER_BYTES_MAX: usize = 4 << 20;

/// The largest body: one event of any size that is read, and some more.
pub const BODY_BYTES_MAX: usize = LINE_BYTES_MAX + (1 << 20);

/// The largest frame, without its length.
pub const FRAME_BYTES_MAX: usize = HEADER_BYTES_MAX + 1 + BODY_BYTES_MAX;

/// Bytes of a frame's length.
const LENGTH_BYTES: usize = 4;

/// Memory that is kept from one frame to the next.
const KEPT_BYTES_MAX: usize = 64 << 10;

/// Why bytes are no frame, or a message does not fit into one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The frame is larger than any that is taken.
    #[error("a frame of {bytes} bytes is too large, the limit is {FRAME_BYTES_MAX}")]
    TooLarge {
        /// Its length.
        bytes: usize,
    },
    /// The header does not end, or not in time.
    #[error("a frame's header has to end with a line break within {HEADER_BYTES_MAX} bytes")]
    Header,
    /// The body is larger than any that is taken.
    #[error("a frame's body of {bytes} bytes is too large, the limit is {BODY_BYTES_MAX}")]
    Body {
        /// Its length.
        bytes: usize,
    },
}

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Header, line break and body.
    bytes: Vec<u8>,
    header_bytes: usize,
}

impl Frame {
    /// Returns the header's line, without its break.
    pub fn header(&self) -> &[u8] {
        &self.bytes[..self.header_bytes]
    }

    /// Returns the bytes behind the header.
    pub fn body(&self) -> &[u8] {
        &self.bytes[self.header_bytes + 1..]
    }
}

/// Appends a frame. The header must not have a line break.
pub fn encode(header: &str, body: &[u8], out: &mut Vec<u8>) -> Result<(), FrameError> {
    debug_assert!(!header.contains('\n'), "a header is one line");
    if header.len() > HEADER_BYTES_MAX {
        return Err(FrameError::Header);
    }
    if body.len() > BODY_BYTES_MAX {
        return Err(FrameError::Body { bytes: body.len() });
    }
    let bytes = header.len() + 1 + body.len();
    let length = u32::try_from(bytes).map_err(|_large| FrameError::TooLarge { bytes })?;
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(header.as_bytes());
    out.push(b'\n');
    out.extend_from_slice(body);
    Ok(())
}

/// Makes frames of bytes as they come. It holds one frame and what was fed behind it, and no more.
#[derive(Debug, Default)]
pub struct Decoder {
    buffer: Vec<u8>,
}

impl Decoder {
    /// Takes bytes that came.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns whether nothing has come since the last frame.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Returns the length of the frame that is on its way, once that is known.
    pub fn announced(&self) -> Option<usize> {
        let length = self.buffer.first_chunk::<LENGTH_BYTES>()?;
        usize::try_from(u32::from_be_bytes(*length)).ok()
    }

    /// Returns the next frame; `None` until all of it has come. After an error nothing that follows can be read.
    pub fn take(&mut self) -> Result<Option<Frame>, FrameError> {
        let Some(bytes) = self.announced() else { return Ok(None) };
        if bytes > FRAME_BYTES_MAX {
            return Err(FrameError::TooLarge { bytes });
        }
        let end = LENGTH_BYTES + bytes;
        let come = &self.buffer[LENGTH_BYTES..end.min(self.buffer.len())];
        let header = &come[..come.len().min(HEADER_BYTES_MAX + 1)];
        let header_bytes = match header.iter().position(|byte| *byte == b'\n') {
            Some(header_bytes) => header_bytes,
            None if header.len() > HEADER_BYTES_MAX || come.len() == bytes => {
                return Err(FrameError::Header);
            }
            None => return Ok(None),
        };
        let body_bytes = bytes - header_bytes - 1;
        if body_bytes > BODY_BYTES_MAX {
            return Err(FrameError::Body { bytes: body_bytes });
        }
        if come.len() < bytes {
            return Ok(None);
        }
        let frame = Frame { bytes: come.to_vec(), header_bytes };
        self.buffer.drain(..end);
        if self.buffer.is_empty() {
            self.buffer.shrink_to(KEPT_BYTES_MAX);
        }
        Ok(Some(frame))
    }
}

#[cfg(test)]
mod tests;

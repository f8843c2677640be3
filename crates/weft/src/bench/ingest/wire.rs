//! The two ways to a server, as bytes: requests are made before anything is timed, and of an answer no more is read than has to be,
//! because whoever measures shares the processor with the server.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use anyhow::Context as _;
use weft_log::log::Durability;
use weft_server::socket::request::{Append, Hello, Request, Sent};

use super::super::server::{PATIENCE, Reach};

/// A connection to a server.
pub(in crate::bench) trait Wire: AsFd + Send + Sync + Sized {
    /// Connects.
    fn connect(reach: &Reach) -> anyhow::Result<Self>;

    /// Returns a request that stores events together.
    fn request(events: &[String]) -> Vec<u8>;

    /// Returns how many bytes the answer has that these begin with; `None` until all of it is there.
    fn answer_bytes(came: &[u8]) -> anyhow::Result<Option<usize>>;

    /// Returns whether an answer says that everything is stored.
    fn is_good(answer: &[u8]) -> bool;

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()>;
    fn write_all(&self, bytes: &[u8]) -> io::Result<()>;
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize>;
}

/// HTTP/1.1, kept alive.
pub(in crate::bench) struct Http(TcpStream);

/// The owner's socket.
pub(in crate::bench) struct Owner(UnixStream);

impl Http {
    /// Returns a request to store one event, with what tells its delivery from others.
    pub(in crate::bench) fn keyed_request(event: &str, key: &str) -> Vec<u8> {
        post("application/json", &format!("Idempotency-Key: {key}\r\n"), event.as_bytes())
    }

    /// Returns the position in the answer to a single event.
    pub(in crate::bench) fn position(answer: &[u8]) -> Option<u64> {
        const NAME: &[u8] = b"\"position\":";
        let at = answer.windows(NAME.len()).rposition(|some| some == NAME)?;
        let digits = answer[at + NAME.len()..].iter().take_while(|byte| byte.is_ascii_digit());
        Some(digits.fold(0, |n, digit| 10 * n + u64::from(digit - b'0')))
    }
}

fn post(kind: &str, more: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let mut request = format!(
        "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n{more}Content-Length: {length}\r\n\r\n"
    )
    .into_bytes();
    request.extend_from_slice(body);
    request
}

impl Wire for Http {
    fn connect(reach: &Reach) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(reach.http).context("cannot reach the server")?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self(stream))
    }

    fn request(events: &[String]) -> Vec<u8> {
        match events {
            [one] => post("application/json", "", one.as_bytes()),
            many => post("application/x-ndjson", "", &lines(many)),
        }
    }

    fn answer_bytes(came: &[u8]) -> anyhow::Result<Option<usize>> {
        let Some(head) = came.windows(4).position(|some| some == b"\r\n\r\n") else {
            return Ok(None);
        };
        let text = std::str::from_utf8(&came[..head]).context("the answer is not HTTP")?;
        let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.context("the answer has no length")?.parse()?;
        Ok(Some(head + 4 + length).filter(|bytes| *bytes <= came.len()))
    }

    fn is_good(answer: &[u8]) -> bool {
        answer.starts_with(b"HTTP/1.1 202 ")
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.0.set_nonblocking(nonblocking)
    }

    fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        (&self.0).write_all(bytes)
    }

    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.0).read(buffer)
    }
}

impl AsFd for Http {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Bytes of a frame's length.
const LENGTH_BYTES: usize = 4;

impl Wire for Owner {
    fn connect(reach: &Reach) -> anyhow::Result<Self> {
        let stream = UnixStream::connect(&reach.socket).context("cannot reach the socket")?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut hello = Vec::new();
        Hello::ours().encode(&mut hello)?;
        (&stream).write_all(&hello)?;
        let mut length = [0; LENGTH_BYTES];
        (&stream).read_exact(&mut length)?;
        let mut theirs = vec![0; usize::try_from(u32::from_be_bytes(length))?];
        (&stream).read_exact(&mut theirs)?;
        Ok(Self(stream))
    }

    fn request(events: &[String]) -> Vec<u8> {
        let events = events.iter().map(|event| Sent::plain(event.as_bytes())).collect();
        let (durability, patience, conditions) = (Durability::Synced, None, Vec::new());
        let append = Append { via: "bench".into(), durability, patience, conditions, events };
        let mut bytes = Vec::new();
        Request::Append(append).encode(&mut bytes).expect("it is smaller than a frame may be");
        bytes
    }

    fn answer_bytes(came: &[u8]) -> anyhow::Result<Option<usize>> {
        let Some((length, frame)) = came.split_first_chunk::<LENGTH_BYTES>() else {
            return Ok(None);
        };
        let length = usize::try_from(u32::from_be_bytes(*length))?;
        Ok(Some(LENGTH_BYTES + length).filter(|_| length <= frame.len()))
    }

    fn is_good(answer: &[u8]) -> bool {
        answer[LENGTH_BYTES..].starts_with(b"{\"appended\":")
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.0.set_nonblocking(nonblocking)
    }

    fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        (&self.0).write_all(bytes)
    }

    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.0).read(buffer)
    }
}

impl AsFd for Owner {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn lines(events: &[String]) -> Vec<u8> {
    let mut body = Vec::with_capacity(events.iter().map(|event| event.len() + 1).sum());
    for event in events {
        body.extend_from_slice(event.as_bytes());
        body.push(b'\n');
    }
    body
}

//! An `EventSource`: it connects again whenever the connection ends, behind the last event that it heard.

use std::collections::VecDeque;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use super::text::Stream;
pub(super) use super::text::Told;
use crate::served::PATIENCE;

/// How long it waits before it connects again if the server does not say.
const RETRY: Duration = Duration::from_millis(500);

/// The server answered, and not with a stream: a page hears of it and nothing more.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) status: u16,
}

/// A page's source of events.
pub(super) struct EventSource {
    address: String,
    target: String,
    stream: Stream,
    open: Option<BufReader<TcpStream>>,
    told: VecDeque<Told>,
    n_connections: u64,
}

impl EventSource {
    pub(super) fn new(address: &str, target: &str) -> Self {
        let (address, target) = (address.to_owned(), target.to_owned());
        let (stream, open, told) = (Stream::default(), None, VecDeque::new());
        Self { address, target, stream, open, told, n_connections: 0 }
    }

    /// Returns how often it was connected.
    pub(super) fn n_connections(&self) -> u64 {
        self.n_connections
    }

    /// Waits for what the page is handed next.
    pub(super) fn next(&mut self) -> Told {
        self.try_next().expect("it is not refused")
    }

    pub(super) fn try_next(&mut self) -> Result<Told, Refused> {
        let began = Instant::now();
        loop {
            if let Some(told) = self.told.pop_front() {
                return Ok(told);
            }
            assert!(began.elapsed() < PATIENCE, "nothing comes");
            let read = match &mut self.open {
                Some(open) => read_piece(open),
                None => match self.connect()? {
                    Ok(()) => continue,
                    Err(error) => Err(error),
                },
            };
            match read {
                Ok(piece) if !piece.is_empty() => self.told.extend(self.stream.feed(&piece)),
                Ok(_) | Err(_) => self.wait(),
            }
        }
    }

    /// Forgets the connection, and waits as long as the server said.
    fn wait(&mut self) {
        self.open = None;
        thread::park_timeout(self.stream.retry_ms.map_or(RETRY, Duration::from_millis));
    }

    /// Opens a connection.
    fn connect(&mut self) -> Result<io::Result<()>, Refused> {
        self.stream = self.stream.again();
        let (status, open) = match self.request() {
            Ok(answered) => answered,
            Err(error) => return Ok(Err(error)),
        };
        if status != 200 {
            return Err(Refused { status });
        }
        self.n_connections += 1;
        self.open = Some(open);
        Ok(Ok(()))
    }

    fn request(&self) -> io::Result<(u16, BufReader<TcpStream>)> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let last_id = match &*self.stream.last_id {
            "" => String::new(),
            last_id => format!("Last-Event-ID: {last_id}\r\n"),
        };
        let (target, host) = (&self.target, &self.address);
        let request = format!(
            "GET {target} HTTP/1.1\r\nHost: {host}\r\nAccept: text/event-stream\r\nCache-Control: no-store\r\n{last_id}\r\n"
        );
        stream.write_all(request.as_bytes())?;
        let mut open = BufReader::new(stream);
        let status = line(&mut open)?;
        let status = status.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let mut is_stream = false;
        loop {
            let header = line(&mut open)?.to_ascii_lowercase();
            is_stream |= header.starts_with("content-type: text/event-stream");
            if header.is_empty() {
                break;
            }
        }
        assert!(is_stream || status != 200, "a stream says that it is one");
        Ok((status, open))
    }
}

/// Reads a piece of a body that comes in pieces; an empty one is its end.
fn read_piece(open: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let size = line(open)?;
    let size = usize::from_str_radix(&size, 16).map_err(io::Error::other)?;
    let mut piece = vec![0; size];
    open.read_exact(&mut piece)?;
    line(open)?;
    Ok(piece)
}

/// Reads a line that is whole.
fn line(open: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    open.read_line(&mut line)?;
    let whole = line.strip_suffix("\r\n").map(str::to_owned);
    whole.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

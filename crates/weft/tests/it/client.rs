//! A client of the server that sends what it is told to, to the byte, well formed or not.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

use serde_json::Value;

use crate::served::PATIENCE;

/// One connection.
pub(crate) struct Client {
    stream: TcpStream,
    host: String,
    /// What was received and not read yet.
    buffer: Vec<u8>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// In small letters.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(address: &str) -> Self {
        Self::try_connect(address).unwrap()
    }

    pub(crate) fn try_connect(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, host: address.to_owned(), buffer: Vec::new() })
    }

    /// Sends a request with these headers, each with its line break, and reads the answer; `None` if the server hung up.
    pub(crate) fn ask(&mut self, first: &str, headers: &str, body: &[u8]) -> Option<Answer> {
        self.write(&self.request(first, headers, body));
        self.answer()
    }

    pub(crate) fn get(&mut self, target: &str) -> Answer {
        self.ask(&format!("GET {target}"), "", b"").expect("the server answers")
    }

    pub(crate) fn post(&mut self, body: &[u8]) -> Answer {
        self.ask("POST /v1/events", "", body).expect("the server answers")
    }

    /// Returns a request as bytes. A host in the headers goes before the server's own.
    pub(crate) fn request(&self, first: &str, headers: &str, body: &[u8]) -> Vec<u8> {
        let own = format!("host: {}\r\n", self.host);
        let host = if headers.contains("host:") { "" } else { &own };
        let length = if headers.contains("content-length:") || first.starts_with("GET") {
            String::new()
        } else {
            format!("content-length: {}\r\n", body.len())
        };
        let head = format!("{first} HTTP/1.1\r\n{host}{headers}{length}\r\n");
        [head.as_bytes(), body].concat()
    }

    /// Writes bytes as they are; returns whether the server took them.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Says that nothing more will come.
    pub(crate) fn close_own_side(&mut self) {
        // A server that hung up has closed it already.
        drop(self.stream.shutdown(Shutdown::Write));
    }

    /// Reads until the server hangs up; returns what was not read before.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        while self.fill() {}
        std::mem::take(&mut self.buffer)
    }

    /// Reads until a text has come.
    #[track_caller]
    pub(crate) fn expect(&mut self, text: &str) {
        while !self.buffer.windows(text.len()).any(|part| part == text.as_bytes()) {
            assert!(self.fill(), "it ended: {}", String::from_utf8_lossy(&self.buffer));
        }
        self.buffer.clear();
    }

    /// Reads an answer; `None` if the server hung up before it was whole.
    pub(crate) fn answer(&mut self) -> Option<Answer> {
        let end = loop {
            match self.buffer.windows(4).position(|part| part == b"\r\n\r\n") {
                Some(at) => break at,
                None if self.fill() => {}
                None => return None,
            }
        };
        let head: Vec<u8> = self.buffer.drain(..end + 4).collect();
        let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.map_or(0, |length| length.parse().unwrap());
        while self.buffer.len() < length {
            if !self.fill() {
                return None;
            }
        }
        Some(Answer { status, head, body: self.buffer.drain(..length).collect() })
    }

    fn fill(&mut self) -> bool {
        let mut bytes = [0; 16 << 10];
        match self.stream.read(&mut bytes) {
            Ok(n) => {
                self.buffer.extend_from_slice(&bytes[..n]);
                n > 0
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => false,
            // A wait with a limit is cut short when the process is stopped for a moment.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => true,
            Err(error) => panic!("no answer: {error}"),
        }
    }
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Returns status and code of a failure.
    #[track_caller]
    pub(crate) fn failure(&self) -> (u16, String) {
        let json = self.json();
        let code = json["error"]["code"].as_str().unwrap_or_else(|| panic!("{json}"));
        (self.status, code.to_owned())
    }
}

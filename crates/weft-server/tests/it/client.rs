//! A client that does what it is told to the byte: HTTP/1.1 over a plain socket, well formed or not.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// How long a test waits for an answer before it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// One connection.
pub(crate) struct Client {
    stream: TcpStream,
    address: SocketAddr,
    /// What was received and not read yet.
    buffer: Vec<u8>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in small letters.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// A request that is put together step by step.
pub(crate) struct Request<'c> {
    client: &'c mut Client,
    head: String,
    has_host: bool,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        stream.set_write_timeout(Some(PATIENCE)).expect("a limit");
        stream.set_nodelay(true).expect("an option");
        Self { stream, address, buffer: Vec::new() }
    }

    pub(crate) fn request(&mut self, method: &str, target: &str) -> Request<'_> {
        let head = format!("{method} {target} HTTP/1.1\r\n");
        Request { client: self, head, has_host: false }
    }

    pub(crate) fn get(&mut self, target: &str) -> Answer {
        self.request("GET", target).send(b"")
    }

    /// Posts a body without a content type.
    pub(crate) fn post(&mut self, target: &str, body: impl AsRef<[u8]>) -> Answer {
        self.request("POST", target).send(body.as_ref())
    }

    /// Posts a body of a content type.
    pub(crate) fn post_as(&mut self, kind: &str, body: impl AsRef<[u8]>) -> Answer {
        self.request("POST", "/v1/events").header("content-type", kind).send(body.as_ref())
    }

    /// Writes bytes as they are; a server that hung up is no error here.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        drop(self.stream.write_all(bytes));
    }

    /// Says that nothing more will come.
    pub(crate) fn close_own_side(&mut self) {
        self.stream.shutdown(Shutdown::Write).expect("the connection is open");
    }

    /// Reads an answer; `None` if the server hung up without one.
    pub(crate) fn answer(&mut self) -> Option<Answer> {
        self.answer_to("")
    }

    /// Reads the answer to a request of this method.
    fn answer_to(&mut self, method: &str) -> Option<Answer> {
        loop {
            let head_end = loop {
                if let Some(at) = find(&self.buffer, b"\r\n\r\n") {
                    break at;
                }
                if !self.fill() {
                    return None;
                }
            };
            let head: Vec<u8> = self.buffer.drain(..head_end + 4).collect();
            let head = String::from_utf8(head).expect("a head is text");
            let mut lines = head.lines();
            let first = lines.next().expect("a head has a first line");
            let status: u16 = first.split(' ').nth(1).expect("a status").parse().expect("a number");
            let headers: Vec<_> = lines
                .filter_map(|line| line.split_once(": "))
                .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
                .collect();
            let mut answer = Answer { status, headers, body: Vec::new() };
            if status == 100 {
                continue;
            }
            let length = answer.header("content-length").filter(|_| method != "HEAD");
            let length: usize =
                length.map_or(0, |length| length.parse().expect("a length is a number"));
            while self.buffer.len() < length {
                assert!(self.fill(), "the answer ends early: {answer:?}");
            }
            answer.body = self.buffer.drain(..length).collect();
            return Some(answer);
        }
    }

    /// Reads a line without its end; `None` if the server hung up before there was one.
    pub(crate) fn line(&mut self) -> Option<String> {
        let end = loop {
            match find(&self.buffer, b"\r\n") {
                Some(at) => break at,
                None if self.fill() => {}
                None => return None,
            }
        };
        let line: Vec<u8> = self.buffer.drain(..end + 2).take(end).collect();
        Some(String::from_utf8(line).expect("a line is text"))
    }

    /// Reads so many bytes; `None` if the server hung up before there were as many.
    pub(crate) fn take(&mut self, n: usize) -> Option<Vec<u8>> {
        while self.buffer.len() < n {
            if !self.fill() {
                return None;
            }
        }
        Some(self.buffer.drain(..n).collect())
    }

    /// Reads until the server hangs up; returns what was not read before.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        while self.fill() {}
        std::mem::take(&mut self.buffer)
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

impl Request<'_> {
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.has_host |= name.eq_ignore_ascii_case("host");
        self.head.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    pub(crate) fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// Sends it with a body and its length, and reads the answer.
    pub(crate) fn send(self, body: &[u8]) -> Answer {
        self.try_send(body).expect("the server answers")
    }

    pub(crate) fn try_send(mut self, body: &[u8]) -> Option<Answer> {
        let is_empty = body.is_empty() && !self.head.starts_with("POST");
        if !is_empty {
            self = {
                let length = body.len().to_string();
                self.header("content-length", &length)
            };
        }
        let method = self.head.split(' ').next().unwrap_or_default().to_owned();
        self.send_head();
        self.client.write(body);
        self.client.answer_to(&method)
    }

    /// Sends it with a body in pieces.
    pub(crate) fn send_chunked(mut self, pieces: &[&[u8]]) -> Answer {
        self = self.header("transfer-encoding", "chunked");
        self.send_head();
        for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
            self.client.write(format!("{:x}\r\n", piece.len()).as_bytes());
            self.client.write(piece);
            self.client.write(b"\r\n");
        }
        self.client.write(b"0\r\n\r\n");
        self.client.answer().expect("the server answers")
    }

    /// Sends the head and nothing more.
    pub(crate) fn send_head(&mut self) {
        if !self.has_host {
            self.head.push_str(&format!("host: {}\r\n", self.client.address));
        }
        self.head.push_str("\r\n");
        let head = std::mem::take(&mut self.head);
        self.client.write(head.as_bytes());
    }

    /// Returns the connection again.
    pub(crate) fn client(&mut self) -> &mut Client {
        self.client
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.body).expect("a body is text")
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| {
            panic!("{} {:?} is no JSON: {error}", self.status, String::from_utf8_lossy(&self.body))
        })
    }

    /// Returns status and error code, for a failure.
    #[track_caller]
    pub(crate) fn failure(&self) -> (u16, String) {
        let code = self.json()["error"]["code"].as_str().expect("a code").to_owned();
        (self.status, code)
    }

    /// Returns status and text, without the ids of what was refused, which differ each time.
    #[track_caller]
    pub(crate) fn shown(&self) -> String {
        let mut json = self.json();
        blank_ids(&mut json);
        format!("{} {json}", self.status)
    }
}

fn blank_ids(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if name == "rejected" && member.is_string() {
                    *member = Value::from("…");
                }
                blank_ids(member);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(blank_ids),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

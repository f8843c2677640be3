//! A receiver of webhooks that answers as it is told to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};

/// What it was sent.
pub(super) struct Got {
    headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Got {
    pub(super) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value.as_str())
    }
}

/// Returns where it listens, and what comes. It answers with each of these codes in turn.
pub(super) fn listen(codes: &'static [u16]) -> (SocketAddr, Receiver<Got>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (send, got) = mpsc::channel();
    std::thread::spawn(move || {
        for code in codes {
            let (stream, _) = listener.accept().unwrap();
            let taken = take(&stream);
            let answer =
                format!("HTTP/1.1 {code} x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            (&stream).write_all(answer.as_bytes()).unwrap();
            if send.send(taken).is_err() {
                return;
            }
        }
    });
    (address, got)
}

fn take(stream: &TcpStream) -> Got {
    let mut reader = BufReader::new(stream);
    let mut headers = Vec::new();
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.expect("a length").1.parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    Got { headers, body: String::from_utf8(body).unwrap() }
}

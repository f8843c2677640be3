//! A client of the server that says no more than it must, and takes an answer only if it is whole.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// How long an answer may take. A server that is killed closes its connections at once.
const PATIENCE: Duration = Duration::from_secs(60);

/// One connection.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
}

/// What is asked.
pub(crate) struct Ask<'a> {
    pub(crate) method: &'a str,
    pub(crate) target: &'a str,
    pub(crate) headers: &'a [(&'a str, &'a str)],
    pub(crate) body: &'a str,
}

impl Connection {
    pub(crate) fn open(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), host: address.to_owned() })
    }

    /// Asks, and returns the status and the body.
    pub(crate) fn ask(&mut self, ask: &Ask<'_>) -> io::Result<(u16, String)> {
        let Ask { method, target, headers, body } = ask;
        let (host, length) = (&self.host, body.len());
        let mut text =
            format!("{method} {target} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\n");
        for (name, value) in *headers {
            text += &format!("{name}: {value}\r\n");
        }
        text += "\r\n";
        text += body;
        self.stream.get_mut().write_all(text.as_bytes())?;
        self.answer()
    }

    fn answer(&mut self) -> io::Result<(u16, String)> {
        let status = self.line()?;
        let status = status.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("an answer has a status"));
        let mut length = 0;
        loop {
            let line = self.line()?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(told) = line.strip_prefix("content-length:") {
                length = told.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok((status, String::from_utf8(body).unwrap()))
    }

    /// Returns a line without its end; one that is not whole is an error.
    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let whole = line.strip_suffix("\r\n").map(str::to_owned);
        whole.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

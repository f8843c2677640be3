//! A client of server-sent events that does what a browser's `EventSource` does with the bytes, and no more.

use crate::client::{Answer, Client};
use crate::server::Server;

/// A stream that is open.
pub(crate) struct Source {
    client: Client,
    /// What was received and not taken apart yet, without the marks of the pieces it came in.
    text: Vec<u8>,
    /// What a browser would send as `Last-Event-ID`.
    pub(crate) last_id: String,
    /// The comments so far.
    pub(crate) comments: Vec<String>,
}

/// What a page is handed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) event: String,
    pub(crate) data: String,
    pub(crate) id: String,
}

impl Source {
    /// Opens a stream.
    pub(crate) fn open(server: &Server, target: &str) -> Self {
        Self::ask(server, target, None).expect("a stream")
    }

    /// Opens a stream again after an id.
    pub(crate) fn resume(server: &Server, target: &str, last_id: &str) -> Self {
        Self::ask(server, target, Some(last_id)).expect("a stream")
    }

    /// Opens a stream, or returns the answer that is none.
    pub(crate) fn ask(
        server: &Server,
        target: &str,
        last_id: Option<&str>,
    ) -> Result<Self, Answer> {
        let mut client = server.client();
        let mut request = client.request("GET", target).header("accept", "text/event-stream");
        if let Some(last_id) = last_id {
            request = request.header("last-event-id", last_id);
        }
        request.send_head();
        let answer = client.answer().expect("an answer");
        if answer.status != 200 {
            return Err(answer);
        }
        assert_eq!(answer.header("content-type"), Some("text/event-stream"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
        let last_id = last_id.unwrap_or_default().to_owned();
        Ok(Self { client, text: Vec::new(), last_id, comments: Vec::new() })
    }

    /// Returns what the page is handed next; `None` when the stream has ended.
    pub(crate) fn next(&mut self) -> Option<Told> {
        let (mut event, mut data) = (String::new(), None::<String>);
        loop {
            let line = self.line()?;
            if line.is_empty() {
                if let Some(data) = data.take() {
                    return Some(Told { event, data, id: self.last_id.clone() });
                }
                event.clear();
                continue;
            }
            let (field, value) = line.split_once(':').unwrap_or((&line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "" => self.comments.push(value.to_owned()),
                "event" => event = value.to_owned(),
                "id" => self.last_id = value.to_owned(),
                "data" => match &mut data {
                    None => data = Some(value.to_owned()),
                    Some(data) => *data = format!("{data}\n{value}"),
                },
                "retry" => assert!(value.parse::<u32>().is_ok(), "{line}"),
                other => panic!("no page knows {other}: {line}"),
            }
        }
    }

    /// Returns the next so many.
    pub(crate) fn take(&mut self, n: usize) -> Vec<Told> {
        (0..n).map(|_| self.next().expect("the stream goes on")).collect()
    }

    /// Reads on until a comment has come, and what it came with.
    pub(crate) fn heartbeat(&mut self) -> String {
        let n = self.comments.len();
        while self.comments.len() == n {
            let line = self.line().expect("the stream goes on");
            if let Some(comment) = line.strip_prefix(':') {
                self.comments.push(comment.trim().to_owned());
            }
        }
        let line = self.line().expect("the stream goes on");
        let id = line.strip_prefix("id: ").unwrap_or_default();
        self.last_id = id.to_owned();
        id.to_owned()
    }

    /// Returns a line, whichever way it ends.
    fn line(&mut self) -> Option<String> {
        loop {
            let end = self.text.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            if let Some(end) =
                end.filter(|end| *end + 1 < self.text.len() || self.text[*end] == b'\n')
            {
                let is_pair = self.text[end..].starts_with(b"\r\n");
                let line = self.text[..end].to_vec();
                self.text.drain(..end + 1 + usize::from(is_pair));
                return Some(String::from_utf8(line).expect("a stream is text"));
            }
            let size = self.client.line()?;
            let size = usize::from_str_radix(&size, 16).expect("a piece has a size");
            if size == 0 {
                return None;
            }
            let piece = self.client.take(size + 2)?;
            self.text.extend_from_slice(&piece[..size]);
        }
    }
}

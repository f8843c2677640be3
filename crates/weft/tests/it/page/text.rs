//! The text of an event stream, taken apart as the standard says.

/// What a page is handed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) event: String,
    pub(super) data: String,
    pub(super) id: String,
}

/// Takes a stream apart as it comes.
#[derive(Default)]
pub(super) struct Stream {
    /// What came and is no whole line.
    bytes: Vec<u8>,
    has_begun: bool,
    event: String,
    data: String,
    /// The id that the events from here on have.
    id: String,
    /// The id of the last event, which a new connection is opened with.
    pub(super) last_id: String,
    /// How long to wait before a new connection, if that was said.
    pub(super) retry_ms: Option<u64>,
}

impl Stream {
    /// Returns the stream of a new connection. What was heard of an event that did not end is gone with the old one.
    pub(super) fn again(&self) -> Self {
        let (last_id, retry_ms) = (self.last_id.clone(), self.retry_ms);
        Self { id: last_id.clone(), last_id, retry_ms, ..Self::default() }
    }

    /// Takes bytes; returns what the page is handed. What has not ended at the end of the stream is never handed out.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Told> {
        self.bytes.extend_from_slice(bytes);
        if !self.has_begun {
            // A byte-order mark is not part of the text, and it may come in pieces.
            let mark = b"\xEF\xBB\xBF";
            if self.bytes.len() < mark.len() && mark.starts_with(&self.bytes) {
                return Vec::new();
            }
            if self.bytes.starts_with(mark) {
                self.bytes.drain(..mark.len());
            }
            self.has_begun = true;
        }
        let mut told = Vec::new();
        while let Some(line) = self.line() {
            told.extend(self.process(&line));
        }
        told
    }

    /// Takes a line that ends with a line feed, a carriage return or both.
    fn line(&mut self) -> Option<String> {
        let end = self.bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
        let n_end = match self.bytes.get(end..end + 2) {
            Some(b"\r\n") => 2,
            Some(_) => 1,
            None if self.bytes[end] == b'\n' => 1,
            // Whether a line feed belongs to it shows with the next byte.
            None => return None,
        };
        let line: Vec<u8> = self.bytes.drain(..end + n_end).take(end).collect();
        Some(String::from_utf8_lossy(&line).into_owned())
    }

    fn process(&mut self, line: &str) -> Option<Told> {
        if line.is_empty() {
            return self.dispatch();
        }
        let (field, value) = match line.split_once(':') {
            Some(("", _comment)) => return None,
            Some((field, value)) => (field, value.strip_prefix(' ').unwrap_or(value)),
            None => (line, ""),
        };
        match field {
            "event" => self.event = value.to_owned(),
            "data" => {
                self.data += value;
                self.data.push('\n');
            }
            "id" if !value.contains('\0') => self.id = value.to_owned(),
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.retry_ms = value.parse().ok();
            }
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<Told> {
        self.last_id.clone_from(&self.id);
        let (event, data) = (std::mem::take(&mut self.event), std::mem::take(&mut self.data));
        let data = data.strip_suffix('\n')?.to_owned();
        let event = if event.is_empty() { "message".to_owned() } else { event };
        Some(Told { event, data, id: self.last_id.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::Stream;

    /// Shows what a page is handed, however the text is cut.
    fn heard(text: &str) -> String {
        let show = |pieces: &mut dyn Iterator<Item = &[u8]>| {
            let mut stream = Stream::default();
            let told: Vec<String> = pieces
                .flat_map(|piece| stream.feed(piece))
                .map(|told| format!("{}({:?})@{}", told.event, told.data, told.id))
                .collect();
            format!("{} then {:?} {:?}", told.join(" "), stream.last_id, stream.retry_ms)
        };
        let whole = show(&mut std::iter::once(text.as_bytes()));
        for n in 1..=text.len().min(7) {
            assert_eq!(show(&mut text.as_bytes().chunks(n)), whole, "in pieces of {n}");
        }
        whole
    }

    #[test]
    fn streams_are_taken_apart_as_the_standard_says() {
        let heard = |text| heard(text);
        insta::assert_snapshot!(heard("data: a\ndata: b\n\ndata\n\ndata\ndata\n\ndata:"), @r#"message("a\nb")@ message("")@ message("\n")@ then "" None"#);
        insta::assert_snapshot!(heard("data:x\n\ndata: x\n\ndata:  x\n\n"), @r#"message("x")@ message("x")@ message(" x")@ then "" None"#);
        insta::assert_snapshot!(heard(": c\n\ndata: 1\nid: 1\n\ndata:2\nid\n\ndata: 3\n\n"), @r#"message("1")@1 message("2")@ message("3")@ then "" None"#);
        insta::assert_snapshot!(heard("event: add\rdata: 7\r\revent: x\r\n\r\ndata: 8\r\n\r\n"), @r#"add("7")@ message("8")@ then "" None"#);
        insta::assert_snapshot!(heard("\u{feff}data: a\n\n\u{feff}data: b\n\n"), @r#"message("a")@ then "" None"#);
        insta::assert_snapshot!(heard("id: 5\n\nid: 6\ndata: x\n"), @r#" then "5" None"#);
        insta::assert_snapshot!(heard("id: a\0b\nretry: 10\nretry: x\nretry: -1\nretry:\ndata: é\n\n"), @r#"message("é")@ then "" Some(10)"#);
        insta::assert_snapshot!(heard("nothing: x\nDATA: y\ndata : z\ndata: :\n\n"), @r#"message(":")@ then "" None"#);
    }
}

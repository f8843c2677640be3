//! Issues of other trackers as messages on the topics of issues: each state of an issue once, its JSON as it is.

use std::borrow::Cow;

use weft_event::idle::{Body, Message};
use weft_event::json::{SyntaxError, Tape, Value, digest};
use weft_event::time::parse_rfc3339;
use weft_log::TopicKey;

use super::Ulid;

/// Whose issues they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracker {
    /// tissue: a line for each edit, with its revision.
    Tissue,
    /// beads: a line for each issue, as it is now.
    Beads,
}

/// A state of an issue, or what else a tracker keeps of it, as it goes into the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The message, on one line.
    pub line: String,
    /// Where it belongs.
    pub mark: TopicKey,
}

/// Why a line is nothing of an issue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// It is no JSON.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// It lacks what it is known by.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// It is of another kind than issues, comments and dependencies.
    #[error("`{0}` is not a kind of line that a tracker of issues has")]
    Kind(String),
}

impl Tracker {
    /// Returns the tracker's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Tracker::Tissue => "tissue",
            Tracker::Beads => "beads",
        }
    }

    /// Returns the names that the file in the tracker's folder has, the usual one first.
    pub fn files(self) -> &'static [&'static str] {
        match self {
            Tracker::Tissue => &["issues.jsonl"],
            Tracker::Beads => &["issues.jsonl", "beads.jsonl"],
        }
    }

    /// Reads a line of the tracker's file.
    pub fn snapshot(self, text: &str) -> Result<Snapshot, SnapshotError> {
        let text = text.trim();
        let mut tape = Tape::new();
        let value = tape.parse(text)?;
        let need = |name: &'static str| value.text_at(name).ok_or(SnapshotError::Missing(name));
        let kind = value.text_at("type").filter(|_| self == Tracker::Tissue);
        match kind.as_deref() {
            Some("issue") | None => {
                let id = need("id")?;
                need("status")?;
                // What has no revision is known by what it says.
                let rev = value.text_at("rev").map(|rev| rev.into_owned().into_bytes());
                let rev = rev.unwrap_or_else(|| digest(value).to_vec());
                let at_ms = time_ms(value, &["updated_at", "created_at"]);
                let parts = [self.as_str().as_bytes(), b"issue", id.as_bytes(), &rev];
                let message = Ulid::of_parts(at_ms, &parts).to_string();
                Ok(snapshot(&id, message, at_ms, text.into()))
            }
            Some("comment") => {
                let at_ms = time_ms(value, &["created_at"]);
                let (id, body) = (need("id")?.into_owned(), need("body")?);
                Ok(snapshot(&need("issue_id")?, id, at_ms, body))
            }
            Some("dep") => {
                let (from, to, kind) = (need("src_id")?, need("dst_id")?, need("kind")?);
                let rev = value.text_at("rev").unwrap_or_default();
                let at_ms = time_ms(value, &["created_at"]);
                let ends = [from.as_bytes(), to.as_bytes(), kind.as_bytes(), rev.as_bytes()];
                let parts = [&[self.as_str().as_bytes(), b"dep"][..], &ends].concat();
                let message = Ulid::of_parts(at_ms, &parts).to_string();
                Ok(snapshot(&from, message, at_ms, text.into()))
            }
            Some(other) => Err(SnapshotError::Kind(other.to_owned())),
        }
    }
}

fn snapshot(issue: &str, id: String, at_ms: i64, body: Cow<'_, str>) -> Snapshot {
    let topic = format!("issue:{issue}");
    let message = Message {
        id: id.into(),
        topic_id: Cow::Borrowed(&topic),
        parent_id: Some(None),
        body: Body::Text(body),
        created_at: at_ms,
        sender: Some(None),
        git: Some(None),
        ..Message::default()
    };
    Snapshot { line: message.to_line(), mark: TopicKey { topic, key: None } }
}

/// Returns the first of these times in milliseconds since 1970: trackers write that number, or RFC 3339.
fn time_ms(value: Value<'_>, names: &[&str]) -> i64 {
    let time = |name: &&str| {
        let time = value.get(name)?;
        let of_text = |text: Cow<'_, str>| Some(parse_rfc3339(&text)?.div_euclid(1_000_000));
        time.as_i64().or_else(|| time.as_text().and_then(of_text))
    };
    names.iter().find_map(time).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    fn line(tracker: Tracker, text: &str) -> String {
        match tracker.snapshot(text) {
            Ok(Snapshot { line, mark }) => format!("{}\n{line}", mark.topic),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn an_issue_of_tissue_keeps_its_json_and_is_known_by_its_revision() {
        let issue = r#"{"type":"issue","id":"a-1","rev":"01A","title":"T","body":"b","status":"open","priority":2,"tags":[],"created_at":5,"updated_at":7}"#;
        assert_snapshot!(line(Tracker::Tissue, issue), @r#"
        issue:a-1
        {"type":"message","id":"00000000077CBW7NSKNMJF3A0V","topic_id":"issue:a-1","parent_id":null,"body":"{\"type\":\"issue\",\"id\":\"a-1\",\"rev\":\"01A\",\"title\":\"T\",\"body\":\"b\",\"status\":\"open\",\"priority\":2,\"tags\":[],\"created_at\":5,\"updated_at\":7}","created_at":7,"sender":null,"git":null}
        "#);
        assert_eq!(line(Tracker::Tissue, issue), line(Tracker::Tissue, &format!(" {issue}\n")));
        assert_ne!(
            line(Tracker::Tissue, issue),
            line(Tracker::Tissue, &issue.replace("01A", "01B"))
        );
    }

    #[test]
    fn comments_have_their_own_id_and_dependencies_stand_with_their_source() {
        let comment =
            r#"{"type":"comment","id":"01C","issue_id":"a-1","body":"seen\nit","created_at":9}"#;
        assert_snapshot!(line(Tracker::Tissue, comment), @r#"
        issue:a-1
        {"type":"message","id":"01C","topic_id":"issue:a-1","parent_id":null,"body":"seen\nit","created_at":9,"sender":null,"git":null}
        "#);
        let dep = r#"{"type":"dep","src_id":"a-1","dst_id":"a-2","kind":"blocks","state":"active","created_at":9,"rev":"01D"}"#;
        assert_snapshot!(line(Tracker::Tissue, dep), @r#"
        issue:a-1
        {"type":"message","id":"0000000009CMT7AKW9690PKTZB","topic_id":"issue:a-1","parent_id":null,"body":"{\"type\":\"dep\",\"src_id\":\"a-1\",\"dst_id\":\"a-2\",\"kind\":\"blocks\",\"state\":\"active\",\"created_at\":9,\"rev\":\"01D\"}","created_at":9,"sender":null,"git":null}
        "#);
    }

    #[test]
    fn an_issue_of_beads_is_known_by_what_it_says() {
        let issue = r#"{"id":"bd-1","title":"T","status":"open","priority":1,"updated_at":"2026-01-01T00:00:00.5Z"}"#;
        assert_snapshot!(line(Tracker::Beads, issue), @r#"
        issue:bd-1
        {"type":"message","id":"01KDVDNAFMVX6ZRVHY913R3M4C","topic_id":"issue:bd-1","parent_id":null,"body":"{\"id\":\"bd-1\",\"title\":\"T\",\"status\":\"open\",\"priority\":1,\"updated_at\":\"2026-01-01T00:00:00.5Z\"}","created_at":1767225600500,"sender":null,"git":null}
        "#);
        assert_ne!(
            line(Tracker::Beads, issue),
            line(Tracker::Beads, &issue.replace("open", "closed"))
        );
    }

    #[test]
    fn what_is_no_issue_says_why() {
        assert_eq!(
            line(Tracker::Tissue, r#"{"type":"note"}"#),
            "`note` is not a kind of line that a tracker of issues has"
        );
        assert_eq!(line(Tracker::Beads, r#"{"id":"a"}"#), "`status` is missing");
        assert_eq!(line(Tracker::Beads, "{"), "the line ends inside a value at byte 1");
    }
}

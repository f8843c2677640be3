//! Issues that others keep: tissue's and beads' JSONL, and what their commands print as JSON.
//!
//! Read tolerantly: a line that cannot be read is counted and the rest goes on. A later snapshot of the same issue counts, by its
//! `rev` where that is an ordered id, as tissue's is, because a merge can put lines in any order.

use std::collections::BTreeMap;

use weft_event::json::{Kind, Tape, Value};
use weft_event::time::parse_rfc3339;

use super::{Dep, DepKind, Issue, Priority, Status};

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sourced {
    /// The issues, by id.
    pub issues: Vec<Issue>,
    /// What was said about them, in its order.
    pub comments: Vec<Comment>,
    /// Lines or items that are no issue, comment or dependency.
    pub n_unreadable: u64,
}

/// Something that was said about an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The issue.
    pub issue_id: String,
    /// Who said it.
    pub author: Option<String>,
    /// What.
    pub body: String,
    /// When, in milliseconds since 1970.
    pub created_at_ms: i64,
}

/// Reads issues from text: one JSON object a line, or one JSON value that holds them.
pub fn parse(bytes: &[u8]) -> Sourced {
    let mut reading = Reading::default();
    let mut tape = Tape::new();
    match tape.parse_bytes(bytes.trim_ascii()) {
        Ok(value) => reading.value(value),
        Err(_) => {
            for line in bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii) {
                match tape.parse_bytes(line) {
                    Ok(value) => reading.value(value),
                    Err(_) if line.is_empty() => {}
                    Err(_) => reading.n_unreadable += 1,
                }
            }
        }
    }
    reading.finish()
}

#[derive(Debug, Default)]
struct Reading {
    issues: BTreeMap<String, Snapshot>,
    /// Those that were deleted where they are kept.
    gone: Vec<String>,
    /// Whether a dependency of the first on the second is there.
    deps: BTreeMap<(String, Dep), bool>,
    comments: Vec<Comment>,
    n_unreadable: u64,
}

#[derive(Debug)]
struct Snapshot {
    issue: Issue,
    /// What orders it among others of the same issue.
    order: String,
}

impl Reading {
    fn value(&mut self, value: Value<'_>) {
        match value.kind() {
            Kind::Array => value.items().for_each(|item| self.value(item)),
            Kind::Object => self.object(value),
            Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Text | Kind::Key => {
                self.n_unreadable += 1
            }
        }
    }

    fn object(&mut self, value: Value<'_>) {
        let lists = ["issue", "issues", "comments", "deps"];
        let holds = |name: &str| {
            let inner = value.get(name).filter(|_| value.get("title").is_none());
            inner.filter(|inner| matches!(inner.kind(), Kind::Array | Kind::Object))
        };
        if lists.iter().any(|name| holds(name).is_some()) {
            lists.iter().filter_map(|name| holds(name)).for_each(|inner| self.value(inner));
        } else if value.get("src_id").is_some() {
            self.dep(value);
        } else if value.get("issue_id").is_some() && value.get("title").is_none() {
            let issue_id = value.text_at("issue_id").map(|id| id.into_owned());
            self.comment(value, issue_id);
        } else if self.issue(value).is_none() {
            self.n_unreadable += 1;
        }
    }

    /// Reads a dependency as tissue keeps it, apart from the issues.
    fn dep(&mut self, value: Value<'_>) {
        let text = |name: &str| value.text_at(name).map(|text| text.into_owned());
        let kind = value.text_at("kind").and_then(|kind| DepKind::parse(&kind));
        let (Some(from), Some(id), Some(kind)) = (text("src_id"), text("dst_id"), kind) else {
            self.n_unreadable += 1;
            return;
        };
        let is_there = !value.get("state").is_some_and(|state| state.is_text("removed"));
        self.deps.insert((from, Dep { kind, id }), is_there);
    }

    fn comment(&mut self, value: Value<'_>, issue_id: Option<String>) {
        let body = value.text_at("body").or_else(|| value.text_at("text"));
        let (Some(issue_id), Some(body)) = (issue_id, body) else {
            self.n_unreadable += 1;
            return;
        };
        let author = value.text_at("author").map(|author| author.into_owned());
        let created_at_ms = time(value, "created_at").unwrap_or(0);
        self.comments.push(Comment { issue_id, author, body: body.into_owned(), created_at_ms });
    }

    fn issue(&mut self, value: Value<'_>) -> Option<()> {
        let text = |name: &str| value.text_at(name).map(|text| text.into_owned());
        let id = text("id").filter(|id| !id.is_empty())?;
        let title = text("title")?;
        let is_beads = ["description", "issue_type", "labels", "dependencies", "_type", "design"]
            .iter()
            .any(|name| value.get(name).is_some());
        let word = value.text_at("status").unwrap_or("open".into());
        if word == "tombstone" {
            self.gone.push(id);
            return Some(());
        }
        let created_at_ms = time(value, "created_at").unwrap_or(0);
        let updated_at_ms = time(value, "updated_at").unwrap_or(created_at_ms);
        let rev = value.get("rev");
        let order = match rev.and_then(Value::as_u64) {
            Some(number) => format!("{number:020}"),
            None => rev.and_then(Value::as_text).unwrap_or_default().into_owned(),
        };
        let n_before = self.issues.get(&id).map_or(0, |before| before.issue.rev);
        let issue = Issue {
            rev: n_before + 1,
            body: text("body").or_else(|| text("description")).unwrap_or_default(),
            status: status(&word)?,
            priority: priority(value, is_beads)?,
            tags: tags(value.get("tags").or_else(|| value.get("labels"))),
            deps: Vec::new(),
            created_at_ms,
            updated_at_ms,
            claim: None,
            close_reason: text("close_reason"),
            others: Vec::new(),
            id: id.clone(),
            title,
        };
        self.links(value, &id);
        for comment in value.get("comments").into_iter().flat_map(Value::items) {
            self.comment(comment, Some(id.clone()));
        }
        match self.issues.get_mut(&id) {
            Some(before) if before.order > order => before.issue.rev += 1,
            Some(_) | None => drop(self.issues.insert(id, Snapshot { issue, order })),
        }
        Some(())
    }

    /// Reads what stands within an issue of its relations: ours, and beads', which names whom it depends on.
    fn links(&mut self, value: Value<'_>, id: &str) {
        for dep in value.get("deps").into_iter().flat_map(Value::items) {
            let kind = dep.text_at("type").and_then(|kind| DepKind::parse(&kind));
            if let (Some(kind), Some(other)) = (kind, dep.text_at("id")) {
                self.deps.insert((id.to_owned(), Dep { kind, id: other.into_owned() }), true);
            }
        }
        for dep in value.get("dependencies").into_iter().flat_map(Value::items) {
            let Some(other) = dep.text_at("depends_on_id").map(|other| other.into_owned()) else {
                continue;
            };
            let kind = dep.text_at("type").or_else(|| dep.text_at("dep_type"));
            let kind = match kind.as_deref() {
                Some("blocks") => DepKind::Blocks,
                Some("parent-child") => DepKind::Parent,
                Some(_) | None => DepKind::Relates,
            };
            self.deps.insert((other, Dep { kind, id: id.to_owned() }), true);
        }
    }

    fn finish(mut self) -> Sourced {
        for id in self.gone {
            self.issues.remove(&id);
        }
        for ((id, dep), is_there) in self.deps {
            if let Some(snapshot) = self.issues.get_mut(&id).filter(|_| is_there) {
                snapshot.issue.deps.push(dep);
            }
        }
        let issues = self.issues.into_values().map(|snapshot| snapshot.issue).collect();
        Sourced { issues, comments: self.comments, n_unreadable: self.n_unreadable }
    }
}

/// Returns the status of a word of tissue's or beads'. What is blocked or deferred by hand there is laid aside.
fn status(word: &str) -> Option<Status> {
    Status::parse(word).or(match word {
        "hooked" => Some(Status::InProgress),
        "blocked" | "deferred" | "pinned" => Some(Status::Paused),
        _ => None,
    })
}

/// Returns the priority. Beads counts from 0.
fn priority(value: Value<'_>, is_beads: bool) -> Option<Priority> {
    let Some(number) = value.get("priority").filter(|number| number.kind() != Kind::Null) else {
        return Some(Priority::DEFAULT);
    };
    let number = number.as_u64()?;
    Priority::new(if is_beads { number.checked_add(1)? } else { number })
}

/// Returns the tags: a list of them, or one text with commas.
fn tags(value: Option<Value<'_>>) -> Vec<String> {
    let Some(value) = value else { return Vec::new() };
    match value.as_text() {
        Some(text) => {
            let tags = text.split(',').map(str::trim).filter(|tag| !tag.is_empty());
            tags.map(str::to_owned).collect()
        }
        None => value.items().filter_map(|tag| Some(tag.as_text()?.into_owned())).collect(),
    }
}

/// Returns a time in milliseconds since 1970: that number, or RFC 3339.
fn time(value: Value<'_>, name: &str) -> Option<i64> {
    let value = value.get(name)?;
    match value.as_text() {
        Some(text) => parse_rfc3339(&text).map(|ns| ns / 1_000_000),
        None => value.as_i64(),
    }
}

//! Which issues are meant: `priority:1 tag:ui !owner:me crash`. All terms must match.
//!
//! The form is that of the filters on records; what can be asked is what an issue has, whose statuses are other words.

use super::{Issue, Status};

/// What an issue must be like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IssueFilter {
    terms: Vec<Term>,
}

/// Why a text is no filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IssueFilterError {
    /// An issue has no such field.
    #[error(
        "issues have no {name}: ask for id, status, priority, tag, owner, or a word of title or body"
    )]
    Field {
        /// What was asked for.
        name: String,
    },
    /// The field has no such value.
    #[error("{value} is no {name}: {expected}")]
    Value {
        /// The field.
        name: &'static str,
        /// What was asked for.
        value: String,
        /// What it can be.
        expected: &'static str,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    is_negated: bool,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Id(String),
    Status(Status),
    Priority { least: u8, most: u8 },
    Tag(String),
    Owner(String),
    Word(String),
}

/// What may stand between a name and its value, longest first.
const LINKS: [&str; 6] = ["<=", ">=", "<", ">", "=", ":"];

impl IssueFilter {
    /// Reads a filter; an empty one matches every issue.
    pub fn parse(text: &str) -> Result<Self, IssueFilterError> {
        let terms = text.split_whitespace().map(term).collect::<Result<_, _>>()?;
        Ok(Self { terms })
    }

    /// Returns whether an issue is meant.
    pub fn matches(&self, issue: &Issue) -> bool {
        self.terms.iter().all(|term| term.test.matches(issue) != term.is_negated)
    }

    /// Returns whether a status is asked for.
    pub fn has_status(&self) -> bool {
        self.terms.iter().any(|term| matches!(term.test, Test::Status(_)))
    }
}

fn term(word: &str) -> Result<Term, IssueFilterError> {
    let (is_negated, word) = match word.strip_prefix(['-', '!']) {
        Some(rest) if !rest.is_empty() => (true, rest),
        Some(_) | None => (false, word),
    };
    let name_end = word.find(|c: char| !c.is_ascii_alphabetic() && c != '_').unwrap_or(word.len());
    let (name, rest) = word.split_at(name_end);
    let link = LINKS.into_iter().find(|link| !name.is_empty() && rest.starts_with(link));
    let test = match link {
        None => Test::Word(word.to_lowercase()),
        Some(link) => compare(name, link, &rest[link.len()..])?,
    };
    Ok(Term { is_negated, test })
}

fn compare(name: &str, link: &str, value: &str) -> Result<Test, IssueFilterError> {
    let text = value.to_owned();
    match (name, link) {
        ("priority", _) => priority(link, value),
        ("id", ":" | "=") => Ok(Test::Id(text)),
        ("status", ":" | "=") => match Status::parse(value) {
            Some(status) => Ok(Test::Status(status)),
            None => {
                let expected = "open, in_progress, paused, duplicate or closed";
                Err(IssueFilterError::Value { name: "status", value: text, expected })
            }
        },
        ("tag" | "tags", ":" | "=") => Ok(Test::Tag(text)),
        ("owner", ":" | "=") => Ok(Test::Owner(text)),
        (name, _) => Err(IssueFilterError::Field { name: name.to_owned() }),
    }
}

fn priority(link: &str, value: &str) -> Result<Test, IssueFilterError> {
    let number: Option<u8> = value.parse().ok().filter(|number| (1..=5).contains(number));
    let Some(number) = number else {
        let (name, expected) = ("priority", "1, the highest, to 5");
        return Err(IssueFilterError::Value { name, value: value.to_owned(), expected });
    };
    let (least, most) = match link {
        "<=" => (0, number),
        "<" => (0, number - 1),
        ">=" => (number, u8::MAX),
        ">" => (number + 1, u8::MAX),
        _ => (number, number),
    };
    Ok(Test::Priority { least, most })
}

impl Test {
    fn matches(&self, issue: &Issue) -> bool {
        match self {
            Test::Id(id) => issue.id.starts_with(id.as_str()),
            Test::Status(status) => issue.status == *status,
            Test::Priority { least, most } => (*least..=*most).contains(&issue.priority.get()),
            Test::Tag(tag) => issue.tags.contains(tag),
            Test::Owner(owner) => issue.claim.as_ref().is_some_and(|claim| claim.owner == *owner),
            Test::Word(word) => {
                [&issue.title, &issue.body].iter().any(|text| text.to_lowercase().contains(word))
            }
        }
    }
}

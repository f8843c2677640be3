//! One refusal as a line of the day's file, and its id.

use std::borrow::Cow;
use std::fmt;

use weft_event::event::Expect;
use weft_event::json::{Json, Object, Tape, Value};
use weft_event::problem::Problem;
use weft_event::{Dialect, digest_parts};

use super::base64;
use crate::admit::{self, Arrival};
use crate::hash::hex_pair;
use crate::redact::Redaction;
use crate::{Hash, TopicKey};

/// The most refused bytes that stand in the line itself; more go to a file of their own.
pub const INLINE_BYTES_MAX: usize = 64 << 10;
/// How many digits of an id are shown.
const SHOWN_DIGITS: usize = 12;
/// What every line begins with, up to its id.
const BEFORE_ID: &[u8] = b"{\"id\":\"";

/// What stands for a secret in what is said of the bytes.
const SECRET: &str = "[redacted]";

/// The shortest part of a secret that is taken for one.
const PART_BYTES_MIN: usize = 4;

/// What stands around words that a message takes from a line, and for the rest of them.
const QUOTE: char = '`';
const REST: char = '…';

/// Something refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// When, in microseconds since 1970.
    pub at_us: i64,
    /// The way it came in: `hook`, `http`, `ingest` …
    pub via: String,
    /// Where it came from: `path:line`, or the request's id.
    pub origin: String,
    /// What came with it, for another try.
    pub with: With,
    /// Why it was refused.
    pub reasons: Vec<Reason>,
    /// What was refused, as it came.
    pub bytes: Vec<u8>,
}

/// What came with an event that was refused: without it another try would be another delivery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct With {
    /// The dialect that it was to be read in, where one was named.
    pub dialect: Option<Dialect>,
    /// What tells its delivery from another.
    pub delivery: Option<String>,
    /// The topic it was posted to.
    pub topic: Option<TopicKey>,
}

/// One reason for a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The kind of problem, as `weft validate` names it.
    pub code: String,
    /// JSON pointer to the value; empty for the whole line.
    pub path: String,
    /// What is wrong and what would be right, for a person.
    pub message: String,
}

impl From<&Problem> for Reason {
    fn from(problem: &Problem) -> Self {
        let Problem { code, pointer, message } = problem;
        Self { code: code.as_str().to_owned(), path: pointer.clone(), message: message.clone() }
    }
}

/// Names a refusal: the same bytes from the same origin have the same id, whenever they are refused. Shown as 12 digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RefusalId([u8; 16]);

impl RefusalId {
    /// Returns all its digits.
    pub fn to_hex(self) -> String {
        self.0.iter().flat_map(|byte| hex_pair(*byte)).map(char::from).collect()
    }

    fn parse(text: &str) -> Option<Self> {
        let number = u128::from_str_radix(text, 16).ok()?;
        Some(Self(number.to_be_bytes())).filter(|id| id.to_hex() == text)
    }

    /// Reads the id off a line without reading the rest; `None` if it is not where we write it.
    pub(super) fn of_line(line: &[u8]) -> Option<Self> {
        let digits = line.strip_prefix(BEFORE_ID)?.get(..32)?;
        Self::parse(str::from_utf8(digits).ok()?)
    }
}

impl fmt::Display for RefusalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex()[..SHOWN_DIGITS])
    }
}

impl Refusal {
    /// Returns what is kept of an event that the gate refused.
    pub fn of(arrival: &Arrival<'_>, refusal: &admit::Refusal, origin: String, at_us: i64) -> Self {
        let dialect = match arrival.expect {
            Expect::Any => None,
            Expect::Dialect(dialect) => Some(dialect),
        };
        let delivery = arrival.delivery.map(ToOwned::to_owned);
        Self {
            at_us,
            via: arrival.via.to_owned(),
            origin,
            with: With { dialect, delivery, topic: arrival.topic.cloned() },
            reasons: refusal.problems().iter().map(Reason::from).collect(),
            bytes: arrival.line.to_vec(),
        }
    }

    /// Returns it without the secrets in its bytes, nor in what is said of them.
    pub(super) fn redacted(&self, redaction: &Redaction) -> Cow<'_, Self> {
        let Cow::Owned(bytes) = redaction.redact(&self.via, &self.bytes) else {
            return Cow::Borrowed(self);
        };
        let secrets: Vec<Cow<'_, str>> = redaction
            .find(&self.bytes)
            .into_iter()
            .map(|secret| String::from_utf8_lossy(&self.bytes[secret.range]))
            .collect();
        let mut refusal = Self { bytes, ..self.clone() };
        for reason in &mut refusal.reasons {
            for secret in &secrets {
                reason.message = without(&reason.message, secret);
            }
        }
        Cow::Owned(refusal)
    }

    /// Returns its id.
    pub fn id(&self) -> RefusalId {
        RefusalId(digest_parts(&[b"refused", self.origin.as_bytes(), &self.bytes]))
    }

    /// Appends its line with the line break.
    pub(super) fn write(&self, out: &mut String) {
        let reasons = self.reasons.iter().map(|reason| {
            Json::object(|object| {
                object.text("code", &reason.code);
                object.text("path", &reason.path);
                object.text("message", &reason.message);
            })
        });
        let line = Json::object(|line| {
            line.text("id", &self.id().to_hex());
            line.json("at", &Json::integer(self.at_us));
            line.text("via", &self.via);
            line.text("origin", &self.origin);
            self.with.write(line);
            line.json("problems", &Json::array(reasons));
            if self.bytes.len() > INLINE_BYTES_MAX {
                line.text("encoding", "file");
                line.text("bytes", &Hash::of(&self.bytes).to_string());
                line.json("length", &Json::integer(self.bytes.len() as u64));
            } else if let Ok(text) = str::from_utf8(&self.bytes) {
                line.text("encoding", "text");
                line.text("bytes", text);
            } else {
                line.text("encoding", "base64");
                line.text("bytes", &base64::encode(&self.bytes));
            }
        });
        out.push_str(line.as_str());
        out.push('\n');
    }
}

impl With {
    fn write(&self, line: &mut Object<'_>) {
        if let Some(dialect) = self.dialect {
            line.text("dialect", dialect.as_str());
        }
        if let Some(delivery) = &self.delivery {
            line.text("delivery", delivery);
        }
        if let Some(TopicKey { topic, key }) = &self.topic {
            line.text("topic", topic);
            if let Some(key) = key {
                line.text("key", key);
            }
        }
    }

    fn read(line: Value<'_>) -> Self {
        let text_at = |name| line.text_at(name).map(Cow::into_owned);
        Self {
            dialect: line.text_at("dialect").and_then(|word| Dialect::parse(&word)),
            delivery: text_at("delivery"),
            topic: text_at("topic").map(|topic| TopicKey { topic, key: text_at("key") }),
        }
    }
}

/// A refusal as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its id.
    pub id: RefusalId,
    /// When it was first refused, in microseconds since 1970.
    pub at_us: i64,
    /// The way it came in.
    pub via: String,
    /// Where it came from.
    pub origin: String,
    /// What came with it.
    pub with: With,
    /// Why it was refused.
    pub reasons: Vec<Reason>,
    /// What was refused.
    pub bytes: KeptBytes,
}

/// Where refused bytes are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptBytes {
    /// In the line.
    Here(Vec<u8>),
    /// In a file of their own.
    File {
        /// Its name: the hash of the bytes.
        hash: Hash,
        /// How many bytes.
        length: u64,
    },
}

impl Kept {
    /// Reads a line; `None` if it is not one of ours, or damaged.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let mut tape = Tape::new();
        let line = tape.parse_bytes(line).ok()?;
        let bytes = line.text_at("bytes")?;
        let text_at = |value: Value<'_>, name| Some(value.text_at(name)?.into_owned());
        let reason = |value: Value<'_>| {
            Some(Reason {
                code: text_at(value, "code")?,
                path: text_at(value, "path")?,
                message: text_at(value, "message")?,
            })
        };
        let bytes = match &*line.text_at("encoding")? {
            "text" => KeptBytes::Here(bytes.into_owned().into_bytes()),
            "base64" => KeptBytes::Here(base64::decode(&bytes)?),
            "file" => KeptBytes::File {
                hash: Hash::parse(&bytes)?,
                length: line.get("length")?.as_u64()?,
            },
            _ => return None,
        };
        Some(Self {
            id: RefusalId::parse(&line.text_at("id")?)?,
            at_us: line.get("at")?.as_i64()?,
            via: text_at(line, "via")?,
            origin: text_at(line, "origin")?,
            with: With::read(line),
            reasons: line.get("problems")?.items().map(reason).collect::<Option<_>>()?,
            bytes,
        })
    }
}

/// Returns a line whose refused bytes are no text with a mask for every secret in them; `None` without any, and for other lines.
pub(crate) fn mask_base64<'r>(
    line: &[u8],
    redaction: &'r Redaction,
    rules: &mut Vec<&'r str>,
) -> Option<Vec<u8>> {
    const BEFORE_BYTES: &[u8] = b"\"encoding\":\"base64\",\"bytes\":\"";
    let start = memchr::memmem::find(line, BEFORE_BYTES)? + BEFORE_BYTES.len();
    let len = memchr::memchr(b'"', &line[start..])?;
    let bytes = base64::decode(str::from_utf8(&line[start..start + len]).ok()?)?;
    let masked = base64::encode(&redaction.mask(&bytes, rules)?);
    Some([&line[..start], masked.as_bytes(), &line[start + len..]].concat())
}

/// Returns a message without a secret, nor what is left of one in words that were cut off.
fn without(message: &str, secret: &str) -> String {
    let message = message.replace(secret, SECRET);
    let has_part = |words: &str| {
        let (words, secret) = (words.trim_end_matches(REST).as_bytes(), secret.as_bytes());
        let n_max = words.len().min(secret.len());
        words.len() >= PART_BYTES_MIN && secret.windows(words.len()).any(|some| some == words)
            || (PART_BYTES_MIN..=n_max).any(|n| {
                words.ends_with(&secret[..n]) || words.starts_with(&secret[secret.len() - n..])
            })
    };
    let parts = message.split(QUOTE).enumerate();
    let parts = parts.map(|(n, part)| if n % 2 == 1 && has_part(part) { SECRET } else { part });
    parts.collect::<Vec<_>>().join("`")
}

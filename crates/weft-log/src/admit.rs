//! The gate of the log: an event is read, judged, made to fit, and given what tells it from its repeats.

mod lines;

use std::sync::Arc;

use weft_event::event::{self, Expect};
use weft_event::idle::{Topic, TopicKind};
use weft_event::json::Tape;
use weft_event::problem::{Code, Problem, Problems, Severity};
use weft_event::{Dialect, Facts, KeyDigests};

use crate::blobs::{Blobs, EVENT_BYTES_MAX, ShrinkError, ShrinkRules, Shrunk, Which, shrink};
use crate::index::Keys;
use crate::redact::Redaction;
use crate::writer::Entry;
use crate::{Mark, Store, TopicKey};
use lines::Lines;

/// Most bytes of the way in, of a delivery id, and of a topic with its key.
pub const NAME_BYTES_MAX: usize = 4096;

/// An event that came in.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// The event, on one line.
    pub line: &'a [u8],
    /// How its dialect is settled.
    pub expect: Expect,
    /// The way it came in: `emit`, `ingest`, `hook` …
    pub via: &'a str,
    /// What tells this delivery from another. It counts only where the event itself has no identity.
    pub delivery: Option<&'a str>,
    /// The topic it is posted to; the event's own if it names one and nothing is said here.
    pub topic: Option<&'a TopicKey>,
}

/// An event that may go into the log.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// What is written.
    pub entry: Entry,
    /// What a repeat of it is known by: the keys as it came.
    pub digests: KeyDigests,
    /// The keys of what is stored, where redaction made them others: a repeat that comes redacted is known by them.
    pub redacted: Option<Box<KeyDigests>>,
    /// The same, as the index keeps it, with the delivery's key.
    pub keys: Keys,
    /// What is odd about it, and no reason to refuse it.
    pub warnings: Vec<Problem>,
}

/// Why an event was refused.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It breaks rules of its dialect, or is no event at all.
    #[error("the event is not valid")]
    Invalid(Vec<Problem>),
    /// It is too large, or a value of it could not be moved out.
    #[error(transparent)]
    Large(#[from] ShrinkError),
    /// A name that comes with it is too long.
    #[error("{what} takes {bytes} bytes, the limit is {NAME_BYTES_MAX}")]
    Name {
        /// Which name.
        what: &'static str,
        /// Its length.
        bytes: usize,
    },
}

/// What happens to warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// They are told.
    Lenient,
    /// They are errors.
    Strict,
}

/// Who made an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Maker {
    /// Whoever sends events.
    Anybody,
    /// Weft, which writes its books into the log.
    Weft,
}

/// Reads events on their way in. Keeps its memory from one to the next.
#[derive(Debug)]
pub struct Gate {
    blobs: Blobs,
    redaction: Arc<Redaction>,
    /// Which strings are moved out of events.
    which: Which,
    strictness: Strictness,
    lines: Lines,
    tape: Tape,
    problems: Problems,
}

impl Gate {
    /// Returns a gate into a store: secrets are taken out as the store says, and large values moved to its blobs.
    pub fn new(store: &Store, which: Which, strictness: Strictness) -> Self {
        let (blobs, redaction) = (Blobs::new(store.blobs()), Arc::clone(store.redaction()));
        let (tape, problems) = (Tape::new(), Problems::new());
        Self { blobs, redaction, which, strictness, lines: Lines::Apart, tape, problems }
    }

    /// Makes ready for lines that come together and have so many bytes: where those are many, they share memory, and one that stays
    /// keeps what is around it. Without it each has its own.
    pub fn expect_together(&mut self, n_bytes: usize) {
        self.lines = std::mem::replace(&mut self.lines, Lines::Apart).of(n_bytes);
    }

    /// Judges one event.
    pub fn admit(&mut self, arrival: &Arrival<'_>) -> Result<Admitted, Refusal> {
        self.admit_seen(arrival, |_| {})
    }

    /// Judges one event, and shows its facts to `see` if it is valid. Who needs them later has to keep what it needs.
    pub fn admit_seen(
        &mut self,
        arrival: &Arrival<'_>,
        see: impl FnOnce(&Facts<'_>),
    ) -> Result<Admitted, Refusal> {
        self.judge(arrival, Maker::Anybody, see)
    }

    /// Judges one event that Weft itself made: it may be of Weft's own dialect, from which no secret is taken out.
    pub fn admit_own(&mut self, arrival: &Arrival<'_>) -> Result<Admitted, Refusal> {
        self.judge(arrival, Maker::Weft, |_| {})
    }

    fn judge(
        &mut self,
        arrival: &Arrival<'_>,
        maker: Maker,
        see: impl FnOnce(&Facts<'_>),
    ) -> Result<Admitted, Refusal> {
        check_names(arrival)?;
        self.problems.clear();
        let read = event::read(&mut self.tape, arrival.line, arrival.expect, &mut self.problems);
        let is_refused = self.problems.has_errors()
            || (self.strictness == Strictness::Strict && !self.problems.list().is_empty());
        let event = match read {
            Some(event) if !is_refused => event,
            Some(_) | None => return Err(Refusal::Invalid(self.problems.list().to_vec())),
        };
        if event.dialect() == Dialect::Weft && maker == Maker::Anybody {
            return Err(reserved());
        }
        let facts = event.facts();
        see(&facts);
        let digests = KeyDigests::of(&facts);
        let topic = arrival.topic.cloned().or_else(|| topic_of(&facts));
        let rules = ShrinkRules {
            redaction: &self.redaction,
            via: arrival.via,
            dialect: event.dialect(),
            event_bytes_max: EVENT_BYTES_MAX,
            which: self.which,
            stays: &|_| false,
        };
        let Shrunk { line, is_redacted, .. } = shrink(arrival.line, &rules, &self.blobs)?;
        let delivery = delivery_of(&digests, arrival, &line);
        let redacted = match is_redacted {
            true => {
                digests_of(&line, event.dialect()).filter(|stored| *stored != digests).map(Box::new)
            }
            false => None,
        };
        let mut keys = Keys::of_digests(&digests).with_delivery(delivery.as_deref());
        if let Some(own) = redacted.as_ref().and_then(|redacted| redacted.own) {
            keys = keys.with_redacted(own);
        }
        let mark = Mark {
            dialect: event.dialect(),
            via: arrival.via.into(),
            crc: crc32c::crc32c(&line),
            delivery,
            topic,
            carried: None,
            conflict: None,
        };
        let entry = Entry { line: self.lines.keep(line), mark };
        let warnings = self.problems.list().to_vec();
        Ok(Admitted { entry, digests, redacted, keys, warnings })
    }
}

/// Returns the keys of a line that is stored.
#[cold]
fn digests_of(line: &[u8], dialect: Dialect) -> Option<KeyDigests> {
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    let event = event::read(&mut tape, line, Expect::Dialect(dialect), &mut problems)?;
    Some(KeyDigests::of(&event.facts()))
}

/// Returns the delivery id that is kept with an event: the arrival's where the event has no key of its own, and one made from its
/// key where the stored line is not what came, so that what came is recognised again.
fn delivery_of(digests: &KeyDigests, arrival: &Arrival<'_>, stored: &[u8]) -> Option<String> {
    match digests.own {
        None if digests.retry == [None; 2] => arrival.delivery.map(ToOwned::to_owned),
        Some(own) if stored != arrival.line => {
            let hex = own.iter().map(|byte| format!("{byte:02x}"));
            Some(format!("as-it-came:{}", hex.collect::<String>()))
        }
        None | Some(_) => None,
    }
}

/// Returns the topic that an event says it is posted to, with the key that its value is the newest of.
fn topic_of(facts: &Facts<'_>) -> Option<TopicKey> {
    let topic = facts.topic.as_ref()?;
    let key = match Topic::parse(topic).kind() {
        TopicKind::LastValue => Some(facts.session.as_deref().unwrap_or_default().to_owned()),
        TopicKind::AppendOnly => None,
    };
    Some(TopicKey { topic: topic.clone().into_owned(), key })
}

/// Says why nobody else writes Weft's books: they would be believed, and they are stored as they are.
#[cold]
fn reserved() -> Refusal {
    let message = "events of the dialect weft are written by Weft alone; those of another store are its own bookkeeping";
    Refusal::Invalid(vec![Problem {
        code: Code::ReservedDialect,
        pointer: String::new(),
        message: message.to_owned(),
    }])
}

fn check_names(arrival: &Arrival<'_>) -> Result<(), Refusal> {
    let topic = arrival
        .topic
        .map_or(0, |topic| topic.topic.len() + topic.key.as_ref().map_or(0, String::len));
    let names = [
        ("the way it came in", arrival.via.len()),
        ("the delivery id", arrival.delivery.map_or(0, str::len)),
        ("the topic with its key", topic),
    ];
    match names.into_iter().find(|(_, bytes)| *bytes > NAME_BYTES_MAX) {
        Some((what, bytes)) => Err(Refusal::Name { what, bytes }),
        None => Ok(()),
    }
}

impl Refusal {
    /// Returns the problems as they are kept with what was refused.
    pub fn problems(&self) -> Vec<Problem> {
        let whole = |code, message: String| vec![Problem { code, pointer: String::new(), message }];
        match self {
            Refusal::Invalid(problems) => problems.clone(),
            Refusal::Large(error) => whole(Code::TooLarge, error.to_string()),
            Refusal::Name { .. } => whole(Code::TooLarge, self.to_string()),
        }
    }

    /// Returns whether anything beyond warnings speaks against the event.
    pub fn has_errors(&self) -> bool {
        self.problems().iter().any(|problem| problem.severity() == Severity::Error)
    }
}

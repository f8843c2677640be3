//! The gate of the log: an event is read, judged, made to fit, and given what tells it from its repeats.

use std::borrow::Cow;

use weft_event::event::{self, Event, Expect};
use weft_event::idle::{Topic, TopicKind};
use weft_event::json::Tape;
use weft_event::problem::{Code, Problem, Problems, Severity};
use weft_event::{Facts, KeyDigests};

use crate::blobs::{Blobs, EVENT_BYTES_MAX, ShrinkError, ShrinkRules, Which, shrink};
use crate::index::Keys;
use crate::writer::Entry;
use crate::{Mark, TopicKey};

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
    /// What a repeat of it is known by.
    pub digests: KeyDigests,
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

/// Reads events on their way in. Keeps its memory from one to the next.
#[derive(Debug)]
pub struct Gate {
    blobs: Blobs,
    /// Which strings are moved out of events.
    which: Which,
    strictness: Strictness,
    tape: Tape,
    problems: Problems,
}

impl Gate {
    /// Returns a gate that moves large values to these blobs.
    pub fn new(blobs: Blobs, which: Which, strictness: Strictness) -> Self {
        Self { blobs, which, strictness, tape: Tape::new(), problems: Problems::new() }
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
        check_names(arrival)?;
        self.problems.clear();
        let read = event::read(&mut self.tape, arrival.line, arrival.expect, &mut self.problems);
        let is_refused = self.problems.has_errors()
            || (self.strictness == Strictness::Strict && !self.problems.list().is_empty());
        let event = match read {
            Some(event) if !is_refused => event,
            Some(_) | None => return Err(Refusal::Invalid(self.problems.list().to_vec())),
        };
        let facts = event.facts();
        see(&facts);
        let digests = KeyDigests::of(&facts);
        let topic = arrival.topic.cloned().or_else(|| topic_of(&facts));
        let line = fit(&event, arrival.line, &self.blobs, self.which)?;
        let delivery = delivery_of(&digests, arrival, &line);
        let keys = Keys::of_digests(&digests).with_delivery(delivery.as_deref());
        let mark = Mark {
            dialect: event.dialect(),
            via: arrival.via.to_owned(),
            crc: crc32c::crc32c(&line),
            delivery,
            topic,
            carried: None,
            conflict: None,
        };
        let entry = Entry { line: line.into_owned(), mark };
        Ok(Admitted { entry, digests, keys, warnings: self.problems.list().to_vec() })
    }
}

/// Returns the line as it is stored: without secrets, and short enough.
fn fit<'a>(
    event: &Event<'_>,
    line: &'a [u8],
    blobs: &Blobs,
    which: Which,
) -> Result<Cow<'a, [u8]>, ShrinkError> {
    let line = redact(line);
    let all_from = match which {
        Which::Largest => usize::MAX,
        Which::AllFrom { bytes } => bytes,
    };
    if line.len() <= EVENT_BYTES_MAX.min(all_from) {
        return Ok(line);
    }
    let rules = ShrinkRules {
        dialect: event.dialect(),
        event_bytes_max: EVENT_BYTES_MAX,
        which,
        stays: &|_| false,
    };
    Ok(Cow::Owned(shrink(&line, &rules, blobs)?.line.into_owned()))
}

/// Takes secrets out of an event. Which texts are secrets is for those who know the producers; none is known yet.
fn redact(line: &[u8]) -> Cow<'_, [u8]> {
    Cow::Borrowed(line)
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

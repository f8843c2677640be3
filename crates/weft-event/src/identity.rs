//! Identity: what makes one event a repeat of another. Equal content alone never does.

use std::borrow::Cow;
use std::fmt;

use crate::json::{self, Value};
use crate::{Dialect, Facts, time};

/// For how long the same payload of a hook is the same report, where nothing in it tells one report from the next. The same hook
/// installed twice fires within milliseconds; an agent that notifies its user again does so after seconds.
const RETRY_NS: i64 = 2 * time::SECOND_NS;

/// The keys under which an event is known. An event with none is told from its repeat by the delivery alone.
#[derive(Clone, Copy, Debug)]
pub struct Identity<'a> {
    /// The event's own key. A second event with it and other content is a conflict.
    pub own: Option<Key<'a>>,
    /// A key the producer promised for retries. A second event with it is a repeat whatever its content.
    pub retry: Option<Key<'a>>,
}

impl<'a> Identity<'a> {
    /// The identity of an event that only its delivery can tell from a repeat.
    pub const NONE: Identity<'static> = Identity { own: None, retry: None };

    /// Returns an identity of one key.
    pub(crate) fn of(key: Key<'a>) -> Self {
        Self { own: Some(key), retry: None }
    }

    /// Takes an id for the event's own key; returns whether it is one. An empty text is what producers write for want of one: it
    /// names nothing.
    #[inline]
    pub(crate) fn put_id(&mut self, id: Option<Value<'a>>) -> bool {
        self.own = id.filter(|id| id.is_string() && !id.is_empty_text()).map(Key::id);
        self.own.is_some()
    }

    /// Takes a worker, its session and a number in it for the event's own key, if the first two are texts.
    #[inline]
    pub(crate) fn put_sequence(&mut self, worker: Value<'a>, session: Value<'a>, sequence: u64) {
        if worker.is_string() && session.is_string() {
            let (worker, session) = (worker.into(), session.into());
            self.own = Some(Key::Sequence { worker, session, sequence });
        }
    }
}

/// A text that a key is made of. It is decoded when it is asked for: most keys are only compared by their digests.
#[derive(Clone, Copy, Debug)]
pub enum KeyText<'a> {
    /// A text.
    Plain(&'a str),
    /// A string of the event.
    Value(Value<'a>),
}

impl<'a> KeyText<'a> {
    /// Returns the text.
    pub fn get(self) -> Cow<'a, str> {
        match self {
            KeyText::Plain(text) => Cow::Borrowed(text),
            KeyText::Value(value) => value.as_text().unwrap_or_default(),
        }
    }
}

impl fmt::Display for KeyText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.get())
    }
}

impl<'a> From<&'a str> for KeyText<'a> {
    fn from(text: &'a str) -> Self {
        KeyText::Plain(text)
    }
}

impl<'a> From<Value<'a>> for KeyText<'a> {
    fn from(value: Value<'a>) -> Self {
        KeyText::Value(value)
    }
}

/// One key of an event, within its dialect.
#[derive(Clone, Copy, Debug)]
pub enum Key<'a> {
    /// An id of the event's own.
    Id(KeyText<'a>),
    /// idle: a control request or an answer to it; they share an id, so that the event's word is part of the key.
    Request {
        /// The word.
        word: &'static str,
        /// The id.
        id: KeyText<'a>,
    },
    /// needle: its number within a session of a worker.
    Sequence {
        /// The worker.
        worker: KeyText<'a>,
        /// Its session.
        session: KeyText<'a>,
        /// The number.
        sequence: u64,
    },
    /// engine: its number within a run.
    RunSequence {
        /// The run.
        run: KeyText<'a>,
        /// The number.
        seq: u64,
    },
    /// collector: a hook event, by what it reports.
    Hook {
        /// The session.
        session: KeyText<'a>,
        /// The hook.
        hook: KeyText<'a>,
        /// The tool call, else the prompt.
        call: KeyText<'a>,
        /// The agent.
        agent: KeyText<'a>,
    },
    /// collector: a hook event, by the very payload that the agent sent; the same hook installed twice sends it twice.
    HookPayload {
        /// The session.
        session: KeyText<'a>,
        /// The hook.
        hook: KeyText<'a>,
        /// What the agent sent.
        payload: Value<'a>,
        /// When, where nothing in the payload tells one moment from another; in nanoseconds since 1970.
        at_ns: Option<i64>,
    },
    /// collector: an event made from the file in which an agent records a session, by its id. Such files are copied and rewritten:
    /// whatever is told of the same entry is told again.
    Recorded(KeyText<'a>),
    /// idle: a STATE, by run, time and content.
    State {
        /// The run.
        run: KeyText<'a>,
        /// The time as written.
        updated_at: KeyText<'a>,
        /// The event.
        content: Value<'a>,
    },
    /// pinchy: the producer's idempotency key.
    Idempotency {
        /// The tenant.
        tenant: KeyText<'a>,
        /// The component that retries.
        component: KeyText<'a>,
        /// The key.
        key: KeyText<'a>,
    },
}

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Id(id) => write!(f, "id {id}"),
            Key::Request { word, id } => write!(f, "id {word}:{id}"),
            Key::Sequence { worker, session, sequence } => {
                write!(f, "worker {worker}, session {session}, sequence {sequence}")
            }
            Key::RunSequence { run, seq } => write!(f, "run {run}, seq {seq}"),
            Key::Hook { session, hook, call, agent } => {
                write!(f, "session {session}, hook {hook}, call {call}, agent {agent}")
            }
            Key::HookPayload { session, hook, at_ns: None, .. } => {
                write!(f, "session {session}, hook {hook}, and its payload")
            }
            Key::HookPayload { session, hook, at_ns: Some(at_ns), .. } => {
                let at = time::format_rfc3339(*at_ns);
                write!(f, "session {session}, hook {hook}, its payload, and the time {at}")
            }
            Key::Recorded(id) => write!(f, "record {id}"),
            Key::State { run, updated_at, .. } => {
                write!(f, "run {run}, updated {updated_at}, and its content")
            }
            Key::Idempotency { tenant, component, key } => {
                write!(f, "tenant {tenant}, component {component}, idempotency key {key}")
            }
        }
    }
}

impl<'a> Key<'a> {
    /// Returns the key of an id.
    pub(crate) fn id(id: impl Into<KeyText<'a>>) -> Self {
        Key::Id(id.into())
    }

    /// Returns the id that the key is; `None` for one that is made of other things.
    pub fn as_id(&self) -> Option<Cow<'a, str>> {
        match *self {
            Key::Id(id) => Some(id.get()),
            Key::Request { word, id } => Some(Cow::Owned([word, ":", &id.get()].concat())),
            Key::Sequence { .. }
            | Key::RunSequence { .. }
            | Key::Hook { .. }
            | Key::HookPayload { .. }
            | Key::Recorded(_)
            | Key::State { .. }
            | Key::Idempotency { .. } => None,
        }
    }

    /// Returns the key as 128 bits: equal for equal keys of one dialect, different otherwise.
    pub fn digest(&self, dialect: Dialect) -> [u8; 16] {
        let dialect = dialect.as_str().as_bytes();
        match *self {
            Key::Id(_) | Key::Request { .. } => {
                digest_parts(&[dialect, b"id", self.as_id().unwrap_or_default().as_bytes()])
            }
            Key::Sequence { worker, session, sequence } => {
                let (worker, session) = (worker.get(), session.get());
                let (worker, session) = (worker.as_bytes(), session.as_bytes());
                digest_parts(&[dialect, b"sequence", worker, session, &sequence.to_le_bytes()])
            }
            Key::RunSequence { run, seq } => {
                digest_parts(&[dialect, b"run", run.get().as_bytes(), &seq.to_le_bytes()])
            }
            Key::Hook { session, hook, call, agent } => {
                let texts = [session, hook, call, agent].map(KeyText::get);
                let [session, hook, call, agent] = texts.each_ref().map(|text| text.as_bytes());
                digest_parts(&[dialect, b"hook", session, hook, call, agent])
            }
            Key::HookPayload { session, hook, payload, at_ns } => {
                let (session, hook) = (session.get(), hook.get());
                let (session, hook) = (session.as_bytes(), hook.as_bytes());
                let payload = json::digest(payload);
                match at_ns {
                    None => digest_parts(&[dialect, b"hook payload", session, hook, &payload]),
                    Some(at_ns) => {
                        let at = at_ns.to_le_bytes();
                        digest_parts(&[dialect, b"hook at", session, hook, &payload, &at])
                    }
                }
            }
            Key::Recorded(id) => digest_parts(&[dialect, b"recorded", id.get().as_bytes()]),
            Key::State { run, updated_at, content } => {
                let (run, updated_at) = (run.get(), updated_at.get());
                let (run, updated_at) = (run.as_bytes(), updated_at.as_bytes());
                digest_parts(&[dialect, b"state", run, updated_at, &json::digest(content)])
            }
            Key::Idempotency { tenant, component, key } => {
                let texts = [tenant, component, key].map(KeyText::get);
                let [tenant, component, key] = texts.each_ref().map(|text| text.as_bytes());
                digest_parts(&[dialect, b"idempotency", tenant, component, key])
            }
        }
    }
}

/// What a repeat of an event is known by: its keys as 128 bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyDigests {
    /// Its own key: a second event with it is a repeat if the content is equal, else a conflict.
    pub own: Option<[u8; 16]>,
    /// Its place in the producer's order, where it has an id besides; judged like `own`.
    pub place: Option<[u8; 16]>,
    /// Its retry keys: a second event with one of them is a repeat whatever the content. There are two where the event is a retry
    /// of those shortly before and after it, and of no others.
    pub retry: [Option<[u8; 16]>; 2],
}

impl KeyDigests {
    /// Returns the keys of an event.
    pub fn of(facts: &Facts<'_>) -> Self {
        let own = facts.identity.own.as_ref();
        // An engine event is known by its id, and its place in the run is still its own.
        let place = match (own, facts.dialect, &facts.actor, facts.order) {
            (Some(Key::Id(_)), Dialect::Engine, Some(run), Some(seq)) => {
                Some(Key::RunSequence { run: KeyText::Plain(run), seq })
            }
            _ => None,
        };
        let digest = |key: &Key<'_>| key.digest(facts.dialect);
        let retry = match own {
            Some(Key::HookPayload { session, hook, payload, at_ns: Some(at_ns) }) => {
                let payload = json::digest(*payload);
                let (session, hook) = (session.get(), hook.get());
                let parts = [session.as_bytes(), hook.as_bytes(), &payload[..]];
                moments(*at_ns).map(|moment| Some(moment_digest(facts.dialect, parts, moment)))
            }
            Some(_) | None => [facts.identity.retry.as_ref().map(digest), None],
        };
        Self { own: own.map(digest), place: place.as_ref().map(digest), retry }
    }

    /// Returns whether the event is a retry of one that has these keys.
    pub fn is_retry_of(&self, earlier: &KeyDigests) -> bool {
        self.retry.iter().flatten().any(|key| earlier.retry.contains(&Some(*key)))
    }
}

/// Returns the two moments that a time belongs to. Moments overlap: two times that are [`RETRY_NS`] apart or less have one in
/// common, and two that are twice as far apart have none.
fn moments(at_ns: i64) -> [i64; 2] {
    let last = at_ns.div_euclid(RETRY_NS);
    [last - 1, last]
}

fn moment_digest(dialect: Dialect, parts: [&[u8]; 3], moment: i64) -> [u8; 16] {
    let [session, hook, payload] = parts;
    let (dialect, moment) = (dialect.as_str().as_bytes(), moment.to_le_bytes());
    digest_parts(&[dialect, b"hook moment", session, hook, payload, &moment])
}

/// Returns 128 bits that only these parts give, in this order.
pub fn digest_parts(parts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut digest = [0; 16];
    digest.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    digest
}

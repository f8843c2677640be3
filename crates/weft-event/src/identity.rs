//! Identity: what makes one event a repeat of another. Equal content alone never does.

use std::borrow::Cow;
use std::fmt;

use crate::json::{self, Value};
use crate::{Dialect, Facts};

/// The keys under which an event is known. An event with none is told from its repeat by the delivery alone.
#[derive(Clone, Debug)]
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

    /// Takes an id for the event's own key; returns whether it is one.
    #[inline(never)]
    pub(crate) fn put_id(&mut self, id: Option<Value<'a>>) -> bool {
        match id.and_then(Value::plain_text) {
            Some("") => self.own = None,
            Some(id) => self.own = Some(Key::Id(Cow::Borrowed(id))),
            None => self.own = Key::id(id.and_then(Value::as_text)),
        }
        self.own.is_some()
    }

    /// Takes a worker, its session and a number in it for the event's own key, if the first two are texts.
    #[inline(never)]
    pub(crate) fn put_sequence(&mut self, worker: Value<'a>, session: Value<'a>, sequence: u64) {
        match (worker.plain_text(), session.plain_text()) {
            (Some(worker), Some(session)) => {
                let (worker, session) = (Cow::Borrowed(worker), Cow::Borrowed(session));
                self.own = Some(Key::Sequence { worker, session, sequence });
            }
            _ => {
                if let (Some(worker), Some(session)) = (worker.as_text(), session.as_text()) {
                    self.own = Some(Key::Sequence { worker, session, sequence });
                }
            }
        }
    }
}

/// One key of an event, within its dialect.
#[derive(Clone, Debug)]
pub enum Key<'a> {
    /// An id of the event's own.
    Id(Cow<'a, str>),
    /// needle: its number within a session of a worker.
    Sequence {
        /// The worker.
        worker: Cow<'a, str>,
        /// Its session.
        session: Cow<'a, str>,
        /// The number.
        sequence: u64,
    },
    /// engine: its number within a run.
    RunSequence {
        /// The run.
        run: Cow<'a, str>,
        /// The number.
        seq: u64,
    },
    /// collector: a hook event, by what it reports.
    Hook {
        /// The session.
        session: Cow<'a, str>,
        /// The hook.
        hook: Cow<'a, str>,
        /// The tool call, else the prompt.
        call: Cow<'a, str>,
        /// The agent.
        agent: Cow<'a, str>,
    },
    /// collector: a hook event, by the very payload that the agent sent; the same hook installed twice sends it twice.
    HookPayload {
        /// The session.
        session: Cow<'a, str>,
        /// The hook.
        hook: Cow<'a, str>,
        /// What the agent sent.
        payload: Value<'a>,
    },
    /// collector: an event made from the file in which an agent records a session, by its id. Such files are copied and rewritten:
    /// whatever is told of the same entry is told again.
    Recorded(Cow<'a, str>),
    /// idle: a STATE, by run, time and content.
    State {
        /// The run.
        run: Cow<'a, str>,
        /// The time as written.
        updated_at: Cow<'a, str>,
        /// The event.
        content: Value<'a>,
    },
    /// pinchy: the producer's idempotency key.
    Idempotency {
        /// The tenant.
        tenant: Cow<'a, str>,
        /// The component that retries.
        component: Cow<'a, str>,
        /// The key.
        key: Cow<'a, str>,
    },
}

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Id(id) => write!(f, "id {id}"),
            Key::Sequence { worker, session, sequence } => {
                write!(f, "worker {worker}, session {session}, sequence {sequence}")
            }
            Key::RunSequence { run, seq } => write!(f, "run {run}, seq {seq}"),
            Key::Hook { session, hook, call, agent } => {
                write!(f, "session {session}, hook {hook}, call {call}, agent {agent}")
            }
            Key::HookPayload { session, hook, .. } => {
                write!(f, "session {session}, hook {hook}, and its payload")
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
    /// Returns the key of an id. An empty text is what producers write for want of one: it names nothing.
    pub(crate) fn id(id: Option<Cow<'a, str>>) -> Option<Self> {
        id.filter(|id| !id.is_empty()).map(Key::Id)
    }
}

impl Key<'_> {
    /// Returns the key as 128 bits: equal for equal keys of one dialect, different otherwise.
    pub fn digest(&self, dialect: Dialect) -> [u8; 16] {
        let dialect = dialect.as_str().as_bytes();
        match self {
            Key::Id(id) => digest_parts(&[dialect, b"id", id.as_bytes()]),
            Key::Sequence { worker, session, sequence } => {
                let (worker, session) = (worker.as_bytes(), session.as_bytes());
                digest_parts(&[dialect, b"sequence", worker, session, &sequence.to_le_bytes()])
            }
            Key::RunSequence { run, seq } => {
                digest_parts(&[dialect, b"run", run.as_bytes(), &seq.to_le_bytes()])
            }
            Key::Hook { session, hook, call, agent } => {
                let [session, hook, call, agent] =
                    [session, hook, call, agent].map(|text| text.as_bytes());
                digest_parts(&[dialect, b"hook", session, hook, call, agent])
            }
            Key::HookPayload { session, hook, payload } => {
                let (session, hook) = (session.as_bytes(), hook.as_bytes());
                digest_parts(&[dialect, b"hook payload", session, hook, &json::digest(*payload)])
            }
            Key::Recorded(id) => digest_parts(&[dialect, b"recorded", id.as_bytes()]),
            Key::State { run, updated_at, content } => {
                let (run, updated_at) = (run.as_bytes(), updated_at.as_bytes());
                digest_parts(&[dialect, b"state", run, updated_at, &json::digest(*content)])
            }
            Key::Idempotency { tenant, component, key } => {
                let [tenant, component, key] = [tenant, component, key].map(|text| text.as_bytes());
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
    /// Its retry key: a second event with it is a repeat whatever the content.
    pub retry: Option<[u8; 16]>,
}

impl KeyDigests {
    /// Returns the keys of an event.
    pub fn of(facts: &Facts<'_>) -> Self {
        let own = facts.identity.own.as_ref();
        // An engine event is known by its id, and its place in the run is still its own.
        let place = match (own, facts.dialect, &facts.actor, facts.order) {
            (Some(Key::Id(_)), Dialect::Engine, Some(run), Some(seq)) => {
                Some(Key::RunSequence { run: run.clone(), seq })
            }
            _ => None,
        };
        let digest = |key: &Key<'_>| key.digest(facts.dialect);
        Self {
            own: own.map(digest),
            place: place.as_ref().map(digest),
            retry: facts.identity.retry.as_ref().map(digest),
        }
    }
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

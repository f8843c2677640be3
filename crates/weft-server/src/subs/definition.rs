//! What a subscription is: its name, which events, from where on, where to, and how patiently.

mod json;

use std::time::Duration;

use weft_event::time::format_rfc3339;
use weft_log::Filter;

/// Most bytes of a subscription's name.
pub const NAME_BYTES_MAX: usize = 64;
/// Most words of a command.
pub const COMMAND_WORDS_MAX: usize = 64;
/// Most bytes of a command's words, and of an address.
pub const TARGET_BYTES_MAX: usize = 8 * 1024;

/// A subscription as it stands in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Tells it from an earlier one of the same name.
    pub id: String,
    /// How often it was sent back to an earlier position.
    pub round: u64,
    /// Which events, as a filter in normal form.
    pub filter: String,
    /// The position after which it begins.
    pub start: u64,
    /// Events up to this position were delivered in an earlier round.
    pub replayed_upto: u64,
    /// How events reach the subscriber.
    pub kind: Kind,
    /// What stands in an event for a value that was too large for it.
    pub blobs: Blobs,
    /// Whether events are delivered.
    pub state: State,
    /// How patiently.
    pub retry: Retry,
    /// When it was made, in nanoseconds since 1970.
    pub created_ns: i64,
}

/// How events reach the subscriber.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The subscriber asks for them over HTTP.
    Pull,
    /// Each is posted to an address.
    Webhook {
        /// The address.
        url: String,
        /// Where the secret is that deliveries are signed with. The secret itself is never in the log.
        secret: SecretRef,
    },
    /// Each is posted as a log record to an OTLP endpoint.
    Otlp {
        /// The address; its path is `/v1/logs` if it has none.
        url: String,
    },
    /// A command is run for each, with the event on its standard input.
    Command {
        /// The program and its arguments.
        argv: Vec<String>,
    },
}

/// Where a secret is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretRef {
    /// In the store's folder of secrets, under the subscription's name.
    Store,
    /// In a file.
    File(String),
}

/// What a subscriber is given for a value that was too large for its event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blobs {
    /// The reference that stands in the log.
    #[default]
    Referenced,
    /// The value, in its place.
    Restored,
}

/// Whether events are delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// They are.
    Active,
    /// They wait in the log.
    Paused {
        /// Why, if it was not a person's wish.
        why: Option<String>,
    },
    /// The subscription is no more.
    Removed,
}

/// How patiently events are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Tries of one event before it is put on the list of the dead.
    pub attempts_max: u32,
    /// Time after the first failure.
    pub backoff_min: Duration,
    /// Most time between two tries.
    pub backoff_max: Duration,
    /// Time that one delivery may take; for the pull kind, how long an event is lent.
    pub timeout: Duration,
    /// Sessions that are delivered side by side.
    pub parallel_max: usize,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts_max: 10,
            backoff_min: Duration::from_secs(1),
            backoff_max: Duration::from_secs(5 * 60),
            timeout: Duration::from_secs(30),
            parallel_max: 8,
        }
    }
}

/// What is wrong with a subscription.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    /// Its name.
    #[error(
        "a subscription's name has 1 to {NAME_BYTES_MAX} of the characters a-z A-Z 0-9 . _ - and begins with a letter or digit"
    )]
    Name,
    /// Its filter.
    #[error("the filter is wrong at byte {offset}: {message}")]
    Filter {
        /// Where.
        offset: usize,
        /// What.
        message: String,
    },
    /// Its address.
    #[error(
        "the address must be http:// or https:// with a host, and without a user, a password or a fragment"
    )]
    Url,
    /// Its command.
    #[error(
        "a command has 1 to {COMMAND_WORDS_MAX} words of together at most {TARGET_BYTES_MAX} bytes, without NUL"
    )]
    Command,
    /// One of its numbers.
    #[error("`{field}` must be {wanted}")]
    Number {
        /// Which.
        field: &'static str,
        /// What it can be.
        wanted: &'static str,
    },
    /// A member is missing or of the wrong type.
    #[error("`{field}` is missing or wrong: {wanted}")]
    Member {
        /// Which.
        field: &'static str,
        /// What it can be.
        wanted: &'static str,
    },
}

/// A subscription that is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its name.
    pub name: String,
    /// Which events; relative times count from `now_ns`.
    pub filter: String,
    /// The position after which it begins.
    pub start: u64,
    /// How events reach the subscriber.
    pub kind: Kind,
    /// What stands in an event for a value that was too large for it.
    pub blobs: Blobs,
    /// How patiently.
    pub retry: Retry,
    /// The time, in nanoseconds since 1970.
    pub now_ns: i64,
}

impl Definition {
    /// Checks what is asked for and makes a subscription of it.
    pub fn new(request: Request) -> Result<Self, DefinitionError> {
        let Request { name, filter, start, kind, blobs, retry, now_ns } = request;
        check_name(&name)?;
        check_kind(&kind)?;
        check_retry(&retry)?;
        let filter = parse_filter(&filter, now_ns)?.to_string();
        let id = uuid::Uuid::now_v7().to_string();
        let (round, replayed_upto, state) = (0, 0, State::Active);
        Ok(Self {
            name,
            id,
            round,
            filter,
            start,
            replayed_upto,
            kind,
            blobs,
            state,
            retry,
            created_ns: now_ns,
        })
    }

    /// Returns the filter, without Weft's own records unless it asks for them.
    pub fn filter(&self) -> Result<Filter, DefinitionError> {
        Ok(parse_filter(&self.filter, self.created_ns)?.without_bookkeeping())
    }

    /// Returns when it was made, as text.
    pub fn created(&self) -> String {
        format_rfc3339(self.created_ns)
    }
}

impl Kind {
    /// Returns the kind's name.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Pull => "pull",
            Self::Webhook { .. } => "webhook",
            Self::Otlp { .. } => "otlp",
            Self::Command { .. } => "command",
        }
    }
}

impl State {
    /// Returns the state's name.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused { .. } => "paused",
            Self::Removed => "removed",
        }
    }
}

fn parse_filter(text: &str, now_ns: i64) -> Result<Filter, DefinitionError> {
    Filter::parse(text, now_ns).map_err(|error| DefinitionError::Filter {
        offset: error.offset,
        message: error.to_string(),
    })
}

pub(crate) fn check_name(name: &str) -> Result<(), DefinitionError> {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let begins = name.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
    if begins && name.len() <= NAME_BYTES_MAX && name.bytes().all(is_fine) {
        return Ok(());
    }
    Err(DefinitionError::Name)
}

pub(crate) fn check_kind(kind: &Kind) -> Result<(), DefinitionError> {
    match kind {
        Kind::Pull => Ok(()),
        Kind::Webhook { url, .. } | Kind::Otlp { url } => parse_url(url).map(drop),
        Kind::Command { argv } => {
            let bytes: usize = argv.iter().map(String::len).sum();
            let is_fine = argv.first().is_some_and(|program| !program.is_empty())
                && argv.len() <= COMMAND_WORDS_MAX
                && bytes <= TARGET_BYTES_MAX
                && !argv.iter().any(|word| word.contains('\0'));
            if is_fine { Ok(()) } else { Err(DefinitionError::Command) }
        }
    }
}

/// Reads an address that events can be posted to.
pub(super) fn parse_url(url: &str) -> Result<hyper::Uri, DefinitionError> {
    let is_plain = url.len() <= TARGET_BYTES_MAX && !url.contains('#');
    let parsed: Option<hyper::Uri> = is_plain.then(|| url.parse().ok()).flatten();
    let is_fine = |uri: &hyper::Uri| {
        let scheme = matches!(uri.scheme_str(), Some("http" | "https"));
        let authority = uri.authority().is_some_and(|authority| {
            !authority.host().is_empty() && !authority.as_str().contains('@')
        });
        scheme && authority
    };
    parsed.filter(is_fine).ok_or(DefinitionError::Url)
}

fn check_retry(retry: &Retry) -> Result<(), DefinitionError> {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    const HOUR: Duration = Duration::from_secs(60 * 60);
    const MS: Duration = Duration::from_millis(1);
    let checks = [
        ((1..=1000).contains(&retry.attempts_max), "attempts_max", "from 1 to 1000"),
        ((MS..=DAY).contains(&retry.backoff_min), "backoff_min_ms", "from 1 ms to a day"),
        (
            (retry.backoff_min..=DAY).contains(&retry.backoff_max),
            "backoff_max_ms",
            "from backoff_min_ms to a day",
        ),
        ((MS..=HOUR).contains(&retry.timeout), "timeout_ms", "from 1 ms to an hour"),
        ((1..=256).contains(&retry.parallel_max), "parallel_max", "from 1 to 256"),
    ];
    match checks.into_iter().find(|(is_fine, ..)| !is_fine) {
        Some((_, field, wanted)) => Err(DefinitionError::Number { field, wanted }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;

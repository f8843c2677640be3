//! What is asked of a loop from outside, and what it answers.

use weft_event::idle::{Command, REQUEST_EXPIRY, Refusal};

/// Something that was asked of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// What the answer names.
    pub request_id: String,
    /// What is wanted.
    pub wish: Wish,
    /// The run that is meant; any of the session if none is.
    pub run_id: Option<String>,
    /// When it was asked.
    pub at_ns: i64,
}

/// What may be asked of a loop.
pub type Wish = Command;

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// What was asked.
    pub request_id: String,
    /// Why it was not done.
    pub refusal: Option<Refusal>,
}

/// Returns what a loop has to answer to, of what was asked and not answered: the oldest that is meant for it and still counts.
pub fn pending<'a>(asked: &'a [Asked], run_id: &str, now_ns: i64) -> Option<&'a Asked> {
    let counts = |one: &&Asked| {
        let is_meant = one.run_id.as_deref().is_none_or(|meant| meant == run_id);
        is_meant && !is_expired(one.at_ns, now_ns)
    };
    asked.iter().filter(counts).min_by_key(|one| one.at_ns)
}

/// Returns whether a request of this time is too old to be answered.
pub fn is_expired(at_ns: i64, now_ns: i64) -> bool {
    let age_ns = i128::from(now_ns) - i128::from(at_ns);
    u128::try_from(age_ns).is_ok_and(|age_ns| age_ns > REQUEST_EXPIRY.as_nanos())
}

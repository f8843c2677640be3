//! How a delivery turned out.

use std::time::Duration;

use super::schedule::Failure;

/// Most bytes of what is kept of an error.
const ERROR_BYTES_MAX: usize = 500;

/// What is said of a delivery that panicked.
pub(super) const BROKEN_DOWN: &str = "the delivery broke down inside the server";

/// How a delivery turned out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The subscriber has it.
    Taken,
    /// It does not.
    Failed(Failure, String),
    /// The subscriber wants no more at all.
    Gone(String),
}

impl Outcome {
    /// The subscriber did not take this event.
    pub(super) fn refused(error: &str) -> Self {
        Self::Failed(Failure::Refused { retry_after: None }, shorten(error))
    }

    /// The subscriber was given this event and did not answer in time.
    pub(super) fn silent(timeout: Duration) -> Self {
        Self::Failed(Failure::Silent, format!("no answer within {} ms", timeout.as_millis()))
    }

    /// The subscriber is not there, or asks to be left alone.
    pub(super) fn away(error: &str, retry_after: Option<Duration>) -> Self {
        Self::Failed(Failure::Away { retry_after }, shorten(error))
    }
}

/// Returns an error with its causes.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text += ": ";
            text += &cause_text;
        }
        source = cause.source();
    }
    text
}

/// Cuts a text that others wrote, and takes control characters out of it.
pub(super) fn shorten(text: &str) -> String {
    let mut end = text.len().min(ERROR_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text[..end].trim().chars().map(plain).collect()
}

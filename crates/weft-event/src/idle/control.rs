//! `loop:control`: asking a running loop for something, and its answers.
//!
//! A REQUEST is answered by an ACK when it is taken, and by a RESULT when it is carried out or refused; `request_id` ties the
//! three together.

use std::borrow::Cow;
use std::time::Duration;

use super::SCHEMA_CHECK;
use super::words::{AckWord, RequestWord, ResultWord};
use crate::json::Json;
use crate::shape::{Check, Rule, record, text_enum};

/// How long a REQUEST waits for its ACK.
pub const REQUEST_EXPIRY: Duration = Duration::from_secs(30);

/// How long a repeated `request_id` gets the RESULT of the first.
pub const REPEAT_WINDOW: Duration = Duration::from_secs(5 * 60);

text_enum! {
    /// What a loop is asked for.
    pub enum Command {
        /// To stop after its iteration, for now.
        Pause = "pause",
        /// To go on.
        Resume = "resume",
        /// To end.
        Cancel = "cancel",
        /// To ask a person.
        Escalate = "escalate",
    }
}

text_enum! {
    /// Why a request was not carried out.
    pub enum Refusal {
        /// There is no such loop.
        NotFound = "not_found",
        /// The loop cannot do that now.
        InvalidState = "invalid_state",
        /// The same was asked before.
        Duplicate = "duplicate",
        /// The request makes no sense.
        BadRequest = "bad_request",
    }
}

record! {
    /// A loop is asked for something.
    pub struct Request = REQUEST("REQUEST", Allowed) {
        /// Version of the schema.
        schema: ! u64 = SCHEMA_CHECK;
        /// The word `REQUEST`.
        event: ! RequestWord = Check::Text(Rule::OneOf(RequestWord::WORDS));
        /// Id of the request, made by whoever asks.
        request_id: ! Cow<'a, str> = Check::Text(Rule::NonEmpty);
        /// When it was posted.
        ts: ! Cow<'a, str> = Check::TIME;
        /// The run that is asked; the newest where it is left out.
        run_id: ? Cow<'a, str> = Check::TEXT;
        /// What is asked for.
        command: ! Command = Check::Text(Rule::OneOf(Command::WORDS));
        /// Why, for a person.
        reason: ? Cow<'a, str> = Check::TEXT;
    }
}

record! {
    /// A loop has taken a request.
    pub struct Ack = ACK("ACK", Allowed) {
        /// Version of the schema.
        schema: ! u64 = SCHEMA_CHECK;
        /// The word `ACK`.
        event: ! AckWord = Check::Text(Rule::OneOf(AckWord::WORDS));
        /// Id of the request.
        request_id: ! Cow<'a, str> = Check::Text(Rule::NonEmpty);
        /// When it was posted.
        ts: ! Cow<'a, str> = Check::TIME;
        /// The run that took it.
        run_id: ? Cow<'a, str> = Check::TEXT;
    }
}

record! {
    /// What came of a request.
    pub struct ControlResult = RESULT("RESULT", Allowed) {
        /// Version of the schema.
        schema: ! u64 = SCHEMA_CHECK;
        /// The word `RESULT`.
        event: ! ResultWord = Check::Text(Rule::OneOf(ResultWord::WORDS));
        /// Id of the request.
        request_id: ! Cow<'a, str> = Check::Text(Rule::NonEmpty);
        /// When it was posted.
        ts: ! Cow<'a, str> = Check::TIME;
        /// The run that answers.
        run_id: ? Cow<'a, str> = Check::TEXT;
        /// Whether it was carried out.
        ok: ! bool = Check::Bool;
        /// Why not.
        code: ? Refusal = Check::Text(Rule::OneOf(Refusal::WORDS));
        /// What belongs to the answer.
        details: ? Json<'a> = Check::Object;
    }
}

//! Deliveries to an OTLP endpoint, as log records in OTLP/JSON. What is final there is final here: it is not tried again.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::time::Duration;

use bytes::Bytes;
use hyper::Uri;
use hyper::http::uri::PathAndQuery;
use weft_event::event::{self, Expect};
use weft_event::json::{Tape, Value};
use weft_event::problem::Problems;
use weft_event::translate::otlp::{Batch, Request};
use weft_log::Meta;

use super::definition::{self, DefinitionError};
use super::letter::Mark;
use super::outcome::Outcome;
use super::post::{self, Answer, ConnectError, Poster};
use super::schedule::{Backoff, Failure};

/// The path of logs, where an address has none.
const LOGS: &str = "/v1/logs";

/// How often a request is sent before it is given up.
pub const SENDS_MAX: u32 = 8;

/// How long to wait before a request is sent again.
const BACKOFF: Backoff = Backoff { min: Duration::from_secs(1), max: Duration::from_secs(30) };

/// How long one answer may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Why there is no way to an endpoint.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// Its address.
    #[error(transparent)]
    Address(#[from] DefinitionError),
    /// Connections cannot be made.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// There is nothing to wait with.
    #[error("cannot set up the network")]
    Runtime(#[source] io::Error),
}

/// Why a request was not taken.
#[derive(Debug, thiserror::Error)]
#[error("the endpoint took nothing, after {n_sends} of at most {SENDS_MAX} tries: {said}")]
pub struct SendError {
    /// How often it was sent.
    pub n_sends: u32,
    /// What came of it last.
    pub said: String,
}

/// What an endpoint took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Records that it rejected for good.
    pub n_rejected: u64,
    /// What it said about them.
    pub message: String,
}

/// Where log records are posted to.
pub(super) struct Endpoint(Poster);

impl Endpoint {
    /// Returns the way to an address. Blocks, for it reads the certificates that the system trusts.
    pub(super) fn new(url: &str, timeout: Duration) -> Result<Self, EndpointError> {
        Ok(Self(Poster::new(logs_uri(definition::parse_url(url)?), timeout)?))
    }

    /// Delivers one event. `now_s` is the time in seconds since 1970.
    pub(super) async fn deliver(
        &self,
        request: Option<Request>,
        marks: Vec<Mark>,
        now_s: i64,
    ) -> Outcome {
        let Some(request) = request else {
            return Outcome::Failed(Failure::Final, "the record is no event".to_owned());
        };
        match self.send(request.json, marks, now_s).await {
            Ok(Sent { n_rejected: 0, .. }) => Outcome::Taken,
            Ok(Sent { message, .. }) => {
                Outcome::Failed(Failure::Final, format!("rejected: {message}"))
            }
            Err(outcome) => outcome,
        }
    }

    async fn send(&self, json: String, marks: Vec<Mark>, now_s: i64) -> Result<Sent, Outcome> {
        judge(&self.0.post(post::headers(marks), Bytes::from(json)).await?, now_s)
    }
}

/// Sends requests one after the other, and waits for each.
pub struct Sender {
    runtime: tokio::runtime::Runtime,
    endpoint: Endpoint,
}

impl Sender {
    /// Returns what sends to an address; `/v1/logs` is its path if it has none.
    pub fn new(url: &str) -> Result<Self, EndpointError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(EndpointError::Runtime)?;
        Ok(Self { runtime, endpoint: Endpoint::new(url, TIMEOUT)? })
    }

    /// Sends one request until it is taken or refused for good, at most [`SENDS_MAX`] times. Blocks.
    pub fn send(&self, json: &str) -> Result<Sent, SendError> {
        self.runtime.block_on(async {
            let mut n_sends = 0;
            loop {
                n_sends += 1;
                let now_s = jiff::Timestamp::now().as_second();
                let sent = self.endpoint.send(json.to_owned(), Vec::new(), now_s).await;
                let (retry_after, said) = match sent {
                    Ok(sent) => return Ok(sent),
                    Err(Outcome::Failed(Failure::Final, said) | Outcome::Gone(said)) => {
                        return Err(SendError { n_sends, said });
                    }
                    Err(Outcome::Failed(Failure::Expired | Failure::Silent, said)) => (None, said),
                    Err(Outcome::Failed(
                        Failure::Away { retry_after } | Failure::Refused { retry_after },
                        said,
                    )) => (retry_after, said),
                    Err(Outcome::Taken) => return Ok(Sent::default()),
                };
                if n_sends == SENDS_MAX {
                    return Err(SendError { n_sends, said });
                }
                let draw = RandomState::new().build_hasher().finish();
                tokio::time::sleep(BACKOFF.delay(n_sends, retry_after, draw)).await;
            }
        })
    }
}

/// Writes a record of the log as an export request; `None` if it is no event.
pub(super) fn request(meta: &Meta, line: &[u8]) -> Option<Request> {
    let (mut tape, mut problems) = (Tape::new(), Problems::new());
    let mark = meta.mark.as_ref();
    let expect = mark.map_or(Expect::Any, |mark| Expect::Dialect(mark.dialect));
    let event = event::read(&mut tape, line, expect, &mut problems)?;
    let mut batch = Batch::new();
    let seen_ns = meta.at_us.map(|at_us| at_us.saturating_mul(1000));
    batch.push(&event, seen_ns);
    batch.take()
}

/// Gives an address without a path that of logs.
fn logs_uri(uri: Uri) -> Uri {
    if !matches!(uri.path(), "" | "/") || uri.query().is_some() {
        return uri;
    }
    let mut parts = uri.into_parts();
    parts.path_and_query = Some(PathAndQuery::from_static(LOGS));
    Uri::from_parts(parts).expect("an address with another path is one")
}

/// What an answer means.
fn judge(answer: &Answer, now_s: i64) -> Result<Sent, Outcome> {
    match answer.status.as_u16() {
        200..300 => Ok(rejected(&answer.body)),
        429 | 502 | 503 | 504 => Err(Outcome::away(&answer.said(), answer.retry_after(now_s))),
        _ => Err(Outcome::Failed(Failure::Final, answer.said())),
    }
}

/// Reads how many records were rejected. An answer that does not say so in JSON rejects none.
fn rejected(body: &[u8]) -> Sent {
    let mut tape = Tape::new();
    let partial = tape.parse_bytes(body).ok().and_then(|answer| answer.get("partialSuccess"));
    let Some(partial) = partial else { return Sent::default() };
    let count = |value: Value<'_>| value.as_u64().or_else(|| value.as_text()?.parse().ok());
    let n_rejected = partial.get("rejectedLogRecords").and_then(count).unwrap_or(0);
    let message = partial.text_at("errorMessage").unwrap_or_default();
    Sent { n_rejected, message: super::outcome::shorten(&message) }
}

#[cfg(test)]
mod tests {
    use hyper::StatusCode;
    use hyper::header::HeaderMap;

    use super::*;

    fn judged(code: u16, body: &'static str) -> Result<Sent, Outcome> {
        let status = StatusCode::from_u16(code).expect("a code");
        let mut headers = HeaderMap::new();
        headers.insert("retry-after", "7".parse().expect("a value"));
        judge(&Answer { status, headers, body: Bytes::from_static(body.as_bytes()) }, 0)
    }

    #[test]
    fn an_answer_means_what_otlp_says() {
        for fine in ["", "{}", "not json", r#"{"partialSuccess":{"rejectedLogRecords":"0"}}"#] {
            assert_eq!(judged(200, fine), Ok(Sent::default()), "{fine}");
        }
        for n in ["3", "\"3\""] {
            let body = format!(
                r#"{{"partialSuccess":{{"rejectedLogRecords":{n},"errorMessage":"too old"}}}}"#
            );
            let sent = Sent { n_rejected: 3, message: "too old".to_owned() };
            assert_eq!(judged(200, body.leak()), Ok(sent));
        }
        let retry_after = Some(Duration::from_secs(7));
        for code in [429, 502, 503, 504] {
            let away =
                Outcome::Failed(Failure::Away { retry_after }, format!("answered {code}: no"));
            assert_eq!(judged(code, "no"), Err(away));
        }
        for code in [301, 400, 401, 404, 410, 413, 500] {
            let done = Outcome::Failed(Failure::Final, format!("answered {code}: no"));
            assert_eq!(judged(code, "no"), Err(done));
        }
    }

    #[test]
    fn an_address_without_a_path_gets_that_of_logs() {
        let uri = |text: &str| logs_uri(text.parse().expect("an address")).to_string();
        assert_eq!(uri("http://h:4318"), "http://h:4318/v1/logs");
        assert_eq!(uri("https://h/"), "https://h/v1/logs");
        assert_eq!(uri("http://h/otlp/v1/logs"), "http://h/otlp/v1/logs");
    }
}

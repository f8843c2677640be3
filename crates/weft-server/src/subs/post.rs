//! Posting over HTTP, with a limit on everything that the other side can do. What an answer means is for others to say.

mod connect;
mod resolve;

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Request, StatusCode, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::letter::Mark;
use super::outcome::{Outcome, chain, shorten};
use connect::Connector;

pub use connect::ConnectError;

/// Bytes of an answer that are read. What comes beyond costs the connection.
const ANSWER_BYTES_MAX: usize = 64 << 10;

/// How long an unused connection is kept.
const IDLE_MAX: Duration = Duration::from_secs(30);

/// Posts JSON to one address.
pub(super) struct Poster {
    client: Client<Connector, Full<Bytes>>,
    uri: Uri,
    timeout: Duration,
}

/// A whole answer; the body of one that is no success may be missing.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Poster {
    /// Returns what posts to an address. Blocks, for it reads the certificates that the system trusts.
    pub(super) fn new(uri: Uri, timeout: Duration) -> Result<Self, ConnectError> {
        let connector = Connector::new(uri.scheme_str() == Some("https"), timeout)?;
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_MAX)
            .build(connector);
        Ok(Self { client, uri, timeout })
    }

    /// Posts a body; an error is the outcome where there is no whole answer in time.
    pub(super) async fn post(&self, headers: HeaderMap, body: Bytes) -> Result<Answer, Outcome> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = headers;
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let agent = concat!("weft/", env!("CARGO_PKG_VERSION"));
        headers.insert(USER_AGENT, HeaderValue::from_static(agent));
        let answer = async {
            let answer = match self.client.request(request).await {
                Ok(answer) => answer,
                Err(error) if error.is_connect() => {
                    return Err(Outcome::away(&chain(&error), None));
                }
                Err(error) => return Err(Outcome::refused(&chain(&error))),
            };
            let (parts, body) = answer.into_parts();
            // The answer has to be whole: a receiver that breaks off may not have kept the event.
            let body = match Limited::new(body, ANSWER_BYTES_MAX).collect().await {
                Ok(body) => body.to_bytes(),
                Err(error) if parts.status.is_success() => {
                    return Err(Outcome::refused(&format!("the answer broke off: {error}")));
                }
                Err(_) => Bytes::new(),
            };
            Ok(Answer { status: parts.status, headers: parts.headers, body })
        };
        tokio::time::timeout(self.timeout, answer)
            .await
            .unwrap_or_else(|_elapsed| Err(Outcome::silent(self.timeout)))
    }
}

/// Returns what is said beside an event as headers.
pub(super) fn headers(marks: impl IntoIterator<Item = Mark>) -> HeaderMap {
    let header = |(name, value): Mark| {
        let name = format!("weft-{}", name.to_ascii_lowercase());
        let name = HeaderName::try_from(name).expect("the marks have plain names");
        let value = HeaderValue::try_from(value).expect("the marks have printable values");
        (name, value)
    };
    marks.into_iter().map(header).collect()
}

impl Answer {
    /// Returns the code, and the beginning of what was said with it.
    pub(super) fn said(&self) -> String {
        let said = shorten(&String::from_utf8_lossy(&self.body[..self.body.len().min(200)]));
        let code = self.status.as_u16();
        match said.is_empty() {
            true => format!("answered {code}"),
            false => format!("answered {code}: {said}"),
        }
    }

    /// Returns how long the receiver asks to be left alone.
    pub(super) fn retry_after(&self, now_s: i64) -> Option<Duration> {
        let after = self.headers.get(RETRY_AFTER)?;
        retry_after(after.to_str().ok()?, now_s)
    }
}

/// Reads how long a receiver asks to be left alone: seconds, or a date.
fn retry_after(text: &str, now_s: i64) -> Option<Duration> {
    if let Ok(seconds) = text.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(text.trim()).ok()?;
    let seconds = date.timestamp().as_second().saturating_sub(now_s);
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_says_how_long_in_seconds_or_by_a_date() {
        let seconds = |text| retry_after(text, 784_111_770).map(|after| after.as_secs());
        assert_eq!(seconds("120"), Some(120));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(7));
        assert_eq!(seconds("Sun, 06 Nov 1993 08:49:37 GMT"), None, "the day of the week is wrong");
        assert_eq!(seconds("soon"), None);
    }
}

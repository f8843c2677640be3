//! Deliveries over HTTP: posted, signed, with a limit on everything that the other side can do.

mod connect;
pub mod sign;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Request, StatusCode, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::letter::Letter;
use super::outcome::{Outcome, chain, shorten};
use connect::Connector;

pub(super) use connect::ConnectError;

/// Bytes of an answer that are read. What comes beyond costs the connection.
const ANSWER_BYTES_MAX: usize = 64 << 10;

/// How long an unused connection is kept.
const IDLE_MAX: Duration = Duration::from_secs(30);

/// One subscriber's address.
pub(super) struct Webhook {
    client: Client<Connector, Full<Bytes>>,
    uri: Uri,
    secret: String,
    timeout: Duration,
}

impl Webhook {
    /// Returns what delivers to an address. Blocks, for it reads the certificates that the system trusts.
    pub(super) fn new(uri: Uri, secret: String, timeout: Duration) -> Result<Self, ConnectError> {
        let connector = Connector::new(uri.scheme_str() == Some("https"), timeout)?;
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_MAX)
            .build(connector);
        Ok(Self { client, uri, secret, timeout })
    }

    /// Delivers one event. `now_s` is the time in seconds since 1970.
    pub(super) async fn deliver(self: Arc<Self>, letter: Letter, now_s: i64) -> Outcome {
        let request = self.request(letter, now_s);
        let answer = async {
            let answer = match self.client.request(request).await {
                Ok(answer) => answer,
                Err(error) if error.is_connect() => return Outcome::away(&chain(&error), None),
                Err(error) => return Outcome::refused(&chain(&error)),
            };
            let (parts, body) = answer.into_parts();
            // The answer has to be whole: a receiver that breaks off may not have kept the event.
            let body = match Limited::new(body, ANSWER_BYTES_MAX).collect().await {
                Ok(body) => body.to_bytes(),
                Err(error) if parts.status.is_success() => {
                    return Outcome::refused(&format!("the answer broke off: {error}"));
                }
                Err(_) => Bytes::new(),
            };
            judge(parts.status, &parts.headers, &body, now_s)
        };
        match tokio::time::timeout(self.timeout, answer).await {
            Ok(outcome) => outcome,
            Err(_elapsed) => {
                Outcome::refused(&format!("no answer within {} ms", self.timeout.as_millis()))
            }
        }
    }

    fn request(&self, letter: Letter, now_s: i64) -> Request<Full<Bytes>> {
        let signature = sign::signature(&self.secret, now_s, &letter.body);
        let mut request = Request::new(Full::new(letter.body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.uri.clone();
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let agent = concat!("weft/", env!("CARGO_PKG_VERSION"));
        headers.insert(USER_AGENT, HeaderValue::from_static(agent));
        let stamps = [("Timestamp", now_s.to_string()), ("Signature", signature)];
        for (name, value) in letter.marks.into_iter().chain(stamps) {
            let name = format!("weft-{}", name.to_ascii_lowercase());
            let name = HeaderName::try_from(name).expect("the marks have plain names");
            let value = HeaderValue::try_from(value).expect("the marks have printable values");
            headers.insert(name, value);
        }
        request
    }
}

/// What an answer means.
fn judge(status: StatusCode, headers: &HeaderMap, body: &[u8], now_s: i64) -> Outcome {
    if status.is_success() {
        return Outcome::Taken;
    }
    let said = shorten(&String::from_utf8_lossy(&body[..body.len().min(200)]));
    let code = status.as_u16();
    let error = if said.is_empty() {
        format!("answered {code}")
    } else {
        format!("answered {code}: {said}")
    };
    let retry_after =
        headers.get(RETRY_AFTER).and_then(|after| retry_after(after.to_str().ok()?, now_s));
    match code {
        410 => Outcome::Gone(error),
        429 | 502 | 503 | 504 => Outcome::away(&error, retry_after),
        300..400 => Outcome::refused(&format!("{error}: redirects are not followed")),
        _ => Outcome::refused(&error),
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
    use crate::subs::schedule::Failure;

    #[test]
    fn an_answer_means_what_it_says() {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_static("7"));
        let judge = |code| judge(StatusCode::from_u16(code).expect("a code"), &headers, b"no\n", 0);
        assert_eq!([200, 202, 204].map(judge), [(); 3].map(|()| Outcome::Taken));
        assert_eq!(judge(410), Outcome::Gone("answered 410: no".to_owned()));
        let retry_after = Some(Duration::from_secs(7));
        for code in [429, 502, 503, 504] {
            let error = format!("answered {code}: no");
            assert_eq!(judge(code), Outcome::Failed(Failure::Away { retry_after }, error));
        }
        for code in [301, 400, 401, 404, 500, 501] {
            let Outcome::Failed(Failure::Refused { .. }, error) = judge(code) else {
                panic!("{code}")
            };
            assert!(error.starts_with(&format!("answered {code}: no")), "{error}");
        }
    }

    #[test]
    fn a_receiver_says_how_long_in_seconds_or_by_a_date() {
        let seconds = |text| retry_after(text, 784_111_770).map(|after| after.as_secs());
        assert_eq!(seconds("120"), Some(120));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(7));
        assert_eq!(seconds("Sun, 06 Nov 1993 08:49:37 GMT"), None, "the day of the week is wrong");
        assert_eq!(seconds("soon"), None);
    }
}

//! Deliveries to a webhook: posted, and signed.

pub mod sign;

use std::sync::Arc;
use std::time::Duration;

use hyper::Uri;

use super::letter::Letter;
use super::outcome::Outcome;
use super::post::{self, Answer, ConnectError, Poster};

/// One subscriber's address.
pub(crate) struct Webhook {
    poster: Poster,
    secret: String,
}

impl Webhook {
    /// Returns what delivers to an address. Blocks, for it reads the certificates that the system trusts.
    pub(crate) fn new(uri: Uri, secret: String, timeout: Duration) -> Result<Self, ConnectError> {
        Ok(Self { poster: Poster::new(uri, timeout)?, secret })
    }

    /// Delivers one event. `now_s` is the time in seconds since 1970.
    pub(crate) async fn deliver(self: Arc<Self>, letter: Letter, now_s: i64) -> Outcome {
        let signature = sign::signature(&self.secret, now_s, &letter.body);
        let stamps = [("Timestamp", now_s.to_string()), ("Signature", signature)];
        let headers = post::headers(letter.marks.into_iter().chain(stamps));
        match self.poster.post(headers, letter.body).await {
            Ok(answer) => judge(&answer, now_s),
            Err(outcome) => outcome,
        }
    }
}

/// What an answer means.
fn judge(answer: &Answer, now_s: i64) -> Outcome {
    if answer.status.is_success() {
        return Outcome::Taken;
    }
    let error = answer.said();
    match answer.status.as_u16() {
        410 => Outcome::Gone(error),
        429 | 502 | 503 | 504 => Outcome::away(&error, answer.retry_after(now_s)),
        300..400 => Outcome::refused(&format!("{error}: redirects are not followed")),
        _ => Outcome::refused(&error),
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use hyper::StatusCode;
    use hyper::header::{HeaderMap, HeaderValue, RETRY_AFTER};

    use super::*;
    use crate::subs::schedule::Failure;

    #[test]
    fn an_answer_means_what_it_says() {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_static("7"));
        let judge = |code| {
            let status = StatusCode::from_u16(code).expect("a code");
            let (headers, body) = (headers.clone(), Bytes::from_static(b"no\n"));
            judge(&Answer { status, headers, body }, 0)
        };
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
}

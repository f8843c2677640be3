//! What is worth another try, and how that is said in each form.

use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::Response;

use super::take::unstored;
use super::{Form, Speech};
use crate::http::answer::Failure;
use crate::room::NoRoom;
use crate::writer::WriteFailure;

/// Returns the status of gRPC, and whether it says when to come again.
fn called(failure: &Failure) -> (u64, bool) {
    let response: Response = Speech::Grpc.failed(failure);
    assert_eq!(response.status(), StatusCode::OK);
    let status = response.headers()["grpc-status"].to_str().expect("text");
    let details = response.headers().get("grpc-status-details-bin");
    let says_when = details.is_some_and(|details| {
        let padded =
            format!("{:=<1$}", details.to_str().expect("text"), details.len().next_multiple_of(4));
        let details = crate::base64::decode(&padded).expect("base64");
        String::from_utf8_lossy(&details).contains("google.rpc.RetryInfo\u{12}\u{4}\n\u{2}\u{8}")
    });
    (status.parse().expect("a number"), says_when)
}

/// Returns the status of HTTP, and after how many seconds to come again.
fn answered(failure: &Failure) -> (u16, Option<String>) {
    let response = Speech::Http(Form::Json).failed(failure);
    let after = response.headers().get(RETRY_AFTER);
    (response.status().as_u16(), after.map(|after| after.to_str().expect("text").to_owned()))
}

#[test]
fn a_busy_store_is_unavailable_and_crowded_memory_is_exhausted() {
    let seconds = |n: &str| Some(n.to_owned());
    let busy = unstored(WriteFailure::Busy);
    assert_eq!((answered(&busy), called(&busy)), ((503, seconds("1")), (14, true)));
    let ending = unstored(WriteFailure::Closed);
    assert_eq!((answered(&ending), called(&ending)), ((503, seconds("5")), (14, true)));
    let crowded = Failure::from(NoRoom);
    assert_eq!((answered(&crowded), called(&crowded)), ((429, seconds("1")), (8, true)));
}

#[test]
fn whoever_was_slow_may_try_again_and_what_is_too_large_may_not() {
    let slow = Failure::new(StatusCode::REQUEST_TIMEOUT, "too_slow", "late");
    assert_eq!((answered(&slow), called(&slow)), ((503, Some("1".to_owned())), (14, false)));
    let large = Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", "large");
    assert_eq!((answered(&large), called(&large)), ((413, None), (8, false)));
}

#[test]
fn a_message_that_is_not_plain_text_is_percent_encoded() {
    let response = Speech::Grpc.failed(&Failure::bad("x", "50% of “é”\n"));
    assert_eq!(response.headers()["grpc-message"], "50%25 of %E2%80%9C%C3%A9%E2%80%9D%0A");
}

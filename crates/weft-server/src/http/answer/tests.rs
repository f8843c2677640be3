//! What a failed append is to the client.

use axum::http::header::RETRY_AFTER;
use axum::response::IntoResponse as _;
use weft_log::log::AppendError;
use weft_log::{Position, TopicKey};

use super::{Failure, MESSAGE_BYTES_MAX};
use crate::room::NoRoom;
use crate::writer::WriteFailure;

fn shown(failure: Failure) -> String {
    let (status, code) = (failure.status, failure.code);
    let response = failure.into_response();
    let retry = response.headers().get(RETRY_AFTER);
    let retry = retry.map_or("never", |seconds| seconds.to_str().expect("a number"));
    format!("{} {code}, again after: {retry}", status.as_u16())
}

#[test]
fn what_passes_is_worth_another_try_and_what_does_not_is_not() {
    let topic = TopicKey { topic: "t".to_owned(), key: Some("k".to_owned()) };
    let condition = AppendError::Condition { topic, actual: Position::new(7) };
    let told: Vec<String> = [
        WriteFailure::Busy.into(),
        NoRoom.into(),
        WriteFailure::Closed.into(),
        WriteFailure::Append(AppendError::Left).into(),
        WriteFailure::Append(condition).into(),
    ]
    .map(shown)
    .into();
    insta::assert_snapshot!(told.join("\n"), @r"
    429 busy, again after: 1
    429 busy, again after: 1
    503 shutting_down, again after: 5
    503 store_unwritable, again after: 5
    409 unexpected_last, again after: never
    ");
}

#[test]
fn what_a_client_sent_is_not_sent_back_whole() {
    let failure = Failure::bad("bad_request", "ü".repeat(1 << 20));
    assert_eq!(failure.message.len(), MESSAGE_BYTES_MAX + "…".len());
}

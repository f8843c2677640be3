//! One delivery under way: the event is written for its subscriber and handed over.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use weft_log::Meta;

use super::super::definition::Blobs;
use super::super::letter::{Letter, Mark, Post};
use super::super::outcome::Outcome;
use super::super::restored::{self, Made};
use super::super::{command, otlp};
use super::Push;
use crate::{Core, record};

/// How many times as long as its event a log record may be: it has the event as text, and a long message of it once more.
const OTLP_TIMES: usize = 2;

/// What is delivered, and how.
pub(super) struct Delivery {
    pub(super) core: Core,
    pub(super) push: Push,
    pub(super) post: Arc<Post>,
    pub(super) marks: Vec<Mark>,
    pub(super) blobs: Blobs,
    pub(super) timeout: Duration,
}

/// Delivers one event. What it waits for before it is handed over does not count against its time.
pub(super) async fn deliver(delivery: Delivery) -> Outcome {
    let Delivery { core, push, post, mut marks, blobs, timeout } = delivery;
    let live = &post.live;
    let store = core.clone();
    let body = move |meta: &Meta, line: &[u8]| body(store.store_id(), meta, line);
    match push {
        Push::Webhook(webhook) => {
            let Made { what: body, n_left, room } =
                restored::make(&core, blobs, live, 1, body).await;
            marks.extend(left(n_left));
            let outcome = webhook.deliver(Letter { marks, body }, now_s()).await;
            drop(room);
            outcome
        }
        Push::Command(argv) => {
            let Made { what: body, n_left, room } =
                restored::make(&core, blobs, live, 1, body).await;
            marks.extend(left(n_left));
            let outcome = command::deliver(&argv, Letter { marks, body }, timeout).await;
            drop(room);
            outcome
        }
        Push::Otlp(endpoint) => {
            let made = restored::make(&core, blobs, live, OTLP_TIMES, otlp::request).await;
            let Made { what: request, n_left, room } = made;
            let marks = left(n_left).into_iter().collect();
            let outcome = endpoint.deliver(request, marks, now_s()).await;
            drop(room);
            outcome
        }
    }
}

/// Writes the record.
fn body(store_id: &str, meta: &Meta, line: &[u8]) -> Bytes {
    let mut body = Vec::with_capacity(line.len() + 256);
    record::write(&mut body, store_id, meta, line);
    Bytes::from(body)
}

/// Says how many references stand where values should.
fn left(n_left: usize) -> Option<Mark> {
    (n_left > 0).then(|| ("Blobs-Left", n_left.to_string()))
}

fn now_s() -> i64 {
    jiff::Timestamp::now().as_second()
}

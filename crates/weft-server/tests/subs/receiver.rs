//! A webhook receiver that does what it is told to: take, refuse, hang, break off.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver as Channel, SyncSender, sync_channel};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::server::DEADLINE;

/// What it was sent.
#[derive(Clone, Debug)]
pub(crate) struct Got {
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
    pub(crate) record: Value,
    /// What it answered.
    pub(crate) answer: Answer,
}

/// What it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Status(u16),
    /// A status and how many seconds to wait.
    Later(u16, u32),
    /// Takes the event and never answers.
    Hang,
    /// Begins to say that all is well, and breaks off.
    BreakOff,
}

type Script = dyn Fn(&Got) -> Answer + Send + Sync;

/// A receiver on a port of its own.
pub(crate) struct Receiver {
    runtime: Runtime,
    pub(crate) address: SocketAddr,
    got: Channel<Got>,
}

impl Got {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(crate) fn position(&self) -> u64 {
        self.header("weft-position").parse().expect("a position")
    }

    pub(crate) fn attempt(&self) -> u32 {
        self.header("weft-attempt").parse().expect("a number")
    }

    pub(crate) fn session(&self) -> &str {
        self.record["event"]["session_id"].as_str().expect("a session")
    }

    pub(crate) fn is_taken(&self) -> bool {
        self.answer == Answer::Status(200)
    }
}

impl Receiver {
    pub(crate) fn start(script: impl Fn(&Got) -> Answer + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1:0".parse().expect("an address"), script)
    }

    pub(crate) fn start_at(
        address: SocketAddr,
        script: impl Fn(&Got) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let listener = runtime.block_on(tokio::net::TcpListener::bind(address)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let (tell, got) = sync_channel(100_000);
        let script: Arc<Script> = Arc::new(script);
        let router = Router::new().fallback(move |headers: HeaderMap, body: Bytes| {
            answer(headers, body, Arc::clone(&script), tell.clone())
        });
        let router = router.layer(DefaultBodyLimit::disable());
        runtime.spawn(async move { axum::serve(listener, router).await });
        Self { runtime, address, got }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Waits for the next delivery.
    pub(crate) fn next(&self) -> Got {
        self.got.recv_timeout(DEADLINE).expect("something comes in time")
    }

    /// Returns what came and was not looked at.
    pub(crate) fn rest(&self) -> Vec<Got> {
        self.got.try_iter().collect()
    }

    /// Waits until so many different events were taken; returns all deliveries.
    pub(crate) fn until_taken(&self, n: usize) -> Vec<Got> {
        let (mut all, mut taken) = (Vec::new(), BTreeSet::new());
        while taken.len() < n {
            let got = self.next();
            if got.is_taken() {
                taken.insert(got.position());
            }
            all.push(got);
        }
        all
    }

    pub(crate) fn stop(self) {
        self.runtime.shutdown_background();
    }
}

async fn answer(
    headers: HeaderMap,
    body: Bytes,
    script: Arc<Script>,
    tell: SyncSender<Got>,
) -> Response {
    let text = |value: &axum::http::HeaderValue| value.to_str().expect("printable").to_owned();
    let headers = headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let body = String::from_utf8(body.to_vec()).expect("text");
    let record = serde_json::from_str(&body).expect("a record");
    let mut got = Got { headers, body, record, answer: Answer::Hang };
    let answer = script(&got);
    got.answer = answer;
    tell.send(got).expect("the test listens");
    match answer {
        Answer::Status(code) => StatusCode::from_u16(code).expect("a status").into_response(),
        Answer::Later(code, seconds) => {
            let status = StatusCode::from_u16(code).expect("a status");
            (status, [("retry-after", seconds.to_string())]).into_response()
        }
        Answer::Hang => std::future::pending().await,
        Answer::BreakOff => {
            let parts = [Ok("all is"), Err(std::io::Error::other("gone"))];
            Body::from_stream(futures_util::stream::iter(parts)).into_response()
        }
    }
}

/// Checks that within each session the events that the receiver took came in order, once repeats are dropped; returns them.
pub(crate) fn taken_in_order(all: &[Got]) -> Vec<u64> {
    let (mut seen, mut last) = (BTreeSet::new(), BTreeMap::new());
    for got in all.iter().filter(|got| got.is_taken()) {
        if seen.insert(got.position()) {
            let before = last.insert(got.session().to_owned(), got.position()).unwrap_or(0);
            assert!(before < got.position(), "{before} came before {}", got.position());
        }
    }
    seen.into_iter().collect()
}

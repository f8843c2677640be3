//! Both versions of HTTP on one port: who is slow, idle or takes nothing is treated the same in either.

use std::time::Duration;

use axum::http::Request;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2::{self, Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::client::Client;
use crate::post::claimed;
use crate::server::Server;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

type Sender = SendRequest<Full<Bytes>>;

/// Opens a connection of HTTP/2; returns what sends requests on it, and what ends with it.
async fn connect(
    server: &Server,
    http: &Builder<TokioExecutor>,
) -> (Sender, JoinHandle<hyper::Result<()>>) {
    let stream = TcpStream::connect(server.address()).await.expect("the server listens");
    let (sender, connection) = http.handshake(TokioIo::new(stream)).await.expect("HTTP/2");
    (sender, tokio::spawn(connection))
}

fn get(server: &Server, path: &str) -> Request<Full<Bytes>> {
    let request = Request::get(format!("http://{}{path}", server.address()));
    request.body(Full::default()).expect("a request")
}

#[test]
fn half_a_beginning_is_told_that_it_is_late() {
    let server = Server::limited(|limits| limits.request_patience = Duration::from_millis(300));
    let mut client = server.client();
    client.write(&PREFACE[..10]);
    let answer = client.answer().expect("an answer");
    assert_eq!(answer.failure(), (408, "too_slow".to_owned()));
    // What begins as the other version does, and then does not go on so, is a request like any.
    let mut client = server.client();
    client.write(b"P");
    client.write(b"RI / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert_eq!(client.answer().expect("an answer").failure(), (405, "wrong_method".to_owned()));
}

#[test]
fn a_connection_that_nothing_is_asked_on_ends() {
    let server = Server::limited(|limits| limits.request_patience = Duration::from_millis(300));
    let mut silent = Client::connect(server.address());
    silent.write(PREFACE);
    // The settings, then the word that it is over; nothing hangs.
    assert!(!silent.rest().is_empty());
    server.block_on(async {
        let (mut sender, connection) = connect(&server, &Builder::new(TokioExecutor::new())).await;
        for _ in 0..3 {
            let response = sender.send_request(get(&server, "/healthz")).await.expect("an answer");
            assert_eq!(response.status(), 200);
            response.into_body().collect().await.expect("a body");
        }
        drop(connection.await.expect("it is not cancelled"));
        assert!(sender.ready().await.is_err(), "it is closed");
    });
}

#[test]
fn a_head_that_is_refused_is_answered_without_a_body() {
    let server = Server::limited(|_| {});
    server.block_on(async {
        let (mut sender, _connection) = connect(&server, &Builder::new(TokioExecutor::new())).await;
        let paths = ["/healthz", "/v1/events/1", "/v1/events"];
        for path in paths {
            let request = Request::head(format!("http://elsewhere.example{path}"));
            let request = request.body(Full::default()).expect("a request");
            let response = sender.send_request(request).await.expect("an answer");
            assert_eq!(response.status(), 403, "{path}");
            let body = response.into_body().collect().await.expect("a whole stream").to_bytes();
            assert!(body.is_empty(), "{path}");
        }
    });
}

#[test]
fn an_answer_that_is_not_taken_ends_the_connection() {
    let server = Server::limited(|limits| limits.reader_patience = Duration::from_millis(300));
    let events: Vec<String> = (1..=500).map(claimed).collect();
    assert_eq!(server.client().post("/v1/events", events.join("\n")).status, 202);
    server.block_on(async {
        let mut http = http2::Builder::new(TokioExecutor::new());
        http.initial_stream_window_size(100);
        let (mut sender, connection) = connect(&server, &http).await;
        let path = "/v1/events?limit=500";
        let response = sender.send_request(get(&server, path)).await.expect("an answer");
        assert_eq!(response.status(), 200);
        // Nothing of the body is read, so that the server has no room to send more.
        drop(connection.await.expect("it is not cancelled"));
        drop(response);
    });
    assert_eq!(server.client().get("/healthz").status, 200);
}

#[test]
fn headers_have_the_same_limit() {
    let server = Server::start();
    server.block_on(async {
        let (mut sender, connection) = connect(&server, &Builder::new(TokioExecutor::new())).await;
        let mut request = get(&server, "/healthz");
        let long = "y".repeat(70_000).parse().expect("a header");
        request.headers_mut().insert("x", long);
        let answered = sender.send_request(request).await.map(|response| response.status());
        assert!(answered.is_err() || answered.is_ok_and(|status| status == 431));
        connection.abort();
    });
    assert_eq!(server.client().get("/healthz").status, 200);
}

#[test]
fn many_requests_go_on_one_connection_at_a_time() {
    let server = Server::start();
    server.block_on(async {
        let (sender, connection) = connect(&server, &Builder::new(TokioExecutor::new())).await;
        let asked = (1..=300).map(|n| {
            let mut sender = sender.clone();
            let request = Request::post(format!("http://{}/v1/events", server.address()));
            let request = request.body(Full::from(claimed(n))).expect("a request");
            tokio::spawn(async move { sender.send_request(request).await })
        });
        for answer in asked.collect::<Vec<_>>() {
            let response = answer.await.expect("it is not cancelled").expect("an answer");
            assert_eq!(response.status(), 202);
        }
        connection.abort();
    });
    assert_eq!(server.stored().len(), 300);
}

#[test]
fn an_open_connection_does_not_hold_up_the_end() {
    let server = Server::start();
    let connection = server.block_on(async {
        let (mut sender, connection) = connect(&server, &Builder::new(TokioExecutor::new())).await;
        let response = sender.send_request(get(&server, "/healthz")).await.expect("an answer");
        response.into_body().collect().await.expect("a body");
        (sender, connection)
    });
    let began = std::time::Instant::now();
    server.end();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    drop(connection);
}

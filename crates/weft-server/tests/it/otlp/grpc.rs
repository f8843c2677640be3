//! Exports over gRPC, frame by frame.

use axum::body::Body;
use axum::http::{HeaderMap, Request, Response, Version};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use insta::assert_snapshot;
use tokio::net::TcpStream;
use weft_server::access::tokens::Scope;

use super::{encode, facts, gzip, logs, post, tool_result};
use crate::server::Server;

pub(super) const LOGS: &str = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";

/// What a call came to.
#[derive(Debug)]
pub(super) struct Called {
    pub(super) status: String,
    pub(super) message: String,
    pub(super) body: Vec<u8>,
    pub(super) has_retry_info: bool,
    /// Whether the status came with the headers, and nothing else did.
    pub(super) is_trailers_only: bool,
}

/// Returns a message as it stands in a call.
pub(super) fn frame(flag: u8, message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).expect("a small message").to_be_bytes();
    [&[flag][..], &length, message].concat()
}

/// Sends a request over HTTP/2.
async fn send(server: &Server, request: Request<Full<bytes::Bytes>>) -> Response<Incoming> {
    let stream = TcpStream::connect(server.address()).await.expect("the server listens");
    let handshake =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (mut sender, connection) = handshake.await.expect("HTTP/2");
    tokio::spawn(connection);
    let response = sender.send_request(request).await.expect("an answer");
    assert_eq!(response.version(), Version::HTTP_2);
    response
}

/// Calls the server with the bytes of a body and headers beside the usual ones.
pub(super) fn export(server: &Server, path: &str, body: &[u8], headers: &[(&str, &str)]) -> Called {
    let mut request = Request::post(format!("http://{}{path}", server.address()));
    if headers.iter().all(|(name, _)| *name != "content-type") {
        request = request.header("content-type", "application/grpc").header("te", "trailers");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::from(body.to_vec())).expect("a request");
    server.block_on(async {
        let response = send(server, request).await;
        assert_eq!(response.status(), 200);
        let head = response.headers().clone();
        let collected = response.into_body().collect().await.expect("a whole answer");
        let trailers = collected.trailers().cloned().unwrap_or_default();
        let is_trailers_only = head.contains_key("grpc-status");
        let told = if is_trailers_only { &head } else { &trailers };
        let text = |map: &HeaderMap, name: &str| {
            map.get(name).map_or(String::new(), |value| value.to_str().expect("text").to_owned())
        };
        Called {
            status: text(told, "grpc-status"),
            message: text(told, "grpc-message"),
            has_retry_info: told.contains_key("grpc-status-details-bin"),
            is_trailers_only,
            body: collected.to_bytes().to_vec(),
        }
    })
}

#[test]
fn a_call_stores_what_a_request_over_http_stores() {
    let server = Server::start();
    let message = encode(&logs(vec![tool_result(1), tool_result(2)]));
    let called = export(&server, LOGS, &frame(0, &message), &[]);
    assert_eq!((called.status.as_str(), called.body), ("0", frame(0, b"")));
    let compressed = frame(1, &gzip(&encode(&logs(vec![tool_result(3)]))));
    let called = export(&server, LOGS, &compressed, &[("grpc-encoding", "gzip")]);
    assert_eq!(called.status, "0");
    let other = Server::start();
    let all = encode(&logs((1..=3).map(tool_result).collect()));
    assert_eq!(post(&other, "/v1/logs", super::PROTOBUF, &all).status, 200);
    assert_eq!(facts(&server), facts(&other));
}

#[test]
fn what_is_wrong_with_a_call_is_its_status_alone() {
    let server = Server::limited(|limits| limits.body_bytes_max = 1 << 20);
    let message = encode(&logs(vec![tool_result(1)]));
    let shown = |body: &[u8], headers: &[(&str, &str)]| {
        let called = export(&server, LOGS, body, headers);
        assert!(called.is_trailers_only && called.body.is_empty(), "{called:?}");
        assert!(!called.has_retry_info, "nothing of this is worth another try");
        format!("{} {}", called.status, called.message)
    };
    assert_snapshot!(shown(b"", &[]), @"3 there is no message in the call");
    assert_snapshot!(shown(&frame(0, &message)[..20], &[]), @"3 the call has to have one message, and that whole");
    assert_snapshot!(shown(&frame(0, b"\xff"), &[]), @"3 the body is no export request: the body ends inside a field");
    assert_snapshot!(shown(&frame(1, &gzip(&message)), &[]), @"3 the message is compressed, and nothing says how: grpc-encoding is missing");
    assert_snapshot!(shown(&frame(1, &message), &[("grpc-encoding", "gzip")]), @"3 the body is not whole gzip");
    assert_snapshot!(shown(&frame(1, &message), &[("grpc-encoding", "snappy")]), @"12 the message's encoding is not known: gzip is");
    assert_snapshot!(shown(&frame(1, &gzip(&vec![0; 20 << 20])), &[("grpc-encoding", "gzip")]), @"8 the body is larger than 1048576 bytes (body_bytes_max)");
    assert_snapshot!(shown(&frame(0, &vec![0; 2 << 20]), &[]), @"8 the body is larger than 1048576 bytes (body_bytes_max)");
    assert_snapshot!(shown(&frame(0, &message), &[("content-type", "application/grpc+json")]), @"12 this path speaks gRPC: application/grpc or application/grpc+proto");
    let called = export(&server, "/grpc.health.v1.Health/Check", &frame(0, b""), &[]);
    assert_eq!((called.status.as_str(), called.is_trailers_only), ("12", true));
    assert_eq!(server.stored(), Vec::<String>::new());
}

#[test]
fn a_call_has_to_pass_the_guard() {
    let server = Server::wide();
    let (reader, writer) = (server.token(Scope::Read), server.token(Scope::Write));
    let body = frame(0, &encode(&logs(vec![tool_result(1)])));
    let call = |headers: &[(&str, &str)]| export(&server, LOGS, &body, headers);
    let bearer = |token: &str| format!("Bearer {token}");
    let called = call(&[]);
    assert_eq!((called.status.as_str(), called.is_trailers_only), ("16", true));
    assert_eq!(call(&[("authorization", &bearer(&reader))]).status, "7");
    let elsewhere = [("authorization", &*bearer(&writer)), ("origin", "https://example.com")];
    assert_eq!(call(&elsewhere).status, "7");
    assert_eq!(call(&[("authorization", &bearer(&writer))]).status, "0");
    assert_eq!(server.stored().len(), 1);
    let near = Server::start();
    let request = Request::post(format!("http://elsewhere.example{LOGS}"))
        .header("content-type", "application/grpc")
        .body(Full::from(body.clone()))
        .expect("a request");
    let response = near.block_on(send(&near, request));
    assert_eq!(response.headers()["grpc-status"], "7", "another host's name is not ours");
    assert_eq!(near.stored().len(), 0);
}

#[test]
fn everything_else_is_served_over_both_versions() {
    let server = Server::start();
    let get = Request::get(format!("http://{}/healthz", server.address()));
    let response = server.block_on(send(&server, get.body(Full::default()).expect("a request")));
    assert_eq!(response.status(), 200);
    let body = server.block_on(Body::new(response.into_body()).collect());
    assert_eq!(body.expect("a body").to_bytes(), r#"{"alive":true}"#);
    assert_eq!(server.client().get("/healthz").text(), r#"{"alive":true}"#);
}

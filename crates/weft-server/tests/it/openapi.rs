//! The description of the interface is true: the server is driven from it, and every answer is held against it.

mod described;
mod looped;
mod subscribed;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use weft_server::access::tokens::Scope;

use crate::client::Answer;
use crate::loops;
use crate::post::{DONE, claimed};
use crate::server::{Server, Setup};
use described::{Document, Operation};

/// Returns whether a status takes a machine in trouble; the tests of the limits see to those.
fn takes_trouble(name: &str) -> bool {
    let is_of_the_machine = name.ends_with(" 408") || name.ends_with(" 429");
    is_of_the_machine && !name.starts_with("GET /v1/stream")
}

/// A request, put together before it is sent.
#[derive(Clone, Debug, Default)]
struct Ask {
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Ask {
    fn query(mut self, name: &str, value: &str) -> Self {
        self.query.push((name.to_owned(), value.to_owned()));
        self
    }

    fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn body(mut self, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self.header("content-type", kind)
    }

    /// Sends it to where an operation is, with the examples of its path.
    fn send(&self, server: &Server, operation: &Operation<'_>) -> Answer {
        self.send_to(server, operation, &operation.example_path())
    }

    fn send_to(&self, server: &Server, operation: &Operation<'_>, path: &str) -> Answer {
        let query: Vec<String> =
            self.query.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect();
        let target = match query.as_slice() {
            [] => path.to_owned(),
            query => format!("{path}?{}", query.join("&")),
        };
        let mut client = server.client();
        let request = client.request(&operation.method, &target);
        let request =
            self.headers.iter().fold(request, |request, (name, value)| request.header(name, value));
        request.send(&self.body)
    }
}

fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

/// Returns the requests that the examples of an operation come to: one for each body, or one without.
fn examples(document: &Document, operation: &Operation<'_>) -> Vec<Ask> {
    let bodies = document.bodies(operation);
    if bodies.is_empty() {
        return vec![Ask::default()];
    }
    let ask = |(kind, value): (String, Value)| {
        let text = match value {
            Value::String(text) => text,
            value => value.to_string(),
        };
        match kind.as_str() {
            "*/*" => {
                let ce = document.parameters(operation, "header").into_iter();
                let ce = ce.filter(|(name, _)| name.starts_with("ce-"));
                let ask = Ask::default().body("application/vnd.door+json", text);
                ce.fold(ask, |ask, (name, example)| ask.header(&name, &example.expect("one")))
            }
            kind => Ask::default().body(kind, text),
        }
    };
    bodies.into_iter().map(ask).collect()
}

fn document(server: &Server) -> Document {
    Document::new(server.client().get("/openapi.json").json())
}

/// Returns what is documented but by no request of `seen`.
fn unseen(document: &Document, seen: &BTreeSet<String>) -> BTreeSet<String> {
    let documented = document.operations().into_iter().flat_map(|operation| {
        let statuses = operation.responses().keys().map(move |status| operation.named(status));
        statuses.collect::<Vec<String>>()
    });
    documented.filter(|name| !seen.contains(name)).collect()
}

#[test]
fn the_routes_of_the_server_are_those_of_the_document() {
    let server = Server::start();
    let documented: BTreeSet<String> =
        document(&server).operations().iter().map(|operation| operation.named("")).collect();
    let mut routed = BTreeSet::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    collect_routes(&source.join("http"), &mut routed);
    collect_routes_of(&source.join("otlp/http.rs"), &mut routed);
    assert_eq!(routed, documented);
}

/// Finds the routes in every file of a folder.
fn collect_routes(folder: &Path, routes: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the sources") {
        let path = entry.expect("it is readable").path();
        match path.is_dir() {
            true => collect_routes(&path, routes),
            false => collect_routes_of(&path, routes),
        }
    }
}

/// Finds `.route("path", method(…))` in a file.
fn collect_routes_of(file: &Path, routes: &mut BTreeSet<String>) {
    let text = std::fs::read_to_string(file).expect("a source is text");
    for route in text.split(".route(").skip(1) {
        let mut quoted = route.split('"');
        let (_, path) = (quoted.next(), quoted.next().expect("a path"));
        let handlers = quoted.next().expect("handlers").split(".route(").next().expect("one");
        let handlers = handlers.split(['\n', ';']).next().expect("one");
        let methods = ["get", "post", "put", "patch", "delete"];
        for method in methods.iter().filter(|method| handlers.contains(&format!("{method}("))) {
            routes.insert(format!("{} {path} ", method.to_uppercase()));
        }
    }
}

#[test]
fn every_operation_answers_its_examples_as_it_says() {
    let server = Server::start();
    let document = document(&server);
    let mut operations = document.operations();
    // What is read has to be there, and what is removed was read before.
    operations.sort_by_key(|operation| match operation.method.as_str() {
        "POST" => 0,
        "DELETE" => 2,
        _ => 1,
    });
    for operation in &operations {
        for mut ask in examples(&document, operation) {
            if operation.path.ends_with("/ack") {
                ask.body = subscribed::with_lease(&server, &ask.body);
            }
            match operation.path {
                "/v1/loops/control" => loops::begin_untaken(&server),
                "/v1/loops/{session}/control" => loops::begin(&server, "s1"),
                _ => {}
            }
            let answer = ask.send(&server, operation);
            assert!(answer.status < 300, "{operation}: {ask:?} {}", answer.shown());
            document.check(operation, &answer);
        }
        let base = examples(&document, operation).remove(0);
        for (name, example) in document.parameters(operation, "query") {
            if let Some(example) = example {
                let ask = base.clone().query(&name, &example);
                let answer = ask.send(&server, operation);
                let alone_is_wrong = name == "key";
                assert_eq!(answer.status < 300, !alone_is_wrong, "{operation}: {ask:?}");
                document.check(operation, &answer);
            }
            let answer = base.clone().query(&name, "\u{0}~garbage~").send(&server, operation);
            document.check(operation, &answer);
        }
        for (name, example) in document.parameters(operation, "header") {
            for value in example.into_iter().chain(["~garbage~".to_owned()]) {
                let answer = base.clone().header(&name, &value).send(&server, operation);
                document.check(operation, &answer);
            }
        }
        if operation.responses().contains_key("101") {
            let answer = Ask::default()
                .header("connection", "upgrade")
                .header("upgrade", "websocket")
                .header("sec-websocket-version", "13")
                .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
                .send(&server, operation);
            assert_eq!(document.check(operation, &answer), operation.named("101"));
        }
    }
}

/// Makes a server answer everything that it can be made to, and notes what came.
struct Provoked {
    document: Document,
    seen: BTreeSet<String>,
}

impl Provoked {
    fn note(&mut self, operation: &Operation<'_>, answer: &Answer) {
        self.seen.insert(self.document.check(operation, answer));
    }

    /// Sends what any operation may be sent.
    fn strange_requests(&mut self, server: &Server) {
        let asks = [
            Ask::default(),
            Ask::default().query("nothing", "1"),
            Ask::default().query("access_token", "x"),
            Ask::default().query("at", "99999"),
            Ask::default().query("upto", "99999"),
            Ask::default().header("host", "evil.example"),
            Ask::default().header("origin", "https://evil.example"),
            Ask::default().header("authorization", "Bearer weft_nobody_knows_it"),
            Ask::default().header("authorization", "Bearer a").header("authorization", "Bearer b"),
            Ask::default().header("accept", "text/html"),
            // A page of the present has no tag that could be known.
            Ask::default().query("at", "1").header("if-none-match", "*"),
        ];
        for operation in &self.document.clone().operations() {
            for ask in &asks {
                let answer = ask.send(server, operation);
                self.note(operation, &answer);
            }
            for (position, id) in [("%ff", "%ff"), ("99999", "nobody"), ("ffff:1", "s1")] {
                let path = operation.path.replace("{position}", position);
                let path = path.replace("{id}", id).replace("{name}", id).replace("{view}", id);
                let path = path.replace("{session}", id);
                self.note(operation, &Ask::default().send_to(server, operation, &path));
            }
        }
    }

    /// Sends each operation a token of another scope than it says, and none.
    fn tokens(&mut self) {
        let server = Server::wide();
        let [read, write, admin] = Scope::ALL.map(|scope| server.token(scope));
        for operation in &self.document.clone().operations() {
            let answer = Ask::default().send(&server, operation);
            assert_eq!(answer.status != 401, operation.scopes().is_empty(), "{operation}");
            self.note(operation, &answer);
            let sent = |token: &str| {
                let authorization = format!("Bearer {token}");
                Ask::default().header("authorization", &authorization).send(&server, operation)
            };
            let (good, other) = match operation.scopes()[..] {
                [] => continue,
                ["read"] => (&read, &write),
                ["write"] => (&write, &read),
                ["admin"] => (&admin, if operation.method == "DELETE" { &write } else { &read }),
                ["read", "write"] => {
                    let may = |token| ![401, 403].contains(&sent(token).status);
                    assert!(may(&read) && may(&write) && may(&admin), "{operation}");
                    continue;
                }
                ref other => panic!("{operation} needs {other:?}"),
            };
            let refused = sent(other);
            match operation.path {
                // An exporter is told in its own form, in which the code is gRPC's.
                "/v1/logs" | "/v1/traces" | "/v1/metrics" => {
                    assert_eq!((refused.status, &refused.json()["code"]), (403, &Value::from(7)));
                }
                _ => assert_eq!(refused.failure(), (403, "wrong_scope".to_owned()), "{operation}"),
            }
            self.note(operation, &refused);
            assert!(![401, 403].contains(&sent(good).status), "{operation}");
        }
        std::fs::write(server.store().root().join("tokens.json"), b"[").expect("written");
        for operation in &self.document.clone().operations() {
            let ask = Ask::default().header("authorization", &format!("Bearer {read}"));
            self.note(operation, &ask.send(&server, operation));
        }
    }

    /// Sends messages that the protocol knows no answer to, or that have none.
    fn messages(&mut self, server: &Server) {
        let document = self.document.clone();
        let operations = document.operations();
        let mcp =
            operations.iter().find(|operation| operation.path == "/mcp").expect("it is there");
        let notice = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let known = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let unknown = r#"{"jsonrpc":"2.0","id":1,"method":"tools/guess","params":{"_meta":{
            "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
        let unknown = Ask::default()
            .body("application/json", unknown)
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/guess");
        let known = Ask::default().body("application/json", known);
        let page = known.clone().header("accept", "text/html");
        for ask in [Ask::default().body("application/json", notice), known, unknown, page] {
            self.note(mcp, &ask.send(server, mcp));
        }
    }

    /// Meets every limit and every place that is gone.
    fn limits(&mut self) {
        let server = Server::limited(|limits| {
            limits.body_bytes_max = 10_000_000;
            limits.streams_max = 0;
        });
        let (server, first) = (&server, traced(1));
        let many: Vec<String> = (1..=20_001).map(traced).collect();
        for operation in &self.document.clone().operations() {
            let takes_body = !self.document.bodies(operation).is_empty();
            let mut note = |ask: Ask| {
                let answer = ask.send(server, operation);
                self.note(operation, &answer);
            };
            if takes_body {
                note(Ask::default().body("application/x-ndjson", many.join("\n")));
                note(Ask::default().body("application/json", "{}"));
                note(Ask::default().body("application/json", "[{}]"));
                note(Ask::default().body("image/png", "x"));
                note(Ask::default().body("application/json", vec![b' '; 10_000_001]));
                let topic = Ask::default().query("topic", "t").query("key", "k");
                note(topic.query("expect_last", "7").body("application/json", first.clone()));
            } else {
                note(Ask::default());
                note(Ask::default().query("after", "ffff:1"));
            }
        }
        std::fs::remove_file(server.store().root().join("head")).expect("it is there");
        std::fs::remove_file(server.store().index()).expect("it is there");
        for operation in &self.document.clone().operations() {
            if operation.method == "GET" {
                let answer = Ask::default().query("after", "1").send(server, operation);
                self.note(operation, &answer);
                self.note(operation, &Ask::default().query("at", "1").send(server, operation));
                self.note(operation, &Ask::default().send(server, operation));
            }
        }
    }
}

/// Returns an event of the session and the trace that the document has as examples.
fn traced(sequence: u64) -> String {
    let event = claimed(sequence).replace("\"session_id\":\"s\"", "\"session_id\":\"s1\"");
    let trace =
        r#""trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"00f067aa0ba902b7","data""#;
    event.replacen("\"data\"", trace, 1)
}

#[test]
fn every_answer_is_one_that_the_document_knows_and_every_one_there_is_comes() {
    let server = Server::with(Setup::default());
    let document = document(&server);
    let mut provoked = Provoked { document: document.clone(), seen: BTreeSet::new() };
    server.client().post("/v1/events", traced(1));
    server.client().post("/v1/events", DONE);
    provoked.strange_requests(&server);
    provoked.messages(&server);
    provoked.tokens();
    provoked.limits();
    provoked.subscriptions();
    provoked.loops();
    let upgrade = "GET /v1/stream 101".to_owned();
    let mut unseen = unseen(&document, &provoked.seen);
    assert!(unseen.remove(&upgrade), "the examples see to it");
    unseen.retain(|name| !takes_trouble(name));
    assert_eq!(unseen, BTreeSet::new());
}

#[test]
fn what_is_no_http_is_refused_without_a_word() {
    let server = Server::start();
    let long = format!("GET / HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "y".repeat(70_000));
    let many = format!("GET / HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "x: y\r\n".repeat(200));
    for (request, status) in [
        ("GET /v1/events?a b HTTP/1.1\r\nhost: localhost\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nhost\r\n\r\n", 400),
        (&long, 431),
        (&many, 431),
    ] {
        let mut client = server.client();
        client.write(request.as_bytes());
        let answer = client.answer().unwrap_or_else(|| panic!("no answer to {}", &request[..20]));
        assert_eq!((answer.status, answer.body.len()), (status, 0));
    }
}

//! A subscription from its making to its end, with everything that can be answered on the way.

use weft_event::Dialect;
use weft_event::event::Expect;
use weft_log::TopicKey;
use weft_log::admit::{Arrival, Gate, Strictness};
use weft_log::blobs::Which;
use weft_log::log::{Batch, Durability};
use weft_server::subs::books::DEFINITIONS;

use super::{Ask, Provoked};
use crate::post::claimed;
use crate::server::Server;

/// Has the example of a report be about events that are lent.
pub(super) fn with_lease(server: &Server, body: &[u8]) -> Vec<u8> {
    let sequence = 1_000_000 + server.core().last();
    assert_eq!(server.client().post("/v1/events", claimed(sequence)).status, 202);
    let lent = server.client().get("/v1/subscriptions/board/events?wait=60").json();
    let mut report: serde_json::Value = serde_json::from_slice(body).expect("the example is JSON");
    assert!(lent["lease"].is_string(), "{lent}");
    report["lease"] = lent["lease"].clone();
    report.to_string().into_bytes()
}

impl Provoked {
    /// Leads a subscription through its life.
    pub(super) fn subscriptions(&mut self) {
        let server = Server::limited(|limits| limits.subscriptions.subscriptions_max = 2);
        let board = r#"{"name":"board","kind":"pull","from":"start"}"#;
        let all = r#"{"all":true}"#;
        let elsewhere = r#"{"positions":["ffff:1"]}"#;
        for (asked, body, status) in [
            ("POST /v1/subscriptions/{name}/ack", r#"{"lease":"x","upto":1}"#, 404),
            ("POST /v1/subscriptions/{name}/replay", r#"{"from":1}"#, 404),
            ("POST /v1/subscriptions", board, 201),
            ("POST /v1/subscriptions", board, 409),
            ("POST /v1/subscriptions", r#"{"name":"x","kind":"pull","from":"ffff:1"}"#, 410),
            ("POST /v1/subscriptions", r#"{"name":"x","kind":"pull","from":1000000}"#, 410),
            ("POST /v1/subscriptions", r#"{"name":"x","kind":"command","command":["id"]}"#, 403),
            ("POST /v1/subscriptions", r#"{"name":"x","kind":"webhook","url":"ftp://a"}"#, 400),
            ("POST /v1/subscriptions", r#"{"name":"x","kind":"pull","filter":"(("}"#, 400),
            ("POST /v1/subscriptions", r#"{"name":"x y","kind":"pull"}"#, 400),
            ("POST /v1/subscriptions", r#"{"name":"x","kind":"pigeon"}"#, 400),
            ("POST /v1/subscriptions", r#"{"name":"x","kind":"pull","blobs":"yes"}"#, 400),
            ("POST /v1/subscriptions", r#"{"colour":"red"}"#, 400),
            ("GET /v1/subscriptions", "", 200),
            ("GET /v1/subscriptions/{name}", "", 200),
            ("POST /v1/subscriptions/{name}/ack", r#"{"lease":"x","positions":["ffff:1"]}"#, 410),
            ("POST /v1/subscriptions/{name}/ack", r#"{"lease":"x","upto":1}"#, 409),
            ("GET /v1/subscriptions/{name}/events", "", 200),
            ("POST /v1/subscriptions/{name}/pause", "", 200),
            ("GET /v1/subscriptions/{name}/events", "", 409),
            ("POST /v1/subscriptions/{name}/resume", "", 200),
            ("POST /v1/subscriptions/{name}/replay", r#"{"from":1}"#, 200),
            ("POST /v1/subscriptions/{name}/replay", r#"{"from":1000000}"#, 410),
            ("GET /v1/subscriptions/{name}/dead", "", 200),
            ("POST /v1/subscriptions/{name}/dead/replay", all, 200),
            ("POST /v1/subscriptions/{name}/dead/replay", elsewhere, 410),
            ("POST /v1/subscriptions/{name}/dead/replay", r#"{"positions":[7]}"#, 404),
            ("POST /v1/subscriptions/{name}/dead/drop", all, 200),
            ("POST /v1/subscriptions/{name}/dead/drop", elsewhere, 410),
            ("POST /v1/subscriptions/{name}/dead/drop", r#"{"positions":[7]}"#, 404),
        ] {
            self.expect(&server, asked, body.as_bytes(), status);
        }
        let report = with_lease(&server, br#"{"upto":1000000}"#);
        self.expect(&server, "POST /v1/subscriptions/{name}/ack", &report, 200);
        self.not_understood(&server);
        self.expect(&server, "DELETE /v1/subscriptions/{name}", b"", 200);
        self.expect(&server, "DELETE /v1/subscriptions/{name}", b"", 404);
    }

    /// Has one that a newer version made in the place of another: it is shown, and left as it is.
    fn not_understood(&mut self, server: &Server) {
        let line = r#"{"weft":1,"type":"subscription.changed","id":"n","at":"2026-11-16T00:00:00Z","data":{"name":"new","kind":"pigeon"}}"#;
        let mut gate = Gate::new(server.store(), Which::Largest, Strictness::Strict);
        let topic = TopicKey { topic: DEFINITIONS.to_owned(), key: Some("new".to_owned()) };
        let admitted = gate.admit_own(&Arrival {
            line: line.as_bytes(),
            expect: Expect::Dialect(Dialect::Weft),
            via: "test",
            delivery: None,
            topic: Some(&topic),
        });
        let events = vec![admitted.expect("it is one of ours")];
        let batch = Batch { events, conditions: Vec::new(), durability: Durability::Synced };
        server.block_on(server.core().appender().append(batch)).expect("it is written");
        let more = br#"{"name":"more","kind":"pull"}"#;
        self.expect(server, "POST /v1/subscriptions", more, 409);
        for operation in &self.document.clone().operations() {
            let body = self.document.bodies(operation).first().map(|(_, value)| value.to_string());
            if !operation.path.contains("{name}") {
                continue;
            }
            let ask = match body {
                Some(body) => Ask::default().body("application/json", body),
                None => Ask::default(),
            };
            let answer = ask.send_to(server, operation, &operation.path.replace("{name}", "new"));
            let is_looked_at = operation.method == "GET" && !operation.path.ends_with("/events");
            assert_eq!(answer.status, if is_looked_at { 200 } else { 409 }, "{operation}");
            self.note(operation, &answer);
        }
    }

    pub(super) fn expect(&mut self, server: &Server, asked: &str, body: &[u8], status: u16) {
        let document = self.document.clone();
        let operations = document.operations();
        let operation = operations.iter().find(|operation| operation.to_string() == asked);
        let operation = operation.unwrap_or_else(|| panic!("{asked} is not described"));
        let ask = match body {
            b"" => Ask::default(),
            body => Ask::default().body("application/json", body),
        };
        let answer = ask.send(server, operation);
        assert_eq!(answer.status, status, "{asked} {answer:?}");
        self.note(operation, &answer);
        if !self.document.bodies(operation).is_empty() {
            let ask = Ask::default().header("content-encoding", "tar");
            self.note(operation, &ask.send(server, operation));
        }
    }
}

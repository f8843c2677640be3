//! Requests that do not belong here: of other hosts, of other pages, with tokens that are good for something else.

use super::assert_well;
use crate::client::Client;
use crate::sandbox::{FINE, Sandbox};
use crate::served::Served;

/// Every kind of address, with its method.
const REQUESTS: &[&str] = &[
    "GET /v1/events",
    "GET /v1/events/1",
    "GET /v1/sessions/s",
    "GET /v1/traces/t",
    "GET /v1/stream",
    "GET /v1/subscriptions",
    "GET /v1/subscriptions/a/events",
    "GET /metrics",
    "GET /openapi.json",
    "GET /healthz",
    "GET /nowhere",
    "POST /v1/events",
    "POST /v1/subscriptions",
    "POST /v1/subscriptions/a/pause",
    "DELETE /v1/subscriptions/a",
    "OPTIONS /v1/events",
];

/// What a page of somebody else's sends after its name was made to point at this machine, and what a page sends without that.
const FOREIGN: &[(&str, &str)] = &[
    ("host: evil.example\r\norigin: http://evil.example\r\n", "wrong_host"),
    ("host: evil.example:PORT\r\n", "wrong_host"),
    ("host: localhost.evil.example:PORT\r\n", "wrong_host"),
    ("host: 127.0.0.1.evil.example\r\n", "wrong_host"),
    ("host: 10.0.0.7:PORT\r\n", "wrong_host"),
    ("host: 0.0.0.0:PORT\r\n", "wrong_host"),
    ("host: [::ffff:10.0.0.7]:PORT\r\n", "wrong_host"),
    ("origin: http://evil.example\r\n", "wrong_origin"),
    ("origin: https://127.0.0.1:1\r\n", "wrong_origin"),
    ("origin: null\r\n", "wrong_origin"),
    // An image of a page names no origin.
    ("sec-fetch-site: cross-site\r\nsec-fetch-mode: no-cors\r\n", "wrong_origin"),
    ("sec-fetch-site: same-site\r\nsec-fetch-mode: no-cors\r\n", "wrong_origin"),
    ("host: localhost:PORT\r\nhost: evil.example\r\n", "bad_host"),
    ("host: localhost\u{7f}\r\n", ""),
];

#[test]
fn pages_of_other_hosts_and_origins_get_nothing_and_change_nothing() {
    let sandbox = Sandbox::with_store(&[]);
    let served = Served::start(&sandbox);
    let port = served.http.rsplit_once(':').unwrap().1;
    for request in REQUESTS {
        for (headers, code) in FOREIGN {
            let headers = headers.replace("PORT", port);
            let answer = Client::connect(&served.http).ask(request, &headers, FINE.as_bytes());
            let answer = answer.unwrap_or_else(|| panic!("no answer to {request} {headers}"));
            assert!(matches!(answer.status, 400 | 403), "{} to {request} {headers}", answer.status);
            assert!(!answer.head.contains("access-control-allow"), "{}", answer.head);
            if !code.is_empty() {
                assert_eq!(answer.failure().1, *code, "{request} {headers}");
            }
        }
    }
    assert!(sandbox.log().is_empty(), "{:?}", sandbox.log());
    assert_well(served);
}

#[test]
fn a_token_is_good_for_its_scope_alone_also_where_none_is_needed() {
    let sandbox = Sandbox::with_store(&[]);
    let tokens = ["read", "write", "admin"].map(|scope| {
        let made = sandbox.run(&["token", "new", scope, "--scope", scope]);
        assert_eq!(made.code, 0, "{}", made.show());
        made.stdout.trim().to_owned()
    });
    let served = Served::start(&sandbox);
    let ask = |request: &str, token: &str| {
        let header = format!("authorization: Bearer {token}\r\n");
        let answer = Client::connect(&served.http).ask(request, &header, FINE.as_bytes()).unwrap();
        match answer.status {
            400.. => format!("{} {}", answer.status, answer.failure().1),
            status => status.to_string(),
        }
    };
    let [read, write, admin] = &tokens;
    assert_eq!(ask("POST /v1/events", read), "403 wrong_scope");
    assert_eq!(ask("GET /v1/events", write), "403 wrong_scope");
    assert_eq!(ask("GET /metrics", write), "403 wrong_scope");
    assert_eq!(ask("DELETE /v1/subscriptions/a", write), "403 wrong_scope");
    assert_eq!(ask("DELETE /v1/subscriptions/a", read), "403 wrong_scope");
    assert_eq!(ask("DELETE /v1/subscriptions/a", admin), "404 not_found");
    assert_eq!(ask("GET /v1/events", &read[..read.len() - 1]), "401 unknown_token");
    assert_eq!(ask("GET /v1/events", "x"), "401 unknown_token");
    assert_eq!(ask("GET /v1/events", read), "200");
    assert_eq!(ask("POST /v1/events", write), "202");
    let log = sandbox.log();
    assert_eq!(log.len(), 1, "{log:?}");
    assert_well(served);
}

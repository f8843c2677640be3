//! Who is let in: hosts, origins, tokens and their scopes.

use std::time::Duration;

use weft_server::access::Demand;
use weft_server::access::tokens::{NewToken, Scope, TokenFile};

use crate::post::DONE;
use crate::server::{Server, Setup};

fn failure(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[test]
fn only_requests_for_this_machine_are_answered() {
    let server = Server::start();
    let port = server.address().port();
    for host in
        ["localhost", "LocalHost:1", "127.0.0.1", "[::1]", "[::1]:80", &format!("127.0.0.1:{port}")]
    {
        let answer = server.client().request("GET", "/healthz").header("host", host).send(b"");
        assert_eq!(answer.status, 200, "{host}");
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.nip.io",
        "192.168.1.7",
        "0.0.0.0",
        "[::]",
        "x",
    ] {
        for target in ["/healthz", "/v1/events", "/nowhere"] {
            let answer = server.client().request("GET", target).header("host", host).send(b"");
            assert_eq!(answer.failure(), failure(403, "wrong_host"), "{host} {target}");
        }
    }
    let mut setup = Setup::default();
    setup.rules.hosts = vec!["board.local".to_owned()];
    let server = Server::with(setup);
    let mut client = server.client();
    assert_eq!(
        client.request("GET", "/healthz").header("host", "Board.local:8").send(b"").status,
        200
    );
    let answer = client.request("GET", "/healthz").header("host", "other.local").send(b"");
    assert_eq!(answer.failure(), failure(403, "wrong_host"));
}

#[test]
fn a_request_names_one_host() {
    let server = Server::start();
    let mut client = server.client();
    client.write(b"GET /healthz HTTP/1.1\r\n\r\n");
    assert_eq!(client.answer().expect("an answer").failure(), failure(400, "bad_host"));
    let request = client.request("GET", "/healthz").header("host", "localhost");
    let answer = request.header("host", "localhost").send(b"");
    assert_eq!(answer.failure(), failure(400, "bad_host"));
    let mut client = server.client();
    client.write(b"GET http://evil.example/healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert_eq!(client.answer().expect("an answer").failure(), failure(403, "wrong_host"));
}

#[test]
fn pages_of_other_origins_are_turned_away() {
    let server = Server::start();
    let own = format!("http://{}", server.address());
    let mut client = server.client();
    let answer = client.request("POST", "/v1/events").header("origin", &own).send(DONE.as_bytes());
    assert_eq!(answer.status, 202);
    assert_eq!(answer.header("access-control-allow-origin"), None);
    for origin in
        ["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1", "file://", ""]
    {
        let request = client.request("POST", "/v1/events").header("origin", origin);
        let answer = request.header("content-type", "text/plain").send(DONE.as_bytes());
        assert_eq!(answer.failure(), failure(403, "wrong_origin"), "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    assert_eq!(server.stored().len(), 1);
}

#[test]
fn what_a_page_of_another_site_loads_is_turned_away() {
    let mut setup = Setup::default();
    setup.rules.origins = vec!["https://board.example".to_owned()];
    let server = Server::with(setup);
    let mut client = server.client();
    let mut ask = |request: &str, headers: &[(&str, &str)]| {
        let (method, target) = request.split_once(' ').expect("a method and a target");
        let request = client.request(method, target);
        let request = headers.iter().fold(request, |request, (name, value)| {
            request.header(&format!("sec-fetch-{name}"), value)
        });
        let answer = request.send(b"");
        if answer.status == 403 { answer.failure().1 } else { "let in".to_owned() }
    };
    for site in ["cross-site", "same-site"] {
        for mode in ["no-cors", "cors", "navigate"] {
            let headers = [("site", site), ("mode", mode)];
            for request in ["GET /v1/events", "GET /v1/subscriptions/a/events", "POST /fleet"] {
                assert_eq!(ask(request, &headers), "wrong_origin", "{request} {headers:?}");
            }
            let seen = if mode == "navigate" { "let in" } else { "wrong_origin" };
            assert_eq!(ask("GET /fleet", &headers), seen, "{headers:?}");
        }
        assert_eq!(ask("GET /v1/events", &[("site", site)]), "wrong_origin");
    }
    for site in ["same-origin", "none"] {
        let headers = [("site", site), ("mode", "no-cors")];
        assert_eq!(ask("GET /v1/events", &headers), "let in", "{site}");
    }
    let request = client.request("GET", "/v1/events").header("origin", "https://board.example");
    assert_eq!(request.header("sec-fetch-site", "cross-site").send(b"").status, 200);
}

#[test]
fn a_named_origin_is_told_that_it_may_ask() {
    let mut setup = Setup::default();
    setup.rules.origins = vec!["https://board.example".to_owned()];
    let server = Server::with(setup);
    let mut client = server.client();
    let request = client.request("POST", "/v1/events").header("origin", "https://board.example");
    let answer = request.send(DONE.as_bytes());
    assert_eq!(answer.status, 202);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://board.example"));
    assert_eq!(answer.header("vary"), Some("Origin"));
    let request = client.request("OPTIONS", "/v1/events").header("origin", "https://board.example");
    let answer = request.header("access-control-request-method", "POST").send(b"");
    assert_eq!(answer.status, 204);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://board.example"));
    let request = client.request("OPTIONS", "/v1/events").header("origin", "https://evil.example");
    let answer = request.header("access-control-request-method", "POST").send(b"");
    assert_eq!(answer.failure(), failure(403, "wrong_origin"));
}

#[test]
fn from_afar_a_token_of_the_right_scope_is_needed() {
    let server = Server::wide();
    let tokens = Scope::ALL.map(|scope| server.token(scope));
    let [read, write, admin] = [0, 1, 2].map(|idx| tokens[idx].as_str());
    let mut client = server.client();
    let answer = client.post("/v1/events", DONE);
    assert_eq!(answer.failure(), failure(401, "no_token"));
    assert_eq!(answer.header("www-authenticate"), Some("Bearer realm=\"weft\""));
    assert_eq!(client.get("/metrics").failure(), failure(401, "no_token"));
    assert_eq!(client.get("/v1/nowhere").failure(), failure(401, "no_token"));
    assert_eq!(client.get("/healthz").status, 200);
    assert_eq!(client.get("/readyz").status, 200);
    let mut ask = |method: &str, target: &str, token: &str| {
        let request = client.request(method, target).bearer(token);
        let answer = request.send(if method == "POST" { DONE.as_bytes() } else { b"" });
        let code = match answer.status {
            400.. => answer.failure().1,
            _ => String::new(),
        };
        format!("{} {code}", answer.status)
    };
    assert_eq!(ask("POST", "/v1/events", write), "202 ");
    assert_eq!(ask("POST", "/v1/events", admin), "202 ");
    assert_eq!(ask("POST", "/v1/events", read), "403 wrong_scope");
    assert_eq!(ask("GET", "/metrics", read), "200 ");
    assert_eq!(ask("GET", "/metrics", admin), "200 ");
    assert_eq!(ask("GET", "/metrics", write), "403 wrong_scope");
    assert_eq!(ask("GET", "/v1/tokens", read), "403 wrong_scope");
    assert_eq!(ask("POST", "/v1/subscriptions", write), "403 wrong_scope");
    assert_eq!(ask("POST", "/v1/events", "weft_made_up"), "401 unknown_token");
    assert_eq!(ask("POST", "/v1/events", ""), "401 no_token");
    assert_eq!(ask("POST", "/v1/events", &write[..write.len() - 1]), "401 unknown_token");
    let file = TokenFile::new(server.store());
    file.revoke("write").expect("it is there");
    assert_eq!(ask("POST", "/v1/events", write), "401 unknown_token");
    let new = NewToken { name: None, scopes: &[Scope::Write], expires_us: Some(2) };
    let (_, old) = file.add(&new, 1).expect("a token");
    assert_eq!(ask("POST", "/v1/events", old.reveal()), "401 expired_token");
    assert_eq!(server.stored().len(), 2);
}

#[test]
fn other_kinds_of_authorization_are_no_token() {
    let server = Server::wide();
    let mut client = server.client();
    for text in ["Basic dTpw", "weft_abc", "Bearer", "Digest x"] {
        let request = client.request("GET", "/metrics").header("authorization", text);
        assert_eq!(request.send(b"").failure(), failure(401, "no_token"), "{text}");
    }
    let request = client.request("GET", "/metrics").bearer("a").bearer("b");
    assert_eq!(request.send(b"").failure(), failure(400, "bad_authorization"));
}

#[test]
fn a_token_that_is_sent_to_a_local_server_counts() {
    let server = Server::start();
    let read = server.token(Scope::Read);
    let mut client = server.client();
    let request = client.request("POST", "/v1/events").bearer(&read);
    assert_eq!(request.send(DONE.as_bytes()).failure(), failure(403, "wrong_scope"));
    let request = client.request("POST", "/v1/events").bearer("weft_other");
    assert_eq!(request.send(DONE.as_bytes()).failure(), failure(401, "unknown_token"));
    assert_eq!(client.post("/v1/events", DONE).status, 202);
}

#[test]
fn a_token_in_an_address_is_refused() {
    for server in [Server::start(), Server::wide()] {
        let mut client = server.client();
        for target in [
            "/v1/events?token=weft_x",
            "/v1/events?strict=true&access_token=weft_x",
            "/v1/events?Access_Token=weft_x",
            "/v1/events?%74oken=weft_x",
            "/healthz?token",
        ] {
            let answer = client.request("GET", target).send(b"");
            assert_eq!(answer.failure(), failure(400, "token_in_url"), "{target}");
            assert!(!answer.text().contains("weft_x"));
        }
    }
}

#[test]
fn a_damaged_token_file_lets_nobody_in() {
    let server = Server::wide();
    let admin = server.token(Scope::Admin);
    std::fs::write(server.store().root().join("tokens.json"), "{}").expect("written");
    let answer = server.client().request("GET", "/metrics").bearer(&admin).send(b"");
    assert_eq!(answer.failure(), failure(503, "tokens_unreadable"));
    assert_eq!(answer.header("retry-after"), Some("5"));
}

#[test]
fn named_hosts_bind_a_wide_server_too() {
    let mut setup = Setup::default();
    setup.rules.demand = Demand::Token;
    setup.rules.hosts = vec!["weft.example".to_owned()];
    let server = Server::with(setup);
    let mut client = server.client();
    let answer = client.request("GET", "/healthz").header("host", "weft.example").send(b"");
    assert_eq!(answer.status, 200);
    let answer = client.request("GET", "/healthz").header("host", "else.example").send(b"");
    assert_eq!(answer.failure(), failure(403, "wrong_host"));
}

#[test]
fn a_stream_ends_when_its_token_is_revoked_and_others_go_on() {
    let mut setup = Setup::default();
    setup.rules.demand = Demand::Token;
    setup.limits.heartbeat = Duration::from_millis(20);
    let server = Server::with(setup);
    let (read, admin) = (server.token(Scope::Read), server.token(Scope::Admin));
    let open = |token: &str, websocket: bool| {
        let mut client = server.client();
        let mut request = client.request("GET", "/v1/stream").bearer(token);
        if websocket {
            request = request.header("connection", "upgrade").header("upgrade", "websocket");
            request = request.header("sec-websocket-version", "13");
            request = request.header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        } else {
            request = request.header("connection", "close");
        }
        request.send_head();
        // Only what is open can be ended; who comes too late is refused instead.
        let status = client.line().expect("an answer");
        assert!(status.ends_with(if websocket { "101 Switching Protocols" } else { "200 OK" }));
        client
    };
    let mut revoked = [open(&read, false), open(&read, true)];
    let mut stays = open(&admin, false);
    TokenFile::new(server.store()).revoke("read").expect("it is there");
    for client in &mut revoked {
        let rest = client.rest();
        assert!(String::from_utf8_lossy(&rest).contains(r#"{"why":"revoked","after":"#));
    }
    let answer = server.client().request("GET", "/v1/stream").bearer(&read).send(b"");
    assert_eq!(answer.failure(), failure(401, "unknown_token"));
    let sent = server.client().request("POST", "/v1/events").bearer(&admin).send(DONE.as_bytes());
    assert_eq!(sent.status, 202);
    while !stays.line().expect("it goes on").contains("COMPLETE") {}
}

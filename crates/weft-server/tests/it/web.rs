//! The dashboard as a browser meets it, built or not: a page at each of its addresses, and nothing where there is nothing.

use crate::server::Server;
use weft_server::access::tokens::Scope;

#[test]
fn every_address_of_the_dashboard_gives_its_page() {
    let server = Server::start();
    let page = server.client().get("/");
    assert_eq!((page.status, page.header("cache-control")), (200, Some("no-cache")));
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.text().starts_with("<!doctype html>"), "{}", page.text());
    for path in ["/fleet", "/session/a.b?at=4", "/log?filter=level%3E%3Dwarn", "/trace/4bf9"] {
        let other = server.client().get(path);
        assert_eq!((other.status, &other.body), (200, &page.body), "{path}");
    }
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; "), "{policy}");
}

#[test]
fn a_head_is_the_page_without_its_body() {
    let server = Server::start();
    let mut client = server.client();
    let page = client.get("/fleet");
    for path in ["/", "/fleet"] {
        let head = client.request("HEAD", path).send(b"");
        assert_eq!((head.status, head.body.len()), (200, 0));
        assert_eq!(head.header("content-length"), page.header("content-length"));
    }
    assert_eq!(client.get("/healthz").status, 200, "the connection is still in order");
}

#[test]
fn a_page_that_is_known_is_not_sent_again() {
    let server = Server::start();
    let page = server.client().get("/");
    let tag = page.header("etag").expect("a tag");
    let again = server.client().request("GET", "/fleet").header("if-none-match", tag).send(b"");
    assert_eq!((again.status, again.body.len()), (304, 0));
}

#[test]
fn what_is_no_file_of_the_dashboard_is_told() {
    let server = Server::start();
    for path in ["/assets/nothing-0.js", "/nothing.svg", "/assets/../index.html", "/v1/nothing"] {
        assert_eq!(server.client().get(path).failure(), (404, "unknown_path".to_owned()), "{path}");
    }
    assert_eq!(server.client().post("/", "x").failure(), (405, "wrong_method".to_owned()));
    assert_eq!(server.client().post("/fleet", "x").failure(), (404, "unknown_path".to_owned()));
}

#[test]
fn a_page_needs_no_token_and_what_it_asks_for_does() {
    let server = Server::wide();
    for path in ["/", "/fleet"] {
        assert_eq!(server.client().get(path).status, 200, "{path}");
    }
    assert_eq!(server.client().get("/assets/x.js").failure().0, 404);
    assert_eq!(server.client().get("/v1/views/fleet").failure(), (401, "no_token".to_owned()));
    assert_eq!(server.client().get("/metrics").failure(), (401, "no_token".to_owned()));
    assert_eq!(server.client().get("/?token=x").failure(), (400, "token_in_url".to_owned()));
    let token = server.token(Scope::Read);
    let mut client = server.client();
    assert_eq!(client.request("GET", "/v1/views/fleet").bearer(&token).send(b"").status, 200);
}

#[test]
fn a_page_is_for_no_other_host_and_no_other_origin() {
    let server = Server::start();
    for (name, value, code) in
        [("host", "evil.example", "wrong_host"), ("origin", "https://evil.example", "wrong_origin")]
    {
        let answer = server.client().request("GET", "/fleet").header(name, value).send(b"");
        assert_eq!(answer.failure(), (403, code.to_owned()));
    }
}

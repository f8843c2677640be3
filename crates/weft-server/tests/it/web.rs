//! The dashboard as a browser meets it, built or not: a page at each of its addresses, and nothing where there is nothing.

use serde_json::Value;
use weft_server::access::tokens::Scope;

use crate::client::Answer;
use crate::server::Server;

/// What a page that comes with rows ends with, before the rest of it.
const BLOCK: &str = "<script type=\"application/json\" id=\"first\">";

/// Stores an actor whose message is nothing that a page may run.
fn post_hostile(server: &Server, token: Option<&str>) {
    let event = r#"{"version":"1.0.0","timestamp":"2026-11-16T09:30:00Z","event_type":"activity.progress","agent_id":"a","session_id":"s","message":"</script><script>alert(1)</script><!--"}"#;
    let mut client = server.client();
    let request = client.request("POST", "/v1/events").header("content-type", "application/json");
    let request = match token {
        Some(token) => request.bearer(token),
        None => request,
    };
    let answer = request.send(event.as_bytes());
    assert_eq!(answer.status, 202, "{}", answer.shown());
}

/// Gets a page, which comes in parts if it comes with rows.
fn page_at(server: &Server, path: &str, token: Option<&str>) -> Answer {
    let mut client = server.client();
    let request = client.request("GET", path);
    let request = match token {
        Some(token) => request.bearer(token),
        None => request,
    };
    let mut page = request.send(b"");
    while page.header("transfer-encoding").is_some() {
        let n = client.line().expect("a length");
        match usize::from_str_radix(&n, 16).expect("a number") {
            0 => break,
            n => page.body.extend(client.take(n).expect("a part")),
        }
        assert_eq!(client.line().as_deref(), Some(""));
    }
    page
}

/// Returns what a page came with; `None` if nothing.
fn rows_of(page: &Answer) -> Option<Value> {
    let (_, rest) = page.text().split_once(BLOCK)?;
    let (json, rest) = rest.split_once("</script>")?;
    assert_eq!(rest.trim(), "</body>\n</html>".trim(), "nothing else ends it");
    Some(serde_json::from_str(json).expect("it is JSON"))
}

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

#[test]
fn a_page_comes_with_what_the_interface_answers_and_is_not_kept() {
    let server = Server::start();
    post_hostile(&server, None);
    for (path, asked) in [("/fleet", "/v1/views/fleet?limit=120"), ("/log", "/v1/events?limit=200")]
    {
        // Asked first: it waits for what was just stored, and a page does not.
        let mut answer = server.client().get(asked).json();
        let page = page_at(&server, path, None);
        assert_eq!((page.status, page.header("cache-control")), (200, Some("no-store")));
        assert_eq!(page.header("etag"), None);
        assert!(page.header("content-security-policy").is_some());
        assert!(page.text().contains(&format!("<meta name=\"first\" content=\"{asked}\" />")));
        let mut rows = rows_of(&page).expect("rows");
        for value in [&mut rows, &mut answer] {
            without_now(value);
        }
        assert_eq!(rows, answer, "{path}");
        assert!(rows.to_string().contains("</script><script>alert(1)</script><!--"), "{rows}");
    }
    let head = server.client().request("HEAD", "/fleet").send(b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("cache-control"), Some("no-store"));
    assert_eq!(head.header("content-length"), None);
}

/// Takes away what differs from one moment to the next.
fn without_now(page: &mut Value) {
    let page = page.as_object_mut().expect("an object");
    page.remove("at");
    for row in page.get_mut("rows").and_then(Value::as_array_mut).into_iter().flatten() {
        row.as_object_mut().expect("a row").retain(|name, _| !name.ends_with("_ms"));
    }
}

#[test]
fn the_past_what_is_filtered_and_an_empty_log_come_without_rows() {
    let server = Server::start();
    assert_eq!(rows_of(&page_at(&server, "/fleet", None)), None, "there are none");
    post_hostile(&server, None);
    for path in ["/fleet?at=1", "/log?filter=actor%3Da", "/sessions/s", "/usage", "/index.html"] {
        let page = page_at(&server, path, None);
        assert_eq!((page.status, rows_of(&page)), (200, None), "{path}");
        assert_eq!(page.header("cache-control"), Some("no-cache"), "{path}");
    }
}

#[test]
fn where_a_token_is_needed_no_page_holds_data() {
    let server = Server::wide();
    post_hostile(&server, Some(&server.token(Scope::Write)));
    let token = server.token(Scope::Read);
    for path in ["/fleet", "/log", "/"] {
        for token in [None, Some(&*token)] {
            let page = page_at(&server, path, token);
            assert_eq!((page.status, rows_of(&page)), (200, None), "{path}");
            assert!(!page.text().contains("alert"), "{path}");
        }
    }
}

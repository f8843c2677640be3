//! Which scope is needed, and which origin is the server's own.

use super::{is_same_origin, needed, without_port};
use axum::http::Method;

use crate::access::tokens::Scope;

#[test]
fn what_is_not_known_to_be_harmless_needs_admin() {
    let of = |method: &str, path| needed(&method.parse::<Method>().expect("a method"), path);
    assert_eq!(of("GET", "/healthz"), None);
    assert_eq!(of("POST", "/healthz"), Some(Scope::Admin));
    assert_eq!(of("GET", "/metrics"), Some(Scope::Read));
    assert_eq!(of("GET", "/v1/events"), Some(Scope::Read));
    assert_eq!(of("HEAD", "/v1/stream"), Some(Scope::Read));
    assert_eq!(of("POST", "/v1/events"), Some(Scope::Write));
    assert_eq!(of("POST", "/v1/events/"), Some(Scope::Admin));
    assert_eq!(of("DELETE", "/v1/events"), Some(Scope::Admin));
    assert_eq!(of("GET", "/v1/tokens"), Some(Scope::Admin));
    assert_eq!(of("GET", "/v1/tokensandmore"), Some(Scope::Read));
    assert_eq!(of("BREW", "/v1/events"), Some(Scope::Admin));
}

#[test]
fn who_reads_may_look_at_subscriptions_and_be_given_their_events_but_change_none() {
    let of = |method: &str, path: &str| needed(&method.parse::<Method>().expect("a method"), path);
    for path in ["", "/a", "/a/dead", "/a/events"] {
        let path = format!("/v1/subscriptions{path}");
        assert_eq!(of("GET", &path), Some(Scope::Read), "{path}");
        assert_eq!(of("DELETE", &path), Some(Scope::Admin), "{path}");
        assert_eq!(of("POST", &path), Some(Scope::Admin), "{path}");
    }
    assert_eq!(of("POST", "/v1/subscriptions/a/ack"), Some(Scope::Read));
    let changes = ["a/pause", "a/resume", "a/replay", "a/dead/replay", "a/dead/drop"];
    for path in changes.into_iter().chain(["ack", "/ack", "a/b/ack", "a/ack/", "a/ack/b"]) {
        let path = format!("/v1/subscriptions/{path}");
        assert_eq!(of("POST", &path), Some(Scope::Admin), "{path}");
    }
    assert_eq!(of("PUT", "/v1/subscriptions/a/ack"), Some(Scope::Admin));
}

#[test]
fn who_writes_may_steer_loops() {
    let of = |method: &str, path: &str| needed(&method.parse::<Method>().expect("a method"), path);
    assert_eq!(of("POST", "/v1/loops/s1/control"), Some(Scope::Write));
    assert_eq!(of("POST", "/v1/loops/a%2Fb/control"), Some(Scope::Write));
    assert_eq!(of("POST", "/v1/loops/control"), Some(Scope::Write));
    for path in ["/v1/loops//control", "/v1/loops/a/b/control", "/v1/loops/a", "/v1/loops"] {
        assert_eq!(of("POST", path), Some(Scope::Admin), "{path}");
    }
    assert_eq!(of("DELETE", "/v1/loops/s1/control"), Some(Scope::Admin));
}

#[test]
fn an_origin_is_the_servers_own_if_host_and_port_are() {
    assert!(is_same_origin("http://localhost:9338", "localhost:9338"));
    assert!(is_same_origin("http://LOCALHOST:9338", "localhost:9338"));
    assert!(is_same_origin("https://weft.example", "weft.example"));
    assert!(is_same_origin("https://weft.example", "weft.example:443"));
    assert!(is_same_origin("http://[::1]:80", "[::1]"));
    for (origin, host) in [
        ("http://localhost:9339", "localhost:9338"),
        ("http://localhost", "localhost:9338"),
        ("http://127.0.0.1:9338", "localhost:9338"),
        ("file://localhost:9338", "localhost:9338"),
        ("null", "null"),
        ("", ""),
        ("http://localhost:9338/x", "localhost:9338"),
    ] {
        assert!(!is_same_origin(origin, host), "{origin} {host}");
    }
}

#[test]
fn the_port_is_taken_off_a_host() {
    for (host, name) in [
        ("localhost:1", "localhost"),
        ("localhost", "localhost"),
        ("[::1]:9338", "[::1]"),
        ("[::1]", "[::1]"),
        ("127.0.0.1:80", "127.0.0.1"),
        ("a:b", "a:b"),
    ] {
        assert_eq!(without_port(host), name);
    }
}

//! What whoever asks for a file is given, by what they say they take and have.

use axum::http::header::{ACCEPT_ENCODING, IF_NONE_MATCH};
use insta::assert_snapshot;

use super::assets::{Asset, Assets};
use super::*;

fn dashboard() -> Assets {
    let files = [
        ("/index.html", "<!doctype html><title>Weft</title>".repeat(50)),
        ("/assets/app-1.js", "export {};".repeat(50)),
        ("/logo.png", "png".to_owned()),
    ];
    let asset = |(path, text): (&str, String)| Asset::new(path.to_owned(), text.into());
    Assets::new(files.into_iter().map(asset))
}

fn asked(path: &str, method: Method, headers: &[(HeaderName, &'static str)]) -> Response {
    let asked = headers.iter().cloned();
    let asked = asked.map(|(name, value)| (name, HeaderValue::from_static(value))).collect();
    written(dashboard().find(path).expect("it is there"), &method, &asked)
}

/// Returns status and headers without those that everything has.
fn shown(response: &Response) -> String {
    let mut text = response.status().as_u16().to_string();
    for (name, value) in response.headers() {
        if SAFETY.iter().all(|(known, _)| known != name) {
            text += &format!("\n{name}: {}", value.to_str().expect("text"));
        }
    }
    text
}

#[test]
fn a_page_is_asked_for_again_and_a_file_with_a_hash_in_its_name_is_not() {
    assert_snapshot!(shown(&asked("/index.html", Method::GET, &[])), @r#"
    200
    content-type: text/html; charset=utf-8
    content-length: 1700
    etag: "d55f08d69bad259e"
    vary: Accept-Encoding
    cache-control: no-cache
    "#);
    let script = asked("/assets/app-1.js", Method::GET, &[]);
    assert_eq!(script.headers()[CACHE_CONTROL], "public, max-age=31536000, immutable");
    assert_eq!(script.headers()[CONTENT_TYPE], "text/javascript; charset=utf-8");
}

#[test]
fn what_is_compressed_says_so_where_it_is_taken() {
    let sent = |value| asked("/index.html", Method::HEAD, &[(ACCEPT_ENCODING, value)]);
    assert_snapshot!(shown(&sent("br, gzip;q=0.8")), @r#"
    200
    content-type: text/html; charset=utf-8
    content-length: 74
    content-encoding: gzip
    etag: "d55f08d69bad259e-gzip"
    vary: Accept-Encoding
    cache-control: no-cache
    "#);
    for value in ["br", "gzip;q=0", "identity", "gzip;q=x", ""] {
        assert!(!sent(value).headers().contains_key(CONTENT_ENCODING), "{value}");
    }
}

#[test]
fn who_has_it_is_told_so() {
    let first = asked("/index.html", Method::GET, &[]);
    let tag = first.headers()[ETAG].to_str().expect("text").to_owned();
    let tag: &'static str = tag.leak();
    let again = asked("/index.html", Method::GET, &[(IF_NONE_MATCH, tag)]);
    assert_snapshot!(shown(&again), @r#"
    304
    etag: "d55f08d69bad259e"
    vary: Accept-Encoding
    cache-control: no-cache
    "#);
    let packed = [(IF_NONE_MATCH, tag), (ACCEPT_ENCODING, "gzip")];
    assert_eq!(asked("/index.html", Method::GET, &packed).status(), StatusCode::OK);
    let other = asked("/index.html", Method::GET, &[(IF_NONE_MATCH, "\"x\", W/\"y\"")]);
    assert_eq!(other.status(), StatusCode::OK);
}

#[test]
fn everything_says_what_a_page_may_load() {
    for (path, headers) in [("/index.html", &[][..]), ("/logo.png", &[(IF_NONE_MATCH, "*")])] {
        let given = asked(path, Method::GET, headers);
        for (name, value) in SAFETY {
            assert_eq!(given.headers()[name], value);
        }
    }
}

#[test]
fn the_interface_has_its_addresses_for_itself() {
    let get = |path| is_dashboard(&Method::GET, path);
    let pages = ["/", "/fleet", "/sessions/A1", "/metrics.html", "/healthzz", "/assets/a.js"];
    assert_eq!(pages.map(get), [true; 6]);
    let slips = ["", "*", "//v1/events", "/v10", "/Fleet", "/fleet?x"];
    assert_eq!(slips.map(get), [false; 6]);
    let others = ["/v1", "/v1/", "/v1/nowhere", "/mcp", "/healthz", "/metrics", "/openapi.json"];
    assert_eq!(others.map(get), [false; 7]);
    assert!(!is_dashboard(&Method::POST, "/fleet"));
    assert!(!get("/opentelemetry.proto.collector.logs.v1.LogsService/Export"));
}

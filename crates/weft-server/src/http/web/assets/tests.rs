//! Which addresses are files, what stands in for a dashboard that is not built, and what is compressed.

use std::io::Read as _;

use bytes::Bytes;
use flate2::read::GzDecoder;

use super::*;

fn of(files: &[(&str, &str)]) -> Assets {
    let files = files.iter();
    let asset = |(path, text): &(&str, &str)| {
        Asset::new((*path).to_owned(), Bytes::from((*text).to_owned()))
    };
    Assets::new(files.map(asset))
}

#[test]
fn a_name_with_dots_in_the_address_of_a_page_makes_no_file_of_it() {
    let files = ["/assets/index-3f2c.js", "/assets/x", "/favicon.svg", "/robots.txt", "/a/b.css"];
    let pages = [
        "/",
        "/fleet",
        "/session/host.example.4711",
        "/trace/4bf9",
        "/assets",
        "/files/src/main.rs",
    ];
    assert_eq!(files.map(is_file), [true; 5]);
    assert_eq!(pages.map(is_file), [false; 6]);
}

#[test]
fn a_dashboard_that_is_not_built_is_a_page_that_says_how() {
    for files in [&[][..], &[("/assets/left.js", "over")]] {
        let assets = of(files);
        let (page, _) = assets.find(INDEX).expect("a page").plain();
        assert!(page.windows(10).any(|part| part == b"scripts/up"), "{page:?}");
        assert!(assets.find("/assets/left.js").is_none());
    }
}

#[test]
fn the_script_of_a_page_has_its_name() {
    let files = ["/index.html", "/assets/Log-4-_x.js", "/assets/Logs-1.js", "/assets/Log-2.css"];
    let assets = of(&files.map(|path| (path, "")));
    assert_eq!(assets.script_of("log"), Some("/assets/Log-4-_x.js"));
    assert_eq!(assets.script_of("fleet"), None);
}

#[test]
fn text_is_compressed_once_and_pictures_never() {
    let script = "let x = 1;\n".repeat(1000);
    let assets = of(&[("/index.html", "<p>"), ("/assets/a.js", &script), ("/a.png", "png")]);
    let asset = assets.find("/assets/a.js").expect("it is there");
    let (bytes, tag) = asset.gzip().expect("it gains");
    let mut back = String::new();
    GzDecoder::new(&bytes[..]).read_to_string(&mut back).expect("it is gzip");
    assert_eq!(back, script);
    assert_ne!(tag, asset.plain().1);
    assert_eq!(asset.gzip().expect("it gains").0.as_ptr(), bytes.as_ptr());
    assert!(assets.find("/a.png").expect("it is there").gzip().is_none());
}

#[test]
fn what_changes_is_known_by_another_tag() {
    let tag = |text| of(&[("/index.html", text)]).find(INDEX).expect("a page").plain().1;
    assert_eq!(tag("<p>"), tag("<p>"));
    assert_ne!(tag("<p>"), tag("<b>"));
}

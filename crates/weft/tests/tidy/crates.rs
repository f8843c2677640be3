//! Rules between crates: which may use which, and what the lowest one must not know.

use serde_json::Value;

use crate::source::{code_of, line_of};
use crate::tree::{self, assert_none};

/// The crates from the lowest up, as in ARCHITECTURE.md: each may use those before it and no others.
const ORDER: &[&str] =
    &["weft-event", "weft-log", "weft-view", "weft-runtime", "weft-server", "weft-tui", "weft"];

/// Pairs that the order would allow and the map does not: the terminal screen knows nothing of the server.
const CUT: &[(&str, &str)] = &[("weft-tui", "weft-server")];

/// All that `weft-event` is built from. It is a function of bytes: nothing here opens files, reads clocks or waits.
const EVENT_USES: &[&str] = &["aho-corasick", "blake3", "memchr", "simdutf8", "thiserror"];

/// What must not stand in the code of `weft-event`.
const EVENT_KNOWS_NOT: &[&str] = &[
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "SystemTime",
    "Instant",
    "async ",
    "println!",
];

/// One crate using another.
struct Arrow {
    from: String,
    to: String,
    is_dev: bool,
}

#[test]
fn crates_use_only_those_below_them() {
    let arrows = arrows(&tree::cargo_metadata(&["--no-deps"]).expect("cargo reads the manifests"));
    assert!(arrows.iter().any(|arrow| arrow.from == "weft"), "no dependencies were found");
    assert_none("the crate map in ARCHITECTURE.md forbids:", wrong_arrows(&arrows));
}

#[test]
fn crates_stand_in_a_folder_of_their_name() {
    let metadata = tree::cargo_metadata(&["--no-deps"]).expect("cargo reads the manifests");
    let offenders = packages(&metadata).iter().filter_map(misplaced).collect();
    assert_none("a crate is on the map, in crates/ and its own name:", offenders);
}

#[test]
fn the_event_crate_is_a_function_of_bytes() {
    let is_test = |path: &str| path.ends_with("/tests.rs") || path.contains("/tests/");
    let event = tree::rust_files()
        .filter(|(path, _)| path.starts_with("crates/weft-event/src/") && !is_test(path));
    let offenders = event.flat_map(|(path, text)| worldly(path, text)).collect();
    assert_none("weft-event has no files, clocks, threads or async:", offenders);
}

fn packages(metadata: &Value) -> &[Value] {
    metadata["packages"].as_array().expect("metadata lists packages")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().expect("metadata has a string here")
}

fn arrows(metadata: &Value) -> Vec<Arrow> {
    let of_package = |package: &Value| {
        let from = text(package, "name").to_owned();
        let uses = package["dependencies"].as_array().expect("a package has dependencies").clone();
        uses.into_iter().map(move |uses| Arrow {
            from: from.clone(),
            to: text(&uses, "name").to_owned(),
            is_dev: uses["kind"] == "dev",
        })
    };
    packages(metadata).iter().flat_map(of_package).collect()
}

fn wrong_arrows(arrows: &[Arrow]) -> Vec<String> {
    let rank = |name: &str| ORDER.iter().position(|known| *known == name);
    let wrong = |arrow: &&Arrow| {
        let (from, to) = (arrow.from.as_str(), arrow.to.as_str());
        let upward = rank(to).is_some_and(|to| rank(from).is_none_or(|from| to >= from));
        let foreign = from == "weft-event" && !arrow.is_dev && !EVENT_USES.contains(&to);
        upward || foreign || CUT.contains(&(from, to))
    };
    arrows.iter().filter(wrong).map(|arrow| format!("{} -> {}", arrow.from, arrow.to)).collect()
}

fn misplaced(package: &Value) -> Option<String> {
    let (name, manifest) = (text(package, "name"), text(package, "manifest_path"));
    let place = format!("crates/{name}/Cargo.toml");
    let fits = ORDER.contains(&name) && manifest.replace('\\', "/").ends_with(&place);
    (!fits).then(|| format!("{name} at {manifest}"))
}

fn worldly(path: &str, text: &str) -> Vec<String> {
    let code = code_of(text);
    let words = EVENT_KNOWS_NOT.iter().flat_map(|word| code.match_indices(word));
    words.map(|(at, word)| format!("{path}:{}: `{}`", line_of(&code, at), word.trim())).collect()
}

#[test]
fn a_wrong_arrow_is_found() {
    let arrow = |from: &str, to: &str| Arrow { from: from.into(), to: to.into(), is_dev: false };
    let right = [
        arrow("weft", "weft-event"),
        arrow("weft-log", "weft-event"),
        arrow("weft-event", "blake3"),
        arrow("weft", "clap"),
        Arrow { from: "weft-event".into(), to: "proptest".into(), is_dev: true },
    ];
    assert!(wrong_arrows(&right).is_empty());
    let wrong = [
        arrow("weft-event", "weft-log"),
        arrow("weft-event", "tokio"),
        arrow("weft-log", "weft-log"),
        arrow("weft-tui", "weft-server"),
        arrow("weft-elsewhere", "weft-event"),
        Arrow { from: "weft-event".into(), to: "weft".into(), is_dev: true },
    ];
    assert_eq!(wrong_arrows(&wrong).len(), wrong.len());
}

#[test]
fn a_crate_off_the_map_is_found() {
    let at = |name: &str, manifest_path: &str| {
        misplaced(&serde_json::json!({"name": name, "manifest_path": manifest_path}))
    };
    assert!(at("weft-log", "x/crates/weft-log/Cargo.toml").is_none());
    assert!(at("weft-log", "x/crates/log/Cargo.toml").is_some());
    assert!(at("weft-core", "x/crates/weft-core/Cargo.toml").is_some());
}

#[test]
fn files_and_clocks_are_found() {
    let found = worldly("a.rs", "use std::fs;\n// std::net\nlet t = SystemTime::now();");
    assert_eq!(found, ["a.rs:1: `std::fs`", "a.rs:3: `SystemTime`"]);
}

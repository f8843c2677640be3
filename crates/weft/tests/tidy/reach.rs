//! Rules for modules: every file is compiled by somebody, and none has a name that collects everything.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{code_of, modules};
use crate::tree::{self, assert_none};

const NAMELESS: &[&str] =
    &["common", "core", "helper", "helpers", "misc", "shared", "types", "util", "utils"];

/// A dialect may keep its event types in a module of that name.
const DIALECTS: &[&str] = &["idle", "collector", "pinchy", "engine", "needle"];

#[test]
fn every_rust_file_is_compiled() {
    let files: BTreeMap<_, _> = tree::rust_files().collect();
    assert_none("no crate root reaches these files by `mod`:", unreached(&files));
}

#[test]
fn modules_are_named_for_something() {
    let offenders = tree::rust_files().flat_map(|(path, text)| nameless(path, text)).collect();
    assert_none("a module named for nothing collects everything:", offenders);
}

#[test]
fn a_module_is_foo_rs_and_never_mod_rs() {
    let offenders = tree::rust_files().filter(|(path, _)| path.ends_with("/mod.rs"));
    assert_none("use foo.rs and foo/bar.rs:", offenders.map(|(path, _)| path.to_owned()).collect());
}

/// Returns whether cargo takes this file of a crate as the root of a target.
fn is_root(path: &str) -> bool {
    let Some((_, inside)) = path.strip_prefix("crates/").and_then(|path| path.split_once('/'))
    else {
        // Outside the crates, as in fuzz/, the manifests say what is a target.
        return true;
    };
    let parts: Vec<&str> = inside.split('/').collect();
    matches!(
        parts.as_slice(),
        ["build.rs"]
            | ["src", "lib.rs" | "main.rs"]
            | ["src", "bin", _]
            | ["src", "bin", _, "main.rs"]
            | ["tests" | "benches" | "examples", _]
            | ["tests" | "benches" | "examples", _, "main.rs"]
    )
}

fn unreached(files: &BTreeMap<&str, &str>) -> Vec<String> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<String> =
        files.keys().filter(|path| is_root(path)).map(|path| (*path).to_owned()).collect();
    while let Some(path) = open.pop() {
        let Some(text) = files.get(path.as_str()) else { continue };
        let folder = match (is_root(&path), path.rsplit_once('/')) {
            (true, Some((folder, _))) => folder.to_owned(),
            (true, None) => String::new(),
            (false, _) => path.trim_end_matches(".rs").to_owned(),
        };
        let code = code_of(text);
        let elsewhere = modules(&code).into_iter().filter(|(_, is_elsewhere)| *is_elsewhere);
        open.extend(
            elsewhere
                .map(|(name, _)| format!("{folder}/{name}.rs"))
                .filter(|path| !is_root(path) && !reached.contains(path)),
        );
        reached.insert(path);
    }
    files.keys().filter(|path| !reached.contains(**path)).map(|path| (*path).to_owned()).collect()
}

fn nameless(path: &str, text: &str) -> Vec<String> {
    let is_dialect = DIALECTS.iter().any(|name| path == format!("crates/weft-event/src/{name}.rs"));
    let code = code_of(text);
    let named = modules(&code).into_iter().map(|(name, _)| name);
    let wrong = named.filter(|name| NAMELESS.contains(name) && !(is_dialect && *name == "types"));
    wrong.map(|name| format!("{path}: mod {name}")).collect()
}

#[test]
fn a_file_that_nobody_compiles_is_found() {
    let files = BTreeMap::from([
        ("crates/a/src/lib.rs", "mod one;\n// mod lost;"),
        ("crates/a/src/one.rs", "mod two;"),
        ("crates/a/src/one/two.rs", ""),
        ("crates/a/src/lost.rs", "mod found;"),
        ("crates/a/src/lost/found.rs", ""),
        ("crates/a/tests/it/main.rs", "mod cases;"),
        ("crates/a/tests/it/cases.rs", ""),
        ("crates/a/tests/it/forgotten.rs", ""),
        ("crates/a/tests/plain.rs", ""),
        ("crates/a/tests/deep/er/main.rs", ""),
    ]);
    assert_eq!(
        unreached(&files),
        [
            "crates/a/src/lost.rs",
            "crates/a/src/lost/found.rs",
            "crates/a/tests/deep/er/main.rs",
            "crates/a/tests/it/forgotten.rs",
        ]
    );
}

#[test]
fn a_module_named_for_nothing_is_found() {
    for name in NAMELESS {
        let text = format!("pub(crate) mod {name};");
        assert_eq!(nameless("crates/weft/src/main.rs", &text).len(), 1, "{name}");
    }
    assert!(nameless("crates/weft-event/src/needle.rs", "mod types;").is_empty());
    assert_eq!(nameless("crates/weft-event/src/needle.rs", "mod utils { }").len(), 1);
    assert_eq!(nameless("crates/weft-event/src/shape.rs", "mod types;").len(), 1);
}

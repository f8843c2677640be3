//! Rules for every file: no conflict left in it, nothing of the machine it was made on, nothing of where packages come from, nothing large.

use crate::tree::{self, File, assert_none};

const FILE_BYTES_MAX: usize = 300 << 10;

/// Beginnings of paths that exist on one machine only. Written in two parts, so that this file does not hold them.
const PLACES: &[&str] = &[
    // The dashboard has a page of this name; nothing is below it.
    concat!("/wo", "rk/"),
    concat!("/ro", "ot"),
    concat!("/ho", "me/"),
    concat!("/Us", "ers/"),
    concat!(":\\Us", "ers\\"),
    concat!(":\\\\Us", "ers\\\\"),
    concat!("/tmp/ba", "sh_jobs"),
];

/// Home folders of samples: nobody's.
const SAMPLE_HOMES: &[&str] =
    &[concat!("/ho", "me/u"), concat!("/ho", "me/user"), concat!("/ho", "me/ana")];

const HOSTS: &[&str] = &[
    concat!("crates", ".io"),
    concat!("npm", "js."),
    concat!("pypi", ".org"),
    concat!("python", "hosted.org"),
    concat!("\"resolved\": \"", "http"),
];

#[test]
fn no_path_of_a_build_machine_is_in_the_tree() {
    assert_none("these are paths of one machine:", in_every_text(machine_paths));
}

#[test]
fn no_package_host_is_in_the_tree() {
    assert_none("these name a package host:", in_every_text(package_hosts));
}

#[test]
fn no_merge_is_half_done() {
    let is_mark = |line: &str| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ");
    let marks = |file: &File| {
        let numbered = file.text().unwrap_or_default().lines().zip(1..);
        let marked = numbered.filter(|(line, _)| is_mark(line));
        marked.map(|(line, n)| format!("{}:{n}: {line}", file.path)).collect::<Vec<_>>()
    };
    assert_none("these are marks of a conflict:", tree::files().iter().flat_map(marks).collect());
}

#[test]
fn no_file_is_large() {
    let offenders = tree::files().iter().filter_map(too_large).collect();
    assert_none(&format!("a file has at most {FILE_BYTES_MAX} bytes:"), offenders);
}

/// Lock files name the hosts of their packages by design.
fn in_every_text(check: fn(&str, &str) -> Vec<String>) -> Vec<String> {
    let files = tree::files().iter().filter(|file| !file.path.ends_with("Cargo.lock"));
    files.filter_map(|file| Some(check(&file.path, file.text()?))).flatten().collect()
}

fn machine_paths(path: &str, text: &str) -> Vec<String> {
    places(path, text, PLACES, |before, from, word| {
        let is_start = word.starts_with(':')
            || !before.ends_with(|c: char| c.is_alphanumeric() || "._-~}".contains(c));
        let ends_word = |text: &str| !text.starts_with(|c: char| c.is_alphanumeric() || c == '-');
        let whole = !word.ends_with(char::is_alphanumeric) || ends_word(&from[word.len()..]);
        let is_sample = |home: &str| from.strip_prefix(home).is_some_and(ends_word);
        is_start && whole && !SAMPLE_HOMES.iter().any(|home| is_sample(home))
    })
}

fn package_hosts(path: &str, text: &str) -> Vec<String> {
    places(path, text, HOSTS, |_, _, _| true)
}

/// Returns the lines where one of the words stands and `counts`, given the line before it, the line from it on, and the word.
fn places(
    path: &str,
    text: &str,
    words: &[&str],
    counts: fn(&str, &str, &str) -> bool,
) -> Vec<String> {
    let in_line = |(n, line): (usize, &str)| {
        let mut found = words.iter().flat_map(|word| line.match_indices(word));
        let hit = found.find(|(at, word)| counts(&line[..*at], &line[*at..], word));
        hit.map(|(at, _)| {
            format!("{path}:{}: {}", n + 1, line[at..].chars().take(40).collect::<String>())
        })
    };
    text.lines().enumerate().filter_map(in_line).collect()
}

fn too_large(file: &File) -> Option<String> {
    let n_bytes = file.bytes.len();
    (n_bytes > FILE_BYTES_MAX).then(|| format!("{}: {n_bytes} bytes", file.path))
}

#[test]
fn a_path_of_a_build_machine_is_found() {
    let join = |place: &str, rest: &str| format!("see \"{place}{rest}\" there");
    let bad = [
        join(PLACES[0], "/main/x"),
        join(PLACES[0], ""),
        join(PLACES[1], "/.cargo"),
        join(PLACES[2], "ann/x"),
        join(PLACES[3], "ann"),
        join(&format!("C{}", PLACES[4]), "ann"),
        join(&format!("C{}", PLACES[5]), "ann"),
    ];
    for text in &bad {
        assert_eq!(machine_paths("a.md", text).len(), 1, "{text}");
    }
    let folder = PLACES[0].trim_end_matches('/');
    let fine = [
        join(folder, "space/x"),
        join(folder, "-dir"),
        join(folder, "?as=graph"),
        join(PLACES[2], "u/x"),
        join(PLACES[2], "user/x"),
        join("src", PLACES[0]),
        join("$GIT", PLACES[1]),
        "C:/repo".to_owned(),
    ];
    for text in &fine {
        assert_eq!(machine_paths("a.md", text), [""; 0], "{text}");
    }
}

#[test]
fn a_package_host_is_found() {
    for host in HOSTS {
        assert_eq!(package_hosts("a.md", &format!("from {host} it came")).len(), 1, "{host}");
    }
}

#[test]
fn a_large_file_is_found() {
    let file = |n_bytes| File { path: "a".to_owned(), bytes: vec![0; n_bytes] };
    assert!(too_large(&file(FILE_BYTES_MAX)).is_none());
    assert!(too_large(&file(FILE_BYTES_MAX + 1)).is_some());
}

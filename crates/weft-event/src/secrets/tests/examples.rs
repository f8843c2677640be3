//! The examples of every rule: what it finds and what it leaves, in every way a text gets into an event.
//!
//! A line of a file is a text: `+` one with secrets, which stand between `«` and `»`, or with another rule's name as `«name§…»`; `-`
//! one without. `¦` is nothing: it parts a secret, so that nobody takes this repository for the place of a leak.

use std::fs;
use std::path::Path;

use super::{Rule, placeholder, redacted};
use crate::json::write_text;

/// Fewest examples of each kind.
const EXAMPLES_LEAST: usize = 20;

struct Example {
    text: String,
    expected: String,
}

fn examples(rule: Rule) -> Vec<(char, Example)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/secrets");
    let path = folder.join(rule.name()).with_extension("txt");
    let file =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| (line.chars().next().unwrap(), example(&line[2..], rule))).collect()
}

fn example(line: &str, rule: Rule) -> Example {
    let line = line.replace('¦', "").replace("\\n", "\n").replace("\\t", "\t");
    let (mut text, mut expected) = (String::new(), String::new());
    let mut rest = line.as_str();
    while let Some((before, after)) = rest.split_once('«') {
        let (secret, after) = after.split_once('»').expect("a secret ends");
        let (rule, secret) = match secret.split_once('§') {
            Some((name, secret)) => (Rule::of_name(name).expect("a rule's name"), secret),
            None => (rule, secret),
        };
        text.extend([before, secret]);
        expected.extend([before, &placeholder(rule)]);
        rest = after;
    }
    text.push_str(rest);
    expected.push_str(rest);
    Example { text, expected }
}

/// Puts a text into a line.
type Put = fn(&str) -> String;

/// The ways in which a text stands in a line.
const WAYS: &[(&str, Put)] = &[
    ("as it is", str::to_owned),
    ("in a string", |text| format!(r#"{{"type":"x","message":{}}}"#, quoted(text))),
    ("in a string of a string", |text| {
        let inside = format!(r#"{{"output": {}}}"#, quoted(text));
        format!(r#"{{"type":"x","data":{{"result":[{}]}}}}"#, quoted(&inside))
    }),
    ("three strings deep", |text| {
        let inside = format!(r#"{{"content":{}}}"#, quoted(text));
        let inside = format!(r#"[{}]"#, quoted(&inside));
        format!(r#"{{"payload":{}}}"#, quoted(&inside))
    }),
    ("with every sign escaped", |text| {
        let escaped = quoted(text).replace('<', "\\u003c").replace('>', "\\u003e");
        format!(r#"{{"message":{}}}"#, escaped.replace('&', "\\u0026").replace('=', "\\u003d"))
    }),
    ("in colour", |text| format!("\u{1b}[01;31m\u{1b}[K{text}\u{1b}[m\u{1b}[K")),
    ("in a string in colour", |text| {
        format!(r#"{{"message":{}}}"#, quoted(&format!("\u{1b}[1;36m{text}\u{1b}[0m")))
    }),
    ("with its slashes escaped", |text| {
        format!(r#"{{"message":{}}}"#, quoted(text).replace('/', "\\/"))
    }),
];

fn quoted(text: &str) -> String {
    let mut out = String::new();
    write_text(&mut out, text);
    out
}

fn check(sign: char) {
    let mut wrong = Vec::new();
    for rule in Rule::ALL {
        let all = examples(rule);
        let examples: Vec<_> = all.iter().filter(|(kind, _)| *kind == sign).collect();
        assert!(examples.len() >= EXAMPLES_LEAST, "{}: {} of {sign}", rule.name(), examples.len());
        for (_, example) in examples {
            for (way, put) in WAYS {
                let (line, expected) = (put(&example.text), put(&example.expected));
                let found = redacted(&line);
                if found != expected {
                    wrong.push(format!(
                        "{} {way}\n  of {line}\n is {found}\n not {expected}",
                        rule.name()
                    ));
                }
                let again = redacted(&found);
                assert_eq!(again, found, "redacted twice");
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn secrets_are_found_however_deep_they_stand() {
    check('+');
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    check('-');
}

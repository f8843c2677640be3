//! Secrets in events: finds what looks like a key, a token or a password, and puts a placeholder in its place.
//!
//! The rules read a line as it is written, escapes and all, so that a text is found in a string, in JSON inside a string, and in
//! bytes that are no JSON at all. One search over the line looks for the beginnings and names that rules begin with; only where one
//! stands is more looked at. No regular expression is part of it.
//!
//! What is found is the content of string values. Keys, numbers and the structure of a line stay as they are.

mod anchors;
mod assignment;
mod base64;
mod cloud;
mod connection;
mod escape;
mod header;
mod jwt;
mod name;
mod pem;
mod place;
mod raw;
mod rule;
mod token;
mod url;
mod value;

use std::borrow::Cow;
use std::ops::Range;

use anchors::Anchors;
pub use place::{confine, texts};
use raw::{Class, Runs};
pub use rule::Rule;

/// What every placeholder begins with; the rule's name and a bracket follow.
pub const PLACEHOLDER: &str = "[redacted:";

/// How often a line is searched again for what shows only once another secret is gone.
const PASSES_MAX: usize = 16;

/// Which rules are applied.
#[derive(Clone, Debug)]
pub struct Rules {
    /// One bit a rule.
    on: u32,
    anchors: Anchors,
}

/// A secret in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The rule that found it.
    pub rule: Rule,
    /// Where it stands, in bytes of the line.
    pub range: Range<usize>,
}

impl Default for Rules {
    fn default() -> Self {
        Self::without(&[])
    }
}

impl Rules {
    /// Returns all built-in rules but these.
    pub fn without(off: &[Rule]) -> Self {
        let all = (1 << Rule::ALL.len()) - 1;
        let on = off.iter().fold(all, |on, rule| on & !(1 << *rule as u32));
        Self { on, anchors: Anchors::new() }
    }

    /// Returns whether a rule is applied.
    pub fn is_on(&self, rule: Rule) -> bool {
        self.on & (1 << rule as u32) != 0
    }
}

/// Finds the secrets of a line, in its order and apart from each other. `found` is cleared first.
#[inline]
pub fn find(line: &[u8], rules: &Rules, found: &mut Vec<Found>) {
    found.clear();
    if rules.anchors.search(line, rules, found) {
        escape::search(line, rules, found);
    }
    if !found.is_empty() {
        place::settle(line, found);
    }
}

/// Returns a line with a placeholder for every secret in it, and adds the rules that found them to `matched`.
///
/// Of a line without secrets nothing is copied. Doing it again changes nothing. A JSON line stays one, with the same keys and the
/// same kinds of values.
#[inline]
pub fn redact<'a>(line: &'a [u8], rules: &Rules, matched: &mut Vec<Rule>) -> Cow<'a, [u8]> {
    let mut found = Vec::new();
    find(line, rules, &mut found);
    if found.is_empty() { Cow::Borrowed(line) } else { redact_found(line, rules, found, matched) }
}

/// Returns what stands for a secret that a rule found.
pub fn placeholder(rule: Rule) -> String {
    format!("{PLACEHOLDER}{}]", rule.name())
}

#[cold]
fn redact_found<'a>(
    line: &'a [u8],
    rules: &Rules,
    mut found: Vec<Found>,
    matched: &mut Vec<Rule>,
) -> Cow<'a, [u8]> {
    let mut redacted = Cow::Borrowed(line);
    for _ in 0..PASSES_MAX {
        matched.extend(found.iter().map(|secret| secret.rule));
        redacted = Cow::Owned(replaced(&redacted, &found));
        find(&redacted, rules, &mut found);
        if found.is_empty() {
            break;
        }
    }
    redacted
}

fn replaced(line: &[u8], found: &[Found]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len() + 32 * found.len());
    let mut at = 0;
    for secret in found {
        out.extend_from_slice(&line[at..secret.range.start]);
        out.extend_from_slice(placeholder(secret.rule).as_bytes());
        at = secret.range.end;
    }
    out.extend_from_slice(&line[at..]);
    out
}

/// A search of one line.
struct Search<'a> {
    line: &'a [u8],
    rules: &'a Rules,
    found: &'a mut Vec<Found>,
    /// What was read, so that no line takes long whatever stands in it. A limit would do that too, and let through what follows.
    runs: Runs,
    /// Whether a letter is written as an escape.
    has_hidden: bool,
}

impl<'a> Search<'a> {
    fn new(line: &'a [u8], rules: &'a Rules, found: &'a mut Vec<Found>) -> Self {
        Self { line, rules, found, runs: Runs::default(), has_hidden: false }
    }

    fn add(&mut self, rule: Rule, range: Range<usize>) {
        if self.rules.is_on(rule) {
            self.found.push(Found { rule, range });
        }
    }

    /// Returns whether a text is within what was just found, so that a rule would change nothing.
    fn has(&self, rule: Rule, range: &Range<usize>) -> bool {
        self.found.last().is_some_and(|last| {
            last.rule <= rule && last.range.start <= range.start && range.end <= last.range.end
        })
    }

    /// Returns where the characters of a class end that begin at `at`, and how many they are. However many anchors stand in them,
    /// they are read twice at most.
    fn run(&mut self, at: usize, class: Class) -> (usize, usize) {
        self.runs.run(self.line, at, class)
    }
}

#[cfg(test)]
mod tests;

//! Secrets on their way into a store: which rules look for them, in what came which way, and how often each found one.
//!
//! What stands for a secret is `[redacted:RULE]`. A store has one redaction, made of settings; without any, all built-in rules look
//! at everything. Where a stored line must keep its length, a secret is masked instead.

mod note;
mod notes;
mod own;
mod stored;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use weft_event::secrets::{self, PLACEHOLDER, Rule, Rules};

pub use note::{Note, NotedRecord, REDACTED};
pub(crate) use notes::Notes;
pub use own::{OwnRule, OwnRuleError};
pub use stored::{Found, Mode, Part, Report, StoredError, Told, scan_store};

use own::Pattern;
pub(crate) use stored::{is_interrupted, remove_unfinished, unmark};

/// How often a line is searched again for what shows only once another secret is gone.
const PASSES_MAX: usize = 16;

/// What the sources of which nothing is redacted are called if they are all.
pub const ALL_SOURCES: &str = "*";

/// What stands for a secret whose rule does not fit into its place.
const SHORT: &str = "[redacted]";

/// How secrets are redacted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Ways in whose events are kept as they come; [`ALL_SOURCES`] for all.
    pub sources_off: Vec<String>,
    /// Built-in rules that are not applied.
    pub rules_off: Vec<Rule>,
    /// Rules of the user's own.
    pub own: Vec<OwnRule>,
}

/// The redaction of a store. It counts what it finds.
#[derive(Debug)]
pub struct Redaction {
    settings: Settings,
    /// Made when they are first needed: most commands write nothing.
    rules: OnceLock<Rules>,
    own: Vec<Pattern>,
    built_in_counts: [AtomicU64; Rule::ALL.len()],
    own_counts: Vec<AtomicU64>,
}

/// A secret in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret<'r> {
    /// The name of the rule that found it.
    pub rule: &'r str,
    /// Where it stands, in bytes of the line.
    pub range: Range<usize>,
}

impl Default for Redaction {
    fn default() -> Self {
        Self::new(Settings::default())
    }
}

impl Redaction {
    /// Returns the redaction that settings describe. Rules of the user's own are compiled when they are first needed.
    pub fn new(settings: Settings) -> Self {
        let own: Vec<Pattern> = settings.own.iter().map(Pattern::new).collect();
        let own_counts = own.iter().map(|_| AtomicU64::new(0)).collect();
        let (rules, built_in_counts) = (OnceLock::new(), Default::default());
        Self { settings, rules, own, built_in_counts, own_counts }
    }

    /// Returns the one that holds where nothing is set.
    pub(crate) fn built_in() -> Arc<Self> {
        static BUILT_IN: LazyLock<Arc<Redaction>> = LazyLock::new(Arc::default);
        Arc::clone(&BUILT_IN)
    }

    /// Returns whether what comes in this way is redacted.
    pub fn is_on(&self, via: &str) -> bool {
        !self.settings.sources_off.iter().any(|off| off == via || off == ALL_SOURCES)
    }

    /// Returns bytes that came in a way with a placeholder for every secret in them, and counts those. Without any nothing is copied.
    #[inline]
    pub fn redact<'a>(&self, via: &str, line: &'a [u8]) -> Cow<'a, [u8]> {
        if !self.is_on(via) {
            return Cow::Borrowed(line);
        }
        let mut found = Vec::new();
        secrets::find(line, self.rules(), &mut found);
        if found.is_empty() && !self.own.iter().any(|own| own.may_match(line)) {
            return Cow::Borrowed(line);
        }
        self.replace(line, placeholder)
    }

    /// Returns bytes with something of the same length for every secret in them, whichever way they came; `None` without any. Adds
    /// the rules that found them to `rules`.
    pub fn mask<'r>(&'r self, line: &[u8], rules: &mut Vec<&'r str>) -> Option<Vec<u8>> {
        rules.extend(self.find(line).iter().map(|secret| secret.rule));
        match self.replace(line, mask) {
            Cow::Owned(masked) => Some(masked),
            Cow::Borrowed(_) => None,
        }
    }

    /// Finds the secrets in bytes, in their order and apart from each other.
    pub fn find(&self, line: &[u8]) -> Vec<Secret<'_>> {
        let mut found = Vec::new();
        secrets::find(line, self.rules(), &mut found);
        let built_in =
            |found: secrets::Found| Secret { rule: found.rule.name(), range: found.range };
        let mut all: Vec<Secret<'_>> = found.into_iter().map(built_in).collect();
        for own in self.own.iter().filter(|own| own.may_match(line)) {
            let ranges = own.find(line);
            all.extend(ranges.into_iter().map(|range| Secret { rule: own.name(), range }));
        }
        all.sort_by_key(|secret| secret.range.start);
        all.dedup_by(|next, earlier| {
            let overlaps = next.range.start < earlier.range.end;
            if overlaps {
                earlier.range.end = earlier.range.end.max(next.range.end);
            }
            overlaps
        });
        all
    }

    /// Returns the same redaction for whatever came which way.
    pub(crate) fn of_all_sources(&self) -> Self {
        Self::new(Settings { sources_off: Vec::new(), ..self.settings.clone() })
    }

    /// Returns how many secrets each rule found, of those that found any, by name.
    pub fn counts(&self) -> Vec<(String, u64)> {
        let n = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let built_in = Rule::ALL.iter().zip(&self.built_in_counts);
        let built_in = built_in.map(|(rule, count)| (rule.name().to_owned(), n(count)));
        let own = self.own.iter().zip(&self.own_counts);
        let own = own.map(|(own, count)| (own.name().to_owned(), n(count)));
        let mut counts: Vec<_> = built_in.chain(own).filter(|(_, count)| *count > 0).collect();
        counts.sort();
        counts
    }

    fn rules(&self) -> &Rules {
        self.rules.get_or_init(|| Rules::without(&self.settings.rules_off))
    }

    #[cold]
    fn replace<'a>(&self, line: &'a [u8], put: fn(&str, usize, &mut Vec<u8>)) -> Cow<'a, [u8]> {
        let mut line = Cow::Borrowed(line);
        for _ in 0..PASSES_MAX {
            let found = self.find(&line);
            if found.is_empty() {
                break;
            }
            found.iter().for_each(|secret| self.count(secret.rule));
            let mut replaced = Vec::with_capacity(line.len() + 32 * found.len());
            let mut at = 0;
            for secret in &found {
                replaced.extend_from_slice(&line[at..secret.range.start]);
                put(secret.rule, secret.range.len(), &mut replaced);
                at = secret.range.end;
            }
            replaced.extend_from_slice(&line[at..]);
            line = Cow::Owned(replaced);
        }
        line
    }

    fn count(&self, name: &str) {
        let built_in = Rule::of_name(name).map(|rule| &self.built_in_counts[rule as usize]);
        let own = || self.own.iter().position(|own| own.name() == name);
        let count = built_in.or_else(|| own().map(|idx| &self.own_counts[idx]));
        if let Some(count) = count {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn placeholder(rule: &str, _: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(PLACEHOLDER.as_bytes());
    out.extend_from_slice(rule.as_bytes());
    out.push(b']');
}

/// Writes as much of a placeholder as fits into so many bytes, and asterisks behind it.
fn mask(rule: &str, bytes: usize, out: &mut Vec<u8>) {
    let end = out.len() + bytes;
    if bytes > PLACEHOLDER.len() + rule.len() {
        placeholder(rule, bytes, out);
    } else if bytes >= SHORT.len() {
        out.extend_from_slice(SHORT.as_bytes());
    }
    out.resize(end, b'*');
}

#[cfg(test)]
mod tests;

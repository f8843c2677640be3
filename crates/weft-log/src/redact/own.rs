//! Rules of the user's own: a regular expression behind a text that every match contains.
//!
//! The expression is compiled when that text first stands in a line, so that a command that meets none pays nothing for it.

use std::ops::Range;
use std::sync::OnceLock;

use memchr::memmem::{self, Finder};
use regex::bytes::{Regex, RegexBuilder};
use weft_event::secrets::{PLACEHOLDER, Rule, confine, texts};

/// Fewest bytes of the text that every match contains: with fewer it stands nearly everywhere.
const CONTAINS_BYTES_MIN: usize = 3;

/// Most bytes of a name.
const NAME_BYTES_MAX: usize = 40;

/// Most bytes of a compiled expression.
const COMPILED_BYTES_MAX: usize = 1 << 20;

/// A rule of the user's own, as it is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnRule {
    /// What placeholders call it: lower-case letters, digits and `-`.
    pub name: String,
    /// A text that every match contains.
    pub contains: String,
    /// The expression. If it has a group, what the first group matches is the secret, else all of the match.
    pub pattern: String,
}

/// What is wrong with a rule.
#[derive(Debug, thiserror::Error)]
pub enum OwnRuleError {
    /// The name is no name.
    #[error(
        "`{name}` is not a name for a rule: at most {NAME_BYTES_MAX} lower-case letters, digits and `-`"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// A built-in rule has the name.
    #[error("a built-in rule is called `{name}`")]
    Taken {
        /// The name.
        name: String,
    },
    /// The text that every match contains is too short.
    #[error("`contains` of the rule `{name}` has to be at least {CONTAINS_BYTES_MIN} bytes long")]
    Contains {
        /// The rule.
        name: String,
    },
    /// The expression is none.
    #[error("the pattern of the rule `{name}` is wrong")]
    Pattern {
        /// The rule.
        name: String,
        /// Why.
        source: regex::Error,
    },
    /// The expression matches nothing at all, everywhere.
    #[error("the pattern of the rule `{name}` matches the empty text")]
    Empty {
        /// The rule.
        name: String,
    },
}

impl OwnRule {
    /// Says what is wrong with it.
    pub fn check(&self) -> Result<(), OwnRuleError> {
        let name = || self.name.clone();
        let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if self.name.is_empty()
            || self.name.len() > NAME_BYTES_MAX
            || !self.name.bytes().all(is_part)
        {
            return Err(OwnRuleError::Name { name: name() });
        }
        if Rule::of_name(&self.name).is_some() {
            return Err(OwnRuleError::Taken { name: name() });
        }
        if self.contains.len() < CONTAINS_BYTES_MIN {
            return Err(OwnRuleError::Contains { name: name() });
        }
        let compiled = compile(&self.pattern)
            .map_err(|source| OwnRuleError::Pattern { name: name(), source })?;
        if compiled.is_match(b"") {
            return Err(OwnRuleError::Empty { name: name() });
        }
        Ok(())
    }
}

/// A rule ready to be applied.
#[derive(Debug)]
pub(super) struct Pattern {
    rule: OwnRule,
    contains: Finder<'static>,
    compiled: OnceLock<Regex>,
}

impl Pattern {
    pub(super) fn new(rule: &OwnRule) -> Self {
        let contains = Finder::new(rule.contains.as_bytes()).into_owned();
        Self { rule: rule.clone(), contains, compiled: OnceLock::new() }
    }

    pub(super) fn name(&self) -> &str {
        &self.rule.name
    }

    /// Returns whether the text that every match contains is there.
    pub(super) fn may_match(&self, line: &[u8]) -> bool {
        self.contains.find(line).is_some()
    }

    /// Returns what the rule takes for secrets: in a JSON line only what stands in string values, and nothing in placeholders.
    pub(super) fn find(&self, line: &[u8]) -> Vec<Range<usize>> {
        let compiled = self.compiled.get_or_init(|| {
            // A pattern that was never checked must not let anything through.
            let word = || format!("{}[^\\s\"]*", regex::escape(&self.rule.contains));
            compile(&self.rule.pattern)
                .or_else(|_wrong| compile(&word()))
                .expect("an escaped text is an expression")
        });
        let mut ranges = Vec::new();
        let whole = || std::iter::once(0..line.len()).collect();
        for text in texts(line).unwrap_or_else(whole) {
            for captures in compiled.captures_iter(&line[text.clone()]) {
                let secret = captures.get(1).or(captures.get(0)).map_or(0..0, |part| part.range());
                ranges.push(text.start + secret.start..text.start + secret.end);
            }
        }
        ranges.retain(|range| !range.is_empty());
        ranges.retain(|range| !is_in_placeholder(line, range));
        confine(line, &mut ranges);
        ranges
    }
}

fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).size_limit(COMPILED_BYTES_MAX).build()
}

/// Returns whether a range reaches into what stands for a secret already.
fn is_in_placeholder(line: &[u8], range: &Range<usize>) -> bool {
    memmem::find_iter(line, PLACEHOLDER).any(|start| {
        let end = memchr::memchr(b']', &line[start..]).map_or(line.len(), |end| start + end + 1);
        start < range.end && range.start < end
    })
}

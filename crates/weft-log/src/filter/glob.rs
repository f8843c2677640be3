//! Globs: `*` stands for any text, `?` for one character, everything else for itself.

use std::fmt;

/// A glob, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob(String);

impl Glob {
    /// Returns the glob that a text is; `None` if it has neither `*` nor `?`.
    pub fn parse(text: &str) -> Option<Self> {
        text.contains(['*', '?']).then(|| Self(text.to_owned()))
    }

    /// Returns whether the text matches from its first to its last character.
    ///
    /// A text ends at a NUL, as it does for SQLite's GLOB: the index and this function must never differ.
    pub fn matches(&self, text: &str) -> bool {
        let text = text.split('\0').next().unwrap_or_default();
        let mut pattern = self.0.chars();
        let mut rest = text.chars();
        // Where to go on when the last `*` has to take one more character.
        let mut retry: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
        loop {
            let mut ahead = pattern.clone();
            let mut rest_ahead = rest.clone();
            let is_step = match ahead.next() {
                Some('*') => {
                    retry = Some((ahead.clone(), rest.clone()));
                    pattern = ahead;
                    continue;
                }
                Some('?') => rest_ahead.next().is_some(),
                Some(c) => rest_ahead.next() == Some(c),
                None if rest_ahead.next().is_none() => return true,
                None => false,
            };
            if is_step {
                (pattern, rest) = (ahead, rest_ahead);
                continue;
            }
            let Some((after_star, taken)) = &mut retry else { return false };
            if taken.next().is_none() {
                return false;
            }
            (pattern, rest) = (after_star.clone(), taken.clone());
        }
    }

    /// Returns it as SQLite's GLOB reads it, which also has `[…]`.
    pub(super) fn to_sqlite(&self) -> String {
        self.0.replace('[', "[[]")
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

//! Names as small numbers on their way to SQLite.
//!
//! The thread that parses gives every text a token and sends each new text along once; the thread that inserts keeps the ids
//! of the tokens in a plain list. So a name that was seen lately costs SQLite's thread nothing.

use std::collections::HashMap;
use std::sync::Arc;

/// How many names are remembered before all are forgotten.
pub(super) const REMEMBERED_MAX: usize = 64 * 1024;

/// A name's number until the next reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Token(u32);

impl Token {
    /// The token of a name that is not there.
    pub(super) const NONE: Self = Self(u32::MAX);

    /// Returns the id that the list has for it.
    pub(super) fn id(self, ids: &[i64]) -> Option<i64> {
        ids.get(self.0 as usize).copied()
    }
}

/// The names that the parsing side remembers.
#[derive(Default)]
pub(super) struct Names {
    tokens: HashMap<Arc<str>, Token>,
    /// Those that the other side has not been told of, in the order of their tokens.
    fresh: Vec<Arc<str>>,
    must_reset: bool,
}

impl Names {
    /// Returns the token of a text.
    pub(super) fn token(&mut self, text: &str) -> Token {
        if let Some(token) = self.tokens.get(text) {
            return *token;
        }
        let token =
            Token(u32::try_from(self.tokens.len()).expect("names are forgotten long before"));
        let text: Arc<str> = text.into();
        self.fresh.push(Arc::clone(&text));
        self.tokens.insert(text, token);
        token
    }

    /// Forgets everything: the other side may not have the ids.
    pub(super) fn forget(&mut self) {
        self.tokens.clear();
        self.fresh.clear();
        self.must_reset = true;
    }

    /// Takes the news for the other side, and makes room if there are too many names.
    pub(super) fn take_news(&mut self) -> News {
        let fresh = std::mem::take(&mut self.fresh);
        let reset = std::mem::take(&mut self.must_reset);
        if self.tokens.len() >= REMEMBERED_MAX {
            self.forget();
        }
        News { reset, fresh }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }
}

/// What the inserting side has to know before it sees tokens.
#[derive(Default)]
pub(super) struct News {
    /// Whether tokens count from 0 again.
    pub(super) reset: bool,
    /// The texts of the next tokens.
    pub(super) fresh: Vec<Arc<str>>,
}

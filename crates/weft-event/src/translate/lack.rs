//! What a translation needs and was not given, all of it at once.

use std::fmt;

use super::{Source, Untranslatable};
use crate::Dialect;

/// A field that nothing gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lack {
    /// The field.
    pub field: &'static str,
    /// The flag of `weft convert` that gives it.
    pub flag: &'static str,
}

/// Everything that one translation lacks; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lacks(pub Vec<Lack>);

impl fmt::Display for Lacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields: Vec<_> = self.0.iter().map(|lack| format!("`{}`", lack.field)).collect();
        f.write_str(&fields.join(", "))
    }
}

impl Lacks {
    /// Returns how to give what is lacking.
    pub(super) fn remedy(&self) -> String {
        let mut flags: Vec<_> = self.0.iter().map(|lack| lack.flag).collect();
        flags.dedup();
        let it = if self.0.len() == 1 { "it" } else { "them" };
        format!("give {it} with {}", flags.join(" "))
    }
}

/// Collects what a target demands and the source lacks. What is handed out for something lacking is never written.
pub(super) struct Demands {
    to: Dialect,
    lacks: Vec<Lack>,
}

impl Demands {
    pub(super) fn of(to: Dialect) -> Self {
        Self { to, lacks: Vec::new() }
    }

    /// Returns a text that is demanded. An empty one is no value.
    pub(super) fn text<'f>(
        &mut self,
        text: Option<&'f str>,
        field: &'static str,
        flag: &'static str,
    ) -> &'f str {
        self.value(text.filter(|text| !text.is_empty()), "", field, flag)
    }

    /// Returns the time.
    pub(super) fn time(&mut self, source: &Source<'_>, field: &'static str) -> i64 {
        self.value(source.facts.time_ns, 0, field, "--time")
    }

    /// Returns a value that is demanded, or `otherwise` until [`Demands::met`] refuses.
    pub(super) fn value<T>(
        &mut self,
        value: Option<T>,
        otherwise: T,
        field: &'static str,
        flag: &'static str,
    ) -> T {
        if value.is_none() {
            self.lacks.push(Lack { field, flag });
        }
        value.unwrap_or(otherwise)
    }

    /// Returns an error that names everything lacking, if anything is.
    pub(super) fn met(self) -> Result<(), Untranslatable> {
        match self.lacks.is_empty() {
            true => Ok(()),
            false => Err(Untranslatable::Missing { to: self.to, lacks: Lacks(self.lacks) }),
        }
    }
}

//! How many events were fine and how many were not, in all and by dialect.

use super::Strictness;
use crate::Dialect;
use crate::problem::{Problem, Severity};

/// What was counted. An event is valid if it has no error; a line that is no event of any dialect counts as an invalid one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Events.
    pub events: u64,
    /// Events without errors.
    pub valid: u64,
    /// Events with errors.
    pub invalid: u64,
    /// Warnings; an event can have several.
    pub warnings: u64,
}

/// The counts of all inputs so far.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    total: Counts,
    by_dialect: [Counts; Dialect::ALL.len()],
    unknown: Counts,
    n_seals: u64,
    n_errors: u64,
    /// Found before an event that has yet to come.
    pending: Found,
}

#[derive(Clone, Copy, Debug, Default)]
struct Found {
    n_errors: u64,
    n_warnings: u64,
}

impl Summary {
    /// Returns the counts of all dialects together.
    pub fn total(&self) -> Counts {
        self.total
    }

    /// Returns the counts of every dialect that was seen; `None` stands for events of no known dialect, and comes last.
    pub fn by_dialect(&self) -> impl Iterator<Item = (Option<Dialect>, Counts)> {
        let known = Dialect::ALL.iter().map(|&dialect| (Some(dialect), self.of(dialect)));
        known.chain([(None, self.unknown)]).filter(|(_, counts)| *counts != Counts::default())
    }

    /// Returns how many seals of the log were skipped.
    pub fn n_seals(&self) -> u64 {
        self.n_seals
    }

    /// Returns whether anything of the severity error was found.
    pub fn has_errors(&self) -> bool {
        self.n_errors > 0
    }

    fn of(&self, dialect: Dialect) -> Counts {
        self.by_dialect[dialect as usize]
    }

    pub(super) fn event(
        &mut self,
        dialect: Option<Dialect>,
        strictness: Strictness,
        problems: &[Problem],
    ) {
        self.before_event(strictness, problems);
        let Found { n_errors, n_warnings } = std::mem::take(&mut self.pending);
        let is_valid = n_errors == 0;
        let here = match dialect {
            Some(dialect) => &mut self.by_dialect[dialect as usize],
            None => &mut self.unknown,
        };
        for counts in [&mut self.total, here] {
            counts.events += 1;
            counts.valid += u64::from(is_valid);
            counts.invalid += u64::from(!is_valid);
            counts.warnings += n_warnings;
        }
    }

    /// Counts what was found in front of an event; it falls to that event.
    pub(super) fn before_event(&mut self, strictness: Strictness, problems: &[Problem]) {
        for problem in problems {
            match strictness.severity(problem.code) {
                Severity::Error => {
                    self.pending.n_errors += 1;
                    self.n_errors += 1;
                }
                Severity::Warning => self.pending.n_warnings += 1,
            }
        }
    }

    pub(super) fn end_input(&mut self, n_seals: u64) {
        self.n_seals += n_seals;
        let Found { n_warnings, .. } = std::mem::take(&mut self.pending);
        self.total.warnings += n_warnings;
        self.unknown.warnings += n_warnings;
    }
}

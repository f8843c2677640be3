//! Order: who numbers events, and whether the numbers come as they should. By number, never by clock.

use std::borrow::Cow;
use std::fmt;

use crate::{Dialect, Facts};

/// Who numbers events, or writes them one after the other: a session of a worker in needle, a run in engine, otherwise an agent
/// or component within its session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Producer<'a> {
    /// The dialect it speaks.
    pub dialect: Dialect,
    /// The tenant; pinchy only, where tenants share component names.
    pub tenant: Option<Cow<'a, str>>,
    /// Worker, run, agent or component.
    pub actor: Option<Cow<'a, str>>,
    /// Its session; none in engine, where the run is both.
    pub session: Option<Cow<'a, str>>,
}

/// Returns the producer of an event.
pub fn producer<'a>(facts: &Facts<'a>) -> Producer<'a> {
    let (tenant, session) = match facts.dialect {
        Dialect::Engine => (None, None),
        Dialect::Pinchy => (facts.tenant.clone(), facts.session.clone()),
        Dialect::Idle | Dialect::Collector | Dialect::Needle | Dialect::Weft => {
            (None, facts.session.clone())
        }
    };
    Producer { dialect: facts.dialect, tenant, actor: facts.actor.clone(), session }
}

impl Producer<'_> {
    /// Returns whether the event says who produced it.
    pub fn is_named(&self) -> bool {
        self.actor.is_some() || self.session.is_some()
    }

    /// Returns whether it is one of several sessions of a worker, which follow each other.
    pub fn is_worker_session(&self) -> bool {
        self.dialect == Dialect::Needle
    }

    /// Returns `sequence` if it is of use: a number counts only where it is known who counted.
    pub fn number(&self, sequence: Option<u64>) -> Option<u64> {
        let whole = match self.dialect {
            Dialect::Needle => self.actor.is_some() && self.session.is_some(),
            Dialect::Engine => self.actor.is_some(),
            Dialect::Idle | Dialect::Collector | Dialect::Pinchy | Dialect::Weft => self.is_named(),
        };
        sequence.filter(|_| whole)
    }
}

/// The dialect, then the names that are there, for a person: `needle alpha/d7261357`.
impl fmt::Display for Producer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.dialect.as_str())?;
        let names = [&self.tenant, &self.actor, &self.session];
        let mut before = ' ';
        for name in names.into_iter().flatten() {
            write!(f, "{before}{}", plain(name))?;
            before = '/';
        }
        if before == ' ' {
            f.write_str(" (unnamed)")?;
        }
        Ok(())
    }
}

/// Returns a name that cannot break a line or a terminal.
fn plain(name: &str) -> Cow<'_, str> {
    if !name.contains(char::is_control) {
        return Cow::Borrowed(name);
    }
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    Cow::Owned(name.chars().map(shown).collect())
}

/// Follows the numbers of one producer.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    /// The highest number that a first event may have without anything missing before it.
    first_max: u64,
    last: Option<u64>,
}

/// What a number says about those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is the next one.
    Next,
    /// Numbers are missing between the expected one and it.
    Gap {
        /// The number that should have come.
        expected: u64,
    },
    /// It is the same again.
    Again,
    /// It is lower than the one before it.
    Backward {
        /// The one before it.
        after: u64,
    },
}

impl Watch {
    /// Returns a watch that has seen nothing yet. needle counts from 0 or 1, engine from 0.
    pub fn new(dialect: Dialect) -> Self {
        let first_max = match dialect {
            Dialect::Needle => 1,
            Dialect::Engine => 0,
            Dialect::Idle | Dialect::Collector | Dialect::Pinchy | Dialect::Weft => u64::MAX,
        };
        Self { first_max, last: None }
    }

    /// Takes the next number. After a backward step it counts on from there.
    pub fn step(&mut self, number: u64) -> Step {
        match self.last.replace(number) {
            None if number > self.first_max => Step::Gap { expected: self.first_max },
            None => Step::Next,
            Some(last) if number == last => Step::Again,
            Some(last) if number < last => Step::Backward { after: last },
            Some(last) if number == last + 1 => Step::Next,
            Some(last) => Step::Gap { expected: last + 1 },
        }
    }
}

#[cfg(test)]
mod tests;

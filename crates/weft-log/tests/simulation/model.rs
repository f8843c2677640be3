//! The naive log that the real one is held against: a list of lines, and what was asked for and may or may not be there.

use std::collections::HashMap;
use std::fmt;

/// What the log did that it must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// A record that was acknowledged, or that a reader has seen, is not there.
    Lost,
    /// A group is there in part.
    Half,
    /// A record is there that was never asked for, was refused, or is there twice.
    Invented,
    /// A record is not at the position that was answered, or its time goes back.
    Moved,
    /// The log says that it is damaged.
    Damaged,
    /// A second recovery did something.
    Unsettled,
    /// The log could not be opened or read although nothing failed.
    Closed,
    /// The code panicked.
    Panicked,
}

#[derive(Clone, Debug)]
pub(crate) struct Violation {
    pub(crate) wrong: Wrong,
    pub(crate) what: String,
}

impl Violation {
    pub(crate) fn new(wrong: Wrong, what: impl Into<String>) -> Self {
        Self { wrong, what: what.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.wrong, self.what)
    }
}

/// What the client was told of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// Nothing, or that it is not known.
    Nothing,
    /// That it is written.
    Written,
    /// That it is durable.
    Durable,
}

/// A group that was asked for since the log was last looked at.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) lines: Vec<Vec<u8>>,
    pub(crate) told: Told,
    /// The position that was answered.
    pub(crate) first: Option<u64>,
}

/// Who looks at the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// A reader beside the writer: what is not in sight may still come.
    Beside,
    /// Whoever has just opened the log: what is not there will never be.
    Opened,
}

#[derive(Debug, Default)]
pub(crate) struct Model {
    /// The records that are known durable, by position from 1.
    log: Vec<Vec<u8>>,
    /// What was asked for since, in order.
    asked: Vec<Group>,
    /// Where each record is, as read from the log.
    known: HashMap<Vec<u8>, u64>,
}

impl Model {
    pub(crate) fn ask(&mut self, lines: Vec<Vec<u8>>) {
        self.asked.push(Group { lines, told: Told::Nothing, first: None });
    }

    pub(crate) fn last(&mut self) -> &mut Group {
        self.asked.last_mut().expect("a group was just asked for")
    }

    /// Forgets the group asked for last: it was refused.
    pub(crate) fn refuse_last(&mut self) {
        self.asked.pop();
    }

    /// Takes every group that was told written for durable.
    pub(crate) fn synced(&mut self) {
        for group in self.asked.iter_mut().filter(|group| group.told == Told::Written) {
            group.told = Told::Durable;
        }
    }

    /// Says that what is written may be lost: the power was cut, or a call failed.
    pub(crate) fn doubt_written(&mut self) {
        for group in self.asked.iter_mut().filter(|group| group.told == Told::Written) {
            group.told = Told::Nothing;
        }
    }

    pub(crate) fn position_of(&self, line: &[u8]) -> Option<u64> {
        self.known.get(line).copied()
    }

    pub(crate) fn n_records(&self) -> usize {
        self.log.len()
    }

    /// Holds what was read against what must and may be there.
    pub(crate) fn look(&mut self, found: &[(u64, Vec<u8>)], look: Look) -> Result<(), Violation> {
        for ((position, line), expected) in found.iter().zip(1..) {
            if *position != expected {
                let what = format!("position {position} where {expected} was due");
                return Err(Violation::new(Wrong::Moved, what));
            }
            let n = usize::try_from(expected - 1).expect("logs are short");
            if self.log.get(n).is_some_and(|due| due != line) {
                let what = format!("position {position} is {}", text(line));
                return Err(Violation::new(Wrong::Lost, what));
            }
        }
        if found.len() < self.log.len() {
            let what = format!("{} of {} records", found.len(), self.log.len());
            return Err(Violation::new(Wrong::Lost, what));
        }
        let mut rest = &found[self.log.len()..];
        let mut n_settled = 0;
        for (idx, group) in self.asked.iter().enumerate() {
            let n_same = rest.iter().zip(&group.lines).take_while(|(a, b)| a.1 == **b).count();
            if n_same == group.lines.len() {
                let first = rest[0].0;
                if group.first.is_some_and(|answered| answered != first) {
                    let what = format!("answered {:?}, is at {first}", group.first);
                    return Err(Violation::new(Wrong::Moved, what));
                }
                rest = &rest[n_same..];
                n_settled = idx + 1;
                continue;
            }
            if n_same > 0 {
                let what = format!("{n_same} of {} records of a group", group.lines.len());
                return Err(Violation::new(Wrong::Half, what));
            }
            let is_due = match group.told {
                Told::Nothing => false,
                Told::Written => look == Look::Opened,
                Told::Durable => true,
            };
            if is_due {
                let what = format!("a group told {:?} at {:?}", group.told, group.first);
                return Err(Violation::new(Wrong::Lost, what));
            }
        }
        if let Some((position, line)) = rest.first() {
            let what = format!("position {position} is {}", text(line));
            return Err(Violation::new(Wrong::Invented, what));
        }
        let added = &found[self.log.len()..];
        self.log.extend(added.iter().map(|(_, line)| line.clone()));
        self.known.extend(added.iter().map(|(position, line)| (line.clone(), *position)));
        match look {
            Look::Beside => self.asked.drain(..n_settled).for_each(drop),
            Look::Opened => self.asked.clear(),
        }
        Ok(())
    }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(40)]).into_owned()
}

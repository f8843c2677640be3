//! What a commit wrote, for whoever follows the log in the same process: the records need not be read from the disk again.

use bytes::Bytes;

use crate::reader::Mileage;
use crate::writer::Entry;
use crate::{Meta, Position};

/// Records that follow each other in the log and are durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    groups: Vec<WrittenEntries>,
    /// How far the log goes with them.
    pub mileage: Mileage,
}

/// The entries of one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenEntries {
    pub(super) first: Position,
    pub(super) at_us: i64,
    pub(super) entries: Vec<Entry>,
}

impl Written {
    /// Returns what groups that follow each other have; `None` if there are none.
    pub(super) fn of(groups: Vec<WrittenEntries>, mileage: Mileage) -> Option<Self> {
        (!groups.is_empty()).then_some(Self { groups, mileage })
    }

    /// Returns the position of the first record.
    pub fn first(&self) -> Position {
        self.groups.first().map_or(self.mileage.next, |group| group.first)
    }

    /// Returns the records in order, each with its line, as a reader of the log would.
    pub fn into_records(self) -> impl Iterator<Item = (Meta, Bytes)> {
        self.groups.into_iter().flat_map(|WrittenEntries { first, at_us, entries }| {
            entries.into_iter().enumerate().map(move |(idx, Entry { line, mark })| {
                let at_us = mark.carried.map_or(at_us, |carried| carried.at_us);
                let position = first.plus(idx as u64);
                (Meta { position, at_us: Some(at_us), mark: Some(mark) }, line)
            })
        })
    }
}

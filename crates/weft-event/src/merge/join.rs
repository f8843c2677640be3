//! Looking keys up in a sorted stream, by a reader that is itself in order.

use std::io::{self, Read};

use super::sort::Sorted;

/// A sorted stream and the record it stands at.
#[derive(Debug)]
pub(super) struct Join<F> {
    sorted: Sorted<F>,
    key: Vec<u8>,
    payload: Vec<u8>,
    at_end: bool,
}

impl<F: Read> Join<F> {
    pub(super) fn new(sorted: Sorted<F>) -> io::Result<Self> {
        let mut join = Self { sorted, key: Vec::new(), payload: Vec::new(), at_end: false };
        join.advance()?;
        Ok(join)
    }

    /// Returns the payload of a key. Keys are asked for in rising order.
    pub(super) fn find(&mut self, key: &[u8]) -> io::Result<Option<&[u8]>> {
        while !self.at_end && self.key.as_slice() < key {
            self.advance()?;
        }
        Ok((!self.at_end && self.key == key).then_some(self.payload.as_slice()))
    }

    fn advance(&mut self) -> io::Result<()> {
        self.key.clear();
        self.payload.clear();
        match self.sorted.read()? {
            None => self.at_end = true,
            Some(record) => {
                self.key.extend_from_slice(record.key);
                self.payload.extend_from_slice(record.payload);
            }
        }
        Ok(())
    }
}

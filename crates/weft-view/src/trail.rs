//! The last few things that a producer did, in its own order, whatever order they came in.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::Stamp;

/// Up to `N` values, the newest by their stamps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trail<T, const N: usize> {
    steps: VecDeque<(Stamp, T)>,
}

impl<T, const N: usize> Default for Trail<T, N> {
    fn default() -> Self {
        Self { steps: VecDeque::new() }
    }
}

impl<T, const N: usize> Trail<T, N> {
    /// Puts a value into its place. Returns what no longer belongs to the last `N`: the oldest, or the value itself if it is older.
    /// A stamp that is there already changes nothing.
    pub fn put(&mut self, stamp: Stamp, value: T) -> Option<(Stamp, T)> {
        let mut idx = match self.steps.back() {
            Some((last, _)) if *last < stamp => self.steps.len(),
            Some(_) => match self.steps.binary_search_by(|(step, _)| step.cmp(&stamp)) {
                Ok(_) => return None,
                Err(idx) => idx,
            },
            None => 0,
        };
        let mut gone = None;
        if self.steps.len() == N {
            if idx == 0 {
                return Some((stamp, value));
            }
            gone = self.steps.pop_front();
            idx -= 1;
        }
        // Room for more than `N` is never used, and most stay shorter.
        if self.steps.len() == self.steps.capacity() {
            let n_more = self.steps.len().div_ceil(2).max(2);
            self.steps.reserve_exact(n_more.min(N.saturating_sub(self.steps.len())));
        }
        // Nearly all come in order, and an insertion at the end costs more.
        if idx == self.steps.len() {
            self.steps.push_back((stamp, value));
        } else {
            self.steps.insert(idx, (stamp, value));
        }
        gone
    }

    /// Returns the values from the oldest to the newest.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Stamp, &T)> + ExactSizeIterator {
        self.steps.iter().map(|(stamp, value)| (stamp, value))
    }

    /// Returns the newest.
    pub fn last(&self) -> Option<(&Stamp, &T)> {
        self.steps.back().map(|(stamp, value)| (stamp, value))
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

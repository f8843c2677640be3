//! A long queue in pieces of one size: it grows without being copied, and what leaves it gives its memory back.

use std::collections::VecDeque;

/// Values in one piece.
const PIECE_LEN: usize = 4096;

/// Values, first in, first out. Only the last piece is filled in part.
#[derive(Debug)]
pub(super) struct Pieces<T> {
    pieces: VecDeque<Vec<T>>,
    /// Values of the first piece that have left already.
    n_gone: usize,
}

impl<T> Default for Pieces<T> {
    fn default() -> Self {
        Self { pieces: VecDeque::new(), n_gone: 0 }
    }
}

impl<T: Copy> Pieces<T> {
    pub(super) fn len(&self) -> usize {
        self.pieces.back().map_or(0, |last| (self.pieces.len() - 1) * PIECE_LEN + last.len())
            - self.n_gone
    }

    pub(super) fn push(&mut self, value: T) {
        if self.pieces.back().is_none_or(|last| last.len() == PIECE_LEN) {
            // Few values take little: the first piece alone grows as it is filled.
            let room = if self.pieces.is_empty() { 0 } else { PIECE_LEN };
            self.pieces.push_back(Vec::with_capacity(room));
        }
        self.pieces.back_mut().expect("it was put there").push(value);
    }

    pub(super) fn get(&self, idx: usize) -> Option<T> {
        let idx = idx + self.n_gone;
        self.pieces.get(idx / PIECE_LEN)?.get(idx % PIECE_LEN).copied()
    }

    /// Removes this many from the front.
    pub(super) fn remove_first(&mut self, n: usize) {
        assert!(n <= self.len(), "no more can leave than are there");
        self.n_gone += n;
        while self.pieces.pop_front_if(|first| first.len() <= self.n_gone).is_some() {
            self.n_gone = self.n_gone.saturating_sub(PIECE_LEN);
        }
        if self.pieces.is_empty() {
            self.n_gone = 0;
        }
    }

    /// Removes all but this many from the back.
    pub(super) fn truncate(&mut self, n: usize) {
        if n >= self.len() {
            return;
        }
        if n == 0 {
            return self.clear();
        }
        let n = n + self.n_gone;
        self.pieces.truncate(n.div_ceil(PIECE_LEN));
        if let Some(last) = self.pieces.back_mut() {
            let before = (n - 1) / PIECE_LEN * PIECE_LEN;
            last.truncate(n - before);
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn it_is_a_queue(steps in proptest::collection::vec((0_u8..4, 0..3 * PIECE_LEN), 1..40)) {
            let (mut pieces, mut model) = (Pieces::default(), VecDeque::new());
            let mut next = 0_u32;
            for (step, n) in steps {
                match step {
                    0 | 1 => {
                        for _ in 0..n {
                            pieces.push(next);
                            model.push_back(next);
                            next += 1;
                        }
                    }
                    2 => {
                        let n = n.min(model.len());
                        pieces.remove_first(n);
                        model.drain(..n);
                    }
                    _ => {
                        pieces.truncate(n);
                        model.truncate(n);
                    }
                }
                assert_eq!(pieces.len(), model.len());
                for idx in [0, n, n / 2, model.len().saturating_sub(1), model.len()] {
                    assert_eq!(pieces.get(idx), model.get(idx).copied());
                }
                assert!(pieces.pieces.len() <= model.len() / PIECE_LEN + 2);
            }
        }
    }
}

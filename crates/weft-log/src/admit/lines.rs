//! The memory of lines on their way into the log.
//!
//! A line is made by one thread and let go by another, and the allocator makes them wait for each other. Where many come together they
//! are put into blocks, which are let go with the last of their lines. So who keeps one of many for long copies it.

use std::borrow::Cow;

use bytes::{Bytes, BytesMut};

/// Bytes of a block.
const BLOCK_BYTES: usize = 64 << 10;

/// From which length on a line has memory of its own: a block is not to be left half empty for it.
const OWN_BYTES_MIN: usize = BLOCK_BYTES / 8;

/// How lines are kept.
#[derive(Debug)]
pub(super) enum Lines {
    /// Each by itself.
    Apart,
    /// In blocks; this is what is left of the last one.
    Together(BytesMut),
}

impl Lines {
    /// Returns how lines are kept that have so many bytes together.
    pub(super) fn of(self, n_bytes: usize) -> Self {
        match self {
            _ if n_bytes < BLOCK_BYTES => Lines::Apart,
            Lines::Apart => Lines::Together(BytesMut::new()),
            Lines::Together(_) => self,
        }
    }

    pub(super) fn keep(&mut self, line: Cow<'_, [u8]>) -> Bytes {
        match self {
            Lines::Together(block) if line.len() < OWN_BYTES_MIN => {
                if block.capacity() < line.len() {
                    *block = BytesMut::with_capacity(BLOCK_BYTES);
                }
                block.extend_from_slice(&line);
                block.split().freeze()
            }
            Lines::Together(_) | Lines::Apart => line.into_owned().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_as_they_are_however_they_are_kept() {
        let lines: Vec<Vec<u8>> =
            (0..2_000_usize).map(|n| vec![b'a' + (n % 26) as u8; n * 37 % 20_000]).collect();
        for mut kept in [Lines::Apart, Lines::Apart.of(BLOCK_BYTES)] {
            let all: Vec<Bytes> = lines.iter().map(|line| kept.keep(line.into())).collect();
            assert!(all.iter().zip(&lines).all(|(kept, line)| kept == line));
        }
    }

    #[test]
    fn short_lines_share_a_block_and_long_ones_have_none() {
        let mut kept = Lines::Apart.of(1 << 20);
        let short = vec![b'x'; 500];
        let all: Vec<Bytes> = (0..200).map(|_| kept.keep((&short).into())).collect();
        let n_apart = all.windows(2).filter(|two| two[0].as_ptr_range().end != two[1].as_ptr());
        assert_eq!(n_apart.count(), 200 * 500 / BLOCK_BYTES);
        let Lines::Together(block) = &kept else { panic!("they are put together") };
        let left = block.capacity();
        kept.keep(vec![b'x'; OWN_BYTES_MIN].into());
        let Lines::Together(block) = &kept else { panic!("they are put together") };
        assert_eq!(block.capacity(), left);
        let kept = kept.of(1 << 20);
        assert!(matches!(&kept, Lines::Together(block) if block.capacity() == left));
        assert!(matches!(kept.of(500), Lines::Apart), "a few lines are not to keep a block");
    }
}

//! ULIDs: 48 bits of milliseconds and 80 random ones as 26 letters and digits, which sort as they were made.

use std::fmt;

use weft_event::digest_parts;

/// The digits, in order; letters that look like others are left out.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// How many characters it takes.
const CHARS: usize = 26;

const RANDOM_BITS: u32 = 80;
const RANDOM_MAX: u128 = (1 << RANDOM_BITS) - 1;
const MS_MAX: u64 = (1 << 48) - 1;

/// An id that sorts by the time of its making.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ulid(u128);

impl Ulid {
    /// Returns the id that only these parts give: the same for the same thing, however often it is taken.
    pub fn of_parts(at_ms: i64, parts: &[&[u8]]) -> Self {
        Self::of(at_ms, u128::from_le_bytes(digest_parts(parts)))
    }

    fn of(at_ms: i64, random: u128) -> Self {
        let ms = u64::try_from(at_ms).unwrap_or(0).min(MS_MAX);
        Self(u128::from(ms) << RANDOM_BITS | random & RANDOM_MAX)
    }

    /// Returns when it was made, in milliseconds since 1970.
    pub fn at_ms(self) -> u64 {
        u64::try_from(self.0 >> RANDOM_BITS).expect("48 bits are left")
    }
}

impl fmt::Display for Ulid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = (0..CHARS).rev().map(|idx| {
            let digit = usize::try_from(self.0 >> (5 * idx) & 31).expect("5 bits are left");
            char::from(DIGITS[digit])
        });
        f.write_str(&digits.collect::<String>())
    }
}

/// Makes ids, each greater than the one before.
#[derive(Debug, Default)]
pub struct Ulids {
    last: Option<Ulid>,
}

impl Ulids {
    /// Returns the next id. Whatever the clock does, it is greater than the last.
    pub fn next(&mut self, now_ms: i64, random: [u8; 16]) -> Ulid {
        let fresh = Ulid::of(now_ms, u128::from_le_bytes(random));
        let next = match self.last {
            // One more than the last carries into the time where all random bits are set.
            Some(last) if last >= fresh || last.at_ms() == fresh.at_ms() => Ulid(last.0 + 1),
            Some(_) | None => fresh,
        };
        self.last = Some(next);
        next
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn it_is_written_as_the_format_says() {
        assert_eq!(Ulid(0).to_string(), "0".repeat(26));
        assert_eq!(Ulid(u128::MAX).to_string(), format!("7{}", "Z".repeat(25)));
        // 2026-11-16T22:00:00Z.
        let made = Ulid::of(1_794_866_400_000, 1);
        assert_eq!(made.to_string(), "01M7K5ZJR00000000000000001");
        assert_eq!(made.at_ms(), 1_794_866_400_000);
    }

    #[test]
    fn the_same_parts_give_the_same_id_and_others_another() {
        let id = |rev: &str| Ulid::of_parts(5, &[b"a", rev.as_bytes()]);
        assert_eq!(id("1"), id("1"));
        assert_ne!(id("1"), id("2"));
        assert_eq!(Ulid::of_parts(-1, &[]).at_ms(), 0);
    }

    proptest! {
        #[test]
        fn each_is_greater_than_the_last_and_sorts_so_as_text(
            steps in prop::collection::vec((0_i64..5, any::<[u8; 16]>()), 1..50),
        ) {
            let mut ulids = Ulids::default();
            // The clock goes back as well.
            let made: Vec<_> = steps.iter().map(|(ms, random)| ulids.next(1_000 - ms, *random)).collect();
            prop_assert!(made.is_sorted_by(|a, b| a < b));
            let texts: Vec<_> = made.iter().map(Ulid::to_string).collect();
            prop_assert!(texts.is_sorted_by(|a, b| a < b));
        }
    }
}

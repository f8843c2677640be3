//! Which moment a view is asked for: now, at a position, or at a time.

use weft_log::disk::RealDisk;
use weft_log::reader::{self, ReadError};
use weft_log::{Position, Store, filter};

/// A moment of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The end of the log, now.
    Now,
    /// When the record at this position had just been received.
    Position(Position),
    /// A time, in nanoseconds since 1970.
    Time(i64),
}

/// A text that names no moment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no moment: write a position, or a time as 2h, 2026-11-15 or 2026-11-15T09:30")]
pub struct MomentError {
    /// The text.
    pub text: String,
}

impl Moment {
    /// Reads a position or a time; relative times count from `now_ns`.
    pub fn parse(text: &str, now_ns: i64) -> Result<Self, MomentError> {
        let position = || text.parse().ok().and_then(Position::new).map(Moment::Position);
        let time = || filter::parse_time(text, now_ns).map(Moment::Time);
        position().or_else(time).ok_or_else(|| MomentError { text: text.to_owned() })
    }

    /// Returns the last position that counts then; `None` if there is no record yet.
    pub fn position(self, store: &Store) -> Result<Option<Position>, ReadError> {
        match self {
            Moment::Now => Ok(reader::read_head(&RealDisk, store.root())?.last()),
            Moment::Position(position) => Ok(Some(position)),
            Moment::Time(ns) => {
                let last = reader::last_received(RealDisk, store.root(), ns.div_euclid(1000))?;
                let first = reader::first_kept(RealDisk, store.root())?;
                match (last, first.and_then(|first| Some((first, Position::new(first.get() - 1)?))))
                {
                    (None, Some((first, position))) => Err(ReadError::Pruned { position, first }),
                    (last, _) => Ok(last),
                }
            }
        }
    }

    /// Returns the time, where it is one.
    pub fn time_ns(self) -> Option<i64> {
        match self {
            Moment::Now | Moment::Position(_) => None,
            Moment::Time(ns) => Some(ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_a_position_and_the_rest_is_a_time() {
        const SECOND_NS: i64 = 1_000_000_000;
        let now_ns = 1_794_744_000 * SECOND_NS;
        let parse = |text: &str| Moment::parse(text, now_ns).map_err(|error| error.to_string());
        assert_eq!(parse("12"), Ok(Moment::Position(Position::FIRST.plus(11))));
        assert_eq!(parse("2h"), Ok(Moment::Time(now_ns - 7200 * SECOND_NS)));
        assert_eq!(parse("2026-11-15T11:00"), Ok(Moment::Time(now_ns - 3600 * SECOND_NS)));
        for bad in ["", "0", "-1", "noon"] {
            let expected = MomentError { text: bad.to_owned() }.to_string();
            assert_eq!(parse(bad), Err(expected));
        }
    }
}

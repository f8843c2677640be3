//! The names of segments. The order of their names is the order of the log.

use std::fmt;

use weft_event::time;

/// Microseconds of a day.
pub(crate) const DAY_US: i64 = 86_400_000_000;

/// Name of a segment: the UTC day of its first record, and its number within that day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentName {
    day: Day,
    /// From 0, at most [`SegmentName::NUMBER_MAX`].
    number: u16,
}

/// A UTC day as `YYYY-MM-DD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Day([u8; 10]);

/// The form that a segment's file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Lines as they were written.
    Plain,
    /// Compressed, in frames that end at seals.
    Archive,
}

impl SegmentName {
    /// The last number of a day: four digits, so that names sort.
    pub const NUMBER_MAX: u16 = 9999;

    /// Returns the first name of the day of a time in microseconds since 1970.
    pub fn first_of_day(at_us: i64) -> Self {
        let text = time::format_rfc3339(at_us.saturating_mul(1000));
        let day = text.as_bytes()[..10].try_into().expect("a time begins with ten bytes of date");
        Self { day: Day(day), number: 0 }
    }

    /// Returns a name before every segment of the day of a time.
    pub(crate) fn before_day(at_us: i64) -> Self {
        Self::first_of_day(at_us.saturating_sub(DAY_US))
    }

    /// Returns the name of the segment that follows this one at a time; `None` if the day has no number left.
    pub fn next(self, at_us: i64) -> Option<Self> {
        let first = Self::first_of_day(at_us);
        if first.day > self.day {
            return Some(first);
        }
        (self.number < Self::NUMBER_MAX).then(|| Self { day: self.day, number: self.number + 1 })
    }

    /// Returns whether a time is on a later day than this segment.
    pub fn is_before_day_of(self, at_us: i64) -> bool {
        Self::first_of_day(at_us).day > self.day
    }

    /// Reads a file name; `None` if it is none of a segment.
    pub fn parse(file: &str) -> Option<(Self, Form)> {
        let rest = file.strip_prefix("events-")?;
        let (name, form) = match rest.strip_suffix(".jsonl.zst") {
            Some(name) => (name, Form::Archive),
            None => (rest.strip_suffix(".jsonl")?, Form::Plain),
        };
        let (day, number) = name.split_once('.')?;
        let day: [u8; 10] = day.as_bytes().try_into().ok()?;
        let is_day = day.iter().enumerate().all(|(idx, byte)| match idx {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
        let is_number = number.len() == 4 && number.bytes().all(|byte| byte.is_ascii_digit());
        (is_day && is_number)
            .then(|| number.parse().ok().map(|number| (Self { day: Day(day), number }, form)))?
    }

    /// Returns the file name in a form.
    pub fn file(self, form: Form) -> String {
        let end = match form {
            Form::Plain => ".jsonl",
            Form::Archive => ".jsonl.zst",
        };
        let number =
            [1000, 100, 10, 1].map(|place| (b'0' + (self.number / place % 10) as u8).into());
        let mut file = String::with_capacity("events-YYYY-MM-DD.0000.jsonl.zst".len());
        file.extend(["events-", self.day(), "."]);
        file.extend::<[char; 4]>(number);
        file.push_str(end);
        file
    }

    /// Returns the UTC day as `YYYY-MM-DD`.
    pub fn day(&self) -> &str {
        std::str::from_utf8(&self.day.0).expect("a day is digits and dashes")
    }
}

impl fmt::Display for SegmentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "events-{}.{:04}", self.day(), self.number)
    }
}

#[cfg(test)]
mod tests;

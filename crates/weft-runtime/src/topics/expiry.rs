//! What counts only for so long: the state of a loop, and what it was asked.

use std::time::Duration;

use weft_event::idle::{REQUEST_EXPIRY, STATE_LIFE, Topic};
use weft_event::json::{Tape, Value};
use weft_event::time::parse_rfc3339;

use super::body;

/// From when on something counts, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expiry {
    /// From when on, in nanoseconds since 1970.
    pub since_ns: i64,
    /// For how long.
    pub life: Duration,
}

impl Expiry {
    /// Returns when it ends to count, in nanoseconds since 1970.
    pub fn ends_ns(self) -> i64 {
        self.since_ns.saturating_add(i64::try_from(self.life.as_nanos()).unwrap_or(i64::MAX))
    }

    /// Returns whether it counts no more. At the very end of its life it still does.
    pub fn is_over(self, now_ns: i64) -> bool {
        now_ns > self.ends_ns()
    }
}

/// Returns how long what was posted to a topic counts; `None` if it has no end.
pub fn expiry(topic: &str, said: &str, posted_ns: i64) -> Option<Expiry> {
    let (event, time, life) = match Topic::parse(topic) {
        Topic::LoopCurrent => ("STATE", "updated_at", STATE_LIFE),
        Topic::LoopControl => ("REQUEST", "ts", REQUEST_EXPIRY),
        Topic::LoopAnchor
        | Topic::LoopTrace
        | Topic::Issue(_)
        | Topic::Project(_)
        | Topic::Agent(_)
        | Topic::Other(_) => return None,
    };
    let text = body::object(said)?;
    let mut tape = Tape::new();
    let value: Value<'_> = tape.parse(&text).ok()?;
    if !value.get("event").is_some_and(|word| word.is_text(event)) {
        return None;
    }
    let since_ns = value.text_at(time).and_then(|time| parse_rfc3339(&time)).unwrap_or(posted_ns);
    Some(Expiry { since_ns, life })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_counts_for_two_hours_and_nothing_else_ends() {
        let state =
            r#"{"schema":0,"event":"STATE","updated_at":"1970-01-01T00:00:10Z","stack":[]}"#;
        let ends = expiry("loop:current", state, 99).expect("a state expires");
        assert_eq!(ends.since_ns, 10_000_000_000);
        let end_ns = (10 + 2 * 60 * 60) * 1_000_000_000;
        assert!(!ends.is_over(end_ns) && ends.is_over(end_ns + 1));
        let undated = expiry("loop:current", "{\"event\":\"STATE\",\n\"note\":\"a\nb\"}", 99);
        assert_eq!(undated.map(|ends| ends.since_ns), Some(99));
        assert_eq!(expiry("plan", state, 99), None);
        assert_eq!(expiry("loop:current", r#"{"event":"DONE"}"#, 99), None);
        assert_eq!(expiry("loop:current", "words", 99), None);
    }
}

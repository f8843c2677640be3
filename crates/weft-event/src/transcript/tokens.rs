//! Counting tokens once, whether they are told with every part of an answer or as a sum that grows.

use std::collections::VecDeque;

use crate::json::{Json, Object, Value};

/// Answers whose counts are remembered: parts of one answer may stand apart, but not by many others.
const ANSWERS_MAX: usize = 16;

/// Tokens of one answer, or of all up to one. No token is in two of the first four.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    /// Read, and neither from a cache nor into one.
    pub(super) input: u64,
    /// Written, with those of `reasoning`.
    pub(super) output: u64,
    pub(super) cache_read: u64,
    pub(super) cache_write: u64,
    pub(super) reasoning: u64,
}

impl Tokens {
    pub(super) fn is_none(self) -> bool {
        self == Self::default()
    }

    /// Returns all of them.
    pub(super) fn total(self) -> u64 {
        let Self { input, output, cache_read, cache_write, reasoning: _ } = self;
        [input, output, cache_read, cache_write].into_iter().fold(0, u64::saturating_add)
    }

    /// Returns what these are more than others, each count for itself.
    pub(super) fn beyond(self, counted: Self) -> Self {
        self.with(counted, u64::saturating_sub)
    }

    /// Returns the larger of each count.
    pub(super) fn max(self, other: Self) -> Self {
        self.with(other, u64::max)
    }

    fn with(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            input: of(self.input, other.input),
            output: of(self.output, other.output),
            cache_read: of(self.cache_read, other.cache_read),
            cache_write: of(self.cache_write, other.cache_write),
            reasoning: of(self.reasoning, other.reasoning),
        }
    }

    fn counts(self) -> [u64; 5] {
        let Self { input, output, cache_read, cache_write, reasoning } = self;
        [input, output, cache_read, cache_write, reasoning]
    }

    pub(super) fn json(self) -> Json<'static> {
        Json::array(self.counts().map(Json::integer))
    }

    pub(super) fn of_json(value: Value<'_>) -> Option<Self> {
        let mut counts = value.items().map(Value::as_u64);
        let mut next = || counts.next()?;
        let (input, output, cache_read) = (next()?, next()?, next()?);
        Some(Self { input, output, cache_read, cache_write: next()?, reasoning: next()? })
    }

    /// Writes the counts by the names that facts are read from.
    pub(super) fn write(self, usage: &mut Object<'_>) {
        let Self { input, output, cache_read, cache_write, reasoning } = self;
        let counts = [
            ("input_tokens", input),
            ("output_tokens", output),
            ("cache_read_tokens", cache_read),
            ("cache_write_tokens", cache_write),
        ];
        counts.iter().for_each(|(name, n)| usage.json(name, &Json::integer(*n)));
        if reasoning > 0 {
            usage.json("reasoning_tokens", &Json::integer(reasoning));
        }
    }
}

/// What was counted of the last answers, the oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answers(VecDeque<Answer>);

#[derive(Clone, Debug, PartialEq)]
struct Answer {
    id: String,
    /// How often something was counted.
    n_told: u64,
    counted: Tokens,
}

impl Answers {
    /// Counts what a part of an answer says; returns what is new in it, and how often something was before.
    pub(super) fn count(&mut self, id: &str, said: Tokens) -> Option<(Tokens, u64)> {
        if said.is_none() {
            return None;
        }
        let at = self.0.iter().position(|answer| answer.id == id);
        let Some(answer) = at.and_then(|at| self.0.get_mut(at)) else {
            if self.0.len() == ANSWERS_MAX {
                self.0.pop_front();
            }
            self.0.push_back(Answer { id: id.to_owned(), n_told: 1, counted: said });
            return Some((said, 0));
        };
        let (new, n_before) = (said.beyond(answer.counted), answer.n_told);
        if new.is_none() {
            return None;
        }
        answer.counted = answer.counted.max(said);
        answer.n_told = answer.n_told.saturating_add(1);
        Some((new, n_before))
    }

    pub(super) fn save(&self, object: &mut Object<'_>) {
        let row = |answer: &Answer| {
            let n_told = Json::integer(answer.n_told);
            Json::array([Json::text(&answer.id), n_told, answer.counted.json()])
        };
        object.json("answers", &Json::array(self.0.iter().map(row)));
    }

    pub(super) fn resume(state: Value<'_>) -> Option<Self> {
        let read = |row: Value<'_>| {
            let mut row = row.items();
            let (id, n_told, counted) = (row.next()?, row.next()?, row.next()?);
            let (id, n_told) = (id.as_text()?.into_owned(), n_told.as_u64()?);
            Some(Answer { id, n_told, counted: Tokens::of_json(counted)? })
        };
        let answers: Option<VecDeque<Answer>> = state.get("answers")?.items().map(read).collect();
        answers.filter(|answers| answers.len() <= ANSWERS_MAX).map(Self)
    }
}

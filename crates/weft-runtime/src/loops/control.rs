//! What is asked of a loop from outside, and what it answers: `loop:control`, as far back as it counts.

use serde_json::Value;
use weft_event::idle::{Command, REPEAT_WINDOW, REQUEST_EXPIRY, Refusal, Topic};
use weft_event::json::Tape;
use weft_event::time::parse_rfc3339;
use weft_log::query::{Found, QueryError, Records};

use crate::topics::{Chosen, read};

/// Records of `loop:control` that are looked at first, then so many times as many, and at most.
const SAID_MIN: usize = 2;
const SAID_STEP: usize = 8;
const SAID_MAX: usize = 1000;
/// Most bytes of the id of a request that is taken.
pub const REQUEST_ID_BYTES_MAX: usize = 200;

/// Something that was asked of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// What the answer names.
    pub request_id: String,
    /// What is wanted.
    pub wish: Wish,
    /// The run that is meant; any of the session if none is.
    pub run_id: Option<String>,
    /// The session whose loop is meant; any if none is.
    pub session_id: Option<String>,
    /// When it was asked.
    pub at_ns: i64,
}

/// What may be asked of a loop.
pub type Wish = Command;

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// What was asked.
    pub request_id: String,
    /// Why it was not done.
    pub refusal: Option<Refusal>,
}

/// How it is with a loop after something was asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It goes on.
    Running,
    /// It waits for a person.
    Paused,
    /// It is over.
    Ended,
}

impl Standing {
    const ALL: [Self; 3] = [Standing::Running, Standing::Paused, Standing::Ended];

    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Standing::Running => "running",
            Standing::Paused => "paused",
            Standing::Ended => "ended",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|standing| standing.as_str() == word)
    }
}

/// The answer to something that was asked: the same however often it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What was asked.
    pub request_id: String,
    /// The run that answers; none if there is no loop.
    pub run_id: Option<String>,
    /// Why it was not done.
    pub refusal: Option<Refusal>,
    /// How it is with the loop, if that is known.
    pub standing: Option<Standing>,
    /// What came of it, for people.
    pub why: String,
}

impl Answer {
    /// Returns what came of it, for programs.
    pub fn result(&self) -> &'static str {
        self.refusal.map_or("ok", Refusal::as_str)
    }
}

/// The id of a request that is made here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(String);

impl RequestId {
    /// Takes a text that can be an id; `None` if it is empty, long, or no plain text.
    pub fn parse(text: &str) -> Option<Self> {
        let is_good = !text.is_empty()
            && text.len() <= REQUEST_ID_BYTES_MAX
            && !text.chars().any(char::is_control);
        is_good.then(|| Self(text.to_owned()))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns the newest records of `loop:control` that are of now, so many at most, and whether these are all.
fn newest_late(
    records: &mut Records,
    now_ns: i64,
    records_max: usize,
) -> Result<(Vec<Found>, bool), QueryError> {
    let is_late = |found: &Found| {
        let time_ns = found.read(&mut Tape::new()).and_then(|event| event.facts().time_ns);
        let away_ns = time_ns.map_or(0, |time_ns| time_ns.abs_diff(now_ns));
        u128::from(away_ns) <= REPEAT_WINDOW.as_nanos()
    };
    let name = Topic::LoopControl.to_string();
    // Mostly nothing was asked lately, and the first few tell so.
    let mut limit = SAID_MIN;
    loop {
        let mut found = read(records, &name, Chosen::All, limit)?;
        let is_all = found.len() < limit || !found.last().is_some_and(is_late);
        if is_all || limit >= records_max {
            found.retain(is_late);
            return Ok((found, is_all));
        }
        limit = records_max.min(limit * SAID_STEP);
    }
}

/// What was said in `loop:control` for as long as a repeated request gets the answer of the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    asked: Vec<Asked>,
    answers: Vec<Answer>,
}

impl Said {
    /// Reads it; the newest alone where there is too much. What a clock that is far ahead says is not of now.
    pub fn lately(records: &mut Records, now_ns: i64) -> Result<Self, QueryError> {
        let (found, _is_all) = newest_late(records, now_ns, SAID_MAX)?;
        Ok(Self::of(found.iter().map(|found| found.line.as_slice())))
    }

    /// Finds the same, the newest first; `None` where more than so many records would have to be looked at.
    pub fn lately_found(
        records: &mut Records,
        now_ns: i64,
        records_max: usize,
    ) -> Result<Option<Vec<Found>>, QueryError> {
        let (found, is_all) = newest_late(records, now_ns, records_max)?;
        Ok(is_all.then_some(found))
    }

    /// Reads events; others than requests and results are left out.
    pub fn of<'l>(lines: impl Iterator<Item = &'l [u8]>) -> Self {
        let mut said = Self::default();
        for line in lines {
            let Ok(event) = serde_json::from_slice::<Value>(line) else { continue };
            match event.get("event").and_then(Value::as_str) {
                Some("REQUEST") => said.asked.extend(read_request(&event)),
                Some("RESULT") => said.answers.extend(read_result(&event)),
                Some(_) | None => {}
            }
        }
        said
    }

    /// Returns what was asked and not answered.
    pub fn unanswered(&self) -> Vec<Asked> {
        let is_open = |asked: &&Asked| self.answer(&asked.request_id).is_none();
        self.asked.iter().filter(is_open).cloned().collect()
    }

    /// Returns what was asked by an id, the first time.
    pub fn asked(&self, request_id: &str) -> Option<&Asked> {
        let of = self.asked.iter().filter(|asked| asked.request_id == request_id);
        of.min_by_key(|asked| asked.at_ns)
    }

    /// Returns what was answered to an id.
    pub fn answer(&self, request_id: &str) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.request_id == request_id)
    }
}

fn text(event: &Value, name: &str) -> Option<String> {
    event.get(name)?.as_str().map(str::to_owned)
}

fn read_request(event: &Value) -> Option<Asked> {
    Some(Asked {
        request_id: text(event, "request_id")?,
        wish: Wish::parse(event.get("command")?.as_str()?)?,
        run_id: text(event, "run_id"),
        session_id: text(event, "session_id"),
        at_ns: parse_rfc3339(event.get("ts")?.as_str()?)?,
    })
}

fn read_result(event: &Value) -> Option<Answer> {
    let is_ok = event.get("ok")?.as_bool()?;
    let code = event.get("code").and_then(Value::as_str).and_then(Refusal::parse);
    // Whoever refuses and does not say why found that it could not be done.
    let refusal = (!is_ok).then(|| code.unwrap_or(Refusal::InvalidState));
    let details = event.get("details");
    let said = details.and_then(|details| text(details, "reason"));
    Some(Answer {
        request_id: text(event, "request_id")?,
        run_id: text(event, "run_id"),
        refusal,
        standing: details.and_then(|details| Standing::parse(details.get("state")?.as_str()?)),
        why: said.unwrap_or_else(|| refusal.map_or("it is done", Refusal::as_str).to_owned()),
    })
}

/// Returns what a loop has to answer to, of what was asked and not answered: the oldest that is meant for it and still counts.
pub fn pending<'a>(
    asked: &'a [Asked],
    run_id: &str,
    session_id: &str,
    now_ns: i64,
) -> Option<&'a Asked> {
    let counts = |one: &&Asked| {
        let is_run = one.run_id.as_deref().is_none_or(|meant| meant == run_id);
        let is_session = one.session_id.as_deref().is_none_or(|meant| meant == session_id);
        is_run && is_session && !is_expired(one.at_ns, now_ns)
    };
    asked.iter().filter(counts).min_by_key(|one| one.at_ns)
}

/// Returns whether a request of this time is too old to be answered.
pub fn is_expired(at_ns: i64, now_ns: i64) -> bool {
    let age_ns = i128::from(now_ns) - i128::from(at_ns);
    u128::try_from(age_ns).is_ok_and(|age_ns| age_ns > REQUEST_EXPIRY.as_nanos())
}

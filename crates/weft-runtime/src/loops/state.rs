//! The state of a loop as it is stored: the STATE of the idle dialect, with what Weft adds to it.
//!
//! Everything a decision needs to remember is in the newest STATE of the session, so that nothing is lost with a process.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use weft_event::idle::{Iteration, Mode, SCHEMA};
use weft_event::time;

use crate::judge::Rule;

/// What a session's newest record in `loop:current` says.
#[derive(Clone, Debug, PartialEq)]
pub enum Current {
    /// There is no loop, or it has ended.
    None,
    /// There is one.
    Running(Box<State>),
    /// It says something that is no state.
    Broken {
        /// The run, if it names one.
        run_id: Option<String>,
        /// When it was posted, if it says so.
        updated_at_ns: Option<i64>,
        /// What is wrong with it.
        why: String,
    },
}

impl Current {
    /// Reads a STATE, DONE or ABORT, or the body of a message that is one of them.
    pub fn read(text: &str) -> Self {
        let broken = |why: String, value: &serde_json::Value| {
            let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
            let updated_at_ns = text("updated_at").and_then(|at| time::parse_rfc3339(&at));
            Current::Broken { run_id: text("run_id"), updated_at_ns, why }
        };
        let value: serde_json::Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(error) => return broken(error.to_string(), &serde_json::Value::Null),
        };
        match value.get("event").and_then(serde_json::Value::as_str) {
            Some("DONE" | "ABORT") => Current::None,
            Some("STATE") => match State::deserialize(&value) {
                Ok(state) if state.stack.is_empty() => Current::None,
                Ok(state) => Current::Running(Box::new(state)),
                Err(error) => broken(error.to_string(), &value),
            },
            Some(word) => broken(format!("`{word}` is no state of a loop"), &value),
            None => broken("it has no `event`".to_owned(), &value),
        }
    }
}

/// A loop that runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    schema: Schema,
    event: StateWord,
    /// The run, which stays the same while frames come and go.
    pub run_id: String,
    /// When it was posted.
    #[serde(rename = "updated_at", with = "at")]
    pub updated_at_ns: i64,
    /// The frames; the last one is at work.
    pub stack: Vec<Frame>,
    /// The session whose loop it is; none before one has taken it up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The folder whose sessions may take it up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// Why it waits for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Pause>,
    /// How often in a row the agent was told to go on, in the turn that runs.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub blocks: u64,
    /// What the stop that was decided last is known by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_stop: Option<String>,
    /// The last position of the log, where the stop was decided without a server: while that is the last, nobody has asked for
    /// anything since, and the state itself waits in the spool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<u64>,
}

impl State {
    /// Returns a loop that begins.
    pub fn new(run_id: String, at_ns: i64, stack: Vec<Frame>) -> Self {
        Self {
            schema: Schema,
            event: StateWord::State,
            run_id,
            updated_at_ns: at_ns,
            stack,
            session_id: None,
            project: None,
            paused: None,
            blocks: 0,
            last_stop: None,
            decided_at: None,
        }
    }

    /// Returns the event, as one line.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("a state has text for keys")
    }

    /// Returns the frame at work.
    pub fn top(&self) -> Option<&Frame> {
        self.stack.last()
    }
}

/// Why a loop waits for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pause {
    /// Somebody asked for it.
    Asked,
    /// Somebody asked a person to look.
    Escalated,
    /// It was reviewed as often as it may be, and never passed.
    Review,
}

impl Pause {
    /// Returns why, for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Pause::Asked => "somebody paused it",
            Pause::Escalated => "somebody asked a person to look at it",
            Pause::Review => "its reviews did not pass",
        }
    }
}

/// One level of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Its id.
    pub id: String,
    /// What kind of level it is.
    #[serde(flatten)]
    pub kind: Kind,
    /// The iteration it is at, from 1; of a grind, the issue.
    pub iter: u64,
    /// The last one.
    pub max: u64,
    /// Where its prompt is.
    pub prompt_file: PathBuf,
    /// What it ends by, apart from that.
    #[serde(flatten)]
    pub terms: Terms,
    /// What was seen of it so far.
    #[serde(flatten)]
    pub marks: Marks,
}

impl Frame {
    /// Returns the mode, as the dialect names it.
    pub fn mode(&self) -> Mode {
        match self.kind {
            Kind::Loop => Mode::Loop,
            Kind::Grind { .. } => Mode::Grind,
            Kind::Issue { .. } => Mode::Issue,
        }
    }

    /// Returns where it is, and how far it may go.
    pub fn iteration(&self) -> Iteration {
        Iteration { current: self.iter, max: self.max }
    }
}

/// What a frame works on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "lowercase")]
pub enum Kind {
    /// A prompt, again and again.
    Loop,
    /// One issue after the other.
    Grind {
        /// Which.
        filter: String,
    },
    /// One issue, in a work tree of its own.
    Issue {
        /// Which.
        issue_id: String,
        /// Where the work is done.
        worktree_path: PathBuf,
        /// On which branch.
        branch: String,
        /// What it began from.
        base_ref: String,
    },
}

/// What a frame ends by, beside its last iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// What has to hold before it is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub until: Vec<Rule>,
    /// What it may use.
    #[serde(default, skip_serializing_if = "Budget::is_unlimited")]
    pub budget: Budget,
    /// Iterations in a row that may change nothing; without a limit if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u64>,
    /// Whether somebody has to have reviewed the commit that it ends with.
    #[serde(default, skip_serializing_if = "is_false")]
    pub review: bool,
    /// When it began.
    #[serde(
        rename = "started_at",
        default,
        with = "at_if",
        skip_serializing_if = "Option::is_none"
    )]
    pub started_at_ns: Option<i64>,
}

/// What a frame may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Tokens of all kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Seconds since it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

impl Budget {
    /// Returns whether there is no limit.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }
}

/// What was seen of a frame so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// What the work looked like at the last stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<String>,
    /// For how many stops in a row it has looked so.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub same: u64,
    /// What the rules said last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<String>,
    /// How often it was sent back for a review.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rounds: u64,
    /// What is known of its plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
}

/// The open steps of a plan, up to a record, so that only what came after it has to be looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The position of the record.
    pub upto: u64,
    /// Tasks that were made since the frame began, less those that were completed.
    pub tasks: i64,
    /// Items of the agent's list that are not done, if it has told one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// The number of the schema, which is written as one and read as any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Schema;

impl Serialize for Schema {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(SCHEMA)
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        u64::deserialize(from).map(|_any| Self)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum StateWord {
    #[serde(rename = "STATE")]
    State,
}

/// A time, as the dialect writes it.
mod at {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};
    use weft_event::time;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    pub(super) fn serialize<S: Serializer>(at_ns: &i64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&time::format_rfc3339(*at_ns))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
        let text = String::deserialize(from)?;
        let at_ns = time::parse_rfc3339(&text);
        at_ns.ok_or_else(|| D::Error::custom(format!("`{text}` is no time")))
    }
}

/// A time that may be missing.
mod at_if {
    use serde::{Deserialize as _, Deserializer, Serializer};
    use weft_event::time;

    #[expect(clippy::ref_option, reason = "serde gives a reference")]
    pub(super) fn serialize<S: Serializer>(at_ns: &Option<i64>, to: S) -> Result<S::Ok, S::Error> {
        match at_ns {
            Some(at_ns) => super::at::serialize(at_ns, to),
            None => to.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        Ok(text.and_then(|text| time::parse_rfc3339(&text)))
    }
}

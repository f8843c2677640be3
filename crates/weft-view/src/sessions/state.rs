//! What is kept of one session.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use weft_event::report::{CallPhase, Part, Place, Saying, Speaker, TurnPhase};
use weft_event::{Level, Status};

use crate::distinct::{Distinct, fingerprint};
use crate::ordered::Ranked;
use crate::way::Way;
use crate::{Entry, Latest, snug};

/// Actors of a session that are kept.
const ACTORS_MAX: usize = 64;
/// How long the stretches of time are that sessions are ordered by, before their exact times.
const RANK_NS: i64 = 20_000_000_000;
/// How much of a prompt or title is kept.
pub(super) const HEAD_CHARS_MAX: usize = 300;

/// How a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    /// Its agent is at work.
    Running,
    /// Its agent waits for a person, or for the next prompt.
    Waiting,
    /// It failed.
    Failed,
    /// It is over.
    Done,
}

/// A record: its time and position.
type Moment = (i64, u64);

/// Something that was said last.
type Word = Option<(Moment, String)>;

/// What is kept of one session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Session {
    /// By name.
    pub(super) actors: Vec<Actor>,
    pub(super) tenant: Word,
    pub(super) title: Word,
    pub(super) first_prompt: Word,
    pub(super) last_prompt: Word,
    pub(super) folder: Word,
    pub(super) branch: Word,
    pub(super) model: Word,
    pub(super) host: Word,
    /// What each way counts, in the order of [`Way::ALL`].
    pub(super) counts: [Counts; Way::ALL.len()],
    /// The first and the last record, by time.
    pub(super) ends: Option<[Moment; 2]>,
}

/// What one way counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counts {
    pub(super) n_records: u64,
    pub(super) n_prompts: u64,
    pub(super) n_turns_begun: u64,
    pub(super) n_turns_ended: u64,
    pub(super) n_calls_begun: u64,
    pub(super) n_calls_ended: u64,
    /// Turns that failed, and calls that have no id.
    n_failed: u64,
    /// Other calls that failed: the end of one may be told more than once.
    calls_failed: Distinct,
    /// Other events that tell of an error.
    pub(super) n_errors: u64,
}

/// Somebody who has part in a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Actor {
    pub(super) name: String,
    /// Whether another one started it.
    pub(super) is_started_by_another: bool,
    pub(super) state: Option<Latest<(SessionState, i64)>>,
    pub(super) last_ns: i64,
}

/// The last heard of first.
impl Ranked for Session {
    type Rank = Reverse<i64>;
    type Ranks = Option<Reverse<i64>>;

    /// Sessions that are at work are heard of all the time, so that their rank is of a stretch of time and changes seldom.
    fn ranks(&self) -> Self::Ranks {
        self.ends.map(|[_, (last_ns, _)]| Reverse(last_ns / RANK_NS))
    }

    fn rank_among_equals(&self) -> i64 {
        self.ends.map_or(0, |[_, (last_ns, _)]| last_ns.saturating_neg())
    }
}

impl Session {
    pub(super) fn put(&mut self, entry: &Entry<'_, '_>) {
        let facts = entry.facts;
        let now = (entry.time_ns(), entry.position);
        let [first, last] = self.ends.unwrap_or([now; 2]);
        self.ends = Some([first.min(now), last.max(now)]);
        say(&mut self.tenant, now, facts.tenant.as_deref());
        let model = facts.usage.as_ref().and_then(|usage| usage.model.as_deref());
        say(&mut self.model, now, model);
        if let Some(place) = &entry.report.place {
            self.stand(now, place);
        }
        if let Part::Words(words) = &entry.report.part {
            let text = words.text.as_deref();
            if words.saying == Saying::Title {
                say(&mut self.title, now, text);
            } else if words.saying == Saying::Prompt
                && words.by == Speaker::Person
                && facts.parent.is_none()
            {
                say(&mut self.last_prompt, now, text);
                let is_first = self.first_prompt.as_ref().is_none_or(|(known, _)| now < *known);
                if let Some(text) = text.filter(|_| is_first) {
                    self.first_prompt = Some((now, head(text)));
                }
            }
        }
        self.act(entry);
        if !entry.is_carried {
            let way = Way::of(entry);
            let idx =
                Way::ALL.iter().position(|known| *known == way).expect("every way is in the list");
            self.counts[idx].put(entry);
        }
    }

    fn stand(&mut self, now: Moment, place: &Place<'_>) {
        say(&mut self.folder, now, place.folder.as_deref());
        say(&mut self.branch, now, place.branch.as_deref());
        say(&mut self.model, now, place.model.as_deref());
        say(&mut self.host, now, place.host.as_deref());
    }

    fn act(&mut self, entry: &Entry<'_, '_>) {
        let facts = entry.facts;
        let Some(name) = facts.actor.as_deref() else { return };
        let at_ns = entry.time_ns();
        let idx = match self.actors.binary_search_by(|known| known.name.as_str().cmp(name)) {
            Ok(idx) => idx,
            Err(_) if self.actors.len() >= ACTORS_MAX && self.is_older(at_ns) => return,
            Err(idx) => {
                let actor = Actor {
                    name: name.to_owned(),
                    is_started_by_another: false,
                    state: None,
                    last_ns: at_ns,
                };
                snug::insert(&mut self.actors, idx, actor);
                self.forget_actor(idx)
            }
        };
        let actor = &mut self.actors[idx];
        actor.last_ns = actor.last_ns.max(at_ns);
        actor.is_started_by_another |= facts.parent.is_some();
        if let Some(state) = state(entry) {
            Latest::put(&mut actor.state, entry.stamp(), || (state, at_ns));
        }
    }

    fn is_older(&self, at_ns: i64) -> bool {
        self.actors.iter().all(|actor| at_ns < actor.last_ns)
    }

    /// Forgets the actor seen longest ago, where there are too many; returns where the one that was put in stands then.
    fn forget_actor(&mut self, idx: usize) -> usize {
        if self.actors.len() <= ACTORS_MAX {
            return idx;
        }
        let others = (0..self.actors.len()).filter(|other| *other != idx);
        let oldest = others.min_by_key(|other| (self.actors[*other].last_ns, *other));
        let oldest = oldest.expect("there are more than one");
        self.actors.remove(oldest);
        if oldest < idx { idx - 1 } else { idx }
    }

    /// Returns how it stands, by whoever spoke last; subagents speak only where nobody else does.
    pub(super) fn state(&self) -> SessionState {
        let spoken = self.actors.iter().filter_map(|actor| {
            let state = actor.state.as_ref()?;
            let (word, at_ns) = state.value();
            Some(((!actor.is_started_by_another, *at_ns, state.stamp().position()), *word))
        });
        spoken.max_by_key(|(key, _)| *key).map_or(SessionState::Running, |(_, state)| state)
    }
}

impl Counts {
    /// Returns how many turns there were, as far as it is known.
    pub(super) fn n_turns(&self) -> u64 {
        self.n_prompts.max(self.n_turns_begun)
    }

    /// Returns how many calls there were. The end of one may be told more than once, and its beginning only where no other way
    /// tells it.
    pub(super) fn n_calls(&self) -> u64 {
        if self.n_calls_begun > 0 { self.n_calls_begun } else { self.n_calls_ended }
    }

    /// Returns how many calls and turns failed.
    pub(super) fn n_failed(&self) -> u64 {
        self.n_failed + self.calls_failed.count()
    }

    fn put(&mut self, entry: &Entry<'_, '_>) {
        let facts = entry.facts;
        self.n_records += 1;
        let is_error = facts.level == Level::Error || facts.status == Some(Status::Error);
        if let Part::Words(words) = &entry.report.part {
            let is_prompt = words.saying == Saying::Prompt && words.by == Speaker::Person;
            self.n_prompts += u64::from(is_prompt && facts.parent.is_none());
        }
        if let Part::Turn(turn) = &entry.report.part {
            let is_own = u64::from(facts.parent.is_none());
            match turn.phase {
                TurnPhase::Began => self.n_turns_begun += is_own,
                TurnPhase::Completed | TurnPhase::Aborted => self.n_turns_ended += is_own,
                TurnPhase::Failed => {
                    self.n_turns_ended += is_own;
                    self.n_failed += 1;
                }
            }
        } else if let Part::Call(call) = &entry.report.part {
            match call.phase {
                CallPhase::Running => self.n_calls_begun += 1,
                CallPhase::Completed => self.n_calls_ended += 1,
                CallPhase::Failed => {
                    self.n_calls_ended += 1;
                    match facts.span.as_deref() {
                        Some(call) => {
                            self.calls_failed.put(fingerprint(facts.actor.as_deref(), call))
                        }
                        None => self.n_failed += 1,
                    }
                }
                CallPhase::Proposed | CallPhase::Output | CallPhase::Denied => {}
            }
        } else {
            self.n_errors += u64::from(is_error);
        }
    }
}

/// Returns how an event says its session stands.
fn state(entry: &Entry<'_, '_>) -> Option<SessionState> {
    let facts = entry.facts;
    let part = &entry.report.part;
    if facts.ended {
        return Some(SessionState::Done);
    }
    Some(match facts.status? {
        Status::Started | Status::Thinking | Status::ToolUse | Status::Progress => {
            SessionState::Running
        }
        Status::Waiting | Status::Blocked => SessionState::Waiting,
        // A worker goes on after a piece of work or a call that failed.
        Status::Error if matches!(part, Part::Work(_) | Part::Call(_)) => SessionState::Running,
        Status::Error => SessionState::Failed,
        // After a turn comes the next prompt, and after a piece of work the next one.
        Status::Completed if matches!(part, Part::Turn(_)) => SessionState::Waiting,
        Status::Completed if matches!(part, Part::Work(_)) => SessionState::Running,
        Status::Completed => SessionState::Done,
    })
}

/// Puts a word in the place of an older one; the same word again costs nothing.
fn say(word: &mut Word, now: Moment, said: Option<&str>) {
    let Some(said) = said.filter(|said| !said.is_empty()) else { return };
    match word {
        Some((known, text)) if *known <= now => {
            *known = now;
            if text != said {
                *text = head(said);
            }
        }
        Some(_) => {}
        None => *word = Some((now, head(said))),
    }
}

fn head(text: &str) -> String {
    text.chars().take(HEAD_CHARS_MAX).collect()
}

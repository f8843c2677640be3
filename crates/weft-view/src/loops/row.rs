//! Loops as rows: which of them go on, which are stale, and what ended the others.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use weft_event::report::Frame;

use super::ends::{End, NO_SESSION};
use super::{Anchor, Loops, Told};
use crate::first::first;
use crate::fleet::elapsed_ms;
use crate::{At, First, Latest, Rules};

/// Why a loop waits that a person paused.
pub(crate) const PAUSED_BY_A_PERSON: &str = "asked";

/// How it is with a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopState {
    /// It goes on.
    Running,
    /// It waits for a person.
    Paused,
    /// Its state is too old to count.
    Stale,
    /// It is done.
    Done,
    /// It was stopped.
    Aborted,
    /// Another loop took its place in its session.
    Replaced,
}

/// A frame of a loop's stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameRow {
    /// Its id.
    pub id: String,
    /// `loop`, `grind` or `issue`.
    pub mode: String,
    /// The iteration, from 1.
    pub iter: u64,
    /// How many there may be.
    pub max: u64,
    /// The issue that it works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// Which issues it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// The branch that it works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

impl FrameRow {
    pub(super) fn read(frame: &Frame<'_>) -> Self {
        let text = |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(str::to_owned);
        Self {
            id: frame.id.to_string(),
            mode: frame.mode.to_string(),
            iter: frame.iter,
            max: frame.max,
            issue: text(&frame.issue),
            filter: text(&frame.filter),
            branch: text(&frame.branch),
        }
    }
}

/// One loop.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its run.
    pub run: String,
    /// How it is with it.
    pub state: LoopState,
    /// Its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Its frames, the one at work last.
    pub frames: Vec<FrameRow>,
    /// Since when it is known.
    pub since: At,
    /// When it was last told of.
    pub last_seen: At,
    /// How long ago that was; of a loop that is over, how long it lasted.
    pub age_ms: u64,
    /// Why it waits for a person, in its own word: `asked`, `escalated` or `review`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<At>,
    /// Why it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it is for, by its last anchor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// What comes next, by its last anchor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
    /// When that anchor was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchored: Option<At>,
    /// The last word of its trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// What was last asked of it, or how that was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The record of its state or its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
}

impl Row {
    /// Returns why it waits for a person, for people.
    pub fn waits(&self) -> Option<&str> {
        Some(match self.paused.as_deref()? {
            PAUSED_BY_A_PERSON => "somebody paused it",
            "escalated" => "somebody asked a person to look at it",
            "review" => "its reviews did not pass",
            other => other,
        })
    }
}

/// A loop as it stands, before anything is made of it.
struct Standing<'l> {
    run: &'l str,
    told: &'l Told,
    first_ns: i64,
    last_ns: i64,
    end: Option<&'l End>,
    state: LoopState,
}

impl<'l> Standing<'l> {
    fn rank(&self) -> (u8, Reverse<i64>, &'l str) {
        let rank = match self.state {
            LoopState::Running => 0,
            LoopState::Paused => 1,
            LoopState::Stale => 2,
            LoopState::Done | LoopState::Aborted | LoopState::Replaced => 3,
        };
        (rank, Reverse(self.last_ns), self.run)
    }
}

impl Loops {
    /// Returns every loop: those that go on first, then those that wait, the stale, and those that are over, each the newest first.
    pub fn rows(&self, now_ns: i64, rules: &Rules) -> Vec<Row> {
        self.first(usize::MAX, now_ns, rules).rows
    }

    /// Returns the first of these.
    pub fn first(&self, limit: usize, now_ns: i64, rules: &Rules) -> First<Row> {
        let mut all: Vec<Standing<'_>> = Vec::new();
        for (run, told) in self.loops.iter() {
            if let (Some(first_ns), Some(last_ns)) = (told.first_ns, told.last_ns) {
                let (end, state) = (self.end(told), LoopState::Running);
                all.push(Standing { run, told, first_ns, last_ns, end, state });
            }
        }
        self.end_by_nameless(&mut all);
        let newest = Newest::of(&all);
        for one in &mut all {
            one.state = state(one, &newest, now_ns, rules);
        }
        let order = |a: &Standing<'_>, b: &Standing<'_>| a.rank().cmp(&b.rank());
        first(all, limit, order, |one| row(&one, self.anchor(one.told, &newest), now_ns))
    }

    /// Returns the end of a loop: its own, if it did not go on after that, else that of its session.
    fn end<'l>(&'l self, told: &'l Told) -> Option<&'l End> {
        let own = told
            .end
            .as_ref()
            .filter(|end| told.state.as_ref().is_none_or(|state| state.stamp() <= end.stamp()));
        let session = told.session.as_ref().map(|session| session.value().as_str());
        let of_session = || self.ends.after(Some(session?), told.last_ns?);
        own.map(Latest::value).or_else(of_session)
    }

    /// Ends loops by what names neither a run nor a session: each ends the loop that was told of last.
    fn end_by_nameless<'l>(&'l self, all: &mut [Standing<'l>]) {
        for end in self.ends.without_session() {
            let is_open = |one: &&mut Standing<'_>| one.end.is_none() && one.last_ns <= end.at_ns;
            let newest = all.iter_mut().filter(is_open).max_by_key(|one| (one.last_ns, one.run));
            if let Some(newest) = newest {
                newest.end = Some(end);
            }
        }
    }

    /// Returns the last anchor of a loop: its own, or one of its session that names no run.
    fn anchor<'l>(&'l self, told: &'l Told, newest: &Newest<'_>) -> Option<&'l Anchor> {
        let session = told.session.as_ref().map_or(NO_SESSION, |session| session.value());
        let loose = self.anchors.get(session).and_then(Option::as_ref).map(Latest::value);
        let is_its = |anchor: &&Anchor| Some(anchor.at_ns) >= told.first_ns && newest.is(told);
        let own = told.anchor.as_ref().map(Latest::value);
        own.into_iter().chain(loose.filter(is_its)).max_by_key(|anchor| anchor.at_ns)
    }
}

/// When the loop of each session began that began last.
struct Newest<'l> {
    began_ns: HashMap<&'l str, i64>,
}

impl<'l> Newest<'l> {
    fn of(all: &[Standing<'l>]) -> Self {
        let mut began_ns = HashMap::new();
        for Standing { told, first_ns, .. } in all {
            if let Some(session) = &told.session {
                let newest_ns = began_ns.entry(session.value().as_str()).or_insert(*first_ns);
                *newest_ns = (*first_ns).max(*newest_ns);
            }
        }
        Self { began_ns }
    }

    /// Returns whether no other loop of its session began after it was told of last.
    fn is(&self, told: &Told) -> bool {
        let session = told.session.as_ref().map(|session| session.value().as_str());
        let began_ns = session.and_then(|session| self.began_ns.get(session)).copied();
        began_ns <= told.last_ns
    }
}

fn state(one: &Standing<'_>, newest: &Newest<'_>, now_ns: i64, rules: &Rules) -> LoopState {
    let paused = one.told.state.as_ref().and_then(|stack| stack.value().paused.as_ref());
    match one.end {
        Some(end) if end.is_abort => LoopState::Aborted,
        Some(_) => LoopState::Done,
        None if !newest.is(one.told) => LoopState::Replaced,
        None if paused.is_some() => LoopState::Paused,
        None if elapsed_ms(one.last_ns, now_ns) > rules.loop_stale_ms => LoopState::Stale,
        None => LoopState::Running,
    }
}

fn row(one: &Standing<'_>, anchor: Option<&Anchor>, now_ns: i64) -> Row {
    let Standing { run, told, first_ns, last_ns, end, state } = *one;
    let stated = told.state.as_ref();
    let paused = stated.and_then(|stack| stack.value().paused.as_ref());
    let age_ms = match end {
        Some(end) => elapsed_ms(first_ns, end.at_ns),
        None => elapsed_ms(last_ns, now_ns),
    };
    Row {
        run: run.to_owned(),
        state,
        session: told.session.as_ref().map(|session| session.value().clone()),
        frames: stated.map(|stack| stack.value().frames.clone()).unwrap_or_default(),
        since: At(first_ns),
        last_seen: At(last_ns),
        age_ms,
        paused: paused.filter(|_| state == LoopState::Paused).cloned(),
        ended: end.map(|end| At(end.at_ns)),
        reason: end.and_then(|end| end.reason.clone()),
        goal: anchor.and_then(|anchor| anchor.goal.clone()),
        next_step: anchor.and_then(|anchor| anchor.next_step.clone()),
        anchored: anchor.map(|anchor| At(anchor.at_ns)),
        trace: told.trace.as_ref().map(|trace| trace.value().word.clone()),
        request: told.request.as_ref().map(|request| request.value().word.clone()),
        position: end.map(|end| end.position).or_else(|| Some(stated?.stamp().position())),
    }
}

//! What is decided when an agent is about to stop: let it go, or tell it to go on.
//!
//! A decision is a function of the session's newest state, the time, and what was looked up. Where something has to be looked up
//! first it asks for it, so that a command is run, or git asked, only where the answer counts. The steps are taken in one order,
//! and each may settle it.

use weft_event::engine::judge::JudgeStatus;
use weft_event::idle::{AbortDetail, DoneReason, Mode, Refusal, is_stale};

use super::control::{Answered, Asked, Standing, Wish};
use super::marker::{self, Marker};
use super::state::{Current, Frame, Kind, Pause, State};
use crate::judge::Judged;

/// How often a review may send the work back before a person has to look.
pub const REVIEW_ROUNDS_MAX: u64 = 3;
/// How soon after a stop the same one is the same hook, installed twice.
const REPEAT_NS: u64 = 1_000_000_000;

/// A stop of an agent, and what is known without looking anything up.
#[derive(Clone, Copy, Debug)]
pub struct Stop<'a> {
    /// The time.
    pub now_ns: i64,
    /// Whether loops are to be run at all.
    pub switch: Switch,
    /// The newest state of the session.
    pub current: &'a Current,
    /// What was asked of the loop, and not answered yet.
    pub asked: Option<&'a Asked>,
    /// The last thing that the agent said.
    pub message: &'a str,
    /// What this stop is known by.
    pub id: &'a str,
    /// How the turn came to be.
    pub turn: Turn,
    /// How often in a row the client lets an agent be told to go on.
    pub blocks_max: Option<u64>,
}

/// Whether loops are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// They are.
    On,
    /// Every agent may stop.
    Off,
}

/// How a turn came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Somebody wrote to the agent.
    Begun,
    /// It was told to go on.
    Continued,
}

/// What has to be looked up before it can be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// What each frame used, from the outermost.
    Spent,
    /// What the work looks like.
    Look,
    /// What the rules of the frame at work say.
    Judge,
    /// What was said of the commit that the frame at work ends with.
    Review,
    /// The frame of the next issue.
    NextIssue,
}

/// What was looked up.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// What each frame used, from the outermost.
    pub spent: Option<Vec<Spent>>,
    /// What the work looks like: equal texts, equal work.
    pub look: Option<String>,
    /// What the rules say.
    pub judged: Option<Judged>,
    /// What was said of the commit.
    pub review: Option<Review>,
    /// The frame of the next issue; none if there is no issue left.
    pub next_issue: Option<Option<Frame>>,
}

/// What a frame used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Tokens of all kinds.
    pub tokens: u64,
    /// US dollars.
    pub cost_usd: f64,
}

/// What was said of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Review {
    /// It may be taken.
    Approved,
    /// Something has to be done first.
    Missing(String),
}

/// What was decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// What the agent is told.
    pub reply: Reply,
    /// Why.
    pub why: Why,
    /// What becomes of the loop.
    pub change: Change,
    /// What is answered to whoever asked something of it.
    pub answered: Option<Answered>,
}

impl Decision {
    /// Returns how it is with the loop then, by how it was.
    pub fn standing(&self, current: &Current) -> Standing {
        let state = match (&self.change, current) {
            (Change::State(state), _) | (Change::None, Current::Running(state)) => state,
            (Change::None, Current::None | Current::Broken { .. })
            | (Change::Done(_) | Change::Abort(_), _) => return Standing::Ended,
        };
        if state.paused.is_some() { Standing::Paused } else { Standing::Running }
    }
}

/// What the agent is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It may stop.
    LetGo,
    /// It is to go on.
    GoOn,
}

/// What becomes of a loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Nothing.
    None,
    /// It goes on so.
    State(Box<State>),
    /// It is done.
    Done(DoneReason),
    /// It is over: by a person's word, or for what is wrong.
    Abort(Aborted),
}

/// Why a loop was ended before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aborted {
    /// A person wanted it.
    Cancelled,
    /// Something was wrong.
    Wrong(AbortDetail),
}

/// Why it was decided so.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// Loops are switched off.
    Off,
    /// The session has no loop.
    NoLoop,
    /// Its state is too old to count.
    Stale,
    /// Its state cannot be read.
    Broken(String),
    /// The same stop was decided just now.
    Repeat,
    /// It was cancelled.
    Cancelled,
    /// It waits for a person.
    Paused(Pause),
    /// It waits no longer.
    Resumed,
    /// What was asked of it cannot be done to it as it is.
    Refused,
    /// It reached its last iteration, or issue.
    Limit,
    /// It used what it may use.
    Budget(String),
    /// So many iterations in a row changed nothing.
    NoProgress(u64),
    /// The agent says that it cannot go on.
    Stuck,
    /// The agent says that it is done, and the rules do not.
    NoEvidence(Vec<String>),
    /// The agent says that it is done, and nobody has reviewed it.
    NoReview(String),
    /// It is done.
    Complete,
    /// There is another issue.
    NextIssue,
    /// The client would end the turn anyway.
    ClientLimit,
    /// Nothing speaks against another iteration.
    Iteration,
}

/// A step of the decision: it settles it, or leaves it to those after it.
pub(super) type Step = fn(&mut Case<'_>) -> Result<Option<Decision>, Question>;

/// The steps, in the order in which they are taken.
pub(super) const STEPS: [(&str, Step); 13] = [
    ("switched_off", switched_off),
    ("no_loop", no_loop),
    ("stale", stale),
    ("broken", broken),
    ("repeat", repeat),
    ("control", control),
    ("limit", limit),
    ("budget", budget),
    ("no_progress", no_progress),
    ("claim", claim),
    ("evidence", evidence),
    ("review", review),
    ("complete", complete),
];

/// Decides what becomes of a stop; an error if something has to be looked up first.
pub fn decide(stop: &Stop<'_>, known: &Known) -> Result<Decision, Question> {
    decide_by(&STEPS, stop, known)
}

/// Does the same by other steps.
pub(super) fn decide_by(
    steps: &[(&str, Step)],
    stop: &Stop<'_>,
    known: &Known,
) -> Result<Decision, Question> {
    let state = match stop.current {
        Current::Running(state) => state.as_ref().clone(),
        Current::None | Current::Broken { .. } => State::new(String::new(), 0, Vec::new()),
    };
    let mut case = Case { stop, known, state, answered: None };
    for (_, step) in steps {
        if let Some(decision) = step(&mut case)? {
            return Ok(decision);
        }
    }
    Ok(case.over(Why::NoLoop, Change::None))
}

/// Does what was asked of a loop at once, outside of any stop.
pub fn obey(state: &State, asked: &Asked, now_ns: i64) -> Decision {
    let current = Current::Running(Box::new(state.clone()));
    let stop = Stop {
        now_ns,
        switch: Switch::On,
        current: &current,
        asked: Some(asked),
        message: "",
        id: state.last_stop.as_deref().unwrap_or_default(),
        turn: Turn::Begun,
        blocks_max: None,
    };
    let known = Known::default();
    let mut case = Case { stop: &stop, known: &known, state: state.clone(), answered: None };
    if asked.wish == Wish::Resume && state.paused.is_none() && is_stale(state.updated_at_ns, now_ns)
    {
        case.answered = Some(Answered { request_id: asked.request_id.clone(), refusal: None });
        return case.rest(Why::Resumed);
    }
    match control(&mut case) {
        Ok(Some(decision)) => decision,
        Ok(None) | Err(_) if case.state.paused == state.paused => {
            case.over(Why::Refused, Change::None)
        }
        Ok(None) | Err(_) => case.rest(Why::Resumed),
    }
}

/// A stop that is being decided.
pub(super) struct Case<'a> {
    stop: &'a Stop<'a>,
    known: &'a Known,
    /// The loop, as it will be.
    state: State,
    answered: Option<Answered>,
}

impl Case<'_> {
    /// Lets the agent go.
    fn over(&mut self, why: Why, change: Change) -> Decision {
        Decision { reply: Reply::LetGo, why, change, answered: self.answered.take() }
    }

    /// Lets the agent go, and keeps the loop as it is now.
    fn rest(&mut self, why: Why) -> Decision {
        self.state.blocks = 0;
        let change = self.posted();
        self.over(why, change)
    }

    /// Returns how often in a row the agent was told to go on before.
    fn n_blocks(&self) -> u64 {
        match self.stop.turn {
            Turn::Begun => 0,
            Turn::Continued => self.state.blocks,
        }
    }

    fn is_capped(&self) -> bool {
        self.stop.blocks_max.is_some_and(|blocks_max| self.n_blocks() >= blocks_max)
    }

    /// Tells the agent to go on, unless its client would not have it.
    fn go_on(&mut self, why: Why) -> Decision {
        if self.is_capped() {
            return self.rest(Why::ClientLimit);
        }
        self.state.blocks = self.n_blocks() + 1;
        let (change, answered) = (self.posted(), self.answered.take());
        Decision { reply: Reply::GoOn, why, change, answered }
    }

    /// Goes to the next iteration of the frame at work. One that the client would not have is not counted.
    fn iterate(&mut self, why: Why) -> Decision {
        if !self.is_capped()
            && let Some(top) = self.state.stack.last_mut()
        {
            top.iter += 1;
        }
        self.go_on(why)
    }

    fn posted(&mut self) -> Change {
        self.state.updated_at_ns = self.stop.now_ns;
        self.state.last_stop = Some(self.stop.id.to_owned());
        Change::State(Box::new(self.state.clone()))
    }

    fn top(&self) -> &Frame {
        self.state.top().expect("a loop without frames was let go before")
    }
}

fn switched_off(case: &mut Case<'_>) -> Result<Option<Decision>, Question> {
    Ok((case.stop.switch == Switch::Off).then(|| case.over(Why::Off, Change::None)))
}

fn no_loop(case: &mut Case<'_>) -> Result<Option<Decision>, Question> {
    Ok((*case.stop.current == Current::None).then(|| case.over(Why::NoLoop, Change::None)))
}

fn stale(case: &mut Case<'_>) -> Result<Option<Decision>, Question> {
    let updated_at_ns = match case.stop.current {
        Current::Running(state) => Some(state.updated_at_ns),
        Current::Broken { updated_at_ns, .. } => *updated_at_ns,
        Current::None => None,
    };
    let is_stale = updated_at_ns.is_some_and(|at_ns| is_stale(at_ns, case.stop.now_ns));
    Ok(is_stale.then(|| case.over(Why::Stale, Change::None)))
}

fn broken(case: &mut Case<'_>) -> Result<Option<Decision>, Question> {
    let Current::Broken { why, .. } = case.stop.current else {
        return Ok(None);
    };
    let aborted = Aborted::Wrong(AbortDetail::Corrupt);
    Ok(Some(case.over(Why::Broken(why.clone()), Change::Abort(aborted))))
}

/// A hook that is installed twice asks twice; whoever asks second has nothing to say. It may have begun before the first.
fn repeat(case: &mut Case<'_>) -> Result<Option<Decision>, Question> {
    let apart_ns = case.stop.now_ns.abs_diff(case.state.updated_at_ns);
    let is_same = case.state.last_stop.as_deref() == Some(case.stop.id);
    Ok((is_same && apart_ns < REPEAT_NS).then(|| case.over(Why::Repeat, Change::None)))
}

fn control(case: &mut Case<'_>) -> Result<Option<Decision>, Question> {
    let Some(asked) = case.stop.asked else {
        return Ok(case.state.paused.map(|pause| case.over(Why::Paused(pause), Change::None)));
    };
    let (wish, paused) = (asked.wish, case.state.paused);
    let refusal = match (wish, paused) {
        (Wish::Pause, Some(_)) | (Wish::Resume, None) => Some(Refusal::InvalidState),
        (Wish::Pause, None)
        | (Wish::Resume, Some(_))
        | (Wish::Cancel | Wish::Escalate, Some(_) | None) => None,
    };
    case.answered = Some(Answered { request_id: asked.request_id.clone(), refusal });
    match (wish, paused) {
        (Wish::Cancel, _) => Ok(Some(case.over(Why::Cancelled, Change::Abort(Aborted::Cancelled)))),
        (Wish::Pause, None) => Ok(Some(pause(case, Pause::Asked))),
        (Wish::Escalate, _) => Ok(Some(pause(case, Pause::Escalated))),
        (Wish::Pause, Some(paused)) => Ok(Some(case.over(Why::Paused(paused), Change::None))),
        (Wish::Resume, _) => {
            case.state.paused = None;
            Ok(None)
        }
    }
}

fn pause(case: &mut Case<'_>, pause: Pause) -> Decision {
    case.state.paused = Some(pause);
    case.rest(Why::Paused(pause))
}

fn limit(case: &mut Case<'_>) -> Result<Option<Decision>, Question> {
    let top = case.top();
    if top.iter < top.max {
        return Ok(None);
    }
    finish(case, End::Limit).map(Some)
}

fn budget(case: &mut Case<'_>) -> Result<Option<Decision>, Question> {
    for (frame_idx, frame) in case.state.stack.iter().enumerate() {
        let budget = frame.terms.budget;
        let age_ns = frame.terms.started_at_ns.map(|at_ns| case.stop.now_ns.saturating_sub(at_ns));
        let seconds = age_ns.and_then(|age_ns| u64::try_from(age_ns / 1_000_000_000).ok());
        let mut over = None;
        if let (Some(max), Some(seconds)) = (budget.seconds, seconds)
            && seconds >= max
        {
            over = Some(format!("{seconds} of {max} seconds"));
        }
        if budget.tokens.is_some() || budget.cost_usd.is_some() {
            let spent = case.known.spent.as_ref().ok_or(Question::Spent)?;
            let spent = spent.get(frame_idx).copied().unwrap_or_default();
            if let Some(max) = budget.tokens.filter(|max| spent.tokens >= *max) {
                over = Some(format!("{} of {max} tokens", spent.tokens));
            }
            if let Some(max) = budget.cost_usd.filter(|max| spent.cost_usd >= *max) {
                over = Some(format!("{:.2} of {max:.2} US dollars", spent.cost_usd));
            }
        }
        if let Some(over) = over {
            let aborted = Aborted::Wrong(AbortDetail::Budget);
            return Ok(Some(case.over(Why::Budget(over), Change::Abort(aborted))));
        }
    }
    Ok(None)
}

fn no_progress(case: &mut Case<'_>) -> Result<Option<Decision>, Question> {
    let Some(patience) = case.top().terms.patience else {
        return Ok(None);
    };
    let look = case.known.look.as_ref().ok_or(Question::Look)?;
    let marks = &mut case.state.stack.last_mut().expect("there is a frame at work").marks;
    let seen = format!("{look} {}", marks.judged.as_deref().unwrap_or_default());
    let is_same = marks.seen.as_ref() == Some(&seen);
    marks.same = if is_same { marks.same + 1 } else { 0 };
    marks.seen = Some(seen);
    let same = marks.same;
    if same < patience {
        return Ok(None);
    }
    let aborted = Aborted::Wrong(AbortDetail::NoProgress);
    Ok(Some(case.over(Why::NoProgress(same), Change::Abort(aborted))))
}

/// Without a word of the agent there is nothing more to ask.
fn claim(case: &mut Case<'_>) -> Result<Option<Decision>, Question> {
    let mode = case.top().mode();
    match (mode, marker::find(case.stop.message, mode)) {
        (_, Some(Marker::Complete)) => Ok(None),
        (_, Some(Marker::Stuck)) => {
            let aborted = Aborted::Wrong(AbortDetail::Stuck);
            Ok(Some(case.over(Why::Stuck, Change::Abort(aborted))))
        }
        // Whether there is an issue left is not the agent's to say.
        (Mode::Grind, Some(Marker::NoMoreIssues) | None) => next_issue(case).map(Some),
        (Mode::Loop | Mode::Issue, Some(Marker::NoMoreIssues) | None) => {
            Ok(Some(case.iterate(Why::Iteration)))
        }
    }
}

fn evidence(case: &mut Case<'_>) -> Result<Option<Decision>, Question> {
    if case.top().terms.until.is_empty() {
        return Ok(None);
    }
    let judged = case.known.judged.as_ref().ok_or(Question::Judge)?;
    case.state.stack.last_mut().expect("there is a frame at work").marks.judged =
        Some(judged.digest());
    match judged.status {
        JudgeStatus::Pass | JudgeStatus::Skip => Ok(None),
        JudgeStatus::Fail | JudgeStatus::Pending => {
            let failed = judged.checks.iter().filter(|check| check.status != JudgeStatus::Pass);
            let missing = failed.map(|check| check.reason.clone()).collect();
            Ok(Some(case.iterate(Why::NoEvidence(missing))))
        }
    }
}

fn review(case: &mut Case<'_>) -> Result<Option<Decision>, Question> {
    if !case.top().terms.review {
        return Ok(None);
    }
    match case.known.review.as_ref().ok_or(Question::Review)? {
        Review::Approved => Ok(None),
        Review::Missing(what) => {
            let marks = &mut case.state.stack.last_mut().expect("there is a frame at work").marks;
            if marks.rounds >= REVIEW_ROUNDS_MAX {
                return Ok(Some(pause(case, Pause::Review)));
            }
            marks.rounds += 1;
            Ok(Some(case.iterate(Why::NoReview(what.clone()))))
        }
    }
}

fn complete(case: &mut Case<'_>) -> Result<Option<Decision>, Question> {
    finish(case, End::Complete).map(Some)
}

/// How a frame ends.
#[derive(Clone, Copy)]
enum End {
    Complete,
    Limit,
}

impl End {
    fn reason(self, mode: Mode) -> DoneReason {
        match (self, mode) {
            (End::Complete, Mode::Loop | Mode::Issue) => DoneReason::Complete,
            (End::Complete, Mode::Grind) => DoneReason::NoMoreIssues,
            (End::Limit, Mode::Loop | Mode::Issue) => DoneReason::MaxIterations,
            (End::Limit, Mode::Grind) => DoneReason::MaxIssues,
        }
    }

    fn why(self) -> Why {
        match self {
            End::Complete => Why::Complete,
            End::Limit => Why::Limit,
        }
    }
}

/// Ends the frame at work. The one around it goes on, or ends too where it has reached its own last iteration.
fn finish(case: &mut Case<'_>, mut end: End) -> Result<Decision, Question> {
    loop {
        let frame = case.state.stack.pop().expect("there is a frame at work");
        let Some(around) = case.state.stack.last_mut() else {
            return Ok(case.over(end.why(), Change::Done(end.reason(frame.mode()))));
        };
        if around.iter >= around.max {
            end = End::Limit;
            continue;
        }
        match around.kind {
            Kind::Loop | Kind::Issue { .. } => return Ok(case.iterate(end.why())),
            Kind::Grind { .. } => return next_issue(case),
        }
    }
}

/// Goes to the next issue of the grind at work.
fn next_issue(case: &mut Case<'_>) -> Result<Decision, Question> {
    let next = case.known.next_issue.as_ref().ok_or(Question::NextIssue)?;
    let Some(next) = next else {
        return finish(case, End::Complete);
    };
    if let Some(grind) = case.state.stack.last_mut() {
        grind.iter += 1;
    }
    case.state.stack.push(next.clone());
    Ok(case.go_on(Why::NextIssue))
}

//! What an actor said in one session, in its own order.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};
use weft_event::Status;
use weft_event::report::{Ask, AskKind, Call, CallPhase, LoopPhase, Part, TurnPhase, WorkChange};

use super::about::{About, text};
use super::cut;
use crate::files::{Access, access};
use crate::way::Way;
use crate::word::Word;
use crate::{Entry, Latest, Stamp, Trail};

/// How many statuses are kept: an event that comes behind more of its session's than that changes no `since`.
const STEPS_KEPT: usize = 48;
/// How many events about calls are kept: how far the rules about calls look back.
const CALLS_KEPT: usize = 32;
/// How many questions and answers are kept.
const ASKS_KEPT: usize = 8;
/// How many completions are kept: how many the rule `slow` can ask for.
const COMPLETIONS_KEPT: usize = 8;

/// One session of an actor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Producer {
    session: Option<String>,
    last_ns: i64,
    /// When it last told a status or its end.
    spoke_ns: Option<i64>,
    steps: Trail<Step, STEPS_KEPT>,
    /// What the steps that are no longer kept led to.
    base: Option<Run>,
    ended: Option<Stamp>,
    /// The newest sign that it goes on which is not about a call.
    moved: Option<Stamp>,
    calls: Trail<Called, CALLS_KEPT>,
    completions: Trail<i64, COMPLETIONS_KEPT>,
    asks: Trail<Asked, ASKS_KEPT>,
    wait: Option<Latest<Wait>>,
    trouble: Option<Latest<Trouble>>,
    state: Option<Latest<State>>,
    /// When it last told of itself as of a loop.
    looped_ns: Option<i64>,
    /// Whether hooks or the file of the session tell that another actor started it.
    is_subagent: bool,
    pub(super) about: About,
}

/// A status that it told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Step {
    at_ns: i64,
    status: Word<Status>,
    is_heartbeat: bool,
    /// Whether it is about the actor's work, and not about the house it lives in.
    is_work: bool,
}

/// Events of one status, one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) status: Word<Status>,
    /// When the first of them was.
    pub(crate) since_ns: i64,
    pub(crate) since_position: u64,
    /// When the newest was that is no heartbeat, or else the first.
    pub(crate) newest_ns: i64,
    pub(crate) newest_position: u64,
    /// Since when it has been at work, in whatever status, and the position of that.
    pub(crate) at_work: Option<(i64, u64)>,
}

/// An event about a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Called {
    pub(crate) at_ns: i64,
    pub(crate) phase: Word<CallPhase>,
    /// A digest of the tool with the file, or else the input; none if it has neither.
    pub(crate) what: Option<Digest>,
    /// A digest of the file that it edits.
    pub(crate) edits: Option<Digest>,
    /// A digest of the tool with its input.
    given: Option<Digest>,
    /// A digest of the call's id.
    id: Option<Digest>,
}

/// A question to a person, or an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) at_ns: i64,
    pub(crate) kind: Word<AskKind>,
    is_answer: bool,
    pub(crate) id: Option<String>,
    /// A digest of the tool that it is about with its input.
    given: Option<Digest>,
    pub(crate) what: Option<String>,
}

/// What a question is about, as far as it says.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cause {
    /// What it names: a digest of that id.
    Named(Digest),
    /// The call of this id, which it does not name.
    Call(Digest),
    /// A call that is given this, and of which nothing was heard before.
    Given(Digest),
    /// It says nothing of it.
    Unknown,
}

/// Another actor that it waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Wait {
    pub(crate) at_ns: i64,
    pub(crate) on: String,
    pub(crate) until: Option<Word<Status>>,
}

/// What it said when it failed or was blocked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Trouble {
    /// Whether it is about a budget.
    pub(crate) is_budget: bool,
    pub(crate) what: Option<String>,
}

/// The state of a run, by the engine's word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) at_ns: i64,
    pub(crate) state: String,
    pub(crate) reason: Option<String>,
}

impl Producer {
    pub(super) fn new(session: Option<&str>, at_ns: i64) -> Self {
        Self {
            session: session.map(str::to_owned),
            last_ns: at_ns,
            spoke_ns: None,
            steps: Trail::default(),
            base: None,
            ended: None,
            moved: None,
            calls: Trail::default(),
            completions: Trail::default(),
            asks: Trail::default(),
            wait: None,
            trouble: None,
            state: None,
            looped_ns: None,
            is_subagent: false,
            about: About::default(),
        }
    }

    /// Takes in an event of the session.
    pub(super) fn apply(&mut self, name: &str, at_ns: i64, entry: &Entry<'_, '_>) {
        let stamp = entry.stamp();
        let part = &entry.report.part;
        self.last_ns = self.last_ns.max(at_ns);
        // What an agent says of itself names the main agent of its session, and may be said by that one.
        let is_seen = matches!(Way::of(entry), Way::Hooked | Way::Recorded);
        self.is_subagent |= is_seen && entry.facts.parent.is_some();
        if let Some(status) = entry.facts.status {
            self.step(stamp, at_ns, status, entry);
        }
        if entry.facts.ended {
            self.spoke_ns = self.spoke_ns.max(Some(at_ns));
            self.ended = self.ended.max(Some(stamp));
        }
        if is_completion(entry) && !entry.is_carried {
            self.completions.put(stamp, at_ns);
        }
        if let Part::Call(call) = part {
            self.call(stamp, at_ns, call, entry);
        } else if let Part::Ask(ask) = part {
            self.ask(stamp, at_ns, ask, entry);
        } else if let (Part::Wait { until }, Some(on)) = (part, entry.facts.subject.as_deref()) {
            Latest::put(&mut self.wait, stamp, || Wait {
                at_ns,
                on: on.to_owned(),
                until: until.map(Word),
            });
        } else if let Part::Run(run) = part {
            let state =
                || State { at_ns, state: cut(&run.state), reason: run.reason.as_deref().map(cut) };
            Latest::put(&mut self.state, stamp, state);
        } else if matches!(part, Part::Loop(_)) {
            self.looped_ns = self.looped_ns.max(Some(at_ns));
            // A loop waits for nobody but a person.
            if entry.facts.status == Some(Status::Waiting) {
                let (kind, is_answer) = (AskKind::Answer, false);
                self.ask(stamp, at_ns, &Ask { kind, is_answer, id: None, input: None }, entry);
            }
        }
        self.about.apply(name, stamp, at_ns, entry);
    }

    fn step(&mut self, stamp: Stamp, at_ns: i64, status: Status, entry: &Entry<'_, '_>) {
        let part = &entry.report.part;
        self.spoke_ns = self.spoke_ns.max(Some(at_ns));
        let is_heartbeat = matches!(part, Part::Heartbeat);
        let is_question = matches!(part, Part::Ask(ask) if !ask.is_answer);
        if !(stands_still(status) || is_question || is_heartbeat || matches!(part, Part::Call(_))) {
            self.moved = self.moved.max(Some(stamp));
        }
        if matches!(status, Status::Blocked | Status::Error) {
            let is_budget = matches!(part, Part::Budget(_));
            let what = entry.facts.message.as_deref();
            Latest::put(&mut self.trouble, stamp, || Trouble { is_budget, what: what.map(cut) });
        }
        let is_work = !matches!(part, Part::Peer(_) | Part::Config(_));
        let step = Step { at_ns, status: Word(status), is_heartbeat, is_work };
        // What is older than all that is kept comes too late to count.
        let is_kept = |gone: &(Stamp, Step)| gone.0 != stamp;
        if let Some((gone, step)) = self.steps.put(stamp, step).filter(is_kept) {
            self.base = Some(Run::with(self.base, gone, &step));
        }
    }

    fn call(&mut self, stamp: Stamp, at_ns: i64, call: &Call<'_>, entry: &Entry<'_, '_>) {
        let facts = entry.facts;
        if matches!(call.phase, CallPhase::Output) {
            return;
        }
        let tool = facts.tool.as_deref().unwrap_or_default();
        let path = facts.path.as_deref();
        let given = call.input.map(|input| digest(&[tool, input.raw()]));
        self.calls.put(
            stamp,
            Called {
                at_ns,
                phase: Word(call.phase),
                what: path.map(|path| digest(&[tool, path])).or(given),
                edits: path.filter(|_| access(tool) == Access::Write).map(|path| digest(&[path])),
                given,
                id: facts.span.as_deref().map(|id| digest(&[id])),
            },
        );
    }

    fn ask(&mut self, stamp: Stamp, at_ns: i64, ask: &Ask<'_>, entry: &Entry<'_, '_>) {
        let tool = entry.facts.tool.as_deref().filter(|_| ask.kind == AskKind::Permission);
        let wants = || tool.map(|tool| format!("wants to use {tool}"));
        let what = entry.facts.message.as_deref().map(cut).or_else(wants);
        self.asks.put(
            stamp,
            Asked {
                at_ns,
                kind: Word(ask.kind),
                is_answer: ask.is_answer,
                id: ask.id.as_deref().map(str::to_owned),
                given: tool.zip(ask.input).map(|(tool, input)| digest(&[tool, input.raw()])),
                what,
            },
        );
    }

    pub(crate) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// Returns when it last told of itself as of a loop.
    pub(crate) fn looped_ns(&self) -> Option<i64> {
        self.looped_ns
    }

    /// Returns its session if it is the agent of it, by whichever name; none if it is a subagent there.
    pub(crate) fn own_session(&self) -> Option<&str> {
        self.session().filter(|_| !self.is_subagent)
    }

    pub(crate) fn last_ns(&self) -> i64 {
        self.last_ns
    }

    /// Returns how much it speaks for its actor: by when it last told a status or its end, then by when it said anything.
    pub(super) fn rank(&self) -> (Option<i64>, i64) {
        (self.spoke_ns, self.last_ns)
    }

    /// Returns what it is doing, as [`Self::run`] has it, without working out since when.
    pub(crate) fn status(&self) -> Option<Status> {
        let last = self.steps.last().map(|(_, step)| step.status);
        last.or_else(|| Some(self.base?.status)).map(|status| status.0)
    }

    /// Returns what it is doing, and since when.
    pub(crate) fn run(&self) -> Option<Run> {
        let after = |run, (stamp, step): (&Stamp, &Step)| Some(Run::with(run, *stamp, step));
        self.steps.iter().fold(self.base, after)
    }

    /// Returns whether it did anything but stand still after this.
    pub(crate) fn has_worked_since(&self, stamp: Stamp) -> bool {
        let mut later = self.steps.iter().rev().take_while(|(at, _)| **at > stamp);
        later.any(|(_, step)| !stands_still(step.status.0))
    }

    /// Returns whether it said that it ends, and nothing of weight since.
    pub(crate) fn is_ended(&self) -> bool {
        self.ended.is_some() && self.ended >= self.steps.last().map(|(stamp, _)| *stamp)
    }

    /// Returns whether it went on after this: by what is not about a call, or by its end.
    fn is_past(&self, stamp: Stamp) -> bool {
        self.moved > Some(stamp) || self.ended > Some(stamp)
    }

    /// Returns the other actor that it still waits for by its own words, whatever became of that one.
    pub(crate) fn open_wait(&self) -> Option<(u64, &Wait)> {
        let wait = self.wait.as_ref()?;
        let has_called = self.calls.last().is_some_and(|(called, _)| *called > wait.stamp());
        let is_open = !has_called && !self.is_past(wait.stamp());
        is_open.then(|| (wait.stamp().position(), wait.value()))
    }

    /// Returns the state that its run is still in.
    pub(crate) fn open_state(&self) -> Option<(u64, &State)> {
        let state = self.state.as_ref()?;
        let is_open = !self.is_past(state.stamp()) || self.moved == Some(state.stamp());
        is_open.then(|| (state.stamp().position(), state.value()))
    }

    /// Returns the questions that nobody answered and that it did not leave behind, the oldest first, one for each cause: a second
    /// call for the same, which does not say for what, is none.
    pub(crate) fn open_asks(&self) -> Vec<(u64, &Asked)> {
        let asks = self.asks_with_causes();
        let mut open: Vec<&(Stamp, &Asked, Cause)> = Vec::new();
        for ask in &asks {
            let is_known = |before: &&(Stamp, &Asked, Cause)| is_same(before, ask);
            if !ask.1.is_answer && self.is_unanswered(ask, &asks) && !open.iter().any(is_known) {
                open.push(ask);
            }
        }
        open.into_iter().map(|(stamp, asked, _)| (stamp.position(), *asked)).collect()
    }

    fn asks_with_causes(&self) -> Vec<(Stamp, &Asked, Cause)> {
        let mut asks: Vec<(Stamp, &Asked, Cause)> = Vec::with_capacity(self.asks.iter().len());
        for (stamp, asked) in self.asks.iter() {
            let cause = match (asked.id.as_deref(), asked.given) {
                (Some(id), _) => Cause::Named(digest(&[id])),
                (None, Some(given)) => {
                    let is_taken = |id| asks.iter().any(|(_, _, cause)| *cause == Cause::Call(id));
                    let call = self.call_asked_about(*stamp, given, is_taken);
                    call.map_or(Cause::Given(given), Cause::Call)
                }
                (None, None) => Cause::Unknown,
            };
            asks.push((*stamp, asked, cause));
        }
        asks
    }

    /// Returns the newest call that is given this and is not over when a person is asked about it. Two calls may be given the same:
    /// one that was asked about before comes last.
    fn call_asked_about(
        &self,
        stamp: Stamp,
        given: Digest,
        is_taken: impl Fn(Digest) -> bool,
    ) -> Option<Digest> {
        let before = || self.calls.iter().rev().filter(|(at, _)| **at < stamp).map(|(_, it)| it);
        let is_over = |id| before().any(|called| called.id == Some(id) && called.is_over());
        let is_it = |called: &&Called| called.given == Some(given) && !called.is_over();
        let open =
            || before().filter(is_it).filter_map(|called| called.id).filter(|id| !is_over(*id));
        open().find(|id| !is_taken(*id)).or_else(|| open().next())
    }

    fn is_unanswered(&self, ask: &(Stamp, &Asked, Cause), asks: &[(Stamp, &Asked, Cause)]) -> bool {
        let (stamp, _, cause) = *ask;
        let is_answer = |other: &&(Stamp, &Asked, Cause)| other.0 > stamp && other.1.is_answer;
        let is_answered = asks.iter().filter(is_answer).any(|answer| is_same(answer, ask));
        let goes_on = |called: &Called| called.phase != Word(CallPhase::Proposed);
        let is_its_call = |called: &Called| match cause {
            Cause::Named(id) => called.id == Some(id) && goes_on(called),
            // It ran when a person was asked about it, and says nothing before it is over.
            Cause::Call(id) => called.id == Some(id) && called.is_over(),
            Cause::Given(given) => called.given == Some(given) && called.is_over(),
            Cause::Unknown => goes_on(called),
        };
        let is_called = self.calls.iter().any(|(at, called)| *at > stamp && is_its_call(called));
        // Its own call may have been one of those that are no longer kept.
        let is_long_past =
            self.calls.iter().len() == CALLS_KEPT && self.calls.iter().all(|(at, _)| *at > stamp);
        !(is_answered || is_called || is_long_past || self.is_past(stamp))
    }

    /// Returns the calls since a time, the newest first, each once however many events told of it.
    pub(crate) fn calls_since(&self, since_ns: i64) -> Vec<(u64, &Called)> {
        let mut calls: Vec<(u64, &Called)> = Vec::new();
        for (stamp, called) in
            self.calls.iter().rev().filter(|(_, called)| called.at_ns >= since_ns)
        {
            let is_known = || calls.iter().any(|(_, other)| other.id == called.id);
            let is_counted = match called.id {
                Some(_) => !is_known(),
                None => called.phase == Word(CallPhase::Running),
            };
            if is_counted {
                calls.push((stamp.position(), called));
            }
        }
        calls
    }

    /// Returns the newest completions, the newest first: when each was, and its position.
    pub(crate) fn completions(&self) -> impl Iterator<Item = (i64, u64)> {
        self.completions.iter().rev().map(|(stamp, at_ns)| (*at_ns, stamp.position()))
    }

    /// Returns what it said when it last failed or was blocked.
    pub(crate) fn trouble(&self) -> Option<(u64, &Trouble)> {
        self.trouble.as_ref().map(|trouble| (trouble.stamp().position(), trouble.value()))
    }

    /// Returns the tool and the file of its newest event that has them, as one text.
    pub(crate) fn tool_text(&self) -> Option<String> {
        let tool = self.about.tool.as_ref()?.value();
        let texts: Vec<&str> =
            [&tool.tool, &tool.path].into_iter().flatten().map(String::as_str).collect();
        Some(texts.join(" "))
    }

    /// Returns who started its actor.
    pub(crate) fn parent(&self) -> Option<&str> {
        text(&self.about.parent)
    }

    /// Returns the file that it edited last.
    pub(crate) fn edited(&self) -> Option<&str> {
        text(&self.about.edited)
    }

    /// Returns the task that it is on, and since when; no task since when it put one down.
    pub(crate) fn task(&self) -> Option<(i64, Option<&str>)> {
        let task = self.about.task.as_ref()?.value();
        Some((task.at_ns, task.task.as_deref()))
    }
}

impl Run {
    /// Returns the run after one more step.
    fn with(before: Option<Self>, stamp: Stamp, step: &Step) -> Self {
        let Step { at_ns, status, is_heartbeat, is_work } = *step;
        let position = stamp.position();
        let at_work = match status.0 {
            _ if !is_work => None,
            Status::Started => Some((at_ns, position)),
            Status::Thinking | Status::ToolUse | Status::Progress => {
                before.and_then(|before| before.at_work).or(Some((at_ns, position)))
            }
            Status::Waiting | Status::Blocked | Status::Completed | Status::Error => None,
        };
        let first = Self {
            status,
            since_ns: at_ns,
            since_position: position,
            newest_ns: at_ns,
            newest_position: position,
            at_work,
        };
        match before {
            Some(before) if before.status == status && is_heartbeat => Self { at_work, ..before },
            Some(before) if before.status == status => {
                Self { since_ns: before.since_ns, since_position: before.since_position, ..first }
            }
            Some(_) | None => first,
        }
    }
}

impl Called {
    fn is_over(&self) -> bool {
        match self.phase.0 {
            CallPhase::Completed | CallPhase::Failed | CallPhase::Denied => true,
            CallPhase::Proposed | CallPhase::Running | CallPhase::Output => false,
        }
    }
}

/// Returns whether two questions, or a question and an answer, are about the same, as far as both say.
fn is_same(a: &(Stamp, &Asked, Cause), b: &(Stamp, &Asked, Cause)) -> bool {
    let is_same_cause = a.2 == b.2 || a.2 == Cause::Unknown || b.2 == Cause::Unknown;
    a.1.kind == b.1.kind && is_same_cause
}

/// Returns whether who is in a status waits for somebody.
pub(crate) fn stands_still(status: Status) -> bool {
    matches!(status, Status::Waiting | Status::Blocked)
}

/// Returns whether something was completed by this.
fn is_completion(entry: &Entry<'_, '_>) -> bool {
    if entry.facts.status == Some(Status::Completed) {
        return true;
    }
    let part = &entry.report.part;
    let is_call = matches!(part, Part::Call(call) if call.phase == CallPhase::Completed);
    let is_turn = matches!(part, Part::Turn(turn) if turn.phase == TurnPhase::Completed);
    let is_work = matches!(part, Part::Work(work) if work.change == WorkChange::Completed);
    let is_loop = matches!(part, Part::Loop(state) if state.phase == LoopPhase::Done);
    is_call || is_turn || is_work || is_loop
}

/// A digest of texts. It is never 0, so that none takes no room of its own.
pub(crate) type Digest = NonZeroU64;

/// Returns a digest of texts that is the same in every process: FNV-1a, with a byte no text has between them.
fn digest(texts: &[&str]) -> Digest {
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |byte: u8| digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    for text in texts {
        text.bytes().for_each(&mut add);
        add(0xff);
    }
    NonZeroU64::new(digest).unwrap_or(NonZeroU64::MIN)
}

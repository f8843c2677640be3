//! Reports: what an event says beyond its facts, in one vocabulary for all dialects.
//!
//! Facts are what every reader needs of every event. A report is what the views need of some: the options of a decision, the steps
//! of a plan, the frames of a loop. So nobody who reads reports has to ask for the dialect.

mod code;
pub(crate) mod read;

use std::borrow::Cow;

use crate::Status;
use crate::json::Value;
use crate::shape::text_enum;

pub use code::in_words;

/// What one event reports.
#[derive(Clone, Debug, Default)]
pub struct Report<'a> {
    /// What it is about.
    pub part: Part<'a>,
    /// Where it happened, as far as it says.
    pub place: Option<Box<Place<'a>>>,
}

/// What an event is about, beyond its facts.
#[derive(Clone, Debug, Default)]
pub enum Part<'a> {
    /// Nothing more than its facts.
    #[default]
    Nothing,
    /// Its actor is alive.
    Heartbeat,
    /// Something was said.
    Words(Words<'a>),
    /// A turn began or ended.
    Turn(Turn<'a>),
    /// A tool call goes on; [`crate::Facts::span`] tells calls apart.
    Call(Call<'a>),
    /// A person is asked, or has answered.
    Ask(Ask<'a>),
    /// The actor waits for another, [`crate::Facts::subject`], until that one has this status, or any that ends its work.
    Wait {
        /// The status that it waits for.
        until: Option<Status>,
    },
    /// The actor hands its task to another, [`crate::Facts::subject`].
    Handoff,
    /// A piece of work, [`crate::Facts::task`], changes.
    Work(Work<'a>),
    /// A plan, whole.
    Plan(Box<Plan<'a>>),
    /// Part of a decision.
    Decision(Box<Decision<'a>>),
    /// The state of a loop, or its end.
    Loop(Box<Loop<'a>>),
    /// A run's state changed.
    Run(Run<'a>),
    /// A judge's verdict on a run.
    Judge(Box<Judge<'a>>),
    /// How much of a budget is used; the figures are in [`crate::Facts::usage`].
    Budget(Budget),
    /// A file is held or let go; [`crate::Facts::path`] is the file.
    Lease(Lease<'a>),
    /// A producer's own finding that another actor, [`crate::Facts::subject`], is stuck, or moves again.
    Finding(Finding),
    /// A message came into the gateway or was changed there.
    Mail(Box<Mail<'a>>),
    /// The gateway has an answer of an agent to be delivered.
    Reply(Box<Reply<'a>>),
    /// A component is being paired.
    Peer(Box<Peer<'a>>),
    /// A job was due; [`crate::Facts::task`] is its id.
    Job(Box<Job<'a>>),
    /// A configuration came into force or was taken back.
    Config(Box<Config<'a>>),
}

/// Where something happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place<'a> {
    /// The machine.
    pub host: Option<Cow<'a, str>>,
    /// The folder that is worked in: working directory, workspace, worktree.
    pub folder: Option<Cow<'a, str>>,
    /// The branch that is worked on.
    pub branch: Option<Cow<'a, str>>,
    /// The model that is spoken to, where the event says so outside its usage.
    pub model: Option<Cow<'a, str>>,
    /// What kind of component of a gateway it comes from: listener, gateway, subscriber, cron, tool_host, operator, provider.
    pub component_kind: Option<Cow<'a, str>>,
    /// The component.
    pub component: Option<Cow<'a, str>>,
}

text_enum! {
    /// Who says something.
    pub enum Speaker {
        /// A person, or whatever prompts the agent.
        Person = "person",
        /// The agent.
        Agent = "agent",
        /// The program around the agent.
        Program = "program",
    }
}

text_enum! {
    /// What kind of words they are.
    pub enum Saying {
        /// What the agent is asked to do.
        Prompt = "prompt",
        /// What the agent answers or tells.
        Message = "message",
        /// A piece of what the agent is saying.
        Chunk = "chunk",
        /// What the agent reasons.
        Thought = "thought",
        /// What the program tells its user.
        Notice = "notice",
        /// What the session is called.
        Title = "title",
    }
}

/// Something that was said.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    /// Who says it.
    pub by: Speaker,
    /// What it is.
    pub saying: Saying,
    /// The whole text, where the event has it.
    pub text: Option<Cow<'a, str>>,
}

text_enum! {
    /// What becomes of a turn.
    pub enum TurnPhase {
        /// It began.
        Began = "began",
        /// It ended well.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// A person stopped it.
        Aborted = "aborted",
    }
}

/// A turn of an agent: from a prompt to the end of what the agent does about it.
#[derive(Clone, Debug)]
pub struct Turn<'a> {
    /// What becomes of it.
    pub phase: TurnPhase,
    /// Its id, where it has one.
    pub id: Option<Cow<'a, str>>,
    /// The last words of the agent in it.
    pub words: Option<Cow<'a, str>>,
}

text_enum! {
    /// How far a tool call is.
    pub enum CallPhase {
        /// The agent wants it; nothing runs yet.
        Proposed = "proposed",
        /// It runs.
        Running = "running",
        /// A piece of its output is there.
        Output = "output",
        /// It ended well.
        Completed = "completed",
        /// It failed or took too long.
        Failed = "failed",
        /// It was denied.
        Denied = "denied",
    }
}

/// A tool call: its tool, path, duration and id are facts.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// How far it is.
    pub phase: CallPhase,
    /// What the tool is given.
    pub input: Option<Value<'a>>,
    /// What the tool gave back: its result, or its error.
    pub result: Option<Value<'a>>,
}

text_enum! {
    /// What a person is asked for.
    pub enum AskKind {
        /// May this tool run?
        Permission = "permission",
        /// An answer to a question of the agent or of a tool.
        Answer = "answer",
        /// Anything: it has nothing to do.
        Idle = "idle",
    }
}

/// A question to a person, or its end.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// What is asked for.
    pub kind: AskKind,
    /// Whether this is the answer.
    pub is_answer: bool,
    /// What tells this question from another: the call's id, the elicitation's.
    pub id: Option<Cow<'a, str>>,
    /// What the tool that a person is asked about is given: it tells the call where the question has no id.
    pub input: Option<Value<'a>>,
}

text_enum! {
    /// What happens to a piece of work.
    pub enum WorkChange {
        /// It is there now; where a child is named, that one is.
        Created = "created",
        /// Somebody tries to get it.
        Tried = "tried",
        /// A try did not succeed; another follows.
        Retried = "retried",
        /// Nobody will try again.
        Exhausted = "exhausted",
        /// The actor has it.
        Claimed = "claimed",
        /// It is worked on.
        Worked = "worked",
        /// What was done about it is over; whether it is done is not said.
        Handled = "handled",
        /// It is done.
        Completed = "completed",
        /// The work on it failed.
        Failed = "failed",
        /// It is back in the queue.
        Released = "released",
        /// It was split into smaller pieces.
        Split = "split",
    }
}

text_enum! {
    /// How one piece of work came of another.
    pub enum Lineage {
        /// It is a part of it.
        Child = "child",
        /// It is another way to do it.
        Alternative = "alternative",
        /// A gap in the documentation made it.
        Weave = "weave",
        /// A health problem made it.
        Pulse = "pulse",
    }
}

/// A change to a piece of work; [`crate::Facts::task`] is its id.
#[derive(Clone, Debug)]
pub struct Work<'a> {
    /// What happens.
    pub change: WorkChange,
    /// What it is called; where a child is named, what that one is called.
    pub title: Option<Cow<'a, str>>,
    /// The piece of work that it came of.
    pub parent: Option<Cow<'a, str>>,
    /// How it came of that or of what made it; where a child is named, how that one came of it.
    pub lineage: Option<Lineage>,
    /// A piece of work that came of it: the change is that this one is there now.
    pub child: Option<Cow<'a, str>>,
    /// How many tries there were.
    pub attempt: Option<u64>,
}

text_enum! {
    /// How far a step of a plan is.
    pub enum StepStatus {
        /// Not begun.
        Pending = "pending",
        /// Being done.
        Running = "running",
        /// Done.
        Done = "done",
        /// Left out.
        Skipped = "skipped",
        /// Failed.
        Error = "error",
    }
}

/// A plan of a run, whole: what it does not have is gone.
#[derive(Clone, Debug, Default)]
pub struct Plan<'a> {
    /// Its version, which grows with each change.
    pub version: Option<u64>,
    /// What it is for.
    pub goal: Option<Cow<'a, str>>,
    /// Its steps, in order.
    pub steps: Vec<Step<'a>>,
}

/// A step of a plan.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// Its id.
    pub id: Cow<'a, str>,
    /// What is to be done.
    pub title: Cow<'a, str>,
    /// How far it is.
    pub status: StepStatus,
    /// Whether a person has to look before the run goes on after it.
    pub is_hard_stop: bool,
    /// The steps that have to be done before it.
    pub needs: Vec<Cow<'a, str>>,
}

/// What one event says of a decision. Parts with the same id are one decision.
#[derive(Clone, Debug, Default)]
pub struct Decision<'a> {
    /// Its id.
    pub id: Option<Cow<'a, str>>,
    /// Whether this is the event that says it was made.
    pub is_made: bool,
    /// What was chosen.
    pub chosen: Option<Cow<'a, str>>,
    /// What there was to choose from.
    pub options: Vec<Cow<'a, str>>,
    /// Why.
    pub rationale: Option<Cow<'a, str>>,
    /// What it is about.
    pub category: Option<Cow<'a, str>>,
    /// An option that was turned down.
    pub rejected: Option<Cow<'a, str>>,
    /// Why it was turned down.
    pub reason: Option<Cow<'a, str>>,
}

text_enum! {
    /// What an event says of a loop.
    pub enum LoopPhase {
        /// It goes on with these frames.
        State = "state",
        /// It is done.
        Done = "done",
        /// It was stopped.
        Abort = "abort",
        /// A point to take up the work from.
        Anchor = "anchor",
        /// Something happened in it, by its trace.
        Trace = "trace",
        /// A person or program asks something of it, or is answered.
        Control = "control",
    }
}

/// What an event says of a loop; [`crate::Facts::actor`] is its run, if it says.
#[derive(Clone, Debug)]
pub struct Loop<'a> {
    /// What it says.
    pub phase: LoopPhase,
    /// Why it ended, or the name of what happened; of control what is asked, or how it is answered: `taken`, `done` or why not.
    pub reason: Option<Cow<'a, str>>,
    /// Its frames, the one at work last.
    pub frames: Vec<Frame<'a>>,
    /// Why it waits for a person, by its state.
    pub paused: Option<Cow<'a, str>>,
    /// What it is for, by an anchor.
    pub goal: Option<Cow<'a, str>>,
    /// What comes next, by an anchor.
    pub next_step: Option<Cow<'a, str>>,
    /// The request that is made or answered, by control.
    pub request: Option<Cow<'a, str>>,
}

/// A frame of a loop's stack.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// Its id.
    pub id: Cow<'a, str>,
    /// `loop`, `grind` or `issue`.
    pub mode: Cow<'a, str>,
    /// The iteration, from 1.
    pub iter: u64,
    /// How many there may be.
    pub max: u64,
    /// The issue that it works on.
    pub issue: Option<Cow<'a, str>>,
    /// Which issues it takes.
    pub filter: Option<Cow<'a, str>>,
    /// The branch that it works on.
    pub branch: Option<Cow<'a, str>>,
}

/// A change of a run's state.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The state, by the engine's word: IDLE, RUNNING, PAUSED, AWAITING_USER, ERROR, FINISHED.
    pub state: Cow<'a, str>,
    /// Why it changed.
    pub reason: Option<Cow<'a, str>>,
}

text_enum! {
    /// What a judge says.
    pub enum Verdict {
        /// It is done.
        Pass = "pass",
        /// It is not.
        Fail = "fail",
        /// It is not known yet.
        Pending = "pending",
        /// There was nothing to judge by.
        Skip = "skip",
    }
}

/// What a judge says of a run.
#[derive(Clone, Debug)]
pub struct Judge<'a> {
    /// The verdict.
    pub verdict: Verdict,
    /// Why.
    pub reasons: Vec<Cow<'a, str>>,
    /// What it stands on.
    pub evidence: Vec<Cow<'a, str>>,
}

text_enum! {
    /// How much of a budget is used.
    pub enum Budget {
        /// Nearly all of it.
        Warning = "warning",
        /// All of it.
        Exceeded = "exceeded",
        /// All that one piece of work may use.
        TaskExceeded = "task_exceeded",
    }
}

text_enum! {
    /// What happens to a lease.
    pub enum LeaseChange {
        /// The actor holds the file.
        Taken = "taken",
        /// The actor let it go.
        Released = "released",
        /// Several want it.
        Conflict = "conflict",
        /// Nobody who holds it works on it.
        Stale = "stale",
        /// It was held past its time.
        Expired = "expired",
        /// The actor asks its holder to hurry.
        Wanted = "wanted",
    }
}

/// A change to who holds a file; [`crate::Facts::path`] is the file.
#[derive(Clone, Debug)]
pub struct Lease<'a> {
    /// What happens.
    pub change: LeaseChange,
    /// Who wants the file: of a conflict all who do, of a wish to get it soon whoever has it.
    pub actors: Vec<Cow<'a, str>>,
    /// Until when it is held, in nanoseconds since 1970.
    pub until_ns: Option<i64>,
}

text_enum! {
    /// What a producer found about another actor.
    pub enum Finding {
        /// It seems stuck.
        Stuck = "stuck",
        /// It moves again.
        Recovered = "recovered",
        /// It is gone.
        Gone = "gone",
    }
}

/// A message in a channel of a gateway.
#[derive(Clone, Debug)]
pub struct Mail<'a> {
    /// What happens to it.
    pub change: MailChange,
    /// Where it was written: `discord`, `slack` …
    pub platform: Option<Cow<'a, str>>,
    /// The channel.
    pub channel: Option<Cow<'a, str>>,
    /// Who wrote it.
    pub author: Option<Cow<'a, str>>,
    /// Its id there.
    pub id: Option<Cow<'a, str>>,
    /// Its text.
    pub text: Option<Cow<'a, str>>,
}

text_enum! {
    /// What happens to a message.
    pub enum MailChange {
        /// It came in.
        Received = "received",
        /// Its author changed it.
        Edited = "edited",
        /// Its author took it back.
        Deleted = "deleted",
    }
}

/// An answer of an agent, to be delivered by the gateway.
#[derive(Clone, Debug)]
pub struct Reply<'a> {
    /// Its id.
    pub id: Option<Cow<'a, str>>,
    /// Its text.
    pub text: Option<Cow<'a, str>>,
    /// Where it goes, if it says: otherwise to the session's last active channel.
    pub platform: Option<Cow<'a, str>>,
    /// The channel it goes to.
    pub channel: Option<Cow<'a, str>>,
    /// What is to be done with it: `send_message`, `react`, `platform_action`.
    pub actions: Vec<Cow<'a, str>>,
}

text_enum! {
    /// How far a pairing is.
    pub enum PeerPhase {
        /// It began.
        Started = "started",
        /// The two are paired.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
    }
}

/// A pairing of two components.
#[derive(Clone, Debug)]
pub struct Peer<'a> {
    /// How far it is.
    pub phase: PeerPhase,
    /// Its id.
    pub pairing: Option<Cow<'a, str>>,
    /// The remote component, once it is known.
    pub component: Option<Cow<'a, str>>,
    /// What kind of component it is.
    pub component_kind: Option<Cow<'a, str>>,
    /// Where it is.
    pub uri: Option<Cow<'a, str>>,
    /// The fingerprint of its certificate.
    pub fingerprint: Option<Cow<'a, str>>,
    /// Why it failed: the error's code.
    pub error: Option<Cow<'a, str>>,
}

/// A job that was due.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// What it is called.
    pub name: Option<Cow<'a, str>>,
    /// When it was to run, in nanoseconds since 1970.
    pub scheduled_ns: Option<i64>,
    /// `heartbeat` or `scheduled_task`.
    pub reason: Option<Cow<'a, str>>,
}

/// A configuration of a component.
#[derive(Clone, Debug)]
pub struct Config<'a> {
    /// Whether it was taken back.
    pub is_reverted: bool,
    /// Its revision.
    pub revision: Option<Cow<'a, str>>,
    /// Who put it into force.
    pub by: Option<Cow<'a, str>>,
}

#[cfg(test)]
mod tests;

//! What a decision leaves in the log: the events of the idle dialect, each on one line.

use std::borrow::Cow;

use weft_event::digest_parts;
use weft_event::idle::{
    Abort, AbortReason, AbortWord, Ack, AckWord, ControlResult, Done, DoneReason, DoneWord,
    EmptyStack, LoopKind, Mode, Request, RequestWord, ResultWord, SCHEMA, Topic, Trace, TraceEvent,
};
use weft_event::json::{Json, Object};
use weft_event::time::format_rfc3339;

use super::control::{Answered, Asked};
use super::decide::{Aborted, Change, Decision, Reply, Why};
use super::state::{Current, Frame, Pause, State};
use super::words;
use crate::judge::Judged;

/// An event, and the topic that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    /// The topic.
    pub topic: Topic<'static>,
    /// The key that it is the newest of, where that is not the session.
    pub key: Option<String>,
    /// The event, on one line.
    pub line: String,
}

impl Posting {
    /// Returns a state of a loop.
    pub fn state(state: &State) -> Self {
        Self { topic: Topic::LoopCurrent, key: None, line: state.to_line() }
    }

    /// Returns something that is asked of a loop.
    pub fn request(asked: &Asked, about: &About<'_>) -> Self {
        let event = Request {
            schema: SCHEMA,
            event: RequestWord,
            request_id: asked.request_id.as_str().into(),
            ts: format_rfc3339(asked.at_ns).into(),
            run_id: asked.run_id.as_deref().map(Cow::Borrowed),
            command: asked.wish,
            reason: None,
            extra: session(about),
        };
        Self { topic: Topic::LoopControl, key: None, line: event.to_line() }
    }
}

/// Whose loop it is, and when.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// The run.
    pub run_id: &'a str,
    /// The session.
    pub session_id: Option<&'a str>,
    /// The time.
    pub now_ns: i64,
    /// What the rules said, if they were asked.
    pub judged: Option<&'a Judged>,
}

/// Returns what a decision leaves: the loop as it is now, why, and the answer to whoever asked. The first one, if there is a change,
/// is the one in `loop:current`.
pub fn of_decision(decision: &Decision, current: &Current, about: &About<'_>) -> Vec<Posting> {
    let mut postings = Vec::new();
    match &decision.change {
        Change::None => {}
        Change::State(state) => {
            postings.push(Posting::state(state));
        }
        Change::Done(reason) => postings.push(done(*reason, about)),
        Change::Abort(aborted) => postings.push(abort(*aborted, about)),
    }
    if let Some(event) = event_of(&decision.why) {
        postings.push(trace(event, decision, current, about));
    }
    if let Some(answered) = &decision.answered {
        let details = Json::object(|object| {
            object.text("state", decision.standing(current).as_str());
            object.text("reason", &words::shown(&decision.why));
        });
        postings.extend(answer(answered, details, about));
    }
    postings
}

/// Returns the event that says that a frame began, with its prompt: a file of it that is lost can be made again.
pub fn began(frame: &Frame, prompt: &str, about: &About<'_>) -> Posting {
    let details = Json::object(|object| {
        object.text("decision", "start");
        object.text("reason", "it was started");
        object.text("frame_id", &frame.id);
        object.text("prompt", prompt);
        put_session(object, about);
    });
    let posting = trace_line(TraceEvent::LoopStart, Some(frame), details, about);
    Posting { key: Some(frame.id.clone()), ..posting }
}

fn done(reason: DoneReason, about: &About<'_>) -> Posting {
    let event = Done {
        schema: SCHEMA,
        event: DoneWord,
        reason,
        stack: EmptyStack,
        run_id: Some(about.run_id.into()),
        updated_at: Some(format_rfc3339(about.now_ns).into()),
        extra: session(about),
    };
    let line = event.to_line();
    Posting { topic: Topic::LoopCurrent, key: None, line }
}

fn abort(aborted: Aborted, about: &About<'_>) -> Posting {
    let (reason, detail) = match aborted {
        Aborted::Cancelled => (Some(AbortReason::UserCancelled), None),
        Aborted::Wrong(detail) => (None, Some(Cow::Borrowed(detail.as_str()))),
    };
    let event = Abort {
        schema: SCHEMA,
        event: AbortWord,
        reason,
        stack: EmptyStack,
        run_id: Some(about.run_id.into()),
        updated_at: Some(format_rfc3339(about.now_ns).into()),
        detail,
        extra: session(about),
    };
    let line = event.to_line();
    Posting { topic: Topic::LoopCurrent, key: None, line }
}

/// Returns what a decision is in the trace; none for a session that has no loop, and for what was told already.
fn event_of(why: &Why) -> Option<TraceEvent> {
    match why {
        Why::Off | Why::NoLoop | Why::Repeat | Why::Refused => None,
        Why::Stale => Some(TraceEvent::Staleness),
        Why::Broken(_) | Why::Cancelled | Why::Budget(_) | Why::NoProgress(_) | Why::Stuck => {
            Some(TraceEvent::Abort)
        }
        Why::Limit => Some(TraceEvent::MaxIterations),
        Why::Complete => Some(TraceEvent::Completion),
        Why::NoReview(_) => Some(TraceEvent::ReviewGateBlocked),
        Why::Paused(Pause::Review | Pause::Escalated) => Some(TraceEvent::ReviewEscalate),
        Why::Paused(Pause::Asked)
        | Why::Resumed
        | Why::NoEvidence(_)
        | Why::NextIssue
        | Why::ClientLimit
        | Why::Iteration => Some(TraceEvent::Iteration),
    }
}

fn trace(event: TraceEvent, decision: &Decision, current: &Current, about: &About<'_>) -> Posting {
    let details = Json::object(|object| {
        let word = match decision.reply {
            Reply::LetGo => "let_go",
            Reply::GoOn => "go_on",
        };
        object.text("decision", word);
        object.text("why", words::name(&decision.why));
        object.text("reason", &words::shown(&decision.why));
        if let Some(judged) = about.judged {
            object.json("judge", &judged.json());
        }
        put_session(object, about);
    });
    let state = match (&decision.change, current) {
        (Change::State(state), _) | (_, Current::Running(state)) => Some(state.as_ref()),
        (_, Current::None | Current::Broken { .. }) => None,
    };
    trace_line(event, state.and_then(State::top), details, about)
}

fn trace_line(
    event: TraceEvent,
    top: Option<&Frame>,
    details: Json<'_>,
    about: &About<'_>,
) -> Posting {
    let loop_kind = match top.map(|frame| frame.mode()) {
        Some(Mode::Loop) => LoopKind::Loop,
        Some(Mode::Grind) => LoopKind::Grind,
        Some(Mode::Issue) => LoopKind::Issue,
        // The words for a kind leave no other for a loop whose state cannot be read.
        None => LoopKind::Loop,
    };
    let (iteration, max) = top.map_or((0, 0), |frame| (frame.iter, frame.max));
    let frame_id = top.map_or("", |frame| frame.id.as_str());
    let texts = [about.run_id, frame_id, event.as_str()].map(str::as_bytes);
    let parts = [texts[0], texts[1], texts[2], &about.now_ns.to_le_bytes()];
    let id: String = digest_parts(&parts).iter().map(|byte| format!("{byte:02x}")).collect();
    let event = Trace {
        event_id: id.into(),
        ts: format_rfc3339(about.now_ns).into(),
        run_id: about.run_id.into(),
        loop_kind,
        event,
        iteration,
        max,
        details,
        extra: session(about),
    };
    let line = event.to_line();
    Posting { topic: Topic::LoopTrace, key: None, line }
}

fn answer(answered: &Answered, details: Json<'_>, about: &About<'_>) -> [Posting; 2] {
    let (request_id, run_id) = (&answered.request_id, about.run_id);
    let ts = format_rfc3339(about.now_ns);
    let ack = Ack {
        schema: SCHEMA,
        event: AckWord,
        request_id: request_id.into(),
        ts: ts.as_str().into(),
        run_id: Some(run_id.into()),
        extra: session(about),
    };
    let result = ControlResult {
        schema: SCHEMA,
        event: ResultWord,
        request_id: request_id.into(),
        ts: ts.as_str().into(),
        run_id: Some(run_id.into()),
        ok: answered.refusal.is_none(),
        code: answered.refusal,
        details: Some(details),
        extra: session(about),
    };
    [ack.to_line(), result.to_line()].map(|line| Posting {
        topic: Topic::LoopControl,
        key: None,
        line,
    })
}

fn put_session(object: &mut Object<'_>, about: &About<'_>) {
    if let Some(session_id) = about.session_id {
        object.text("session_id", session_id);
    }
}

/// Returns the session as what an event has beside the fields of its own.
fn session<'a>(about: &About<'a>) -> Vec<(Cow<'a, str>, Json<'a>)> {
    let session_id = about.session_id.map(|id| (Cow::Borrowed("session_id"), Json::text(id)));
    session_id.into_iter().collect()
}

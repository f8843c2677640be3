//! A loop is changed by a wish from outside, at once. What is in the log comes in; what has to be written, and the answer, go out.
//!
//! Whoever calls appends it, if the loop is still as it was seen, and begins again if it is not. However it is appended, the wish
//! comes to the same.

use weft_event::idle::Refusal;
use weft_log::log::Condition;
use weft_log::query::{QueryError, Records};

use super::control::{Answer, Asked, RequestId, Said, Wish};
use super::decide;
use super::events::{self, About, Posting};
use super::newest::{Newest, current_of};
use super::state::Current;
use super::words;

/// How often a wish is tried again where others changed the loop meanwhile.
pub const TRIES_MAX: usize = 10;

/// What is wished of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What the answer names. One that comes again gets the answer of the first.
    pub id: RequestId,
    /// What is wanted.
    pub wish: Wish,
    /// The run that is meant; the session's, whichever it is, if none is named.
    pub run_id: Option<String>,
}

/// What comes of a wish.
#[derive(Clone, Debug, PartialEq)]
pub enum Obeyed {
    /// It was answered before, or there is nothing that it could be done to: nothing is written.
    Answered(Answer),
    /// It is so once this is in the log.
    Write(Box<Writing>),
}

/// What has to be in the log for a wish to come true.
#[derive(Clone, Debug, PartialEq)]
pub struct Writing {
    /// The events, in order.
    pub postings: Vec<Posting>,
    /// That nobody changed the loop meanwhile.
    pub condition: Condition,
    /// What is answered then.
    pub answer: Answer,
}

/// Returns what comes of a wish for a loop.
pub fn obey(
    records: &mut Records,
    newest: &Newest,
    request: &Request,
    now_ns: i64,
) -> Result<Obeyed, QueryError> {
    // Whoever changed the state said so together with it: what was said is read as of no earlier moment.
    records.refresh()?;
    let said = Said::lately(records, now_ns)?;
    Ok(answer(&said, newest, request, now_ns))
}

/// Does the same by what was said of the request before.
pub(super) fn answer(said: &Said, newest: &Newest, request: &Request, now_ns: i64) -> Obeyed {
    let request_id = request.id.as_str();
    let refused = |run_id: Option<&str>, refusal, why: String| {
        Obeyed::Answered(Answer {
            request_id: request_id.to_owned(),
            run_id: run_id.map(str::to_owned),
            refusal: Some(refusal),
            standing: None,
            why,
        })
    };
    let before = said.asked(request_id);
    let is_other = |asked: &Asked| {
        let is_session = asked.session_id.as_deref().is_none_or(|session| session == newest.key);
        asked.wish != request.wish || !is_session
    };
    if let Some(before) = before.filter(|before| is_other(before)) {
        let why = format!("`{request_id}` asked for something else before");
        return refused(before.run_id.as_deref(), Refusal::Duplicate, why);
    }
    if let Some(answer) = said.answer(request_id) {
        return Obeyed::Answered(answer.clone());
    }
    let state = match &newest.current {
        Current::Running(state) => state,
        Current::None => return refused(None, Refusal::NotFound, "no loop runs".to_owned()),
        Current::Broken { run_id, why, .. } => {
            let why =
                format!("the state of the loop cannot be read ({why}); it ends at the next stop");
            return refused(run_id.as_deref(), Refusal::InvalidState, why);
        }
    };
    if let Some(meant) = request.run_id.as_ref().filter(|meant| **meant != state.run_id) {
        let why = format!("`{meant}` is over: the loop of the session is another");
        return refused(Some(meant), Refusal::NotFound, why);
    }
    let asked = Asked {
        request_id: request_id.to_owned(),
        wish: request.wish,
        run_id: Some(state.run_id.clone()),
        session_id: state.session_id.clone(),
        at_ns: now_ns,
    };
    let decision = decide::obey(state, &asked, now_ns);
    let session_id = state.session_id.as_deref();
    let about = About { run_id: &state.run_id, session_id, now_ns, judged: None };
    // One that somebody posted, and that no stop has answered yet, is asked already.
    let mut postings: Vec<Posting> =
        before.is_none().then(|| Posting::request(&asked, &about)).into_iter().collect();
    postings.extend(events::of_decision(&decision, &newest.current, &about));
    let answer = Answer {
        request_id: asked.request_id,
        run_id: asked.run_id,
        refusal: decision.answered.as_ref().and_then(|answered| answered.refusal),
        standing: Some(decision.standing(&newest.current)),
        why: words::shown(&decision.why),
    };
    let condition = Condition { topic: current_of(&newest.key), last: newest.last };
    Obeyed::Write(Box::new(Writing { postings, condition, answer }))
}

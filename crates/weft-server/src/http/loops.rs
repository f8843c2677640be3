//! `POST /v1/loops/{session}/control`: a loop is paused, resumed, cancelled or handed to a person, at once. So is one that no session
//! has taken up yet, by `POST /v1/loops/control`.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::middleware::from_fn;
use axum::response::Response;
use axum::routing::post;
use uuid::Uuid;
use weft_event::Dialect;
use weft_event::event::Expect;
use weft_event::idle::Refusal;
use weft_event::json::{Json, Object, Tape};
use weft_log::Store;
use weft_log::admit::{self, Admitted, Arrival, Gate, Strictness};
use weft_log::blobs::Which;
use weft_log::log::{AppendError, Batch, Durability};
use weft_log::query::{QueryError, Records};
use weft_log::spool::Entry;
use weft_runtime::loops::Newest;
use weft_runtime::loops::control::{Answer, REQUEST_ID_BYTES_MAX, RequestId, Standing, Wish};
use weft_runtime::loops::events::Posting;
use weft_runtime::loops::newest::place_of;
use weft_runtime::loops::obey::{Obeyed, Request, TRIES_MAX, Writing, obey};

use super::answer::{self, Failure};
use super::params::{Name, now_ns};
use super::read;
use super::subs::body::{self, Sent};
use super::subs::without_parameters;
use crate::Core;
use crate::reads::ReadsError;
use crate::writer::WriteFailure;

/// The way in, as records have it.
const VIA: &str = "http";

/// The name under which a loop is kept until a session takes it up.
const UNTAKEN: &str = "";

/// Returns the routes.
pub(super) fn routes() -> Router<Core> {
    Router::new()
        .route("/v1/loops/{session}/control", post(control))
        .route("/v1/loops/control", post(control_untaken))
        .layer(from_fn(without_parameters))
}

/// What a wish comes to, ready to be written.
enum Prepared {
    Answered(Answer),
    Write(Batch, Answer),
}

/// Why nothing is ready.
enum Unprepared {
    Unread(ReadsError),
    Refused(admit::Refusal),
}

impl From<QueryError> for Unprepared {
    fn from(error: QueryError) -> Self {
        Unprepared::Unread(error.into())
    }
}

async fn control(
    State(core): State<Core>,
    Name(session): Name,
    Sent(sent): Sent,
) -> Result<Response, Failure> {
    ask(&core, session, &sent.bytes).await
}

async fn control_untaken(State(core): State<Core>, Sent(sent): Sent) -> Result<Response, Failure> {
    ask(&core, UNTAKEN.to_owned(), &sent.bytes).await
}

/// Asks something of the loop that is kept under a session's name.
async fn ask(core: &Core, session: String, sent: &[u8]) -> Result<Response, Failure> {
    let request = request(sent)?;
    for _ in 0..TRIES_MAX {
        let (session, request) = (session.clone(), request.clone());
        let prepared = core.reads().aside(move |store| prepare(store, &session, &request)).await;
        let (batch, answer) = match prepared {
            Ok(Prepared::Answered(answer)) => return told(&answer),
            Ok(Prepared::Write(batch, answer)) => (batch, answer),
            Err(Unprepared::Unread(error)) => return Err(read::failure(error)),
            Err(Unprepared::Refused(refusal)) => return Err(Failure::store(&refusal)),
        };
        match core.appender().append(batch).await {
            Ok(_) => return told(&answer),
            Err(WriteFailure::Append(AppendError::Condition { .. })) => {}
            Err(
                failure @ (WriteFailure::Busy
                | WriteFailure::Closed
                | WriteFailure::Opening { .. }
                | WriteFailure::Append(_)),
            ) => return Err(failure.into()),
        }
    }
    let message = "the loop changes all the time: try again";
    Err(Failure::new(StatusCode::CONFLICT, "changed_meanwhile", message.to_owned()))
}

fn request(sent: &[u8]) -> Result<Request, Failure> {
    let bad = |message: String| Failure::new(StatusCode::BAD_REQUEST, "bad_request", message);
    let mut tape = Tape::new();
    let value = body::object(&mut tape, sent, &["command", "request_id", "run_id"])?;
    let command = body::member(value, "command").ok_or_else(|| body::missing("command"))?;
    let wish = command.as_text().and_then(|word| Wish::parse(&word));
    let words = || format!("`command` must be one of {}", Wish::WORDS.join(", "));
    let wish = wish.ok_or_else(|| bad(words()))?;
    let id = match body::member(value, "request_id") {
        None => RequestId::parse(&Uuid::now_v7().to_string()),
        Some(id) => id.as_text().and_then(|id| RequestId::parse(&id)),
    };
    let plain = || format!("`request_id` must be plain text of 1 to {REQUEST_ID_BYTES_MAX} bytes");
    let id = id.ok_or_else(|| bad(plain()))?;
    let run_id = match body::member(value, "run_id") {
        None => None,
        Some(run_id) => {
            let text = run_id.as_text().ok_or_else(|| bad("`run_id` must be text".to_owned()))?;
            Some(text.into_owned())
        }
    };
    Ok(Request { id, wish, run_id })
}

/// Looks what the wish comes to now. Reads the disk.
fn prepare(store: &Store, session: &str, request: &Request) -> Result<Prepared, Unprepared> {
    let mut records = Records::open(store.clone())?;
    let newest = Newest::of(&mut records, session)?;
    let Writing { postings, condition, answer } =
        match obey(&mut records, &newest, request, now_ns())? {
            Obeyed::Answered(answer) => return Ok(Prepared::Answered(answer)),
            Obeyed::Write(writing) => *writing,
        };
    let mut gate = Gate::new(store, Which::Largest, Strictness::Lenient);
    let admitted = postings.iter().map(|posting| admit(&mut gate, posting, session));
    let events = admitted.collect::<Result<_, _>>().map_err(Unprepared::Refused)?;
    let batch = Batch { events, conditions: vec![condition], durability: Durability::Synced };
    Ok(Prepared::Write(batch, answer))
}

fn admit(gate: &mut Gate, posting: &Posting, session: &str) -> Result<Admitted, admit::Refusal> {
    let (delivery, topic) = (Entry::delivery(Uuid::now_v7()), place_of(posting, session));
    gate.admit(&Arrival {
        line: posting.line.as_bytes(),
        expect: Expect::Dialect(Dialect::Idle),
        via: VIA,
        delivery: Some(&delivery),
        topic: Some(&topic),
    })
}

fn told(answer: &Answer) -> Result<Response, Failure> {
    let (status, code) = match answer.refusal {
        None => {
            let mut text = String::new();
            let mut object = Object::begin(&mut text);
            object.text("request_id", &answer.request_id);
            answer.run_id.iter().for_each(|run_id| object.text("run_id", run_id));
            object.text("result", answer.result());
            answer.standing.iter().for_each(|standing| object.text("state", standing.as_str()));
            object.text("why", &answer.why);
            object.end();
            return Ok(answer::json(StatusCode::OK, text));
        }
        Some(Refusal::NotFound) => (StatusCode::NOT_FOUND, "not_found"),
        Some(Refusal::InvalidState) => (StatusCode::CONFLICT, "invalid_state"),
        Some(Refusal::Duplicate) => (StatusCode::CONFLICT, "duplicate"),
        Some(Refusal::BadRequest) => (StatusCode::BAD_REQUEST, "bad_request"),
    };
    let more = [
        ("request_id", Some(answer.request_id.as_str())),
        ("run_id", answer.run_id.as_deref()),
        ("state", answer.standing.map(Standing::as_str)),
    ];
    let failure = Failure::new(status, code, answer.why.clone());
    Err(more.into_iter().fold(failure, |failure, (name, value)| match value {
        Some(value) => failure.with(name, Json::text(value)),
        None => failure,
    }))
}

//! What the tools answer: the schemas that clients are shown, and the calls behind them.

use uuid::Uuid;
use weft_event::Dialect;
use weft_event::json::{Json, Tape, Value};
use weft_log::log::Outcome;
use weft_log::query::Order;
use weft_log::{Filter, Position};

use super::argument::{check, get};
use super::look::{self, Asked};
use super::report::{Around, Made, Report, report};
use super::shelf::{Kept, Put, Shelf};
use super::tool::{Does, Tool};
use super::{Told, board, rows};
use crate::reads::Question;
use crate::views::Ask;

/// Bytes of events that are read to see whether a call came before.
const REPEAT_BYTES_MAX: usize = 1 << 20;

/// Does what a call asks for, and returns its answer.
pub(super) async fn call<S: Shelf>(
    shelf: &S,
    tool: &'static Tool,
    arguments: &str,
    around: &Around,
) -> Result<Json<'static>, Told> {
    let work = Work::read(tool, arguments, around)?;
    match work {
        Work::Record(report) => record(shelf, report).await,
        Work::Page(asked) => look::page(shelf, asked).await,
        Work::One(position) => look::one(shelf, position).await,
        Work::Rows(ask) => rows::rows(shelf, ask).await,
        Work::Post(letter) => board::post(shelf, letter, around).await,
        Work::Read(asked) => board::read(shelf, asked).await,
    }
}

/// What a call comes to.
enum Work {
    Record(Report),
    Page(Asked),
    One(Position),
    Rows(Ask),
    Post(board::Letter),
    Read(board::Question),
}

impl Work {
    fn read(tool: &'static Tool, arguments: &str, around: &Around) -> Result<Self, Told> {
        let mut tape = Tape::new();
        let given = tape
            .parse(arguments)
            .map_err(|error| Told(format!("the arguments cannot be read: {error}")))?;
        let wrong = check(given, tool.arguments());
        if !wrong.is_empty() {
            return Err(Told(wrong.join("\n")));
        }
        Ok(match tool.does {
            Does::Query => Work::Page(Asked::read(given, around.now_ns)?),
            Does::Get => {
                let position = get(given, "position").and_then(Value::as_u64);
                Work::One(position.and_then(Position::new).expect("it was checked"))
            }
            Does::Attention => Work::Rows(rows::attention(given, around.now_ns)),
            Does::Report(of) => Work::Record(report(of, given, around)?),
            Does::Post => Work::Post(board::Letter::read(given, around)?),
            Does::Read => Work::Read(board::Question::read(given)),
        })
    }
}

async fn record<S: Shelf>(shelf: &S, report: Report) -> Result<Json<'static>, Told> {
    let mut known = Vec::with_capacity(report.events.len());
    for Made { event_id, .. } in &report.events {
        let before = match report.can_repeat {
            true => stored_before(shelf, *event_id).await?,
            false => None,
        };
        known.push(before);
    }
    let is_new = |(_, known): &(&Made, &Option<Position>)| known.is_none();
    let new = report.events.iter().zip(&known).filter(is_new);
    let put =
        |made: &Made| Put { line: made.line.clone(), dialect: Dialect::Collector, topic: None };
    let events: Vec<Put> = new.map(|(made, _)| put(made)).collect();
    let kept = if events.is_empty() { Vec::new() } else { shelf.put(events).await? };
    let mut kept = kept.into_iter();
    let events = report.events.iter().zip(known).map(|(made, before)| {
        let kept = match before {
            Some(position) => Kept::Logged(Outcome::Repeat { position }),
            None => kept.next().expect("every event has an outcome"),
        };
        event_json(made, kept)
    });
    let events = Json::array(events.collect::<Vec<_>>());
    Ok(Json::object(|object| {
        object.json("events", &events);
        object.text("agent_id", &report.agent);
        report.session.iter().for_each(|session| object.text("session_id", session));
        report.decision.iter().for_each(|decision| object.text("decision_id", decision));
    }))
}

/// Returns where an event is that an earlier try of the same call stored.
async fn stored_before<S: Shelf>(shelf: &S, event_id: Uuid) -> Result<Option<Position>, Told> {
    let filter = Filter::parse(&format!(".event_id=\"{event_id}\""), 0).expect("a plain path");
    let range = Position::FIRST..=Position::new(u64::MAX).expect("it is not 0");
    let (order, limit, bytes_max) = (Order::Ascending, 1, REPEAT_BYTES_MAX);
    let seen = shelf.find(Question { filter, range, order, limit, bytes_max }).await?;
    Ok(seen.found.records.first().map(|found| found.meta.position))
}

fn event_json(made: &Made, kept: Kept) -> Json<'static> {
    let (word, position) = match kept {
        Kept::Logged(Outcome::Stored { position, conflict: None }) => ("stored", Some(position)),
        Kept::Logged(Outcome::Stored { position, conflict: Some(_) }) => {
            ("conflict", Some(position))
        }
        Kept::Logged(Outcome::Repeat { position }) => ("repeat", Some(position)),
        Kept::Spooled => ("spooled", None),
    };
    Json::object(|object| {
        object.text("event_type", made.event_type);
        object.text("event_id", &made.event_id.to_string());
        let position = position.map_or(Json::null(), |position| Json::integer(position.get()));
        object.json("position", &position);
        object.text("outcome", word);
    })
}

/// Returns the schema of what a tool answers.
pub(super) fn schema(does: Does) -> &'static str {
    match does {
        Does::Query => FOUND,
        Does::Get => ONE,
        Does::Attention => NEEDS,
        Does::Report(_) => RECORDED,
        Does::Post => board::POSTED,
        Does::Read => board::READ,
    }
}

const RECORDED: &str = r#"{"type":"object","required":["events","agent_id"],"properties":{
"events":{"type":"array","description":"What was recorded, in order. It is durable.","items":{"type":"object","required":["event_type","event_id","position","outcome"],"properties":{
"event_type":{"type":"string"},
"event_id":{"type":"string"},
"position":{"type":["integer","null"],"description":"Its place in the log; null while it is spooled."},
"outcome":{"type":"string","enum":["stored","repeat","conflict","spooled"],"description":"stored: it is in the log. repeat: it was before. conflict: it is, and so is another of the same id. spooled: it is kept, and moves into the log by itself."}}}},
"agent_id":{"type":"string","description":"Who it was recorded for."},
"session_id":{"type":"string","description":"The session it was recorded in."},
"decision_id":{"type":"string","description":"Names the decision in later calls."}}}"#;

const FOUND: &str = r#"{"type":"object","required":["records","has_more"],"properties":{
"records":{"type":"array","items":{"type":"object","required":["position","event"],"properties":{
"position":{"type":"integer"},
"received":{"type":"string"},
"dialect":{"type":"string"},
"via":{"type":"string"},
"event":{"type":["object","null"],"description":"The event as its producer wrote it."}}}},
"has_more":{"type":"boolean","description":"Whether more match."},
"next_cursor":{"type":"string","description":"Give it as `cursor` to go on."},
"shortened":{"type":"array","items":{"type":"integer"},"description":"Positions of events whose long texts are cut here; get_event shows more."},
"lost":{"type":"array","items":{"type":"object"},"description":"Positions whose records are damaged or gone."}}}"#;

const ONE: &str = r#"{"type":"object","required":["record","is_shortened"],"properties":{
"record":{"type":"object","required":["position","event"],"properties":{
"position":{"type":"integer"},
"received":{"type":"string"},
"dialect":{"type":"string"},
"via":{"type":"string"},
"event":{"type":["object","null"],"description":"The event as its producer wrote it."}}},
"is_shortened":{"type":"boolean","description":"Whether long texts are cut."}}}"#;

const NEEDS: &str = r#"{"type":"object","required":["view","position","at","rows","n_more"],"properties":{
"view":{"type":"string"},
"position":{"type":"integer","description":"The position of the log up to which this is so."},
"at":{"type":"string"},
"rows":{"type":"array","description":"What needs a person, the worst first.","items":{"type":"object","required":["id","kind","actor","since","what"],"properties":{
"id":{"type":"string"},
"kind":{"type":"string","description":"What a person is needed for."},
"actor":{"type":"string","description":"Whom it is about."},
"session":{"type":"string"},
"task":{"type":"string"},
"since":{"type":"string"},
"what":{"type":"string"},
"positions":{"type":"array","items":{"type":"integer"},"description":"The events that made it."},
"command":{"type":"string","description":"The command that acts on it, or else shows it to a person."}}}},
"n_more":{"type":"integer","description":"How many more there are."}}}"#;

#[cfg(test)]
mod tests;

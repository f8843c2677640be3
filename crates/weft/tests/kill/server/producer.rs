//! Producers that send each event until it is acknowledged: over HTTP, through the socket, and by `weft emit`.

use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use weft_log::log::Durability;
use weft_server::socket::answer::{Failure, Fate};
use weft_server::socket::client::{Client, ClientError};
use weft_server::socket::request::{Append, Sent};

use super::Storm;
use super::event::Event;
use super::http::{Ask, Connection};
use crate::draw::Draw;
use crate::scene::{feed, shown};

/// How long an answer of the socket may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Events that were acknowledged, each with the position if one was told.
pub(crate) type Acknowledged = Vec<(Event, Option<u64>)>;

/// Sends over HTTP, one event or several at a time.
pub(crate) fn post(storm: &Storm, producer: u64) -> Acknowledged {
    let mut draw = Draw::new(storm.seed, producer);
    let mut connection = None;
    let mut acknowledged = Acknowledged::new();
    while storm.goes_on(producer, &acknowledged) {
        let events = next(producer, &acknowledged, 1 + draw.below(20) * draw.below(2));
        let lines: Vec<String> = events.iter().map(|event| event.line()).collect();
        let (kind, body) = match (&lines[..], draw.below(2)) {
            ([only], _) => ("application/json", only.clone()),
            (lines, 0) => ("application/json", format!("[{}]", lines.join(","))),
            (lines, _) => ("application/x-ndjson", lines.join("\n")),
        };
        let key = format!("{producer}-{}", events[0].number);
        let headers = [("content-type", kind), ("idempotency-key", &*key)];
        let ask = Ask { method: "POST", target: "/v1/events", headers: &headers, body: &body };
        let answer = loop {
            match try_post(storm, &mut connection, &ask) {
                Ok((202, answer)) => break answer,
                Ok((status, answer)) => assert!(matches!(status, 429 | 503), "{status} {answer}"),
                Err(_hung_up) => connection = None,
            }
        };
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let results = match answer.get("results") {
            Some(results) => results.as_array().unwrap().clone(),
            None => vec![answer],
        };
        assert_eq!(results.len(), events.len());
        for (event, result) in events.into_iter().zip(&results) {
            assert_eq!(result["accepted"], true, "{result}");
            acknowledged.push((event, Some(result["position"].as_u64().unwrap())));
        }
    }
    acknowledged
}

fn try_post(
    storm: &Storm,
    connection: &mut Option<Connection>,
    ask: &Ask<'_>,
) -> io::Result<(u16, String)> {
    let open = match connection {
        Some(open) => open,
        None => connection.insert(Connection::open(&storm.board.place().http)?),
    };
    open.ask(ask)
}

/// Returns the events of a producer that come next.
fn next(producer: u64, acknowledged: &Acknowledged, n: u64) -> Vec<Event> {
    let last = acknowledged.len() as u64;
    (last + 1..=last + n.max(1)).map(|number| Event { producer, number }).collect()
}

/// Sends through the socket.
pub(crate) fn send(storm: &Storm, producer: u64) -> Acknowledged {
    let mut draw = Draw::new(storm.seed, producer);
    let mut client = None;
    let mut acknowledged = Acknowledged::new();
    while storm.goes_on(producer, &acknowledged) {
        let events = next(producer, &acknowledged, 1 + draw.below(5));
        let lines: Vec<String> = events.iter().map(|event| event.line()).collect();
        let delivery = |event: &Event| Cow::Owned(format!("id:{producer}-{}", event.number));
        let sent = events.iter().zip(&lines).map(|(event, line)| Sent {
            delivery: Some(delivery(event)),
            ..Sent::plain(line.as_bytes())
        });
        let (patience, conditions) = (None, Vec::new());
        let (via, durability, events_sent) = ("socket".into(), Durability::Synced, sent.collect());
        let append = Append { via, durability, patience, conditions, events: events_sent };
        let fates = loop {
            match try_send(storm, &mut client, &append) {
                Ok(fates) => break fates,
                Err(ClientError::Failed(Failure::Later { .. })) => {}
                Err(ClientError::Failed(failure)) => panic!("{failure}"),
                Err(_hung_up) => client = None,
            }
        };
        for (event, fate) in events.into_iter().zip(fates) {
            let Fate::Kept { outcome, .. } = fate else { panic!("{event:?}: {fate:?}") };
            acknowledged.push((event, Some(outcome.position().get())));
        }
    }
    acknowledged
}

fn try_send(
    storm: &Storm,
    client: &mut Option<Client>,
    append: &Append<'_>,
) -> Result<Vec<Fate>, ClientError> {
    let open = match client {
        Some(open) => open,
        None => {
            let place = storm.board.place();
            client.insert(Client::connect(Path::new(&place.socket), PATIENCE)?)
        }
    };
    Ok(open.append(append)?.fates)
}

/// Emits by the command, which goes on by itself where no server runs.
pub(crate) fn emit(storm: &Storm, producer: u64) -> Acknowledged {
    let mut acknowledged = Acknowledged::new();
    while storm.goes_on(producer, &acknowledged) {
        let event = next(producer, &acknowledged, 1).remove(0);
        let id = format!("{producer}-{}", event.number);
        let mut command = storm.scene.weft(&["emit", "--json", "--id", &id]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        feed(&mut child, event.line().into_bytes());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", shown(&output));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        acknowledged.push((event, answer["position"].as_u64()));
    }
    acknowledged
}

//! CloudEvents on the same address: the event inside is stored.

use insta::assert_snapshot;

use crate::post::{DECISION, DONE, claimed};
use crate::server::Server;

const STRUCTURED: &str = "application/cloudevents+json";
const BATCH: &str = "application/cloudevents-batch+json; charset=utf-8";

/// Returns a CloudEvent with this id and these members.
fn cloud(id: &str, members: &str) -> String {
    format!(r#"{{"specversion":"1.0","id":"{id}","source":"urn:test","type":"t"{members}}}"#)
}

#[test]
fn the_event_inside_is_stored_in_its_own_bytes() {
    let server = Server::start();
    let mut client = server.client();
    let spaced = claimed(1).replace(":1,", ":  1,\n");
    let answer = client.post_as(STRUCTURED, cloud("1", &format!(r#","data":{spaced}"#)));
    assert_snapshot!(answer.shown(), @r#"202 {"accepted":true,"event_id":null,"position":1}"#);
    let answer = client.post_as(STRUCTURED, cloud("2", &format!(r#","data":{DECISION}"#)));
    assert_snapshot!(answer.shown(), @r#"202 {"accepted":true,"event_id":"0b9f4c1e-52f3-4a87-9d55-0c7a4c4f6f10","position":2}"#);
    assert_eq!(
        server.stored(),
        [
            format!("cloudevents needle: {}", spaced.replace('\n', " ")),
            format!("cloudevents collector: {DECISION}"),
        ]
    );
}

#[test]
fn source_and_id_tell_a_repeat_of_what_has_no_identity() {
    let server = Server::start();
    let mut client = server.client();
    let first = cloud("1", &format!(r#","data":{DONE}"#));
    assert_eq!(client.post_as(STRUCTURED, &first).json()["position"], 1);
    assert_eq!(client.post_as(STRUCTURED, &first).json()["repeat"], true);
    assert_eq!(
        client.post_as(STRUCTURED, first.replace("urn:test", "urn:b")).json()["position"],
        2
    );
    assert_eq!(client.post_as(STRUCTURED, first.replace("\"1\",", "\"2\",")).json()["position"], 3);
}

#[test]
fn a_batch_is_answered_one_by_one() {
    let server = Server::start();
    let mut client = server.client();
    let batch = format!(
        "[{},\n{},{},7]",
        cloud("1", &format!(r#","data":{}"#, claimed(1))),
        cloud("", ""),
        cloud("3", r#","data":{"schema":0,"event":"STATES","stack":[]}"#),
    );
    assert_snapshot!(client.post_as(BATCH, batch).shown(), @r#"202 {"accepted":1,"refused":3,"results":[{"accepted":true,"event_id":null,"index":0,"position":1},{"accepted":false,"index":1,"rejected":"…","violations":[{"code":"length","message":"must not be empty","pointer":"/id"}]},{"accepted":false,"index":2,"rejected":"…","violations":[{"code":"enum","message":"`STATES` is not one of STATE, DONE, ABORT, ANCHOR, REQUEST, ACK, RESULT; did you mean `STATE`?","pointer":"/event"}]},{"accepted":false,"index":3,"rejected":"…","violations":[{"code":"not_an_object","message":"a CloudEvent is an object, not number","pointer":""}]}]}"#);
    assert_snapshot!(client.post_as(BATCH, "[]").shown(), @r#"202 {"accepted":0,"refused":0,"results":[]}"#);
    assert_snapshot!(client.post_as(BATCH, "{}").shown(), @r#"400 {"accepted":false,"error":{"code":"refused","message":"no event was accepted: see the violations"},"rejected":"…","violations":[{"code":"type","message":"a batch is an array, not object","pointer":""}]}"#);
    let kept = server.rejected();
    let shown: Vec<String> = kept
        .iter()
        .map(|kept| {
            let bytes = match &kept.bytes {
                weft_log::rejected::KeptBytes::Here(bytes) => String::from_utf8_lossy(bytes),
                weft_log::rejected::KeptBytes::File { .. } => "…".into(),
            };
            let index = kept.origin.rsplit_once('#').expect("an index").1;
            format!("{} #{index} {bytes}", kept.via)
        })
        .collect();
    assert_snapshot!(shown.join("\n"), @r#"
    cloudevents #1 {"specversion":"1.0","id":"","source":"urn:test","type":"t"}
    cloudevents #2 {"schema":0,"event":"STATES","stack":[]}
    cloudevents #3 7
    cloudevents #0 {}
    "#);
}

#[test]
fn headers_and_body_are_one_event_too() {
    let server = Server::start();
    let mut client = server.client();
    let mut send = |id: &str, kind: &str, body: &[u8]| {
        let request = client
            .request("POST", "/v1/events")
            .header("ce-specversion", "1.0")
            .header("ce-id", id)
            .header("ce-source", "urn:%C3%A9")
            .header("ce-type", "t");
        let request = if kind.is_empty() { request } else { request.header("content-type", kind) };
        request.send(body).shown()
    };
    assert_snapshot!(send("1", "application/json", DONE.as_bytes()), @r#"202 {"accepted":true,"event_id":null,"position":1}"#);
    assert_snapshot!(send("1", "application/json", DONE.as_bytes()), @r#"202 {"accepted":true,"event_id":null,"position":1,"repeat":true}"#);
    assert_snapshot!(send("2", "", DONE.as_bytes()), @r#"202 {"accepted":true,"event_id":null,"position":2}"#);
    assert_snapshot!(send("3", "application/vnd.x+json", b"{\"half\":"), @r#"400 {"accepted":false,"error":{"code":"refused","message":"no event was accepted: see the violations"},"rejected":"…","violations":[{"code":"json","message":"not JSON: the line ends inside a value at column 9","pointer":""}]}"#);
    assert_snapshot!(send("", "application/json", DONE.as_bytes()), @r#"400 {"accepted":false,"error":{"code":"refused","message":"no event was accepted: see the violations"},"rejected":"…","violations":[{"code":"length","message":"must not be empty","pointer":"/id"}]}"#);
    let structured = cloud("1", &format!(r#","data":{DONE}"#)).replace("urn:test", "urn:é");
    assert_eq!(client.post_as(STRUCTURED, structured).json()["repeat"], true, "the same event");
}

#[test]
fn headers_that_lack_an_attribute_are_refused() {
    let server = Server::start();
    let mut client = server.client();
    let answer = client.request("POST", "/v1/events").header("ce-id", "1").send(DONE.as_bytes());
    assert_snapshot!(answer.shown(), @r#"400 {"accepted":false,"error":{"code":"refused","message":"no event was accepted: see the violations"},"rejected":"…","violations":[{"code":"missing","message":"`specversion` is missing","pointer":"/specversion"},{"code":"missing","message":"`source` is missing","pointer":"/source"},{"code":"missing","message":"`type` is missing","pointer":"/type"}]}"#);
    assert!(server.stored().is_empty());
}

#[test]
fn what_holds_no_event_is_made_one() {
    let server = Server::start();
    let mut client = server.client();
    let foreign =
        cloud("41", r#","time":"2026-11-15T10:00:01Z","subject":"box 7","data":{"lid":"open"}"#);
    assert_eq!(client.post_as(STRUCTURED, &foreign).json()["position"], 1);
    assert_eq!(client.post_as(STRUCTURED, &foreign).json()["repeat"], true);
    let timeless = cloud("42", "");
    assert_eq!(client.post_as(STRUCTURED, &timeless).json()["position"], 2);
    assert_eq!(client.post_as(STRUCTURED, &timeless).json()["repeat"], true);
    let request = client
        .request("POST", "/v1/events")
        .header("ce-specversion", "1.0")
        .header("ce-id", "43")
        .header("ce-source", "urn:camera")
        .header("ce-type", "shot")
        .header("ce-time", "2026-11-15T10:00:01Z")
        .header("content-type", "image/png");
    assert_eq!(request.send(&[0x89, b'P', 0xff]).json()["position"], 3);
    let stored = server.stored();
    assert_snapshot!(stored[0], @r#"cloudevents collector: {"version":"1.0.0","event_type":"activity.progress","timestamp":"2026-11-15T10:00:01Z","agent_id":"urn:test","event_id":"1e2e7b90-5be9-8764-a287-021c504bd7e1","message":"t box 7","metadata":{"weft":{"dialect":"cloudevents","type":"t","event":{"specversion":"1.0","id":"41","source":"urn:test","type":"t","time":"2026-11-15T10:00:01Z","subject":"box 7","data":{"lid":"open"}}}}}"#);
    assert!(
        stored[1].starts_with("cloudevents collector: ") && !stored[1].contains("\"event_id\"")
    );
    assert!(stored[2].contains(r#""data_base64":"iVD/""#), "{}", stored[2]);
    let answer = client.request("POST", "/v1/events?dialect=needle");
    let answer = answer.header("content-type", STRUCTURED).send(foreign.as_bytes());
    assert_snapshot!(answer.shown(), @r#"400 {"accepted":false,"error":{"code":"refused","message":"no event was accepted: see the violations"},"rejected":"…","violations":[{"code":"missing","message":"`timestamp` is missing","pointer":"/timestamp"},{"code":"missing","message":"`event_type` is missing","pointer":"/event_type"},{"code":"missing","message":"`worker_id` is missing","pointer":"/worker_id"},{"code":"missing","message":"`session_id` is missing","pointer":"/session_id"},{"code":"missing","message":"`sequence` is missing","pointer":"/sequence"},{"code":"missing","message":"`data` is missing","pointer":"/data"}]}"#);
}

#[test]
fn data_may_be_base64() {
    let server = Server::start();
    let mut client = server.client();
    // The text of an event that ends a loop.
    let data = "eyJzY2hlbWEiOjAsImV2ZW50IjoiRE9ORSIsInJlYXNvbiI6IkNPTVBMRVRFIiwic3RhY2siOltdfQ==";
    let answer = client.post_as(STRUCTURED, cloud("1", &format!(r#","data_base64":"{data}""#)));
    assert_eq!(answer.json()["position"], 1);
    assert_eq!(server.stored(), [format!("cloudevents idle: {DONE}")]);
    let both = cloud("2", &format!(r#","data":1,"data_base64":"{data}""#));
    assert_eq!(client.post_as(STRUCTURED, both).status, 400);
}

#[test]
fn what_is_no_cloudevent_is_refused() {
    let server = Server::start();
    let mut client = server.client();
    for body in
        ["not json", "[]", "7", DONE, r#"{"specversion":"0.3","id":"1","source":"a","type":"t"}"#]
    {
        assert_eq!(client.post_as(STRUCTURED, body).status, 400, "{body}");
    }
    assert_eq!(client.post_as(STRUCTURED, "").failure(), (400, "empty_body".to_owned()));
    assert_eq!(client.post_as(BATCH, " ").failure(), (400, "empty_body".to_owned()));
    assert_eq!(server.rejected().len(), 5);
}

#[test]
fn an_event_that_was_written_as_a_cloudevent_comes_back() {
    use weft_event::event::{self, Expect};
    use weft_event::translate::{Fill, Numbering, Target, translate};
    let server = Server::start();
    let mut client = server.client();
    let samples: Vec<String> = weft_event::sample::events(3)
        .filter(|line| !line.starts_with("{\"weft\":"))
        .take(300)
        .collect();
    // Two equal events without an identity are two by their numbers alone.
    let mut numbering = Numbering::new();
    let written: Vec<String> = samples
        .iter()
        .map(|line| {
            let mut tape = weft_event::json::Tape::new();
            let mut problems = weft_event::problem::Problems::new();
            let event = event::read(&mut tape, line.as_bytes(), Expect::Any, &mut problems);
            let event = event.expect("a sample is an event");
            let fill = Fill::default();
            let translated = translate(&event, Target::CloudEvents, &fill, &mut numbering);
            translated.expect("every event can be one").line
        })
        .collect();
    let answer = client.post_as(BATCH, format!("[{}]", written.join(",")));
    assert_eq!(answer.json()["accepted"], 300, "{}", answer.text());
    let stored: Vec<String> = server
        .stored()
        .iter()
        .map(|line| line.split_once(": ").expect("via and dialect").1.to_owned())
        .collect();
    assert_eq!(stored, samples);
}

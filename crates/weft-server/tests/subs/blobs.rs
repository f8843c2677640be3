//! Values that were too large for their events: put back for who asks for it, byte for byte, and never in the way of a delivery.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use weft_log::blobs::{BlobRef, Blobs};
use weft_server::limits::SubscriptionLimits;
use weft_server::subs::definition::{self, Request, Retry};
use weft_server::subs::webhook::sign::signature;

use crate::command::request;
use crate::receiver::{Answer, Got, Receiver};
use crate::server::{Disk, Server, events, eventually};
use crate::webhook::{QUICK, subscribe};

/// Returns an event of a session with values of these lengths under `v0`, `v1` and so on, escaped as no writer of ours would.
fn large(session: &str, idx: usize, lengths: &[usize]) -> String {
    let piece = format!(r#"a\u0041\/é\n{idx} "#);
    let value = |(n, bytes): (usize, &usize)| {
        format!(r#""v{n}": "{}""#, format!("{n}{piece}").repeat(bytes / (piece.len() + 1)))
    };
    let values: Vec<_> = lengths.iter().enumerate().map(value).collect();
    let event = events(&[session], idx, 1).remove(0);
    event.replace(r#""data":{}"#, &format!(r#""data": {{ {} }}"#, values.join(" , ")))
}

/// Returns a definition's members for a subscriber that wants values.
fn wanting(retry: &str) -> String {
    format!(r#""blobs":true,{retry}"#)
}

/// Returns where the value is that stands under a name in the data of an event.
fn place(disk: &Disk, server: &Server, position: u64, name: &str) -> PathBuf {
    let (_, record) = server.get(&format!("/v1/events/{position}"));
    let text = record["event"]["data"][name].as_str().expect("a text");
    let reference = BlobRef::parse(text).expect("it was moved");
    Blobs::new(disk.store().blobs()).path_of(&reference.hash)
}

/// Returns the event as it stands in a record.
fn event_of(record: &str) -> &str {
    let (_, event) = record.split_once(r#","event":"#).expect("a record has its event last");
    event.strip_suffix('}').expect("it is closed")
}

fn is_reference(value: &Value) -> bool {
    value.as_str().is_some_and(|text| BlobRef::parse(text).is_some())
}

#[test]
fn a_webhook_gets_what_was_sent_in_every_try_and_signed() {
    let receiver = Receiver::start(|got| match got.attempt() {
        1 => Answer::Status(500),
        _ => Answer::Status(200),
    });
    let disk = Disk::new();
    let server = disk.start();
    let secret = subscribe(&server, "mine", &receiver.url(), &wanting(QUICK));
    let line = large("s", 0, &[1_500_000, 700_000]);
    let position = server.append(std::slice::from_ref(&line));
    assert!(place(&disk, &server, position, "v0").exists());
    for attempt in 1..=2 {
        let got = receiver.next();
        assert_eq!((got.attempt(), got.position()), (attempt, position));
        assert!(event_of(&got.body) == line, "byte for byte");
        assert_eq!(got.header("weft-blobs-left"), "");
        let timestamp = got.header("weft-timestamp").parse().expect("a time");
        let signed = signature(&secret, timestamp, got.body.as_bytes());
        assert_eq!(got.header("weft-signature"), signed);
    }
    let (_, shown) = server.get("/v1/subscriptions/mine");
    assert_eq!(shown["blobs"], true);
    server.stop();
}

#[test]
fn who_does_not_ask_for_values_gets_their_references() {
    let (disk, receiver) = (Disk::new(), Receiver::start(|_| Answer::Status(200)));
    let server = disk.start();
    subscribe(&server, "mine", &receiver.url(), &format!(r#""blobs":false,{QUICK}"#));
    server.append(&[large("s", 0, &[1_500_000])]);
    let got = receiver.next();
    assert!(is_reference(&got.record["event"]["data"]["v0"]), "{}", got.body);
    assert_eq!(got.header("weft-blobs-left"), "");
    let (_, shown) = server.get("/v1/subscriptions/mine");
    assert_eq!(shown.get("blobs"), None);
    server.stop();
}

#[test]
fn a_value_that_is_gone_or_damaged_leaves_its_reference_and_holds_nothing_up() {
    let (disk, receiver) = (Disk::new(), Receiver::start(|_| Answer::Status(200)));
    let server = disk.start();
    let one = server.append(&[large("s", 0, &[1_500_000, 1_200_000])]);
    let both = server.append(&[large("s", 1, &[1_500_000, 1_200_000])]);
    let whole = server.append(&[large("s", 2, &[1_500_000])]);
    fs::remove_file(place(&disk, &server, one, "v0")).expect("it is there");
    fs::remove_file(place(&disk, &server, both, "v0")).expect("it is there");
    fs::write(place(&disk, &server, both, "v1"), "damaged").expect("it can be written");
    subscribe(&server, "mine", &receiver.url(), &wanting(QUICK));
    for (position, left, is_left) in
        [(one, "1", [true, false]), (both, "2", [true, true]), (whole, "", [false, false])]
    {
        let got = receiver.next();
        assert_eq!((got.position(), got.attempt()), (position, 1));
        assert_eq!(got.header("weft-blobs-left"), left);
        let data = &got.record["event"]["data"];
        assert_eq!(["v0", "v1"].map(|name| is_reference(&data[name])), is_left);
    }
    server.stop();
    let books = disk.books();
    let entry = books.get("mine").expect("it is there");
    assert_eq!((entry.progress.n_delivered, entry.dead.len()), (3, 0));
}

#[test]
fn a_command_gets_what_was_sent_on_its_input() {
    let disk = Disk::new();
    let server = disk.start();
    let lines = [large("s", 0, &[1_500_000]), large("s", 1, &[1_500_000])];
    let last = server.append(&lines);
    fs::remove_file(place(&disk, &server, last, "v0")).expect("it is there");
    let script = r#"echo "${WEFT_BLOBS_LEFT-none}" > "$1/left$WEFT_POSITION"
        cat > "$1/part" && mv "$1/part" "$1/record$WEFT_POSITION""#;
    let wanted = request(script, &disk.path(), Retry::default());
    server.subscribe(Request { blobs: definition::Blobs::Restored, ..wanted });
    let given = [last - 1, last].map(|position| {
        let record = disk.path().join(format!("record{position}"));
        let record = eventually("it is given", || fs::read_to_string(&record).ok());
        let left = fs::read_to_string(disk.path().join(format!("left{position}")));
        (record, left.expect("it was written before"))
    });
    let [(whole, none), (referred, left)] = given;
    assert!(event_of(whole.trim_end_matches('\n')) == lines[0], "byte for byte");
    assert_eq!((&*none, &*left), ("none\n", "1\n"));
    let record: Value = serde_json::from_str(&referred).expect("a record");
    assert!(is_reference(&record["event"]["data"]["v0"]));
    server.stop();
}

#[test]
fn an_otlp_endpoint_gets_what_was_sent_as_the_event_of_its_record() {
    let (disk, receiver) = (Disk::new(), Receiver::start(|_| Answer::Status(200)));
    let server = disk.start();
    let lines = [large("s", 0, &[1_500_000]), large("s", 1, &[1_500_000])];
    let last = server.append(&lines);
    fs::remove_file(place(&disk, &server, last, "v0")).expect("it is there");
    let body =
        json!({"name":"mine","from":"start","kind":"otlp","blobs":true,"url":receiver.url()});
    assert_eq!(server.post("/v1/subscriptions", &body.to_string()).0, 201);
    let event = |got: &Got| {
        let record = &got.record["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0];
        let attributes = record["attributes"].as_array().expect("attributes").iter();
        let mut events = attributes.filter(|attribute| attribute["key"] == "weft.event");
        let event = events.next().expect("the event is there");
        event["value"]["stringValue"].as_str().expect("a text").to_owned()
    };
    let whole = receiver.next();
    assert!(event(&whole) == lines[0], "byte for byte");
    assert_eq!(whole.header("weft-blobs-left"), "");
    let referred = receiver.next();
    let referred_event: Value = serde_json::from_str(&event(&referred)).expect("an event");
    assert!(is_reference(&referred_event["data"]["v0"]));
    assert_eq!(referred.header("weft-blobs-left"), "1");
    server.stop();
}

#[test]
fn events_are_lent_with_their_values_and_no_more_at_once_than_may_be() {
    let disk = Disk::new();
    let server = disk.start();
    let lines: Vec<_> = (0..5).map(|idx| large("s", idx, &[3_000_000])).collect();
    let last = server.append(&lines);
    fs::remove_file(place(&disk, &server, last, "v0")).expect("it is there");
    for (name, blobs) in [("values", true), ("references", false)] {
        let body = json!({"name":name,"from":"start","kind":"pull","blobs":blobs});
        assert_eq!(server.post("/v1/subscriptions", &body.to_string()).0, 201);
    }
    let take = |name: &str| {
        let (status, lent) = server.get(&format!("/v1/subscriptions/{name}/events?wait=60"));
        assert_eq!(status, 200, "{lent}");
        lent
    };
    let mut given = Vec::new();
    for n_events in [2, 2, 1] {
        let lent = take("values");
        let events = lent["events"].as_array().expect("events");
        assert_eq!(events.len(), n_events, "3 MB each, and 4 MiB and one event more at a time");
        given.extend(events.iter().cloned());
        let report = json!({"lease":lent["lease"],"upto":last});
        assert_eq!(server.post("/v1/subscriptions/values/ack", &report.to_string()).0, 200);
    }
    for (event, line) in given.iter().zip(&lines[..4]) {
        let sent: Value = serde_json::from_str(line).expect("an event");
        assert!(event["record"]["event"] == sent, "as it was sent");
        assert_eq!(event.get("blobs_left"), None);
    }
    assert!(is_reference(&given[4]["record"]["event"]["data"]["v0"]));
    assert_eq!(given[4]["blobs_left"], 1);
    assert_eq!(take("references")["events"].as_array().expect("events").len(), 5);
    server.stop();
}

#[test]
fn one_that_waits_for_room_holds_nothing_small_up_and_is_no_try() {
    let receiver = Receiver::start(|got| match (got.header("weft-subscription"), got.session()) {
        ("first", "large") => Answer::Hang,
        _ => Answer::Status(200),
    });
    let limits = SubscriptionLimits { restored_bytes_max: 1 << 10, ..Default::default() };
    let disk = Disk::new();
    let server = disk.start_with(limits);
    let retry = |timeout_ms: u64| {
        wanting(&format!(r#""retry":{{"timeout_ms":{timeout_ms},"attempts_max":1}}"#))
    };
    let large = server.append(&[large("large", 0, &[1_500_000])]);
    subscribe(&server, "first", &receiver.url(), &retry(3000));
    assert_eq!(receiver.next().position(), large);
    let begun = Instant::now();
    subscribe(&server, "second", &receiver.url(), &retry(1000));
    let small = server.append(&events(&["small"], 1, 1));
    let mut next_of_second = std::iter::repeat_with(|| receiver.next())
        .filter(|got| got.header("weft-subscription") == "second");
    let got = next_of_second.next().expect("there is one");
    assert_eq!(got.position(), small, "what needs no room goes by");
    let got = next_of_second.next().expect("there is one");
    assert_eq!((got.position(), got.attempt()), (large, 1), "waiting is no try");
    assert!(begun.elapsed() >= Duration::from_millis(1500), "it waited longer than a try may take");
    assert!(!is_reference(&got.record["event"]["data"]["v0"]), "and is alone in all the room");
    server.stop();
}

#[test]
fn a_lease_begins_when_there_is_room_for_what_is_lent() {
    let receiver = Receiver::start(|_| Answer::Hang);
    let limits = SubscriptionLimits { restored_bytes_max: 1 << 10, ..Default::default() };
    let disk = Disk::new();
    let server = disk.start_with(limits);
    let position = server.append(&[large("s", 0, &[1_500_000])]);
    let retry = r#""retry":{"timeout_ms":3000,"attempts_max":1}"#;
    subscribe(&server, "first", &receiver.url(), &wanting(retry));
    assert_eq!(receiver.next().position(), position);
    let begun = Instant::now();
    let body = json!({"name":"second","from":"start","kind":"pull","blobs":true,"retry":{"timeout_ms":1500}});
    assert_eq!(server.post("/v1/subscriptions", &body.to_string()).0, 201);
    let (status, lent) = server.get("/v1/subscriptions/second/events?wait=60");
    assert!(begun.elapsed() >= Duration::from_millis(2000), "it waited longer than a lease lasts");
    assert_eq!((status, &lent["events"][0]["attempt"]), (200, &json!(1)));
    let report = json!({"lease":lent["lease"],"positions":[position]});
    let (status, answer) = server.post("/v1/subscriptions/second/ack", &report.to_string());
    assert_eq!((status, &answer["acknowledged"]), (200, &json!(1)));
    server.stop();
}

//! Requests come out as they went in, and whatever else comes is refused with words.

use super::*;
use crate::socket::frame::Decoder;

fn frame(bytes: &[u8]) -> Frame {
    let mut decoder = Decoder::default();
    decoder.feed(bytes);
    decoder.take().unwrap().unwrap()
}

fn there_and_back(request: &Request<'_>) {
    let mut bytes = Vec::new();
    request.encode(&mut bytes).unwrap();
    let frame = frame(&bytes);
    assert_eq!(Request::decode(&mut Tape::new(), &frame).as_ref(), Ok(request));
}

fn refused(header: &str, body: &[u8]) -> String {
    let mut bytes = Vec::new();
    frame::encode(header, body, &mut bytes).unwrap();
    let frame = frame(&bytes);
    Request::decode(&mut Tape::new(), &frame).unwrap_err().what
}

#[test]
fn requests_come_out_as_they_went_in() {
    let at = |n| Position::new(n).unwrap();
    let topic = TopicKey { topic: "plan \"a\"".to_owned(), key: Some(String::new()) };
    let plain = Append {
        via: "emit".into(),
        durability: Durability::Written,
        patience: Some(Duration::from_millis(200)),
        conditions: vec![Condition { topic: topic.clone(), last: None }],
        events: vec![Sent::plain(b"{}"), Sent::plain(b"[]")],
    };
    let full = Sent {
        line: b"{\"a\":\"\\n\"}",
        via: Some("hook".into()),
        dialect: Some(Dialect::Idle),
        delivery: Some("id:1".into()),
        topic: Some(Cow::Owned(topic.clone())),
    };
    let described = Append {
        conditions: vec![Condition { topic, last: Some(at(7)) }],
        events: vec![Sent::plain(b"{}"), full],
        patience: None,
        ..plain.clone()
    };
    let none = Append { events: Vec::new(), ..described.clone() };
    for append in [plain, described, none] {
        there_and_back(&Request::Append(append));
    }
    let filter = "type=x* \"y\"".to_owned();
    there_and_back(&Request::Page(PageAsk {
        filter: filter.clone(),
        scope: Scope::Everything,
        range: at(3)..=at(u64::MAX),
        order: Order::Descending,
        limit: 10,
    }));
    there_and_back(&Request::Loop(LoopAsk { session_id: "s \"1\"".to_owned(), now_ns: -1 }));
    there_and_back(&Request::Tail(TailAsk { filter, scope: Scope::Events, from: at(9) }));
    for request in [Request::Get(at(1)), Request::Settle, Request::Status, Request::Stop] {
        there_and_back(&request);
    }
}

#[test]
fn what_is_no_request_is_told() {
    insta::assert_snapshot!([
        refused("{}", b""),
        refused("nonsense", b""),
        refused(r#"{"fly":{}}"#, b""),
        refused(r#"{"get":0}"#, b""),
        refused(r#"{"page":{}}"#, b""),
        refused(r#"{"tail":{}}"#, b""),
        refused(r#"{"append":{"durability":"soon"}}"#, b""),
        refused(r#"{"append":{"events":[{}]}}"#, b"{}\n{}\n"),
        refused(r#"{"append":{"events":[{},{}]}}"#, b"{}\n"),
        refused(r#"{"append":{"events":[{"dialect":"latin"}]}}"#, b"{}\n"),
        refused(r#"{"append":{"conditions":[{}]}}"#, b""),
        refused(r#"{"get":1,"get":2}"#, b""),
    ].join("\n"), @"
    an empty header
    the header: unexpected character at byte 0
    no request is named `fly`
    0 is no position
    no `limit`
    no `from`
    no durability is `soon`
    more lines than `events`
    fewer lines than `events`
    no dialect is `latin`
    a condition has no topic
    the header has a key twice
    ");
}

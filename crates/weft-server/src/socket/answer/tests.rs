//! Answers come out as they went in.

use super::*;
use crate::socket::frame::Decoder;
use weft_event::Dialect;
use weft_log::{Carried, Mark, Meta};

fn there_and_back(answer: &Answer) {
    let mut bytes = Vec::new();
    answer.encode(&mut bytes).unwrap();
    let mut decoder = Decoder::default();
    decoder.feed(&bytes);
    let back = Answer::decode(&decoder.take().unwrap().unwrap()).unwrap();
    assert_eq!(format!("{back:?}"), format!("{answer:?}"));
}

#[test]
fn answers_come_out_as_they_went_in() {
    let at = |n| Position::new(n).unwrap();
    let topic = TopicKey { topic: "plan".to_owned(), key: Some("k".to_owned()) };
    let reason = Reason { code: "range".into(), path: "/a".into(), message: "\"no\"".into() };
    let kept = |outcome, warnings| Fate::Kept { outcome, warnings };
    there_and_back(&Answer::Appended(Appended {
        fates: vec![
            kept(Outcome::Stored { position: at(1), conflict: None }, vec![reason.clone()]),
            kept(Outcome::Stored { position: at(2), conflict: Some(at(1)) }, Vec::new()),
            kept(Outcome::Repeat { position: at(2) }, Vec::new()),
            Fate::Refused { id: "0123".into(), reasons: vec![reason] },
        ],
        durability: Durability::Synced,
    }));
    let mark = Mark {
        dialect: Dialect::Needle,
        via: "http".into(),
        crc: u32::MAX,
        delivery: Some("id:x".into()),
        topic: Some(topic.clone()),
        carried: Some(Carried { position: at(3), at_us: -1 }),
        conflict: Some(at(4)),
    };
    let found = |mark, line: &[u8]| Found {
        meta: Meta { position: at(9), at_us: Some(17), mark },
        line: line.to_vec(),
    };
    let records = vec![found(Some(mark), b"{\"a\":1}"), found(None, b"\xff")];
    let lost = vec![(at(5), at(6))];
    there_and_back(&Answer::Records(Page { records: records.clone(), lost, next: Some(at(11)) }));
    there_and_back(&Answer::Records(Page::default()));
    let since = Since { upto: 7, records: records.clone() };
    let said = Some(vec![records[0].clone()]);
    for (own, said, plan) in [
        (records.first().cloned(), said, Some(since)),
        (None, Some(Vec::new()), None),
        (None, None, None),
    ] {
        let unclaimed = records.last().cloned();
        there_and_back(&Answer::Loop(Box::new(Briefing { last: 9, own, unclaimed, said, plan })));
    }
    there_and_back(&Answer::Record(records.into_iter().next()));
    there_and_back(&Answer::Record(None));
    there_and_back(&Answer::Status("{\"a\":[1,2]}".into()));
    there_and_back(&Answer::Settled);
    there_and_back(&Answer::Stopping);
    for actual in [None, Some(at(8))] {
        there_and_back(&Answer::Failed(Failure::Condition { topic: topic.clone(), actual }));
    }
    let message = "why".to_owned();
    there_and_back(&Answer::Failed(Failure::Later { message: message.clone() }));
    there_and_back(&Answer::Failed(Failure::Store { message: message.clone() }));
    there_and_back(&Answer::Failed(Failure::Request { message }));
}

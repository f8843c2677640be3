//! What is read is what was posted, wherever the index stands.

use proptest::prelude::*;
use weft_event::Dialect;
use weft_event::event::Expect;
use weft_log::admit::{Arrival, Gate, Strictness};
use weft_log::blobs::Which;
use weft_log::disk::RealDisk;
use weft_log::follow::Follow;
use weft_log::index::Index;
use weft_log::writer::Writer;
use weft_log::{Network, Store, TopicKey};

use super::*;
use crate::topics::{Known, find, list};

const TOPICS: [&str; 3] = ["agent:a", "tasks", "weft:topic"];
const KEYS: [Option<&str>; 3] = [None, Some("k"), Some("")];

/// What is posted: a topic, a key, and whether the index is brought up to date behind it.
type Step = (usize, usize, bool);

/// Writes a log in which the index has followed to some place; returns it with what was posted, by position.
fn log(steps: &[Step]) -> (tempfile::TempDir, Records, Vec<TopicKey>) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::make(folder.path(), Network::Refuse).expect("a store");
    let mut writer = Writer::open(RealDisk, store.root().to_owned(), 1).expect("a log").0;
    let mut gate = Gate::new(&store, Which::Largest, Strictness::Lenient);
    let mut marks = Vec::new();
    for (n, (topic, key, is_indexed)) in steps.iter().enumerate() {
        let mark =
            TopicKey { topic: TOPICS[*topic].to_owned(), key: KEYS[*key].map(str::to_owned) };
        let line = format!(
            r#"{{"type":"message","id":"m-{n}","topic_id":"x","parent_id":null,"body":"b","created_at":{n}}}"#
        );
        let (line, expect) = (line.as_bytes(), Expect::Dialect(Dialect::Idle));
        let arrival = Arrival { line, expect, via: "test", delivery: None, topic: Some(&mark) };
        let entry = gate.admit(&arrival).expect("a message").entry;
        writer.append(&[entry], n as i64 + 2).expect("it is written");
        marks.push(mark);
        if *is_indexed {
            let head = weft_log::reader::read_head(&RealDisk, store.root()).expect("a head");
            let index = Index::open(&store.index(), &head.store).expect("an index");
            let mut follow = Follow::new(store.clone(), index);
            follow.catch_up(Follower::Core, &mut |_| {}).expect("it follows");
        }
    }
    drop(writer);
    let records = Records::open(store).expect("it can be read");
    (folder, records, marks)
}

fn positions(found: &[Found]) -> Vec<u64> {
    found.iter().map(|found| found.meta.position.get()).collect()
}

/// Returns the positions of what was posted to a topic, the newest first, with their keys.
fn posted<'m>(marks: &'m [TopicKey], topic: &str) -> Vec<(u64, Option<&'m str>)> {
    let all = marks.iter().enumerate().rev().filter(|(_, mark)| mark.topic == topic);
    all.map(|(idx, mark)| (idx as u64 + 1, mark.key.as_deref())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_read_is_exact_wherever_the_index_stands(
        steps in prop::collection::vec((0..TOPICS.len(), 0..KEYS.len(), prop::bool::weighted(0.15)), 1..20),
        limit in 1_usize..6,
    ) {
        let (_folder, mut records, marks) = log(&steps);
        let mut got = |topic: &str, chosen| {
            positions(&read(&mut records, topic, chosen, limit).expect("it is read"))
        };
        for topic in TOPICS {
            let all = posted(&marks, topic);
            let newest: Vec<u64> = all.iter().map(|(at, _)| *at).take(limit).collect();
            prop_assert_eq!(got(topic, Chosen::All), newest);
            for key in ["k", "", "other"] {
                let of_key = all.iter().filter(|(_, its)| *its == Some(key));
                let newest: Vec<u64> = of_key.map(|(at, _)| *at).take(limit).collect();
                prop_assert_eq!(got(topic, Chosen::Key(key)), newest);
            }
            let mut seen = BTreeSet::new();
            let values = all.iter().filter(|(_, key)| key.is_some_and(|key| seen.insert(key)));
            let values: Vec<u64> = values.map(|(at, _)| *at).take(limit).collect();
            prop_assert_eq!(got(topic, Chosen::Values), values);
        }
        let names: BTreeSet<String> = marks.iter().map(|mark| mark.topic.clone()).collect();
        prop_assert_eq!(topics(&mut records).expect("they are listed"), names);
    }
}

#[test]
fn what_is_posted_to_is_listed_and_topics_of_the_document_need_no_record() {
    let (_folder, mut records, _) = log(&[(0, 2, true), (1, 0, false)]);
    let names: Vec<String> =
        list(&mut records).expect("they are listed").into_iter().map(|(it, _)| it.name).collect();
    assert_eq!(names, ["agent:a", "tasks"]);
    assert_eq!(find(&mut records, "tasks").expect("it is looked for"), None);
    assert_eq!(find(&mut records, "agent:b").expect("it is looked for"), Known::seed("agent:b"));
}

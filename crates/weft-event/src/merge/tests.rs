//! Merging hand-made entries, and against a naive model.

mod lines;
mod model;
mod property;

use std::io::{self, Cursor};

use super::{Entry, Finding, KeyDigest, Keys, Kind, Merge, Options, Place, Summary};
use crate::Dialect;
use crate::event::Expect;
use crate::order::Producer;

/// What the order of an event depends on, as a test writes it.
#[derive(Clone, Debug)]
struct Sample {
    dialect: Dialect,
    actor: Option<&'static str>,
    session: Option<&'static str>,
    number: Option<u64>,
    time_ns: Option<i64>,
    /// Its own key and its content.
    own: Option<(u8, u8)>,
    retry: Option<u8>,
    line: String,
}

impl Sample {
    fn producer(&self) -> Producer<'static> {
        let Sample { dialect, actor, session, .. } = *self;
        Producer {
            dialect,
            tenant: None,
            actor: actor.map(Into::into),
            session: session.map(Into::into),
        }
    }

    fn number(&self) -> Option<u64> {
        self.producer().number(self.number)
    }
}

fn digest_of(kind: u8, n: u8) -> [u8; 16] {
    // Scattered, so that the order of digests is not that of the keys.
    let mut digest = [kind; 16];
    digest[0] = n.wrapping_mul(151);
    digest[1] = n;
    digest
}

type Merged = (Vec<String>, Vec<Finding>, Summary);
type Spill = fn() -> io::Result<Cursor<Vec<u8>>>;

fn in_memory() -> io::Result<Cursor<Vec<u8>>> {
    Ok(Cursor::new(Vec::new()))
}

fn merge_of(memory_bytes: usize) -> Merge<Cursor<Vec<u8>>, Spill> {
    Merge::new(Options { expect: Expect::Any, memory_bytes }, in_memory as Spill)
}

fn finish(merge: Merge<Cursor<Vec<u8>>, Spill>) -> Merged {
    let mut out = Vec::new();
    let mut report = merge.finish(&mut out).unwrap();
    let mut findings = Vec::new();
    while let Some(finding) = report.read().unwrap() {
        findings.push(finding);
    }
    let lines = String::from_utf8(out).unwrap().lines().map(str::to_owned).collect();
    (lines, findings, report.finish().unwrap())
}

/// Merges inputs, which come in the order of `read_order`.
fn merge(inputs: &[Vec<Sample>], read_order: &[usize], memory_bytes: usize) -> Merged {
    let mut merge = merge_of(memory_bytes);
    for &input in read_order {
        for (idx, sample) in inputs[input].iter().enumerate() {
            let place = Place { input: input as u32, line: idx as u64 + 1 };
            let own = sample.own.map(|(key, content)| KeyDigest {
                key: digest_of(1, key),
                content: digest_of(2, content),
            });
            let retry =
                sample.retry.map(|key| KeyDigest { key: digest_of(3, key), content: [0; 16] });
            let entry = Entry {
                place,
                producer: sample.producer(),
                number: sample.number(),
                time_ns: sample.time_ns,
                keys: Keys { list: [own, retry, None, None] },
                line: sample.line.as_bytes(),
            };
            merge.entries.add(&entry).unwrap();
        }
    }
    finish(merge)
}

/// Reads `worker/session #number @time =key:content`, all of it but the worker optional, with the dialect before it.
fn sample(text: &str) -> Sample {
    let mut words = text.split(' ');
    let dialect = Dialect::parse(words.next().unwrap()).unwrap();
    let mut sample = Sample {
        dialect,
        actor: None,
        session: None,
        number: None,
        time_ns: None,
        own: None,
        retry: None,
        line: text.to_owned(),
    };
    for word in words {
        let (mark, rest) = word.split_at(1);
        match mark {
            "#" => sample.number = rest.parse().ok(),
            "@" => sample.time_ns = rest.parse().ok(),
            "=" => {
                let (key, content) = rest.split_once(':').unwrap();
                sample.own = Some((key.parse().unwrap(), content.parse().unwrap()));
            }
            "~" => sample.retry = rest.parse().ok(),
            _ => {
                let (actor, session) = word.split_once('/').unwrap_or((word, ""));
                sample.actor = Some(actor.to_owned().leak());
                sample.session = Some(&*session.to_owned().leak()).filter(|name| !name.is_empty());
            }
        }
    }
    sample
}

/// Merges inputs of one sample a line and shows output, findings and counts.
fn show(inputs: &[&str]) -> String {
    let inputs: Vec<Vec<_>> = inputs
        .iter()
        .map(|input| input.lines().map(|line| sample(line.trim())).collect())
        .collect();
    let order: Vec<_> = (0..inputs.len()).collect();
    let merged = merge(&inputs, &order, 1 << 20);
    assert_eq!(merge(&inputs, &order, 0), merged, "memory makes no difference");
    let (mut lines, findings, _) = merged;
    lines.extend(findings.iter().map(describe));
    lines.join("\n")
}

fn describe(finding: &Finding) -> String {
    let at = |place: Place| format!("{}:{}", (b'a' + place.input as u8) as char, place.line);
    let detail = match &finding.kind {
        Kind::Repeat { first, n_lines } => format!("{n_lines} as from {}", at(*first)),
        Kind::Conflict { first } => format!("with {}", at(*first)),
        Kind::Gap { expected, found } => format!("expected {expected}, found {found}"),
        Kind::Backward { after, found } => format!("{found} after {after}"),
        Kind::Unreadable { code, message } => format!("{}: {message}", code.as_str()),
    };
    let producer = finding.producer.as_ref().map_or("nobody".to_owned(), ToString::to_string);
    format!("! {}: {}: {producer}: {detail}", at(finding.place), finding.kind)
}

#[test]
fn a_producer_stands_by_number_and_not_by_clock() {
    insta::assert_snapshot!(show(&["needle w/s #2 @10\nneedle w/s #0 @30\nneedle w/s #1 @20"]), @"
    needle w/s #0 @30
    needle w/s #1 @20
    needle w/s #2 @10
    ! a:2: backward: needle w/s: 0 after 2
    ");
}

#[test]
fn a_clock_that_went_back_does_not_pull_others_along() {
    insta::assert_snapshot!(
        show(&[
            "needle w/s #0 @10\nneedle w/s #1 @20\nneedle w/s #2 @5\nneedle w/s #3 @30",
            "needle v/t #0 @15\nneedle v/t #1 @20\nneedle v/t #2 @25",
        ]), @"
    needle w/s #0 @10
    needle v/t #0 @15
    needle v/t #1 @20
    needle w/s #1 @20
    needle w/s #2 @5
    needle v/t #2 @25
    needle w/s #3 @30
    "
    );
}

#[test]
fn sessions_of_a_worker_follow_each_other() {
    insta::assert_snapshot!(
        show(&[
            "needle w/later #0 @20\nneedle w/later #1 @40",
            "needle w/sooner #0 @10\nneedle w/sooner #1 @30",
            "needle v/s #0 @25\nneedle v/s #1 @35",
        ]), @"
    needle w/sooner #0 @10
    needle v/s #0 @25
    needle w/sooner #1 @30
    needle w/later #0 @20
    needle v/s #1 @35
    needle w/later #1 @40
    "
    );
}

#[test]
fn runs_of_the_engine_stand_beside_each_other() {
    insta::assert_snapshot!(
        show(&["engine one #0 @10\nengine one #1 @30", "engine two #0 @20\nengine two #1 @40"]), @"
    engine one #0 @10
    engine two #0 @20
    engine one #1 @30
    engine two #1 @40
    "
    );
}

#[test]
fn without_numbers_an_input_keeps_its_order() {
    insta::assert_snapshot!(
        show(&[
            "collector a/s @10\ncollector a/s @30\ncollector a/s @20\ncollector a/s @50",
            "collector a/s @25\ncollector a/s @40",
        ]), @"
    collector a/s @10
    collector a/s @25
    collector a/s @30
    collector a/s @20
    collector a/s @40
    collector a/s @50
    "
    );
}

#[test]
fn an_event_without_time_and_name_stays_behind_the_one_before_it() {
    insta::assert_snapshot!(
        show(&["idle r1 @10\nidle\nidle r2 @30\nidle", "idle\nidle r0 @10\nidle r3 @20"]), @"
    idle
    idle r0 @10
    idle r1 @10
    idle
    idle r3 @20
    idle r2 @30
    idle
    "
    );
}

#[test]
fn gaps_are_told_at_the_event_behind_them() {
    insta::assert_snapshot!(
        show(&[
            "needle w/s #1 @1\nneedle w/s #4 @2\nneedle w/s #5 @3",
            "needle w/t #2 @4\nneedle w/s #8 @5\nengine r #1 @6",
        ]), @"
    needle w/s #1 @1
    needle w/s #4 @2
    needle w/s #5 @3
    needle w/s #8 @5
    needle w/t #2 @4
    engine r #1 @6
    ! a:2: gap: needle w/s: expected 2, found 4
    ! b:1: gap: needle w/t: expected 1, found 2
    ! b:2: gap: needle w/s: expected 6, found 8
    ! b:3: gap: engine r: expected 0, found 1
    "
    );
}

#[test]
fn backward_steps_are_told_by_input() {
    insta::assert_snapshot!(
        show(&[
            "needle w/s #0 @1\nneedle w/s #3 @4\nneedle v/s #0 @1\nneedle w/s #1 @2\nneedle w/s #2 @3",
            "needle w/s #4 @5",
        ]), @"
    needle v/s #0 @1
    needle w/s #0 @1
    needle w/s #1 @2
    needle w/s #2 @3
    needle w/s #3 @4
    needle w/s #4 @5
    ! a:4: backward: needle w/s: 1 after 3
    "
    );
}

#[test]
fn a_repeat_is_written_once_and_a_conflict_is_kept() {
    insta::assert_snapshot!(
        show(&[
            "collector a @1 =1:1\ncollector a @2 =2:1\ncollector a @3 =3:1",
            "collector a @1 =1:1\ncollector a @2 =2:2\ncollector a @3 =3:1\ncollector a @4 =2:1",
        ]), @"
    collector a @1 =1:1
    collector a @2 =2:1
    collector a @2 =2:2
    collector a @3 =3:1
    ! b:1: repeat: collector a: 1 as from a:1
    ! b:2: conflict: collector a: with a:2
    ! b:3: repeat: collector a: 1 as from a:3
    ! b:4: repeat: collector a: 1 as from a:2
    "
    );
}

#[test]
fn a_copied_stretch_is_told_in_one_piece() {
    let session = "collector a @1 =1:1\ncollector a @2 =2:1\ncollector a @3 =3:1";
    insta::assert_snapshot!(show(&[session, session]), @"
    collector a @1 =1:1
    collector a @2 =2:1
    collector a @3 =3:1
    ! b:1: repeat: collector a: 3 as from a:1
    ");
}

#[test]
fn a_retry_is_a_repeat_whatever_it_says() {
    insta::assert_snapshot!(
        show(&["pinchy c @9 =1:1 ~1\npinchy c @8 =2:2 ~1\npinchy c @7 =2:3 ~2\npinchy c @6 =1:4 ~1"]), @"
    pinchy c @9 =1:1 ~1
    pinchy c @7 =2:3 ~2
    ! a:2: repeat: pinchy c: 1 as from a:1
    ! a:3: conflict: pinchy c: with a:2
    ! a:4: repeat: pinchy c: 1 as from a:1
    "
    );
}

#[test]
fn the_same_number_twice_keeps_the_order_of_the_input() {
    insta::assert_snapshot!(
        show(&["needle w/s #0 @5 =1:2\nneedle w/s #0 @4 =1:1\nneedle w/s #1 @3"]), @"
    needle w/s #0 @5 =1:2
    needle w/s #0 @4 =1:1
    needle w/s #1 @3
    ! a:2: conflict: needle w/s: with a:1
    "
    );
}

//! What a walk makes of damage that was once mistaken. The sweep in `tests/sweep` tries all of it.

use weft_event::Dialect;
use weft_event::json::Tape;

use super::{Bytes, Fault, Link, Scan};
use crate::seal::{Bad, Opening, Seal};
use crate::{Hash, Mark, Position};

impl Bytes for &[u8] {
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        let rest = self.get(usize::try_from(offset).unwrap()..).unwrap_or_default();
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }
}

fn mark(line: &str) -> Mark {
    Mark {
        dialect: Dialect::Idle,
        via: "test".into(),
        crc: crc32c::crc32c(line.as_bytes()),
        delivery: None,
        topic: None,
        carried: None,
        conflict: None,
    }
}

/// A segment under way: its bytes and what the next seal says.
struct Segment {
    bytes: Vec<u8>,
    next: u64,
    hash: Hash,
}

impl Segment {
    fn open() -> Self {
        let mut segment = Self { bytes: Vec::new(), next: 1, hash: Hash::ZERO };
        let opening = Opening { store: "s".to_owned(), format: 1, segment: 1 };
        let seal = Seal { opening: Some(opening), ..segment.seal(&[]) };
        segment.hash = seal.encode(&mut segment.bytes);
        segment
    }

    fn seal(&self, lines: &[&str]) -> Seal {
        let body: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        Seal {
            first: Position::new(self.next).unwrap(),
            bytes: body.len() as u64,
            at_us: 5,
            marks: lines.iter().map(|line| mark(line)).collect(),
            opening: None,
            body: Hash::of(body.as_bytes()),
            prev: self.hash,
        }
    }

    /// Appends a group, and returns its bytes too.
    fn group(&mut self, lines: &[&str]) -> Vec<u8> {
        let start = self.bytes.len();
        let seal = self.seal(lines);
        lines.iter().for_each(|line| self.bytes.extend([line.as_bytes(), b"\n"].concat()));
        self.hash = seal.encode(&mut self.bytes);
        self.next += lines.len() as u64;
        self.bytes[start..].to_vec()
    }
}

/// Returns what a walk gives: `position:line`, with a question mark where nothing vouches for it, and the faults.
fn walk(bytes: &[u8]) -> (String, Vec<Fault>) {
    let link = Link { next: Position::FIRST, hash: None };
    let mut scan = Scan::new(bytes, 0, u64::MAX, link);
    let (mut lines, mut faults) = (Vec::new(), Vec::new());
    while let Some(stretch) = scan.read().unwrap() {
        for line in &stretch.lines {
            let text = std::str::from_utf8(&scan.bytes()[line.start..line.end]).unwrap();
            let doubt = if line.mark_idx.is_some() { "" } else { "?" };
            lines.push(format!("{}:{text}{doubt}", line.position));
        }
        faults.extend(stretch.faults);
    }
    (lines.join(" "), faults)
}

fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    String::from_utf8(bytes.to_vec()).unwrap().replacen(from, to, 1).into_bytes()
}

fn at(position: u64) -> Position {
    Position::new(position).unwrap()
}

#[test]
fn a_line_end_that_is_gone_costs_no_record() {
    let mut segment = Segment::open();
    segment.group(&["{\"a\":1}", "{\"b\":2}"]);
    let joined = replaced(&segment.bytes, "{\"a\":1}\n", "{\"a\":1}");
    assert_eq!(walk(&joined), ("1:{\"a\":1} 2:{\"b\":2}".to_owned(), vec![Fault::LineEnd]));
    let ends_badly = replaced(&segment.bytes, "{\"b\":2}\n", "{\"b\":2}*");
    assert_eq!(walk(&ends_badly), ("1:{\"a\":1} 2:{\"b\":2}".to_owned(), vec![Fault::LineEnd]));
}

#[test]
fn of_equal_records_the_one_that_is_hit_is_lost() {
    let mut segment = Segment::open();
    segment.group(&["{\"a\":1}", "{\"a\":1}"]);
    let hit = replaced(&segment.bytes, "{\"a\":1}", "{\"a\":0}");
    let lost = Fault::Lost { first: at(1), last: at(1) };
    assert_eq!(walk(&hit), ("2:{\"a\":1}".to_owned(), vec![lost]));
}

#[test]
fn a_record_that_damage_makes_equal_to_a_later_one_does_not_take_its_place() {
    let mut segment = Segment::open();
    segment.group(&["{\"n\":4}", "{\"n\":5}", "{\"n\":6}"]);
    let hit = replaced(&segment.bytes, "{\"n\":4}", "{\"n\":6}");
    let lost = Fault::Lost { first: at(1), last: at(1) };
    assert_eq!(walk(&hit), ("2:{\"n\":5} 3:{\"n\":6}".to_owned(), vec![lost]));
}

#[test]
fn a_seal_that_an_event_holds_as_a_value_closes_nothing() {
    let mut other = Segment::open();
    let quoted = String::from_utf8(other.group(&["{}"])).unwrap();
    let quoted = quoted.lines().nth(1).unwrap();
    for event in [format!("{{\"tail\":{quoted}}}"), format!("{{\"tail\":[ {quoted} ]}}")] {
        let mut segment = Segment::open();
        segment.group(&[&event]);
        segment.group(&["{\"b\":2}"]);
        let hit = replaced(
            &segment.bytes,
            "}\n{\"weft_seal\":{\"pos\":1,\"n\":1",
            "}\n{\"weft_seal\":{\"pos\":1,\"n\":3",
        );
        let unsealed = Fault::Unsealed { first: at(1), last: at(1) };
        assert_eq!(walk(&hit), (format!("1:{event}? 2:{{\"b\":2}}"), vec![unsealed]));
    }
}

#[test]
fn a_group_that_stands_behind_its_place_is_told_and_not_given() {
    let mut segment = Segment::open();
    let opening = segment.bytes.clone();
    let before = segment.hash;
    let one = segment.group(&["{\"a\":1}"]);
    let middle = segment.hash;
    let two = segment.group(&["{\"b\":2}"]);
    let three = segment.group(&["{\"c\":3}"]);
    let (lines, faults) = walk(&[opening, two, one.clone(), three].concat());
    assert_eq!(lines, "2:{\"b\":2} 3:{\"c\":3}");
    let expected = [
        Fault::Lost { first: at(1), last: at(1) },
        Fault::Unlinked { named: middle },
        Fault::Unlinked { named: before },
        Fault::Stray { bytes: one.len() as u64 },
    ];
    assert_eq!(faults, expected);
}

#[test]
fn a_segment_whose_opening_is_gone_says_so() {
    let mut segment = Segment::open();
    let before = segment.hash;
    let group = segment.group(&["{\"a\":1}"]);
    let unlinked = Fault::Unlinked { named: before };
    assert_eq!(walk(&group), ("1:{\"a\":1}".to_owned(), vec![unlinked]));
}

#[test]
fn what_a_cut_left_is_given_once_and_the_walk_goes_on() {
    let mut segment = Segment::open();
    let opening = segment.bytes.len();
    segment.group(&["{\"a\":1}", "{\"b\":2}"]);
    let link = Link { next: Position::FIRST, hash: None };
    for (len, n_given) in [(opening + 10, 1), (opening + 15, 2), (opening + 40, 2)] {
        let mut scan = Scan::new(&segment.bytes[..len], 0, u64::MAX, link);
        assert!(scan.read().unwrap().is_some_and(|stretch| stretch.is_whole));
        assert!(scan.read().unwrap().is_none());
        assert_eq!(scan.take_rest(at(3)).lines.len(), n_given);
        assert!(scan.read().unwrap().is_none());
    }
}

#[test]
fn after_a_bad_line_nothing_says_how_many_records_stood_there() {
    let mut segment = Segment::open();
    segment.group(&["{\"a\":1}", "{\"b\":2}", "{\"c\":3}"]);
    let cut = replaced(&segment.bytes[..segment.bytes.len() - 9], "{\"b\":2}", "{\"b\":2)");
    let link = Link { next: Position::FIRST, hash: None };
    let mut scan = Scan::new(&cut[..], 0, u64::MAX, link);
    while scan.read().unwrap().is_some() {}
    let rest = scan.take_rest(at(4));
    assert_eq!(rest.lines.iter().map(|line| line.position).collect::<Vec<_>>(), [at(1)]);
    let expected =
        [Fault::Unsealed { first: at(1), last: at(1) }, Fault::Lost { first: at(2), last: at(3) }];
    assert_eq!(rest.faults, expected);
}

#[test]
fn a_seal_with_more_or_fewer_marks_than_lines_vouches_for_what_it_knows() {
    let mut segment = Segment::open();
    let (one, two) = ("{\"a\":1}", "{\"b\":2}");
    let mut seal = segment.seal(&[one, two]);
    seal.marks.pop();
    segment.bytes.extend(format!("{one}\n{two}\n").into_bytes());
    seal.encode(&mut segment.bytes);
    assert_eq!(walk(&segment.bytes), ("1:{\"a\":1}".to_owned(), vec![Fault::LineEnd]));
}

#[test]
fn a_seal_beyond_the_last_position_is_not_known() {
    for (first, is_known) in
        [(i64::MAX as u64 - 1, true), (i64::MAX as u64, false), (u64::MAX, false)]
    {
        let seal = Seal { first: at(first), ..Segment::open().seal(&["{}"]) };
        let mut line = Vec::new();
        seal.encode(&mut line);
        line.pop();
        let decoded = Seal::decode(&line, &mut Tape::new());
        assert_eq!(decoded.as_ref().err(), (!is_known).then_some(&Bad::Content), "{first}");
    }
}

//! Any bytes, rows changed anywhere, and a stop after any row.

use proptest::prelude::*;

use super::{ALL, Fixture};
use crate::Dialect;
use crate::json::Tape;
use crate::testing::check;
use crate::transcript::{Client, Reader};

/// Reads lines, whatever they are; returns the events, which have to be valid without a warning.
fn read_any(reader: &mut Reader, lines: &[u8]) -> Vec<String> {
    let (mut tape, mut events) = (Tape::new(), Vec::new());
    for line in lines.split(|byte| *byte == b'\n') {
        // What is no row is an error, and the next one is read.
        drop(reader.read(&mut tape, line, &mut events));
    }
    events.iter().for_each(|event| assert_eq!(check(Dialect::Collector, event), "fine", "{event}"));
    events
}

fn any_fixture() -> impl Strategy<Value = Fixture> {
    prop::sample::select(ALL.to_vec())
}

proptest! {
    #[test]
    fn any_bytes_give_valid_events_or_an_error(n in 0..3_usize, lines: Vec<u8>) {
        read_any(&mut Reader::new(Client::ALL[n], "rollout-x.jsonl"), &lines);
    }

    #[test]
    fn a_file_changed_anywhere_gives_valid_events(
        fixture in any_fixture(),
        at: prop::sample::Index,
        put in prop::collection::vec(any::<u8>(), 0..4),
        cut in 0..40_usize,
    ) {
        let mut bytes = fixture.rows.as_bytes().to_vec();
        let at = at.index(bytes.len());
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, put);
        read_any(&mut Reader::new(fixture.client, fixture.path), &bytes);
    }

    #[test]
    fn reading_goes_on_after_a_stop_anywhere_as_if_there_was_none(
        fixture in any_fixture(),
        stop: prop::sample::Index,
    ) {
        let rows: Vec<&str> = fixture.rows.lines().collect();
        let (before, after) = rows.split_at(stop.index(rows.len() + 1));
        let mut reader = Reader::new(fixture.client, fixture.path);
        let mut events = read_any(&mut reader, before.join("\n").as_bytes());
        let mut again = Reader::resume(fixture.client, fixture.path, &reader.state()).unwrap();
        prop_assert_eq!(&again, &reader);
        events.extend(read_any(&mut again, after.join("\n").as_bytes()));
        prop_assert_eq!(events, fixture.read());
    }

    #[test]
    fn a_state_of_any_text_is_taken_or_not(n in 0..3_usize, state: String) {
        if let Some(reader) = Reader::resume(Client::ALL[n], "x.jsonl", &state) {
            prop_assert_eq!(Reader::resume(Client::ALL[n], "x.jsonl", &reader.state()), Some(reader));
        }
    }
}

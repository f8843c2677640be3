//! Reading a file piece by piece as it grows gives what reading it whole gives.

use std::fs::File;

use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};
use proptest::test_runner::Config;
use weft_event::input::{Item, Line, Lines};
use weft_event::json::Tape;

use super::super::batch::Batch;
use super::super::checkpoint::FileId;
use super::super::form::Form;
use super::super::passage::AtEnd;
use super::super::tracked::{Tracked, Visit};
use super::append;

/// Pieces that files are made of, the odd ones included.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => any::<u16>().prop_map(|n| format!("{{\"n\":{n}}}\n").into_bytes()),
        2 => any::<u16>().prop_map(|n| format!("{{\"n\":{n}}} \r\n").into_bytes()),
        2 => any::<u8>().prop_map(|n| format!("{{\n  \"n\": {n}\n}}\n").into_bytes()),
        1 => any::<u8>().prop_map(|n| format!("{{\n  \"n\": {n}\n").into_bytes()),
        1 => prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\0'), Just(b' '), Just(b'{'), Just(b'['), Just(b'}')], 1..6),
        1 => Just(b"{\"weft_seal\":{\"n\":1}}\n".to_vec()),
        1 => Just(b"\xef\xbb\xbf".to_vec()),
        1 => Just(b"{\0\"\0".to_vec()),
        1 => any::<u8>().prop_map(|n| format!("{{\"half\":{n}").into_bytes()),
    ]
}

/// Returns what reading the bytes whole gives, on one line each.
fn whole(bytes: &[u8]) -> Vec<String> {
    let mut lines = Lines::new(bytes);
    let mut items = Vec::new();
    while let Some(item) = lines.read().unwrap() {
        items.push(match item {
            Item::Line(line) => show(Line { bytes: &line.on_one_line(), ..line }),
            Item::Fault(fault) => format!("{}@{}: {}", fault.number, fault.offset, fault.kind),
        });
    }
    items
}

fn show(line: Line<'_>) -> String {
    let Line { number, offset, bytes, ending } = line;
    format!("{number}@{offset}: {} {ending:?}", bytes.escape_ascii())
}

fn show_batch(batch: &Batch) -> Vec<String> {
    let shown = batch.arrived().map(|arrived| match arrived.item {
        Item::Line(line) => show(line),
        Item::Fault(fault) => format!("{}@{}: {}", fault.number, fault.offset, fault.kind),
    });
    shown.collect()
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

    #[test]
    fn a_growing_file_gives_what_the_whole_one_does(
        pieces in prop::collection::vec(piece(), 0..12),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        restarts in any::<bool>(),
    ) {
        let bytes = pieces.concat();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        append(&path, b"");
        let file = File::open(&path).unwrap();
        let id = FileId { device: 1, inode: 1 };
        let mut tracked = Tracked::fresh(&path, id, None, Form::Events).unwrap();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.push(bytes.len());
        cuts.sort_unstable();
        let (mut at, mut items) = (0, Vec::new());
        for cut in cuts {
            append(&path, &bytes[at..cut]);
            at = cut;
            let mut batch = Batch::default();
            prop_assert_eq!(tracked.read_on(&file, AtEnd::KeepBack, &mut batch, &mut Tape::new()).unwrap(), Visit::Done);
            prop_assert_eq!(batch.notices().len(), 0);
            items.extend(show_batch(&batch));
            if restarts {
                tracked = Tracked::resumed(&path, id, &tracked.checkpoint.clone(), Form::Events);
            }
        }
        let mut batch = Batch::default();
        prop_assert_eq!(tracked.read_on(&file, AtEnd::Give, &mut batch, &mut Tape::new()).unwrap(), Visit::Done);
        items.extend(show_batch(&batch));
        // Nothing of such a file is read, so each run tells it again.
        items.dedup_by(|a, b| a == b && a.contains("UTF-16"));
        prop_assert_eq!(items, whole(&bytes));
    }
}

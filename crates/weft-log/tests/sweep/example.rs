//! The example in `docs/log-format.md` is a log.

use std::path::Path;

use weft_log::Head;

use crate::judge::read;
use crate::memory::{Files, MemoryDisk};
use crate::sample::head_path;

#[test]
fn the_example_in_the_document_is_a_whole_log() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/log-format.md");
    let text = std::fs::read_to_string(path).expect("the document is there");
    let mut blocks = text.split("```\n").filter(|block| block.starts_with("{\"weft_"));
    let mut block = || blocks.next().expect("the document has a segment and a head").to_owned();
    let (segment, head) = (block(), block());
    let head = format!("{:<511}\n", head.trim_end());
    let said = Head::decode(head.as_bytes()).expect("the head is whole");
    let files: Files = [
        (Path::new("store/log").join(format!("{}.jsonl", said.segment)), segment.into_bytes()),
        (head_path(), head.into_bytes()),
    ]
    .into();
    let seen = read(&MemoryDisk::of(&files), 1, &files).expect("it is read");
    assert_eq!(seen.faults, []);
    assert_eq!(seen.records.keys().collect::<Vec<_>>(), [&1, &2]);
    assert!(seen.records.values().all(|record| record.mark.is_some()));
}

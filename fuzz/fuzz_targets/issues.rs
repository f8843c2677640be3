//! Reads any bytes as issues that others keep, and as a snapshot: what is one survives being written, and can be put in order.
#![no_main]

use libfuzzer_sys::fuzz_target;
use weft_runtime::issues::{Board, Moment, parse_source, read_snapshot};

fuzz_target!(|bytes: &[u8]| {
    let sourced = parse_source(bytes);
    let snapshot = std::str::from_utf8(bytes).ok().and_then(read_snapshot);
    for issue in sourced.issues.iter().chain(&snapshot) {
        assert_eq!(read_snapshot(issue.json().as_str()).as_ref(), Some(issue));
    }
    let now = Moment { clock_ms: 0, newest_ms: None, boot: None };
    let board = Board::of(sourced.issues);
    assert!(board.ready(&now).len() <= board.entries().count());
});

//! Reads any text as the body of a message, as a line of a message store and as a line of a tracker: what is made good is JSON then,
//! and stays as it is when it is made good again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use weft_event::json::Tape;
use weft_runtime::topics::{Tracker, body, jwz};

fuzz_target!(|text: &str| {
    if let Some(good) = body::object(text) {
        assert!(Tape::new().parse(&good).is_ok(), "what is made good is JSON");
        assert_eq!(body::object(&good).as_deref(), Some(&*good));
    }
    let mended = jwz::mend(text);
    assert_eq!(jwz::line(&mended).is_ok(), Tape::new().parse(&mended).is_ok());
    for tracker in [Tracker::Tissue, Tracker::Beads] {
        if let Ok(snapshot) = tracker.snapshot(text) {
            assert!(Tape::new().parse(&snapshot.line).is_ok(), "a message is JSON");
        }
    }
});

//! Reads any bytes as an export request of OTLP in Protocol Buffers: what is one is JSON then, and its events are as they should be.
#![no_main]

use libfuzzer_sys::fuzz_target;
use weft_event::translate::otlp::Signal;
use weft_server::otlp::wire::{Broken, to_json};

fuzz_target!(|body: &[u8]| {
    for signal in Signal::ALL {
        let read = to_json(signal, body, |part| {
            serde_json::from_str::<serde_json::Value>(part).expect("a part is JSON");
            weft_fuzz::otlp(part.as_bytes());
            Ok::<(), Broken>(())
        });
        if let Err(broken) = read {
            assert!(!broken.to_string().is_empty(), "what is no request is told");
        }
    }
});

//! Takes the events out of any JSON as if it were an export request of OTLP.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|request: &[u8]| weft_fuzz::otlp(request));

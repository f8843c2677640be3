//! Takes any bytes for the payload of a hook.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|payload: &[u8]| weft_fuzz::hook(payload));

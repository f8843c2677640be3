//! Takes secrets out of any bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| weft_fuzz::secrets(bytes));

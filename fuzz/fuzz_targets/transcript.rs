//! Reads any bytes as a file of a session, of every client.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| weft_fuzz::transcript(bytes));

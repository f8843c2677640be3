//! Reads any bytes line by line, with one tape for all.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| weft_fuzz::lines(bytes));

//! Reads any bytes as one pinchy event.
#![no_main]

use libfuzzer_sys::fuzz_target;
use weft_event::Dialect;

fuzz_target!(|line: &[u8]| weft_fuzz::dialect(Dialect::Pinchy, line));

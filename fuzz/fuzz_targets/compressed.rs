#![no_main]

use linetape_fuzz::flow;

libfuzzer_sys::fuzz_target!(|data: &[u8]| flow::compressed(data));

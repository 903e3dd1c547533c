#![no_main]

use linetape_fuzz::oracle;

libfuzzer_sys::fuzz_target!(|data: &[u8]| oracle::levels(data));

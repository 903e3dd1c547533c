#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| linetape_fuzz::oracle::roundtrip(data));

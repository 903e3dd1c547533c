#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| linetape_fuzz::oracle::message_gen(data));

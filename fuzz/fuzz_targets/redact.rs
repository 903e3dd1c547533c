#![no_main]

use linetape_fuzz::redaction;

libfuzzer_sys::fuzz_target!(|data: &[u8]| redaction::redact(data));

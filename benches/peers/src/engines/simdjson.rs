//! simdjson, in C++: the jobs are in cpp/jobs.cpp.
//!
//! On-Demand reads only the requested values; DOM parses everything. Neither
//! gets the ends of lines: documents are found by their brackets.
#![allow(unsafe_code)]

use std::{ffi::c_char, ptr, slice};

use super::Engine;
use crate::{
    data::{Data, PADDING},
    jobs::{Job, Tally},
};

pub const ENGINES: &[Engine] = &[
    Engine::peer("simdjson DOM", Job::Check, |data, tally| {
        run(simdjson_dom_check, data, tally);
    }),
    Engine::peer("simdjson On-Demand", Job::Route, |data, tally| {
        run(simdjson_route, data, tally);
    }),
    Engine::peer("simdjson, stops at type", Job::Route, |data, tally| {
        run(simdjson_stop_at_type, data, tally);
    }),
    Engine::peer("simdjson On-Demand", Job::Usage, |data, tally| {
        run(simdjson_usage, data, tally);
    }),
    // These two stop there anyway. Their rows are for those that skim.
    Engine::peer("simdjson, stops at type", Job::Usage, |data, tally| {
        run(simdjson_usage, data, tally);
    }),
    Engine::peer("simdjson, stops at type", Job::Select, |data, tally| {
        run(simdjson_select, data, tally);
    }),
    Engine::peer("simdjson On-Demand", Job::Text, |data, tally| {
        run(simdjson_text, data, tally);
    }),
    Engine::peer("simdjson On-Demand", Job::Select, |data, tally| {
        run(simdjson_select, data, tally);
    }),
];

/// Reads `length` bytes at `data`, and up to 64 bytes after them; calls back
/// with `tally` only; returns the number of documents that failed. Not
/// thread-safe, because the parser is reused.
type Run = unsafe extern "C" fn(
    data: *const u8,
    length: usize,
    tally: *mut Tally,
) -> u64;

/// Declares functions that are a [`Run`].
macro_rules! runs {
    ($($run:ident)*) => {
        // C++ treats a tally as opaque, and passes it back.
        #[allow(improper_ctypes)]
        unsafe extern "C" {
            $(fn $run(data: *const u8, len: usize, tally: *mut Tally) -> u64;)*
        }
    };
}

runs! {
    simdjson_dom_check
    simdjson_route
    simdjson_stop_at_type
    simdjson_usage
    simdjson_text
    simdjson_select
}

unsafe extern "C" {
    fn simdjson_batch(size: usize);
    /// Writes at most `room` bytes, and returns the number written.
    fn simdjson_name(name: *mut c_char, room: usize) -> usize;
}

/// The number of bytes that simdjson indexes at a time, if no line is longer.
const BATCH: usize = 1 << 20;

fn run(job: Run, data: &Data, tally: &mut Tally) {
    let length = data.bytes().len();
    // SAFETY: it sets a number. This program has one thread.
    unsafe { simdjson_batch(BATCH.max(data.longest_line() + PADDING)) };
    debug_assert!(data.padded().len() >= length + 64);
    // SAFETY: the pointer is to all padded bytes, which are 64 more than
    // `length`. `tally` is borrowed for the whole call, and only the callbacks
    // use it, one at a time. This program has one thread.
    let failed =
        unsafe { job(data.padded().as_ptr(), length, ptr::from_mut(tally)) };
    tally.fail(failed);
}

pub fn name() -> String {
    let mut name = [0_u8; 64];
    // SAFETY: the pointer is to `room` writable bytes.
    let length =
        unsafe { simdjson_name(name.as_mut_ptr().cast(), name.len()) };
    String::from_utf8_lossy(&name[..length]).into_owned()
}

/// Returns the bytes of a `string_view`, or an empty slice for a null pointer.
///
/// # Safety
///
/// `data` is null or points to `length` bytes that do not change while they
/// are borrowed.
unsafe fn bytes<'a>(data: *const u8, length: usize) -> Option<&'a [u8]> {
    // SAFETY: not null; the caller guarantees the rest.
    (!data.is_null()).then(|| unsafe { slice::from_raw_parts(data, length) })
}

/// # Safety
///
/// As for [`bytes`], and the bytes are UTF-8.
unsafe fn text<'a>(data: *const u8, length: usize) -> Option<&'a str> {
    // SAFETY: guaranteed by the caller.
    let bytes = unsafe { bytes(data, length) }?;
    debug_assert!(str::from_utf8(bytes).is_ok());
    // SAFETY: simdjson has checked that its input is UTF-8.
    Some(unsafe { str::from_utf8_unchecked(bytes) })
}

// The callbacks. C++ calls each with the `tally` from `run`, and with views of
// strings that do not change during the call.

#[unsafe(no_mangle)]
unsafe extern "C" fn peers_line(tally: *mut Tally) {
    // SAFETY: `run` has borrowed it, and no other callback is running.
    unsafe { &mut *tally }.line();
}

#[unsafe(no_mangle)]
unsafe extern "C" fn peers_kind(
    tally: *mut Tally,
    name: *const u8,
    name_length: usize,
    subtype: *const u8,
    subtype_length: usize,
) {
    // SAFETY: these are views of strings that simdjson has read.
    let (name, subtype) =
        unsafe { (text(name, name_length), text(subtype, subtype_length)) };
    // SAFETY: as in `peers_line`.
    unsafe { &mut *tally }.kind(name, subtype);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn peers_usage(tally: *mut Tally, input: u64, output: u64) {
    // SAFETY: as in `peers_line`.
    unsafe { &mut *tally }.usage(input, output);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn peers_text(
    tally: *mut Tally,
    text: *const u8,
    length: usize,
) {
    // SAFETY: this is a view of a string that simdjson has read.
    let text = unsafe { bytes(text, length) }.unwrap_or_default();
    // SAFETY: as in `peers_line`.
    unsafe { &mut *tally }.text(text);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn peers_select(
    tally: *mut Tally,
    line: *const u8,
    length: usize,
) {
    // SAFETY: this is a view of the input.
    let line = unsafe { bytes(line, length) }.unwrap_or_default();
    // SAFETY: as in `peers_line`.
    unsafe { &mut *tally }.select(line);
}

//! The oracles of the fuzz targets: for each target a function that is given
//! bytes and panics if linetape does what it must not.
//!
//! The targets in `fuzz/fuzz_targets` call them, and so does `tests/fuzz.rs`,
//! with every seed and every input that once was a finding, and with random
//! ones. Whoever includes this must also have `differences`, `json` and
//! `support`, which other tests use as well, at the root of the crate.

mod check;
mod compose;
mod damage;
mod decode;
mod framing;
mod input;
mod keep;
mod model;
mod peek;
mod render;

use linetape::{Decoder, Kernel, Limits};

use crate::json;

pub use compose::message_gen;
pub use damage::{salvage, tail};
pub use decode::{decode, decode_packed, diff_three};
pub use framing::{lines, lines_limit, stream_faults};
pub use keep::{owned, roundtrip};
pub use model::{TYPES, message};
pub use render::render;

/// Peeking answers as decoding does, or its answers stand in the text.
pub fn peek(line: &[u8]) {
    let (_, decoder) = decoder_for(line);
    peek::agree_with([decoder], line, Limits::default());
}

/// Checking accepts and refuses what decoding does.
pub fn check(line: &[u8]) {
    let _ = check::judge_with([decoder_for(line)], line, Limits::default());
}

/// One of the kernels, which is the same for the same line. To take all of
/// them would be four times the work for each input.
fn decoder_for(line: &[u8]) -> (Kernel, Decoder) {
    let kernels = json::kernels();
    let kernel = kernels[line.len() % kernels.len()];
    let mut decoder = Decoder::new();
    decoder.set_kernel(kernel).unwrap();
    (kernel, decoder)
}

/// A target: its name, and its oracle.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 15] = [
    ("lines", lines),
    ("lines_limit", lines_limit),
    ("decode", decode),
    ("decode_packed", decode_packed),
    ("message", message),
    ("message_gen", message_gen),
    ("owned", owned),
    ("roundtrip", roundtrip),
    ("stream_faults", stream_faults),
    ("tail", tail),
    ("render", render),
    ("diff_three", diff_three),
    ("peek", peek),
    ("check", check),
    ("salvage", salvage),
];

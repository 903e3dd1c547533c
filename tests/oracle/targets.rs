//! The fuzz targets by name.

use linetape::{Decoder, Kernel, Limits};

use crate::{
    oracle::{check as checking, peek as peeking, skim as skimming},
    support::json,
};

pub use crate::oracle::compose::message_gen;
pub use crate::oracle::damage::{salvage, tail};
pub use crate::oracle::decode::{decode, decode_packed, diff_three};
pub use crate::oracle::framing::{lines, lines_limit, ranges, stream_faults};
pub use crate::oracle::levels::levels;
pub use crate::oracle::model::message;
pub use crate::oracle::owned_roundtrip::{owned, roundtrip};
pub use crate::oracle::render::render;

/// Peeking returns the same as decoding, or values that are in the text.
pub fn peek(line: &[u8]) {
    let (_, decoder) = decoder_for(line);
    peeking::agree_with([decoder], line, Limits::default());
}

/// Checking accepts and rejects the same lines as decoding.
pub fn check(line: &[u8]) {
    let _ = checking::judge_with([decoder_for(line)], line, Limits::default());
}

/// Skimming and projecting return the same as decoding, and skimming the first
/// type in the text of any other line.
pub fn skim(line: &[u8]) {
    let (_, mut decoder) = decoder_for(line);
    skimming::agree_with(&mut decoder, line);
}

/// Returns one of the kernels, always the same for the same line. Using all
/// kernels would take four times as long.
fn decoder_for(line: &[u8]) -> (Kernel, Decoder) {
    let kernels = json::kernels();
    let kernel = kernels[line.len() % kernels.len()];
    let mut decoder = Decoder::new();
    decoder.set_kernel(kernel).unwrap();
    (kernel, decoder)
}

/// A target: its name and its oracle.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 18] = [
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
    ("ranges", ranges),
    ("skim", skim),
    ("levels", levels),
];

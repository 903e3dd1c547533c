//! Worst cases for a scanner that works in blocks.
//!
//! Such a scanner reads 64 bytes at a time and carries state from one block to
//! the next: an open escape, whether it is inside a string, the nesting depth.
//! Each kind of line stresses one of these.

use crate::{log::Log, random::Random};

/// The kinds of lines, whose templates have the same names. A log repeats them
/// in this order. The large ones are last, so that a short log has all others.
const KINDS: [&str; 13] = [
    "line_edges",
    "log_edges",
    "backslash_runs",
    "escaped_quotes",
    "false_structure",
    "deep_arrays",
    "deep_objects",
    "deep_mixed",
    "brackets",
    "numbers",
    "escaped_keys",
    "whitespace",
    "many_keys",
];

pub(crate) fn plan(log: &mut Log) {
    for giant in ["giant_string", "giant_values"] {
        KINDS.iter().for_each(|kind| log.push(kind));
        log.push(giant);
    }
}

/// Appends about `length` bytes with an escape across each 64-byte boundary:
/// the backslash is the last byte of a block, and the escaped character the
/// first byte of the next. `offset` is that of the line.
pub(crate) fn edges(
    out: &mut String,
    random: &mut Random,
    offset: usize,
    length: u32,
) {
    let end = out.len() + length as usize;
    while out.len() < end {
        // 0 if the next byte is the last of its block.
        let room = 63 - (offset + out.len()) % 64;
        // Sometimes adds pairs of backslashes before the boundary, up to a
        // whole block.
        let pairs = match random.below(4) {
            0 => random.below(room as u32 / 2 + 1) as usize,
            _ => 0,
        };
        *out += &".".repeat(room - pairs * 2);
        *out += &r"\\".repeat(pairs);
        *out += random.pick(&[r#"\""#, r"\\", r"\n", r"\u0022"]);
    }
}

/// Appends a run of 1 to 200 backslashes that begins at any offset of a block.
pub(crate) fn backslashes(out: &mut String, random: &mut Random) {
    let (dots, run) = (random.below(64), random.between(1, 200));
    *out += &".".repeat(dots as usize);
    *out += &r"\".repeat(run as usize);
    // An odd run escapes the next character.
    *out += if run % 2 == 1 { "\"" } else { "" };
}

/// Appends a value that makes the line 120 levels deep, where the usual limit
/// of decoders is 128. The outer object and the array around the value are two
/// of the levels. A level is an object if its bit in `objects` is 1.
pub(crate) fn deep(out: &mut String, objects: u32) {
    let levels = || (0..118).map(|at| objects >> (at % 32) & 1 == 1);
    out.extend(levels().map(|object| if object { r#"{"a":"# } else { "[" }));
    out.push('0');
    out.extend(levels().rev().map(|object| if object { '}' } else { ']' }));
}

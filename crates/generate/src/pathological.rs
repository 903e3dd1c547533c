//! Worst cases for a scanner that works in blocks.
//!
//! Such a scanner reads 64 bytes at a time and carries state from one block to
//! the next: an open escape, whether it is inside a string, the nesting depth.
//! Each kind of line stresses one of these.

use crate::{
    random::Random,
    text::{number, push, word},
};

/// The kinds of lines. A log repeats them in the order of [`KINDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// An escape across each boundary of 64-byte blocks, counted from the
    /// start of the line.
    LineEdges,
    /// The same, with blocks counted from the start of the log.
    LogEdges,
    /// Runs of 1 to 200 backslashes, many of them across a boundary.
    BackslashRuns,
    /// Strings of escaped quotes.
    EscapedQuotes,
    /// Strings of brackets, colons and commas.
    FalseStructure,
    DeepArrays,
    DeepObjects,
    DeepMixed,
    /// Long runs of brackets and of empty containers.
    Brackets,
    Numbers,
    /// Keys with escapes.
    EscapedKeys,
    /// Whitespace between all tokens.
    Whitespace,
    /// 100,000 keys in one object.
    ManyKeys,
    /// One line of 8 MB.
    Giant,
}

const KINDS: [Kind; 14] = [
    Kind::LineEdges,
    Kind::LogEdges,
    Kind::BackslashRuns,
    Kind::EscapedQuotes,
    Kind::FalseStructure,
    Kind::DeepArrays,
    Kind::DeepObjects,
    Kind::DeepMixed,
    Kind::Brackets,
    Kind::Numbers,
    Kind::EscapedKeys,
    Kind::Whitespace,
    // The two large kinds are last, so that a short log has all others.
    Kind::ManyKeys,
    Kind::Giant,
];

/// The nesting depth of the deep lines, including the outer object. The usual
/// limit of decoders is 128.
const DEPTH: usize = 120;

#[derive(Debug)]
pub(crate) struct Pathological {
    random: Random,
    /// The number of lines so far.
    count: usize,
    /// The offset of the next line in its 64-byte block of the log.
    offset: usize,
}

impl Pathological {
    pub(crate) fn new(seed: u64) -> Pathological {
        Pathological { random: Random::new(seed), count: 0, offset: 0 }
    }

    pub(crate) fn line(&mut self, out: &mut Vec<u8>) {
        let kind = KINDS[self.count % KINDS.len()];
        push(out, r#"{"type":"user","kind":""#);
        push(out, kind.name());
        push(out, r#"","value":"#);
        self.value(out, kind);
        out.push(b'}');
        self.count += 1;
        self.offset = (self.offset + out.len() + 1) % 64;
    }

    fn value(&mut self, out: &mut Vec<u8>, kind: Kind) {
        let random = &mut self.random;
        let length = random.between(4_000, 60_000) as usize;
        match kind {
            Kind::LineEdges => edges(out, random, 0, length),
            Kind::LogEdges => edges(out, random, self.offset, length),
            Kind::BackslashRuns => backslash_runs(out, random),
            Kind::EscapedQuotes => {
                out.push(b'[');
                for at in 0..8 {
                    push(out, if at == 0 { "\"" } else { ",\"" });
                    for _ in 0..random.between(0, 4_000) {
                        push(out, r#"\""#);
                    }
                    out.push(b'"');
                }
                out.push(b']');
            }
            Kind::FalseStructure => {
                out.push(b'"');
                let end = out.len() + length;
                while out.len() < end {
                    push(
                        out,
                        random.pick(&[
                            "{",
                            "}",
                            "[",
                            "]",
                            ":",
                            ",",
                            "}{",
                            r#"\","#,
                            r#"\":{\""#,
                            r"\\",
                            "[[[[",
                            "]]]]",
                            "//",
                            "'",
                        ]),
                    );
                }
                out.push(b'"');
            }
            Kind::DeepArrays => many(out, 20, |out, _| {
                deep(out, |_| true);
            }),
            Kind::DeepObjects => many(out, 20, |out, _| {
                deep(out, |_| false);
            }),
            Kind::DeepMixed => many(out, 20, |out, _| {
                let bits = [random.next(), random.next()];
                deep(out, |at| bits[at / 64] >> (at % 64) & 1 == 0);
            }),
            Kind::Brackets => many(out, length / 20, |out, _| {
                push(
                    out,
                    random.pick(&[
                        "[]",
                        "{}",
                        "[[],[]]",
                        "[{},{},{}]",
                        "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]",
                        r#"{"":{"":{"":{"":[]}}}}"#,
                    ]),
                );
            }),
            Kind::Numbers => many(out, length / 12, |out, _| {
                numeral(out, random);
            }),
            Kind::EscapedKeys => {
                out.push(b'{');
                for at in 0..length as u64 / 30 {
                    push(out, if at == 0 { "\"" } else { ",\"" });
                    push(
                        out,
                        random.pick(&[
                            r#"\"typ"#,
                            r"\u0074yp",
                            r"\\\\",
                            r"ke\ny",
                            r"\/a\/",
                            r"\ud83d\ude00",
                            r"{\t",
                        ]),
                    );
                    // The number makes the key unique.
                    number(out, at);
                    push(out, r#"\"":"#);
                    numeral(out, random);
                }
                out.push(b'}');
            }
            Kind::Whitespace => whitespace(out, random, length),
            Kind::ManyKeys => {
                out.push(b'{');
                for at in 0..100_000 {
                    push(out, if at == 0 { "\"" } else { ",\"" });
                    push(out, word(random));
                    number(out, at);
                    push(out, "\":");
                    number(out, at % 10);
                }
                out.push(b'}');
            }
            Kind::Giant => {
                let end = out.len() + 8_000_000;
                // Alternates between one string and many small values.
                if (self.count / KINDS.len()).is_multiple_of(2) {
                    edges(out, random, 0, 8_000_000);
                } else {
                    out.push(b'[');
                    while out.len() < end {
                        push(out, r#"{"a":[{},null],"b":"#);
                        numeral(out, random);
                        push(out, r#","c":"\\"},"#);
                    }
                    push(out, "0]");
                }
            }
        }
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::LineEdges => "line_edges",
            Kind::LogEdges => "log_edges",
            Kind::BackslashRuns => "backslash_runs",
            Kind::EscapedQuotes => "escaped_quotes",
            Kind::FalseStructure => "false_structure",
            Kind::DeepArrays => "deep_arrays",
            Kind::DeepObjects => "deep_objects",
            Kind::DeepMixed => "deep_mixed",
            Kind::Brackets => "brackets",
            Kind::Numbers => "numbers",
            Kind::EscapedKeys => "escaped_keys",
            Kind::Whitespace => "whitespace",
            Kind::ManyKeys => "many_keys",
            Kind::Giant => "giant",
        }
    }
}

/// Writes a string with an escape across each 64-byte boundary: the backslash
/// is the last byte of a block, and the escaped character the first byte of
/// the next. `base` is the offset of the line.
fn edges(out: &mut Vec<u8>, random: &mut Random, base: usize, length: usize) {
    const FILL: [u8; 64] = [b'.'; 64];
    out.push(b'"');
    let end = out.len() + length;
    while out.len() < end {
        // 0 if the next byte is the last of its block.
        let mut room = 63 - (base + out.len()) % 64;
        // Sometimes adds pairs of backslashes before the boundary, up to a
        // whole block.
        let pairs = match random.below(4) {
            0 => random.below(room as u32 / 2 + 1) as usize,
            _ => 0,
        };
        room -= pairs * 2;
        out.extend_from_slice(&FILL[..room]);
        for _ in 0..pairs {
            push(out, r"\\");
        }
        push(out, random.pick(&[r#"\""#, r"\\", r"\n", r"\u0022"]));
    }
    out.push(b'"');
}

/// Writes strings with runs of 1 to 200 backslashes.
fn backslash_runs(out: &mut Vec<u8>, random: &mut Random) {
    many(out, 200, |out, at| {
        out.push(b'"');
        // Makes runs begin at all offsets of a block.
        for _ in 0..random.below(64) {
            out.push(b'.');
        }
        for _ in 0..=at {
            out.push(b'\\');
        }
        // An odd run escapes the first quote, so a second one ends the string.
        push(out, if at % 2 == 0 { "\"\"" } else { "\"" });
    });
}

/// Writes an array of `count` items.
fn many(
    out: &mut Vec<u8>,
    count: usize,
    mut item: impl FnMut(&mut Vec<u8>, usize),
) {
    out.push(b'[');
    for at in 0..count {
        if at > 0 {
            out.push(b',');
        }
        item(out, at);
    }
    out.push(b']');
}

/// Writes a value that makes the depth of the line [`DEPTH`]. The outer object
/// and the array around the value are two levels.
fn deep(out: &mut Vec<u8>, array: impl Fn(usize) -> bool) {
    const INNER: usize = DEPTH - 2;
    for at in 0..INNER {
        push(out, if array(at) { "[" } else { r#"{"a":"# });
    }
    out.push(b'0');
    for at in (0..INNER).rev() {
        out.push(if array(at) { b']' } else { b'}' });
    }
}

/// Writes one number. It never exceeds 64 bits or the range of a double, where
/// the behaviour of decoders differs.
fn numeral(out: &mut Vec<u8>, random: &mut Random) {
    // These get no sign: some decoders read `-0` as an integer and others as a
    // double, and the last number would exceed 64 bits.
    if random.chance(15) {
        return push(
            out,
            random.pick(&["0", "0.0", "0E-0", "18446744073709551615"]),
        );
    }
    if random.chance(40) {
        out.push(b'-');
    }
    match random.below(8) {
        0 => push(out, random.pick(&["1", "1.0", "1e0", "1E-0", "10"])),
        1 => number(out, u64::from(random.between(1, 1_000))),
        // Up to `i64::MAX`.
        2 => number(out, random.next() >> 1),
        3 => push(
            out,
            random.pick(&[
                "9223372036854775807",
                "9007199254740993",
                "4294967296",
                "2147483648",
            ]),
        ),
        // 17 digits: the maximum that a double needs.
        4 => {
            number(out, u64::from(random.between(1, 9)));
            out.push(b'.');
            let rest = random.next() % 9_000_000_000_000_000;
            number(out, 1_000_000_000_000_000 + rest);
        }
        5 => {
            number(out, u64::from(random.between(1, 9)));
            push(out, random.pick(&["e", "E", "e+", "e-", "E-"]));
            number(out, u64::from(random.below(300)));
        }
        6 => push(
            out,
            random.pick(&[
                "1.7976931348623157e308",
                "2.2250738585072014e-308",
                "5e-324",
                "0.1",
                "123456789.123456789e-7",
            ]),
        ),
        _ => {
            push(out, "0.");
            number(out, random.next() >> 20);
        }
    }
}

/// Writes an array with spaces, tabs and carriage returns between all tokens.
fn whitespace(out: &mut Vec<u8>, random: &mut Random, length: usize) {
    let end = out.len() + length;
    let gap = |out: &mut Vec<u8>, random: &mut Random| {
        for _ in 0..random.between(1, 12) {
            out.push(random.pick(b" \t\r"));
        }
    };
    gap(out, random);
    out.push(b'[');
    while out.len() < end {
        for token in ["{", "\"a b\"", ":", "[", "null", ",", "true", "]"] {
            gap(out, random);
            push(out, token);
        }
        gap(out, random);
        push(out, "}");
        gap(out, random);
        out.push(b',');
    }
    gap(out, random);
    push(out, "0");
    gap(out, random);
    out.push(b']');
    gap(out, random);
}

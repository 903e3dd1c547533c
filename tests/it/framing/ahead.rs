//! A reader that indexes or checks lines while it searches their ends returns
//! the same as one that does not.
#![cfg(feature = "messages")]

use linetape::{Kernel, Limits};
use proptest::{collection::vec, prelude::*};

use crate::{
    oracle::ahead::{HABITS, USES, agree},
    support::{
        json::{corpus, kernels, written_lines},
        logs::exhaustive,
        streams::stream,
        texts::cases,
    },
};

/// Lines on which finding the end and reading the line can interfere.
const ODD_LINES: [&str; 36] = [
    "{}",
    "{\"type\":\"user\"} \t \r",
    "{\"type\":\"user\"}x",
    "{\"type\":\"user\"}}",
    "{\"type\":\"user\"}]",
    "{\"type\":\"user\"}{\"type\":\"no\"}",
    "{\"type\":\"user\",\"a\":[1,2}",
    // Faults that only a check of the whole line finds.
    "{\"type\":\"user\",\"a\":[1,,2]}",
    "{\"type\":\"user\",\"a\":{\"b\":tru}}",
    "{\"type\":\"user\",\"a\":[1,2",
    "{\"type\":\"user\",\"a\":\"x",
    "{\"type\":\"user\",\"a\":\"x\\",
    "{\"type\":\"user\",\"a\":\"\t\"}",
    "{\"type\":\"user\",\"a\":\"\r\"}",
    "{\"type\":\"user\",\"a\":\r1}",
    "{\"type\":\"user\",\"a\":\"\\u00e9\u{e9}\"}",
    "{\"type\":\"us\\u0065r\",\"a\":{\"b\":[{}]}}",
    "{\"type\":\"user\",\"type\":\"user\"}",
    "{\"type\":\"user\",\"ty\\u0070e\":\"user\"}",
    "{\"a\":{\"type\":\"no\"},\"type\":\"user\"}",
    "{\"a\\u0062\":1,\"type\":\"user\",\"subtype\":\"s\"}",
    "{\"type\":\"user\",\"a\":01}",
    "{\"type\":\"user\" \"a\":1}",
    "{\"type\":\"user\",\"a\":tru}",
    "{\"type\":\"user\",\"a\":[[[[[[]]]]]]}",
    "{\"type\":\"user\"\\,\"a\":1}",
    "[{\"type\":\"user\"}]",
    " {\"type\":\"user\"}",
    "\u{feff}{\"type\":\"user\"}",
    // A newline ends a line, wherever it is.
    "{\"type\":\"user\",\"a\":[1,\n2]}",
    "{\"type\":\"user\",\"a\":\"x\ny\"}",
    "{\"type\":\"user\"\n}",
    "{\"type\":\"user\",\"a\":1 \n ,\"b\":2}",
    "note",
    "",
    "{\"type\":\"user\",\"message\":{\"usage\":{\"input_tokens\":3}}}",
];

const WHOLE: (&[usize], usize) = (&[usize::MAX], 1 << 16);

/// Returns the uses of the lines before the one that is tested, and its own:
/// each use after the same use, and one that changes with `turn` after each that
/// prepares lines.
fn uses(turn: usize) -> impl Iterator<Item = (usize, [usize; 1])> {
    let same = (0..USES.len()).map(|used| (used, [used]));
    let other = HABITS.map(|habit| (habit, [(turn + habit) % USES.len()]));
    same.chain(other)
}

/// Returns the offsets in two blocks, each with one of the kernels. Every day,
/// it is every seventh offset.
fn offsets() -> impl Iterator<Item = (usize, Kernel)> {
    let step = if exhaustive() { 1 } else { 7 };
    let kernels = kernels().into_iter().cycle();
    (0..130).zip(kernels).step_by(step)
}

/// Lines with something odd at the offsets of a block, before several kinds of
/// next lines, used in each way.
#[test]
fn a_line_that_is_prepared_is_read_as_any_other() {
    let next = ["", "\n", "\n{\"b\":\"\u{e9}\"}\n", "\n\\\"x\n", "\r\n}]\"\\"];
    for (turn, kernel) in offsets() {
        let padding = format!("{{\"p\":\"{}\",", "x".repeat(turn));
        for line in ODD_LINES {
            let padded = line.replacen("{\"", &format!("{padding}\""), 1);
            // Not `turn` alone, whose remainder chooses the use too: each use
            // would always be before the same next line, which missed fault F66.
            let next = next[turn / USES.len() % next.len()];
            let stream = format!("{padded}{next}").into_bytes();
            for (habit, used) in uses(turn) {
                let limits = Limits::default();
                agree(&stream, kernel, limits, WHOLE, (habit, &used));
            }
        }
    }
}

/// Bytes that are not UTF-8, at the end of a line and in the next one.
#[test]
fn a_line_that_is_not_utf8_is_found_out() {
    for (turn, kernel) in offsets() {
        let padding = "x".repeat(turn);
        for tail in ["\u{e9}", "", "{"].map(str::as_bytes) {
            for byte in [0x80, 0xC3, 0xFF] {
                let head = format!("{{\"type\":\"user\",\"p\":\"{padding}");
                let bad = [head.as_bytes(), &[byte], tail, b"\"}\n"].concat();
                let good = [head.as_bytes(), tail, b"\"}\n"].concat();
                let after = [&good[..], &[byte, b'\n']].concat();
                for stream in [bad, after] {
                    for (habit, used) in uses(turn) {
                        let limits = Limits::default();
                        agree(&stream, kernel, limits, WHOLE, (habit, &used));
                    }
                }
            }
        }
    }
}

/// A line at and over the limits of its length and of its number of values.
#[test]
fn the_limits_of_a_prepared_line_are_exact() {
    let line = "{\"type\":\"user\",\"padding\":\"0123456789012345678901234567\
                89012345678901234567890123456789\",\"n\":[1,2,3,4,5,6,7,8]}\n";
    for delta in 0..6 {
        let most = line.len() - 4 + delta;
        for limits in [
            Limits { max_line: most, ..Limits::default() },
            Limits { max_nodes: most, ..Limits::default() },
            Limits { max_nodes: 10 + delta, ..Limits::default() },
            Limits { max_depth: 1 + delta % 2, ..Limits::default() },
        ] {
            for kernel in kernels() {
                for (habit, used) in (0..USES.len()).flat_map(uses) {
                    let line = line.as_bytes();
                    agree(line, kernel, limits, WHOLE, (habit, &used));
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn preparing_lines_changes_nothing(
        stream in stream(),
        pieces in vec(1usize..400, 1..5),
        capacity in 1usize..600,
        habit in 0..USES.len(),
        plan in vec(0..USES.len(), 1..4),
    ) {
        for kernel in kernels() {
            let limits = Limits::default();
            let pieces = (&pieces[..], capacity);
            agree(&stream, kernel, limits, pieces, (habit, &plan));
        }
    }
}

/// The fixtures and the real logs, in each way.
#[test]
fn real_lines_are_read_as_if_they_were_not_prepared() {
    let mut logs = corpus();
    logs.push(written_lines().join(&b'\n'));
    let pieces: (&[usize], usize) = (&[4096, 100, 70_000], 8192);
    for log in logs {
        for used in 0..USES.len() {
            let (kernel, limits) = (Kernel::best(), Limits::default());
            agree(&log, kernel, limits, pieces, (used, &[used]));
        }
    }
}

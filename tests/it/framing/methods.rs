//! The methods of a line return the same in any order, whatever the line was
//! prepared for while its end was searched.
#![cfg(feature = "messages")]

use linetape::{Kernel, Limits, Reader, ReaderBuilder};

use crate::{
    oracle::levels::{METHODS, agree, order},
    support::{
        json::{corpus, kernels, written_lines},
        logs::exhaustive,
    },
};

/// Lines on which finding the end and reading the line can interfere.
const ODD_LINES: [&str; 38] = [
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
    // With duplicate keys, which every second reader refuses.
    "{\"type\":\"user\",\"a\":[{\"b\":1,\"\\u0062\":2}]}",
    "{\"a\":1,\"type\":\"user\",\"a\":2}",
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

/// The stream is read at once.
const WHOLE: &[usize] = &[usize::MAX];

fn with(kernel: Kernel) -> ReaderBuilder {
    Reader::builder().kernel(kernel).unwrap()
}

/// Returns the offsets in two blocks, each with one of the kernels. Every day,
/// it is every seventh offset.
fn offsets() -> impl Iterator<Item = (usize, Kernel)> {
    let step = if exhaustive() { 1 } else { 7 };
    let kernels = kernels().into_iter().cycle();
    (0..130).zip(kernels).step_by(step)
}

/// Lines with something odd at the offsets of a block, before several kinds of
/// next lines, in several orders of the methods.
#[test]
fn a_line_that_is_prepared_is_read_as_any_other() {
    let next = ["", "\n", "\n{\"b\":\"\u{e9}\"}\n", "\n\\\"x\n", "\r\n}]\"\\"];
    for (turn, kernel) in offsets() {
        let padding = format!("{{\"p\":\"{}\",", "x".repeat(turn));
        for (number, line) in ODD_LINES.iter().enumerate() {
            let padded = line.replacen("{\"", &format!("{padding}\""), 1);
            // The numbers of methods and of next lines have no common factor:
            // each method is the first one before each next line. When they had
            // one, this missed fault F66.
            let next = next[(turn + number) % next.len()];
            let stream = format!("{{}}\n{padded}{next}").into_bytes();
            let orders = [order(turn + number), order(turn)];
            let builder = with(kernel).reject_duplicate_keys(turn % 2 == 1);
            agree(&stream, &builder, WHOLE, &orders);
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
                let head =
                    format!("{{}}\n{{\"type\":\"user\",\"p\":\"{padding}");
                let bad = [head.as_bytes(), &[byte], tail, b"\"}\n"].concat();
                let good = [head.as_bytes(), tail, b"\"}\n"].concat();
                let after = [&good[..], &[byte, b'\n']].concat();
                for stream in [bad, after] {
                    let orders = [order(turn)];
                    agree(&stream, &with(kernel), WHOLE, &orders);
                }
            }
        }
    }
}

/// A line at and over the limits of its length and of its number of values.
#[test]
fn the_limits_of_a_prepared_line_are_exact() {
    let line = "{\"type\":\"user\",\"padding\":\"0123456789012345678901234567\
                89012345678901234567890123456789\",\"n\":[1,2,3,4,5,6,7,8]}";
    let stream = format!("{{}}\n{line}\n").into_bytes();
    for delta in 0..6 {
        let most = line.len() - 3 + delta;
        for limits in [
            Limits { max_line: most, ..Limits::default() },
            Limits { max_nodes: most, ..Limits::default() },
            Limits { max_nodes: 10 + delta, ..Limits::default() },
            Limits { max_depth: 1 + delta % 2, ..Limits::default() },
        ] {
            for kernel in kernels() {
                for first in 0..METHODS.len() {
                    let builder = with(kernel).limits(limits);
                    agree(&stream, &builder, WHOLE, &[order(first)]);
                }
            }
        }
    }
}

/// The fixtures and the real logs.
#[test]
fn real_lines_are_read_as_if_they_were_not_prepared() {
    let mut logs = corpus();
    logs.push(written_lines().join(&b'\n'));
    let builder = Reader::builder().buffer_capacity(8192);
    let orders: Vec<_> = (0..METHODS.len()).map(order).collect();
    for log in logs {
        let log = &log[..log.len().min(100_000)];
        agree(log, &builder, &[4096, 100, 70_000], &orders);
    }
}

//! Shuffled, truncated and spliced logs, and real logs.

use std::{
    collections::BTreeMap,
    fmt::Write,
    io::{self, Read},
    slice,
};

use linetape::Reader;

use super::{
    rules::{FLOWS, dialect_named},
    *,
};
use crate::{logs, texts};

// ---- shuffled, truncated and spliced logs ----------------------------------

/// A reader that returns a few bytes at a time.
struct Trickle<'a> {
    rest: &'a [u8],
    sizes: std::iter::Cycle<slice::Iter<'a, usize>>,
}

impl Read for Trickle<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let size = *self.sizes.next().unwrap();
        let size = size.min(out.len()).min(self.rest.len());
        let (now, rest) = self.rest.split_at(size);
        out[..size].copy_from_slice(now);
        self.rest = rest;
        Ok(size)
    }
}

/// Writes a value with the members of all objects in another order.
fn shuffled(value: &Value, seed: u64, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| {
                let bytes = key.bytes().map(u64::from);
                bytes.fold(seed, |n, b| (n ^ b).wrapping_mul(0x100_0000_01b3))
            });
            out.push('{');
            for (at, (key, value)) in members.into_iter().enumerate() {
                write!(
                    out,
                    "{}{}:",
                    if at > 0 { "," } else { "" },
                    json!(key)
                )
                .unwrap();
                shuffled(value, seed, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                shuffled(item, seed, out);
            }
            out.push(']');
        }
        other => write!(out, "{other}").unwrap(),
    }
}

/// Generates a log: a flow, or random lines.
fn any_log() -> impl Strategy<Value = String> {
    let flows: Vec<&str> = FLOWS.iter().map(|(_, log, _)| *log).collect();
    prop_oneof![
        select(flows).prop_map(String::from),
        vec(note(), 0..16)
            .prop_map(|notes| notes.iter().map(Note::saved).collect()),
        vec(stream_note(), 0..16)
            .prop_map(|notes| notes.iter().map(Note::streamed).collect()),
    ]
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn key_order_and_read_size_do_not_change_findings(
        log in any_log(), seed: u64, sizes in vec(1usize..40, 1..5)
    ) {
        let expected = check(&log);
        let mut other = String::new();
        for line in log.lines() {
            shuffled(&serde_json::from_str(line).unwrap(), seed, &mut other);
            other.push('\n');
        }
        // Only byte offsets may differ.
        let texts = |found: &[Finding]| -> Vec<String> {
            let texts = found.iter().map(|f| f.message.clone());
            short(found).into_iter().chain(texts).collect()
        };
        prop_assert_eq!(texts(&check(&other)), texts(&expected));

        let sizes = sizes.iter().cycle();
        let source = Trickle { rest: log.as_bytes(), sizes };
        let mut reader = Reader::new(source);
        let mut checker = Checker::new();
        while let Some(line) = reader.next_line() {
            let line = line.unwrap();
            checker.add(line.peek().unwrap(), line.position());
        }
        prop_assert_eq!(checker.finish(), expected);
    }

    /// Truncating a log after a line does not change the findings about
    /// single lines.
    #[test]
    fn truncating_a_log_keeps_findings_about_single_lines(log in any_log(), cut: prop::sample::Index) {
        let all: Vec<&str> = log.split_inclusive('\n').collect();
        let cut = cut.index(all.len() + 1);
        let found = short(&check(&all[..cut].concat()));
        let is_alone = |found: &&String| {
            let alone = ["field", "structure", "timestamp", "tool_call", "uuid"];
            alone.iter().any(|end| found.ends_with(end))
        };
        let here = |found: &&String| {
            let line = found.split(' ').nth(1).unwrap();
            line.parse::<usize>().unwrap() <= cut
        };
        let whole = short(&check(&log));
        let whole = whole.iter().filter(here).filter(is_alone);
        prop_assert!(found.iter().filter(is_alone).eq(whole));
    }

    /// Random JSON does not cause a panic either.
    #[test]
    fn spliced_logs_do_not_panic(
        one in any_log(), other in any_log(), junk in texts::message(),
        cuts: [prop::sample::Index; 3]
    ) {
        let (one, other) = (one.as_bytes(), other.as_bytes());
        let [a, b, c] = cuts;
        let (a, b) = (a.index(one.len() + 1), b.index(other.len() + 1));
        let log = [&one[..a], &other[b..], b"\n", junk.as_bytes()].concat();
        check_with(Checker::new(), &log);
        let names = ["specification", "transcript", "stream", "server"];
        let forced = Checker::with_dialect(dialect_named(names[c.index(4)]));
        check_with(forced, &log);
    }
}

/// The irregularities of the real logs were reviewed by hand: truncated
/// sessions, missing beginnings, and messages lost in compactions. None is an
/// error, in the whole logs and in parts of them.
#[test]
fn real_logs_have_notes_and_no_errors() {
    let mut table = BTreeMap::new();
    for log in logs::corpus_files() {
        let findings = check_with(Checker::new(), &log);
        for finding in &findings {
            *table.entry((finding.rule, finding.level)).or_insert(0) += 1;
        }
        let lines: Vec<&[u8]> = log.split_inclusive(|b| *b == b'\n').collect();
        for part in 1..6 {
            let cut = lines.len() * part / 6;
            for part in [&lines[..cut], &lines[cut..]] {
                let found = check_with(Checker::new(), &part.concat());
                assert!(found.iter().all(|found| found.level == Level::Note));
            }
        }
    }
    println!("{table:?}");
    assert!(table.keys().all(|(_, level)| *level == Level::Note));
}

use linetape::{Limits, lines};

use super::*;
use crate::{replacement::Replacement, rules::Rules};

const END: End = End::Borrowed(b"\n");

struct Run {
    held: Held,
    cleaner: Cleaner,
    out: String,
}

impl Run {
    fn new(bounds: Bounds) -> Run {
        let cleaner = Cleaner::new(
            Rules::secrets(),
            Replacement::stars(),
            Limits::default(),
        );
        let held = Held { bounds, ..Held::default() };
        Run { held, cleaner, out: String::new() }
    }

    fn line(&mut self, text: &str) {
        let mut lines = lines(text.as_bytes());
        let line = lines.next_line().unwrap().unwrap();
        let event = Event::of(line.checked().unwrap().value());
        let waits =
            self.held.add(&line, &END, event, &mut self.cleaner).unwrap();
        self.take();
        if !waits {
            self.out += text;
        }
    }

    fn end(&mut self) {
        self.held.end_all(&mut self.cleaner);
        self.take();
        assert_eq!(self.held.bytes, 0);
        assert!(self.held.is_empty());
    }

    fn take(&mut self) {
        while let Some((line, end)) = self.held.next() {
            self.out += &String::from_utf8(line).unwrap();
            self.out += &String::from_utf8_lossy(&end);
        }
    }

    fn findings(&mut self) -> usize {
        self.cleaner.notes().len()
    }
}

fn delta(index: u64, text: &str) -> String {
    format!(
        "{{\"type\":\"content_block_delta\",\"index\":{index},\
         \"delta\":{{\"text\":\"{text}\"}}}}\n"
    )
}

fn start(index: u64) -> String {
    format!("{{\"type\":\"content_block_start\",\"index\":{index}}}\n")
}

/// Only the text of lines was counted, so short lines took twenty times the
/// memory.
#[test]
fn the_overhead_of_a_line_counts() {
    let bounds = Bounds { bytes: 40_000, ..Bounds::default() };
    let mut run = Run::new(bounds);
    run.line(&delta(0, "a"));
    for n in 0..1000 {
        run.line("{}\n");
        assert!(run.held.bytes <= bounds.bytes);
        let memory = run.held.lines.len() * (size_of::<Waiting>() + 64);
        assert!(memory <= bounds.bytes, "{n}: {memory}");
    }
    run.end();
    assert_eq!(run.out, delta(0, "***") + &"{}\n".repeat(1000));
}

/// If too much was held, every block was given up, each after a search
/// through all of them.
#[test]
fn only_the_block_that_waits_longest_is_given_up() {
    let mut run = Run::new(Bounds { bytes: 20 * LINE, ..Bounds::default() });
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let (one, two) = token.split_at(9);
    let mut log = delta(0, "a");
    log += &"{}\n".repeat(10);
    log += &delta(1, one);
    log += &"{}\n".repeat(8);
    log += &delta(1, two);
    log.split_inclusive('\n').for_each(|line| run.line(line));
    assert_eq!(run.findings(), 1);
    assert!(run.out.starts_with(&delta(0, "***")));
    run.end();
    let ends = delta(1, "***") + &"{}\n".repeat(8) + &delta(1, "");
    assert!(run.out.ends_with(&ends), "{}", run.out);
}

/// A session that broke off in a block held all lines after it.
#[test]
fn a_block_without_news_is_given_up() {
    let mut run = Run::new(Bounds { idle: 10, ..Bounds::default() });
    run.line(&delta(0, "a"));
    for _ in 0..9 {
        run.line("{}\n");
    }
    run.line(&delta(0, "b"));
    for _ in 0..9 {
        run.line("{}\n");
    }
    assert_eq!(run.out, "", "a piece begins the count again");
    run.line("{}\n");
    let mut expected = delta(0, "***") + &"{}\n".repeat(9);
    expected += &(delta(0, "") + &"{}\n".repeat(10));
    assert_eq!(run.out, expected);
    // The rest of a secret may follow, until a new block begins.
    run.line(&delta(0, "c"));
    run.line(&start(0));
    run.line(&delta(0, "d"));
    run.end();
    expected += &(delta(0, "***") + &start(0) + &delta(0, "d"));
    assert_eq!(run.out, expected);
}

/// Each run took more from the end of a block that is given up.
#[test]
fn a_block_that_is_given_up_twice_is_the_same() {
    let bounds = Bounds { idle: 10, ..Bounds::default() };
    let text = "word ".repeat(2000);
    let log = delta(0, &text) + &delta(0, "x") + &"{}\n".repeat(20);
    let mut first = Run::new(bounds);
    log.split_inclusive('\n').for_each(|line| first.line(line));
    first.end();
    assert!(first.out.contains("word ***"));
    let mut second = Run::new(bounds);
    let lines = first.out.split_inclusive('\n');
    lines.for_each(|line| second.line(line));
    second.end();
    assert_eq!(second.out, first.out);
    assert_eq!(second.findings(), 0);
}

/// A block that never ended was remembered for ever.
#[test]
fn the_number_of_blocks_is_bounded() {
    let mut run = Run::new(Bounds { blocks: 4, ..Bounds::default() });
    let mut expected = String::new();
    for index in 0..10 {
        run.line(&delta(index, "a"));
        expected += &delta(index, if index < 4 { "a" } else { "***" });
    }
    assert!(run.held.blocks.has(key(3)) && !run.held.blocks.has(key(4)));
    // There is room for one, but it may be the middle of a block.
    run.line("{\"type\":\"content_block_stop\",\"index\":0}\n");
    expected += "{\"type\":\"content_block_stop\",\"index\":0}\n";
    run.line(&delta(5, "a"));
    expected += &delta(5, "***");
    run.line("{\"type\":\"result\"}\n");
    run.line(&delta(5, "a"));
    run.end();
    expected += "{\"type\":\"result\"}\n";
    expected += &delta(5, "a");
    assert_eq!(run.out, expected);
}

fn key(index: u64) -> Key {
    let mut lines = lines(b"{}");
    let line = lines.next_line().unwrap().unwrap();
    Key::of(line.checked().unwrap().value(), false, index)
}

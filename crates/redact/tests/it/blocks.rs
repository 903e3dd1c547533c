//! Blocks of lines: the same result as line by line.

use linetape::{Position, ReaderBuilder};
use linetape_redact::{Redactor, RuleLevel};

use crate::{
    planted::planted,
    support::{found, redacted, stars},
};

/// Redacts a log in blocks that end after each `count` lines. Returns the result
/// and the number of bad lines.
fn in_blocks(
    redactor: &mut Redactor,
    log: &[u8],
    count: usize,
) -> (Vec<u8>, u64) {
    let (mut out, mut bad) = (vec![], 0);
    let mut at = Position::START;
    let lines: Vec<&[u8]> = log.split_inclusive(|b| *b == b'\n').collect();
    for block in lines.chunks(count) {
        let each = |line: Result<(), _>| bad += u64::from(line.is_err());
        let reader = ReaderBuilder::new();
        let block = block.concat();
        at = redactor.block(&reader, &block, at, &mut out, each).unwrap();
    }
    redactor.finish(&mut out).unwrap();
    assert_eq!(at.byte(), log.len() as u64);
    (out, bad)
}

#[test]
fn blocks_have_the_result_of_their_lines() {
    let mut log = String::new();
    for planted in planted(1) {
        let secret = serde_json::json!({ "a": planted.whole(), "n": 1 });
        log += "{\"n\": 1.50}\n";
        log += &format!("{secret}\n{{\"type\":\"user\",\"s\":\"os.path\"}}\n");
    }
    log += "{\"type\":\"content_block_delta\",\"index\":0,\
            \"delta\":{\"text\":\"ghp_a1B2a1B2a1B2a1B2\"}}\n{\"n\":2}\n\
            {\"type\":\"content_block_delta\",\"index\":0,\
            \"delta\":{\"text\":\"a1B2a1B2a1B2a1B2a1B2\"}}\n{\"n\":3}";
    for level in [RuleLevel::Secrets, RuleLevel::All] {
        let mut redactor = stars(level);
        let expected = redacted(&mut redactor, log.as_bytes());
        let rules = found(&redactor);
        for count in [1, 2, 7, usize::MAX] {
            redactor.clear_findings();
            let (out, bad) = in_blocks(&mut redactor, log.as_bytes(), count);
            assert!(out == expected, "{level}, {count} lines");
            assert_eq!((found(&redactor), bad), (rules.clone(), 0));
        }
    }
}

#[test]
fn what_is_between_lines_stays_also_while_lines_wait() {
    let delta = "{\"type\":\"content_block_delta\",\"index\":0,\
                 \"delta\":{\"text\":\"a\"}}";
    let log = format!(
        "\u{feff} \r\n{{\"n\":1}}\r\n\n{delta}\r\n \n{{\"n\":\n\t\n\n\
         {{\"n\":2}}\n{delta}\n\n{{\"n\":3}} \n \r"
    );
    let clean = log.replace("{\"n\":\n", "");
    for count in [1, 2, 3, usize::MAX] {
        let mut redactor = stars(RuleLevel::Secrets);
        let (out, bad) = in_blocks(&mut redactor, log.as_bytes(), count);
        assert_eq!(String::from_utf8(out).unwrap(), clean);
        assert_eq!(bad, 1);
    }
}

/// Blank lines after a line that waits were not counted, so they were kept
/// without a bound.
#[test]
fn blank_lines_that_wait_are_bounded() {
    let mut redactor = stars(RuleLevel::Secrets);
    let delta = b"{\"type\":\"content_block_delta\",\"index\":0,\
                  \"delta\":{\"text\":\"a\"}}\n";
    let reader = ReaderBuilder::new();
    let mut out = vec![];
    let start = Position::START;
    let mut at =
        redactor.block(&reader, delta, start, &mut out, |_| {}).unwrap();
    let blank = [&[b' '; 1023][..], b"\n"].concat().repeat(1 << 10);
    for _ in 0..65 {
        at = redactor.block(&reader, &blank, at, &mut out, |_| {}).unwrap();
    }
    assert!(out.len() > 60 << 20, "{}", out.len());
}

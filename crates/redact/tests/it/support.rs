//! Runs redactions.

use std::{collections::BTreeMap, sync::Mutex};

use linetape::{Error, lines};
use linetape_redact::{Redactor, Replacement, RuleLevel, Rules};

pub const KEY: &[u8] = b"the key of the tests, 32 bytes..";

/// All replacements.
pub fn replacements() -> Vec<Replacement> {
    vec![
        Replacement::stars(),
        Replacement::text("[gone]").unwrap(),
        Replacement::pseudonym(KEY).unwrap(),
        Replacement::removal(),
    ]
}

/// The rules of a level, whose patterns are compiled once for all tests.
pub fn rules(level: RuleLevel) -> Rules {
    static LEVELS: Mutex<BTreeMap<RuleLevel, Rules>> =
        Mutex::new(BTreeMap::new());
    let make = || match level {
        RuleLevel::Secrets => Rules::secrets(),
        _ => Rules::builder().level(level).build().unwrap(),
    };
    LEVELS.lock().unwrap().entry(level).or_insert_with(make).clone()
}

pub fn secrets() -> Rules {
    rules(RuleLevel::Secrets)
}

pub fn stars(level: RuleLevel) -> Redactor {
    Redactor::new(rules(level), Replacement::stars())
}

/// Redacts a log.
pub fn redacted(redactor: &mut Redactor, log: &[u8]) -> Vec<u8> {
    try_redacted(redactor, log).unwrap()
}

pub fn try_redacted(
    redactor: &mut Redactor,
    log: &[u8],
) -> Result<Vec<u8>, Error> {
    let mut out = vec![];
    let mut lines = lines(log);
    while let Some(line) = lines.next_line() {
        redactor.line(&line?, &mut out)?;
    }
    redactor.finish(&mut out)?;
    Ok(out)
}

/// Redacts a log, and returns it as a text.
pub fn text(redactor: &mut Redactor, log: &str) -> String {
    String::from_utf8(redacted(redactor, log.as_bytes())).unwrap()
}

/// Redacts a text, as a string of a line and as a text.
pub fn redacts(level: RuleLevel, before: &str, after: &str) {
    let mut redactor = stars(level);
    let line = serde_json::json!({ "a": before }).to_string();
    let expected = serde_json::json!({ "a": after }).to_string();
    assert_eq!(text(&mut redactor, &line), expected);
    assert_eq!(redactor.text(before), after);
}

/// The names of the rules that found something, in order.
pub fn found(redactor: &Redactor) -> Vec<String> {
    redactor.findings().map(|finding| finding.rule.to_string()).collect()
}

/// Ways to write a text in a JSON string: as it is, with short escapes, and
/// with long ones for some or all characters.
pub fn spellings(text: &str) -> Vec<String> {
    let long = |c: char| {
        let mut units = [0; 2];
        let units = c.encode_utf16(&mut units);
        units.iter().map(|u| format!("\\u{u:04x}")).collect::<String>()
    };
    let short = |c: char| match c {
        '"' => "\\\"".to_string(),
        '\\' => "\\\\".to_string(),
        '\n' => "\\n".to_string(),
        '\t' => "\\t".to_string(),
        '\r' => "\\r".to_string(),
        c if c < ' ' => long(c),
        c => c.to_string(),
    };
    let ways: [fn(usize) -> bool; 4] =
        [|_| false, |_| true, |n| n % 3 == 1, |n| n == 2];
    let mut all: Vec<String> = vec![];
    for is_long in ways {
        let chars = text.chars().enumerate();
        let spell = |(n, c): (usize, char)| match is_long(n) {
            true => long(c),
            false => short(c),
        };
        all.push(chars.map(spell).collect());
    }
    all.push(all[0].replace('/', "\\/"));
    all.push(all[1].to_uppercase().replace("\\U", "\\u"));
    all
}

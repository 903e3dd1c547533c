//! Redaction, compared with a slow and simple one: decode the line with
//! serde_json, and try each regular expression at each character of each
//! string, without literals.

use std::{collections::BTreeMap, sync::OnceLock};

use linetape_redact::{
    Redactor, Replacement, Rule, RuleLevel, Rules, builtin,
};
use proptest::{collection::vec, prelude::*, sample::select};
use regex_automata::{Anchored, Input, Span, meta::Regex};
use serde_json::Value;

use crate::{
    logs,
    planted::planted,
    support::{found, redacted, stars},
};

struct Naive(Vec<(&'static Rule, Regex)>);

impl Naive {
    /// The rules of the level `secrets`, compiled once for all tests.
    fn secrets() -> &'static Naive {
        static SECRETS: OnceLock<Naive> = OnceLock::new();
        SECRETS.get_or_init(|| {
            let of_level = |r: &&Rule| r.level() <= RuleLevel::Secrets;
            let rules = builtin().iter().filter(of_level);
            let regex = |r: &Rule| Regex::new(r.pattern()).unwrap();
            Naive(rules.map(|rule| (rule, regex(rule))).collect())
        })
    }

    fn text(&self, text: &str) -> String {
        let mut gone = vec![false; text.len()];
        for (rule, regex) in &self.0 {
            let mut captures = regex.create_captures();
            for (at, _) in text.char_indices() {
                // A text that begins here has no word before it.
                let cut = if begins_word(text, at) { at } else { 0 };
                let input = Input::new(&text[cut..])
                    .range(at - cut..)
                    .anchored(Anchored::Yes);
                regex.search_captures(&input, &mut captures);
                let mut groups = (1..captures.group_len()).chain([0]);
                let group = groups.find_map(|n| captures.get_group(n));
                let Some(span) = group else {
                    continue;
                };
                let span = Span::from(span.start + cut..span.end + cut);
                let end = captures.get_match().unwrap().end() + cut;
                if rule.keeps(text, at..end, span.range()) {
                    continue;
                }
                // The length of this one is not in its pattern.
                let is_short =
                    rule.name() == "vault-legacy" && span.len() < 26;
                // Base64 of zeros begins like these.
                let names = ["aws-bedrock", "facebook-page", "square"];
                let is_chance =
                    at > 0 && names.contains(&rule.name()) && is_blob(text);
                let is_made = text
                    .match_indices("***")
                    .any(|(at, _)| at <= span.start && span.end <= at + 3);
                if !is_short && !is_chance && !is_made {
                    gone[span.range()].fill(true);
                }
            }
        }
        // A part of base64 takes all of it with it.
        if is_blob(text) && gone.contains(&true) {
            gone.fill(true);
        }
        let mut clean = String::new();
        let mut was_gone = false;
        for (at, c) in text.char_indices() {
            if !gone[at] {
                clean.push(c);
            } else if !was_gone {
                clean += "***";
            }
            was_gone = gone[at];
        }
        clean
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Array(items) => {
                items.iter().map(|item| self.value(item)).collect()
            }
            Value::Object(map) => {
                let members = map
                    .iter()
                    .map(|(key, value)| (self.text(key), self.value(value)));
                Value::Object(members.collect())
            }
            other => other.clone(),
        }
    }
}

/// Whether a token may begin here although there is a letter, a digit or an
/// underscore before it: after `_` (`OLD_sk-...`), after a percent escape
/// (`%3Dsk-...`), and after a colour of a terminal.
fn begins_word(text: &str, at: usize) -> bool {
    let is_hex = |byte: &u8| byte.is_ascii_hexdigit();
    match text.as_bytes()[..at] {
        [.., b'_'] => true,
        [.., b'%', high, low] => is_hex(&high) && is_hex(&low),
        _ => ["\x1b[32m", "\x1b[0m"].iter().any(|c| text[..at].ends_with(c)),
    }
}

/// Whether a text is base64: of at least 64 bytes, with an upper-case letter,
/// and with few signs.
fn is_blob(text: &str) -> bool {
    let is_sign = |c: char| "+/-_".contains(c);
    let digits = text.trim_end_matches('=');
    text.len() >= 64
        && digits.chars().all(|c| c.is_ascii_alphanumeric() || is_sign(c))
        && digits.chars().filter(|c| is_sign(*c)).count() <= text.len() / 8
        && digits.contains(|c: char| c.is_ascii_uppercase())
}

/// Words, secrets, and what stands between them. Without a backslash, since
/// only linetape looks for JSON inside of strings.
fn prose() -> impl Strategy<Value = String> {
    let secrets: Vec<String> =
        planted(11).iter().map(|planted| planted.whole()).collect();
    let word = prop_oneof![
        3 => select(vec![
            "the", "sk-", "ghp_", "eyJ", "AKIA", "https://", "s.", "a@b.org",
            "/home/me", "://u:", "@", "-----BEGIN", "Bearer ", "0.1", "é", "🍎",
        ]).prop_map(String::from),
        2 => "[ -\\[\\]-~]{0,20}",
        1 => select(vec!["OLD_", "%3D", "%zz", "\x1b[32m", "\x1b[0m"]).prop_map(String::from),
        3 => select(secrets),
    ];
    let between = select(vec![" ", "\n", "\"", ", ", "=", "", "/", "."]);
    vec((word, between), 0..6).prop_map(|parts| {
        parts.into_iter().flat_map(|(word, b)| [word, b.to_string()]).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: std::env::var("PROPTEST_CASES").ok()
            .and_then(|n| n.parse().ok()).unwrap_or(32),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn redaction_agrees_with_the_reference_implementation(
        texts in vec(prose(), 1..4),
        spelling in 0_usize..6,
    ) {
        let naive = Naive::secrets();
        let members: BTreeMap<String, &String> =
            texts.iter().enumerate().map(|(n, t)| (format!("k{n}"), t)).collect();
        let parts: Vec<String> = members
            .iter()
            .map(|(k, text)| {
                let text = &crate::support::spellings(text)[spelling];
                format!("\"{k}\" : \"{text}\"")
            })
            .collect();
        let line = format!("{{{}, \"n\":1.50}}", parts.join(" ,"));
        let mut redactor = stars(RuleLevel::Secrets);
        let ours = redacted(&mut redactor, line.as_bytes());
        let value: Value = serde_json::from_str(&line).unwrap();
        let mut expected = naive.value(&value);
        // Until nothing is left to do.
        loop {
            let next = naive.value(&expected);
            if next == expected {
                break;
            }
            expected = next;
        }
        let ours_value: Value = serde_json::from_slice(&ours).unwrap();
        prop_assert_eq!(ours_value, expected);
        prop_assert_eq!(
            ours == line.as_bytes(), found(&redactor).is_empty()
        );
    }

    /// The name of a command and its option are searched separately.
    #[test]
    fn options_of_commands_agree_with_the_pattern(
        parts in vec(select(vec![
            "curl", "curl ", " curl ", "CURL", " -u ", " -sU", " --user=",
            " --proxy-user ", " -u a:bcd", "\n-u a:bcd", "a:bcd", "a:e f", "\"", "'", "\n", "r\n", "\r\n",
            "\\\n", "\\\r\n", "^\n", "`\n", ";", " | ", "é", "x", "_", " ",
        ]), 0..24),
    ) {
        let rule = builtin().iter().find(|rule| rule.name() == "curl-user");
        let rule = rule.unwrap();
        let naive = Naive(vec![(rule, Regex::new(rule.pattern()).unwrap())]);
        let line = serde_json::json!({ "a": parts.concat() });
        // Without `login-option`, which takes some of these texts for the
        // password of another command.
        let alone = Rules::builder().level(RuleLevel::None);
        let alone = alone.enable("curl-user").build().unwrap();
        let mut redactor = Redactor::new(alone, Replacement::stars());
        let ours = redacted(&mut redactor, line.to_string().as_bytes());
        let mut expected = naive.value(&line);
        loop {
            let next = naive.value(&expected);
            if next == expected {
                break;
            }
            expected = next;
        }
        let ours: Value = serde_json::from_slice(&ours).unwrap();
        prop_assert_eq!(ours, expected);
    }
}

/// Bytes outside of what was found are the same, on real logs.
#[test]
fn real_and_shipped_logs_keep_everything_else() {
    let mut files: Vec<Vec<u8>> =
        logs::fixtures().into_iter().map(|(_, bytes)| bytes).collect();
    files.extend(logs::corpus_files());
    let naive = Naive::secrets();
    let mut counts = BTreeMap::<(RuleLevel, String), usize>::new();
    let (mut same, mut compared) = (0, 0);
    for level in [RuleLevel::Secrets, RuleLevel::Personal, RuleLevel::All] {
        let mut redactor = stars(level);
        for (n, line) in
            files.iter().flat_map(|f| f.split(|&b| b == b'\n')).enumerate()
        {
            let mut lines = linetape::lines(line);
            let Some(Ok(read)) = lines.next_line() else { continue };
            let mut out = vec![];
            if redactor.line(&read, &mut out).is_err() {
                assert!(read.check().is_err());
                continue;
            }
            redactor.finish(&mut out).unwrap();
            let names = found(&redactor);
            redactor.clear_findings();
            if names.is_empty() {
                assert_eq!(out, read.as_bytes());
                same += 1;
            } else {
                assert_ne!(out, read.as_bytes());
                linetape::Decoder::new().line(&out).check().unwrap();
            }
            for name in names {
                *counts.entry((level, name)).or_default() += 1;
            }
            // The slow way takes seconds for each megabyte.
            if level == RuleLevel::Secrets && n % 97 == 0 && line.len() < 2000
            {
                let value: Value = serde_json::from_slice(line).unwrap();
                let ours: Value = serde_json::from_slice(&out).unwrap();
                if !String::from_utf8_lossy(line).contains("\\\\") {
                    assert_eq!(ours, naive.value(&value));
                    compared += 1;
                }
            }
        }
    }
    assert!(same > 100 && compared > 0, "{same} {compared}");
    for ((level, name), count) in counts {
        println!("{level} {name} {count}");
    }
}

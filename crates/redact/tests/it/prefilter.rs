//! The search for literals, and the automata that read strings as they are
//! written, compared with a search of every string.
//!
//! A rule of the caller turns both off: then every string of a line is
//! unescaped and searched. `differential` compares that with regular expressions
//! alone.

use linetape_redact::{Redactor, Replacement, RuleLevel, Rules};
use proptest::{collection::vec, prelude::*, sample::select};

use crate::{
    logs::exhaustive,
    planted::planted,
    support::{found, spellings, text},
    texts::cases,
};

/// A redactor, and one that searches every string.
fn both(level: RuleLevel) -> [Redactor; 2] {
    // With stars, the pseudonyms of ids would be different.
    let how = || Replacement::pseudonym(b"sixteen bytes, at least").unwrap();
    let rules = Rules::builder().level(level);
    let all = rules.clone().pattern("nothing", r"[^\s\S]");
    [rules, all].map(|rules| Redactor::new(rules.build().unwrap(), how()))
}

/// Both redact a line in the same way, and find the same.
fn compare(line: &str, [fast, slow]: &mut [Redactor; 2]) {
    fast.clear_findings();
    slow.clear_findings();
    assert_eq!(text(fast, line), text(slow, line), "{line}");
    let mut names = [found(fast), found(slow)];
    names.iter_mut().for_each(|names| names.sort());
    assert_eq!(names[0], names[1], "{line}");
}

/// What can be before and behind a secret, as it reads.
const AROUND: &[(&str, &str)] = &[
    ("", ""),
    ("x ", " y"),
    ("\n", "\n"),
    ("\t\"", "\","),
    ("é", "🍎"),
    ("n", "n"),
    ("\\", "\\"),
    ("\\n", "\\n"),
    ("%3D", "&a=1"),
    ("OLD_", "/"),
    ("key: '", "'"),
];

/// Texts of higher levels, which are not among the planted ones.
const PERSONAL: &[&str] = &[
    "ada@example.org",
    "/home/ada/x",
    "/Users/ada b/x",
    r"C:\Users\ada\x",
    r"c:\\users\\ada",
    "-home-ada-x",
    "%2Fhome%2Fada%2F",
    "10.1.2.3",
    "fe80::1:2",
    "2001:db8:1:2:3:4:5:6",
    "12:34:56",
    "password = abc123!x",
    "api_key: 'abcdefgh1234'",
    "\"cwd\": \"/srv/x\"",
    "1.2.3",
    "foo@bar",
];

#[test]
fn every_secret_in_every_spelling_is_seen() {
    let secrets = planted(5).into_iter().map(|planted| planted.whole());
    let personal = PERSONAL.iter().map(|text| text.to_string());
    let all: Vec<String> = secrets.chain(personal).collect();
    let turns = if exhaustive() { 3 } else { 1 };
    for level in [RuleLevel::Secrets, RuleLevel::Personal, RuleLevel::All] {
        let mut both = both(level);
        for (number, secret) in all.iter().enumerate() {
            for turn in 0..turns {
                let (before, after) =
                    AROUND[(number * 3 + turn) % AROUND.len()];
                let whole = format!("{before}{secret}{after}");
                for spelling in spellings(&whole) {
                    let once = format!("{{\"a\":\"{spelling}\"}}");
                    compare(&once, &mut both);
                    // As a key, in a list, and in JSON inside of a string.
                    compare(&format!("{{\"{spelling}\":[1]}}"), &mut both);
                    let list = format!("{{\"cwd\":[\"{spelling}\",\"b\"]}}");
                    compare(&list, &mut both);
                    let inner = serde_json::to_string(&once).unwrap();
                    compare(&format!("{{\"a\":{inner}}}"), &mut both);
                }
            }
        }
    }
}

/// A key is context for the value, and for the items of a list.
#[test]
fn what_begins_in_a_key_is_seen() {
    let mut both = both(RuleLevel::All);
    let value = "Basic YWxhZGRpbjpvcGVuc2VzYW1l";
    for key in ["authorization", "Authorization", "x-authorization", "auth"] {
        for line in [
            format!("{{\"{key}\":\"{value}\"}}"),
            format!("{{\"{key}\" : \"{value}\",\"b\":\"{value}\"}}"),
            format!("{{\"{key}\":[\"x\",\"{value}\"],\"c\":\"{value}\"}}"),
            format!("{{\"{key}\":{{\"d\":\"{value}\"}}}}"),
        ] {
            compare(&line, &mut both);
        }
    }
    for key in ["password", "token", "tokens", "api_key"] {
        compare(&format!("{{\"{key}\":\"abcdef12345\"}}"), &mut both);
        compare(&format!("{{\"{key}\":[\"abcdef12345\"]}}"), &mut both);
    }
}

/// Parts of lines with escapes at all places, as they are written.
fn written() -> impl Strategy<Value = String> {
    let secrets: Vec<String> = planted(7)
        .into_iter()
        .map(|planted| planted.whole())
        .chain(PERSONAL.iter().map(|text| text.to_string()))
        .map(|text| {
            let quoted = serde_json::to_string(&text).unwrap();
            quoted[1..quoted.len() - 1].to_string()
        })
        .collect();
    let part = prop_oneof![
        3 => select(secrets),
        3 => select(vec![
            r"\n", r"\\", r"\\n", r#"\""#, r#"\\\""#, r"\t", r"\/", r"\u0061",
            r"\\u0061", " ", ":", "=", "@", "/", ".", "sk-", "ghp_", "eyJ",
            "s.", "pat", "key-", "/Users/", r"\\Users\\", "token", "://",
            "Bearer ", "curl ", "-----BEGIN", "1.", "::", "***", "é", "_",
        ]).prop_map(String::from),
        1 => "[ !#-\\[\\]-~]{0,20}",
    ];
    vec(part, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn any_line_is_redacted_as_if_every_string_were_searched(
        texts in vec(written(), 1..4),
        key in select(vec!["a", "cwd", "id", "token", "Authorization"]),
        level in select(vec![RuleLevel::Secrets, RuleLevel::All]),
    ) {
        let mut both = both(level);
        let list = texts.join("\",\"");
        let first = &texts[0];
        let line = format!(
            "{{\"{key}\":\"{first}\",\"l\":[\"{list}\"],\"{first}\":\"x\"}}"
        );
        compare(&line, &mut both);
    }
}

//! Redaction of planted secrets, in every encoding that JSON allows.

use std::sync::OnceLock;

use linetape::{Decoder, lines};
use linetape_redact::{Redactor, Replacement, Rules};

use super::{Choices, split, tree::Tree};

/// A key for pseudonyms.
const KEY: &[u8] = b"the key of the oracle, 32 bytes.";

/// Secrets, which are made here so that no scanner reports this file.
fn secrets() -> &'static [String] {
    static SECRETS: OnceLock<Vec<String>> = OnceLock::new();
    SECRETS.get_or_init(|| {
        vec![
            format!("ghp_{}", "a1B2".repeat(9)),
            format!("AKIA{}", "Q2W3E4R5T6Y7U2I3"),
            format!(
                "sk-ant-api03-{}AA",
                "x9Y-z".repeat(19).get(..93).unwrap()
            ),
            format!("npm_{}", "k3J4h5".repeat(6)),
            format!("glpat-{}", "Zx9Cv8Bn7Mq6Ws5Ed4Rf"),
            format!(
                "xoxb-{}-{}",
                "123456789012", "1234567890123-aB3dE5gH7jK9mN1pQ3rS5tU7"
            ),
        ]
    })
}

/// Returns a redactor with one of four replacements.
fn redactor(how: usize) -> Redactor {
    static RULES: OnceLock<Rules> = OnceLock::new();
    let rules = RULES.get_or_init(Rules::secrets);
    let how = match how {
        0 => Replacement::stars(),
        1 => Replacement::text("[gone]").unwrap(),
        2 => Replacement::pseudonym(KEY).unwrap(),
        _ => Replacement::removal(),
    };
    Redactor::new(rules.clone(), how)
}

/// The lines of the text, with a line between them that has a planted secret.
pub fn redact(data: &[u8]) {
    let (text, mut choices) = split(data);
    let secret = &secrets()[choices.below(secrets().len())];
    let (mut redactor, mut alone) = (redactor(choices.below(4)), redactor(0));
    let mut log: Vec<&[u8]> =
        text.split(|byte| *byte == b'\n').take(20).collect();
    let planted = planted(secret, &mut choices);
    log.insert(choices.below(log.len() + 1), planted.as_bytes());
    let log = log.join(&b'\n');

    let mut out = vec![];
    let mut reader = lines(&log);
    let mut written = 0;
    while let Some(line) = reader.next_line() {
        let Ok(line) = line else { continue };
        unchanged(line.as_bytes(), &mut alone);
        let done = redactor.line(&line, &mut out);
        let is_planted = line.as_bytes() == planted.as_bytes();
        assert!(done.is_ok() || !is_planted, "{done:?} {planted}");
        written += usize::from(done.is_ok());
    }
    redactor.finish(&mut out).unwrap();

    let shown = || String::from_utf8_lossy(&log).into_owned();
    let made: Vec<&[u8]> =
        out.split(|byte| *byte == b'\n').filter(|l| !l.is_empty()).collect();
    assert_eq!(made.len(), written, "{}", shown());
    for line in made {
        assert!(Decoder::new().line(line).check().is_ok(), "{}", shown());
        let Some(tree) = Tree::read(line) else { continue };
        tree.texts(&mut |text| {
            let mut text = text.to_string();
            for _ in 0..4 {
                assert!(!text.contains(&**secret), "{planted} in {}", shown());
                text = unescaped(&text);
            }
        });
    }

    let mut twice = vec![];
    let mut reader = lines(&out);
    while let Some(line) = reader.next_line() {
        redactor.line(&line.unwrap(), &mut twice).unwrap();
    }
    redactor.finish(&mut twice).unwrap();
    let again = String::from_utf8_lossy(&twice);
    assert_eq!(again, String::from_utf8_lossy(&out), "{}", shown());
}

/// A line in which nothing is found is the same, if it is a log by itself.
fn unchanged(line: &[u8], redactor: &mut Redactor) {
    redactor.clear_findings();
    let (mut decoder, mut out) = (Decoder::new(), vec![]);
    let done = redactor.line(&decoder.line(line), &mut out);
    let done = done.and_then(|()| redactor.finish(&mut out));
    if done.is_ok() && redactor.findings().next().is_none() {
        assert_eq!(out.strip_suffix(b"\n"), Some(line));
    }
}

/// Returns a line that has the secret somewhere: in a value or a key, as it is
/// or in JSON inside of a string, up to three times.
fn planted(secret: &str, choices: &mut Choices) -> String {
    const AROUND: [&str; 9] =
        ["", " ", "\n", "\"", "key: ", "(", "é ", "🍎 ", "\t"];
    let mut text = format!(
        "{}{secret}{}",
        choices.one_of(&AROUND),
        choices.one_of(&["", " ", "\n", "\"", ",", ")", " é", "\r\n"])
    );
    for _ in 0..choices.below(3) {
        let inner = spelled(&text, choices);
        text = match choices.below(3) {
            0 => format!("{{\"a\": \"{inner}\", \"n\":1}}"),
            1 => format!("[\"{inner}\"]"),
            // JSON that is not complete.
            _ => format!("{{\"path\":\"x\",\"text\":\"{inner}\"",),
        };
    }
    let text = spelled(&text, choices);
    match choices.below(5) {
        0 => format!("{{\"{text}\":1.50}}"),
        1 => format!("{{\"n\":1.0,\"id\" : \"{text}\"}}"),
        2 => format!("{{\"type\":\"user\",\"a\":[{{\"b\":\"{text}\"}}]}}"),
        3 => format!("{{\"a\":\"x\",\"a\":\"{text}\",\"c\":null}}"),
        _ => format!("{{\"text\":\"{text}\"}}"),
    }
}

/// Writes a text as the content of a JSON string, with any escapes.
fn spelled(text: &str, choices: &mut Choices) -> String {
    // How many characters of 8 have a long escape.
    let long = choices.one_of(&[0, 0, 1, 4, 8]);
    let mut out = String::new();
    for c in text.chars() {
        if choices.below(8) < long {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out += &match choices.below(2) {
                    0 => format!("\\u{unit:04x}"),
                    _ => format!("\\u{unit:04X}"),
                };
            }
            continue;
        }
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\t' => out += "\\t",
            '/' if choices.below(2) == 0 => out += "\\/",
            c => out.push(c),
        }
    }
    out
}

/// Replaces all escapes of a text, whether it is JSON or not.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out += before;
        let code = after.strip_prefix('u').and_then(|code| code.get(..4));
        let code = code.and_then(|code| u32::from_str_radix(code, 16).ok());
        if let Some(code) = code {
            out.push(char::from_u32(code).unwrap_or('\u{FFFD}'));
            rest = &after[5..];
            continue;
        }
        let mut chars = after.chars();
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some(c) => out.push(c),
            None => {}
        }
        rest = chars.as_str();
    }
    out + rest
}

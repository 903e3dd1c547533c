//! Lines: what stays, identifiers, base64, documents, and bad lines.

use linetape::ErrorKind;
use linetape_redact::{Redactor, Replacement, RuleLevel, Rules};

use crate::support::{
    KEY, found, redacted, rules, secrets, stars, text, try_redacted,
};

fn token() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

#[test]
fn untouched_lines_are_the_same_bytes() {
    let log = concat!(
        " { \"a\" : 1.0e+2 , \"a\":\"\\u0041\\/\" }\t\n",
        "{\"type\":\"x\",\"n\":-0}\n",
        "{\"last\":\"without newline\"}"
    );
    let mut redactor = stars(RuleLevel::All);
    assert_eq!(text(&mut redactor, log), log);
    assert!(found(&redactor).is_empty());
}

#[test]
fn escapes_beside_a_secret_stay() {
    let token = token();
    let line =
        format!("{{\"\\u0061\" :\"\\u00e9\\t{token}\\/\\\"\", \"n\":1.50}}");
    let ours = text(&mut stars(RuleLevel::Secrets), &line);
    assert_eq!(ours, r#"{"\u0061" :"\u00e9\t***\/\"", "n":1.50}"#);
}

/// With stars, two identifiers would become the same one.
#[test]
fn identifiers_keep_their_references() {
    let (one, two) = (token(), token().replace('B', "C"));
    let log = format!(
        "{{\"uuid\":\"{one}\"}}\n{{\"uuid\":\"{two}\",\"parentUuid\":\"{one}\"}}\n"
    );
    for how in [Replacement::stars(), Replacement::pseudonym(KEY).unwrap()] {
        let mut redactor = Redactor::new(secrets(), how);
        let ours = text(&mut redactor, &log);
        assert!(!ours.contains("ghp_"), "{ours}");
        let values: Vec<serde_json::Value> =
            ours.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        assert_eq!(values[0]["uuid"], values[1]["parentUuid"]);
        assert_ne!(values[0]["uuid"], values[1]["uuid"]);
        assert_eq!(text(&mut redactor, &ours), ours);
    }
}

#[test]
fn base64_is_never_torn() {
    let inside = format!(
        "{}/AKIA{}/{}",
        "QUJD".repeat(20),
        "QWERTYUIOPASDFGH",
        "ZZZZ".repeat(9)
    );
    let line = format!("{{\"data\":\"{inside}\",\"b\":\"x\"}}");
    let ours = text(&mut stars(RuleLevel::Secrets), &line);
    assert_eq!(ours, r#"{"data":"***","b":"x"}"#);
    // Escaped slashes are base64 too.
    let line = line.replace('/', "\\/");
    let ours = text(&mut stars(RuleLevel::Secrets), &line);
    assert_eq!(ours, r#"{"data":"***","b":"x"}"#);
}

#[test]
fn images_are_dropped_by_choice() {
    let data = "iVBORw0KGgo".repeat(9);
    let line = format!(
        r#"{{"source":{{"type":"base64","data":"{data}"}},"url":"data:image/png;base64,{data}","data":"short"}}"#
    );
    assert_eq!(text(&mut stars(RuleLevel::Secrets), &line), line);
    let rules = Rules::builder().drop_images(true).build().unwrap();
    let mut redactor = Redactor::new(rules, Replacement::stars());
    let ours = text(&mut redactor, &line);
    assert_eq!(
        ours,
        r#"{"source":{"type":"base64","data":"***"},"url":"***","data":"short"}"#
    );
    assert_eq!(found(&redactor), ["image", "image"]);
}

#[test]
fn a_bad_line_is_not_passed_on() {
    let token = token();
    for bad in [
        format!("{{\"a\":\"{token}\""),
        format!("{{\"a\":[1,,\"{token}\"]}}"),
        token.clone(),
        "{\"a\":01}".to_string(),
    ] {
        let mut redactor = stars(RuleLevel::Secrets);
        let mut out = vec![];
        let mut lines = linetape::lines(bad.as_bytes());
        let line = lines.next_line().unwrap().unwrap();
        assert!(redactor.line(&line, &mut out).unwrap_err().is_recoverable());
        assert!(out.is_empty());
        let log = format!("{bad}\n{{}}\n");
        assert!(try_redacted(&mut redactor, log.as_bytes()).is_err());
    }
}

#[test]
fn a_sink_that_fails_is_an_error_that_ends_the_run() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("full"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut lines = linetape::lines(b"{}\n");
    let line = lines.next_line().unwrap().unwrap();
    let error = stars(RuleLevel::Secrets).line(&line, &mut Full).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(!error.is_recoverable());

    // Lines that were held when the sink failed got into the next log.
    let held =
        br#"{"type":"content_block_delta","index":0,"delta":{"text":"a"}}
"#;
    let mut redactor = stars(RuleLevel::Secrets);
    let mut lines = linetape::lines(held);
    let line = lines.next_line().unwrap().unwrap();
    redactor.line(&line, &mut Full).unwrap();
    assert_eq!(redactor.finish(&mut Full).unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(text(&mut redactor, "{}\n"), "{}\n");
}

#[test]
fn documents_and_texts_are_redacted_too() {
    let token = token();
    let mut redactor = stars(RuleLevel::Personal);
    let document =
        format!("{{\n  \"cwd\": \"/srv\",\n  \"t\": \"{token}\"\n}}\n");
    let ours = redactor.document(document.as_bytes()).unwrap();
    assert_eq!(ours, b"{\n  \"cwd\": \"***\",\n  \"t\": \"***\"\n}\n");
    redactor.clear_findings();
    // Numbers in an array stayed.
    let list = "[{\"cwd\": \"/srv\",\n\"user_id\": 77}, [1]]\n";
    let ours = redactor.document(list.as_bytes()).unwrap();
    let expected = "[{\"cwd\": \"***\",\n\"user_id\": \"***\"}, [1]]\n";
    assert_eq!(String::from_utf8(ours).unwrap(), expected);
    redactor.clear_findings();
    let list = format!("[\"{token}\",\n\"\\u0067{}\"]", &token[1..]);
    let ours = redactor.document(list.as_bytes()).unwrap();
    assert_eq!(ours, b"[\"***\",\n\"***\"]");
    let places: Vec<_> = redactor
        .findings()
        .map(|f| (f.position.line(), f.position.byte()))
        .collect();
    assert_eq!(places, [(1, 2), (2, 46)]);
    assert!(redactor.document(b"\xFF\xFE").is_err());
    assert_eq!(redactor.text("-home-ada-x.jsonl"), "-home-***-x.jsonl");
}

#[test]
fn what_a_replacement_makes_is_found_too() {
    // Without the token in its middle, another token is left.
    let token = token();
    let (start, end) = token.split_at(3);
    let line = format!("{{\"a\":\"{start}{token}{end}\"}}");
    let mut redactor = Redactor::new(secrets(), Replacement::removal());
    let ours = text(&mut redactor, &line);
    assert!(!ours.contains("ghp_"), "{ours}");
}

/// After some rounds, the token that was left stayed in the text.
#[test]
fn a_text_that_never_settles_goes_as_a_whole() {
    let token = token();
    let (start, end) = token.split_at(3);
    let nested =
        (0..20).fold(token.clone(), |text, _| format!("{start}{text}{end}"));
    let mut redactor = Redactor::new(secrets(), Replacement::removal());
    let left = redactor.text(&format!("a {nested} b")).to_string();
    assert!(!left.contains(&token), "{left}");
}

#[test]
fn replacements_that_need_escapes_are_refused() {
    for bad in ["\"", "a\\b", "\n", "\u{85}"] {
        assert!(Replacement::text(bad).is_err());
    }
    assert!(Replacement::pseudonym(b"short").is_err());
    let shown = format!("{:?}", Replacement::pseudonym(KEY).unwrap());
    assert_eq!(shown, "Pseudonym");
}

#[test]
fn the_same_secret_has_the_same_name_however_it_is_written() {
    let token = token();
    let spelled = token.replace('a', "\\u0061");
    let mut redactor =
        Redactor::new(secrets(), Replacement::pseudonym(KEY).unwrap());
    let log = format!("{{\"a\":\"{token}\",\"b\":\"{spelled}\"}}\n");
    let ours = redacted(&mut redactor, log.as_bytes());
    let value: serde_json::Value = serde_json::from_slice(&ours).unwrap();
    assert_eq!(value["a"], value["b"]);
    let other = Replacement::pseudonym(b"another key of the tests").unwrap();
    let mut redactor = Redactor::new(secrets(), other);
    assert_ne!(redacted(&mut redactor, log.as_bytes()), ours);
}

/// The key of a member was not looked at, so nothing was found at any level.
#[test]
fn a_key_is_the_context_of_its_value() {
    let key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYabcdefgh12";
    let line = format!(
        r#"{{"SecretAccessKey":"{key}","h":{{"Authorization":"Basic dXNlcjpwYXNzd29yZA=="}},"n":"{key}"}}"#
    );
    let ours = text(&mut stars(RuleLevel::Secrets), &line);
    let expected = format!(
        r#"{{"SecretAccessKey":"***","h":{{"Authorization":"Basic ***"}},"n":"{key}"}}"#
    );
    assert_eq!(ours, expected);
    let line = r#"{"password":"hunter2hunter2"}"#;
    assert_eq!(text(&mut stars(RuleLevel::None), line), line);
    for level in [RuleLevel::Secrets, RuleLevel::All] {
        assert_eq!(text(&mut stars(level), line), r#"{"password":"***"}"#);
    }
}

/// A rule matched a part of its own pseudonym, and the run ended.
#[test]
fn a_pseudonym_is_not_found_again() {
    let line = r#"{"t":"in -home-ada-x, /home/ada and a@b.org"}"#;
    for replacement in crate::support::replacements() {
        let rules = rules(RuleLevel::All);
        let mut redactor = Redactor::new(rules, replacement);
        let once = text(&mut redactor, line);
        assert!(!once.contains("ada"), "{once}");
        assert_eq!(found(&redactor).len(), 3, "{once}");
        assert_eq!(text(&mut redactor, &once), once);
    }
}

/// The name of a rule was a part of pseudonyms, so the same token had several.
#[test]
fn a_secret_has_one_pseudonym_whichever_rule_finds_it() {
    let token = token();
    let line = format!(r#"{{"a":"{token}","b":"Bearer {token}"}}"#);
    let mut redactor =
        Redactor::new(secrets(), Replacement::pseudonym(KEY).unwrap());
    let ours = text(&mut redactor, &line);
    let value: serde_json::Value = serde_json::from_str(&ours).unwrap();
    let name = value["a"].as_str().unwrap();
    assert_eq!(value["b"], format!("Bearer {name}"));
}

/// A colour before a token ends with a letter, so no word seemed to begin.
#[test]
fn a_secret_in_colour_is_found() {
    let key = "AKIAABCDEFGHIJKLMNOP";
    for (start, end) in [
        ("\\u001b[32m", "\\u001b[0m"),
        ("\\u001b[1;38;5;160m", ""),
        ("\\\\u001b[2K", " x"),
    ] {
        let line = format!(r#"{{"t":"a {start}{key}{end}"}}"#);
        let ours = text(&mut stars(RuleLevel::Secrets), &line);
        assert_eq!(ours, format!(r#"{{"t":"a {start}***{end}"}}"#));
    }
    let word = format!(r#"{{"t":"\u0020[2m x m{key}"}}"#);
    assert_eq!(text(&mut stars(RuleLevel::Secrets), &word), word);
}

/// Fields were replaced only if their values were strings of the line itself.
#[test]
fn fields_are_replaced_whatever_their_values_are() {
    let line = r#"{"user_id": 12345 ,"email":{"x":["y"],"cwd":1},"accountUuid":["11-22"],"cwd":null,"a":"{\"cwd\": \"/srv/a\\\"b\",\"n\":1}"}"#;
    let expected = r#"{"user_id": "***" ,"email":"***","accountUuid":"***","cwd":null,"a":"{\"cwd\": \"***\",\"n\":1}"}"#;
    let mut redactor = stars(RuleLevel::Personal);
    assert_eq!(text(&mut redactor, line), expected);
    assert_eq!(found(&redactor), ["field", "field", "field", "field"]);
    assert_eq!(text(&mut redactor, expected), expected);
}

/// Such keys were never found: these characters are wildcards of literals, or
/// are escaped.
#[test]
fn fields_may_have_any_name() {
    let keys = ["C#", "a\"b", "x^y", "é"];
    let rules = keys.iter().fold(Rules::builder(), |rules, key| {
        rules.level(RuleLevel::None).field(*key)
    });
    let mut redactor =
        Redactor::new(rules.build().unwrap(), Replacement::stars());
    let line = r#"{"C#":"1","a\"b":"2","x^y":"3","\u00e9":"4","b":"5"}"#;
    let expected =
        r#"{"C#":"***","a\"b":"***","x^y":"***","\u00e9":"***","b":"5"}"#;
    assert_eq!(text(&mut redactor, line), expected);
}

/// Base64 of zeros begins like some tokens, and all of it went.
#[test]
fn base64_of_binaries_is_kept() {
    let blob =
        format!("f0VMRgIB{}/EAAAAAAAAAAAAAAAAAAAAAAAAAB8", "A".repeat(64));
    let line = format!(r#"{{"data":"{blob}"}}"#);
    assert_eq!(text(&mut stars(RuleLevel::Secrets), &line), line);
    // A path is no base64: only the user goes.
    let path = format!("/home/ada/{}", "Some/folder9/".repeat(6));
    let line = format!(r#"{{"t":"{path}"}}"#);
    let ours = text(&mut stars(RuleLevel::Personal), &line);
    assert_eq!(ours, line.replace("/ada/", "/***/"));
}

#[test]
fn images_are_dropped_wherever_they_are() {
    let data = "iVBORw0KGgo".repeat(9);
    let rules = Rules::builder().drop_images(true).build().unwrap();
    let mut redactor = Redactor::new(rules, Replacement::stars());
    for (line, expected) in [
        (
            format!(r#"{{"t":"![](data:image/png;base64,{data})"}}"#),
            r#"{"t":"![](***)"}"#,
        ),
        (
            format!(r#"{{"t":"data:image\/png;base64,{data}"}}"#),
            r#"{"t":"***"}"#,
        ),
        (format!(r#"{{"data":"{data}\n{data}\n"}}"#), r#"{"data":"***"}"#),
    ] {
        assert_eq!(text(&mut redactor, &line), expected);
    }
    let signed = format!(r#"{{"type":"redacted_thinking","data":"{data}"}}"#);
    assert_eq!(text(&mut redactor, &signed), signed);
}

/// The key of a member that is removed was replaced as well, which is an error.
#[test]
fn a_member_is_removed_with_a_key_that_is_a_secret() {
    let rules = Rules::builder().pointer("/*").build().unwrap();
    let mut redactor = Redactor::new(rules, Replacement::removal());
    let line = format!(r#"{{"{}":"v"}}"#, token());
    assert_eq!(text(&mut redactor, &line), "{}");
}

/// Lines that held a secret were shown.
#[test]
fn a_redactor_does_not_show_what_it_holds() {
    let mut redactor = stars(RuleLevel::Secrets);
    text(&mut redactor, &format!(r#"{{"a":"{}"}}"#, token()));
    assert_eq!(format!("{redactor:?}"), "Redactor { .. }");
}

/// Each of many literals was searched up to the end of the text: 28 KB took
/// 0.7 s, and twice the length took four times as long.
#[test]
fn many_literals_take_linear_time() {
    for word in ["sk-ant-", "eyJ-", "-----BEGIN PRIVATE KEY-----"] {
        let line = format!(r#"{{"t":"{}"}}"#, word.repeat(5_000));
        let ours = text(&mut stars(RuleLevel::Secrets), &line);
        assert!(ours.len() <= line.len());
    }
}

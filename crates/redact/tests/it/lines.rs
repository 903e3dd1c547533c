//! Lines: what stays, identifiers, base64, documents, and bad lines.

use linetape::ErrorKind;
use linetape_redact::{Level, Redactor, Replacement, Rules};

use crate::support::{KEY, found, redacted, stars, text, try_redacted};

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
    let mut redactor = stars(Level::All);
    assert_eq!(text(&mut redactor, log), log);
    assert!(found(&redactor).is_empty());
}

#[test]
fn escapes_beside_a_secret_stay() {
    let token = token();
    let line =
        format!("{{\"\\u0061\" :\"\\u00e9\\t{token}\\/\\\"\", \"n\":1.50}}");
    let ours = text(&mut stars(Level::Secrets), &line);
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
        let mut redactor = Redactor::new(Rules::secrets(), how);
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
    let ours = text(&mut stars(Level::Secrets), &line);
    assert_eq!(ours, r#"{"data":"***","b":"x"}"#);
    // Escaped slashes are base64 too.
    let line = line.replace('/', "\\/");
    let ours = text(&mut stars(Level::Secrets), &line);
    assert_eq!(ours, r#"{"data":"***","b":"x"}"#);
}

#[test]
fn images_are_dropped_by_choice() {
    let data = "iVBORw0KGgo".repeat(9);
    let line = format!(
        r#"{{"source":{{"type":"base64","data":"{data}"}},"url":"data:image/png;base64,{data}","data":"short"}}"#
    );
    assert_eq!(text(&mut stars(Level::Secrets), &line), line);
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
        let mut redactor = stars(Level::Secrets);
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
    let error = stars(Level::Secrets).line(&line, &mut Full).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(!error.is_recoverable());
}

#[test]
fn documents_and_texts_are_redacted_too() {
    let token = token();
    let mut redactor = stars(Level::Personal);
    let document =
        format!("{{\n  \"cwd\": \"/srv\",\n  \"t\": \"{token}\"\n}}\n");
    let ours = redactor.document(document.as_bytes()).unwrap();
    assert_eq!(ours, b"{\n  \"cwd\": \"***\",\n  \"t\": \"***\"\n}\n");
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
    let mut redactor = Redactor::new(Rules::secrets(), Replacement::removal());
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
    let mut redactor = Redactor::new(Rules::secrets(), Replacement::removal());
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
        Redactor::new(Rules::secrets(), Replacement::pseudonym(KEY).unwrap());
    let log = format!("{{\"a\":\"{token}\",\"b\":\"{spelled}\"}}\n");
    let ours = redacted(&mut redactor, log.as_bytes());
    let value: serde_json::Value = serde_json::from_slice(&ours).unwrap();
    assert_eq!(value["a"], value["b"]);
    let other = Replacement::pseudonym(b"another key of the tests").unwrap();
    let mut redactor = Redactor::new(Rules::secrets(), other);
    assert_ne!(redacted(&mut redactor, log.as_bytes()), ours);
}

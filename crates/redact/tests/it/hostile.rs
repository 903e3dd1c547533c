//! Secrets of any length, and texts that are made to take long.

use std::time::{Duration, Instant};

use linetape_redact::RuleLevel;

use crate::support::{found, stars, text};

/// Letters and digits that do not repeat soon.
fn letters(count: usize) -> String {
    let all = b"abcdefghijkmnopqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789";
    let mut state = 7_usize;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005) + 1;
        char::from(all[(state >> 40) % all.len()])
    };
    (0..count).map(|_| next()).collect()
}

/// After 8 KiB, a match ended, and the rest of the secret stayed.
#[test]
fn a_secret_has_no_longest_length() {
    let (long, body) = (letters(20 << 10), letters(60));
    let key = |length: usize| {
        let begin = "-----BEGIN PGP PRIVATE KEY BLOCK-----";
        let end = "-----END PGP PRIVATE KEY BLOCK-----";
        let line = format!("{}\n", letters(64));
        format!("{begin}\n\n{}{end}", line.repeat(length / 65))
    };
    for secret in [
        format!("eyJ{body}.eyJ{long}.{body}"),
        format!("eyJ{long}.eyJ{body}.{body}"),
        format!("ops_eyJ{long}=="),
        format!("sk-ant-api03-{long}"),
        format!("Bearer 1{long}"),
        key(200 << 10),
    ] {
        for (before, after) in [("", ""), ("x ", " y"), ("é\n", "\n\"é")] {
            let whole = format!("{before}{secret}{after}");
            let kept = if secret.starts_with('B') { "Bearer " } else { "" };
            let clean = format!("{before}{kept}***{after}");
            let line = serde_json::json!({ "a": whole }).to_string();
            let expected = serde_json::json!({ "a": clean }).to_string();
            let mut redactor = stars(RuleLevel::Secrets);
            assert_eq!(text(&mut redactor, &line), expected);
            assert_eq!(redactor.text(&whole), clean);
        }
    }
    // What is no secret stays, however long it is.
    for kept in [format!("eyJ{long}"), format!("{long}/eyJ{long}/{long}")] {
        let line = serde_json::json!({ "a": kept }).to_string();
        assert_eq!(text(&mut stars(RuleLevel::Secrets), &line), line);
    }
}

/// The time was the square of the length: from each literal on, the rest of the
/// text was read. 200 kB took 12 seconds, in a release build. From each `curl` on,
/// 8 KiB were read, slowly if they were not all ASCII: 320 kB took 35 seconds.
#[test]
fn texts_with_many_literals_take_linear_time() {
    for (part, count) in [
        ("eyJ-", 100_000),
        ("-----BEGIN PRIVATE KEY-----", 20_000),
        ("-----BEGIN PRIVATE KEY-----\\n-----END", 10_000),
        ("Bearer aaaaaaaaaaaaaaaaaaaaaa", 10_000),
        ("pk.aaaa-", 50_000),
        ("curl -u ", 50_000),
        ("curl é ", 50_000),
        ("curl -u é ", 50_000),
        ("curl --------", 30_000),
        ("curl -é\\n", 50_000),
        ("://a:", 50_000),
        ("https://u:p/", 30_000),
        (":Aaaa", 50_000),
        ("https://a:", 50_000),
        ("token=(", 60_000),
        ("secret=a&", 40_000),
        ("key || ", 40_000),
        ("http ", 40_000),
        ("password: ", 10_000),
        ("key=\\\"", 10_000),
        ("cookie=a;", 10_000),
        ("mysql ", 10_000),
        ("login a ", 10_000),
    ] {
        let line = format!("{{\"a\":\"{}\"}}", part.repeat(count));
        let (start, mut redactor) =
            (Instant::now(), stars(RuleLevel::Secrets));
        let ours = text(&mut redactor, &line);
        let time = start.elapsed();
        assert!(time < Duration::from_secs(20), "{part}: {time:?}");
        println!("{part}: {time:?} {} of {}", ours.len(), line.len());
        // Twice is once.
        redactor.clear_findings();
        assert_eq!(text(&mut redactor, &ours), ours, "{part}");
        assert_eq!(found(&redactor), [""; 0], "{part}");
    }
}

//! Forms of secrets that were not found, or of which a part stayed.

use linetape_redact::{Redactor, Replacement, RuleLevel, Rules};

use crate::support::{KEY, redacts, secrets, stars, text};

/// The token was found only as a word of its own, with 8 to 10 digits.
#[test]
fn tokens_of_telegram_are_found_in_their_url() {
    let token = format!("{}k2LmQ7rT3vBzY8wPj5NcD1eHs4GuKt-_", "Fx9");
    for digits in ["12345", "1234567", "123456789", "12345678901"] {
        for first in ["A", "AA", "AB"] {
            let rest = &token[..35 - first.len()];
            let token = format!("{digits}:{first}{rest}");
            let url = "https://api.telegram.org/bot";
            redacts(
                RuleLevel::Secrets,
                &format!("{url}{token}/sendMessage, {token}\n"),
                &format!("{url}***/sendMessage, ***\n"),
            );
        }
    }
}

/// Of a key without its last line, only the lines were found that have nothing
/// beside them. Later, all of the text after such a key was replaced, or after
/// its first line alone if a hash followed.
#[test]
fn a_private_key_without_an_end_is_its_lines() {
    let line =
        "YK6m2q3Tx3KdadHDz0tgBaBXH0FXfCa4He9p5SG/TE/iV+XVicXpyS3POjGR0W37";
    let head = format!("-----BEGIN RSA {} KEY-----", "PRIVATE");
    for sign in ["-", "> ", "key.pem:2:", "  2 | ", "\"", "\u{1b}[32m+", ""] {
        let line = format!("{sign}{line}\u{1b}[m\n");
        let key = format!("{sign}{head}\n{}{sign}d2gkVSQe", line.repeat(5));
        redacts(RuleLevel::Secrets, &key, &format!("{sign}***"));
        let key = format!("{sign}{head}\n{}the end", line.repeat(5));
        let after = stars(RuleLevel::Secrets).text(&key).to_string();
        assert!(after.ends_with("the end") && after.len() < 30, "{after}");
    }
    let hash = "0123456789abcdef0123456789abcdef01234567";
    let code = format!("const H = \"{head}\";\nconst REV = \"{hash}\";\n");
    redacts(RuleLevel::Secrets, &code, &code.replace(&head, "***"));
    let json = |key: &str| {
        serde_json::json!({ "command": key, "next": 1 }).to_string()
    };
    let key = format!("{head}\n{line}\n{line}");
    redacts(RuleLevel::Secrets, &json(&key), &json("***"));
    let rows = |texts: [&str; 4]| {
        let row = |(n, text)| serde_json::json!({ "l": n, "text": text });
        let rows: Vec<_> = texts.into_iter().enumerate().map(row).collect();
        serde_json::json!({ "rows": rows }).to_string()
    };
    let ours = text(
        &mut stars(RuleLevel::Secrets),
        &rows(["x", &head, line, &format!("> {line}")]),
    );
    assert_eq!(ours, rows(["x", "***", "***", "***"]));
    // A word or a commit is no line of a key.
    let commit = format!("Commit {hash} has the fix");
    let ours = text(
        &mut stars(RuleLevel::Secrets),
        &rows([&head, "fooBar", &commit, line]),
    );
    assert_eq!(ours, rows(["***", "fooBar", &commit, line]));
    // What only names the first line keeps the rest.
    let code = format!("assert!(key.starts_with(\"{head}\"));\nlet x = 1;\n");
    redacts(RuleLevel::Secrets, &code, &code.replace(&head, "***"));
}

/// The end of a sentence and an escape of a URL were a part of the secret, so
/// that it had several pseudonyms.
#[test]
fn a_secret_has_one_pseudonym() {
    let how = Replacement::pseudonym(KEY).unwrap();
    let mut redactor = Redactor::new(secrets(), how);
    for secret in [
        format!("xoxb-1234567890-{}", "abcdefghij"),
        format!("pscale_tkn_{}", "a1B2".repeat(10)),
        // Encoded twice, only its start was found.
        format!("xoxd-AbCdEfGhIjKl%252BmNoP{}", "%252Fuvw%253D"),
    ] {
        let name = redactor.text(&secret).to_string();
        for (before, after) in
            [("by ", "."), ("%22", "%22"), ("(", ")..."), ("", ".\n")]
        {
            let whole = format!("{before}{secret}{after}");
            let expected = format!("{before}{name}{after}");
            assert_eq!(redactor.text(&whole), expected);
        }
    }
    for before in ["Bearer ", "x-api-key: ", "Authorization: Basic "] {
        let whole = format!("{before}{}.", "a1B2".repeat(8));
        assert!(redactor.text(&whole).ends_with('.'), "{whole}");
    }
}

/// A password was found only behind a separator, and up to the next space or
/// quote.
#[test]
fn connection_strings_are_read_to_their_end() {
    for (before, after) in [
        ("Password=hunter22;Server=db", "Password=***;Server=db"),
        ("x = \"pwd=hunter22; Server=db\"", "x = \"pwd=***; Server=db\""),
        ("Server=db;Password='a b c1';", "Server=db;Password='***';"),
        ("a=b;User Id=sa;Password=My Pass;", "a=b;User Id=sa;Password=***;"),
        ("jdbc:x://db?a=b& password=abc1", "jdbc:x://db?a=b& password=***"),
        ("connect(password=hunter22, a=b)", "connect(password=***, a=b)"),
        // The command after a directory was taken for a part of a password.
        ("a; PWD=/srv/x cargo build; b", "a; PWD=*** cargo build; b"),
        ("PWD=/root; HOME=/root", ""),
        ("x; password=$(cat file); y", ""),
    ] {
        let after = if after.is_empty() { before } else { after };
        redacts(RuleLevel::Secrets, before, after);
    }
    let long = "a1B2".repeat(100);
    let before = format!("postgres://app:{long}@db/x");
    redacts(RuleLevel::Secrets, &before, "postgres://app:***@db/x");
}

/// These names were not among the fields and home directories.
#[test]
fn people_are_found_in_more_forms() {
    for (before, after) in [
        (r"\\wsl$\Ubuntu\home\ada\x", r"\\wsl$\Ubuntu\home\***\x"),
        ("C%3A%5CUsers%5Cada%5Cx", "C%3A%5CUsers%5C***%5Cx"),
        ("u=%2FUsers%2fada", "u=%2FUsers%2f***"),
        ("?to=ada%40example.org&x", "?to=***&x"),
        ("-home-_ada-x", "-home-***-x"),
    ] {
        redacts(RuleLevel::Personal, before, after);
    }
    // The last one is the name of a tool.
    let ours = text(
        &mut stars(RuleLevel::Personal),
        r#"{"full_name":"Ada","username":"ada","host":"h","git":{"branch":"ada/x"},"display_name":"Bash"}"#,
    );
    assert_eq!(
        ours,
        r#"{"full_name":"***","username":"***","host":"***","git":{"branch":"***"},"display_name":"Bash"}"#
    );
}

/// Images stayed in JSON inside of a string, and under other keys.
#[test]
fn images_are_known_by_their_first_bytes() {
    let rules = Rules::builder().drop_images(true).build().unwrap();
    let mut redactor = Redactor::new(rules, Replacement::stars());
    let data = "AAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk".repeat(4);
    for magic in ["iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "JVBERi0"] {
        let image = serde_json::json!({ "source": format!("{magic}{data}") });
        let clean = serde_json::json!({ "source": "***" });
        let line = image.to_string();
        assert_eq!(text(&mut redactor, &line), clean.to_string());
        let line = serde_json::json!({ "t": line }).to_string();
        let clean = serde_json::json!({ "t": clean.to_string() }).to_string();
        assert_eq!(text(&mut redactor, &line), clean);
    }
    for key in ["blob", "b64_json", "image", "data"] {
        let line = format!("{{\"{key}\":\"{data}\"}}");
        assert_eq!(
            text(&mut redactor, &line),
            format!("{{\"{key}\":\"***\"}}")
        );
    }
    let kept = r#"{"a":"x/9j/y","image":"a.png"}"#;
    assert_eq!(text(&mut redactor, kept), kept);
}

/// Words after the first bytes of an image, or after an image, were taken for
/// its data.
#[test]
fn words_are_no_images() {
    let rules = Rules::builder().drop_images(true).build().unwrap();
    let mut redactor = Redactor::new(rules, Replacement::stars());
    let words = "A PNG begins with iVBORw0KGgo and then words follow that are \
                 ordinary words, /9j/ is JPEG and others have others";
    assert_eq!(redactor.text(words), words);
    let line = "A1b2C3d4".repeat(8);
    let image = format!("iVBORw0KGgo{line}\n{line}\nQUJD==\nThe cat sat");
    assert_eq!(redactor.text(&image), "***\nThe cat sat");
}

/// A second space was not expected by the test before the pattern.
#[test]
fn a_bearer_token_may_stand_behind_several_spaces() {
    let line = format!(r#"{{"a":"Bearer  1{}/"}}"#, "aB2".repeat(12));
    let ours = text(&mut stars(RuleLevel::Secrets), &line);
    assert_eq!(ours, r#"{"a":"Bearer  ***"}"#);
}

/// Backslashes were a part of tokens, so the escape of a quote went with one.
#[test]
fn json_inside_of_strings_stays_valid() {
    let token = format!(
        "{}.{}.{}",
        ["ey", "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"].concat(),
        ["ey", "JzdWIiOiIxMjM0NTY3ODkwIn0"].concat(),
        "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
    );
    let inner = serde_json::json!({ "command": format!("x \"{token}\" y") });
    let middle = serde_json::json!({ "b": inner.to_string() });
    let line = serde_json::json!({ "a": middle.to_string() }).to_string();
    let mut redactor = Redactor::new(secrets(), Replacement::stars());
    let ours = text(&mut redactor, &line);
    let expected = serde_json::json!({ "command": "x \"***\" y" });
    let expected = serde_json::json!({ "b": expected.to_string() });
    let expected = serde_json::json!({ "a": expected.to_string() });
    assert_eq!(ours, expected.to_string());
    let json = inner.to_string();
    assert_eq!(
        redactor.text(&json),
        serde_json::json!({ "command": "x \"***\" y" }).to_string()
    );
}

/// Without its last line, only the first line of a key was replaced if the
/// lines had numbers, or headers came before the data.
#[test]
fn the_start_of_a_private_key_is_found() {
    let begin = ["-----BEGIN RSA PRIVATE ", "KEY-----"].concat();
    let data = "MIIEpAIBAAKCAQEA7bq".repeat(3);
    let mut redactor = Redactor::new(secrets(), Replacement::stars());
    for key in [
        format!("     1→{begin}\n     2→{data}\n     3→{data}"),
        format!(
            "{begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,1F\n\n\
             {data}\n{data}"
        ),
    ] {
        let ours = redactor.text(&format!("{key}\nthe end")).to_string();
        assert!(!ours.contains(&data), "{ours}");
        assert!(ours.ends_with("***\nthe end"), "{ours}");
    }
}

#[test]
fn passwords_of_urls_may_have_signs() {
    let mut redactor = Redactor::new(secrets(), Replacement::stars());
    for (url, expected) in [
        ("postgres://u:p@ssword9@db/x", "postgres://u:***@db/x"),
        (r"postgres://u:p\w0rdXX@db", "postgres://u:***@db"),
        ("postgres://u:pa/ss@db", "postgres://u:***@db"),
        ("http://localhost:3000/@vite/x", "http://localhost:3000/@vite/x"),
    ] {
        assert_eq!(redactor.text(url), expected);
    }
    let line = serde_json::json!({ "a": r"postgres://u:p\w0rdXX@db" });
    let ours = text(&mut redactor, &line.to_string());
    assert_eq!(ours, r#"{"a":"postgres://u:***@db"}"#);
}

#[test]
fn tokens_are_found_however_short_or_plain_they_are() {
    let mut redactor = Redactor::new(secrets(), Replacement::stars());
    let slack = ["xox", "a-12345678"].concat();
    assert_eq!(redactor.text(&slack), "***");
    let bearer = "Bearer abcdefghijklmnopqrstuvw7xyzABC";
    assert_eq!(redactor.text(bearer), "Bearer ***");
    let words = "the bearer authenticationmechanismsarehere";
    assert_eq!(redactor.text(words), words);
}

/// The name and the number of a line, as of `grep -n`, stood before the token.
#[test]
fn tokens_of_telegram_are_found_behind_the_number_of_a_line() {
    let rest = format!("{}k2LmQ7rT3vBzY8wPj5NcD1eHs4GuKt-_", "AAx");
    for before in
        ["12:", "file.txt:12:", "12345:", "a/b.env:123456:7:", "12-", "12: "]
    {
        for digits in ["12345", "123456", "123456789", "1234567890123456"] {
            redacts(
                RuleLevel::Secrets,
                &format!(
                    "{before}{digits}:{rest}\n{before}TOKEN={digits}:{rest}"
                ),
                &format!("{before}***\n{before}TOKEN=***"),
            );
        }
    }
}

/// The signature of a request to AWS stayed, in a header and in a link.
#[test]
fn signatures_of_aws_are_found() {
    let key = format!("AKIA{}", "ABCDEFGH23456789");
    let signature = "0123456789abcdef".repeat(4);
    let token = "IQoJ%2Fb3JpZ2luX2VjE".repeat(8);
    let scope = "20130524/us-east-1/s3/aws4_request";
    for (before, after) in [
        (
            format!("Authorization: AWS4-HMAC-SHA256 Credential={key}/{scope}, SignedHeaders=host;range, Signature={signature}"),
            format!("Authorization: AWS4-HMAC-SHA256 Credential=***/{scope}, SignedHeaders=host;range, Signature=***"),
        ),
        (
            format!("https://b.s3.amazonaws.com/x?X-Amz-Security-Token={token}&X-Amz-Signature={signature}&a=1"),
            "https://b.s3.amazonaws.com/x?X-Amz-Security-Token=***&X-Amz-Signature=***&a=1".to_string(),
        ),
        (format!("x-amz-security-token: {token}"), "x-amz-security-token: ***".to_string()),
        (format!("X-Amz-Signature%3D{signature}%26"), "X-Amz-Signature%3D***%26".to_string()),
    ] {
        redacts(RuleLevel::Secrets, &before, &after);
    }
    let kept = format!("Signature={} sha256={signature}", &signature[..40]);
    redacts(RuleLevel::Secrets, &kept, &kept);
}

/// A dot at the end was taken for that of a sentence although the value was in
/// quotes, so a value of eight characters was too short.
#[test]
fn a_value_in_quotes_may_end_with_a_dot() {
    for quote in ["\"", "'", "`"] {
        redacts(
            RuleLevel::All,
            &format!("password = {quote}hunter2.{quote};"),
            &format!("password = {quote}***{quote};"),
        );
    }
    redacts(RuleLevel::All, "password: hunter22.", "password: ***.");
    redacts(RuleLevel::All, "password = 'hunter22. and", "password = '***");
    for kept in ["password = \"hunt2\"", "password = hunt2."] {
        redacts(RuleLevel::All, kept, kept);
    }
    let line = r#"{"password":"hunter2.","text":"{\"token\": \"hunter2.\"}"}"#;
    let expected = r#"{"password":"***","text":"{\"token\": \"***\"}"}"#;
    assert_eq!(text(&mut stars(RuleLevel::All), line), expected);
}

//! Forms of secrets that were not found, or of which a part stayed.

use linetape_redact::{Level, Redactor, Replacement, Rules};

use crate::support::{KEY, stars, text};

/// Redacts a text, as a string of a line and as a text.
fn redacts(level: Level, before: &str, after: &str) {
    let mut redactor = stars(level);
    let line = serde_json::json!({ "a": before }).to_string();
    let expected = serde_json::json!({ "a": after }).to_string();
    assert_eq!(text(&mut redactor, &line), expected);
    assert_eq!(redactor.text(before), after);
}

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
                Level::Secrets,
                &format!("{url}{token}/sendMessage, {token}\n"),
                &format!("{url}***/sendMessage, ***\n"),
            );
        }
    }
}

/// Only a user and a password without spaces and quotes were found, one space
/// behind an option on the line of the command.
#[test]
fn passwords_of_curl_are_found() {
    for (before, after) in [
        (
            "curl -X POST \\\n  -u admin:s3cretpw9 \\\n  https://x",
            "curl -X POST \\\n  -u admin:*** \\\n  https://x",
        ),
        ("curl -uadmin:s3cretpw9 https://x", "curl -uadmin:*** https://x"),
        ("curl -u  admin:s3cretpw9 x", "curl -u  admin:*** x"),
        ("curl -sku admin:s3cretpw9 x", "curl -sku admin:*** x"),
        ("curl -u 'admin:my s3cret pw9' x", "curl -u 'admin:***' x"),
        ("curl -u \"$USER:s3cretpw9\" x", "curl -u \"$USER:***\" x"),
        ("curl -u admin:pa$$w0rd9 x", "curl -u admin:*** x"),
        ("curl --user=admin:s3cretpw9 x", "curl --user=admin:*** x"),
        ("curl --proxy-user a:s3cretpw9 x", "curl --proxy-user a:*** x"),
        // The text may be cut off.
        ("curl -u 'admin:s3cretpw9", "curl -u 'admin:***"),
        // These are no secrets.
        ("curl -u \"$USER:$PASS\" x", ""),
        // A sign before a password once made it no password.
        ("curl -u ada:/Hunter2x9Qw x", "curl -u ada:*** x"),
        ("curl -u 'ada:{Hunter2x9Qw' x", "curl -u 'ada:***' x"),
        ("curl -u 'ada:<Hunter2x9Qw' x", "curl -u 'ada:***' x"),
        ("curl -u 'ada:{{ password }}' x", ""),
        ("curl -u 'ada:<password>' x", ""),
        ("curl -u admin:${PASS} x", ""),
        ("curl -u admin: x", ""),
        ("curl x\ndocker run -u 1000:1000 y", ""),
        ("curl -A 'a:b' --user-agent 'Mozilla/5.0 (rv:109)' x", ""),
    ] {
        let after = if after.is_empty() { before } else { after };
        redacts(Level::Secrets, before, after);
    }
    let far = format!("curl {}-u admin:", "-H 'X-A: b' ".repeat(100));
    redacts(
        Level::Secrets,
        &format!("{far}s3cretpw9 x"),
        &format!("{far}*** x"),
    );
}

/// Only two kinds of `Authorization` were found, and `X-Api-Key`.
#[test]
fn headers_of_commands_are_found() {
    let value = "abcdefgh1234567890abcdef";
    for name in [
        "Authorization: ",
        "Authorization: Api-Token ",
        "PRIVATE-TOKEN: ",
        "X-Auth-Token: ",
        "Api-Key:",
        "token: ",
    ] {
        for option in ["-H ", "-H", "--header ", "--header="] {
            for quote in ["\"", "'"] {
                let before = format!("curl {option}{quote}{name}");
                redacts(
                    Level::Secrets,
                    &format!("{before}{value}{quote} -H 'A: {value}'"),
                    &format!("{before}***{quote} -H 'A: {value}'"),
                );
            }
        }
    }
    let kept = "-H 'Authorization: Negotiate' -H \"Api-Key: $KEY\" -H 'X: y'";
    redacts(Level::Secrets, kept, kept);
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
        redacts(Level::Secrets, &key, &format!("{sign}***"));
        let key = format!("{sign}{head}\n{}the end", line.repeat(5));
        let after = stars(Level::Secrets).text(&key).to_string();
        assert!(after.ends_with("the end") && after.len() < 30, "{after}");
    }
    let hash = "0123456789abcdef0123456789abcdef01234567";
    let code = format!("const H = \"{head}\";\nconst REV = \"{hash}\";\n");
    redacts(Level::Secrets, &code, &code.replace(&head, "***"));
    let json = |key: &str| {
        serde_json::json!({ "command": key, "next": 1 }).to_string()
    };
    let key = format!("{head}\n{line}\n{line}");
    redacts(Level::Secrets, &json(&key), &json("***"));
    let rows = |texts: [&str; 4]| {
        let row = |(n, text)| serde_json::json!({ "l": n, "text": text });
        let rows: Vec<_> = texts.into_iter().enumerate().map(row).collect();
        serde_json::json!({ "rows": rows }).to_string()
    };
    let ours = text(
        &mut stars(Level::Secrets),
        &rows(["x", &head, line, &format!("> {line}")]),
    );
    assert_eq!(ours, rows(["x", "***", "***", "***"]));
    // A word or a commit is no line of a key.
    let commit = format!("Commit {hash} has the fix");
    let ours = text(
        &mut stars(Level::Secrets),
        &rows([&head, "fooBar", &commit, line]),
    );
    assert_eq!(ours, rows(["***", "fooBar", &commit, line]));
    // What only names the first line keeps the rest.
    let code = format!("assert!(key.starts_with(\"{head}\"));\nlet x = 1;\n");
    redacts(Level::Secrets, &code, &code.replace(&head, "***"));
}

/// The end of a sentence and an escape of a URL were a part of the secret, so
/// that it had several pseudonyms.
#[test]
fn a_secret_has_one_pseudonym() {
    let how = Replacement::pseudonym(KEY).unwrap();
    let mut redactor = Redactor::new(Rules::secrets(), how);
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
        ("connect(password=hunter22, a=b)", ""),
        // The command after a directory was taken for a part of a password.
        ("a; PWD=/srv/x cargo build; b", "a; PWD=*** cargo build; b"),
        ("PWD=/root; HOME=/root", ""),
        ("x; password=$(cat file); y", ""),
    ] {
        let after = if after.is_empty() { before } else { after };
        redacts(Level::Secrets, before, after);
    }
    let long = "a1B2".repeat(100);
    let before = format!("postgres://app:{long}@db/x");
    redacts(Level::Secrets, &before, "postgres://app:***@db/x");
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
        redacts(Level::Personal, before, after);
    }
    // The last one is the name of a tool.
    let ours = text(
        &mut stars(Level::Personal),
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

//! Secrets in the options of commands.

use linetape_redact::RuleLevel;

use crate::support::redacts;

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
        redacts(RuleLevel::Secrets, before, after);
    }
    let far = format!("curl {}-u admin:", "-H 'X-A: b' ".repeat(100));
    redacts(
        RuleLevel::Secrets,
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
                    RuleLevel::Secrets,
                    &format!("{before}{value}{quote} -H 'A: {value}'"),
                    &format!("{before}***{quote} -H 'A: {value}'"),
                );
            }
        }
    }
    let kept = "-H 'Authorization: Negotiate' -H \"Api-Key: $KEY\" -H 'X: y'";
    redacts(RuleLevel::Secrets, kept, kept);
}

/// Behind `;` and `|`, options were not looked for, as the command was said to
/// end there. These may be in quotes, in a URL without quotes, or in a command
/// that is a part of this one.
#[test]
fn an_option_may_be_behind_separators() {
    for before in [
        "curl $(echo a | tr b c) ",
        "curl \"$(a \"b;c\" d)\" ",
        "curl `a; b` ",
        "curl https://x;jsessionid=1 ",
        // A quote without an end.
        "curl -d 'a;b' https://x/it's ",
        "curl -d \"a; ",
        "curl -d 'multi\\\nline;' ",
        "curl -d 'multi\\nline;' ",
        "curl -d 'a;b|c && d' ",
        "curl -d \"a && b;\" ",
        "curl -d \"a\\\";b\" ",
        "curl -d 'it'\\''s;' ",
        "curl -d a\\;b\\|c ",
        "curl x?a=1&b=2 ",
        "curl -d 'a; b' \\\r\n  ",
        "curl x; curl y | curl ",
        // The newline is the space before the option.
        "curl x;\n",
        // A word ends before another script.
        "écurl é; ",
    ] {
        redacts(
            RuleLevel::Secrets,
            &format!("{before}-u ada:hunter22 x"),
            &format!("{before}-u ada:*** x"),
        );
    }
    // So the option of another command is taken for one of curl, unless it is on
    // another line.
    redacts(
        RuleLevel::Secrets,
        "curl x; docker run -u 1000:1000 y",
        "curl x; docker run -u 1000:*** y",
    );
    for kept in [
        "curl server\ndocker run -u 1000:1000 y",
        "curl x\r\ndocker run -u 1000:1000 y",
        "curl x \\\n\ndocker run -u 1000:1000 y",
        "curly x; docker run -u 1000:1000 y",
        "libcurl x; docker run -u 1000:1000 y",
    ] {
        redacts(RuleLevel::Secrets, kept, kept);
    }
}

/// An option more than 4 KiB behind `curl` was not found.
#[test]
fn an_option_may_be_far_behind_its_command() {
    for (part, size) in [
        ("-d 'x' ", 5_000),
        ("aé ", 9_000),
        ("-H 'X-A: b' \\\n", 20_000),
        ("{} ", 200_000),
    ] {
        let before = format!("curl {}-u ada:", part.repeat(size / part.len()));
        redacts(
            RuleLevel::Secrets,
            &format!("{before}s3cretpw9 x"),
            &format!("{before}*** x"),
        );
        let other = format!(
            "curl {}\ntar -u a:bcdef x",
            part.repeat(size / part.len())
        );
        let other = other.replace("\\\n\n", "\n");
        redacts(RuleLevel::Secrets, &other, &other);
    }
}

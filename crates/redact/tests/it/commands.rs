//! Secrets in the options of commands.

use linetape_redact::Level;

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

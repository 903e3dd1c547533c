//! The notation of paths.

use linetape::Escaped;

/// Returns the path to the members with any key.
pub fn any(path: &str) -> String {
    joined(path, "*")
}

/// Returns the path to the items of an array.
pub fn item(path: &str) -> String {
    format!("{path}[]")
}

/// Returns the path to a member. A key with other characters than letters,
/// digits, `_`, `-` and `$` is quoted, so that no path is ambiguous.
pub fn member(path: &str, key: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-$".contains(c);
    if !key.is_empty() && key.chars().all(is_plain) {
        return joined(path, key);
    }
    let quoted = serde_json::Value::from(key).to_string();
    format!("{path}[{}]", Escaped::new(&quoted))
}

fn joined(path: &str, key: &str) -> String {
    match path {
        "" => key.to_string(),
        _ => format!("{path}.{key}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_keys_are_not_quoted() {
        for (key, written) in [
            ("text", "a.text"),
            ("a-b_c$1", "a.a-b_c$1"),
            ("", r#"a[""]"#),
            ("*", r#"a["*"]"#),
            ("b.c", r#"a["b.c"]"#),
            ("[]", r#"a["[]"]"#),
            ("\"]", r#"a["\"]"]"#),
            ("\u{1b}", r#"a["\u001b"]"#),
            ("\u{9b}", r#"a["\u{9b}"]"#),
            ("\\u{9b}", r#"a["\\u{9b}"]"#),
            ("caf\u{e9}", "a[\"caf\u{e9}\"]"),
        ] {
            assert_eq!(member("a", key), written);
        }
        assert_eq!(member("", "text"), "text");
        assert_eq!(member("", "b.c"), r#"["b.c"]"#);
        assert_eq!([any(""), any("a"), item("a")], ["*", "a.*", "a[]"]);
    }
}

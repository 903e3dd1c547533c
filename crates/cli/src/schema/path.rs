//! How paths are written.

use linetape::Escaped;

/// The end of a path below which any key may stand.
pub fn any(path: &str) -> String {
    joined(path, "*")
}

/// The path to the items of an array.
pub fn item(path: &str) -> String {
    format!("{path}[]")
}

/// The path to a member. A key that is more than a word is quoted, so that
/// every path can be read in one way only.
pub fn member(path: &str, key: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_-$".contains(c);
    if !key.is_empty() && key.chars().all(is_word) {
        return joined(path, key);
    }
    let quoted = serde_json::Value::from(key).to_string();
    format!("{path}[{}]", Escaped::new(&quoted))
}

fn joined(path: &str, word: &str) -> String {
    match path {
        "" => word.to_string(),
        _ => format!("{path}.{word}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_stand_bare() {
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

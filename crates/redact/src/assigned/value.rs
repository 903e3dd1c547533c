/*!
Whether a text is a secret, by what it looks like.
*/

/// The least length of a secret that is known by its name alone.
pub(super) const LEAST: usize = 6;

/// Words that say what a value is, or that there is none.
#[rustfmt::skip]
const LABELS: &[&str] = &[
    "access", "account", "admin", "any", "api", "args", "argument",
    "array", "auth", "authentication", "authorization", "bad", "base",
    "basic", "bearer", "boolean", "buffer", "bytes", "callback", "change",
    "char", "check", "class", "client", "confirm", "const", "cookie",
    "cookies", "correct", "create", "credential", "credentials", "csrf",
    "current", "data", "database", "default", "define", "delete", "denied",
    "digest", "disable", "disabled", "double", "empty", "enable",
    "enabled", "enter", "entered", "env", "error", "expired", "export",
    "failed", "failure", "false", "field", "file", "float", "forgot",
    "function", "generate", "get", "github", "handler", "hash", "hashed",
    "header", "headers", "hidden", "identifier", "import", "include",
    "incorrect", "input", "integer", "invalid", "is", "jwt", "key",
    "keyword", "label", "length", "login", "manager", "match", "mismatch",
    "missing", "name", "needed", "new", "next", "nil", "none", "not",
    "null", "number", "oauth", "object", "of", "old", "omit", "option",
    "optional", "options", "or", "origin", "param", "parser", "pass",
    "passphrase", "passwd", "password", "passwords", "path", "placeholder",
    "present", "prev", "previous", "private", "process", "prompt",
    "provider", "public", "push", "pwd", "raw", "read", "refresh",
    "register", "reject", "rejected", "request", "required", "reset",
    "response", "result", "return", "same", "schema", "secret", "secrets",
    "self", "service", "session", "set", "signature", "some", "state",
    "static", "store", "string", "strong", "struct", "success", "test",
    "text", "this", "token", "tokens", "true", "type", "undefined",
    "unknown", "update", "url", "user", "username", "valid", "validate",
    "validation", "value", "values", "var", "variable", "verify", "void",
    "weak", "write", "wrong",
];

/// Words of documentation in place of a secret.
#[rustfmt::skip]
const PLACEHOLDERS: &[&str] = &[
    "addyour", "changeit", "changeme", "changethis", "enteryour",
    "insertyour", "notarealsecret", "placeholder", "putyour", "redacted",
    "replaceme", "replacethis", "replacewith", "somesecret", "youraccess",
    "yourapi", "yourauth", "yourclient", "yourdb", "yourkey", "yourpass",
    "yourprivate", "yoursecret", "yourstrong", "yoursuper", "yourtoken",
];

/// Whole values that say that there is none, or which type it has.
#[rustfmt::skip]
const NONE: &[&str] = &[
    "boolean", "disabled", "enabled", "hidden", "identifier", "incorrect",
    "integer", "invalid", "missing", "number", "object", "optional",
    "password", "passwd", "passphrase", "prompt", "redacted", "required",
    "string", "undefined", "unknown",
];

/// Words that sentences have, and passphrases seldom.
#[rustfmt::skip]
const PROSE: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "cannot", "do",
    "does", "for", "from", "has", "have", "if", "in", "invalid", "is",
    "it", "missing", "must", "no", "not", "of", "on", "or", "please",
    "required", "should", "than", "that", "the", "this", "to", "with",
    "wrong", "you", "your",
];

/// How the value of a header says what it is.
const SCHEMES: &[&str] = &["bearer", "basic", "token", "apikey", "digest"];

/// Returns a text without a scheme such as `Bearer` before it.
pub(super) fn without_scheme(text: &str) -> &str {
    let Some((word, rest)) = text.split_once(' ') else { return text };
    match SCHEMES.iter().any(|own| own.eq_ignore_ascii_case(word)) {
        true => rest.trim_start(),
        false => text,
    }
}

/// The text of a value.
pub(super) struct Value<'t>(&'t str);

impl<'t> Value<'t> {
    pub(super) fn new(text: &'t str) -> Value<'t> {
        Value(text)
    }

    fn has(&self, is_it: impl Fn(u8) -> bool) -> bool {
        self.0.bytes().any(is_it)
    }

    pub(super) fn has_space(&self) -> bool {
        self.0.contains(char::is_whitespace)
    }

    /// Returns whether the whole value says where another value is.
    pub(super) fn is_reference(&self) -> bool {
        /// What is replaced before a value is used; no password has it.
        const LOCATORS: &[&str] = &[
            "op://", "http://", "https://", "arn:aws", "ENC[", "ref+", "AWS::",
        ];
        /// What names a place from which a value is read.
        const SOURCES: &[&str] = &[
            "process.env",
            "import.meta.env",
            "os.environ",
            "os.getenv",
            "System.getenv",
            "std::env",
            "Deno.env",
            "Bun.env",
            "ENV[",
            "vault:",
            "secretsmanager:",
            "ssm:",
            "file:",
            "env:",
            "keyring:",
        ];
        /// Short ones of Terraform and of workflows.
        const SHORT: &[&str] =
            &["env.", "secrets.", "vars.", "var.", "local.", "data."];
        let text = self.0.trim_start_matches(['-', '=', '"', '\'', '\\']);
        let has = |own: &&&str| text.starts_with(**own);
        if LOCATORS.iter().any(|own| has(&own)) {
            return true;
        }
        // The ids of keys have a rule of their own.
        if let Some(rest) =
            text.strip_prefix("AKIA").or(text.strip_prefix("ASIA"))
        {
            let is_part =
                |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit();
            let count = rest.bytes().take_while(is_part).count();
            let next = rest.as_bytes().get(count);
            if count == 16 && matches!(next, None | Some(b'/')) {
                return true;
            }
        }
        if let Some(own) = SOURCES.iter().find(has) {
            let rest = text.get(own.len()..).unwrap_or_default();
            let end = rest.find(['(', '[', '"', '\'', '|', '?', ' ']);
            let rest = rest.get(..end.unwrap_or(rest.len()));
            let rest = rest.unwrap_or_default();
            let is_part = |b: u8| {
                b.is_ascii_alphanumeric() || b"_.:/-!@{}$ ".contains(&b)
            };
            let path = rest.trim_end_matches('!');
            return rest.bytes().all(is_part) && !Value(path).is_random();
        }
        if SHORT.iter().any(|own| has(&own)) {
            let is_part =
                |b: u8| b.is_ascii_alphabetic() || b == b'_' || b == b'.';
            let mut parts = text.split('.');
            return text.bytes().all(is_part)
                && parts.all(|part| !part.is_empty());
        }
        // What ends before the bracket that closes it.
        let is_letter = |c: char| c.is_ascii_alphabetic() || "_- ".contains(c);
        if let Some(rest) = text.strip_prefix(['[', '{'])
            && rest.chars().all(is_letter)
        {
            return true;
        }
        let (kept, is_sure) = without_references(self.0);
        let is_less = kept.len() < self.0.len();
        let letters = kept.bytes().filter(u8::is_ascii_alphanumeric).count();
        let is_plain =
            |c: char| c.is_ascii_alphabetic() || "-_/.:@ ".contains(c);
        is_less
            && (letters == 0 || {
                // `postgres-${X}`, but not `k9{fQ2}mZ`.
                is_sure && letters <= 12 && kept.chars().all(is_plain)
            })
    }

    /// Returns whether the whole value stands for a secret in a documentation, or
    /// in place of one that was removed.
    pub(super) fn is_placeholder(&self) -> bool {
        let bytes = self.0.as_bytes();
        let is_mask = |b: &u8| b"xX*.-_#?+=/ ".contains(b) || !b.is_ascii();
        if bytes.iter().all(is_mask)
            || bytes.iter().all(|b| Some(b) == bytes.first())
            || self.is_masked_key()
        {
            return true;
        }
        // `your-256-bit-secret`
        let is_number = |part: &str| {
            part.len() <= 3 && part.bytes().all(|b| b.is_ascii_digit())
        };
        let mut parts = self.0.split(['-', '_', ' ', '.', '/', '\'']);
        let is_word = |part: &str| part.chars().all(char::is_alphabetic);
        if !parts.all(|part| is_word(part) || is_number(part)) {
            return false;
        }
        let is_letter = |c: &char| c.is_ascii_alphabetic();
        let plain: String = self.0.chars().filter(is_letter).collect();
        let plain = plain.to_ascii_lowercase();
        PLACEHOLDERS.iter().any(|own| plain.starts_with(own))
            || plain.starts_with("your") && self.words().skip(1).any(is_label)
            || plain.ends_with("here") && self.has(|b| b"-_ ".contains(&b))
            || plain.ends_with("placeholder")
            || self.words().any(|word| word.eq_ignore_ascii_case("example"))
    }

    /// Returns whether the value is a mask behind the prefix of a key: `sk-xxx`.
    fn is_masked_key(&self) -> bool {
        let mut rest = self.0;
        for _ in 0..3 {
            let is_part = |b: &u8| b.is_ascii_alphanumeric();
            let prefix = rest.bytes().take_while(is_part).count();
            let next = rest.as_bytes().get(prefix);
            let is_prefix =
                (1..=8).contains(&prefix) && matches!(next, Some(b'-' | b'_'));
            if !is_prefix {
                break;
            }
            rest = rest.get(prefix + 1..).unwrap_or_default();
        }
        let is_mask = |c: char| "xX*.…•".contains(c);
        rest.chars().count() >= 3 && rest.chars().all(is_mask)
    }

    /// Returns whether the whole value says that there is none, or which type it
    /// has.
    pub(super) fn is_empty_word(&self) -> bool {
        NONE.iter().any(|own| own.eq_ignore_ascii_case(self.0))
    }

    /// Returns whether the value is one word that says what it is.
    pub(super) fn is_one_label(&self) -> bool {
        let is_letter = |b: u8| b.is_ascii_alphabetic();
        self.0.bytes().all(is_letter)
            && self.words().count() == 1
            && is_label(self.0)
    }

    /// Returns whether the value is the name of a variable, such as
    /// `DB_PASSWORD`.
    pub(super) fn is_variable(&self) -> bool {
        const LAST: &[&str] =
            &["PASSWORD", "PASS", "PWD", "SECRET", "TOKEN", "KEY", "AUTH"];
        self.0.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
            && self.0.rsplit('_').next().is_some_and(|l| LAST.contains(&l))
    }

    /// Returns whether the words of a path say what it is: the key of a message,
    /// such as `login.password.required`.
    pub(super) fn is_label_path(&self) -> bool {
        self.0.contains('.') && self.is_words() && self.words().all(is_label)
    }

    /// Returns whether the value is a date, also with a time.
    pub(super) fn is_date(&self) -> bool {
        let bytes = self.0.as_bytes();
        let is_part = |b: &u8| b.is_ascii_digit() || b"-:.TZ+ ".contains(b);
        let has = |at: usize| bytes.get(at) == Some(&b'-');
        let year = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
        year == 4
            && bytes.len() >= 10
            && has(4)
            && has(7)
            && matches!(bytes.get(10), None | Some(b'T' | b' '))
            && bytes.iter().all(is_part)
    }

    /// Returns whether the value is a number, a date, a size or the like.
    pub(super) fn is_number(&self) -> bool {
        self.0.bytes().all(|b| b.is_ascii_digit() || b".,:/+-_%".contains(&b))
    }

    /// Returns whether the value has only digits.
    pub(super) fn is_digits(&self) -> bool {
        self.0.bytes().all(|b| b.is_ascii_digit())
    }

    /// Returns whether the value is the number of a version.
    pub(super) fn is_version(&self) -> bool {
        let text = self.0.trim_start_matches(['^', '~', '>', '<', '=', ' ']);
        let text = text.strip_prefix('v').unwrap_or(text);
        let number = text.split(['-', '+', ' ']).next().unwrap_or_default();
        let mut parts = number.split('.');
        let is_part = |part: &str| {
            matches!(part, "x" | "*")
                || (1..=4).contains(&part.len())
                    && part.bytes().all(|b| b.is_ascii_digit())
        };
        number.contains('.') && parts.all(is_part)
    }

    /// Returns whether the value is a URL without a password, or the name of a
    /// file.
    pub(super) fn is_address(&self) -> bool {
        let text = self.0;
        let starts = ["/", "./", "../", "~/", "@/"];
        let is_path = starts.iter().any(|start| text.starts_with(start))
            || text.get(1..3) == Some(":\\");
        let parts = text.split(['/', '\\']).filter(|part| !part.is_empty());
        let is_name =
            |b: u8| b.is_ascii_alphanumeric() || b"._-@ ".contains(&b);
        is_path
            && text.bytes().all(|b| is_name(b) || b"/\\:~".contains(&b))
            && parts.clone().all(|part| part.len() < 40)
            && (parts.count() > 1 || text.starts_with('.'))
            || text.split_once("://").is_some_and(|(scheme, _)| {
                let is_part =
                    |b: u8| b.is_ascii_alphanumeric() || b"+.-".contains(&b);
                !scheme.is_empty() && scheme.bytes().all(is_part)
            })
    }

    /// Returns the words of the value: they end with a sign, or where an
    /// upper-case letter comes after a lower-case one.
    fn words(&self) -> impl Iterator<Item = &'t str> + use<'t> {
        let is_sign = |c: char| !c.is_alphanumeric();
        let parts = self.0.split(is_sign).filter(|part| !part.is_empty());
        parts.flat_map(|part| {
            let mut rest = Some(part);
            std::iter::from_fn(move || {
                let text = rest.take()?;
                let mut was_lower = false;
                let end = text.bytes().position(|b| {
                    let is_end = was_lower && b.is_ascii_uppercase();
                    was_lower = b.is_ascii_lowercase();
                    is_end
                });
                let (word, after) = text.split_at(end.unwrap_or(text.len()));
                rest = Some(after).filter(|after| !after.is_empty());
                Some(word)
            })
        })
    }

    /// Returns whether the value has only letters, and signs that are between
    /// the words of names.
    pub(super) fn is_words(&self) -> bool {
        let is_sign = |c: char| "_-.:/ '".contains(c);
        self.0.chars().all(|c| c.is_alphabetic() || is_sign(c))
    }

    /// Returns whether the value is one word in lower case, or several that
    /// dashes join.
    pub(super) fn is_one_lower_word(&self) -> bool {
        self.0.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
    }

    /// Returns whether the value has no lower-case letter.
    pub(super) fn is_upper(&self) -> bool {
        !self.has(|b| b.is_ascii_lowercase())
    }

    /// Returns whether words say what the value is: they are names of types, or
    /// of other secrets.
    pub(super) fn is_label(&self) -> bool {
        let letters: usize = self.words().map(str::len).sum();
        let count = self.words().count();
        // The words of random letters are short.
        let is_one = |word: &str| word.len() > 2 && is_label(word);
        count > 1 && letters >= 4 * count && self.words().any(is_one)
            || self.words().all(is_label)
    }

    /// Returns whether words are a path, or the name of a value in code.
    pub(super) fn is_path(&self) -> bool {
        self.0.contains(['.', '/', ':'])
    }

    /// Returns whether letters are as long and as mixed as those of keys.
    pub(super) fn is_long_mixed_case(&self) -> bool {
        let count = self.words().count();
        let is_plain = self.0.bytes().all(|b| b.is_ascii_alphabetic());
        is_plain && self.0.len() >= 20 && self.0.len() < count * 4
    }

    /// Returns whether the value has something else than letters.
    pub(super) fn is_mixed(&self) -> bool {
        !self.is_words()
    }

    /// Returns whether several words are a sentence.
    pub(super) fn is_prose(&self) -> bool {
        let count = self.0.split_whitespace().count();
        let is_prose = |word: &str| {
            let word = word.trim_matches(|c: char| !c.is_alphabetic());
            let word = word.to_ascii_lowercase();
            PROSE.binary_search(&word.as_str()).is_ok()
        };
        let mut words = self.0.split_whitespace();
        let is_random = |word: &str| {
            let has =
                |is_it: fn(&u8) -> bool| word.as_bytes().iter().any(is_it);
            let sign = |b: &u8| b"!@#$%^&*".contains(b);
            has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
                || word.trim_end_matches(['!', '*']).bytes().any(|b| sign(&b))
        };
        count > 12
            || !self.0.split_whitespace().any(is_random)
                && (words.any(is_prose) || self.words().all(is_label) || {
                    let mut first = self.0.chars();
                    first.next().is_some_and(char::is_uppercase)
                        && !first.any(char::is_uppercase)
                })
    }

    /// Returns whether a part of the value looks random: digits among letters,
    /// more than a short number after a word.
    pub(super) fn is_random(&self) -> bool {
        let is_part = |c: char| !c.is_ascii_alphanumeric();
        let has_sign =
            self.0.contains(['+', '!', '$', '%', '^', '&', '#', '@', '~']);
        let is_random = |part: &str| {
            let digits = part.bytes().filter(u8::is_ascii_digit).count();
            let end = part.trim_end_matches(|c: char| c.is_ascii_digit());
            let after = part.len() - end.len();
            // The words of a name with a number, such as `sha256`.
            let is_named = after == digits
                && end.bytes().all(|b| b.is_ascii_alphabetic())
                && !end.is_empty()
                && Value(end).words().all(|word| word.len() > 1);
            match digits {
                0 => has_sign && part.len() >= 4,
                _ if digits == part.len() => digits >= 9,
                _ if is_named => after > 2 && part.len() >= 8,
                _ => part.len() >= 5 || has_sign,
            }
        };
        self.0.split(is_part).any(is_random)
    }

    /// Returns whether a number in the value is too long for one of a version.
    pub(super) fn has_long_number(&self) -> bool {
        self.0.split('.').any(|part| part.len() > 3)
    }

    /// Returns whether the value is an address with a scheme.
    pub(super) fn is_url(&self) -> bool {
        self.0.contains("://")
    }

    /// Returns whether the value has a digit, and is as long as a secret.
    pub(super) fn is_long_with_digit(&self) -> bool {
        self.0.len() >= 8 && self.has(|b| b.is_ascii_digit())
    }

    /// Returns whether the value is a call in code, such as `get_secret(`.
    pub(super) fn is_call(&self) -> bool {
        let Some(at) = self.0.find(['(', '[']) else { return false };
        let name = self.0.get(..at).unwrap_or_default();
        let is_part = |b: u8| b.is_ascii_alphabetic() || b"_.:".contains(&b);
        name.len() > 2 && name.bytes().all(is_part) && !self.is_random()
    }

    /// Returns whether the value, which has no quotes, is code.
    pub(super) fn is_code(&self) -> bool {
        let text = self.0;
        let is_name = |part: &str| {
            let is_part = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            let first = part.bytes().next();
            first.is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
                && part.bytes().all(is_part)
                && !Value(part).is_random()
        };
        let mut parts = text.split('.');
        let signs = ["::", "->", "=>", "==", "||", "&&", "!=", "?."];
        // `k9(fQ2`: what calls have before them is a name.
        let is_path = |part: &str| {
            // A macro has a `!` before them.
            let part = part.trim_matches(|c: char| !c.is_alphanumeric());
            !Value(part).is_random()
        };
        let bracket = text.find(['(', '[', '{', '}']);
        bracket.is_some_and(|at| is_path(text.get(..at).unwrap_or_default()))
            || signs
                .iter()
                .any(|sign| text.trim_end_matches('=').contains(sign))
            || text.contains('.') && parts.all(is_name)
            // `Uint8Array`
            || text.ends_with("Array")
            || text.starts_with(['.', '?', '&', '*', '|', '+', ',', ':', '-'])
                && !self.is_random()
            || text.starts_with(['!', '@', '#', '%']) && {
                let rest = text.get(1..).unwrap_or_default();
                is_name(rest) || rest.bytes().all(|b| b.is_ascii_hexdigit())
            }
    }

    /// Returns whether the value is a name in code that ends with a number.
    pub(super) fn is_name_with_number(&self) -> bool {
        let end = self.0.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        self.0.len() - end.len() <= 2
            && self.0.bytes().all(is_name)
            && Value(end).is_label()
            && self.words().count() <= 4
            && !self.is_random()
    }
}

/// Returns whether a word says what a value is.
fn is_label(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    LABELS.binary_search(&word.as_str()).is_ok()
}

/// Returns a text without references to variables, and whether all of them have
/// a sign that few passwords have.
fn without_references(text: &str) -> (String, bool) {
    /// What begins a reference, and what ends it.
    const PAIRS: &[(&str, &str)] = &[
        ("${{", "}}"),
        ("{{", "}}"),
        ("${", "}"),
        ("$(", ")"),
        ("#{", "}"),
        ("%(", ")"),
        ("{", "}"),
        ("<", ">"),
        ("[", "]"),
        ("%", "%"),
        ("@", "@"),
        ("__", "__"),
    ];
    let mut kept = String::new();
    let mut rest = text;
    let mut last = None;
    let mut is_sure = true;
    while let Some(c) = rest.chars().next() {
        let pair = PAIRS.iter().find_map(|(start, end)| {
            let inner = rest.strip_prefix(start)?;
            let length = inner.find(end).or_else(|| {
                // What is cut off.
                (start.len() > 1).then_some(inner.len())
            })?;
            let name = inner.get(..length)?;
            let is_named = start.len() > 1 && *start != "__" || is_name(name);
            // `@e1@` is less of a reference than `%USERNAME%`.
            let is_named = is_named
                && (start != end
                    || length > 2
                        && !name.contains(|c: char| c.is_ascii_digit()));
            let after = inner.get(length..)?;
            is_named.then(|| {
                is_sure &= start.len() > 1;
                after.strip_prefix(end).unwrap_or(after)
            })
        });
        // A name behind a `$` that is not in a word.
        let name = rest.strip_prefix('$').filter(|name| {
            let first = name.chars().next();
            let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
            last.is_none_or(|c: char| "/:-_ =.(\"'".contains(c))
                && first.is_some_and(is_first)
        });
        let name = name.and_then(|name| {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let after = name.trim_start_matches(is_part);
            let own = name.get(..name.len() - after.len())?;
            // `$DyKzjEBLopC`
            let own_words = Value(own).words();
            let (count, letters) = own_words
                .fold((0, 0), |(n, all), word| (n + 1, all + word.len()));
            let is_mixed = own.contains(|c: char| c.is_ascii_lowercase())
                && count > 2
                && letters < 4 * count;
            (is_name(own) && !is_mixed).then_some(after)
        });
        match pair.or(name) {
            Some(after) => {
                rest = after;
                last = None;
            }
            None => {
                kept.push(c);
                last = Some(c);
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
            }
        }
    }
    (kept, is_sure)
}

/// Returns whether a text is the name of something, not a part of a secret.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_-. /:|".contains(c);
    !text.is_empty()
        && text.chars().all(is_part)
        && !Value::new(text).is_random()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(PROSE.is_sorted());
        assert!(LABELS.is_sorted(), "{:?}", {
            let mut sorted = LABELS.to_vec();
            sorted.sort_unstable();
            sorted
        });
    }
}

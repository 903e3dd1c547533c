use std::fmt::Write;

/// The end of every name.
const END: &str = ".jsonl";

/// The maximum length of a name, with its end.
const MAX: usize = 120;

/// How many hexadecimal digits replace the rest of a long name.
const DIGITS: usize = 32;

/// The name of the file for lines that have no key. No key gets it.
pub(crate) const NONE: &str = "_none.jsonl";

/// The names that Windows gives to devices.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Returns the file name for a key. It consists of `A-Z`, `a-z`, `0-9`, `.`,
/// `_` and `-`, and of all other bytes as `%` and two digits. It has at most
/// 120 bytes, and different keys have different names.
pub(crate) fn file_name(key: &str) -> String {
    if key.is_empty() {
        return format!("_empty{END}");
    }
    let mut name = String::new();
    for (index, byte) in key.bytes().enumerate() {
        let is_first = index == 0;
        let is_plain = match byte {
            b'0'..=b'9' | b'-' => true,
            b'A'..=b'Z' | b'a'..=b'z' => !(is_first && is_device(key)),
            // Not `..`, not hidden, and none of the names above.
            b'.' | b'_' => !is_first,
            _ => false,
        };
        // A string accepts everything.
        _ = match is_plain {
            true => write!(name, "{}", char::from(byte)),
            false => write!(name, "%{byte:02X}"),
        };
    }
    if name.len() + END.len() > MAX {
        // `%_` is in no other name.
        name.truncate(MAX - END.len() - DIGITS - 2);
        let [first, second] = hashes(key.as_bytes());
        name = format!("{name}%_{first:016x}{second:016x}");
    }
    name + END
}

/// Returns whether Windows takes a name for a device, whatever its end is.
fn is_device(key: &str) -> bool {
    let stem = key.split('.').next().unwrap_or_default();
    let stem = stem.trim_end_matches(|last: char| last.is_ascii_digit());
    DEVICES.iter().any(|device| stem.eq_ignore_ascii_case(device))
}

/// Returns two hashes, by FNV-1a with 64 bits from both ends.
fn hashes(bytes: &[u8]) -> [u64; 2] {
    let mix = |hash: u64, byte: &u8| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3)
    };
    let start = 0xCBF2_9CE4_8422_2325;
    [bytes.iter().fold(start, mix), bytes.iter().rev().fold(start, mix)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn names_are_safe() {
        for (key, name) in [
            ("assistant", "assistant.jsonl"),
            ("system/init", "system%2Finit.jsonl"),
            ("../../x", "%2E.%2F..%2Fx.jsonl"),
            ("", "_empty.jsonl"),
            (".", "%2E.jsonl"),
            ("..", "%2E..jsonl"),
            (".hidden", "%2Ehidden.jsonl"),
            ("_none", "%5Fnone.jsonl"),
            ("a_b.c-D9", "a_b.c-D9.jsonl"),
            ("100%", "100%25.jsonl"),
            ("C:\\x", "C%3A%5Cx.jsonl"),
            ("CON", "%43ON.jsonl"),
            ("nul.txt", "%6Eul.txt.jsonl"),
            ("Com1", "%43om1.jsonl"),
            ("console", "console.jsonl"),
            ("a b\n\0é", "a%20b%0A%00%C3%A9.jsonl"),
        ] {
            assert_eq!(file_name(key), name, "{key:?}");
        }
    }

    /// Different keys have different names, of which each is safe.
    #[test]
    fn names_are_distinct() {
        let mut keys: Vec<String> = vec![];
        for piece in ["a", "/", "é", "%", ".", "_", "..", "%2F", "con"] {
            for count in 0..130 {
                keys.push(piece.repeat(count));
                keys.push(piece.repeat(count) + "x");
                keys.push("x".to_string() + &piece.repeat(count));
            }
        }
        keys.sort();
        keys.dedup();
        let mut names = BTreeMap::new();
        for key in &keys {
            let name = file_name(key);
            assert!(name.len() <= MAX && name.ends_with(END));
            assert!(!name.starts_with('.') && name != NONE);
            let is_safe = |c: char| c.is_ascii_alphanumeric();
            assert!(name.chars().all(|c| is_safe(c) || "._-%".contains(c)));
            if let Some(other) = names.insert(name, key) {
                panic!("{key} and {other} have the same name");
            }
            // The name of a name is another one.
            let again = file_name(&file_name(key));
            assert!(again.len() <= MAX);
        }
    }
}

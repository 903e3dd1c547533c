//! Code that the tests of peeking share: kernels, lines of all kinds,
//! comparisons, and a slow parser that shares no code with the library.

use std::{collections::BTreeSet, env, mem};

use linetape::{
    Decoder, Error, ErrorKind, Kernel, Level, Limits, Message, Value,
};

use super::{fields::count_fields, logs};

// ---- kernels ---------------------------------------------------------------

/// Returns the kernels to test: all that this CPU supports, or the one that
/// `LINETAPE_KERNEL` names.
pub fn kernels() -> Vec<Kernel> {
    let name = env::var("LINETAPE_KERNEL").ok();
    let mut kernels = Kernel::ALL.to_vec();
    kernels.retain(|kernel| kernel.is_available());
    if let Some(name) = name {
        kernels.retain(|kernel| kernel.to_string() == name);
        assert!(!kernels.is_empty(), "this CPU has no kernel {name}");
    }
    kernels
}

/// All levels of preparation.
pub const LEVELS: [Level; 5] =
    [Level::Line, Level::Kind, Level::Peek, Level::Check, Level::Checked];

/// One decoder for each kernel.
pub fn decoders(limits: Limits) -> Vec<Decoder> {
    let make = |kernel| {
        let mut decoder = Decoder::with_limits(limits);
        decoder.set_kernel(kernel).unwrap();
        decoder
    };
    kernels().into_iter().map(make).collect()
}

pub fn show(line: &[u8]) -> String {
    let end = line.len().min(2000);
    line[..end].escape_ascii().to_string()
}

// ---- errors ----------------------------------------------------------------

/// All properties of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub kind: ErrorKind,
    pub line: u64,
    pub byte: u64,
    pub limit: Option<u64>,
    pub found: Option<u64>,
    pub text: String,
}

pub fn told(error: &Error) -> Told {
    // The reason if a line is rejected, and a second look finds no fault.
    let reason = error.reason().to_string();
    assert_ne!(reason, "invalid JSON: invalid value", "{error}");
    Told {
        kind: error.kind(),
        line: error.position().line(),
        byte: error.position().byte(),
        limit: error.limit(),
        found: error.found(),
        text: error.to_string(),
    }
}

/// Returns the result of decoding a line.
pub fn verdict(line: &[u8], limits: Limits) -> Result<(), Told> {
    let mut decoder = Decoder::with_limits(limits);
    let record = decoder.decode(line);
    record.map(drop).map_err(|error| told(&error))
}

// ---- comparisons -----------------------------------------------------------

/// Asserts that all accessors of two values return the same. Returns the paths
/// of all values in them.
pub fn same_value(ours: Value<'_>, theirs: Value<'_>) -> Vec<String> {
    let mut paths = vec![];
    walk_both(ours, theirs, "", &mut paths);
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
    #[cfg(feature = "messages")]
    {
        let text = |value| serde_json::to_string(&value).unwrap();
        assert_eq!(text(ours), text(theirs));
    }
    paths
}

fn walk_both(a: Value<'_>, b: Value<'_>, path: &str, paths: &mut Vec<String>) {
    paths.push(path.to_string());
    same_scalar(a, b, path);
    assert!(a.check().is_ok(), "{path}: {:?}", a.check());
    match (a.as_object(), b.as_object()) {
        (Some(a), Some(b)) => {
            assert_eq!(a.len(), b.len(), "{path}");
            assert_eq!(a.is_empty(), b.is_empty(), "{path}");
            let mut theirs = b.iter();
            for (key, value) in a.iter() {
                let (their_key, other) = theirs.next().expect(path);
                assert_eq!(key, their_key, "{path}");
                let step = key.replace('~', "~0").replace('/', "~1");
                walk_both(value, other, &format!("{path}/{step}"), paths);
                let (last, other) = (a.get(key), b.get(key));
                same_shallow(last, other, path);
            }
            assert!(theirs.next().is_none(), "{path}");
            assert!(a.get("no such key").is_none(), "{path}");
        }
        (a, b) => assert_eq!(a.is_some(), b.is_some(), "{path}"),
    }
    match (a.as_array(), b.as_array()) {
        (Some(a), Some(b)) => {
            assert_eq!(a.len(), b.len(), "{path}");
            assert_eq!(a.is_empty(), b.is_empty(), "{path}");
            let mut theirs = b.iter();
            for (index, value) in a.iter().enumerate() {
                let other = theirs.next().expect(path);
                walk_both(value, other, &format!("{path}/{index}"), paths);
            }
            assert!(theirs.next().is_none(), "{path}");
            same_shallow(a.get(a.len()), None, path);
            same_shallow(a.get(a.len() / 2), b.get(a.len() / 2), path);
        }
        (a, b) => assert_eq!(a.is_some(), b.is_some(), "{path}"),
    }
}

fn same_scalar(a: Value<'_>, b: Value<'_>, path: &str) {
    assert_eq!(a.as_str(), b.as_str(), "{path}");
    assert_eq!(a.is_null(), b.is_null(), "{path}");
    assert_eq!(a.as_bool(), b.as_bool(), "{path}");
    assert_eq!(a.as_u64(), b.as_u64(), "{path}");
    assert_eq!(a.as_i64(), b.as_i64(), "{path}");
    let bits = |value: Value<'_>| value.as_f64().map(f64::to_bits);
    assert_eq!(bits(a), bits(b), "{path}");
}

/// Asserts that two values are equal, without their contents.
pub fn same_shallow(a: Option<Value<'_>>, b: Option<Value<'_>>, path: &str) {
    assert_eq!(a.is_some(), b.is_some(), "{path}");
    let (Some(a), Some(b)) = (a, b) else { return };
    same_scalar(a, b, path);
    let sizes = |value: Value<'_>| {
        (value.as_object().map(|o| o.len()), value.as_array().map(|a| a.len()))
    };
    assert_eq!(sizes(a), sizes(b), "{path}");
}

/// Asserts that all accessors of two messages return the same.
pub fn same_message(a: Message<'_>, b: Message<'_>) {
    assert_eq!(mem::discriminant(&a), mem::discriminant(&b));
    assert_eq!(a.kind(), b.kind());
    assert_eq!(count_fields(a), count_fields(b));
    assert_eq!(a.session_id(), b.session_id());
    assert_eq!(a.uuid(), b.uuid());
    assert_eq!(a.parent_uuid(), b.parent_uuid());
    assert_eq!(a.logical_parent_uuid(), b.logical_parent_uuid());
    assert_eq!(a.timestamp(), b.timestamp());
    assert_eq!(a.is_sidechain(), b.is_sidechain());
    assert_eq!(a.is_final(), b.is_final());
    assert_eq!(a.is_error(), b.is_error());
    assert_eq!(a.user_uuid(), b.user_uuid());
    let blocks = |message: Message<'_>| {
        let blocks = message.content_blocks();
        blocks.map(|block| format!("{block:?}")).collect::<Vec<_>>()
    };
    assert_eq!(blocks(a), blocks(b));
    assert!(a.text().eq(b.text()));
    assert_eq!(a.text().to_string(), b.text().to_string());
    let usage = |message: Message<'_>| {
        let usage = message.usage()?;
        let tokens = (usage.input_tokens(), usage.output_tokens());
        Some((tokens, format!("{usage:?}")))
    };
    assert_eq!(usage(a), usage(b));
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
    #[cfg(feature = "messages")]
    assert_eq!(a.into_owned().unwrap(), b.into_owned().unwrap());
}

// ---- a slow parser ---------------------------------------------------------

/// The result of a slow parser. It follows strings and brackets byte by byte,
/// and parses the members of the outermost object.
#[derive(Debug, Default)]
pub struct Outline {
    /// Whether all strings and brackets are closed, and all brackets match.
    pub balanced: bool,
    /// Whether there is a backslash outside of all strings.
    pub stray: bool,
    pub depth: usize,
    /// The tokens outside of nested containers.
    pub tokens: Vec<Token>,
    /// All strings, unescaped, and the bits of all numbers.
    pub strings: BTreeSet<String>,
    /// All strings as keys, which may have lone surrogates.
    pub keys: BTreeSet<String>,
    pub numbers: BTreeSet<u64>,
}

/// A part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub what: What,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Mark(u8),
    String,
    Nested,
    Word,
}

/// A member of the outermost object.
#[derive(Clone, Debug)]
pub struct Member {
    pub at: usize,
    /// The unescaped key, if it is valid.
    pub key: Option<String>,
    /// Whether there is an unescaped control character in the key.
    pub control: bool,
    pub value: Token,
}

impl Member {
    /// Returns whether the key is invalid in a way that is found only when the
    /// key is read.
    pub fn is_doubtful(&self) -> bool {
        self.key.is_none() && self.control
    }
}

fn read_string(written: &[u8]) -> Option<String> {
    serde_json::from_slice(written).ok()
}

/// Reads a key: with U+FFFD for each lone surrogate.
fn read_key(written: &[u8]) -> Option<String> {
    let mut key = written.to_vec();
    let unit = |key: &[u8], at: usize| {
        let digits = key.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut at = 0;
    while at < key.len() {
        at += match (unit(&key, at), unit(&key, at + 6)) {
            (Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => 12,
            (Some(0xD800..0xE000), _) => {
                key[at + 2..at + 6].copy_from_slice(b"fffd");
                6
            }
            _ if key[at] == b'\\' => 2,
            _ => 1,
        };
    }
    read_string(&key)
}

impl Outline {
    pub fn of(line: &[u8]) -> Outline {
        let mut outline = Outline::default();
        let mut open: Vec<(u8, usize)> = vec![];
        let mut matched = true;
        let mut at = 0;
        while at < line.len() {
            let start = at;
            at += 1;
            let what = match line[start] {
                b' ' | b'\t' | b'\r' | b'\n' => continue,
                b'"' => {
                    let Some(end) = string_end(line, at) else {
                        return outline;
                    };
                    at = end;
                    outline.strings.extend(read_string(&line[start..at]));
                    outline.keys.extend(read_key(&line[start..at]));
                    What::String
                }
                byte @ (b'{' | b'[') => {
                    open.push((byte + 2, start));
                    outline.depth = outline.depth.max(open.len());
                    if open.len() > 1 {
                        continue;
                    }
                    What::Mark(byte)
                }
                byte @ (b'}' | b']') => match open.pop() {
                    Some((close, start)) => {
                        matched &= close == byte;
                        if open.len() == 1 {
                            let what = What::Nested;
                            let nested = Token { what, start, end: at };
                            outline.tokens.push(nested);
                        }
                        if !open.is_empty() {
                            continue;
                        }
                        What::Mark(byte)
                    }
                    None => return outline,
                },
                byte @ (b',' | b':') => What::Mark(byte),
                _ => {
                    let stops = b" \t\r\n\"{}[],:";
                    while line.get(at).is_some_and(|b| !stops.contains(b)) {
                        at += 1;
                    }
                    let word = &line[start..at];
                    outline.stray |= word.contains(&b'\\');
                    if let Ok(number) = serde_json::from_slice::<f64>(word) {
                        // `-0` reads as the integer 0.
                        let both = [number, number + 0.0];
                        outline.numbers.extend(both.map(f64::to_bits));
                    }
                    What::Word
                }
            };
            if open.len() <= 1 {
                outline.tokens.push(Token { what, start, end: at });
            }
        }
        outline.balanced = matched && open.is_empty();
        outline
    }

    /// Returns the members of the outermost object, if the line is an object
    /// whose tokens follow the grammar.
    pub fn members(&self, line: &[u8]) -> Option<Vec<Member>> {
        let [first, inner @ .., last] = &self.tokens[..] else { return None };
        let marks = (first.what, last.what);
        if marks != (What::Mark(b'{'), What::Mark(b'}')) || !self.balanced {
            return None;
        }
        let mut members = vec![];
        let count = inner.len().div_ceil(4);
        if inner.is_empty() {
            return Some(members);
        }
        for (number, part) in inner.chunks(4).enumerate() {
            let [key, colon, value, comma @ ..] = part else { return None };
            let comma = comma.first().map(|token| token.what);
            let expected = Some(What::Mark(b','));
            if comma != expected.filter(|_| number + 1 < count)
                || key.what != What::String
                || colon.what != What::Mark(b':')
            {
                return None;
            }
            match value.what {
                What::Mark(_) => return None,
                What::Word => {
                    let word = &line[value.start..value.end];
                    serde_json::from_slice::<serde_json::Value>(word).ok()?;
                }
                What::String | What::Nested => {}
            }
            let at = key.start;
            let written = &line[key.start..key.end];
            let control = written.iter().any(|byte| *byte < b' ');
            let key = read_key(written);
            members.push(Member { at, key, control, value: *value });
        }
        Some(members)
    }
}

fn string_end(line: &[u8], mut at: usize) -> Option<usize> {
    while *line.get(at)? != b'"' {
        at += if line[at] == b'\\' { 2 } else { 1 };
    }
    Some(at + 1)
}

/// Returns the offset of the first duplicate `type` or `subtype` key.
pub fn second(members: &[Member]) -> Option<usize> {
    let decides = |key: &str| key == "type" || key == "subtype";
    let mut seen = BTreeSet::new();
    for member in members {
        let Some(key) = member.key.as_deref() else { continue };
        if decides(key) && !seen.insert(key) {
            return Some(member.at);
        }
    }
    None
}

/// Returns whether a type or subtype is an invalid string.
pub fn is_unreadable(line: &[u8], members: &[Member]) -> bool {
    members.iter().any(|member| {
        let value = &line[member.value.start..member.value.end];
        matches!(member.key.as_deref(), Some("type" | "subtype"))
            && value.starts_with(b"\"")
            && read_string(value).is_none()
    })
}

/// Returns the string value of the last member with this key.
pub fn stated(line: &[u8], members: &[Member], key: &str) -> Option<String> {
    let named = |member: &&Member| member.key.as_deref() == Some(key);
    let value = members.iter().rfind(named)?.value;
    read_string(&line[value.start..value.end])
}

// ---- lines -----------------------------------------------------------------

/// Returns the lines of the fixtures, and of the sample session of the
/// command.
pub fn written_lines() -> Vec<Vec<u8>> {
    let sample = include_bytes!("../../crates/cli/sample/session.jsonl");
    let mut files: Vec<Vec<u8>> =
        logs::fixtures().into_iter().map(|(_, log)| log).collect();
    files.push(sample.to_vec());
    let lines = files.iter().flat_map(|log| log.split(|byte| *byte == b'\n'));
    let lines = lines.filter(|line| line.starts_with(b"{"));
    lines.map(<[u8]>::to_vec).collect()
}

/// Returns the lines of real logs, if there are any.
pub fn corpus() -> Vec<Vec<u8>> {
    logs::corpus_files()
}

/// Returns the files of the conformance suite with their names, if there are
/// any.
pub fn suite_files() -> Vec<(String, Vec<u8>)> {
    logs::conformance().map_or(vec![], |folder| logs::files(folder, ".json"))
}

/// Returns the same files, each as the line `{"v":FILE}` and alone. Newlines
/// are replaced by spaces.
pub fn suite() -> Vec<(String, Vec<u8>)> {
    let mut lines = vec![];
    for (name, mut file) in suite_files() {
        file.iter_mut().filter(|b| **b == b'\n').for_each(|b| *b = b' ');
        let member = [b"{\"v\":", &file[..], b"}"].concat();
        lines.extend([(name.clone(), member), (name, file)]);
    }
    lines
}

/// Calls `check` with the text at the offsets 0 to 63, and two blocks later.
/// The text is moved by whitespace, and also by a string member, because the
/// parser handles strings and whitespace with different code. Everyday tests
/// leave out most offsets at which the text is within a block.
pub fn at_all_offsets(members: &[u8], mut check: impl FnMut(&[u8], usize)) {
    let all = logs::exhaustive();
    let mut check = |before: &[u8]| {
        // The blocks of the bytes beside the text.
        let (first, last) = (before.len() - 1, before.len() + members.len());
        let is_within = first / 64 == last / 64 && first % 8 != 0;
        if all || !is_within {
            check(&[before, members, b"}"].concat(), before.len());
        }
    };
    for pad in (0..64).chain([64, 127, 128]) {
        check(&[b"{", &b" ".repeat(pad)[..]].concat());
        check(&[br#"{"p":""#, &b"x".repeat(pad)[..], br#"","#].concat());
    }
}

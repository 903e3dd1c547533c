//! Text: words, sentences, source code, and the output of commands.
//!
//! All text is written in the escaped form that it has in a JSON string.

use crate::random::Random;

/// Appends a text.
#[inline]
pub(crate) fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

/// Appends an integer.
pub(crate) fn number(out: &mut Vec<u8>, mut value: u64) {
    let mut text = [0; 20];
    let mut start = text.len();
    loop {
        start -= 1;
        text[start] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&text[start..]);
}

/// Appends the last `count` digits of a number.
pub(crate) fn digits(out: &mut Vec<u8>, value: u64, count: u32) {
    for place in (0..count).rev() {
        out.push(b'0' + (value / 10_u64.pow(place) % 10) as u8);
    }
}

const WORDS: [&str; 64] = [
    "request", "session", "buffer", "handler", "config", "result", "client",
    "server", "cursor", "index", "parser", "writer", "reader", "message",
    "branch", "commit", "path", "value", "token", "queue", "record", "field",
    "schema", "worker", "event", "stream", "batch", "limit", "timeout",
    "cache", "entry", "state", "output", "input", "line", "offset", "length",
    "count", "name", "kind", "user", "agent", "task", "tool", "prompt",
    "model", "usage", "budget", "policy", "rule", "scope", "target", "source",
    "column", "header", "footer", "widget", "layout", "theme", "palette",
    "store", "bucket", "shard", "replica",
];

/// Returns a random word.
#[inline]
pub(crate) fn word(random: &mut Random) -> &'static str {
    random.pick(&WORDS)
}

const PHRASES: [&str; 48] = [
    "Let me look at how the tests are set up ",
    "The function returns early when the list is empty, ",
    "so the second call never sees the new value ",
    "I will add a case for that and run the suite again. ",
    "This happens because the lock is taken twice ",
    "and the first holder waits for the second. ",
    "All the tests pass now. ",
    "The change is small: ",
    "one more field, and a default for old files. ",
    "That explains the failure on the second run. ",
    "Next I will check the callers, ",
    "since some of them rely on the old order ",
    "and would break without a word. ",
    "There are two ways to do this. ",
    "The first keeps the signature as it is, ",
    "the second is cleaner but touches more files. ",
    "I prefer the first one here. ",
    "The user asked for a short summary, ",
    "so I leave the details out. ",
    "Here is what I found: ",
    "the parser reads ahead by one token ",
    "and gives it back only on success. ",
    "We should also update the documentation ",
    "and the example in the readme. ",
    "It looks like the helper already exists ",
    "under a different name. ",
    "I can reuse it instead of writing another. ",
    "The error message says which file is missing ",
    "but not who asked for it. ",
    "Now the build is green. ",
    "Wait, the count is off by one ",
    "when the last line has no newline. ",
    "I should handle that case too. ",
    "Let me verify this with a small script. ",
    "The numbers agree with the ones from before. ",
    "That is a separate problem, ",
    "and I will note it for later. ",
    "The migration runs once at startup, ",
    "after the settings are loaded ",
    "and before the first request comes in. ",
    "Good. ",
    "Two files are left. ",
    "Both import the old module, ",
    "which no longer exports that name. ",
    "I will fix the imports first. ",
    "Then the types should line up again. ",
    "If not, the compiler will tell. ",
    "Done. ",
];

/// Appends sentences of about `length` bytes, with few escapes.
pub(crate) fn prose(out: &mut Vec<u8>, random: &mut Random, length: usize) {
    let end = out.len() + length;
    while out.len() < end {
        push(out, random.pick(&PHRASES));
        match random.below(24) {
            0 => push(out, r"\n\n"),
            1 => {
                push(out, r"\n- `");
                push(out, word(random));
                push(out, "`: ");
            }
            2..5 => {
                push(out, word(random));
                out.push(b' ');
            }
            5 => {
                push(out, r#"\""#);
                push(out, word(random));
                push(out, r#"\" "#);
            }
            _ => {}
        }
    }
}

/// Appends words of about `length` bytes, separated by single spaces, without
/// escapes.
pub(crate) fn words(out: &mut Vec<u8>, random: &mut Random, length: usize) {
    let end = out.len() + length;
    push(out, word(random));
    while out.len() < end {
        out.push(b' ');
        push(out, word(random));
    }
}

/// Lines of code: the text before and after a name, and whether the line opens
/// a block (1) or closes one (-1).
const CODE: [(&str, &str, i8); 48] = [
    ("func (s *Service) ", "(ctx context.Context) error {", 1),
    ("if err := s.", "(ctx); err != nil {", 1),
    (r#"return fmt.Errorf(\"failed to read "#, r#": %w\", err)"#, 0),
    ("}", "", -1),
    ("}", "", -1),
    ("}", "", -1),
    ("}", "", -1),
    ("", " := make(map[string]int)", 0),
    ("for _, item := range ", " {", 1),
    ("s.mu.Lock() // guards ", "", 0),
    ("defer s.", ".Close()", 0),
    (r#"log.Printf(\"%s: %d\\n\", "#, ", n)", 0),
    (r#"t.Run(\""#, r#"\", func(t *testing.T) {"#, 1),
    (r#"want := \""#, r#"\""#, 0),
    ("if got != ", " {", 1),
    ("// The ", " is read once, at the start.", 0),
    ("switch ", ".Kind {", 1),
    (r#"case \""#, r#"\":"#, 0),
    ("return ", ", nil", 0),
    ("", "++", 0),
    ("", r"", 0),
    ("", r"", 0),
    ("x.", " = y", 0),
    ("type ", " struct {", 1),
    ("Name string `json:", "`", 0),
    ("} else if ", " == nil {", 0),
    (r#"os.Setenv(\""#, r#"\", \"1\")"#, 0),
    ("var ", " sync.WaitGroup", 0),
    ("go func() { ", " <- 1 }()", 0),
    (r#"require.Equal(t, \""#, r#"\", got.Name)"#, 0),
    ("", " = append(all, one)", 0),
    ("continue // no ", "", 0),
    ("assert.NoError(t, ", ")", 0),
    ("i, ok := ", "[key]", 0),
    ("if !ok {", "", 1),
    (r#"path := filepath.Join(root, \""#, r#"\")"#, 0),
    ("select {", "", 1),
    ("n += len(", ")", 0),
    (r"b.WriteByte('\\t') // ", "", 0),
    ("const max", " = 64 << 10", 0),
    ("// It must not be called while the ", " is still being written.", 0),
    ("// Callers that need a copy have to make one of the ", " first,", 0),
    ("// because the next call may move the ", " and free the old one.", 0),
    ("return s.store.Find(ctx, query.Where(", ".ID).Limit(20))", 0),
    ("ctx, cancel := context.WithTimeout(parent, 5*time.Second) // ", "", 0),
    ("", " = strings.TrimSpace(strings.ToLower(given.Name + given.Kind))", 0),
    ("result, err := client.Do(request.WithContext(ctx).Clone(", "))", 0),
    ("options := Options{Retry: 3, Verbose: true, Filter: ", ".Filter}", 0),
];

const TAB: &str = r"\t";
const SPACES: &str = "  ";

/// A generator of source code.
#[derive(Debug)]
pub(crate) struct Code {
    random: Random,
    /// The number of open blocks, at most 5.
    depth: i8,
    /// One level of indentation. A tab needs an escape, spaces do not.
    indent: &'static str,
}

impl Code {
    pub(crate) fn new(seed: u64) -> Code {
        let mut random = Random::new(seed ^ 0xc0de);
        let indent = random.pick(&[TAB, TAB, SPACES, SPACES, SPACES]);
        Code { random, depth: 0, indent }
    }

    /// Creates a generator of code that is indented with tabs.
    pub(crate) fn with_tabs(seed: u64) -> Code {
        Code { indent: TAB, ..Code::new(seed) }
    }

    /// Appends one line, without a newline.
    pub(crate) fn line(&mut self, out: &mut Vec<u8>) {
        let (before, after, step) = self.random.pick(&CODE);
        if step < 0 {
            self.depth = (self.depth - 1).max(0);
        }
        for _ in 0..self.depth {
            push(out, self.indent);
        }
        push(out, before);
        if !after.is_empty() || before.ends_with(' ') {
            push(out, word(&mut self.random));
        }
        push(out, after);
        if step > 0 {
            self.depth = (self.depth + 1).min(5);
        }
    }

    /// Appends `count` lines, each with its newline.
    pub(crate) fn lines(&mut self, out: &mut Vec<u8>, count: usize) {
        for _ in 0..count {
            self.line(out);
            push(out, r"\n");
        }
    }

    /// Appends `count` lines with line numbers, like the result of a tool that
    /// reads a file.
    pub(crate) fn numbered(&mut self, out: &mut Vec<u8>, count: usize) {
        for at in 1..=count as u64 {
            let width = 1 + at.ilog10() as usize;
            push(out, &"      "[width.min(6)..]);
            number(out, at);
            push(out, "→");
            self.line(out);
            push(out, r"\n");
        }
    }

    /// Appends `count` lines as a diff.
    pub(crate) fn diff(&mut self, out: &mut Vec<u8>, count: usize) {
        for at in 0..count as u64 {
            if at % 40 == 0 {
                push(out, "@@ -");
                number(out, at + 1);
                push(out, ",40 +");
                number(out, at + 3);
                push(out, r",40 @@\n");
            }
            push(out, self.random.pick(&[" ", " ", " ", "-", "+"]));
            self.line(out);
            push(out, r"\n");
        }
    }
}

/// The average length of a line of [`Code`] with its newline, to convert bytes
/// to lines.
pub(crate) const CODE_LINE: usize = 38;

/// Appends the output of a command, about `length` bytes.
pub(crate) fn output(out: &mut Vec<u8>, random: &mut Random, length: usize) {
    const LINES: [(&str, &str); 10] = [
        (r"ok  \texample.com/orchard/", r"\t0.412s"),
        ("--- PASS: Test_", " (0.00s)"),
        ("    --- PASS: Test_", "/empty_input (0.00s)"),
        ("=== RUN   Test_", ""),
        ("-rw-r--r--  1 dev dev   4096 Feb 14 13:38 ", ".go"),
        (r#"warning: field \""#, r#"\" is never read"#),
        (" M internal/", "/service.go"),
        (r"?   \texample.com/orchard/", r"\t[no test files]"),
        ("   Compiling orchard-", " v0.3.1"),
        ("internal/", "/service.go:41:9: undefined name"),
    ];
    let end = out.len() + length;
    while out.len() < end {
        let (before, after) = random.pick(&LINES);
        push(out, before);
        push(out, word(random));
        push(out, after);
        push(out, r"\n");
    }
}

/// Appends `length` bytes of base64.
pub(crate) fn base64(out: &mut Vec<u8>, random: &mut Random, length: usize) {
    const LETTERS: &[u8; 64] =
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let end = out.len() + length;
    while out.len() < end {
        let word = random.next();
        let mut part = [0; 10];
        for (at, byte) in part.iter_mut().enumerate() {
            *byte = LETTERS[(word >> (at * 6) & 63) as usize];
        }
        out.extend_from_slice(&part[..part.len().min(end - out.len())]);
    }
}

/// Appends the path of a source file.
pub(crate) fn path(out: &mut Vec<u8>, random: &mut Random) {
    push(out, "/home/dev/orchard/internal/");
    push(out, word(random));
    out.push(b'/');
    push(out, word(random));
    push(out, random.pick(&[".go", "_test.go", ".go", ".md", ".ts"]));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    /// Returns the text with escapes decoded.
    fn unescaped(write: impl FnOnce(&mut Vec<u8>)) -> String {
        serde_json::from_str(&format!("\"{}\"", text(write))).unwrap()
    }

    #[test]
    fn integers_and_padded_digits() {
        assert_eq!(text(|out| number(out, 0)), "0");
        assert_eq!(text(|out| number(out, u64::MAX)), u64::MAX.to_string());
        assert_eq!(text(|out| digits(out, 41, 3)), "041");
    }

    #[test]
    fn base64_has_the_requested_length() {
        for length in [0, 1, 9, 10, 11, 1_000] {
            let mut random = Random::new(1);
            let text = text(|out| base64(out, &mut random, length));
            assert_eq!(text.len(), length);
        }
    }

    #[test]
    fn code_line_is_the_average_length() {
        let code = text(|out| Code::new(1).lines(out, 20_000));
        let average = code.len() / 20_000;
        assert!(average.abs_diff(CODE_LINE) <= 1, "{average}");
    }

    #[test]
    fn numbered_code_is_the_same_code() {
        let plain = unescaped(|out| Code::new(3).lines(out, 1_200));
        let numbered = unescaped(|out| Code::new(3).numbered(out, 1_200));
        assert_eq!(numbered.lines().count(), 1_200);
        for (at, (line, plain)) in
            numbered.lines().zip(plain.lines()).enumerate()
        {
            let (number, code) = line.split_once('→').unwrap();
            assert_eq!(number, format!("{:6}", at + 1));
            assert_eq!(code, plain);
        }
    }
}

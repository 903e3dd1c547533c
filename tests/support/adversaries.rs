//! Streams for which a careless implementation would take too much time or
//! memory.

/// A name, and a function that makes a stream of about the given number of
/// bytes.
pub type Adversary = (&'static str, fn(usize) -> Vec<u8>);

pub const ADVERSARIES: [Adversary; 20] = [
    ("brackets without end", |size| line(size, "", "[", "")),
    ("nests of 120 levels", |size| {
        let nest = "[".repeat(120) + &"]".repeat(120) + ",";
        line(size, "[", &nest, "0]")
    }),
    ("wide array", |size| line(size, "[", "0,", "0]")),
    ("many keys", |size| numbered(size, |n| format!("\"{n}\":{{}},"))),
    ("equal keys", |size| {
        numbered(size, |n| format!("\"uuid\":\"{}\",\"usage\":{{}},", n % 2))
    }),
    ("equal keys, nested", |size| {
        let keys = "\"tool_use_id\":1,".repeat(size / 32);
        let inner = format!("{{{keys}\"content\":[{{{keys}\"id\":1}}]}}");
        let text = format!("{{\"type\":\"user\",\"message\":{inner}}}\n");
        text.into_bytes()
    }),
    ("keys that differ at their ends", |size| {
        let head = "k".repeat(100);
        numbered(size, |n| format!("\"{head}{n:08}\":{n},"))
    }),
    ("escapes", |size| line(size, "\"", "\\n\\\"\\u00e9\\ud83c\\udf4e", "\"")),
    ("backslashes", |size| line(size, "\"", "\\\\", "\"")),
    ("one long number", |size| line(size, "0.", "7", "")),
    ("quotes", |size| line(size, "", "\"", "")),
    ("empty strings", |size| line(size, "[", "\"\",", "0]")),
    ("NUL runs", |size| {
        let zeros = "\0".repeat(200);
        line(size, "0}", &(zeros + "{\"type\":\"user\"}"), "{\"a\":1")
    }),
    ("splices", |size| line(size, "1", "}{\"type\":\"user\",\"a\":", "1")),
    ("bare splices", |size| line(size, "{", "}{", "}")),
    ("objects that are no records", |size| {
        format!("[{}\n", "{},".repeat(size / 3)).into_bytes()
    }),
    ("objects in noise", |size| {
        format!("{}\n", "x{}".repeat(size / 3)).into_bytes()
    }),
    ("torn records", |size| line(size, "[", "{\"a\":[\"{\",\":{\",", "1")),
    ("blank lines", |size| "\n \r\n\t\n".repeat(size / 6).into_bytes()),
    ("a chain of messages", |size| {
        let mut log = vec![];
        for n in 1.. {
            log.extend(linked(n));
            if log.len() > size {
                break;
            }
        }
        log
    }),
];

/// One line: an object with one member.
fn line(size: usize, begin: &str, piece: &str, end: &str) -> Vec<u8> {
    let pieces = piece.repeat(size / piece.len());
    format!("{{\"a\":{begin}{pieces}{end}}}\n").into_bytes()
}

/// One line: an object with numbered members.
fn numbered(size: usize, member: impl Fn(usize) -> String) -> Vec<u8> {
    let mut line = String::from("{\"type\":\"result\",");
    for n in 0.. {
        line += &member(n);
        if line.len() > size {
            break;
        }
    }
    (line + "\"last\":0}\n").into_bytes()
}

/// A call and its result. The parent of each line is the line before it.
fn linked(n: usize) -> Vec<u8> {
    let (call, before) = (2 * n, 2 * n - 1);
    let end = "\"timestamp\":\"2026-01-01T00:00:00Z\",\"sessionId\":\"s\"}\n";
    let text = format!(
        "{{\"type\":\"assistant\",\"uuid\":\"{call}\",\"parentUuid\":\
         \"{before}\",\"message\":{{\"id\":\"m{n}\",\"usage\":\
         {{\"input_tokens\":{n}}},\"content\":[{{\"type\":\"tool_use\",\
         \"id\":\"t{n}\",\"name\":\"n{n}\",\"input\":{{}}}}]}},{end}\
         {{\"type\":\"user\",\"uuid\":\"{}\",\"parentUuid\":\"{call}\",\
         \"message\":{{\"content\":[{{\"type\":\"tool_result\",\
         \"tool_use_id\":\"t{n}\",\"content\":\"done\"}}]}},{end}",
        call + 1
    );
    text.into_bytes()
}

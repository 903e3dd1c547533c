//! `Message::visit` and the values that no field reads. Owned messages keep
//! these values in `extra`.

use linetape::{
    Decoder, Limits, Message,
    message::{PathStep, Reading},
};

use crate::support::{counting, json, stack::on_a_small_stack};

/// A visited value: its path as text, how it is read, the value, and the path.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub path: String,
    pub reading: Reading,
    pub value: String,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Key(String),
    Entry(String),
    Index(usize),
}

impl Seen {
    #[cfg(feature = "messages")]
    pub fn is_null(&self) -> bool {
        self.value == "null"
    }

    /// Returns whether no field reads it.
    pub fn is_unread(&self) -> bool {
        use Reading::{Hidden, OtherType, UnknownKey};
        matches!(self.reading, UnknownKey | OtherType | Hidden)
    }

    /// Returns whether a field returns it.
    #[cfg(feature = "messages")]
    pub fn is_given(&self) -> bool {
        !self.is_unread() && (self.reading == Reading::Json || !self.is_null())
    }
}

fn visited(message: Message<'_>) -> Vec<Seen> {
    let mut all = vec![];
    message.visit(|visited| {
        let mut path = String::new();
        let mut steps = vec![];
        for step in visited.path {
            let (text, step) = match *step {
                PathStep::Key(key) => (pointer(key), Step::Key(key.into())),
                PathStep::Entry(key) => {
                    (pointer(key), Step::Entry(key.into()))
                }
                PathStep::Index(at) => (format!("/{at}"), Step::Index(at)),
            };
            path += &text;
            steps.push(step);
        }
        let value = format!("{:?}", visited.value);
        all.push(Seen { path, reading: visited.reading, value, steps });
    });
    all
}

pub fn pointer(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// Returns the visited values of a line. Asserts that they are the same for
/// the decoded and the peeked line.
pub fn visit(line: &[u8]) -> Vec<Seen> {
    let mut decoder = Decoder::new();
    let decoded = visited(decoder.decode(line).unwrap().message());
    let mut decoder = Decoder::new();
    let peeked = visited(decoder.line(line).peek().unwrap());
    assert_eq!(decoded, peeked, "{}", json::show(line));
    decoded
}

/// Returns all values except those that are read as expected.
fn findings(line: &str) -> Vec<(String, Reading)> {
    let mut seen = visit(line.as_bytes());
    seen.retain(|s| !matches!(s.reading, Reading::Read | Reading::Json));
    seen.into_iter().map(|s| (s.path, s.reading)).collect()
}

#[test]
fn each_rule_holds() {
    use Reading::*;
    let cases: &[(&str, &[(&str, Reading)])] = &[
        // Keys.
        (r#"{"type":"user","uuid":"u","cwd":"/"}"#, &[]),
        (r#"{"type":"user","mood":1}"#, &[("/mood", UnknownKey)]),
        (r#"{"type":"user","mood":null}"#, &[("/mood", UnknownKey)]),
        (r#"{"type":"user","mood":{"a":{"b":1}}}"#, &[("/mood", UnknownKey)]),
        (r#"{"type":"user","a~/b":1}"#, &[("/a~0~1b", UnknownKey)]),
        (
            r#"{"type":"assistant","message":{"usage":{"tea":1,"speed":"x"}}}"#,
            &[("/message/usage/tea", UnknownKey)],
        ),
        // Types.
        (r#"{"type":"user","uuid":7}"#, &[("/uuid", OtherType)]),
        (r#"{"type":"user","uuid":null}"#, &[]),
        (r#"{"type":"user","isMeta":"yes"}"#, &[("/isMeta", OtherType)]),
        (
            r#"{"type":"assistant","message":{"usage":{"input_tokens":-1}}}"#,
            &[("/message/usage/input_tokens", OtherType)],
        ),
        (
            r#"{"type":"assistant","message":{"usage":[1]}}"#,
            &[("/message/usage", OtherType)],
        ),
        // Two keys of one field.
        (r#"{"type":"user","sessionId":"s"}"#, &[]),
        (
            r#"{"type":"user","sessionId":"s","session_id":"s"}"#,
            &[("/sessionId", Hidden)],
        ),
        (
            r#"{"type":"user","session_id":7,"sessionId":"s"}"#,
            &[("/session_id", OtherType)],
        ),
        (r#"{"type":"user","session_id":null,"sessionId":"s"}"#, &[]),
        (r#"{"type":"user","session_id":"s","sessionId":null}"#, &[]),
        (
            r#"{"type":"user","session_id":"s","sessionId":7}"#,
            &[("/sessionId", Hidden)],
        ),
        (
            r#"{"type":"user","session_id":7,"sessionId":8}"#,
            &[("/session_id", OtherType), ("/sessionId", OtherType)],
        ),
        // `null` is JSON, so the field returns it.
        (
            r#"{"type":"user","toolUseResult":{},"tool_use_result":null}"#,
            &[("/toolUseResult", Hidden)],
        ),
        // Duplicate keys.
        (r#"{"type":"user","uuid":"a","uuid":"b"}"#, &[("/uuid", Hidden)]),
        (r#"{"type":"user","uuid":7,"uuid":"b"}"#, &[("/uuid", Hidden)]),
        (
            r#"{"type":"user","uuid":"a","uuid":7}"#,
            &[("/uuid", Hidden), ("/uuid", OtherType)],
        ),
        (r#"{"type":"user","uuid":null,"uuid":"b"}"#, &[]),
        (
            r#"{"type":"user","sessionId":"a","sessionId":"b"}"#,
            &[("/sessionId", Hidden)],
        ),
        // The last `session_id` does not fit, so the other casing is read.
        (
            r#"{"type":"user","session_id":"a","sessionId":"b","session_id":1}"#,
            &[("/session_id", Hidden), ("/session_id", OtherType)],
        ),
        (
            r#"{"type":"user","message":{"content":[{"type":"text","type":"image"}]}}"#,
            &[("/message/content/0/type", Hidden)],
        ),
        // Lists and maps.
        (
            r#"{"type":"assistant","supersedes":["a",1,null,"b",[]]}"#,
            &[("/supersedes/1", OtherType), ("/supersedes/4", OtherType)],
        ),
        (
            r#"{"type":"result","modelUsage":{"a":{"costUSD":1,"tea":2},"b":3}}"#,
            &[("/modelUsage/a/tea", UnknownKey), ("/modelUsage/b", OtherType)],
        ),
        // All entries of a map are read.
        (r#"{"type":"result","modelUsage":{"a":{},"a":{}}}"#, &[]),
        // A string in place of an object.
        (r#"{"type":"user","message":"text"}"#, &[]),
        (r#"{"type":"user","message":7}"#, &[("/message", OtherType)]),
        (
            r#"{"type":"system","subtype":"init","tools":["a",{"name":"b","c":1},2]}"#,
            &[("/tools/1/c", UnknownKey), ("/tools/2", OtherType)],
        ),
        // A JSON field reads any value.
        (r#"{"type":"user","toolUseResult":{"any":[{"thing":1}]}}"#, &[]),
        (
            r#"{"type":"assistant","message":{"content":[
                {"type":"tool_use","input":{"any":1},"tea":2}]}}"#,
            &[("/message/content/0/tea", UnknownKey)],
        ),
        // Content.
        (r#"{"type":"user","message":{"content":"text"}}"#, &[]),
        (r#"{"type":"user","message":{"content":{"any":"thing"}}}"#, &[]),
        (r#"{"type":"user","message":{"content":null}}"#, &[]),
        (
            r#"{"type":"user","message":{"content":["x",{"type":"text","a":1}]}}"#,
            &[
                ("/message/content/0", OtherType),
                ("/message/content/1/a", UnknownKey),
            ],
        ),
        (
            r#"{"type":"user","message":{"content":[{"type":"tool_result",
                "content":[{"type":"text","text":7}]}]}}"#,
            &[("/message/content/0/content/0/text", OtherType)],
        ),
        // Unions without such a variant.
        (
            r#"{"type":"user","message":{"content":[{"type":"tea","a":1}]}}"#,
            &[("/message/content/0/a", UnknownKey)],
        ),
        (
            r#"{"type":"user","message":{"content":[{"type":7,"text":"a"}]}}"#,
            &[
                ("/message/content/0/type", OtherType),
                ("/message/content/0/text", UnknownKey),
            ],
        ),
        (
            r#"{"type":"system","subtype":"tea","content":"c","model":"m"}"#,
            &[("/model", UnknownKey)],
        ),
        (r#"{"type":"system","subtype":"init","model":"m"}"#, &[]),
        // Enum values.
        (r#"{"type":"user","permissionMode":"plan"}"#, &[]),
        (
            r#"{"type":"user","permissionMode":"tea"}"#,
            &[("/permissionMode", UnknownText)],
        ),
        (
            r#"{"type":"user","permissionMode":7}"#,
            &[("/permissionMode", OtherType)],
        ),
        (r#"{"type":"result","subtype":"tea"}"#, &[("/subtype", UnknownText)]),
        // The kind.
        (r#"{"type":"user","subtype":"any"}"#, &[]),
        (r#"{"type":"user","subtype":7}"#, &[("/subtype", OtherType)]),
        (
            r#"{"type":"tea","subtype":"any","a":{"b":1},"c":null}"#,
            &[("/a", UnknownKey), ("/c", UnknownKey)],
        ),
        (r#"{"type":7,"a":1}"#, &[("/type", OtherType), ("/a", UnknownKey)]),
        (r#"{}"#, &[]),
        // Lines without a type.
        (
            r#"{"event_type":"e","data":{"a":1},"tea":1}"#,
            &[("/tea", UnknownKey)],
        ),
        (
            r#"{"TextChunk":{"text":"t","session_id":"s","tea":1}}"#,
            &[
                ("/TextChunk/session_id", OtherType),
                ("/TextChunk/tea", UnknownKey),
            ],
        ),
        (
            r#"{"TextChunk":{"a":1},"TextChunk":{"b":1}}"#,
            &[("/TextChunk", Hidden), ("/TextChunk/b", UnknownKey)],
        ),
        (
            r#"{"session_id":1,"content":"c","turn_id":{"role":"Cat"},"subtype":"a"}"#,
            &[("/turn_id/role", UnknownText), ("/subtype", UnknownKey)],
        ),
        // Control messages, nested and flat.
        (
            r#"{"type":"control_request","request":{"subtype":"set_model","model":"m","a":1},"model":"m"}"#,
            &[("/request/a", UnknownKey), ("/model", UnknownKey)],
        ),
        (
            r#"{"type":"control_request","subtype":"set_model","model":"m","uuid":"u","a":1}"#,
            &[("/a", UnknownKey)],
        ),
        (
            r#"{"type":"control_request","subtype":"tea","model":"m"}"#,
            &[("/model", UnknownKey)],
        ),
        (
            r#"{"type":"control_response","subtype":"success","request_id":"r","response":{"any":1},"a":1}"#,
            &[("/a", UnknownKey)],
        ),
        (
            r#"{"type":"control_response","subtype":"error","request_id":"r","error":7}"#,
            &[("/error", OtherType)],
        ),
    ];
    for (line, expected) in cases {
        // The line breaks are only for readability.
        let line = line.replace('\n', " ");
        let expected: Vec<(String, Reading)> =
            expected.iter().map(|(p, r)| (p.to_string(), *r)).collect();
        assert_eq!(findings(&line), expected, "{line}");
    }
}

#[test]
fn steps_tell_fields_and_entries_and_items_apart() {
    let line = br#"{"type":"result","modelUsage":{"a":{"costUSD":1}},
        "permission_denials":[{"tool_name":"t"}]}"#;
    let seen = visit(&line.map(|b| if b == b'\n' { b' ' } else { b }));
    let steps: Vec<_> = seen.into_iter().map(|s| s.steps).collect();
    let key = |key: &str| Step::Key(key.to_string());
    let (usage, denials) = (key("modelUsage"), key("permission_denials"));
    let entry = Step::Entry("a".to_string());
    let expected = [
        vec![key("type")],
        vec![usage.clone()],
        vec![usage.clone(), entry.clone()],
        vec![usage, entry, key("costUSD")],
        vec![denials.clone()],
        vec![denials.clone(), Step::Index(0)],
        vec![denials, Step::Index(0), key("tool_name")],
    ];
    assert_eq!(steps, expected);
}

/// Many duplicate keys, second casings and items: a look-up for each of them
/// would take quadratic time.
#[test]
fn a_long_object_takes_one_walk() {
    let count = 100_000;
    let members =
        [r#""uuid":"u""#, r#""sessionId":"s","session_id":"s""#, r#""tea":1"#];
    let blocks = vec![r#"{"type":"text","text":"t"}"#; count].join(",");
    let content = format!(r#""message":{{"content":[{blocks}]}}"#);
    let lines = members.map(|members| vec![members; count].join(","));
    for members in lines.into_iter().chain([content]) {
        let line = format!(r#"{{"type":"user",{members}}}"#);
        let mut decoder = Decoder::new();
        let mut seen = 0;
        let record = decoder.decode(line.as_bytes()).unwrap();
        let message = record.message();
        let peak = counting::peak_of(|| message.visit(|_| seen += 1));
        assert!(seen > count, "{seen}");
        // Visiting keeps nothing in memory.
        assert!(peak < 100_000, "{peak}");
        let mut decoder = Decoder::new();
        let peeked = decoder.line(line.as_bytes());
        peeked.peek().unwrap().visit(|_| seen -= 1);
        assert_eq!(seen, 0);
    }
}

#[test]
fn a_deep_record_takes_little_stack() {
    let open = r#"{"type":"tool_result","content":["#;
    // Each of these is two levels, and there are four levels around them.
    let depth = 256 / 2 - 2;
    let (open, close) = (open.repeat(depth), "]}".repeat(depth));
    let line = format!(
        r#"{{"type":"user","message":{{"content":[{open}{close}]}}}}"#
    );
    on_a_small_stack(move || {
        let limits = Limits { max_depth: 256, ..Limits::default() };
        let mut decoder = Decoder::with_limits(limits);
        let peeked = decoder.line(line.as_bytes());
        let mut seen = 0;
        peeked.peek().unwrap().visit(|_| seen += 1);
        let record = decoder.decode(line.as_bytes()).unwrap();
        record.message().visit(|_| seen += 1);
        assert_eq!(seen, 2 * (3 + 3 * depth));
    });
}

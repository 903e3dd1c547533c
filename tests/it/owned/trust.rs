//! Unchecked text never becomes data: everything that owns, serialises,
//! deserialises or writes it returns the error of decoding.

use linetape::{
    Decoder, Error, ErrorKind, Line, Message, Reader, Value, Writer, lines,
    message::{FromValue, stream::User},
    owned,
};
use proptest::prelude::*;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value as Json;

use crate::support::{
    json::{corpus, written_lines},
    texts::{any_object, cases, damage, message},
};

/// Lines that can be peeked at but not decoded: a nested value is invalid.
const BAD_INSIDE: &[&str] = &[
    r#"{"type":"user","message":{"content":[{"type":"text","text":"a"},,{"type":"text","text":"b"}]}}"#,
    r#"{"type":"user","list":[1,2,oops,4]}"#,
    r#"{"type":"user","n":{"deep":1.}}"#,
    r#"{"type":"user","n":{"deep":[01]}}"#,
    r#"{"type":"user","n":{"deep":1e999}}"#,
    r#"{"type":"user","a":{"b" 1}}"#,
    r#"{"type":"user","a":{"b":1,}}"#,
    r#"{"type":"user","a":{"b":1 "c":2}}"#,
    r#"{"type":"user","a":{"b":"\x"}}"#,
    r#"{"type":"user","a":{"\ud800":1}}"#,
    r#"{"type":"user","a":"\ud800 alone"}"#,
    // A value that a duplicate key hides must be valid as well.
    r#"{"type":"user","a":[1,,2],"a":1}"#,
    r#"{"type":"user","message":{"content":[{"type":[1,,2],"type":"text"}]}}"#,
    r#"{"type":"user","sessionId":[tru],"session_id":"s"}"#,
    r#"{"type":"novel","a":[nul]}"#,
    r#"{"TextChunk":{"text":"a","list":[1,,2]}}"#,
    r#"{"event_type":"a","data":{"b":[1 2]}}"#,
    r#"{"session_id":1,"content":"a","turn_id":{"role":[nul]}}"#,
];

/// The comparable properties of an error.
type Fault = (ErrorKind, u64, u64, String);

fn fault(error: &Error) -> Fault {
    let at = error.position();
    (error.kind(), at.line(), at.byte(), error.to_string())
}

/// A way to make data of a peeked line.
type Way = (&'static str, fn(&Line<'_>) -> Result<(), Fault>);

fn by_error<T>(made: Result<T, Error>) -> Result<(), Fault> {
    made.map(drop).map_err(|error| fault(&error))
}

/// A serialiser of another crate has only the text of the error. The other
/// properties are taken from the line.
fn by_text<T>(
    made: Result<T, serde_json::Error>,
    line: &Line<'_>,
) -> Result<(), Fault> {
    let Err(error) = made else { return Ok(()) };
    let decoded = line.check().expect_err("what is refused is bad");
    assert_eq!(error.to_string(), decoded.to_string());
    Err(fault(&decoded))
}

fn view<'a>(line: &Line<'a>) -> Message<'a> {
    line.peek().expect("the line can be peeked at")
}

/// A valid value in a line that may be invalid.
fn part<'a>(line: &Line<'a>) -> Value<'a> {
    let object = view(line).value().as_object().unwrap();
    object.iter().next().map_or(object.value(), |(_, value)| value)
}

const WAYS: &[Way] = &[
    ("Message::into_owned", |line| by_error(view(line).into_owned())),
    ("Message::check", |line| by_error(view(line).check())),
    ("Line::checked", |line| by_error(line.checked())),
    ("TryFrom<Message>", |line| {
        by_error(owned::Message::try_from(view(line)))
    }),
    ("TryFrom<Envelope>", |line| {
        by_error(owned::Envelope::try_from(view(line).envelope()))
    }),
    ("TryFrom<Value>", |line| by_error(Json::try_from(part(line)))),
    ("Line::deserialize", |line| by_error(line.deserialize::<IgnoredAny>())),
    ("Value::deserialize", |line| {
        by_error(part(line).deserialize::<IgnoredAny>())
    }),
    ("Deserializer", |line| by_error(IgnoredAny::deserialize(part(line)))),
    ("Writer, a message", |line| {
        by_error(Writer::new(vec![]).write_value(&view(line)))
    }),
    ("Writer, a part", |line| {
        by_error(Writer::new(vec![]).write_value(&part(line)))
    }),
    ("Writer, inside another type", |line| {
        let inside = Some([part(line)]);
        by_error(Writer::new(vec![]).write_value(&inside))
    }),
    ("Serialize, a message", |line| {
        by_text(serde_json::to_vec(&view(line)), line)
    }),
    ("Serialize, a part", |line| {
        by_text(serde_json::to_value(part(line)), line)
    }),
    ("Serialize, an object", |line| {
        let object = view(line).value().as_object();
        by_text(serde_json::to_vec(&object), line)
    }),
];

/// Every way returns the error of decoding, or succeeds if decoding does.
fn every_way(text: &[u8]) {
    let stream = [b"{}\n", text, b"\n"].concat();
    let shown = text.escape_ascii();
    let line_of = |read: &mut dyn FnMut(Line<'_>)| {
        let mut lines = lines(&stream);
        drop(lines.next_line());
        if let Some(Ok(line)) = lines.next_line() {
            read(line);
        }
    };
    let mut decoded = Ok(());
    line_of(&mut |line| decoded = by_error(line.decode()));
    for (name, way) in WAYS {
        line_of(&mut |line| {
            if line.peek().is_ok() {
                assert_eq!(way(&line), decoded, "{name}: {shown}");
            }
        });
    }
    line_of(&mut |line| {
        let kept = by_error(line.to_owned_line());
        assert_eq!(kept, decoded, "OwnedLine: {shown}");
    });
}

#[test]
fn lines_that_are_bad_inside() {
    for line in BAD_INSIDE {
        let mut decoder = Decoder::new();
        assert!(decoder.line(line.as_bytes()).peek().is_ok(), "{line}");
        assert!(decoder.decode(line.as_bytes()).is_err(), "{line}");
        every_way(line.as_bytes());
    }
}

/// Owning a peeked message gives the owned message of the decoded line, or the
/// error of decoding.
fn owned_alike(text: &[u8]) {
    let mut decoder = Decoder::new();
    let decoded = decoder.decode(text).map(|record| record.into_owned());
    let mut decoder = Decoder::new();
    let line = decoder.line(text);
    let peeked = line.peek().and_then(Message::into_owned);
    match (peeked, decoded) {
        (Ok(peeked), Ok(decoded)) => assert_eq!(peeked, decoded),
        (Err(peeked), Err(decoded)) => {
            assert_eq!(fault(&peeked), fault(&decoded));
        }
        (peeked, decoded) => {
            panic!("{}: {peeked:?} {decoded:?}", text.escape_ascii())
        }
    }
}

#[test]
fn lines_of_logs_are_owned_alike() {
    for line in BAD_INSIDE {
        owned_alike(line.as_bytes());
    }
    for line in written_lines() {
        owned_alike(&line);
    }
    for log in corpus() {
        log.split(|byte| *byte == b'\n').for_each(owned_alike);
    }
}

/// `Display` shows all of the text, so it does not have to fail.
#[test]
fn a_value_of_a_bad_line_is_shown_as_it_is_written() {
    let mut decoder = Decoder::new();
    let line = decoder.line(br#"{"a":[1, oops ,2],"b":"x\ty","c":nul}"#);
    assert!(line.peek().is_err(), "the outermost object is checked");
    let line = decoder.line(br#"{"a":[1, oops ,2],"b":"x\ty","c":[nul]}"#);
    let value = line.peek().unwrap().value();
    let text = |key| value.get(key).unwrap().to_string();
    assert_eq!(text("a"), "[1, oops ,2]");
    assert_eq!(text("b"), r#""x\ty""#);
    assert_eq!(text("c"), "[nul]");
    let item = value.get("c").unwrap().as_array().unwrap().iter().next();
    assert!(item.is_none(), "a list ends where it is not JSON");
}

proptest! {
    #![proptest_config(cases(75))]

    #[test]
    fn damaged_lines_are_owned_alike(
        text in prop_oneof![message(), any_object()],
        damage in damage(),
    ) {
        owned_alike(text.as_bytes());
        owned_alike(&damage.to(text.as_bytes()));
    }

    #[test]
    fn damaged_lines_go_every_way_alike(
        text in prop_oneof![message(), any_object()],
        damage in damage(),
    ) {
        every_way(text.as_bytes());
        every_way(&damage.to(text.as_bytes()));
    }
}

/// A view of an inner object checked only that object, and then the whole
/// line was taken for good: `bad` below was serialised as `[1,2]`.
#[test]
fn owning_an_inner_object_checks_the_whole_line() {
    let text = br#"{"type":"x","good":{"type":"user"},"bad":[1,2,oops,4]}"#;
    let error = Decoder::new().decode(text).unwrap_err();
    let mut decoder = Decoder::new();
    let line = decoder.line(text);
    let value = line.peek().unwrap().value();
    let inner = User::from_value(value.get("good").unwrap()).unwrap();
    let owned = Message::User(inner).into_owned();
    assert_eq!(fault(&owned.unwrap_err()), fault(&error));
    assert!(serde_json::to_string(&value).is_err());
}

/// A view of a value that is no object was owned as an empty message.
#[test]
fn a_view_of_a_value_that_is_not_an_object_is_not_owned() {
    let mut decoder = Decoder::new();
    let record = decoder.decode(br#"{"type":"x","user":5}"#).unwrap();
    let user = User::new(record.value().get("user").unwrap());
    let message = Message::User(user).into_owned().unwrap_err();
    let part = owned::stream::User::try_from(user).unwrap_err();
    for error in [message, part] {
        assert_eq!(error.kind(), ErrorKind::Data);
        assert!(error.to_string().contains("expected an object"), "{error}");
    }
}

/// A line that failed when its peeked message was owned was in no statistics,
/// and its error had no copy of the line.
#[test]
fn a_line_that_fails_while_it_is_owned_is_counted() {
    let log = b"{\"type\":\"user\",\"a\":[1,,2]}\n{\"type\":\"user\"}\n\
                {\"type\":\"user\",\"a\":[nul]}\n";
    let mut reader = Reader::builder().keep_raw(true).build(&log[..]);
    let mut raw = vec![];
    while let Some(line) = reader.next_line() {
        let line = line.unwrap();
        let message = line.peek().unwrap();
        for _ in 0..2 {
            if let Err(error) = message.into_owned() {
                raw.extend(error.raw().map(<[u8]>::to_vec));
            }
        }
    }
    assert_eq!(raw.len(), 4, "each error has its line");
    assert_eq!(reader.stats().errors.total(), 2, "a line counts once");
}

/// A good line that does not match the caller's type was counted as bad, but
/// only if it was not decoded.
#[test]
fn a_type_that_does_not_match_is_not_a_bad_line() {
    let log = b"{\"type\":\"user\"}\n{\"type\":\"user\"}\n";
    let mut reader = Reader::new(&log[..]);
    let line = reader.next_line().unwrap().unwrap();
    assert!(line.deserialize::<Vec<u8>>().is_err());
    let record = reader.next_record().unwrap().unwrap();
    assert!(record.deserialize::<Vec<u8>>().is_err());
    drop(record);
    assert_eq!(reader.stats().errors.total(), 0);
}

/// An error that serde raises after a value was read had the position of the
/// first line.
#[test]
fn a_value_of_a_peeked_line_has_a_position() {
    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    enum Either {
        #[allow(dead_code)]
        Number(u8),
        #[allow(dead_code)]
        List(Vec<u8>),
    }
    let log = b"{}\n{}\n{\"type\":\"user\",\"a\":\"x\"}\n";
    let mut lines = lines(log);
    lines.next_line();
    lines.next_line();
    let line = lines.next_line().unwrap().unwrap();
    let value = line.peek().unwrap().value().get("a").unwrap();
    let error = value.deserialize::<Either>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Data);
    assert_eq!((error.position().line(), error.position().byte()), (3, 25));
}

/// The iterators of a bad line were shown as if they ended at the fault.
#[test]
fn iterators_of_a_bad_line_are_not_shown_as_shorter() {
    let mut decoder = Decoder::new();
    let line = decoder.line(br#"{"a":[1,2,oops,4]}"#);
    let value = line.peek().unwrap().value();
    let list = value.get("a").unwrap().as_array().unwrap();
    assert_eq!(format!("{:?}", list.iter()), "Items(invalid JSON)");
    let members = value.as_object().unwrap().iter();
    assert_eq!(format!("{members:?}"), "Members(invalid JSON)");
}

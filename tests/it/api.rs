//! Tests of auto traits, lifetimes and traits of the public types.

use std::{fs::File, panic::UnwindSafe, thread};

use linetape::{
    BytesLine, Chunks, Decoder, Error, ErrorKind, Escaped, Level, Limits,
    Line, Lines, Position, Projection, Reader, ReaderBuilder, Record, Stats,
    edit::Editor, lines, reader::ErrorCounts, value::JsonType,
};

fn send<T: Send>() {}
fn sync<T: Sync>() {}
fn is_static<T: 'static>() {}
fn unwind_safe<T: UnwindSafe>() {}

/// Asserts auto traits of types.
macro_rules! have {
    ($traits:tt: $($type:ty),* $(,)?) => {
        $(have!(@one $traits $type);)*
    };
    (@one [$($each:ident)*] $type:ty) => { $($each::<$type>();)* };
}

/// `Value`, `Message` and the other views are not `Send`: a `compile_fail`
/// example of `Value` shows it.
#[test]
fn what_may_cross_threads() {
    // Plain data, and types that own their bytes.
    have!([send sync is_static unwind_safe]:
        BytesLine, ErrorCounts, ErrorKind, JsonType, Limits, Position,
        Projection, ReaderBuilder, Stats,
    );
    have!([send sync unwind_safe]: Escaped<'_>);
    // An I/O error can contain any type, so errors are not `UnwindSafe`.
    have!([send sync is_static]: Error);
    // These have an arena, which is neither `Sync` nor `UnwindSafe`.
    have!([send is_static]: Chunks, Decoder, Editor, Reader<File>);
    have!([send]: Lines<'_>);
    // A record borrows from its decoder, and can be sent to scoped threads.
    have!([send]: Record<'_>);
    #[cfg(feature = "messages")]
    {
        use linetape::{Writer, owned, reader::Messages};

        have!([send sync is_static unwind_safe]:
            Writer<Vec<u8>>, Writer<File>, owned::Block, owned::Content,
            owned::Extra, owned::Message, owned::Usage,
        );
        have!([send is_static]: Messages<File>);
    }
}

#[test]
fn a_record_is_read_in_a_scoped_thread_and_a_kept_line_in_any() {
    let log = br#"{"type":"user","text":"a\tb"}"#;
    let mut decoder = Decoder::new();
    let record = decoder.decode(log).unwrap();
    thread::scope(|scope| {
        let there = scope.spawn(move || {
            record.value().get("text").unwrap().as_str() == Some("a\tb")
        });
        assert!(there.join().unwrap());
    });

    let line = decoder.line(log).to_owned_line().unwrap();
    let there = thread::spawn(move || {
        line.value().get("text").unwrap().as_str() == Some("a\tb")
    });
    assert!(there.join().unwrap());

    let line = decoder.line(log).to_bytes_line();
    let there = thread::spawn(move || {
        let mut decoder = Decoder::new();
        line.line(&mut decoder).kind().unwrap().is("user")
    });
    assert!(there.join().unwrap());
}

#[test]
fn a_builder_is_kept_and_builds_two_readers() {
    let builder = Reader::builder().level(Level::Kind).max_line(20);
    let log = &b"{\"type\":\"user\"}\n{\"type\":\"much too long\"}\n"[..];
    for mut reader in [builder.build(log), builder.build(log)] {
        let line = reader.next_line().unwrap().unwrap();
        assert!(line.kind().unwrap().is("user"));
        let error = reader.next_line().unwrap().unwrap_err();
        assert_eq!(error.limit(), Some(20));
    }
}

/// Everything that a line returns lives as long as the line's bytes, not only
/// as long as the `Line`.
#[test]
fn what_a_line_gives_outlives_its_handle() {
    let paths = Projection::new(["/uuid"]);
    let mut decoder = Decoder::new();
    let (kind, bytes, peeked, checked, projected) = {
        let line = decoder.line(br#"{"type":"user","uuid":"\u0075"}"#);
        (
            line.kind().unwrap(),
            line.as_bytes(),
            line.peek().unwrap(),
            line.checked().unwrap(),
            line.projected(&paths).unwrap(),
        )
    };
    assert!(kind.is("user"));
    assert_eq!(bytes.len(), 31);
    assert_eq!((peeked.uuid(), checked.uuid()), (Some("u"), Some("u")));
    assert_eq!(projected.get("/uuid").unwrap(), "u");
}

/// One projection for all lines.
#[test]
fn a_projection_is_made_once_and_read_by_path() {
    let paths = Projection::new(["/type", "/a/n"]);
    let mut lines =
        lines(b"{\"type\":\"x\",\"a\":{\"n\":1}}\n{\"a\":{\"n\":2}}\n{}\n");
    let mut found = vec![];
    while let Some(line) = lines.next_line() {
        let values = line.unwrap().projected(&paths).unwrap();
        let kind = values.get("/type").and_then(|kind| kind.as_str());
        let n = values.get("/a/n").and_then(|n| n.as_u64());
        assert_eq!(values.at(1).and_then(|n| n.as_u64()), n);
        assert_eq!(values.get("/b").is_none(), values.at(2).is_none());
        found.push((kind.map(str::to_string), n));
    }
    let expected = [(Some("x".to_string()), Some(1)), (None, Some(2))];
    assert_eq!(found[..2], expected);
    assert_eq!(found[2..], [(None, None)]);
}

#[test]
fn a_position_begins_at_the_start_and_is_kept_as_json() {
    assert_eq!(Position::default(), Position::START);
    assert_eq!(Position::default(), Position::new(1, 0));
    #[cfg(feature = "messages")]
    {
        let position = Position::new(7, u64::MAX);
        let text = serde_json::to_string(&position).unwrap();
        assert_eq!(text, r#"{"line":7,"byte":18446744073709551615}"#);
        let again: Position = serde_json::from_str(&text).unwrap();
        assert_eq!(again, position);
    }
}

#[test]
fn an_error_is_moved_by_lines_and_bytes() {
    let error = Decoder::new().decode(b"{\"a\":}").unwrap_err();
    assert_eq!(error.position(), Position::new(1, 5));
    let moved = error.moved_by(6, 100);
    assert_eq!(moved.position(), Position::new(7, 105));
    assert_eq!(
        moved.to_string(),
        "line 7 (byte 105): invalid JSON: expected a value, at `}`"
    );
}

#[test]
fn an_owned_line_is_the_line_with_its_position() {
    let mut reader = Reader::new(&b"\n{\"type\":\"user\"}"[..]);
    let line = reader.next_line().unwrap().unwrap();
    let owned = line.to_bytes_line();
    assert_eq!(owned.as_bytes(), line.as_bytes());
    assert_eq!(owned.as_bytes(), b"{\"type\":\"user\"}");
    assert_eq!(owned.position(), Position::new(2, 1));
    assert!(!owned.is_terminated());
    assert_eq!(owned, line.to_bytes_line());
}

/// A line that cannot be kept is refused with its position in the stream.
#[test]
fn errors_of_kept_lines_have_the_position_of_their_line() {
    let log = format!("{}{{\"a\":[1,,2]}}\n{{}}\n", "{\"a\":1}\n".repeat(6));
    let mut reader = Reader::new(log.as_bytes());
    let (mut kept, mut errors) = (vec![], vec![]);
    while let Some(line) = reader.next_line() {
        match line.unwrap().to_owned_line() {
            Ok(line) => kept.push(line.number()),
            Err(error) => errors.push(error),
        }
    }
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].kind(), ErrorKind::Syntax);
    assert_eq!(errors[0].position(), Position::new(7, 6 * 8 + 8));
    assert_eq!(kept, [1, 2, 3, 4, 5, 6, 8]);
}

/// Every variant can be created from its content.
#[cfg(feature = "messages")]
#[test]
fn an_owned_message_is_made_of_what_it_holds() {
    use linetape::owned::{
        Extra, Message,
        results::ResultMessage,
        server::{ControllerInputPayload, TextChunk, UiMessage},
        stream::{Assistant, User},
        system::System,
    };

    let is = |message: Message| message.kind().to_string();
    let init = System::Init(Box::default());
    assert_eq!(is(init.into()), "system/init");
    assert_eq!(is(User::default().into()), "user");
    assert_eq!(is(Assistant::default().into()), "assistant");
    assert_eq!(is(ResultMessage::default().into()), "result");
    let chunk = UiMessage::TextChunk(TextChunk::default());
    assert!(matches!(chunk.into(), Message::Ui(_)));
    let input = ControllerInputPayload::default();
    assert!(matches!(input.into(), Message::Input(_)));
    assert!(matches!(Extra::new().into(), Message::Unknown(_)));
}

#[test]
fn lines_are_bytes_to_whoever_takes_bytes() {
    fn count(text: impl AsRef<[u8]>) -> usize {
        text.as_ref().len()
    }
    let mut decoder = Decoder::new();
    let line: Line<'_> = decoder.line(b"{\"\x1b\":1}");
    assert_eq!(Escaped::new(&line).to_string(), r#"{"\u{1b}":1}"#);
    let owned = line.to_bytes_line();
    assert_eq!((count(&line), count(owned)), (7, 7));
}

#[test]
fn small_types_stay_small() {
    assert!(size_of::<Position>() <= 16);
    assert!(size_of::<Limits>() <= 24);
    assert!(size_of::<Error>() <= 16);
}

#[test]
fn a_missing_file_says_why() {
    let error = Reader::from_path("no/such/file").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(!error.is_recoverable());
    let source = error.io_error().map(std::io::Error::kind);
    assert_eq!(source, Some(std::io::ErrorKind::NotFound));
    let shown = error.to_string();
    assert!(shown.starts_with("cannot open no/such/file: "), "{shown}");
    let back = std::io::Error::from(error);
    assert_eq!(back.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn the_limits_are_those_of_the_documentation() {
    let limits = Limits::default();
    assert_eq!(limits.max_line, 64 << 20);
    assert_eq!(limits.max_depth, 128);
    assert_eq!(limits.max_nodes, 8 << 20);
    assert!(Limits::MAX_LINE_CAP < u32::MAX as usize - 64);
}

/// A buffer of this size could not be allocated, let alone with its padding.
#[test]
fn an_absurd_buffer_is_cut_to_size() {
    let mut reader = Reader::builder()
        .buffer_capacity(usize::MAX)
        .max_line(usize::MAX)
        .build(&b"{}\n"[..]);
    assert_eq!(reader.next_line().unwrap().unwrap().as_bytes(), b"{}");
}

#[test]
fn debug_output_does_not_print_the_log() {
    let log = b"{\"secret\":1}\n".repeat(1000);
    let mut reader = Reader::new(&b"{\"secret\":1}\n{}\n"[..]);
    reader.next_line();
    let mut chunks = Chunks::new();
    chunks.push(log.clone());
    let lines = linetape::lines(&log);
    // `Debug` of a reader includes its source, here an empty slice.
    let reader = format!("{reader:?}").replace("[]", "");
    for shown in [reader, format!("{chunks:?}"), format!("{lines:?}")] {
        assert!(shown.len() < 1000 && !shown.contains("secret"), "{shown}");
    }
}

#[test]
fn reading_a_file_by_its_path() {
    let path = std::env::temp_dir()
        .join(format!("linetape-api-{}.jsonl", std::process::id()));
    std::fs::write(&path, "{}\n\n{\"a\":1}\n").unwrap();
    let mut reader = Reader::from_path(&path).unwrap();
    let mut numbers = vec![];
    while let Some(line) = reader.next_line() {
        numbers.push(line.unwrap().number());
    }
    assert_eq!(numbers, [1, 3]);

    let mut reader = Reader::builder().max_line(2).open(&path).unwrap();
    assert!(reader.next_line().unwrap().is_ok());
    let error = reader.next_line().unwrap().unwrap_err();
    assert_eq!(error.limit(), Some(2), "the builder's settings hold");
    std::fs::remove_file(&path).unwrap();
}

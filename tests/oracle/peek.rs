//! Peeking, compared with decoding: the same values for a line that can be
//! decoded, and for any other line an error, or values that are in its text.

use linetape::{Decoder, ErrorKind, Limits, Line, Projection, Record, Value};

use crate::support::{
    fields::count_fields,
    json::{
        Member, Outline, Told, decoders, is_unreadable, same_message,
        same_shallow, same_value, second, show, stated, told, verdict,
    },
};

/// Peeks at one line with every kernel.
pub fn agree(line: &[u8], limits: Limits) {
    agree_with(decoders(limits), line, limits);
}

/// The same with some kernels only.
pub fn agree_with(
    decoders: impl IntoIterator<Item = Decoder>,
    line: &[u8],
    limits: Limits,
) {
    let mut trusted = Decoder::with_limits(limits);
    let expected = verdict(line, limits);
    for mut decoder in decoders {
        checked(decoder.line(line), &expected, trusted.decode(line).ok());
        let looked_at = decoder.line(line);
        match (&expected, trusted.decode(line)) {
            (Ok(()), Ok(record)) => {
                let (ours, theirs) = (looked_at.peek().unwrap(), &record);
                assert_eq!(looked_at.kind().unwrap(), theirs.kind());
                looked_at.check().unwrap();
                let paths = same_value(ours.value(), theirs.value());
                same_message(ours, theirs.message());
                for path in paths.iter().take(300) {
                    let read = (ours.value().pointer(path), theirs.value());
                    same_shallow(read.0, read.1.pointer(path), path);
                }
                projected(&looked_at, theirs.value(), &paths);
            }
            (Err(error), _) => check_invalid_line(&looked_at, error, limits),
            (Ok(()), Err(error)) => panic!("not always: {error}"),
        }
    }
}

/// Checks and reads a line that has not been read before.
fn checked(
    line: Line<'_>,
    expected: &Result<(), Told>,
    theirs: Option<Record<'_>>,
) {
    let message = line.checked();
    let verdict = message.as_ref().map(|_| ()).map_err(told);
    assert_eq!(&verdict, expected, "{}", show(line.as_bytes()));
    if let (Ok(ours), Some(theirs)) = (message, theirs) {
        same_message(ours, theirs.message());
        same_value(ours.value(), theirs.value());
    }
}

/// Reads several paths in one projection.
fn projected(line: &Line<'_>, theirs: Value<'_>, paths: &[String]) {
    let step = paths.len() / 20 + 1;
    let mut paths: Vec<&str> =
        paths.iter().step_by(step).map(String::as_str).collect();
    paths.extend(["/type", "/no/such/path", "", "type", "/message/content/0"]);
    let projection = Projection::new(&paths);
    let found = line.projected(&projection).unwrap();
    for (at, path) in paths.iter().enumerate() {
        same_shallow(found.at(at), theirs.pointer(path), path);
    }
}

/// Peeks at a line that cannot be decoded. A slow parser decides whether there
/// must be an error.
fn check_invalid_line(line: &Line<'_>, error: &Told, limits: Limits) {
    let text = line.as_bytes();
    let shown = show(text);
    let outline = Outline::of(text);
    let members = outline.members(text);
    let no_paths = Projection::new([""; 0]);
    let answers = [
        line.kind().map(drop).map_err(|e| told(&e)),
        line.peek().map(drop).map_err(|e| told(&e)),
        line.projected(&no_paths).map(drop).map_err(|e| told(&e)),
    ];
    assert_eq!(answers[0], answers[1], "{shown}");
    assert_eq!(answers[0], answers[2], "{shown}");

    let members = members.unwrap_or_default();
    let second = second(&members);
    let must = is_broken(text, &outline, limits)
        || second.is_some()
        || is_unreadable(text, &members)
        || text.len() > limits.max_line
        || error.kind == ErrorKind::TooManyNodes;
    match &answers[0] {
        Err(other) => assert_eq!(other, error, "{shown}"),
        Ok(()) => assert!(!must, "{error:?}: {shown}"),
    }
    if answers[0].is_err() {
        let may = outline.stray || members.iter().any(Member::is_doubtful);
        assert!(must || may, "{error:?} is deep inside: {shown}");
        return;
    }
    assert_eq!(line.check().map_err(|e| told(&e)), Err(error.clone()));
    assert_kind_is_in_text(line, &members);
    let value = line.peek().unwrap().value();
    assert_value_is_in_text(value, &outline, &shown);
    count_fields(line.peek().unwrap());
    let _ = format!("{value:?}");
}

/// Returns whether a line violates a rule that `peek` always checks.
fn is_broken(text: &[u8], outline: &Outline, limits: Limits) -> bool {
    let members = outline.members(text);
    let readable = |m: &Member| m.key.is_some() || m.is_doubtful();
    std::str::from_utf8(text).is_err()
        || outline.depth > limits.max_depth
        || !members.is_some_and(|members| members.iter().all(readable))
}

/// Asserts that the type is that of the outermost object, or a name that is
/// derived from it.
fn assert_kind_is_in_text(line: &Line<'_>, members: &[Member]) {
    let text = line.as_bytes();
    let kind = line.kind().unwrap();
    assert_eq!(kind, line.peek().unwrap().kind(), "{}", show(text));
    let subtype = stated(text, members, "subtype");
    match stated(text, members, "type") {
        Some(name) => {
            assert_eq!(kind.name(), Some(&name[..]), "{}", show(text));
            assert_eq!(kind.subtype(), subtype.as_deref());
        }
        None if kind.name().is_some() => {
            let named = |m: &Member| m.key.as_deref() == kind.name();
            // Of duplicate keys, the last one is used.
            let lone = members.iter().all(named);
            assert!(lone || kind.is("input"), "{kind}: {}", show(text));
        }
        None => {}
    }
}

/// Asserts that every string and number of a value is in the text of the line.
fn assert_value_is_in_text(value: Value<'_>, outline: &Outline, shown: &str) {
    if let Some(text) = value.as_str() {
        assert!(outline.strings.contains(text), "{text:?}: {shown}");
    }
    if let Some(number) = value.as_f64() {
        let known = outline.numbers.contains(&number.to_bits());
        assert!(known, "{number}: {shown}");
    }
    for (key, value) in value.as_object().into_iter().flatten() {
        assert!(outline.keys.contains(key), "{key:?}: {shown}");
        assert_value_is_in_text(value, outline, shown);
    }
    for item in value.as_array().into_iter().flatten() {
        assert_value_is_in_text(item, outline, shown);
    }
}

//! Skimming and projecting, compared with decoding and with a reader that goes
//! byte by byte.

use linetape::{
    Decoder, Error, Kind, Level, Line, Message, Projection, Reader, Value,
    message::schema::Item, value::Projected,
};
use serde::de::IgnoredAny;

use crate::support::json::same_value;

/// The number of paths of a line that are projected at once.
const PATHS: usize = 40;

/// Skimming a line returns what decoding it returns. On a line that cannot be
/// decoded, it returns an error, or the first type in the text.
///
/// # Panics
///
/// If it does not.
pub fn agree_with(decoder: &mut Decoder, line: &[u8]) {
    let mut trusted = Decoder::new();
    match trusted.decode(line) {
        Ok(record) => {
            same_kind(
                record.kind(),
                decoder.line(line).skim().kind().unwrap(),
            );
            same_values(record.value(), decoder, line);
            let mut expected = vec![];
            add_strings(record.value(), &mut expected);
            let line = decoder.line(line);
            let strings: Vec<&str> = line.strings().unwrap().collect();
            assert_eq!(strings, expected, "{line:?}");
        }
        Err(_) => {
            let first = first_type(line);
            let line = decoder.line(line);
            values_are_valid(&line);
            // It ends, and does not panic.
            let strings = line.strings().map_or(0, Iterator::count);
            assert!(strings <= line.as_bytes().len() / 2, "{line:?}");
            match (line.skim().kind(), first) {
                (Ok(kind), Some(first)) => {
                    assert_eq!(kind.name(), Some(&*first), "{line:?}");
                }
                (Ok(kind), None) => {
                    assert_eq!(Some(kind), line.kind().ok(), "{line:?}");
                }
                (Err(_), _) => assert!(line.kind().is_err(), "{line:?}"),
            }
        }
    }
}

/// What can be read of a line that cannot be decoded is JSON.
fn values_are_valid(line: &Line<'_>) {
    values_of(line, |line, paths| line.skim().projected(paths));
    let log = after_another(line.as_bytes());
    let mut lines = Reader::builder().level(Level::Kind).lines(&log);
    lines.next_line();
    while let Some(line) = lines.next_line() {
        let Ok(line) = line else { continue };
        // Another one, since a line that has an index is read from that.
        let is_peeked = Decoder::new().line(line.as_bytes()).peek().is_ok();
        values_of(&line, |line, paths| {
            let projected = line.projected(paths);
            assert_eq!(projected.is_ok(), is_peeked, "{line:?}");
            projected
        });
    }
}

fn values_of<'a>(
    line: &Line<'a>,
    project: impl for<'p> Fn(
        &Line<'a>,
        &'p Projection,
    ) -> Result<Projected<'a, 'p>, Error>,
) {
    let paths = ["/type", "/a", "/n", "/message", "/message/usage/a"];
    for paths in [&paths[..1], &paths[4..], &paths] {
        let projection = Projection::new(paths);
        let Ok(found) = project(line, &projection) else { continue };
        for value in (0..paths.len()).filter_map(|at| found.at(at)) {
            let is_read = value.as_str().is_some()
                || value.as_f64().is_some()
                || value.as_bool().is_some()
                || value.is_null();
            let text = &line.as_bytes()[value.span().unwrap()];
            let json = serde_json::from_slice::<IgnoredAny>(text);
            assert!(!is_read || json.is_ok(), "{line:?} {value:?}");
        }
    }
}

/// A `subtype` behind a type that has none in the tables is not seen.
fn same_kind(decoded: Kind<'_>, skimmed: Kind<'_>) {
    assert_eq!(decoded.name(), skimmed.name());
    if decoded.subtype() != skimmed.subtype() {
        assert_eq!(skimmed.subtype(), None);
        assert!(!has_subtype(decoded.name()), "{decoded}");
    }
}

/// Returns whether records of a type can have a subtype, by the tables.
pub fn has_subtype(name: Option<&str>) -> bool {
    let items = Message::schema();
    let view = |name: &str| items.iter().find(|item| item.name() == name);
    let Some(Item::Union { variants, .. }) = view("Message") else {
        panic!("the union of messages is missing");
    };
    let known = variants.iter().find(|(text, _)| Some(*text) == name);
    let Some((_, known)) = known else { return true };
    let mut next = Some(*known);
    while let Some(item) = next.and_then(view) {
        match item {
            Item::Union { by, .. } => return *by == Some("subtype"),
            Item::Struct { parent, fields, .. } => {
                // The body of a control message may be the message itself.
                let body = |kind: &str| {
                    matches!(view(kind), Some(Item::Union { by, .. })
                        if *by == Some("subtype"))
                };
                if fields.iter().any(|f| f.key == "subtype" || body(f.kind)) {
                    return true;
                }
                next = *parent;
            }
            _ => return false,
        }
    }
    false
}

fn same_values(value: Value<'_>, decoder: &mut Decoder, line: &[u8]) {
    let mut paths = vec!["/type".into(), "/subtype".into(), "/no/such".into()];
    add_paths(value, "", &mut paths);
    for paths in [&paths[..1], &paths[..2], &paths] {
        let projection = Projection::new(paths);
        let indexed = decoder.line(line);
        same_found(value, paths, indexed.projected(&projection).unwrap());

        let skimmed = decoder.line(line).skim();
        same_found(value, paths, skimmed.projected(&projection).unwrap());
    }
    routed(value, line, &paths);
}

/// Returns a log in which a line is the second one. The first line of a log is
/// not routed, since it may begin with a byte order mark.
fn after_another(line: &[u8]) -> Vec<u8> {
    [b"{}\n", line, b"\n"].concat()
}

/// Projects a line that has been routed, all paths at once and one by one.
fn routed(value: Value<'_>, line: &[u8], paths: &[String]) {
    let log = after_another(line);
    let message = paths.iter().filter(|path| path.starts_with("/message/"));
    let message: Vec<String> = message.cloned().collect();
    let one_by_one = paths.iter().map(std::slice::from_ref);
    for paths in [paths, &message].into_iter().chain(one_by_one) {
        let mut lines = Reader::builder().level(Level::Kind).lines(&log);
        lines.next_line();
        let Some(Ok(routed)) = lines.next_line() else { return };
        if routed.as_bytes() != line {
            // It has a newline or a carriage return.
            return;
        }
        let projection = Projection::new(paths);
        same_found(value, paths, routed.projected(&projection).unwrap());
    }
}

/// The values at paths are those of the decoded line.
pub fn same_found(
    value: Value<'_>,
    paths: &[String],
    found: Projected<'_, '_>,
) {
    for (at, path) in paths.iter().enumerate() {
        let (found, expected) = (found.at(at), value.pointer(path));
        assert_eq!(found.is_some(), expected.is_some(), "{path} {value:?}");
        if let (Some(found), Some(expected)) = (found, expected) {
            same_value(found, expected);
        }
    }
    assert!(found.at(paths.len()).is_none());
}

/// Adds the strings in `value`, without keys.
fn add_strings<'a>(value: Value<'a>, strings: &mut Vec<&'a str>) {
    strings.extend(value.as_str());
    if let Some(object) = value.as_object() {
        object.iter().for_each(|(_, value)| add_strings(value, strings));
    } else if let Some(array) = value.as_array() {
        array.iter().for_each(|value| add_strings(value, strings));
    }
}

/// Adds the paths of the values in `value`, up to a number.
fn add_paths(value: Value<'_>, path: &str, paths: &mut Vec<String>) {
    let mut nested = vec![];
    if let Some(object) = value.as_object() {
        for (key, value) in object {
            let key = key.replace('~', "~0").replace('/', "~1");
            nested.push((format!("{path}/{key}"), value));
        }
    } else if let Some(array) = value.as_array() {
        for (at, value) in array.iter().enumerate().take(3) {
            nested.push((format!("{path}/{at}"), value));
        }
    }
    for (path, value) in nested {
        if paths.len() < PATHS {
            paths.push(path.clone());
            add_paths(value, &path, paths);
        }
    }
}

/// Returns the first `type` of the outermost object, if it is a string, byte
/// by byte. A string that is followed by a colon is a key; the grammar is not
/// checked.
pub fn first_type(line: &[u8]) -> Option<String> {
    let skip = |at: &mut usize| {
        while matches!(line.get(*at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            *at += 1;
        }
    };
    let string = |at: &mut usize| {
        let start = *at;
        if line.get(start) != Some(&b'"') {
            return None;
        }
        *at += 1;
        while *line.get(*at)? != b'"' {
            *at += if line[*at] == b'\\' { 2 } else { 1 };
        }
        *at += 1;
        Some(&line[start..*at])
    };
    let unescaped = |text: &[u8]| serde_json::from_slice::<String>(text).ok();
    let mut at = 0;
    skip(&mut at);
    if line.get(at) != Some(&b'{') {
        return None;
    }
    at += 1;
    let mut depth = 1;
    while depth > 0 {
        match line.get(at)? {
            b'"' => {
                let text = string(&mut at)?;
                skip(&mut at);
                if depth == 1
                    && line.get(at) == Some(&b':')
                    && unescaped(text).as_deref() == Some("type")
                {
                    at += 1;
                    skip(&mut at);
                    return unescaped(string(&mut at)?);
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}

//! What each line of the fixtures reads as, compared with `tests/golden`.

use std::collections::BTreeMap;

use linetape::{
    Block, Decoder, Message, Reader, Writer,
    message::SessionId,
    message::{
        Nested, Reading, Usage,
        control::{ControlRequest, ControlResponse},
        schema::Item,
    },
    owned,
};
use serde_json::Value as Json;

use super::visit::{Seen, Step, pointer, visit};
use crate::support::{
    golden::Golden,
    logs,
    shown::{Members, Shown},
};

/// Writes the golden files. Read the difference before you commit it.
const BLESS: &str =
    "LINETAPE_BLESS=1 cargo test -p linetape-tests --test it message::";

/// The fixtures, as text.
fn fixtures() -> Vec<(String, String)> {
    let text = |log| String::from_utf8(log).unwrap();
    let fixtures = logs::fixtures().into_iter();
    fixtures.map(|(name, log)| (name, text(log))).collect()
}

#[test]
fn fixtures_read_as_their_golden_files() {
    let partners = partners();
    let mut golden = Golden::new(logs::root().join("tests/golden"), BLESS);
    for (name, log) in fixtures() {
        let lines = (1..).zip(log.lines());
        let lines = lines.map(|(number, line)| {
            let mut record = Members::default();
            record.put("line", Shown::of(number));
            record.append(read(line));
            put_readings(&mut record, line, &partners);
            record.shown()
        });
        golden.compare(&name, lines.collect());
    }
    golden.finish();
}

/// Nothing is lost in a round trip through owned messages.
#[test]
fn nothing_is_lost_on_the_way_through_owned_messages() {
    for (_, log) in fixtures() {
        let mut reader = Reader::new(log.as_bytes());
        for line in log.lines() {
            let owned = reader.next_record().unwrap().unwrap().into_owned();
            let read: owned::Message = serde_json::from_str(line).unwrap();
            assert_eq!(owned, read, "{line}");

            let mut writer = Writer::new(vec![]);
            writer.write_value(&owned).unwrap();
            let written =
                String::from_utf8(writer.into_inner().unwrap()).unwrap();
            let (record, rest) = written.split_once('\n').unwrap();
            assert_eq!(rest, "", "one newline for a record");
            let before: Json = serde_json::from_str(line).unwrap();
            let after: Json = serde_json::from_str(record).unwrap();
            assert_eq!(after, before);
        }
        assert!(reader.next_record().is_none());
    }
}

/// What the accessors return, which must be the same however the line is read.
fn read(line: &str) -> Members {
    let text = line.as_bytes();
    let decoded = shown(Decoder::new().decode(text).unwrap().message());
    let mut decoder = Decoder::new();
    assert_eq!(decoded, shown(decoder.line(text).peek().unwrap()), "{line}");
    let checked = decoder.line(text).checked().unwrap();
    assert_eq!(decoded, shown(checked), "{line}");
    decoded
}

/// Whatever the accessors of a message return. Those that are written by hand
/// come first, then all fields of all views.
fn shown(message: Message<'_>) -> Members {
    let mut record = Members::default();
    put_common(&mut record, message);
    record.put_some("logical_parent_uuid", message.logical_parent_uuid());
    record.put_some("user_uuid", message.user_uuid());
    record.put_flag("is_final", message.is_final());
    record.put_flag("is_error", message.is_error());
    match message {
        Message::Result(result) => {
            record.put_flag("is_journal", result.is_journal());
        }
        Message::ControlRequest(request) => put_request(&mut record, request),
        Message::ControlResponse(response) => {
            put_response(&mut record, response);
        }
        _ => {}
    }
    let results = message.content_blocks().filter_map(|block| match block {
        Block::ToolResult(result) => Some(result),
        _ => None,
    });
    let results = results.map(|result| {
        let mut record = Members::default();
        record.put_flag("is_error", result.is_error());
        record.put("text", Shown::of(result.text().collect::<Vec<_>>()));
        record.shown()
    });
    record.put_list("tool_results", results.collect());
    record.put_list("nested", message.nested().map(nested).collect());
    record.put("message", Shown::of(message.into_owned().unwrap()));
    record
}

/// Adds what any message has, nested or not.
fn put_common(record: &mut Members, message: Message<'_>) {
    record.put("kind", Shown::text(&message.kind().to_string()));
    put_session(record, message.session_id());
    record.put_some("uuid", message.uuid());
    record.put_some("parent_uuid", message.parent_uuid());
    record.put_some("timestamp", message.timestamp());
    record.put_flag("is_sidechain", message.is_sidechain());
    let blocks = message.content_blocks().count();
    record.put_some("blocks", Some(blocks).filter(|blocks| *blocks > 0));
    let text: Vec<&str> = message.text().collect();
    assert_eq!(message.text().to_string(), text.concat());
    record
        .put_list("text", text.iter().map(|text| Shown::text(text)).collect());
    if let Some(usage) = message.usage() {
        record.put("usage", tokens(usage));
    }
}

fn put_session(record: &mut Members, id: Option<SessionId<'_>>) {
    match id {
        Some(SessionId::Str(id)) => record.put("session_id", Shown::text(id)),
        Some(SessionId::Int(id)) => record.put("session_id", Shown::of(id)),
        None => {}
    }
}

/// The sums. The other fields are in the message.
fn tokens(usage: Usage<'_>) -> Shown {
    let mut record = Members::default();
    record.put_some("input_tokens", usage.input_tokens());
    record.put_some("output_tokens", usage.output_tokens());
    record.shown()
}

/// Adds the body, unless it is a field of the message.
fn put_request(record: &mut Members, request: ControlRequest<'_>) {
    if request.request().is_none() {
        let body = owned::control::Request::try_from(request.body());
        record.put("body", Shown::of(body.unwrap()));
    }
}

fn put_response(record: &mut Members, response: ControlResponse<'_>) {
    record.put_some("answers", response.answers());
    if response.response().is_none() {
        let body = owned::control::Response::try_from(response.body());
        record.put("body", Shown::of(body.unwrap()));
    }
}

/// A record inside of another one.
fn nested(nested: Nested<'_>) -> Shown {
    let mut record = Members::default();
    put_common(&mut record, nested.message());
    let mut context = Members::default();
    put_session(&mut context, nested.session_id());
    context.put_some("agent_id", nested.agent_id());
    context.put_some("parent_tool_use_id", nested.parent_tool_use_id());
    context.put_some("timestamp", nested.timestamp());
    context.put_flag("is_sidechain", nested.is_sidechain());
    record.put("context", context.shown());
    record.shown()
}

/// The keys that name the same field as a key, in any view.
fn partners() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut partners = BTreeMap::<_, Vec<_>>::new();
    for item in Message::schema() {
        let Item::Struct { fields, .. } = item else { continue };
        for field in fields {
            let Some(alias) = field.alias else { continue };
            partners.entry(field.key).or_default().push(alias);
            partners.entry(alias).or_default().push(field.key);
        }
    }
    partners
}

/// Adds how `visit` says that the values are read: those that are any JSON,
/// those that are not read, and those that have the second key of their field.
fn put_readings(
    record: &mut Members,
    line: &str,
    partners: &BTreeMap<&str, Vec<&str>>,
) {
    let seen = visit(line.as_bytes());
    let whole: Json = serde_json::from_str(line).unwrap();
    let (mut second, mut json) = (vec![], vec![]);
    let mut unread = Members::default();
    for seen in &seen {
        if is_second(seen, &whole, partners) {
            second.push(Shown::text(&seen.path));
        }
        match seen.reading {
            Reading::Read => {}
            Reading::Json => json.push(Shown::text(&seen.path)),
            other => {
                unread.put(&seen.path, Shown::text(&format!("{other:?}")));
            }
        }
    }
    record.put_list("second_keys", second);
    record.put_list("json", json);
    if !unread.is_empty() {
        record.put("unread", unread.shown());
    }
}

/// Returns whether a field is read by its second key: whether the first one
/// would hide it.
fn is_second(
    seen: &Seen,
    json: &Json,
    partners: &BTreeMap<&str, Vec<&str>>,
) -> bool {
    let Some(Step::Key(key)) = seen.steps.last() else { return false };
    let first = partners.get(&key[..]).into_iter().flatten();
    seen.is_given()
        && first.into_iter().any(|first| {
            let mut json = json.clone();
            let parent = seen.path.strip_suffix(&pointer(key)).unwrap();
            let object = json.pointer_mut(parent).unwrap();
            let object = object.as_object_mut().unwrap();
            if object.contains_key(*first) {
                return false;
            }
            object.insert(first.to_string(), object[key].clone());
            visit(json.to_string().as_bytes()).iter().any(|again| {
                again.path == seen.path && again.reading == Reading::Hidden
            })
        })
}

/*!
Checking single messages against the tables.
*/

use linetape::{Position, Value, message::Message, timestamp::is_iso_8601};

use crate::{
    Facts, Role,
    check::{
        Dialect, Level, Rule,
        finding::{Findings, Quoted},
        table::{
            BLOCKS, BlockRow, Field, Need, Pairing, Profile, RAW_EVENT,
            REMOTE_RESULT, Shape, UNKNOWN,
        },
    },
};

/// Reports findings about one line.
#[derive(Debug)]
pub(crate) struct Report<'f> {
    pub(crate) findings: &'f mut Findings,
    pub(crate) position: Position,
}

impl Report<'_> {
    pub(crate) fn add(
        &mut self,
        rule: Rule,
        level: Level,
        text: impl std::fmt::Display,
    ) {
        self.findings.add(rule, level, self.position, text);
    }
}

/// Returns the name of a message's row in the tables. `None` if the message
/// has no type.
fn row_name<'a>(facts: &Facts<'a>) -> Option<&'a str> {
    match facts.message() {
        Message::Event(_) => Some(RAW_EVENT),
        _ => facts.kind().name(),
    }
}

/// Returns the object that contains a message's fields.
fn body(message: Message<'_>) -> Value<'_> {
    match message {
        Message::Ui(ui) => ui.event().value(),
        _ => message.value(),
    }
}

/// Checks a message against its row of the table.
pub(crate) fn check_fields(
    facts: &Facts<'_>,
    profile: &Profile,
    report: &mut Report<'_>,
) {
    let message = facts.message();
    let Some(name) = row_name(facts) else {
        return check_unnamed(message.value(), profile.dialect, report);
    };
    if matches!(message, Message::Result(_)) && facts.run_result().is_none() {
        // It has other fields than the result of a run.
        return check_all(message.value(), UNKNOWN, "", report);
    }
    let row = profile.rows.iter().find(|row| row.names.contains(&name));
    let Some(row) = row else {
        if let Some(level) = profile.unknown_type {
            let (name, dialect) = (Quoted(name), profile.dialect);
            report.add(
                Rule::Structure,
                level,
                format_args!("unknown type {name} in dialect {dialect}"),
            );
        }
        return check_all(message.value(), UNKNOWN, "", report);
    };
    for fields in row.fields {
        check_all(body(message), fields, "", report);
    }
}

/// Checks a message without an envelope against its row of the table: the
/// fields that are not part of the envelope, and the timestamp, which the line
/// around it has as well.
pub(crate) fn check_partial(
    facts: &Facts<'_>,
    profile: &Profile,
    report: &mut Report<'_>,
) {
    let name = row_name(facts);
    let mut rows = profile.rows.iter();
    let row = name.and_then(|n| rows.find(|row| row.names.contains(&n)));
    let Some(row) = row.filter(|_| facts.role() != Role::Other) else {
        return;
    };
    for field in row.fields.iter().copied().flatten() {
        let need = match field.key {
            "timestamp" => Need::Never,
            key if key.split('/').next() == Some("message") => field.need,
            _ => continue,
        };
        let field = Field { need, ..*field };
        check_field(body(facts.message()), &field, "", report);
    }
}

/// Checks a message without a type.
fn check_unnamed(value: Value<'_>, dialect: Dialect, report: &mut Report<'_>) {
    match value.get("type").filter(|name| !name.is_null()) {
        // An event that is not in the table.
        None if dialect == Dialect::Server => report.add(
            Rule::Structure,
            Level::Note,
            "unknown event in dialect server",
        ),
        None => {
            report.add(Rule::RequiredField, Level::Error, "`type` is missing")
        }
        Some(_) => {
            report.add(Rule::Structure, Level::Error, "`type` is not a string")
        }
    }
    check_all(value, UNKNOWN, "", report);
}

fn check_all(
    object: Value<'_>,
    fields: &[Field],
    owner: &str,
    report: &mut Report<'_>,
) {
    for field in fields {
        check_field(object, field, owner, report);
    }
}

/// Checks one field of an object. `owner` is a prefix for the key in findings.
fn check_field(
    object: Value<'_>,
    field: &Field,
    owner: &str,
    report: &mut Report<'_>,
) {
    let (object, key) = match field.key.split_once('/') {
        None => (Some(object), field.key),
        Some((outer, key)) => (object.get(outer), key),
    };
    let Some(object) = object.filter(|value| value.as_object().is_some())
    else {
        return;
    };
    let is_open = matches!(field.shape, Shape::Any);
    let found = object.get(key).filter(|value| is_open || !value.is_null());
    let is = |key, texts: &[&str]| {
        let text = object.get(key).and_then(|value| value.as_str());
        text.is_some_and(|text| texts.contains(&text))
    };
    let (needed, allowed) = match field.need {
        Need::Never => (false, true),
        Need::Always => (true, true),
        Need::If(key, texts) => (is(key, texts), true),
        Need::OnlyIf(key, texts) => (is(key, texts), is(key, texts)),
        Need::Unless(key, texts) => (!is(key, texts), true),
    };
    let shown = field.key;
    match found {
        None if needed => report.add(
            field.rule.unwrap_or(Rule::RequiredField),
            field.level,
            format_args!("{owner}`{shown}` is missing"),
        ),
        None => {}
        Some(_) if !allowed => report.add(
            Rule::Structure,
            field.level,
            format_args!("{owner}`{shown}` is not allowed here"),
        ),
        Some(value) => {
            let Some(wanted) = wrong_shape(value, field.shape) else { return };
            let rule = match field.shape {
                Shape::Time => Rule::Timestamp,
                _ => field.rule.unwrap_or(Rule::Structure),
            };
            let text =
                value.as_str().map(|text| format!(": {}", Quoted(text)));
            let text = text.unwrap_or_default();
            let what = format_args!("{owner}`{shown}` is not {wanted}{text}");
            report.add(rule, field.level, what);
        }
    }
}

/// Returns a description of a shape, if a value does not have it.
fn wrong_shape(value: Value<'_>, shape: Shape) -> Option<&'static str> {
    let text = value.as_str();
    let (fits, wanted) = match shape {
        Shape::Any => (true, ""),
        Shape::Text => (text.is_some(), "a string"),
        Shape::Name => {
            (text.is_some_and(|t| !t.is_empty()), "a non-empty string")
        }
        Shape::OneOf(texts) => (
            text.is_some_and(|text| texts.contains(&text)),
            "an allowed value",
        ),
        Shape::Time => {
            (text.is_some_and(is_iso_8601), "an ISO 8601 timestamp")
        }
        Shape::Flag => (value.as_bool().is_some(), "true or false"),
        Shape::Whole => (value.as_i64().is_some(), "an integer"),
        Shape::Number => (value.as_f64().is_some(), "a number"),
        Shape::Object => (value.as_object().is_some(), "an object"),
        Shape::Array => (value.as_array().is_some(), "an array"),
        Shape::Content => (
            text.is_some() || value.as_array().is_some(),
            "a string or an array",
        ),
    };
    (!fits).then_some(wanted)
}

/// Checks the content blocks of a message. Calls `each` for each block with
/// its type, its pairing, and the id of the call.
///
/// It does not use [`Facts::calls`], which skips the malformed blocks that
/// have to be reported here.
pub(crate) fn check_blocks<'a>(
    facts: &Facts<'a>,
    report: &mut Report<'_>,
    mut each: impl FnMut(&'a str, Pairing, Option<&'a str>),
) {
    let said = match facts.role() {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Other => return,
    };
    let content = facts.said().and_then(|said| said.content);
    let blocks = content.and_then(|content| content.value().as_array());
    for block in blocks.into_iter().flatten() {
        let kind = block.get("type").and_then(|kind| kind.as_str());
        let Some(kind) = kind else {
            report.add(
                Rule::Structure,
                Level::Error,
                "a content block has no `type`",
            );
            continue;
        };
        let Some(row) = row_of(kind) else {
            each(kind, Pairing::Other, None);
            continue;
        };
        if !row.within.contains(&said) {
            report.add(
                Rule::Structure,
                Level::Error,
                format_args!(
                    "a `{}` block is not allowed in a {said} message",
                    row.kind
                ),
            );
        }
        check_all(block, row.fields, "a block's ", report);
        let id = match row.pairing {
            Pairing::Call | Pairing::RemoteCall => block.get("id"),
            Pairing::Result => block.get("tool_use_id"),
            Pairing::Other => None,
        };
        let id = id.and_then(|id| id.as_str()).filter(|id| !id.is_empty());
        each(kind, row.pairing, id);
    }
}

fn row_of(kind: &str) -> Option<&'static BlockRow> {
    let row = BLOCKS.iter().find(|row| row.kind == kind);
    row.or(Some(&REMOTE_RESULT).filter(|row| kind.ends_with(row.kind)))
}

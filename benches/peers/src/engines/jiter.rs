//! jiter, with its iterator. Strings with escapes are decoded into one buffer,
//! which is reused from line to line.

use jiter::{
    Jiter, JiterResult, JsonValue, JsonValueScratch, NumberInt, PartialMode,
    Peek,
};

use super::{
    Engine,
    split::{lines, texts},
};
use crate::{
    data::Data,
    jobs::{Job, Tally},
};

pub const ENGINES: &[Engine] = &[
    Engine::peer("jiter skip", Job::Check, |data, tally| {
        each_line(checked(data), tally, |line, tally| {
            line.next_skip()?;
            line.finish()?;
            tally.line();
            Ok(())
        });
    }),
    Engine::peer("jiter iterator", Job::Route, |data, tally| {
        each_line(checked(data), tally, route);
    }),
    Engine::peer("jiter iterator", Job::Usage, |data, tally| {
        each_line(checked(data), tally, usage);
    }),
    // It skips no string, so it checks all UTF-8 itself.
    Engine::peer("jiter iterator", Job::Text, |data, tally| {
        each_line(lines(data).map(Some), tally, |line, tally| {
            let first = line.peek()?;
            visit(line, first, tally)?;
            line.finish()
        });
    }),
    Engine::peer("jiter JsonValue, owned", Job::Own, |data, tally| {
        let mut scratch = JsonValueScratch::new();
        for line in lines(data) {
            let value = scratch.parse_owned(line, false, PartialMode::Off);
            let Ok(value) = value else {
                tally.fail(1);
                continue;
            };
            let members = match &value {
                JsonValue::Object(members) => &members[..],
                _ => &[],
            };
            let name = members.iter().find(|(key, _)| key == "type");
            let is_assistant = |(_, name): &(_, JsonValue<'_>)| matches!(name, JsonValue::Str(name) if name == "assistant");
            tally.own(&value, name.is_some_and(is_assistant));
            visit_value(&value, tally);
        }
    }),
    Engine::peer("jiter iterator", Job::Select, |data, tally| {
        for text in texts(data) {
            let line = text.unwrap_or_default().as_bytes();
            match is_assistant(&mut Jiter::new(line)) {
                Ok(true) => tally.select(line),
                Ok(false) => {}
                Err(_) => tally.fail(1),
            }
        }
    }),
];

/// Lines whose UTF-8 has been checked: jiter does not check strings that it
/// skips.
fn checked(data: &Data) -> impl Iterator<Item = Option<&[u8]>> {
    texts(data).map(|text| text.map(str::as_bytes))
}

#[inline]
fn each_line<'d>(
    lines: impl Iterator<Item = Option<&'d [u8]>>,
    tally: &mut Tally,
    mut job: impl FnMut(&mut Jiter<'d>, &mut Tally) -> JiterResult<()>,
) {
    let mut buffer = vec![];
    for line in lines {
        let Some(line) = line else {
            tally.fail(1);
            continue;
        };
        let mut line = Jiter::with_tape(line, buffer);
        if job(&mut line, tally).is_err() {
            tally.fail(1);
        }
        buffer = line.into_tape();
    }
}

/// Stops when it has both values, like the engine of simdjson.
fn route(line: &mut Jiter<'_>, tally: &mut Tally) -> JiterResult<()> {
    let (mut name, mut subtype) = (None, None);
    let mut key = line.next_object()?;
    while let Some(text) = key {
        match text {
            "type" => name = Some(line.next_value()?),
            "subtype" => subtype = Some(line.next_value()?),
            _ => line.next_skip()?,
        }
        if name.is_some() && subtype.is_some() {
            break;
        }
        key = line.next_key()?;
    }
    tally.kind(as_str(&name), as_str(&subtype));
    Ok(())
}

/// Stops when it has the type.
fn is_assistant(line: &mut Jiter<'_>) -> JiterResult<bool> {
    let mut key = line.next_object()?;
    while let Some(text) = key {
        if text == "type" {
            let name = Some(line.next_value()?);
            return Ok(as_str(&name) == Some("assistant"));
        }
        line.next_skip()?;
        key = line.next_key()?;
    }
    Ok(false)
}

fn as_str<'v>(value: &'v Option<JsonValue<'_>>) -> Option<&'v str> {
    match value {
        Some(JsonValue::Str(text)) => Some(text),
        _ => None,
    }
}

fn usage(line: &mut Jiter<'_>, tally: &mut Tally) -> JiterResult<()> {
    let (mut is_assistant, mut tokens) = (None, None);
    let mut key = line.next_object()?;
    while let Some(text) = key {
        match text {
            "type" => {
                let name = Some(line.next_value()?);
                is_assistant = Some(as_str(&name) == Some("assistant"));
            }
            "message" => {
                let mut found = [0; 2];
                read_message(line, &mut found)?;
                tokens = Some(found);
            }
            _ => line.next_skip()?,
        }
        match (is_assistant, tokens) {
            (Some(false), _) => return Ok(()),
            (Some(true), Some(_)) => break,
            _ => key = line.next_key()?,
        }
    }
    if is_assistant == Some(true) {
        let [input, output] = tokens.unwrap_or_default();
        tally.usage(input, output);
    }
    Ok(())
}

fn read_message(
    line: &mut Jiter<'_>,
    found: &mut [u64; 2],
) -> JiterResult<()> {
    let mut key = match line.peek()? {
        Peek::Object => line.known_object()?,
        other => return line.known_skip(other),
    };
    while let Some(text) = key {
        match text {
            "usage" => read_usage(line, found)?,
            _ => line.next_skip()?,
        }
        key = line.next_key()?;
    }
    Ok(())
}

fn read_usage(line: &mut Jiter<'_>, found: &mut [u64; 2]) -> JiterResult<()> {
    let mut key = match line.peek()? {
        Peek::Object => line.known_object()?,
        other => return line.known_skip(other),
    };
    while let Some(text) = key {
        match text {
            "input_tokens" => found[0] = tokens(line)?,
            "output_tokens" => found[1] = tokens(line)?,
            _ => line.next_skip()?,
        }
        key = line.next_key()?;
    }
    Ok(())
}

fn tokens(line: &mut Jiter<'_>) -> JiterResult<u64> {
    let first = line.peek()?;
    if !first.is_num() {
        line.known_skip(first)?;
        return Ok(0);
    }
    match line.known_int(first)? {
        NumberInt::Int(number) => Ok(number.try_into().unwrap_or(0)),
        NumberInt::BigInt(_) => Ok(0),
    }
}

fn visit(
    line: &mut Jiter<'_>,
    first: Peek,
    tally: &mut Tally,
) -> JiterResult<()> {
    match first {
        Peek::String => tally.text(line.known_str()?.as_bytes()),
        Peek::Array => {
            let mut next = line.known_array()?;
            while let Some(first) = next {
                visit(line, first, tally)?;
                next = line.array_step()?;
            }
        }
        Peek::Object => {
            let mut is_member = line.known_object()?.is_some();
            while is_member {
                let first = line.peek()?;
                visit(line, first, tally)?;
                is_member = line.next_key()?.is_some();
            }
        }
        other => line.known_skip(other)?,
    }
    Ok(())
}

fn visit_value(value: &JsonValue<'_>, tally: &mut Tally) {
    match value {
        JsonValue::Str(text) => tally.text(text.as_bytes()),
        JsonValue::Array(items) => {
            items.iter().for_each(|item| visit_value(item, tally));
        }
        JsonValue::Object(members) => {
            members.iter().for_each(|(_, value)| visit_value(value, tally));
        }
        _ => {}
    }
}

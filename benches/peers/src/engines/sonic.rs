//! sonic-rs, as far as it checks its input.
//!
//! It uses vector instructions for strings only if the whole program is built
//! for the CPU: see src/native.rs.

use serde::{Deserialize, de::IgnoredAny};
use sonic_rs::{
    JsonContainerTrait, JsonType, JsonValueTrait, Result, Value,
    to_object_iter,
};

use super::{
    Engine,
    split::{lines, texts},
    typed::{Event, Text},
};
use crate::{
    data::Data,
    jobs::{Job, Tally},
};

pub const ENGINES: &[Engine] = &[
    Engine::peer("sonic-rs IgnoredAny", Job::Check, |data, tally| {
        each_line(data, tally, |_: IgnoredAny, tally| tally.line());
    }),
    Engine::peer("sonic-rs lazy", Job::Route, |data, tally| {
        each_text(data, tally, |text, tally| {
            let (mut name, mut subtype) = (None, None);
            for member in to_object_iter(text) {
                let (key, value) = member?;
                match &*key {
                    "type" => name = Some(value),
                    "subtype" => subtype = Some(value),
                    _ => continue,
                }
                if name.is_some() && subtype.is_some() {
                    break;
                }
            }
            tally.kind(name.as_str(), subtype.as_str());
            Ok(())
        });
    }),
    Engine::peer("sonic-rs lazy", Job::Usage, |data, tally| {
        each_text(data, tally, lazy_usage);
    }),
    Engine::peer("sonic-rs Value", Job::Text, |data, tally| {
        each_line(data, tally, |line, tally| visit(&line, tally));
    }),
    Engine::peer("sonic-rs Value", Job::Own, |data, tally| {
        each_line(data, tally, |line: Value, tally| {
            let name = line.get("type");
            tally.own(&line, name.as_str() == Some("assistant"));
            visit(&line, tally);
        });
    }),
    Engine::peer("sonic-rs lazy", Job::Select, |data, tally| {
        each_text(data, tally, |text, tally| {
            for member in to_object_iter(text) {
                let (key, value) = member?;
                if key == "type" {
                    if value.as_str() == Some("assistant") {
                        tally.select(text.as_bytes());
                    }
                    break;
                }
            }
            Ok(())
        });
    }),
    Engine::peer("sonic-rs from_slice", Job::Types, |data, tally| {
        each_line(data, tally, Event::<Text<'_>>::tell);
    }),
    Engine::peer("sonic-rs from_slice, String", Job::Types, |data, tally| {
        each_line(data, tally, Event::<String>::tell);
    }),
];

/// `from_slice` checks the UTF-8 of the whole line.
#[inline]
fn each_line<'d, T: Deserialize<'d>>(
    data: &'d Data,
    tally: &mut Tally,
    mut job: impl FnMut(T, &mut Tally),
) {
    for line in lines(data) {
        match sonic_rs::from_slice(line) {
            Ok(line) => job(line, tally),
            Err(_) => tally.fail(1),
        }
    }
}

/// The other ways check only the UTF-8 that they read.
#[inline]
fn each_text<'d>(
    data: &'d Data,
    tally: &mut Tally,
    mut job: impl FnMut(&'d str, &mut Tally) -> Result<()>,
) {
    for text in texts(data) {
        match text.map(|text| job(text, tally)) {
            Some(Ok(())) => {}
            _ => tally.fail(1),
        }
    }
}

/// Stops when it has both values, or when the line has another type.
fn lazy_usage(text: &str, tally: &mut Tally) -> Result<()> {
    let (mut is_assistant, mut message) = (false, None);
    for member in to_object_iter(text) {
        let (key, value) = member?;
        match &*key {
            "type" => {
                is_assistant = value.as_str() == Some("assistant");
                if !is_assistant {
                    break;
                }
            }
            "message" => message = Some(value),
            _ => continue,
        }
        if is_assistant && message.is_some() {
            break;
        }
    }
    if is_assistant {
        let usage = message.as_ref().and_then(|message| message.get("usage"));
        let [input, output] = ["input_tokens", "output_tokens"]
            .map(|key| usage.as_ref().and_then(|usage| usage.get(key)));
        let [input, output] = [input, output].map(|value| value.as_u64());
        tally.usage(input.unwrap_or(0), output.unwrap_or(0));
    }
    Ok(())
}

fn visit(value: &Value, tally: &mut Tally) {
    match value.get_type() {
        JsonType::String => {
            tally.text(value.as_str().unwrap_or_default().as_bytes());
        }
        JsonType::Array => {
            let items = value.as_array().into_iter().flatten();
            items.for_each(|item| visit(item, tally));
        }
        JsonType::Object => {
            let members = value.as_object().into_iter().flatten();
            members.for_each(|(_, value)| visit(value, tally));
        }
        _ => {}
    }
}

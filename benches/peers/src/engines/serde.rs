//! serde_json, line by line.

use std::borrow::Cow;

use memchr::memchr;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

use super::Engine;
use crate::{
    data::Data,
    jobs::{Job, Tally},
};

pub const ENGINES: &[Engine] = &[
    Engine::peer("serde_json IgnoredAny", Job::Check, |data, tally| {
        each_line(data, tally, |_, _: IgnoredAny, tally| tally.line());
    }),
    Engine::peer("serde_json typed, borrowed", Job::Route, |data, tally| {
        each_line(data, tally, |_, line: Kind<'_>, tally| {
            tally.kind(as_str(&line.name), as_str(&line.subtype));
        });
    }),
    Engine::peer("serde_json Value", Job::Route, |data, tally| {
        each_line(data, tally, |_, line: Value, tally| {
            tally.kind(line["type"].as_str(), line["subtype"].as_str());
        });
    }),
    Engine::peer("serde_json typed, borrowed", Job::Usage, |data, tally| {
        each_line(data, tally, |_, line: Spent<'_>, tally| {
            if as_str(&line.name) != Some("assistant") {
                return;
            }
            let usage = line.message.and_then(|message| message.usage);
            let usage = usage.unwrap_or_default();
            let [input, output] = [usage.input_tokens, usage.output_tokens];
            tally.usage(input.unwrap_or(0), output.unwrap_or(0));
        });
    }),
    Engine::peer("serde_json Value", Job::Text, |data, tally| {
        each_line(data, tally, |_, line, tally| visit(&line, tally));
    }),
    Engine::peer("serde_json typed, borrowed", Job::Select, |data, tally| {
        each_line(data, tally, |text, line: Kind<'_>, tally| {
            if as_str(&line.name) == Some("assistant") {
                tally.select(text.as_bytes());
            }
        });
    }),
    Engine::peer("serde_json Value, rewritten", Job::Select, |data, tally| {
        let mut text = vec![];
        each_line(data, tally, |_, line: Value, tally| {
            if line["type"] == "assistant" {
                text.clear();
                match serde_json::to_writer(&mut text, &line) {
                    Ok(()) => tally.select(&text),
                    Err(_) => tally.fail(1),
                }
            }
        });
    }),
];

/// serde borrows a `Cow` only if it stands alone in a field; this one does,
/// and can be put into an `Option`.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

fn as_str<'a>(text: &'a Option<Text<'_>>) -> Option<&'a str> {
    text.as_ref().map(|text| &*text.0)
}

#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(borrow, rename = "type")]
    name: Option<Text<'a>>,
    subtype: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Spent<'a> {
    #[serde(borrow, rename = "type")]
    name: Option<Text<'a>>,
    message: Option<Inner>,
}

#[derive(Deserialize)]
struct Inner {
    usage: Option<Usage>,
}

#[derive(Default, Deserialize)]
struct Usage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

/// UTF-8 is checked here, once and quickly: serde_json would not look into
/// strings that it skips.
#[inline]
fn each_line<'d, T: Deserialize<'d>>(
    data: &'d Data,
    tally: &mut Tally,
    mut job: impl FnMut(&'d str, T, &mut Tally),
) {
    let mut rest = data.bytes();
    while let Some(at) = memchr(b'\n', rest) {
        let line = &rest[..at];
        rest = &rest[at + 1..];
        let text = simdutf8::basic::from_utf8(line).ok();
        let read = text.map(|text| (text, serde_json::from_str(text)));
        match read {
            Some((text, Ok(line))) => job(text, line, tally),
            _ => tally.fail(1),
        }
    }
}

fn visit(value: &Value, tally: &mut Tally) {
    match value {
        Value::String(text) => tally.text(text.as_bytes()),
        Value::Array(items) => items.iter().for_each(|v| visit(v, tally)),
        Value::Object(members) => {
            members.values().for_each(|v| visit(v, tally));
        }
        _ => {}
    }
}

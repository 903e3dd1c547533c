//! serde_json, line by line.

use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Deserializer, Value};

use super::{
    Engine,
    linetape_peek::own,
    split::{lines, texts},
    typed::{Event, Kind, Spent, Text},
};
use crate::{
    data::Data,
    jobs::{Job, Tally},
};

pub const ENGINES: &[Engine] = &[
    Engine::peer("serde_json IgnoredAny", Job::Check, |data, tally| {
        each_line(data, tally, |_, _: IgnoredAny, tally| tally.line());
    }),
    Engine::peer("serde_json typed, borrowed", Job::Route, |data, tally| {
        each_line(data, tally, |_, line: Kind<Text<'_>>, tally| {
            line.tell(tally);
        });
    }),
    Engine::peer("serde_json typed, borrowed", Job::Usage, |data, tally| {
        each_line(data, tally, |_, line: Spent<Text<'_>>, tally| {
            line.tell(tally);
        });
    }),
    Engine::peer("serde_json Value", Job::Text, |data, tally| {
        each_line(data, tally, |_, line, tally| visit(&line, tally));
    }),
    Engine::peer("serde_json, same types", Job::Own, |data, tally| {
        each_line(data, tally, |_, line, tally| own(&line, tally));
    }),
    Engine::peer("serde_json Value", Job::Own, |data, tally| {
        each_line(data, tally, |_, line: Value, tally| {
            tally.own(&line, line["type"] == "assistant");
            visit(&line, tally);
        });
    }),
    Engine::peer("serde_json typed, borrowed", Job::Select, |data, tally| {
        each_line(data, tally, |text, line: Kind<Text<'_>>, tally| {
            if line.is_assistant() {
                tally.select(text.as_bytes());
            }
        });
    }),
    Engine::peer("serde_json from_slice", Job::Types, |data, tally| {
        each_event::<Event<Text<'_>>>(data, tally, Event::tell);
    }),
    Engine::peer(
        "serde_json from_slice, String",
        Job::Types,
        |data, tally| {
            each_event::<Event<String>>(data, tally, Event::tell);
        },
    ),
    Engine::peer(
        "serde_json StreamDeserializer",
        Job::Types,
        |data, tally| {
            each_in_stream::<Event<Text<'_>>>(data, tally, Event::tell);
        },
    ),
    Engine::peer(
        "serde_json StreamDeserializer, String",
        Job::Types,
        |data, tally| {
            each_in_stream::<Event<String>>(data, tally, Event::tell);
        },
    ),
];

#[inline]
fn each_line<'d, T: Deserialize<'d>>(
    data: &'d Data,
    tally: &mut Tally,
    mut job: impl FnMut(&'d str, T, &mut Tally),
) {
    for text in texts(data) {
        let read = text.map(|text| (text, serde_json::from_str(text)));
        match read {
            Some((text, Ok(line))) => job(text, line, tally),
            _ => tally.fail(1),
        }
    }
}

/// `from_slice` checks the UTF-8 of the strings that it returns.
#[inline]
fn each_event<'d, T: Deserialize<'d>>(
    data: &'d Data,
    tally: &mut Tally,
    job: impl Fn(T, &mut Tally),
) {
    for line in lines(data) {
        match serde_json::from_slice(line) {
            Ok(event) => job(event, tally),
            Err(_) => tally.fail(1),
        }
    }
}

#[inline]
fn each_in_stream<'d, T: Deserialize<'d>>(
    data: &'d Data,
    tally: &mut Tally,
    job: impl Fn(T, &mut Tally),
) {
    let stream = Deserializer::from_slice(data.bytes());
    for event in stream.into_iter() {
        match event {
            Ok(event) => job(event, tally),
            Err(_) => tally.fail(1),
        }
    }
}

pub fn visit(value: &Value, tally: &mut Tally) {
    match value {
        Value::String(text) => tally.text(text.as_bytes()),
        Value::Array(items) => items.iter().for_each(|v| visit(v, tally)),
        Value::Object(members) => {
            members.values().for_each(|v| visit(v, tally));
        }
        _ => {}
    }
}

//! serde_json, line by line.

use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

use super::{
    Engine, derived,
    linetape_peek::own,
    split::texts,
    typed::{Kind, Spent, Text},
};
use crate::{
    data::Data,
    jobs::{Job, Tally},
    strings,
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
    Engine::peer("serde_json typed, owned", Job::Route, |data, tally| {
        each_line(data, tally, |_, line: Kind<String>, tally| {
            line.tell(tally);
        });
    }),
    Engine::peer("serde_json Value", Job::Route, |data, tally| {
        each_line(data, tally, |_, line: Value, tally| {
            tally.kind(line["type"].as_str(), line["subtype"].as_str());
        });
    }),
    Engine::peer("serde_json typed, borrowed", Job::Usage, |data, tally| {
        each_line(data, tally, |_, line: Spent<Text<'_>>, tally| {
            line.tell(tally);
        });
    }),
    Engine::peer("serde_json typed, owned", Job::Usage, |data, tally| {
        each_line(data, tally, |_, line: Spent<String>, tally| {
            line.tell(tally);
        });
    }),
    Engine::peer("serde_json Value", Job::Usage, |data, tally| {
        each_line(data, tally, |_, line: Value, tally| {
            if line["type"] == "assistant" {
                let usage = &line["message"]["usage"];
                let [input, output] = ["input_tokens", "output_tokens"]
                    .map(|key| usage[key].as_u64().unwrap_or(0));
                tally.usage(input, output);
            }
        });
    }),
    Engine::peer("serde_json Value", Job::Text, |data, tally| {
        each_line(data, tally, |_, line, tally| visit(&line, tally));
    }),
    Engine::peer("serde_json, same types", Job::Own, |data, tally| {
        each_line(data, tally, |_, line, tally| own(&line, tally));
    }),
    Engine::peer("serde_json, derived enum", Job::Own, |data, tally| {
        each_line(data, tally, |_, line: derived::Message, tally| {
            tally.own(&line, line.is_assistant());
            strings::visit(&line, tally);
        });
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

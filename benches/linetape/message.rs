//! Reading typed messages, decoded or not. The result is the sum of the output
//! tokens of assistant messages, and the number of their content blocks.

use criterion::Criterion;
use linetape::{Level, Message, Reader};

use crate::{Job, data::Data};

type Answer = (u64, usize);

const JOBS: &[Job<Answer>] = &[
    ("decoded", |data| {
        let mut answer = (0, 0);
        let mut reader = Reader::new(&data.bytes[..]);
        while let Some(record) = reader.next_record() {
            add(&mut answer, record.unwrap().message());
        }
        answer
    }),
    ("peeked", |data| {
        let mut answer = (0, 0);
        let builder = Reader::builder().level(Level::Kind);
        let mut reader = builder.build(&data.bytes[..]);
        while let Some(line) = reader.next_line() {
            let line = line.unwrap();
            if line.kind().unwrap().is("assistant") {
                add(&mut answer, line.peek().unwrap());
            }
        }
        answer
    }),
];

fn add((tokens, blocks): &mut Answer, message: Message<'_>) {
    if let Message::Assistant(assistant) = message {
        let usage = message.usage();
        *tokens += usage.and_then(|u| u.output_tokens()).unwrap_or(0);
        *blocks += assistant.content().count();
    }
}

pub fn step(c: &mut Criterion) {
    let expected = |data: &Data| {
        let mut answer = (0, 0);
        let values = data.values().iter();
        for value in values.filter(|value| value["type"] == "assistant") {
            let message = &value["message"];
            let tokens = &message["usage"]["output_tokens"];
            answer.0 += tokens.as_u64().unwrap_or(0);
            answer.1 += match &message["content"] {
                serde_json::Value::Array(blocks) => blocks.len(),
                serde_json::Value::String(_) => 1,
                _ => 0,
            };
        }
        answer
    };
    crate::step(c, "message", expected, JOBS);
}

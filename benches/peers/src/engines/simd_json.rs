//! simd-json in three ways: its tape, its owned values, and serde.
//!
//! It unescapes in place, so each line is first copied into a reused buffer.
//! The loop over tapes is the decoder of linetape without linetape.

use std::slice;

use serde::Deserialize;
use simd_json::{
    Buffers, Deserializer, INPUT_PADDING, Node, OwnedValue, Result, Tape,
    fill_tape_padded, prelude::*, to_owned_value_with_buffers,
};

use super::{
    Engine,
    split::lines,
    typed::{Event, Text},
};
use crate::{
    data::Data,
    jobs::{Job, Tally},
};

pub const ENGINES: &[Engine] = &[
    Engine::peer("simd-json tape", Job::Check, |data, tally| {
        each_tape(data, tally, |_, _, tally| tally.line());
    }),
    Engine::peer("simd-json tape", Job::Route, |data, tally| {
        each_tape(data, tally, |_, tape, tally| route(tape, tally));
    }),
    Engine::peer("simd-json tape", Job::Usage, |data, tally| {
        each_tape(data, tally, |_, tape, tally| usage(tape, tally));
    }),
    Engine::peer("simd-json tape", Job::Text, |data, tally| {
        each_tape(data, tally, |_, tape, tally| {
            visit_nodes(&mut tape.0.as_slice().iter(), tally);
        });
    }),
    Engine::peer("simd-json OwnedValue", Job::Own, |data, tally| {
        let mut scratch = Scratch::default();
        let mut buffers = Buffers::default();
        for line in lines(data) {
            let copy = &mut scratch.copy(line)[..line.len()];
            match to_owned_value_with_buffers(copy, &mut buffers) {
                Ok(value) => {
                    let name = value.get_str("type");
                    tally.own(&value, name == Some("assistant"));
                    visit_owned(&value, tally);
                }
                Err(_) => tally.fail(1),
            }
        }
    }),
    Engine::peer("simd-json tape", Job::Select, |data, tally| {
        each_tape(data, tally, |line, tape, tally| {
            let object = tape.as_value().as_object();
            let name = object.and_then(|object| object.get("type"));
            let name = name.and_then(|name| name.into_string());
            if name == Some("assistant") {
                tally.select(line);
            }
        });
    }),
    Engine::peer("simd-json typed", Job::Types, |data, tally| {
        each_typed(data, tally, |line, tally| {
            Event::<Text<'_>>::deserialize(line)?.tell(tally);
            Ok(())
        });
    }),
    Engine::peer("simd-json typed, String", Job::Types, |data, tally| {
        each_typed(data, tally, |line, tally| {
            Event::<String>::deserialize(line)?.tell(tally);
            Ok(())
        });
    }),
];

/// A writable line with the padding that simd-json requires.
#[derive(Default)]
struct Scratch(Vec<u8>);

impl Scratch {
    fn copy(&mut self, line: &[u8]) -> &mut [u8] {
        let length = line.len() + INPUT_PADDING;
        if self.0.len() < length {
            self.0.resize(length, 0);
        }
        self.0[..line.len()].copy_from_slice(line);
        &mut self.0[..length]
    }
}

#[inline]
fn each_tape(
    data: &Data,
    tally: &mut Tally,
    mut job: impl FnMut(&[u8], &Tape<'_>, &mut Tally),
) {
    let mut scratch = Scratch::default();
    let mut buffers = Buffers::default();
    let mut empty = Tape::null();
    for line in lines(data) {
        let mut tape = empty.reset();
        let padded = scratch.copy(line);
        match fill_tape_padded(padded, line.len(), &mut buffers, &mut tape) {
            Ok(()) => job(line, &tape, tally),
            Err(_) => tally.fail(1),
        }
        empty = tape.reset();
    }
}

#[inline]
fn each_typed(
    data: &Data,
    tally: &mut Tally,
    mut job: impl FnMut(&mut Deserializer<'_>, &mut Tally) -> Result<()>,
) {
    let mut scratch = Scratch::default();
    let mut buffers = Buffers::default();
    let mut empty = Tape::null();
    for line in lines(data) {
        let mut tape = empty.reset();
        let padded = scratch.copy(line);
        let filled =
            fill_tape_padded(padded, line.len(), &mut buffers, &mut tape);
        if filled.is_err() {
            tally.fail(1);
            empty = tape.reset();
            continue;
        }
        let mut deserializer = Deserializer::from_tape(tape);
        if job(&mut deserializer, tally).is_err() {
            tally.fail(1);
        }
        empty = deserializer.into_tape().reset();
    }
}

fn route(tape: &Tape<'_>, tally: &mut Tally) {
    let Some(object) = tape.as_value().as_object() else {
        return tally.fail(1);
    };
    let (mut name, mut subtype) = (None, None);
    for (key, value) in &object {
        match key {
            "type" => name = value.into_string(),
            "subtype" => subtype = value.into_string(),
            _ => {}
        }
    }
    tally.kind(name, subtype);
}

fn usage(tape: &Tape<'_>, tally: &mut Tally) {
    let line = tape.as_value();
    if line.get_str("type") != Some("assistant") {
        return;
    }
    let message = line.get("message");
    let usage = message.and_then(|message| message.get("usage"));
    let [input, output] = ["input_tokens", "output_tokens"]
        .map(|key| usage.and_then(|usage| usage.get_u64(key)));
    tally.usage(input.unwrap_or(0), output.unwrap_or(0));
}

/// Visits the first value of `nodes`.
fn visit_nodes(nodes: &mut slice::Iter<'_, Node<'_>>, tally: &mut Tally) {
    match nodes.next() {
        Some(Node::String(text)) => tally.text(text.as_bytes()),
        Some(Node::Array { len, .. }) => {
            for _ in 0..*len {
                visit_nodes(nodes, tally);
            }
        }
        Some(Node::Object { len, .. }) => {
            for _ in 0..*len {
                // The key.
                nodes.next();
                visit_nodes(nodes, tally);
            }
        }
        Some(Node::Static(_)) | None => {}
    }
}

fn visit_owned(value: &OwnedValue, tally: &mut Tally) {
    match value {
        OwnedValue::String(text) => tally.text(text.as_bytes()),
        OwnedValue::Array(items) => {
            items.iter().for_each(|item| visit_owned(item, tally));
        }
        OwnedValue::Object(members) => {
            members.values().for_each(|value| visit_owned(value, tally));
        }
        OwnedValue::Static(_) => {}
    }
}

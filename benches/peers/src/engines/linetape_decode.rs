//! linetape, with every line decoded.

use linetape::{Message, Record};

use super::{
    Engine,
    linetape_peek::{own, visit},
};
use crate::{
    data::Data,
    jobs::{Job, Tally},
};

pub const ENGINES: &[Engine] = &[
    Engine::ours("linetape decode", Job::Check, |data, tally| {
        each_record(data, tally, |_, tally| tally.line());
    }),
    Engine::ours("linetape decode", Job::Route, |data, tally| {
        each_record(data, tally, |record, tally| {
            let kind = record.kind();
            tally.kind(kind.name(), kind.subtype());
        });
    }),
    Engine::ours("linetape decode", Job::Usage, |data, tally| {
        each_record(data, tally, |record, tally| {
            let message = record.message();
            if !matches!(message, Message::Assistant(_)) {
                return;
            }
            let usage = message.usage();
            let input = usage.and_then(|usage| usage.input_tokens());
            let output = usage.and_then(|usage| usage.output_tokens());
            tally.usage(input.unwrap_or(0), output.unwrap_or(0));
        });
    }),
    Engine::ours("linetape decode", Job::Text, |data, tally| {
        each_record(data, tally, |record, tally| visit(record.value(), tally));
    }),
    Engine::ours("linetape decode, own", Job::Own, |data, tally| {
        let mut lines = linetape::lines(data.bytes());
        while let Some(record) = lines.next_record() {
            match record.map(Record::into_owned) {
                Ok(message) => own(&message, tally),
                Err(_) => tally.fail(1),
            }
        }
    }),
    Engine::ours("linetape decode", Job::Select, |data, tally| {
        each_record(data, tally, |record, tally| {
            if record.kind().is("assistant") {
                tally.select(record.raw().unwrap_or_default());
            }
        });
    }),
];

#[inline]
fn each_record(
    data: &Data,
    tally: &mut Tally,
    mut job: impl FnMut(&Record<'_>, &mut Tally),
) {
    let mut lines = linetape::lines(data.bytes());
    while let Some(record) = lines.next_record() {
        match record {
            Ok(record) => job(&record, tally),
            Err(_) => tally.fail(1),
        }
    }
}

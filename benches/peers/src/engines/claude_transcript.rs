//! claude-transcript: types for transcripts, made from a `serde_json::Value`.
//!
//! It keeps the value in its record, and so reads all strings and checks their
//! UTF-8.

use claude_transcript::Record;

use super::{Engine, serde::visit, split::lines};
use crate::{
    data::Data,
    jobs::{Job, Tally},
};

pub const ENGINES: &[Engine] = &[
    Engine::peer("claude-transcript", Job::Route, |data, tally| {
        each_record(data, tally, |record, tally| {
            // The crate's name for a record without a type.
            let name = Some(&*record.kind).filter(|name| *name != "<none>");
            tally.kind(name, record.raw["subtype"].as_str());
        });
    }),
    Engine::peer("claude-transcript Record", Job::Own, |data, tally| {
        each_record(data, tally, |record, tally| {
            tally.own(record, record.kind == "assistant");
            visit(&record.raw, tally);
        });
    }),
];

fn each_record(
    data: &Data,
    tally: &mut Tally,
    mut job: impl FnMut(&Record, &mut Tally),
) {
    let mut offset = 0;
    for line in lines(data) {
        let record = Record::parse(line, offset);
        offset += line.len() as u64 + 1;
        match &*record.kind {
            "<invalid>" => tally.fail(1),
            _ => job(&record, tally),
        }
    }
}

//! Compares the fixtures with the schema. A failure names the file to edit.

use std::collections::BTreeSet;

use linetape::{
    Decoder, Message,
    message::{Kind, server::UiEvent},
};

use crate::support::logs;

/// Returns the types of all lines of the fixtures, and the names of server
/// events.
fn kinds_of_fixtures() -> BTreeSet<String> {
    let mut decoder = Decoder::new();
    let mut kinds = BTreeSet::new();
    for (_, log) in logs::fixtures() {
        for line in log.split(|byte| *byte == b'\n').filter(|l| !l.is_empty())
        {
            let record = decoder.decode(line).unwrap();
            let kind: Kind<'_> = record.message().kind();
            kinds.extend(kind.name().map(String::from));
        }
    }
    kinds
}

#[test]
fn every_type_has_a_line_in_a_fixture() {
    let found = kinds_of_fixtures();
    for kind in Message::KINDS {
        assert!(
            found.contains(*kind),
            "no line of tests/data has the type `{kind}`: append one to the \
             fixture of its dialect, such as \
             tests/data/transcript_records.jsonl"
        );
    }
    for kind in UiEvent::KINDS {
        assert!(
            found.contains(*kind),
            "no line of tests/data is the event `{kind}`: append one to \
             tests/data/agent_server.jsonl"
        );
    }
}

//! The usage of parts of logs.

use linetape_arrow::{Batches, Options, Table, UsagePart};

use crate::logs;

const LOG: &str = concat!(
    r#"{"type":"assistant","requestId":"r1","message":{"id":"msg_1","usage":{"output_tokens":5}}}"#,
    "\n",
    "oops\n",
    r#"{"type":"user"}"#,
    "\n",
    r#"{"type":"assistant","uuid":"u1","message":{"usage":{"output_tokens":7}}}"#,
    "\n",
);

/// Returns the saved part of a log, and the offset of its first line.
fn saved(log: &str) -> (i64, Vec<u8>) {
    use arrow_array::{cast::AsArray, types::Int64Type};

    let options = Options::default();
    let reader = linetape::Reader::new(log.as_bytes());
    let mut batches = Batches::new(reader, "a", Table::UsageParts, &options);
    let batch = batches.next().unwrap().unwrap();
    assert!(batches.next().is_none());
    assert_eq!((batch.num_rows(), batches.bad_lines()), (1, 1));
    let offset = batch.column(1).as_primitive::<Int64Type>().value(0);
    (offset, batch.column(2).as_binary::<i32>().value(0).to_vec())
}

#[test]
fn a_file_is_one_row_with_its_messages() {
    let blank = "{\"type\":\"summary\"}\n";
    let (offset, saved) = saved(&format!("{blank}{LOG}"));
    assert_eq!(offset, blank.len() as i64);
    let part = UsagePart::load(&saved).unwrap();
    let found: Vec<_> = part
        .messages()
        .map(|message| {
            let tokens = message.totals.tokens.output_tokens;
            (message.file, message.message_id, message.request_id, tokens)
        })
        .collect();
    assert_eq!(
        found,
        [("a", Some("msg_1"), Some("r1"), 5), ("a", None, None, 7)]
    );
    // A log without usage has no part.
    let batch =
        logs::read(blank.as_bytes(), Table::UsageParts, &Options::default());
    assert_eq!(batch.num_rows(), 0);
}

#[test]
fn a_damaged_part_is_an_error() {
    let (_, saved) = saved(LOG);
    for end in 0..saved.len() {
        assert!(UsagePart::load(&saved[..end]).is_err(), "{end}");
    }
    for at in 0..saved.len() {
        let mut damaged = saved.clone();
        damaged[at] ^= 0x55;
        // It may be another id, but it is no panic.
        let _ = UsagePart::load(&damaged);
    }
}

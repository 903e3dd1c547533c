//! The memory of a translation grows linearly with the input.

use std::hint::black_box;

use linetape::{Message, Reader};
use linetape_translate::{FromUi, ToUi, Wrapper};

use crate::{
    adversaries::{ADVERSARIES, Adversary},
    counting::{CALLS, peak_of},
};

/// A translator, and the maximum number of bytes of memory that it may take
/// for each byte of the log.
type Translator = (&'static str, i64, fn(&[u8]) -> usize);

const TRANSLATORS: [Translator; 3] = [
    ("ToUi", 37, |log| {
        let mut to_ui = ToUi::new();
        read(log, |message| to_ui.translate(message).unwrap().len())
    }),
    // An owned message for each open session: it grows with the schema.
    ("FromUi", 78, |log| {
        let mut from_ui = FromUi::new();
        let found =
            read(log, |message| from_ui.translate(message).unwrap().len());
        found + from_ui.finish().len()
    }),
    ("Wrapper", 37, |log| {
        let mut wrapper = Wrapper::new();
        read(log, |message| wrapper.translate(message).unwrap().len())
    }),
];

/// Logs that maximise the state of the translators or the work of the
/// heuristics.
const LOGS: [Adversary; 8] = [
    ("calls without results", |size| {
        numbered(size, |n| {
            format!(
                r#"{{"type":"assistant","message":{{"content":[
{{"type":"tool_use","id":"t{n}","name":"Bash","input":{{}}}},
{{"type":"tool_use","id":"q{n}","name":"AskUserQuestion","input":{{}}}},
{{"type":"tool_use","id":"a{n}","name":"Task",
"input":{{"subagent_type":"s{n}"}}}}]}}}}"#
            )
        })
    }),
    ("call lines without results", |size| {
        numbered(size, |n| {
            format!(
                r#"{{"type":"assistant","subtype":"tool_use","uuid":"u{n}",
"toolName":"Bash","toolArguments":{{}}}}"#
            )
        })
    }),
    ("many sessions", |size| {
        numbered(size, |n| {
            format!(
                r#"{{"type":"stream_event","session_id":"s{n}","event":
{{"type":"message_start","message":{{"id":"m{n}"}}}}}}"#
            )
        })
    }),
    ("chunks of one text", |size| {
        numbered(size, |_| {
            r#"{"TextChunk":{"text":"abc","session_id":1}}"#.to_string()
        })
    }),
    ("chunks of many texts", |size| {
        numbered(size, |n| {
            format!(r#"{{"TextChunk":{{"text":"a","session_id":{n}}}}}"#)
        })
    }),
    ("a text full of progress", |size| {
        text(size, |n| format!("Step {} of 999999. ", n % 999_999))
    }),
    ("a text full of mentions", |size| {
        text(size, |n| format!("@agent-a{n} "))
    }),
    ("a text full of beginnings", |size| {
        text(size, |n| {
            ["step 1 of ", "1/2", "agent ", "sub-agent @agent-"][n % 4].into()
        })
    }),
];

/// Returns numbered lines of about `size` bytes in total.
fn numbered(size: usize, line: impl Fn(usize) -> String) -> Vec<u8> {
    let mut log = String::new();
    for n in 1.. {
        log += &line(n).replace('\n', "");
        log.push('\n');
        if log.len() > size {
            break;
        }
    }
    log.into_bytes()
}

/// Returns one line with a text of about `size` bytes.
fn text(size: usize, piece: impl Fn(usize) -> String) -> Vec<u8> {
    let mut text = String::new();
    for n in 1.. {
        text += &piece(n);
        if text.len() > size {
            break;
        }
    }
    numbered(0, |_| {
        format!(r#"{{"type":"assistant","message":{{"content":"{text}"}}}}"#)
    })
}

fn read(log: &[u8], mut translate: impl FnMut(Message<'_>) -> usize) -> usize {
    let mut reader = Reader::builder().buffer_capacity(4 << 10).build(log);
    let mut found = 0;
    while let Some(record) = reader.next_record() {
        found += record.map_or(1, |record| translate(record.message()));
    }
    found
}

/// Twice the input makes twice the allocations, and a few more because hash
/// tables grow in steps. The peak is bounded for each byte.
#[test]
fn memory_grows_no_faster_than_the_input() {
    const SIZE: usize = 128 << 10;
    // The initial size of buffers and arenas.
    const CONSTANT: i64 = 400 << 10;
    for (adversary, log) in ADVERSARIES.into_iter().chain(LOGS) {
        for (name, most, translate) in TRANSLATORS {
            let calls_for = |size| {
                let log = log(size);
                let before = CALLS.get();
                let peak = peak_of(|| {
                    black_box(translate(&log));
                });
                let bound = most * log.len() as i64 + CONSTANT;
                let told = format!("{adversary}, {name}: {peak} of {bound}");
                assert!(peak <= bound, "{told}");
                CALLS.get() - before
            };
            let (once, twice) = (calls_for(SIZE), calls_for(2 * SIZE));
            let told = format!("{adversary}, {name}: {once}, {twice}");
            assert!(twice <= once * 23 / 10 + 50, "{told}");
        }
    }
}

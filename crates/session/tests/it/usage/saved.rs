//! Saved totals: loaded and continued, they equal those of the whole log.

use linetape::ErrorKind;
use linetape_session::UsageTotals;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{any_part, log, said};
use crate::{logs, texts};

/// Adds every valid line of a log.
pub(super) fn add(totals: &mut UsageTotals, log: &[u8]) {
    let mut lines = linetape::lines(log);
    while let Some(record) = lines.next_record() {
        if let Ok(record) = record {
            totals.add(record.message());
        }
    }
}

fn totals(log: &[u8]) -> UsageTotals {
    let mut totals = UsageTotals::new();
    add(&mut totals, log);
    totals
}

/// The result of every method.
pub(super) fn everything(totals: &UsageTotals) -> String {
    let messages: Vec<_> = totals.messages().collect();
    format!(
        "{:#?}",
        (
            (totals.total(), totals.by_session(), totals.by_model()),
            (totals.by_day(), totals.by_tool(), totals.costs()),
            (totals.subagents(), totals.placeholders(), messages),
            (totals.groups(), totals.unlogged()),
        )
    )
}

/// Saves and loads the totals.
pub(super) fn again(totals: &UsageTotals) -> UsageTotals {
    UsageTotals::load(totals.save()).unwrap()
}

/// Generates lines whose figures do not fit into a row of the table: large
/// counts, web searches, long texts, times before 1970.
fn any_wide() -> impl Strategy<Value = Value> {
    let ids = prop::sample::select(vec!["a", "b", "c", "d"]);
    let count = || {
        prop::sample::select(vec![
            0,
            1,
            64,
            (1 << 24) - 1,
            1 << 24,
            1 << 40,
            u64::MAX,
        ])
    };
    let times = prop::sample::select(vec![
        "2026-01-31T10:00:00Z",
        "1969-12-31T23:59:59Z",
        "9999-12-31T23:59:59Z",
        "0000-01-01T00:00:00Z",
    ]);
    let flags = any::<[bool; 4]>();
    (ids, [count(), count(), count()], times, flags).prop_map(
        |(id, [one, two, three], time, [web, long, side, parts])| {
            let mut line = said(id, one, json!({"timestamp": time}));
            let message = &mut line["message"];
            message["usage"]["input_tokens"] = json!(two);
            if parts {
                message["usage"]["cache_creation_input_tokens"] = json!(three);
                message["usage"]["cache_creation"] = json!({
                    "ephemeral_5m_input_tokens": three,
                    "ephemeral_1h_input_tokens": two,
                });
            } else {
                message["usage"]["cache_creation"] =
                    json!({"ephemeral_1h_input_tokens": three});
            }
            if web {
                message["usage"]["server_tool_use"] =
                    json!({"web_search_requests": two});
            }
            if long {
                message["content"] = json!("x".repeat(65_536));
            }
            line["isSidechain"] = json!(side);
            line
        },
    )
}

proptest! {
    #![proptest_config(texts::cases(64))]

    /// Totals that are saved after any line, loaded and continued equal those
    /// of all lines. So do totals that are saved and loaded after every line.
    #[test]
    fn loaded_and_continued_totals_equal_those_of_the_whole_log(
        lines in prop::collection::vec(
            prop_oneof![3 => any_part(), 1 => any_wide()], 0..20,
        ),
    ) {
        let expected = everything(&totals(log(&lines).as_bytes()));
        let mut each = UsageTotals::new();
        for cut in 0..=lines.len() {
            let (before, after) = lines.split_at(cut);
            let mut loaded = again(&totals(log(before).as_bytes()));
            add(&mut loaded, log(after).as_bytes());
            prop_assert_eq!(everything(&loaded), &*expected, "cut {}", cut);
            if let Some(line) = after.first() {
                add(&mut each, format!("{line}\n").as_bytes());
                each = again(&each);
            }
        }
        prop_assert_eq!(everything(&each), expected);
    }

    /// Loaded totals can be merged, on either side.
    #[test]
    fn loaded_totals_can_be_appended(
        parts in prop::collection::vec(
            prop::collection::vec(any_part(), 0..12), 2..4,
        ),
    ) {
        let expected = everything(&totals(log(&parts.concat()).as_bytes()));
        let mut merged = UsageTotals::new();
        for part in parts {
            merged = again(&merged);
            merged.append(again(&totals(log(&part).as_bytes())));
        }
        prop_assert_eq!(everything(&merged), expected);
    }

    #[test]
    fn bytes_that_are_no_state_are_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        keeps_header in any::<bool>(),
    ) {
        let mut state = bytes;
        if keeps_header {
            state.splice(0..0, UsageTotals::new().save()[..32].to_vec());
        }
        prop_assert!(UsageTotals::load(state).is_err());
    }
}

fn error_of(state: Vec<u8>) -> String {
    let error = UsageTotals::load(state).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    error.reason().to_string()
}

fn small_state() -> Vec<u8> {
    let call = json!([{"type": "tool_use", "id": "t", "name": "Read"}]);
    let mut line = said("m", 1, json!({"sessionId": "s"}));
    line["message"]["content"] = call;
    totals(log(&[line]).as_bytes()).save()
}

#[test]
fn a_state_with_any_bit_flipped_or_any_byte_missing_is_refused() {
    let state = small_state();
    assert_eq!(UsageTotals::load(state.clone()).unwrap().total().messages, 1);
    for bit in 0..state.len() * 8 {
        let mut broken = state.clone();
        broken[bit / 8] ^= 1 << (bit % 8);
        error_of(broken);
    }
    for length in 0..state.len() {
        error_of(state[..length].to_vec());
    }
    let longer = [&state[..], &[0]].concat();
    assert!(error_of(longer).contains("truncated or too long"));
}

#[test]
fn the_error_says_what_is_wrong_with_a_state() {
    let state = small_state();
    assert!(error_of(b"{\"a\":1}\n".to_vec()).contains("no state"));
    assert!(error_of(vec![]).contains("no state"));
    let mut other = state.clone();
    other[8] += 1;
    assert!(error_of(other).contains("another analysis"));
    let mut other = state.clone();
    other[12] += 1;
    assert!(error_of(other).contains("another version"));
    let mut damaged = state;
    *damaged.last_mut().unwrap() ^= 1;
    assert!(error_of(damaged).contains("checksum"));
}

/// A state with a right checksum and a wrong content is an error or gives
/// some totals, but never a panic.
#[test]
fn a_forged_state_does_not_panic() {
    let state = small_state();
    let mut refused = 0;
    let bytes = [&[0u8][..], &[1], &[0x7f], &[0xff], &[0xff; 8], &[0; 10]];
    for at in 32..state.len() {
        for value in bytes {
            let Some(end) = (at + value.len()..=state.len()).next() else {
                continue;
            };
            let mut forged = state.clone();
            forged[at..end].copy_from_slice(value);
            let loaded = UsageTotals::load_verified(forged.clone());
            match UsageTotals::load(sealed(forged)) {
                Err(error) => {
                    assert!(loaded.is_err());
                    assert_eq!(error.kind(), ErrorKind::InvalidInput);
                    refused += 1;
                }
                Ok(mut totals) => {
                    add(
                        &mut totals,
                        log(&[said("m", 2, json!({}))]).as_bytes(),
                    );
                    everything(&totals);
                    // It was saved with lengths that it did not have, and
                    // could not be loaded again.
                    UsageTotals::load(totals.save()).unwrap();
                    // Without the checksum, it is the same.
                    let mut same = loaded.unwrap();
                    add(&mut same, log(&[said("m", 2, json!({}))]).as_bytes());
                    assert!(everything(&same) == everything(&totals));
                }
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

/// Returns a state with the checksum that belongs to it. It is found by the
/// only public means: the checksum of an empty state is not enough, so the
/// algorithm is written here a second time.
pub(crate) fn sealed(mut state: Vec<u8>) -> Vec<u8> {
    use std::hash::Hasher;
    let mut sums = [1, 2, 3, 4_u64];
    let checked = &state[24..];
    let (blocks, rest) = checked.as_chunks::<32>();
    for block in blocks {
        for (sum, word) in sums.iter_mut().zip(block.as_chunks::<8>().0) {
            *sum = (*sum ^ u64::from_le_bytes(*word))
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29);
        }
    }
    #[expect(deprecated, reason = "the only SipHash-2-4 of std")]
    let mut last = std::hash::SipHasher::new_with_keys(
        0x0706_0504_0302_0100,
        0x0f0e_0d0c_0b0a_0908,
    );
    last.write(rest);
    last.write(&(checked.len() as u64).to_le_bytes());
    sums.iter().for_each(|sum| last.write(&sum.to_le_bytes()));
    state[16..24].copy_from_slice(&last.finish().to_le_bytes());
    state
}

/// The size that the documentation promises: for messages and calls of an agent,
/// and for messages of a gateway, which have no request ids. Above 65,536
/// of either, each needs a byte more: `a_saved_table_has_one_index_for_a_row`.
#[test]
fn a_state_has_26_bytes_for_each_message_and_15_for_each_call() {
    let count = 10_000;
    let line = |n: u64, call: bool| {
        let (minute, second) = (n / 60 % 60, n % 60);
        let mut line = said(
            &format!("msg_{n}"),
            n % 500,
            json!({
                "sessionId": "s", "requestId": format!("req_{n}"),
                "timestamp": format!("2026-01-31T10:{minute:02}:{second:02}Z"),
            }),
        );
        let message = &mut line["message"];
        message["content"] = json!([{"type": "text", "text": "Let me see."}]);
        if call {
            message["content"][0] = json!({"type": "tool_use",
                "id": format!("toolu_{n}"), "name": "Read"});
        }
        let usage = &mut message["usage"];
        usage["input_tokens"] = json!(n % 9);
        usage["cache_read_input_tokens"] = json!(n * 2);
        usage["cache_creation_input_tokens"] = json!(n % 9000);
        line
    };
    let size = |lines: Vec<Value>| {
        let state = totals(log(&lines).as_bytes()).save();
        state.len() as f64 / lines.len() as f64
    };
    let each = size((0..count).map(|n| line(n, true)).collect());
    assert!((41.0..41.1).contains(&each), "{each}");
    let each = size((0..count).map(|n| line(n, false)).collect());
    assert!((26.0..26.1).contains(&each), "{each}");
    let gateway = |n| said(&format!("gen-{n}"), n, json!({"sessionId": "s"}));
    let each = size((0..count).map(gateway).collect());
    assert!((26.0..26.1).contains(&each), "{each}");
}

#[test]
fn saved_totals_of_real_logs_can_be_continued() {
    for file in logs::corpus_files() {
        let expected = everything(&totals(&file));
        let lines: Vec<&[u8]> =
            file.split_inclusive(|b| *b == b'\n').collect();
        for part in 0..=4 {
            let (before, after) = lines.split_at(lines.len() * part / 4);
            let mut loaded = again(&totals(&before.concat()));
            add(&mut loaded, &after.concat());
            assert!(everything(&loaded) == expected, "cut {part} of 4");
        }
    }
}

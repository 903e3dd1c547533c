//! The fuzz targets without a fuzzer: on their seeds, their earlier findings,
//! and random bytes.
#![cfg(feature = "messages")]

use std::{fs, panic};

use linetape::{Decoder, Message};
use proptest::{
    collection::vec, prelude::*, strategy::ValueTree, test_runner::TestRunner,
};

use crate::{
    oracle::{self, TARGETS},
    support::{logs, texts},
};

/// Returns the files of a folder in `fuzz`, by name.
fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let root = logs::root();
    let folder = root.join("fuzz").join(folder);
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.strip_prefix(root).unwrap();
            (name.display().to_string(), fs::read(&path).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// The lines of the fixtures: `ci/fuzz.sh` makes a seed of each. So every
/// message type with a fixture has a seed.
fn lines_of_fixtures() -> Vec<(String, Vec<u8>)> {
    let mut lines = vec![];
    for (name, log) in logs::fixtures() {
        for (at, line) in log.split_inclusive(|b| *b == b'\n').enumerate() {
            lines.push((format!("{name}:{}", at + 1), line.to_vec()));
        }
    }
    lines
}

/// Every target runs on every seed: seeds are not assigned to targets.
#[test]
fn seeds_and_findings_pass() {
    let seeds = [files("seeds"), lines_of_fixtures(), files("regressions")];
    for (name, bytes) in seeds.into_iter().flatten() {
        for (target, oracle) in TARGETS {
            let outcome = panic::catch_unwind(|| oracle(&bytes));
            assert!(outcome.is_ok(), "{target} fails on {name}");
        }
    }
}

/// jiter reads a number beyond the range of a float as infinite. linetape and
/// serde_json reject the line. `diff_three` allows this difference.
#[test]
fn a_number_that_jiter_takes_for_infinite_is_refused() {
    let line =
        include_bytes!("../../../fuzz/regressions/diff_three-infinite-number");
    oracle::diff_three(line);
    assert!(Decoder::new().decode(line).is_err());
}

/// The oracle of `message` took the integer `-0` for the float that serde_json
/// makes of it. A million executions did not show this, because none had it in
/// a field that the model compares. It is 0 in every field.
#[test]
fn minus_zero_is_zero_in_every_field() {
    let line = br#"{"type":"result","num_turns":-0,"total_cost_usd":-0,
        "duration_ms":-0,"usage":{"input_tokens":-0}}"#;
    let line = line.map(|byte| if byte == b'\n' { b' ' } else { byte });
    oracle::message(&line);
    let mut decoder = Decoder::new();
    let record = decoder.decode(&line).unwrap();
    let Message::Result(result) = record.message() else { panic!() };
    assert_eq!(result.num_turns(), Some(0));
    assert_eq!(result.total_cost_usd().map(f64::to_bits), Some(0));
    assert_eq!(result.usage().unwrap().input_tokens(), Some(0));
}

/// `salvage` was expected to find a record in the place of a value of a torn
/// record, with a comma after it. But the comma may continue the torn record,
/// so the record cannot be distinguished from a value and is lost with it.
/// This is one error.
#[test]
fn a_record_that_reads_as_a_value_of_a_torn_one_is_lost_with_it() {
    let torn = r#"{"type":"assistant","message":{"a":[{"type":"#;
    let whole = r#"{"type":"keep_alive"}"#;
    let log = format!("{torn}{whole},x\n{whole}\n");
    let builder = linetape::Reader::builder().salvage(true);
    let mut reader = builder.build(log.as_bytes());
    assert!(reader.next_line().unwrap().is_err());
    assert_eq!(reader.next_line().unwrap().unwrap().number(), 2);
    assert!(reader.next_line().is_none());
    assert_eq!(reader.stats().lost, (torn.len() + whole.len() + 2) as u64);
    oracle::salvage(log.as_bytes());
}

/// The list of targets matches the files of the targets.
#[test]
fn every_oracle_is_a_target() {
    let mut expected: Vec<String> = TARGETS
        .iter()
        .map(|(name, _)| format!("fuzz/fuzz_targets/{name}.rs"))
        .collect();
    expected.sort();
    // `tests/it/fuzz_seeds.rs` of linetape-flow and linetape-redact does the
    // same for these.
    const OF_OTHERS: [&str; 5] =
        ["codec", "checkpoints", "compressed", "edit", "redact"];
    let mut found = files("fuzz_targets");
    found.retain(|(path, _)| {
        let name = path.rsplit('/').next().unwrap_or_default();
        !OF_OTHERS.iter().any(|other| name == format!("{other}.rs"))
    });
    let names: Vec<&str> = found.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, expected);
    let manifest =
        fs::read_to_string(logs::root().join("fuzz/Cargo.toml")).unwrap();
    for (name, _) in TARGETS {
        assert!(manifest.contains(&format!("name = \"{name}\"\n")), "{name}");
    }
}

/// Generates an input that a fuzzer could derive from the seeds: a line,
/// damaged or not.
fn line() -> impl Strategy<Value = Vec<u8>> + Clone {
    let good = prop_oneof![texts::any_object(), texts::message()];
    prop_oneof![
        4 => good.clone().prop_map(String::into_bytes),
        2 => (good, texts::damage())
            .prop_map(|(line, damage)| damage.to(line.as_bytes())),
        1 => texts::noise(),
    ]
}

/// The oracles that take one line were once given the parameters after it as
/// well. These are not UTF-8, so every line was rejected, and some properties
/// could not fail.
#[test]
fn most_lines_can_be_read() {
    let mut runner = TestRunner::deterministic();
    let mut decoder = Decoder::new();
    let mut is_read = || {
        let line = line().new_tree(&mut runner).unwrap().current();
        decoder.decode(&line).is_ok()
    };
    let read = (0..200).filter(|_| is_read()).count();
    assert!((100..190).contains(&read), "{read} of 200");
}

/// Generates several lines, and parameters.
fn input() -> impl Strategy<Value = Vec<u8>> {
    let end = prop_oneof![
        4 => Just(&b"\n"[..]),
        1 => Just(&b"\r\n"[..]),
        1 => Just(&b""[..]),
    ];
    let lines = vec((line(), end), 0..4).prop_map(|lines| {
        let lines = lines.into_iter();
        lines.flat_map(|(line, end)| [line, end.to_vec()].concat()).collect()
    });
    (lines, vec(any::<u8>(), 0..40)).prop_map(
        |(lines, choices): (Vec<u8>, Vec<u8>)| {
            [&lines[..], b"\xFF", &choices].concat()
        },
    )
}

proptest! {
    #![proptest_config(texts::cases(50))]

    #[test]
    fn lines_are_those_of_split(input in input()) {
        oracle::lines(&input);
    }

    #[test]
    fn a_limit_costs_one_error_a_line_and_bounds_memory(input in input()) {
        oracle::lines_limit(&input);
    }

    #[test]
    fn ranges_have_the_lines_of_the_whole(input in input()) {
        oracle::ranges(&input);
    }

    #[test]
    fn a_faulty_source_costs_no_complete_line(input in input()) {
        oracle::stream_faults(&input);
    }

    #[test]
    fn decoding_reads_what_serde_json_reads(line in line()) {
        oracle::decode(&line);
    }

    #[test]
    fn a_packed_line_is_read_as_it_is_alone(input in input()) {
        oracle::decode_packed(&input);
    }

    #[test]
    fn three_readers_agree(line in line()) {
        oracle::diff_three(&line);
    }

    #[test]
    fn views_read_what_the_model_reads(line in line()) {
        oracle::message(&line);
    }

    #[test]
    fn a_message_reads_as_what_it_was_made_of(input in input()) {
        oracle::message_gen(&input);
    }

    #[test]
    fn owned_messages_are_the_same_from_everywhere(line in line()) {
        oracle::owned(&line);
    }

    #[test]
    fn what_is_written_reads_as_it_was(input in input()) {
        oracle::roundtrip(&input);
    }

    #[test]
    fn damage_costs_the_line_that_it_hits(input in input()) {
        oracle::tail(&input);
    }

    #[test]
    fn salvage_makes_nothing_up_and_loses_no_whole_record(input in input()) {
        oracle::salvage(&input);
    }

    #[test]
    fn peek_says_what_decoding_says(line in line()) {
        oracle::peek(&line);
    }

    #[test]
    fn skim_says_what_decoding_says(line in line()) {
        oracle::skim(&line);
    }

    #[test]
    fn a_line_that_is_prepared_is_read_as_any_other(input in input()) {
        oracle::levels(&input);
    }

    #[test]
    fn check_judges_as_decoding_does(line in line()) {
        oracle::check(&line);
    }

    #[test]
    fn escaped_output_has_no_terminal_escape_sequences(line in line()) {
        oracle::render(&line);
    }
}

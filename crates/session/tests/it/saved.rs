//! Saved trees, turns, deltas and checkers: loaded and continued, they equal
//! those of the whole log. `usage/saved.rs` has the tests of usage.

use linetape::{ErrorKind, Message, Position};
use linetape_session::{Assembled, Deltas, Tree, Turns, check::Checker};
use proptest::{collection::vec, prelude::*};
use serde_json::json;

use crate::{
    check_reference::{Note, note, stream_note},
    logs,
    stream::{any_block, events, written},
    texts::cases,
    tree, turns_reference,
    usage::saved::sealed,
};

/// An analysis with a state.
trait Analysis: Default {
    fn add(&mut self, message: Message<'_>, position: Position);
    fn save(&self) -> Vec<u8>;
    /// Replaces the analysis by a saved one.
    fn load(&mut self, state: &[u8]) -> Result<(), linetape::Error>;
    /// Returns the result of every method.
    fn digest(self) -> String;
}

impl Analysis for Tree {
    fn add(&mut self, message: Message<'_>, position: Position) {
        Tree::add(self, message, position);
    }
    fn save(&self) -> Vec<u8> {
        Tree::save(self)
    }
    fn load(&mut self, state: &[u8]) -> Result<(), linetape::Error> {
        Tree::load(state).map(|tree| *self = tree)
    }
    fn digest(self) -> String {
        tree::digest(&self)
    }
}

impl Analysis for Turns {
    fn add(&mut self, message: Message<'_>, position: Position) {
        Turns::add(self, message, position);
    }
    fn save(&self) -> Vec<u8> {
        Turns::save(self)
    }
    fn load(&mut self, state: &[u8]) -> Result<(), linetape::Error> {
        Turns::load(state).map(|turns| *self = turns)
    }
    fn digest(self) -> String {
        format!("{self:?} {:#?}", turns_reference::digest(&self))
    }
}

impl Analysis for Checker {
    fn add(&mut self, message: Message<'_>, position: Position) {
        Checker::add(self, message, position);
    }
    fn save(&self) -> Vec<u8> {
        Checker::save(self)
    }
    fn load(&mut self, state: &[u8]) -> Result<(), linetape::Error> {
        Checker::load(state).map(|checker| *self = checker)
    }
    fn digest(self) -> String {
        format!("{:#?}", self.finish())
    }
}

/// An assembler, and the messages that it has returned.
#[derive(Default)]
struct Assembling(Deltas, Vec<Assembled>);

impl Analysis for Assembling {
    fn add(&mut self, message: Message<'_>, _: Position) {
        self.1.extend(self.0.add(message).unwrap());
    }
    fn save(&self) -> Vec<u8> {
        self.0.save()
    }
    fn load(&mut self, state: &[u8]) -> Result<(), linetape::Error> {
        Deltas::load(state).map(|deltas| self.0 = deltas)
    }
    fn digest(mut self) -> String {
        let cut_off = self.0.take_unfinished();
        format!("{:#?} {cut_off:#?} {}", self.1, self.0.lost())
    }
}

/// Returns the result for a log. After each line for which `is_cut` is true,
/// the analysis is saved and loaded.
fn read<A: Analysis>(log: &[u8], is_cut: impl Fn(usize) -> bool) -> String {
    let mut analysis = A::default();
    let mut lines = linetape::lines(log);
    let mut number = 0;
    while let Some(record) = lines.next_record() {
        if let Ok(record) = record {
            analysis.add(record.message(), record.position());
        }
        if is_cut(number) {
            let state = analysis.save();
            analysis.load(&state).unwrap();
        }
        number += 1;
    }
    analysis.digest()
}

/// Asserts that a cut after any line, and cuts after all of them, change
/// nothing.
fn survives<A: Analysis>(log: &str) {
    let expected = read::<A>(log.as_bytes(), |_| false);
    for cut in 0..log.lines().count() {
        let found = read::<A>(log.as_bytes(), |line| line == cut);
        assert_eq!(found, expected, "cut after line {}", cut + 1);
    }
    assert_eq!(read::<A>(log.as_bytes(), |_| true), expected);
}

fn all_survive(log: &str) {
    survives::<Tree>(log);
    survives::<Turns>(log);
    survives::<Checker>(log);
    survives::<Assembling>(log);
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn sessions_can_be_saved_after_any_line(
        log in turns_reference::any_log(),
    ) {
        all_survive(&log);
    }

    #[test]
    fn branches_and_sidechains_can_be_saved_after_any_line(
        saved in vec(note(), 0..16), streamed in vec(stream_note(), 0..16),
    ) {
        let log: String = saved.iter().map(Note::saved).collect();
        all_survive(&log);
        let log: String = streamed.iter().map(Note::streamed).collect();
        all_survive(&log);
    }

    #[test]
    fn streams_can_be_saved_after_any_delta(
        blocks in vec(any_block(), 0..4), pretty in any::<bool>(),
        cuts in vec(1..12usize, 1..9),
    ) {
        let mut stream = written("m1", &blocks, pretty, &cuts);
        // The second message is cut off.
        stream.extend(written("m2", &blocks, pretty, &cuts));
        stream.pop();
        survives::<Assembling>(&events(&stream));
    }

    #[test]
    fn bytes_that_are_no_state_are_refused(bytes in vec(any::<u8>(), 0..200)) {
        prop_assert!(Tree::load(&bytes).is_err());
        prop_assert!(Turns::load(&bytes).is_err());
        prop_assert!(Deltas::load(&bytes).is_err());
        prop_assert!(Checker::load(&bytes).is_err());
    }
}

#[test]
fn fixtures_can_be_saved_after_any_line() {
    for (name, log) in logs::fixtures() {
        // Some have lines that are not UTF-8, or thousands of lines.
        let Ok(log) = String::from_utf8(log) else { continue };
        if log.lines().count() < 200 {
            println!("{name}");
            all_survive(&log);
        }
    }
}

#[test]
fn real_logs_can_be_saved() {
    fn survives<A: Analysis>(log: &[u8]) {
        let lines = log.split(|byte| *byte == b'\n').count();
        let step = lines / 5 + 1;
        let expected = read::<A>(log, |_| false);
        assert!(read::<A>(log, |line| line % step == 0) == expected);
    }
    for log in logs::corpus_files() {
        survives::<Tree>(&log);
        survives::<Turns>(&log);
        survives::<Checker>(&log);
        survives::<Assembling>(&log);
    }
}

/// A state of each analysis that is not empty.
fn states() -> [Vec<u8>; 4] {
    let log = events(&[
        json!({"type": "message_start", "message": {"id": "m"}}),
        json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "text", "text": "Hm"}}),
    ]) + r#"{"type":"user","uuid":"u","parentUuid":"p","message":{}}"#;
    fn state<A: Analysis>(log: &str) -> Vec<u8> {
        let mut analysis = A::default();
        let mut lines = linetape::lines(log.as_bytes());
        while let Some(record) = lines.next_record() {
            let record = record.unwrap();
            analysis.add(record.message(), record.position());
        }
        analysis.save()
    }
    [
        state::<Tree>(&log),
        state::<Turns>(&log),
        state::<Assembling>(&log),
        state::<Checker>(&log),
    ]
}

#[test]
fn a_damaged_state_is_refused() {
    fn refuses<A: Analysis>(state: &[u8]) {
        assert!(A::default().load(state).is_ok());
        assert!(state.len() > A::default().save().len());
        for bit in 0..state.len() * 8 {
            let mut broken = state.to_vec();
            broken[bit / 8] ^= 1 << (bit % 8);
            let error = A::default().load(&broken).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
        }
        for length in 0..state.len() {
            assert!(A::default().load(&state[..length]).is_err());
        }
    }
    let [tree, turns, deltas, checker] = states();
    refuses::<Tree>(&tree);
    refuses::<Turns>(&turns);
    refuses::<Assembling>(&deltas);
    refuses::<Checker>(&checker);
}

/// A count near the largest number overflowed when a line was added. Whatever
/// a state says, if its checksum is right, it is refused or there is a result.
#[test]
fn a_forged_state_does_not_panic() {
    fn survives<A: Analysis>(state: &[u8]) {
        let log = concat!(
            r#"{"type":"system","subtype":"init","session_id":"s"}"#,
            "\n",
            r#"{"type":"user","uuid":"u","parentUuid":"p","message":{}}"#,
            "\n",
            r#"{"type":"result","is_error":true,"session_id":"s"}"#,
            "\n",
        );
        let mut loaded = 0;
        for at in 32..state.len().saturating_sub(7) {
            for value in [u64::MAX, u64::MAX / 2, 1 << 32, 0] {
                let mut forged = state.to_vec();
                forged[at..at + 8].copy_from_slice(&value.to_le_bytes());
                let mut analysis = A::default();
                if analysis.load(&sealed(forged)).is_err() {
                    continue;
                }
                loaded += 1;
                let mut lines = linetape::lines(log.as_bytes());
                while let Some(record) = lines.next_record() {
                    let record = record.unwrap();
                    analysis.add(record.message(), record.position());
                }
                analysis.save();
                analysis.digest();
            }
        }
        assert!(loaded > 0);
    }
    let [tree, turns, deltas, checker] = states();
    survives::<Tree>(&tree);
    survives::<Turns>(&turns);
    survives::<Assembling>(&deltas);
    survives::<Checker>(&checker);
}

#[test]
fn a_state_of_another_analysis_is_refused() {
    let states = states();
    let loads: [fn(&[u8]) -> bool; 4] = [
        |state| Tree::load(state).is_ok(),
        |state| Turns::load(state).is_ok(),
        |state| Deltas::load(state).is_ok(),
        |state| Checker::load(state).is_ok(),
    ];
    for (at, state) in states.iter().enumerate() {
        let loaded: Vec<bool> = loads.iter().map(|load| load(state)).collect();
        let expected: Vec<bool> = (0..4).map(|other| other == at).collect();
        assert_eq!(loaded, expected);
    }
}

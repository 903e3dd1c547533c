//! What each line of `tests/data` becomes, compared with `tests/golden`.
//!
//! A line `{"case":...}` describes the lines after it, which are a log of
//! their own.

use std::path::{Path, PathBuf};

use linetape::{Decoder, Message};
use linetape_translate::{FromUi, ToUi, Wrapper};

use crate::{
    golden_files::Golden,
    logs,
    shown::{Members, Shown},
};

/// Writes the golden files. Read the difference before you commit it.
const BLESS: &str =
    "LINETAPE_BLESS=1 cargo test -p linetape-translate --test it golden";

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

#[derive(Clone, Default)]
struct Translators {
    to_ui: ToUi,
    from_ui: FromUi,
    wrapper: Wrapper,
}

impl Translators {
    /// Returns what a line becomes. At the end of a log, that includes the
    /// text that is left.
    fn translate(&mut self, message: Message<'_>, is_last: bool) -> Members {
        let mut found = Members::default();
        let events = self.to_ui.translate(message).unwrap();
        put(&mut found, "ui", &events);
        let frames = self.wrapper.translate(message).unwrap();
        put(&mut found, "wrapper", &frames);
        let mut messages = self.from_ui.translate(message).unwrap();
        if is_last {
            messages.extend(self.from_ui.finish());
        }
        put(&mut found, "stream-json", &messages);
        found
    }
}

/// Adds the JSON of each item, exactly as it is written.
fn put(found: &mut Members, name: &str, list: &[impl serde::Serialize]) {
    let written = list.iter().map(|item| serde_json::to_string(item).unwrap());
    let written: Vec<_> = written.map(Shown::Leaf).collect();
    if !written.is_empty() {
        found.put(name, Shown::List(written));
    }
}

#[test]
fn lines_become_what_the_golden_files_say() {
    let mut golden = Golden::new(folder("golden"), BLESS);
    for (name, log) in logs::files(folder("data"), ".jsonl") {
        let log = String::from_utf8(log).unwrap();
        let is_case = |line: &str| line.starts_with("{\"case\":");
        let mut translators = Translators::default();
        let mut next = log.lines().skip(1);
        let lines = log.lines().map(|line| {
            let is_last = next.next().is_none_or(is_case);
            if is_case(line) {
                translators = Translators::default();
                return Shown::Leaf(line.to_string());
            }
            let mut decoder = Decoder::new();
            let peeked = decoder.line(line.as_bytes());
            let peeked =
                translators.clone().translate(peeked.peek().unwrap(), is_last);
            let mut decoder = Decoder::new();
            let record = decoder.decode(line.as_bytes()).unwrap();
            let found = translators.translate(record.message(), is_last);
            assert_eq!(peeked, found, "{line}");
            let mut shown = Members::default();
            shown.put("line", Shown::Leaf(line.to_string()));
            shown.append(found);
            shown.shown()
        });
        golden.compare(&name, lines.collect());
    }
    golden.finish();
}

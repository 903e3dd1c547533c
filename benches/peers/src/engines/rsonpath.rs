//! rsonpath: JSONPath queries, which skip what they do not need with vector
//! instructions.
//!
//! It does not check its input, and returns the text of a value as it is in
//! the line. So it is given lines whose UTF-8 has been checked, and serde_json
//! reads the values that it finds.

use std::cell::RefCell;

use rsonpath::{
    engine::{Compiler, Engine as _, RsonpathEngine},
    input::BorrowedBytes,
    result::Match,
};
use serde::de::DeserializeOwned;

use super::{Engine, split::texts};
use crate::{
    engine::Prepared,
    jobs::{Job, Tally},
};

thread_local! {
    /// The matches of a query, kept so that its memory is reused.
    static FOUND: RefCell<Vec<Match>> = const { RefCell::new(Vec::new()) };
}

pub const ENGINES: &[Engine] = &[
    Engine::prepared("rsonpath", Job::Route, |_| {
        let paths = [query("$.type"), query("$.subtype")];
        each_line(move |line, tally| {
            let [name, subtype] =
                paths.each_ref().map(|path| first::<String>(path, line));
            tally.kind(name.as_deref(), subtype.as_deref());
        })
    }),
    Engine::prepared("rsonpath", Job::Usage, |_| {
        let name = query("$.type");
        let tokens = ["input_tokens", "output_tokens"]
            .map(|key| query(&format!("$.message.usage.{key}")));
        each_line(move |line, tally| {
            if first::<String>(&name, line).as_deref() == Some("assistant") {
                let [input, output] =
                    tokens.each_ref().map(|path| first::<u64>(path, line));
                tally.usage(input.unwrap_or(0), output.unwrap_or(0));
            }
        })
    }),
    Engine::prepared("rsonpath", Job::Select, |_| {
        let name = query("$.type");
        each_line(move |line, tally| {
            if first::<String>(&name, line).as_deref() == Some("assistant") {
                tally.select(line.as_bytes());
            }
        })
    }),
];

fn each_line(job: impl Fn(&str, &mut Tally) + 'static) -> Prepared {
    Box::new(move |data, tally| {
        for text in texts(data) {
            match text {
                Some(line) => job(line, tally),
                None => tally.fail(1),
            }
        }
    })
}

fn query(path: &str) -> RsonpathEngine {
    let parsed = rsonpath_syntax::parse(path).expect("a path");
    RsonpathEngine::compile_query(&parsed).expect("a query")
}

/// Returns the first value that a query finds.
fn first<T: DeserializeOwned>(path: &RsonpathEngine, line: &str) -> Option<T> {
    let input = BorrowedBytes::new(line.as_bytes());
    let mut found = FOUND.take();
    found.clear();
    let is_read = path.matches(&input, &mut found).is_ok();
    let value = found.first().filter(|_| is_read);
    let value = value.and_then(|m| serde_json::from_slice(m.bytes()).ok());
    FOUND.set(found);
    value
}

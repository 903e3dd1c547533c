//! What the levels cost: each way of reading lines, at each level. The right
//! level is the fastest, and the others show what a wrong one costs.

use criterion::Criterion;
use linetape::{Level, Line, Reader};

use crate::{Job, data::Data};

/// Returns the number of lines for which `use_line` returns true.
fn count(
    data: &Data,
    level: Level,
    use_line: impl Fn(&Line<'_>) -> bool,
) -> usize {
    let mut lines = Reader::builder().level(level).lines(&data.bytes);
    let mut count = 0;
    while let Some(line) = lines.next_line() {
        count += usize::from(use_line(&line.unwrap()));
    }
    count
}

/// A job for each level. The name of a job is that of a method, and the level.
macro_rules! at_all_levels {
    ($method:literal, $use_line:expr) => {
        at_all_levels!($method, $use_line, Line Kind Peek Check Checked)
    };
    ($method:literal, $use_line:expr, $($level:ident)*) => {
        &[$(
            (concat!($method, "_at_", stringify!($level)), |data| {
                count(data, Level::$level, $use_line)
            }),
        )*]
    };
}

/// The result is the number of lines.
const METHODS: [&[Job<usize>]; 5] = [
    at_all_levels!("as_bytes", |line| !line.as_bytes().is_empty()),
    at_all_levels!("kind", |line| line.kind().is_ok()),
    at_all_levels!("peek", |line| line.peek().is_ok()),
    at_all_levels!("check", |line| line.check().is_ok()),
    at_all_levels!("checked", |line| line.checked().is_ok()),
];

pub fn step(c: &mut Criterion) {
    for jobs in METHODS {
        crate::step(c, "levels", |data| data.lines().count(), jobs);
    }
}

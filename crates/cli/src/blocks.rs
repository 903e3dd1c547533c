//! Reads inputs on several threads, and merges the results in order.

use std::convert::Infallible;

use linetape::Level;
use linetape_flow::Parallel;

use crate::{files::Files, input::Input, plain, progress};

pub use linetape_flow::{BlockReader, Part};

/// Calls `work` for each block of the inputs, on some thread, and `merge` with
/// each result, on the calling thread and in order. Lines are prepared for
/// `level`.
pub fn for_each<T: Send>(
    files: &Files,
    inputs: &[Input],
    level: Level,
    work: impl Fn(&Input, &mut BlockReader) -> T + Sync,
    mut merge: impl FnMut(&Input, Part<T>),
) {
    let parallel = Parallel::new()
        .reader(files.reader(level))
        .threads(files.threads())
        .max_plain(plain::most())
        .on_read(progress::advance);
    let Ok(()) = parallel.map_ordered(
        inputs,
        |input, block| Ok::<T, Infallible>(work(input, block)),
        |input, part| {
            merge(input, part);
            Ok(())
        },
    );
}

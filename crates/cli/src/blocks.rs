//! Reads inputs on several threads.
//!
//! The threads take blocks from a shared queue and read them in parallel. The
//! results are merged in the order of the blocks, so they do not depend on
//! the threads. Each thread has its own buffer: a long line can take its
//! length in memory once per thread.

use std::{
    collections::BTreeMap,
    io, slice,
    sync::{Condvar, Mutex, PoisonError, mpsc},
    thread,
};

use linetape::{Position, Reader};

use crate::{
    cut::{Block, Blocks},
    files::Files,
    input::{Input, Source},
};

/// The maximum number of threads. More of them only wait for each other.
const THREADS: usize = 8;

/// How many blocks may be read ahead of the next one to merge. Their results
/// wait in memory.
const AHEAD: u64 = 64;

/// A reader of one block. Offsets count from the start of the input, but line
/// numbers from the start of the block.
pub type BlockReader = Reader<Source>;

/// The next results to merge, in the order of the inputs.
pub enum Part<T> {
    /// The result of a block, and the number of lines before the block.
    Block { made: T, lines_before: u64 },
    /// The input has ended.
    End,
    /// The input cannot be opened.
    Unopened(io::Error),
}

/// Calls `work` for each block of the inputs, on some thread, and `merge` with
/// each result, on the calling thread and in order.
pub fn for_each<T: Send>(
    files: &Files,
    inputs: &[Input],
    work: impl Fn(&Input, &mut BlockReader) -> T + Sync,
    mut merge: impl FnMut(&Input, Part<T>),
) {
    let inputs = inputs.iter();
    let queue = Mutex::new(Queue {
        inputs,
        open: None,
        started: 0,
        merged: 0,
        stopped: false,
    });
    let has_merged = Condvar::new();
    let lock = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    let next_task = || {
        let is_too_far_ahead = |queue: &mut Queue<'_>| {
            queue.started >= queue.merged + AHEAD && !queue.stopped
        };
        has_merged
            .wait_while(lock(), is_too_far_ahead)
            .unwrap_or_else(PoisonError::into_inner)
            .next()
    };
    // A thread that panics never delivers its block, so nothing may wait for
    // it.
    let stop = || {
        lock().stopped = true;
        has_merged.notify_all();
    };
    let (next_task, work, stop) = (&next_task, &work, &stop);
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads.min(THREADS) {
            let sender = sender.clone();
            scope.spawn(move || {
                let _panic = OnPanic(stop);
                while let Some((index, input, task)) = next_task() {
                    let done = task.map(|Block { source, byte }| {
                        let start = Position::new(1, byte);
                        let mut reader =
                            files.reader().start(start).build(source);
                        let made = work(input, &mut reader);
                        (made, reader.stats().lines)
                    });
                    // This fails only while the merging thread panics. Then
                    // there is no next block.
                    _ = sender.send((index, input, done));
                }
            });
        }
        drop(sender);
        let _panic = OnPanic(stop);

        // Results that arrived before their predecessors.
        let mut early = BTreeMap::new();
        let (mut next, mut lines) = (0, 0);
        for (index, input, done) in receiver {
            early.insert(index, (input, done));
            while let Some((input, done)) = early.remove(&next) {
                next += 1;
                merge(
                    input,
                    match done {
                        Task::Block((made, more)) => {
                            let lines_before = lines;
                            lines += more;
                            Part::Block { made, lines_before }
                        }
                        Task::End => {
                            lines = 0;
                            Part::End
                        }
                        Task::Unopened(error) => Part::Unopened(error),
                    },
                );
            }
            lock().merged = next;
            has_merged.notify_all();
        }
    });
}

/// Calls a function when it is dropped by a panic.
struct OnPanic<'s, F: Fn()>(&'s F);

impl<F: Fn()> Drop for OnPanic<'_, F> {
    fn drop(&mut self) {
        if thread::panicking() {
            (self.0)();
        }
    }
}

/// A unit of work.
enum Task<B> {
    /// Read a block.
    Block(B),
    /// Report that an input has ended.
    End,
    /// Report that an input cannot be opened.
    Unopened(io::Error),
}

impl<B> Task<B> {
    fn map<C>(self, work: impl FnOnce(B) -> C) -> Task<C> {
        match self {
            Task::Block(block) => Task::Block(work(block)),
            Task::End => Task::End,
            Task::Unopened(error) => Task::Unopened(error),
        }
    }
}

/// The tasks that are left, and how far they are merged.
struct Queue<'i> {
    inputs: slice::Iter<'i, Input>,
    /// The input that is being read.
    open: Option<(&'i Input, Blocks)>,
    /// The number of tasks that have been started.
    started: u64,
    /// How many results have been merged.
    merged: u64,
    /// Whether a thread has panicked.
    stopped: bool,
}

impl<'i> Queue<'i> {
    /// Returns the next task and its index, or `None` if there is none left.
    fn next(&mut self) -> Option<(u64, &'i Input, Task<Block>)> {
        if self.stopped {
            return None;
        }
        let (input, task) = match &mut self.open {
            Some((input, blocks)) => match blocks.next() {
                Some(block) => (*input, Task::Block(block)),
                None => (self.open.take()?.0, Task::End),
            },
            None => {
                let input = self.inputs.next()?;
                match Blocks::of(input) {
                    Ok(blocks) => {
                        self.open = Some((input, blocks));
                        return self.next();
                    }
                    Err(error) => (input, Task::Unopened(error)),
                }
            }
        };
        self.started += 1;
        Some((self.started - 1, input, task))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        sync::atomic::{AtomicBool, Ordering},
    };

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        files: Files,
    }

    /// The other threads waited for the block of a thread that had panicked.
    #[test]
    fn a_panic_ends_the_reading() {
        let Arguments { files } = Arguments::parse_from(["test"]);
        let inputs = [const { Input::Sample }; 3 * AHEAD as usize];
        for (in_work, in_merge) in [(true, false), (false, true)] {
            let is_first = AtomicBool::new(true);
            let work = |_: &Input, _: &mut BlockReader| {
                let is_first = is_first.swap(false, Ordering::Relaxed);
                assert!(!(in_work && is_first), "one thread panics");
            };
            let merge = |_: &Input, _| {
                assert!(!in_merge, "the merging thread panics");
            };
            let read = || for_each(&files, &inputs, work, merge);
            assert!(catch_unwind(AssertUnwindSafe(read)).is_err());
        }
    }
}

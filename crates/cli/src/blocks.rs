//! Inputs, read on all cores.
//!
//! Threads take turns to cut the next block off an input, and each reads its
//! own while the others read theirs. What comes of the blocks is gathered in
//! their order, so no result depends on the threads. Each thread has a buffer
//! of its own, so that long lines take as much memory as there are threads.

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

/// More threads than this wait for each other.
const THREADS: usize = 8;

/// How many blocks may be ahead of the next one that is to be gathered. What
/// was made of them waits in memory.
const AHEAD: u64 = 64;

/// Reads the lines of a block. Their offsets are those in the input, but
/// numbers of lines begin with 1.
pub type BlockReader = Reader<Source>;

/// What there is to gather, in the order of the inputs.
pub enum Part<T> {
    /// What was made of a block, and how many lines there are before it.
    Block { made: T, lines_before: u64 },
    /// The input has ended.
    End,
    /// The input cannot be opened.
    Unopened(io::Error),
}

/// Has each block of the inputs worked on, on some thread, and gathers what
/// comes of it, on this one.
pub fn for_each<T: Send>(
    files: &Files,
    inputs: &[Input],
    work: impl Fn(&Input, &mut BlockReader) -> T + Sync,
    mut gather: impl FnMut(&Input, Part<T>),
) {
    let inputs = inputs.iter();
    let queue = Mutex::new(Queue {
        inputs,
        open: None,
        turns: 0,
        gathered: 0,
        over: false,
    });
    let has_gathered = Condvar::new();
    let lock = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    let next_turn = || {
        let is_ahead = |queue: &mut Queue<'_>| {
            queue.turns >= queue.gathered + AHEAD && !queue.over
        };
        has_gathered
            .wait_while(lock(), is_ahead)
            .unwrap_or_else(PoisonError::into_inner)
            .next()
    };
    // Nobody waits for what a thread that panics leaves undone.
    let stop = || {
        lock().over = true;
        has_gathered.notify_all();
    };
    let (next_turn, work, stop) = (&next_turn, &work, &stop);
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads.min(THREADS) {
            let sender = sender.clone();
            scope.spawn(move || {
                let _panic = OnPanic(stop);
                while let Some((number, input, turn)) = next_turn() {
                    let done = turn.map(|Block { source, byte }| {
                        let start = Position::new(1, byte);
                        let mut reader =
                            files.reader().start(start).build(source);
                        let made = work(input, &mut reader);
                        (made, reader.stats().lines)
                    });
                    // If nobody gathers any more, there is a panic under way,
                    // and this turn is the last.
                    _ = sender.send((number, input, done));
                }
            });
        }
        drop(sender);
        let _panic = OnPanic(stop);

        // What came too early.
        let mut early = BTreeMap::new();
        let (mut next, mut lines) = (0, 0);
        for (number, input, done) in receiver {
            early.insert(number, (input, done));
            while let Some((input, done)) = early.remove(&next) {
                next += 1;
                gather(
                    input,
                    match done {
                        Turn::Block((made, more)) => {
                            let lines_before = lines;
                            lines += more;
                            Part::Block { made, lines_before }
                        }
                        Turn::End => {
                            lines = 0;
                            Part::End
                        }
                        Turn::Unopened(error) => Part::Unopened(error),
                    },
                );
            }
            lock().gathered = next;
            has_gathered.notify_all();
        }
    });
}

/// Does something if the thread panics.
struct OnPanic<'s, F: Fn()>(&'s F);

impl<F: Fn()> Drop for OnPanic<'_, F> {
    fn drop(&mut self) {
        if thread::panicking() {
            (self.0)();
        }
    }
}

/// What someone shall do whose turn it is.
enum Turn<B> {
    /// Work on a block.
    Block(B),
    /// Say that an input has ended.
    End,
    /// Say that an input cannot be opened.
    Unopened(io::Error),
}

impl<B> Turn<B> {
    fn map<C>(self, work: impl FnOnce(B) -> C) -> Turn<C> {
        match self {
            Turn::Block(block) => Turn::Block(work(block)),
            Turn::End => Turn::End,
            Turn::Unopened(error) => Turn::Unopened(error),
        }
    }
}

/// What is still to be read.
struct Queue<'i> {
    inputs: slice::Iter<'i, Input>,
    /// The input that is being read.
    open: Option<(&'i Input, Blocks)>,
    /// How many turns there were.
    turns: u64,
    /// What came of so many of them is gathered.
    gathered: u64,
    /// Whether nothing more is to be done.
    over: bool,
}

impl<'i> Queue<'i> {
    /// The next turn and its number, or `None` if there is nothing left to do.
    fn next(&mut self) -> Option<(u64, &'i Input, Turn<Block>)> {
        if self.over {
            return None;
        }
        let (input, turn) = match &mut self.open {
            Some((input, blocks)) => match blocks.next() {
                Some(block) => (*input, Turn::Block(block)),
                None => (self.open.take()?.0, Turn::End),
            },
            None => {
                let input = self.inputs.next()?;
                match Blocks::of(input) {
                    Ok(blocks) => {
                        self.open = Some((input, blocks));
                        return self.next();
                    }
                    Err(error) => (input, Turn::Unopened(error)),
                }
            }
        };
        self.turns += 1;
        Some((self.turns - 1, input, turn))
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

    /// Whoever was ahead of the thread that panics waited for ever for it.
    #[test]
    fn a_panic_ends_the_reading() {
        let Arguments { files } = Arguments::parse_from(["test"]);
        let inputs = [const { Input::Sample }; 3 * AHEAD as usize];
        for (in_work, in_gather) in [(true, false), (false, true)] {
            let is_first = AtomicBool::new(true);
            let work = |_: &Input, _: &mut BlockReader| {
                let is_first = is_first.swap(false, Ordering::Relaxed);
                assert!(!(in_work && is_first), "one thread panics");
            };
            let gather = |_: &Input, _| {
                assert!(!in_gather, "who gathers panics");
            };
            let read = || for_each(&files, &inputs, work, gather);
            assert!(catch_unwind(AssertUnwindSafe(read)).is_err());
        }
    }
}

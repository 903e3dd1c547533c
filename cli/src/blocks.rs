//! Inputs, read on all cores.
//!
//! Threads take turns: one reads the next block of whole lines while the
//! others work on theirs. What they make of their blocks is gathered in the
//! order of the blocks, so the result does not depend on the threads. Each has
//! one buffer, and so memory does not grow with the input.

use std::{
    collections::BTreeMap,
    io::{self, Read},
    slice,
    sync::{Mutex, PoisonError, mpsc},
    thread,
};

use linetape::{Position, Reader};
use memchr::{memchr_iter, memrchr};

use crate::input::{Files, Input, Source};

/// How much a thread reads at a time.
const BLOCK: usize = 1 << 20;

/// The longest line for which a block grows. From one that is longer, the rest
/// of the input is read by one thread, as a stream.
const LONGEST: usize = 8 << 20;

/// More threads than this wait for each other.
const THREADS: usize = 8;

/// Reads the lines of a block.
pub type BlockReader<'b> = Reader<&'b mut dyn Read>;

/// What there is to gather, in the order of the inputs.
pub enum Part<T> {
    /// What was made of a block.
    Block(T),
    /// The input has ended, or it has failed.
    End,
    /// The input cannot be opened.
    Unopened(io::Error),
}

/// Has each block of the inputs worked on, on some thread, and gathers what
/// comes of it, on this one.
pub fn for_each<T: Send>(
    files: &Files,
    inputs: &[Input],
    work: impl Fn(&Input, &mut BlockReader<'_>) -> T + Sync,
    mut gather: impl FnMut(&Input, Part<T>),
) {
    let queue =
        Mutex::new(Queue { inputs: inputs.iter(), open: None, turns: 0 });
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    let (queue, work) = (&queue, &work);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads.min(THREADS) {
            let sender = sender.clone();
            scope.spawn(move || {
                let mut buffer = vec![];
                while let Some(found) =
                    take_turn(queue, files, &mut buffer, work)
                    && sender.send(found).is_ok()
                {}
            });
        }
        drop(sender);
        // What came too early.
        let mut early = BTreeMap::new();
        let mut next = 0;
        for (number, input, part) in receiver {
            early.insert(number, (input, part));
            while let Some((input, part)) = early.remove(&next) {
                gather(input, part);
                next += 1;
            }
        }
    });
}

/// Reads a block, and works on it while others read. `None` if there is
/// nothing left to read.
fn take_turn<'i, T>(
    queue: &Mutex<Queue<'i>>,
    files: &Files,
    buffer: &mut Vec<u8>,
    work: impl Fn(&Input, &mut BlockReader<'_>) -> T,
) -> Option<(u64, &'i Input, Part<T>)> {
    let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
    let (input, turn) = queue.next(buffer)?;
    let number = queue.turns;
    queue.turns += 1;
    let work = |start, source: &mut dyn Read| {
        let mut builder = files.reader();
        Part::Block(work(input, &mut builder.start(start).build(source)))
    };
    let part = match turn {
        Turn::Lines { length, start } => {
            // It is the turn of another.
            drop(queue);
            work(start, &mut &buffer[..length])
        }
        Turn::Rest { length, rest, start } => {
            work(start, &mut buffer[..length].chain(rest))
        }
        Turn::End => Part::End,
        Turn::Unopened(error) => Part::Unopened(error),
    };
    Some((number, input, part))
}

/// What is still to be read.
struct Queue<'i> {
    inputs: slice::Iter<'i, Input>,
    open: Option<(&'i Input, Open)>,
    /// How many turns there were.
    turns: u64,
}

impl<'i> Queue<'i> {
    fn next(&mut self, buffer: &mut Vec<u8>) -> Option<(&'i Input, Turn)> {
        let (input, open) = match &mut self.open {
            Some(open) => open,
            None => {
                let input = self.inputs.next()?;
                match input.open() {
                    Ok(source) => self.open.insert((input, Open::new(source))),
                    Err(error) => {
                        return Some((input, Turn::Unopened(error)));
                    }
                }
            }
        };
        let input = *input;
        let turn = open.next(buffer);
        if let Turn::End = turn {
            self.open = None;
        }
        Some((input, turn))
    }
}

/// What someone shall do whose turn it is.
enum Turn {
    /// Work on the first bytes of the buffer. They are whole lines, but for
    /// the last of an input.
    Lines { length: usize, start: Position },
    /// Work on the first bytes of the buffer, and what comes behind them.
    Rest { length: usize, rest: Box<dyn Read>, start: Position },
    /// Say that an input has ended.
    End,
    /// Say that an input cannot be opened.
    Unopened(io::Error),
}

/// The input that is being read.
struct Open {
    /// What gives the bytes, until there are no more.
    source: Option<Source>,
    /// Where the next block begins.
    start: Position,
    /// The beginning of it, which has been read along with the last one.
    begun: Vec<u8>,
}

impl Open {
    fn new(source: Source) -> Open {
        let start = Position::new(1, 0);
        Open { source: Some(source), start, begun: vec![] }
    }

    fn next(&mut self, buffer: &mut Vec<u8>) -> Turn {
        let Some(mut source) = self.source.take() else { return Turn::End };
        let start = self.start;
        let mut length = self.begun.len();
        buffer.resize(BLOCK.max(2 * length), 0);
        // After a long line, there is no need for so much.
        buffer.shrink_to(BLOCK);
        buffer[..length].copy_from_slice(&self.begun);
        self.begun.clear();
        loop {
            match source.read(&mut buffer[length..]) {
                Ok(0) => return Turn::Lines { length, start },
                Ok(more) => length += more,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let rest = Box::new(Failed(Some(error)));
                    return Turn::Rest { length, rest, start };
                }
            }
            if length < buffer.len() {
                continue;
            }
            if let Some(end) = memrchr(b'\n', &buffer[..length]) {
                self.source = Some(source);
                self.begun.extend_from_slice(&buffer[end + 1..length]);
                let length = end + 1;
                self.start = behind(start, &buffer[..length]);
                return Turn::Lines { length, start };
            }
            if length >= LONGEST {
                let rest = Box::new(source);
                return Turn::Rest { length, rest, start };
            }
            buffer.resize(2 * length, 0);
        }
    }
}

/// The place behind some whole lines.
fn behind(start: Position, lines: &[u8]) -> Position {
    let count = memchr_iter(b'\n', lines).count();
    let bytes = lines.len();
    Position::new(start.line() + count as u64, start.byte() + bytes as u64)
}

/// A source that fails once more, as one has that was read.
struct Failed(Option<io::Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

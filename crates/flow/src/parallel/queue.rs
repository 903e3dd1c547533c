use std::{fs::File, io, ops::Range, slice, sync::Arc};

use crate::{
    decompress::Format,
    parallel::input::{Input, Opened, Source},
    read_at::read_at,
};

/// Files of up to this size are grouped into one task, until the group has
/// this size. It is the size of a block at most.
const SMALL: u64 = 256 << 10;

/// How many files are in a group at most.
const GROUP: usize = 256;

/// The tasks that are left, in the order of the inputs.
pub(crate) struct Queue<'i, I> {
    inputs: slice::Iter<'i, I>,
    /// The file that is being divided.
    file: Option<Divided<'i, I>>,
    block: u64,
    /// The number of tasks that have been started.
    pub(crate) started: u64,
    /// How many results have been merged.
    pub(crate) merged: u64,
    /// Whether no more tasks are to be started.
    pub(crate) is_stopped: bool,
}

/// Some blocks that one thread reads, one after the other.
pub(crate) struct Task<'i, I> {
    pub(crate) index: u64,
    pub(crate) jobs: Vec<Job<'i, I>>,
}

/// A block to read.
pub(crate) struct Job<'i, I> {
    pub(crate) input: &'i I,
    pub(crate) block: Block,
    /// Whether it is the last block of its input.
    pub(crate) is_last: bool,
}

pub(crate) enum Block {
    /// A range of a file.
    Range(Arc<File>, Range<u64>),
    /// A source to read from its start to its end.
    Whole(Source),
    /// The same, which must be opened first.
    Unopened,
    /// An input that cannot be opened.
    Failed(io::Error),
}

/// A file, and the ranges of it that are left.
struct Divided<'i, I> {
    input: &'i I,
    file: Arc<File>,
    next: u64,
    length: u64,
}

impl<'i, I: Input> Queue<'i, I> {
    pub(crate) fn new(inputs: &'i [I], block: u64) -> Queue<'i, I> {
        Queue {
            inputs: inputs.iter(),
            file: None,
            block: block.max(1),
            started: 0,
            merged: 0,
            is_stopped: false,
        }
    }

    /// Returns the next task, or `None` if there is none left.
    pub(crate) fn next(&mut self) -> Option<Task<'i, I>> {
        if self.is_stopped {
            return None;
        }
        let jobs = self.jobs()?;
        let index = self.started;
        self.started += 1;
        Some(Task { index, jobs })
    }

    /// Returns whether all tasks have been started.
    pub(crate) fn is_empty(&self) -> bool {
        self.file.is_none() && self.inputs.as_slice().is_empty()
    }

    fn jobs(&mut self) -> Option<Vec<Job<'i, I>>> {
        if let Some(job) = self.next_range() {
            return Some(vec![job]);
        }
        let small = SMALL.min(self.block);
        let (mut group, mut bytes) = (vec![], 0);
        while group.len() < GROUP {
            let input = match self.inputs.as_slice().first() {
                Some(input) => input,
                None => break,
            };
            let size = input.size();
            match size {
                Some(size) if size <= small.saturating_sub(bytes) => {
                    bytes += size;
                    group.push(whole(input, Block::Unopened));
                    self.inputs.next();
                }
                // The group is done first.
                _ if !group.is_empty() => break,
                Some(_) => {
                    self.inputs.next();
                    return Some(vec![self.open(input)]);
                }
                // Opening it may block, so it is left to the thread that
                // reads it.
                None => {
                    self.inputs.next();
                    return Some(vec![whole(input, Block::Unopened)]);
                }
            }
        }
        Some(group).filter(|group| !group.is_empty())
    }

    /// Opens an input that is not small. Returns its first block.
    fn open(&mut self, input: &'i I) -> Job<'i, I> {
        let block = match input.open() {
            Ok(Source(Opened::File(file))) => match length(&file) {
                Ok(Some(length)) if length > self.block => {
                    let file = Arc::new(file);
                    let next = self.block;
                    let range = 0..next;
                    let first = Block::Range(file.clone(), range);
                    self.file = Some(Divided { input, file, next, length });
                    return Job { input, block: first, is_last: false };
                }
                Ok(_) => Block::Whole(Source::file(file)),
                Err(error) => Block::Failed(error),
            },
            Ok(stream) => Block::Whole(stream),
            Err(error) => Block::Failed(error),
        };
        whole(input, block)
    }

    /// Returns the next range of the file that is being divided.
    fn next_range(&mut self) -> Option<Job<'i, I>> {
        let Divided { input, file, next, length } = self.file.as_mut()?;
        let start = *next;
        let end = start.saturating_add(self.block);
        // What is appended while the file is read is in the last range.
        let is_last = end >= *length;
        let end = if is_last { u64::MAX } else { end };
        *next = end;
        let block = Block::Range(file.clone(), start..end);
        let job = Job { input: *input, block, is_last };
        if is_last {
            self.file = None;
        }
        Some(job)
    }
}

fn whole<I>(input: &I, block: Block) -> Job<'_, I> {
    Job { input, block, is_last: true }
}

/// Returns the length of a file that can be divided: a regular file that is
/// neither compressed nor a JSON array.
fn length(file: &File) -> io::Result<Option<u64>> {
    let facts = file.metadata()?;
    let mut first = [0; Format::DECIDING];
    if !facts.is_file() {
        return Ok(None);
    }
    let count = read_at(file, &mut first, 0)?;
    let first = first.get(..count).unwrap_or_default();
    let is_plain =
        Format::of(first) == Format::Plain && !Format::is_cut(first);
    Ok(is_plain.then_some(facts.len()))
}

impl Block {
    /// Opens the input, if it is not open yet.
    pub(crate) fn opened(self, input: &impl Input) -> Block {
        match self {
            Block::Unopened => match input.open() {
                Ok(source) => Block::Whole(source),
                Err(error) => Block::Failed(error),
            },
            opened => opened,
        }
    }
}

use std::{
    collections::BTreeMap,
    io::Read,
    panic,
    sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
};

use linetape::{Position, ReaderBuilder};

use crate::{
    decompress::Decompressed,
    parallel::{
        BlockReader, Parallel, Part,
        input::{BlockSource, Bytes, Input, Opened, Stop, Watched},
        queue::{Block, Job, Queue, Task},
    },
};

/// How many tasks for each thread may be ahead of the next one to merge. Their
/// results wait in memory.
const AHEAD: u64 = 4;

/// Whether results are merged in the order of the inputs.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Order {
    OfInputs,
    Any,
}

/// The result of one block.
enum Done<T, E> {
    Block { made: T, lines: u64 },
    Unopened(std::io::Error),
    Failed(E),
}

/// The results of a task, each with whether it is the last of its input.
type Results<'i, I, T, E> = (u64, Vec<(&'i I, Done<T, E>, bool)>);

/// Calls `work` for each block, on some thread, and `merge` with each result,
/// on the calling thread. Returns the first error.
///
/// If there is only one task, `work` is called on the calling thread as well.
pub(crate) fn run<I: Input, T: Send, E: Send>(
    settings: &Parallel,
    order: Order,
    inputs: &[I],
    work: impl Fn(&I, &mut BlockReader) -> Result<T, E> + Sync,
    merge: impl FnMut(&I, Part<T>) -> Result<(), E>,
) -> Result<(), E> {
    let shared = Shared {
        settings,
        order,
        reader: settings.reader.clone().first_number(match order {
            Order::OfInputs => 1,
            Order::Any => 0,
        }),
        ahead: match order {
            Order::OfInputs => AHEAD * settings.thread_count() as u64,
            Order::Any => u64::MAX,
        },
        queue: Mutex::new(Queue::new(inputs, settings.block)),
        has_merged: Condvar::new(),
        stop: Stop::new(),
    };
    let (shared, work) = (&shared, &work);
    let Some(task) = shared.next_task() else { return Ok(()) };
    // A single task needs no further thread. To start one takes longer than to
    // read the few lines that were appended to a log.
    if shared.lock().is_empty() {
        return shared.gather([shared.read(task, work)], merge);
    }
    let mut first = Some(task);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let workers: Vec<_> = (0..settings.thread_count())
            .map(|_| {
                let (sender, mut first) = (sender.clone(), first.take());
                let mut next =
                    move || first.take().or_else(|| shared.next_task());
                scope.spawn(move || {
                    let _guard = StopOnPanic(shared);
                    while let Some(task) = next() {
                        // This fails only if nobody merges any more.
                        _ = sender.send(shared.read(task, work));
                    }
                })
            })
            .collect();
        drop(sender);
        let merged = {
            let _guard = StopOnPanic(shared);
            shared.gather(receiver, merge)
        };
        if merged.is_err() {
            shared.stop_from(0);
        }
        for worker in workers {
            if let Err(payload) = worker.join() {
                panic::resume_unwind(payload);
            }
        }
        merged
    })
}

/// What the threads share.
struct Shared<'i, I> {
    settings: &'i Parallel,
    order: Order,
    reader: ReaderBuilder,
    /// How many tasks may be ahead of the next one to merge.
    ahead: u64,
    queue: Mutex<Queue<'i, I>>,
    has_merged: Condvar,
    stop: Stop,
}

impl<'i, I: Input> Shared<'i, I> {
    /// Locks the queue. Nothing panics while it holds the lock, unless
    /// [`Input`] does. Then the queue is still whole.
    fn lock(&self) -> MutexGuard<'_, Queue<'i, I>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next task, once it is not too far ahead.
    fn next_task(&self) -> Option<Task<'i, I>> {
        let is_too_far_ahead = |queue: &mut Queue<'_, I>| {
            let limit = queue.merged.saturating_add(self.ahead);
            queue.started >= limit && !queue.is_stopped
        };
        self.has_merged
            .wait_while(self.lock(), is_too_far_ahead)
            .unwrap_or_else(PoisonError::into_inner)
            .next()
    }

    /// Starts no more tasks, and ends those from `task` on.
    fn stop_from(&self, task: u64) {
        self.stop.from(task);
        self.lock().is_stopped = true;
        self.has_merged.notify_all();
    }

    /// Reads the blocks of a task, up to the first error.
    fn read<T, E>(
        &self,
        task: Task<'i, I>,
        work: &impl Fn(&I, &mut BlockReader) -> Result<T, E>,
    ) -> Results<'i, I, T, E> {
        let Task { index, jobs } = task;
        let mut results = Vec::with_capacity(jobs.len());
        for Job { input, block, is_last } in jobs {
            let mut reader = match self.reader(index, block.opened(input)) {
                Ok(reader) => reader,
                Err(error) => {
                    results.push((input, Done::Unopened(error), true));
                    continue;
                }
            };
            match work(input, &mut reader) {
                Ok(made) => {
                    let lines = reader.stats().lines;
                    let done = Done::Block { made, lines };
                    results.push((input, done, is_last));
                }
                Err(error) => {
                    // The tasks before this one are finished first, so that
                    // the first error is always the same.
                    self.stop_from(match self.order {
                        Order::OfInputs => index,
                        Order::Any => 0,
                    });
                    results.push((input, Done::Failed(error), true));
                    break;
                }
            }
        }
        (index, results)
    }

    /// Returns a reader of a block.
    fn reader(
        &self,
        task: u64,
        block: Block,
    ) -> Result<BlockReader, std::io::Error> {
        let (stop, on_read) = (self.stop.clone(), self.settings.on_read);
        let stream: Box<dyn Read + Send> = match block {
            Block::Range(file, range) => {
                let at = range.start.saturating_sub(1);
                let file = Watched { source: file, task, stop, on_read };
                let source = BlockSource(Bytes::File { file, at });
                return Ok(self.reader.clone().range(range).build(source));
            }
            Block::Whole(source) => match source.0 {
                Opened::File(file) => Box::new(file),
                Opened::Stream(stream) => stream,
                Opened::Rest(source, start) => {
                    let rest = Watched { source, task, stop, on_read };
                    let source = BlockSource(Bytes::Plain(rest));
                    let line = match self.order {
                        Order::OfInputs => start.line(),
                        Order::Any => 0,
                    };
                    let start = Position::new(line, start.byte());
                    return Ok(self.reader.clone().start(start).build(source));
                }
            },
            Block::Failed(error) => return Err(error),
            Block::Unopened => {
                return Err(std::io::Error::other("the input is not open"));
            }
        };
        let stream = Watched { source: stream, task, stop, on_read };
        let stream = Decompressed::new(stream);
        let stream = stream.max_plain(self.settings.max_plain);
        let source = BlockSource(Bytes::Stream(stream));
        Ok(self.reader.clone().start(Position::START).build(source))
    }

    /// Merges all results, up to the first error.
    fn gather<T, E>(
        &self,
        all: impl IntoIterator<Item = Results<'i, I, T, E>>,
        mut merge: impl FnMut(&I, Part<T>) -> Result<(), E>,
    ) -> Result<(), E> {
        // Results that arrived before their predecessors.
        let mut early = BTreeMap::new();
        let (mut next, mut lines_before) = (0, 0);
        for (index, results) in all {
            early.insert(index, results);
            loop {
                let results = match self.order {
                    Order::OfInputs => early.remove(&next),
                    Order::Any => early.pop_first().map(|(_, found)| found),
                };
                let Some(results) = results else { break };
                next += 1;
                for (input, done, is_last) in results {
                    match done {
                        Done::Block { made, lines } => {
                            merge(input, Part::Block { made, lines_before })?;
                            lines_before += lines;
                        }
                        Done::Unopened(error) => {
                            merge(input, Part::Unopened(error))?;
                            continue;
                        }
                        Done::Failed(error) => return Err(error),
                    }
                    if is_last {
                        lines_before = 0;
                        merge(input, Part::End)?;
                    }
                }
            }
            self.lock().merged = next;
            self.has_merged.notify_all();
        }
        Ok(())
    }
}

/// Stops all tasks when it is dropped by a panic: a thread that panics never
/// delivers its results, so nothing may wait for them.
struct StopOnPanic<'s, 'i, I: Input>(&'s Shared<'i, I>);

impl<I: Input> Drop for StopOnPanic<'_, '_, I> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop_from(0);
        }
    }
}

mod input;
mod queue;
mod run;

use std::{io, thread};

use linetape::{Reader, ReaderBuilder};

use crate::parallel::run::{Order, run};

pub use input::{BlockSource, Input, Source};

/// The reader of one block. Offsets are those of the input, and line numbers
/// count from the start of the block if results are merged in order.
///
/// It needs memory for one read buffer and one line.
pub type BlockReader = Reader<BlockSource>;

/// The maximum number of threads by default. More threads mostly wait for
/// each other.
const THREADS: usize = 8;

/// The size of a block, in bytes, by default.
const BLOCK: u64 = 2 << 20;

/// Reads logs on several threads.
///
/// Large files are divided into blocks, by
/// [ranges](linetape::ReaderBuilder::range) of bytes, and small files are
/// grouped. Each thread reads one block at a time, with its own reader and
/// decoder, and returns a result. Standard input, pipes, compressed
/// files and JSON arrays cannot be divided, and are one block each.
///
/// | method | results |
/// |---|---|
/// | [`map_ordered`](Parallel::map_ordered) | are passed to a function, in the order of the logs |
/// | [`fold`](Parallel::fold) | are merged into one, in the order of the logs |
/// | [`for_each`](Parallel::for_each) | there are none; blocks are read in any order |
///
/// `map_ordered` and `fold` merge results in input order. If merging is
/// associative (merging the results of two adjacent blocks gives the result of
/// reading them as one), the final result does not depend on the number of
/// threads or the block size. `UsageTotals` of linetape-session is an example:
/// its `append` merges the totals of two adjacent blocks. Analyses that depend
/// on all previous lines, such as a tree of messages, cannot be divided.
///
/// # Costs
///
/// Each thread needs a read buffer (128 KiB by default), and the memory for its
/// longest line: twice its length if the line does not fit the buffer. For a
/// compressed input, add the [costs](crate::Decompressed#costs) of
/// decompression.
///
/// With `map_ordered` and `fold`, at most four tasks per thread wait to be
/// merged. A task is one block (2 MiB, and the rest of its last line), or a
/// group of up to 256 small files, with one result per file.
///
/// # Panics and errors
///
/// If a function panics, the other threads stop and the panic is resumed on
/// the calling thread. If `work` or `merge` returns an error, no new block is
/// started, and reads in later blocks fail. `map_ordered` and `fold` always
/// return the error of the first failing block in input order.
///
/// # Example
///
/// This shows how to count the lines of all logs in a folder.
///
/// ```no_run
/// use linetape_flow::{Parallel, logs};
///
/// let logs = logs("logs")?;
/// let lines = Parallel::new().fold(
///     &logs,
///     0,
///     |_, block| {
///         while let Some(line) = block.next_line() {
///             line?;
///         }
///         Ok::<_, linetape::Error>(block.stats().lines)
///     },
///     |total, lines, _| *total += lines,
/// )?;
/// println!("{lines}");
/// # Ok::<(), linetape::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Parallel {
    reader: ReaderBuilder,
    threads: usize,
    block: u64,
    max_plain: u64,
    on_read: Option<fn(usize)>,
}

/// The next result of [`Parallel::map_ordered`].
///
/// # Example
///
/// This shows how an error gets its line number.
///
/// ```
/// use linetape::Error;
/// use linetape_flow::Part;
///
/// fn print(part: Part<Vec<Error>>) {
///     match part {
///         Part::Block { made, lines_before } => {
///             for error in made {
///                 println!("{}", error.moved_by(lines_before, 0));
///             }
///         }
///         Part::End => println!("the end of a log"),
///         Part::Unopened(error) => println!("cannot open a log: {error}"),
///     }
/// }
/// # print(Part::End)
/// ```
#[derive(Debug)]
pub enum Part<T> {
    /// The result of a block.
    Block {
        /// The result.
        made: T,
        /// The number of lines of the input before the block.
        /// [`Position::moved_by`](linetape::Position::moved_by) adds it to a
        /// position in the block.
        lines_before: u64,
    },
    /// The input has ended. All its blocks have been read.
    End,
    /// The input cannot be opened.
    Unopened(io::Error),
}

impl Default for Parallel {
    fn default() -> Parallel {
        Parallel::new()
    }
}

impl Parallel {
    /// Creates the default settings: one thread per core, up to 8, and blocks
    /// of 2 MiB.
    pub fn new() -> Parallel {
        Parallel {
            reader: ReaderBuilder::new(),
            threads: 0,
            block: BLOCK,
            max_plain: u64::MAX,
            on_read: None,
        }
    }

    /// Sets how lines are read. A range or a start position of `reader` is
    /// ignored.
    pub fn reader(mut self, reader: ReaderBuilder) -> Parallel {
        self.reader = reader;
        self
    }

    /// Sets the number of reading threads. 0, the default, means one per core,
    /// up to 8. The calling thread merges.
    pub fn threads(mut self, threads: usize) -> Parallel {
        self.threads = threads;
        self
    }

    /// Sets the size of a block in bytes, without the rest of its last line.
    /// The default is 2 MiB.
    pub fn block_size(mut self, bytes: u64) -> Parallel {
        self.block = bytes;
        self
    }

    /// Sets the maximum decompressed size of each compressed input: see
    /// [`Decompressed::max_plain`](crate::Decompressed::max_plain).
    pub fn max_plain(mut self, bytes: u64) -> Parallel {
        self.max_plain = bytes;
        self
    }

    /// Calls a function after each read with the number of bytes, for example
    /// to show progress. Around the start of a block, some bytes are read
    /// twice. For a compressed input, the compressed bytes are counted.
    pub fn on_read(mut self, on_read: fn(usize)) -> Parallel {
        self.on_read = Some(on_read);
        self
    }

    fn thread_count(&self) -> usize {
        match self.threads {
            0 => {
                let cores = thread::available_parallelism();
                cores.map_or(1, |cores| cores.get()).min(THREADS)
            }
            threads => threads,
        }
    }

    /// Calls `work` with each block of the inputs, on some thread, and `merge`
    /// with each result, on the calling thread and in the order of the inputs.
    ///
    /// `work` should read the block to its end. Otherwise, the line numbers of
    /// later blocks are too low.
    ///
    /// # Errors
    ///
    /// Returns the first error of `work` or `merge`, in the order of the
    /// inputs. For an input that cannot be opened, `merge` is called with
    /// [`Part::Unopened`].
    ///
    /// # Example
    ///
    /// This shows how to list the errors of a log, with their line numbers.
    ///
    /// ```
    /// use linetape_flow::{Parallel, Part};
    /// use std::convert::Infallible;
    ///
    /// # let path = std::env::temp_dir()
    /// #     .join(format!("linetape-map-{}.jsonl", std::process::id()));
    /// # std::fs::write(&path, "{}\n".repeat(9) + "oops\n").unwrap();
    /// let mut found = vec![];
    /// let read = Parallel::new().block_size(10).map_ordered(
    ///     &[&path],
    ///     |_, block| {
    ///         let mut errors = vec![];
    ///         while let Some(record) = block.next_record() {
    ///             errors.extend(record.err());
    ///         }
    ///         Ok::<_, Infallible>(errors)
    ///     },
    ///     |_, part| {
    ///         if let Part::Block { made, lines_before } = part {
    ///             let errors = made.into_iter();
    ///             found.extend(errors.map(|e| e.moved_by(lines_before, 0)));
    ///         }
    ///         Ok(())
    ///     },
    /// );
    /// # std::fs::remove_file(&path).unwrap();
    /// assert!(read.is_ok());
    /// assert_eq!(found[0].position().to_string(), "line 10 (byte 27)");
    /// ```
    pub fn map_ordered<I: Input, T: Send, E: Send>(
        &self,
        inputs: &[I],
        work: impl Fn(&I, &mut BlockReader) -> Result<T, E> + Sync,
        merge: impl FnMut(&I, Part<T>) -> Result<(), E>,
    ) -> Result<(), E> {
        run(self, Order::OfInputs, inputs, work, merge)
    }

    /// Calls `work` with each block of the inputs, on some thread, and merges
    /// the results into `total`, in the order of the inputs.
    ///
    /// `merge` gets the total, a result, and the number of lines before the
    /// block in its input: see [`Part::Block`].
    ///
    /// # Errors
    ///
    /// Returns the first error of `work`, or of opening an input, in the order
    /// of the inputs.
    pub fn fold<I: Input, T: Send, A, E: Send + From<io::Error>>(
        &self,
        inputs: &[I],
        mut total: A,
        work: impl Fn(&I, &mut BlockReader) -> Result<T, E> + Sync,
        mut merge: impl FnMut(&mut A, T, u64),
    ) -> Result<A, E> {
        self.map_ordered(inputs, work, |_, part| match part {
            Part::Block { made, lines_before } => {
                merge(&mut total, made, lines_before);
                Ok(())
            }
            Part::End => Ok(()),
            Part::Unopened(error) => Err(error.into()),
        })?;
        Ok(total)
    }

    /// Calls `work` with each block of the inputs, on some thread and in any
    /// order.
    ///
    /// Use it only if the order does not matter, for example to send lines to
    /// a queue, or to add to an atomic counter. Line numbers are unknown,
    /// except in the first block of an input. Offsets are those of the input.
    ///
    /// # Errors
    ///
    /// Returns an error of `work`, or of opening an input. If there are several
    /// errors, any of them is returned.
    ///
    /// # Example
    ///
    /// This shows how to count records.
    ///
    /// ```
    /// use linetape_flow::{Input, Parallel, Source};
    /// use std::{io, sync::atomic::{AtomicU64, Ordering}};
    ///
    /// struct Text(&'static str);
    ///
    /// impl Input for Text {
    ///     fn open(&self) -> io::Result<Source> {
    ///         Ok(Source::stream(self.0.as_bytes()))
    ///     }
    /// }
    ///
    /// let records = AtomicU64::new(0);
    /// let logs = [Text("{}\n{}\n"), Text("{}\n")];
    /// Parallel::new().for_each(&logs, |_, block| {
    ///     while let Some(record) = block.next_record() {
    ///         record?;
    ///         records.fetch_add(1, Ordering::Relaxed);
    ///     }
    ///     Ok::<_, io::Error>(())
    /// })?;
    /// assert_eq!(records.into_inner(), 3);
    /// # Ok::<(), io::Error>(())
    /// ```
    pub fn for_each<I: Input, E: Send + From<io::Error>>(
        &self,
        inputs: &[I],
        work: impl Fn(&I, &mut BlockReader) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        run(self, Order::Any, inputs, work, |_, part| match part {
            Part::Unopened(error) => Err(error.into()),
            _ => Ok(()),
        })
    }
}

use std::{
    fmt,
    fs::{self, File},
    io::{self, Read},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use linetape::Position;

use crate::{decompress::Decompressed, read_at::read_at};

/// Something that [`Parallel`](crate::Parallel) can open and read, such as a
/// path.
///
/// # Example
///
/// This shows an input that is either a file or standard input.
///
/// ```
/// use linetape_flow::{Input, Source};
/// use std::{fs::File, io, path::PathBuf};
///
/// enum Log {
///     File(PathBuf),
///     Standard,
/// }
///
/// impl Input for Log {
///     fn open(&self) -> io::Result<Source> {
///         Ok(match self {
///             Log::File(path) => Source::file(File::open(path)?),
///             Log::Standard => Source::stream(io::stdin()),
///         })
///     }
///
///     fn size(&self) -> Option<u64> {
///         match self {
///             Log::File(path) => path.size(),
///             Log::Standard => None,
///         }
///     }
/// }
/// ```
pub trait Input: Sync {
    /// Opens the input. `Parallel` calls it once, on any thread.
    ///
    /// # Errors
    ///
    /// Returns an error if the input cannot be opened.
    fn open(&self) -> io::Result<Source>;

    /// Returns the size in bytes, if the input is a regular file. It decides
    /// which files are small enough to be grouped. An input whose size is
    /// unknown is never divided.
    fn size(&self) -> Option<u64> {
        None
    }
}

/// Opens the file at the path.
impl<P: AsRef<Path> + Sync> Input for P {
    fn open(&self) -> io::Result<Source> {
        File::open(self).map(Source::file)
    }

    fn size(&self) -> Option<u64> {
        let facts = fs::metadata(self).ok()?;
        facts.is_file().then_some(facts.len())
    }
}

/// An input that has been opened.
///
/// # Example
///
/// This shows the two kinds of sources.
///
/// ```
/// use linetape_flow::Source;
///
/// let whole = Source::stream(&b"{}\n"[..]);
/// let divided = Source::file(std::fs::File::open("Cargo.toml")?);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Source(pub(crate) Opened);

pub(crate) enum Opened {
    File(File),
    Stream(Box<dyn Read + Send>),
    /// The rest of a plain text, from a position on.
    Rest(Box<dyn Read + Send>, Position),
}

impl Source {
    /// Creates a source that is divided into blocks, if it is a regular file
    /// and not compressed.
    pub fn file(file: File) -> Source {
        Source(Opened::File(file))
    }

    /// Creates a source that one thread reads from its start to its end. It
    /// may be compressed.
    pub fn stream(stream: impl Read + Send + 'static) -> Source {
        Source(Opened::Stream(Box::new(stream)))
    }

    /// Creates a source that is the rest of a plain text, from the line at
    /// `start` on. One thread reads it. It is neither decompressed nor searched
    /// for a BOM, and positions are those in the whole text.
    ///
    /// # Example
    ///
    /// This shows that bytes in the middle of a log are data.
    ///
    /// ```
    /// use linetape::{Position, Error};
    /// use linetape_flow::{Input, Parallel, Part, Source};
    /// use std::io;
    ///
    /// struct Rest;
    ///
    /// impl Input for Rest {
    ///     fn open(&self) -> io::Result<Source> {
    ///         let rest = &b"\x1F\x8B\x08\n{}\n"[..];
    ///         Ok(Source::rest(rest, Position::new(10, 500)))
    ///     }
    /// }
    ///
    /// let mut offsets = vec![];
    /// Parallel::new().map_ordered(
    ///     &[Rest],
    ///     |_, block| {
    ///         let mut offsets = vec![];
    ///         while let Some(line) = block.next_line() {
    ///             offsets.push(line?.offset());
    ///         }
    ///         Ok::<_, Error>(offsets)
    ///     },
    ///     |_, part| {
    ///         if let Part::Block { made, .. } = part {
    ///             offsets.extend(made);
    ///         }
    ///         Ok(())
    ///     },
    /// )?;
    /// assert_eq!(offsets, [500, 504]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn rest(text: impl Read + Send + 'static, start: Position) -> Source {
        Source(Opened::Rest(Box::new(text), start))
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Opened::File(_) => "Source::file",
            Opened::Stream(_) => "Source::stream",
            Opened::Rest(..) => "Source::rest",
        })
    }
}

/// The bytes of a block. A [`BlockReader`](crate::BlockReader) reads them.
///
/// # Example
///
/// This shows a function for blocks.
///
/// ```
/// use linetape::{Error, Reader};
/// use linetape_flow::BlockSource;
///
/// fn longest(block: &mut Reader<BlockSource>) -> Result<usize, Error> {
///     let mut longest = 0;
///     while let Some(line) = block.next_line() {
///         longest = longest.max(line?.as_bytes().len());
///     }
///     Ok(longest)
/// }
/// ```
pub struct BlockSource(pub(crate) Bytes);

pub(crate) enum Bytes {
    /// The bytes of a file from an offset on.
    File {
        file: Watched<Arc<File>>,
        at: u64,
    },
    Stream(Decompressed<Watched<Box<dyn Read + Send>>>),
    Plain(Watched<Box<dyn Read + Send>>),
}

impl Read for BlockSource {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Bytes::Stream(stream) => stream.read(room),
            Bytes::Plain(stream) => stream.read(room),
            Bytes::File { file, at } => {
                let offset = *at;
                let length =
                    file.read_with(|file| read_at(file, room, offset))?;
                *at += length as u64;
                Ok(length)
            }
        }
    }
}

impl fmt::Debug for BlockSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Bytes::File { at, .. } => {
                f.debug_struct("BlockSource").field("at", at).finish()
            }
            Bytes::Stream(_) | Bytes::Plain(_) => f.write_str("BlockSource"),
        }
    }
}

/// The first task that is not needed any more, because a task before it has
/// failed.
#[derive(Clone, Debug)]
pub(crate) struct Stop(Arc<AtomicU64>);

impl Stop {
    pub(crate) fn new() -> Stop {
        Stop(Arc::new(AtomicU64::new(u64::MAX)))
    }

    /// Ends the tasks from `index` on.
    pub(crate) fn from(&self, index: u64) {
        self.0.fetch_min(index, Ordering::Relaxed);
    }

    pub(crate) fn includes(&self, index: u64) -> bool {
        index >= self.0.load(Ordering::Relaxed)
    }
}

/// A source that counts what is read, and that fails when its task is not
/// needed any more.
pub(crate) struct Watched<R> {
    pub(crate) source: R,
    pub(crate) task: u64,
    pub(crate) stop: Stop,
    pub(crate) on_read: Option<fn(usize)>,
}

impl<R> Watched<R> {
    fn read_with(
        &mut self,
        read: impl FnOnce(&mut R) -> io::Result<usize>,
    ) -> io::Result<usize> {
        if self.stop.includes(self.task) {
            let why = "stopped, because reading another block has failed";
            return Err(io::Error::other(why));
        }
        let count = read(&mut self.source)?;
        if let Some(on_read) = self.on_read {
            on_read(count);
        }
        Ok(count)
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.read_with(|source| source.read(room))
    }
}

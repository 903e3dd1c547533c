//! Opens a file, or a range of it, for a scan.

use std::{
    io::{self, Read},
    ops::Range,
    sync::Arc,
};

use datafusion::{
    arrow::{array::RecordBatch, error::ArrowError},
    common::{DataFusionError, Result},
    datasource::{
        listing::PartitionedFile,
        physical_plan::{FileOpenFuture, FileOpener},
    },
};
use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use linetape::{Position, Reader};
use linetape_arrow::{Batches, OnError, Options, Table, Wanted};
use linetape_flow::{Decompressed, Format};
use object_store::{GetOptions, ObjectMeta, ObjectStore};
use tokio::{
    runtime::Handle,
    sync::mpsc::{self, Sender},
};
use url::Url;

use crate::{
    local::{self, State},
    local_scan::LocalScan,
    message::message,
    meter::{Meter, Numbers, ScanProblems},
    metrics::Counts,
    object::{ObjectRead, Watched, unchanged},
};

/// The text that a batch may have for each of its rows, in bytes.
const BATCH_BYTES_OF_A_ROW: usize = 512;

/// How many batches may wait for the query. With more, a log of giant lines
/// takes more memory, and is not read faster.
const WAITING: usize = 1;

/// Opens files for a scan.
///
/// A file of this machine is read by the thread of the query that needs its rows,
/// in steps: see [`LocalScan`]. An object is read on a thread of its own, which
/// waits for the store, and batches wait in a channel.
#[derive(Clone)]
pub(crate) struct LogOpener {
    store: Arc<dyn ObjectStore>,
    /// The URL of the store, for the column `file`.
    url: Arc<str>,
    table: Table,
    options: Options,
    columns: Arc<[usize]>,
    wanted: Wanted,
    meter: Meter,
    problems: ScanProblems,
    counts: Counts,
}

impl LogOpener {
    #[expect(clippy::too_many_arguments, reason = "it has one caller")]
    pub(crate) fn new(
        store: Arc<dyn ObjectStore>,
        url: &str,
        table: Table,
        on_error: OnError,
        columns: Vec<usize>,
        wanted: Wanted,
        batch_rows: usize,
        meter: Meter,
        problems: ScanProblems,
        counts: Counts,
    ) -> LogOpener {
        let usual = Options::default();
        // With fewer rows, there is less memory.
        let batch_bytes = batch_rows.saturating_mul(BATCH_BYTES_OF_A_ROW);
        let batch_bytes = batch_bytes.min(usual.batch_bytes);
        let mut options =
            Options { on_error, batch_rows, batch_bytes, ..usual };
        options.reader = options.reader_for(table, &columns, &wanted);
        LogOpener {
            store,
            url: url.into(),
            table,
            options,
            columns: columns.into(),
            wanted,
            meter,
            problems,
            counts,
        }
    }
}

impl FileOpener for LogOpener {
    fn open(&self, file: PartitionedFile) -> Result<FileOpenFuture> {
        let opener = self.clone();
        let size = file.object_meta.size;
        let range = match &file.range {
            None => 0..size,
            Some(range) => {
                let start = u64::try_from(range.start).unwrap_or(0);
                let end = u64::try_from(range.end).unwrap_or(0);
                start..end.min(size)
            }
        };
        Ok(Box::pin(async move {
            if range.is_empty() {
                return Ok(stream::empty().boxed());
            }
            let name = opener.name(&file.object_meta);
            let part = Part { opener, name, size, range };
            match part.opener.is_local() {
                true => part.local(&file),
                false => part.object(file.object_meta).await,
            }
        }))
    }
}

impl LogOpener {
    /// Returns the value of the column `file`: a path that can be opened, or
    /// the URL of an object.
    fn name(&self, meta: &ObjectMeta) -> String {
        if self.is_local() {
            let path = local::decode(&meta.location);
            return path.to_string_lossy().into_owned();
        }
        let location = meta.location.as_ref();
        let url = Url::parse(&self.url).ok().and_then(|mut url| {
            // Characters such as `#` are encoded.
            url.path_segments_mut().ok()?.clear().extend(location.split('/'));
            Some(url.to_string())
        });
        url.unwrap_or_else(|| location.to_string())
    }

    fn is_local(&self) -> bool {
        self.url.starts_with("file:")
    }

    pub(crate) fn meter(&self) -> &Meter {
        &self.meter
    }
}

/// How many bytes decide whether a file is compressed or a JSON array.
pub(crate) const FIRST: u64 = Format::DECIDING as u64;

/// Returns whether a file with these first bytes may be compressed or a JSON array. A file of
/// fewer than [`FIRST`] bytes may be one that was cut off.
pub(crate) fn may_be_compressed(first: &[u8]) -> bool {
    Format::of(first) != Format::Plain || (first.len() as u64) < FIRST
}

/// A range of a file.
pub(crate) struct Part {
    pub(crate) opener: LogOpener,
    /// The value of the column `file`.
    pub(crate) name: String,
    /// The size of the whole file.
    pub(crate) size: u64,
    pub(crate) range: Range<u64>,
}

/// The rows of a range.
pub(crate) type Made = Batches<Box<dyn Read + Send>>;

type Rows = BoxStream<'static, Result<RecordBatch>>;

impl Part {
    /// Reads a file of this machine.
    fn local(self, file: &PartitionedFile) -> Result<Rows> {
        let meta = &file.object_meta;
        let path = local::decode(&meta.location);
        let state = file.extension::<State>().copied();
        let state = state.unwrap_or_else(|| State::elsewhere(meta));
        let tag = meta.e_tag.clone();
        let scan = LocalScan::open(self, &path, state, tag)?;
        let next = |mut scan: LocalScan| async move {
            loop {
                match scan.step()? {
                    Ok(Some(batch)) => return Some((Ok(batch), scan)),
                    Err(error) => return Some((Err(error), scan)),
                    // Others have work to do as well, and the query may have
                    // ended.
                    Ok(None) => tokio::task::yield_now().await,
                }
            }
        };
        Ok(match scan {
            Some(scan) => stream::unfold(scan, next).boxed(),
            None => stream::empty().boxed(),
        })
    }

    /// Reads an object on a blocking thread.
    async fn object(self, meta: ObjectMeta) -> Result<Rows> {
        let (batches, waiting) = mpsc::channel(WAITING);
        let from = self.range.start.saturating_sub(1);
        let requested = from..self.range.end;
        let options = GetOptions {
            range: Some(requested.clone().into()),
            ..unchanged(&meta)
        };
        let store = Arc::clone(&self.opener.store);
        let get = store.get_opts(&meta.location, options.clone()).await;
        let got = get.map_err(|error| self.place(error.into()))?;
        let watched = Watched::new(self.opener.meter.clone(), batches.clone());
        let object = ObjectRead::new(
            store,
            meta,
            requested,
            options,
            got.into_stream(),
            Handle::current(),
            watched,
        );
        tokio::task::spawn_blocking(move || {
            let _open = self.opener.meter.opened();
            if let Err(error) = self.read(object, &batches) {
                // If nobody waits any more, nobody needs the error.
                let _ = batches.blocking_send(Err(self.place(error)));
            }
        });
        let next = |mut waiting: mpsc::Receiver<_>| async move {
            let batch = waiting.recv().await?;
            Some((batch, waiting))
        };
        Ok(stream::unfold(waiting, next).boxed())
    }

    fn read(
        &self,
        mut object: ObjectRead,
        batches: &Sender<Result<RecordBatch>>,
    ) -> Result<()> {
        let mut first = vec![];
        let is_whole = if self.range.start == 0 {
            (&mut object).take(FIRST).read_to_end(&mut first)?;
            may_be_compressed(&first)
        } else {
            may_be_compressed(&object.first(FIRST)?)
        };
        if is_whole {
            object.read_whole(self.size);
        }
        let source = io::Cursor::new(first).chain(object);
        let Some(mut made) = self.batches(is_whole, source)? else {
            return Ok(());
        };
        let mut result = Ok(());
        for batch in made.by_ref() {
            let batch = match batch {
                Ok(batch) => batch,
                Err(error) => {
                    result = Err(plain(error));
                    break;
                }
            };
            if batches.blocking_send(Ok(batch)).is_err() {
                // The query has ended.
                break;
            }
        }
        self.add_problems(&made);
        result
    }

    /// Returns the rows of the range. `is_whole` means that the file may be
    /// compressed, and is read whole. `None` if the file is read whole as part of
    /// another range.
    pub(crate) fn batches(
        &self,
        is_whole: bool,
        source: impl Read + Send + 'static,
    ) -> Result<Option<Made>> {
        let opener = &self.opener;
        let builder = opener.options.reader.clone();
        let range = self.range.clone();
        let reader: Reader<Box<dyn Read + Send>> = match is_whole {
            false => builder.range(range).build(Box::new(source)),
            // It is in the range that contains byte 0.
            true if range.contains(&0) => {
                let source = Decompressed::new(source);
                builder.start(Position::START).build(Box::new(source))
            }
            true => return Ok(None),
        };
        let made =
            Batches::new(reader, &self.name, opener.table, &opener.options)
                .columns(&opener.columns)?
                .wanted(opener.wanted.clone());
        // In a part of a file, the numbers of lines are not known. The scan
        // does not divide files if the query needs them.
        let is_part = !is_whole && self.range != (0..self.size);
        Ok(Some(if is_part { made.without_numbers() } else { made }))
    }

    /// Counts the problems of the range.
    pub(crate) fn add_problems(&self, made: &Made) {
        let cut_files = made.is_cut().into();
        // The cut itself is counted as a bad line.
        let bad_lines = made.bad_lines().saturating_sub(cut_files);
        let found = Numbers { bad_lines, cut_files };
        let cause = made.cut().map(|error| {
            format!("{}: {error}", local::shown(self.name.as_ref()))
        });
        let cause = cause.as_deref().unwrap_or_default();
        let LogOpener { problems, counts, meter, .. } = &self.opener;
        problems.add(found);
        counts.add(found, &self.name, self.range.start, cause);
        if !cause.is_empty() {
            meter.add_cause(cause);
        }
    }

    /// Adds the file to an error. That of a task is sent as text.
    pub(crate) fn place(&self, error: DataFusionError) -> DataFusionError {
        let error = error.context(self.name.clone());
        match self.opener.counts.is_task() {
            true => DataFusionError::Execution(message(&error)),
            false => error,
        }
    }
}

pub(crate) fn plain(error: ArrowError) -> DataFusionError {
    match error {
        ArrowError::ExternalError(error) => DataFusionError::External(error),
        error => error.into(),
    }
}

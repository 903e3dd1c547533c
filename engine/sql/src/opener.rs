//! Opens a file, or a range of it, for a scan.

use std::{
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use datafusion::{
    arrow::{array::RecordBatch, error::ArrowError},
    common::{DataFusionError, Result},
    datasource::{
        listing::PartitionedFile,
        physical_plan::{FileOpenFuture, FileOpener},
    },
    physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder},
};
use futures::{StreamExt, stream};
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
    meter::{BadLines, Meter},
    object::{ObjectRead, Watched},
};

/// The metric of a scan that counts the lines which could not be read.
pub(crate) const BAD_LINES: &str = "bad_lines";

/// How many batches may wait for the query. With more, a log of giant lines
/// takes more memory, and is not read faster.
const WAITING: usize = 1;

/// Opens files for a scan. Lines are read on a blocking thread, and batches
/// wait in a channel.
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
    bad_lines: BadLines,
    /// The same count as a metric of the plan, which a cluster reports.
    metric: Count,
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
        bad_lines: BadLines,
        metrics: &ExecutionPlanMetricsSet,
        partition: usize,
    ) -> LogOpener {
        let mut options =
            Options { on_error, batch_rows, ..Options::default() };
        options.reader = options.reader_for(table, &columns, &wanted);
        LogOpener {
            store,
            url: url.into(),
            table,
            options,
            columns: columns.into(),
            wanted,
            meter,
            bad_lines,
            metric: MetricBuilder::new(metrics).counter(BAD_LINES, partition),
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
            let (batches, waiting) = mpsc::channel(WAITING);
            let state = file.extension::<State>().copied();
            let meta = file.object_meta;
            let name = opener.name(&meta);
            let source = match opener.is_local() {
                true => Source::Local(local::decode(&meta.location), state),
                false => {
                    let object = opener.object(&meta, &range, &batches).await;
                    object.map_err(|error| error.context(name.clone()))?
                }
            };
            tokio::task::spawn_blocking(move || {
                let task = Task { opener, name, size, range, batches };
                task.run(source);
            });
            let next = |mut waiting: mpsc::Receiver<_>| async move {
                let batch = waiting.recv().await?;
                Some((batch, waiting))
            };
            Ok(stream::unfold(waiting, next).boxed())
        }))
    }
}

/// Where the bytes are.
enum Source {
    /// A file that is not open yet, and its state when it was listed.
    Local(PathBuf, Option<State>),
    Object(Box<ObjectRead>),
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

    async fn object(
        &self,
        meta: &ObjectMeta,
        range: &Range<u64>,
        batches: &Sender<Result<RecordBatch>>,
    ) -> Result<Source> {
        let from = range.start.saturating_sub(1);
        let options = GetOptions {
            range: Some((from..range.end).into()),
            // An object that is replaced between planning and reading must not
            // be read in parts of both.
            if_match: meta.e_tag.clone(),
            ..GetOptions::default()
        };
        let get = self.store.get_opts(&meta.location, options.clone());
        let stream = get.await?.into_stream();
        let watched = Watched::new(self.meter.clone(), batches.clone());
        Ok(Source::Object(Box::new(ObjectRead::new(
            Arc::clone(&self.store),
            meta.clone(),
            from..range.end,
            options,
            stream,
            Handle::current(),
            watched,
        ))))
    }
}

/// Reads one range on a blocking thread.
struct Task {
    opener: LogOpener,
    name: String,
    size: u64,
    range: Range<u64>,
    batches: Sender<Result<RecordBatch>>,
}

impl Task {
    fn run(self, source: Source) {
        let _open = self.opener.meter.opened();
        let result = match source {
            Source::Local(path, state) => self.local(&path, state),
            Source::Object(object) => self.object(*object),
        };
        if let Err(error) = result {
            let error = error.context(self.name);
            // If nobody waits any more, nobody needs the error.
            let _ = self.batches.blocking_send(Err(error));
        }
    }

    fn local(&self, path: &Path, state: Option<State>) -> Result<()> {
        let mut file = local::open(path, state)?;
        let handle = file.try_clone()?;
        let format = format(&mut file)?;
        let from = match format {
            Format::Plain => self.range.start.saturating_sub(1),
            _ => 0,
        };
        file.seek(SeekFrom::Start(from))?;
        let watched =
            Watched::new(self.opener.meter.clone(), self.batches.clone());
        // Lines that were appended since are not in the range. What was
        // appended to a compressed file has to be cut off.
        let end = match format {
            Format::Plain => u64::MAX,
            _ => self.size,
        };
        self.read(format, watched.over(file.take(end)))?;
        // A file that was truncated has lost lines which the plan counts on.
        let planned = match format {
            Format::Plain => self.range.end,
            _ => self.size,
        };
        if handle.metadata()?.len() < planned {
            return Err(shrunk());
        }
        match state {
            Some(state) => state.check_unchanged(&handle, self.size),
            None => Ok(()),
        }
    }

    fn object(&self, mut object: ObjectRead) -> Result<()> {
        let mut first = vec![];
        let format = if self.range.start == 0 {
            (&mut object).take(4).read_to_end(&mut first)?;
            Format::of(&first)
        } else {
            object.format()?
        };
        match format {
            Format::Plain => {}
            _ => object.read_whole(self.size),
        }
        self.read(format, io::Cursor::new(first).chain(object))
    }

    fn read(
        &self,
        format: Format,
        source: impl Read + Send + 'static,
    ) -> Result<()> {
        let builder = &self.opener.options.reader;
        let range = self.range.clone();
        let reader: Reader<Box<dyn Read + Send>> = match format {
            Format::Plain => {
                builder.clone().range(range).build(Box::new(source))
            }
            // A compressed file is in the range that contains byte 0.
            _ if range.contains(&0) => {
                let source = Decompressed::new(source);
                let builder = builder.clone().start(Position::START);
                builder.build(Box::new(source))
            }
            _ => return Ok(()),
        };
        let opener = &self.opener;
        let mut made =
            Batches::new(reader, &self.name, opener.table, &opener.options)
                .columns(&opener.columns)?
                .wanted(opener.wanted.clone());
        // In a part of a file, the numbers of lines are not known. The scan
        // does not divide files if the query needs them.
        if format == Format::Plain && self.range != (0..self.size) {
            made = made.without_numbers();
        }
        let mut result = Ok(());
        for batch in made.by_ref() {
            let batch = match batch {
                Ok(batch) => batch,
                Err(error) => {
                    result = Err(plain(error));
                    break;
                }
            };
            if self.batches.blocking_send(Ok(batch)).is_err() {
                // The query has ended.
                break;
            }
        }
        opener.bad_lines.add(made.bad_lines());
        let bad_lines = usize::try_from(made.bad_lines());
        opener.metric.add(bad_lines.unwrap_or(usize::MAX));
        result
    }
}

fn plain(error: ArrowError) -> DataFusionError {
    match error {
        ArrowError::ExternalError(error) => DataFusionError::External(error),
        error => error.into(),
    }
}

pub(crate) fn shrunk() -> DataFusionError {
    let why = "the file has become shorter since the query began";
    DataFusionError::Execution(why.to_string())
}

/// Returns the format of a file, by its first bytes.
fn format(file: &mut std::fs::File) -> io::Result<Format> {
    let mut first = vec![];
    file.seek(SeekFrom::Start(0))?;
    file.take(4).read_to_end(&mut first)?;
    Ok(Format::of(&first))
}

//! Files and objects that are written to while a query reads them.

use std::{fmt, fs, io::Write, sync::Arc, time::Duration};

use datafusion::{
    arrow::array::RecordBatch,
    physical_plan::{collect, execute_stream},
    prelude::SessionContext,
};
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload,
    ObjectMeta, ObjectStore, ObjectStoreExt, PutMultipartOptions, PutOptions,
    PutPayload, PutResult, memory::InMemory, path::Path,
};
use url::Url;

use crate::support::{Folder, LOG, bare, logs};

type Outcome = Result<Vec<RecordBatch>, String>;

/// Plans a query, changes something, and runs the query.
async fn changed_after_planning(
    context: &SessionContext,
    sql: &str,
    change: impl AsyncFnOnce(),
) -> Outcome {
    let frame = context.sql(sql).await.unwrap();
    let plan = frame.create_physical_plan().await.unwrap();
    change().await;
    let done = collect(plan, context.task_ctx()).await;
    done.map_err(|error| error.to_string())
}

/// Begins a query, changes something after its first rows, and goes on.
async fn changed_while_reading(
    context: &SessionContext,
    sql: &str,
    change: impl FnOnce(),
) -> Outcome {
    let frame = context.sql(sql).await.unwrap();
    let plan = frame.create_physical_plan().await.unwrap();
    let mut rows = execute_stream(plan, context.task_ctx()).unwrap();
    let mut batches = vec![rows.next().await.unwrap().unwrap()];
    change();
    let rest: Result<Vec<_>, _> = rows.try_collect().await;
    batches.extend(rest.map_err(|error| error.to_string())?);
    Ok(batches)
}

fn rows_of(outcome: Outcome) -> usize {
    outcome.unwrap().iter().map(RecordBatch::num_rows).sum()
}

const COUNT: &str = "SELECT count(*) AS n, sum(length) AS bytes FROM lines";

/// Returns a log of many batches, whose lines are not those of another number.
fn long_log(number: usize, lines: usize) -> String {
    let line = |at: usize| {
        format!("{{\"type\":\"user\",\"uuid\":\"{number}-{at:09}\"}}\n")
    };
    (0..lines).map(line).collect()
}

/// A file that was truncated and written again counted as one that grew, if it was
/// longer in the end: the sum was that of the first bytes of the new lines.
#[tokio::test]
async fn a_file_that_is_rewritten_and_longer_is_an_error() {
    for partitions in [1, 3] {
        for is_packed in [false, true] {
            let packed = |text: &str| match is_packed {
                true => zstd::encode_all(text.as_bytes(), 0).unwrap(),
                false => text.as_bytes().to_vec(),
            };
            let folder = Folder::new();
            let path = folder.write("a.jsonl", packed(LOG));
            let context = logs(folder.path(), partitions).await;
            let new = packed(&long_log(2, 2_000));
            let change = async || fs::write(&path, &new).unwrap();
            let done = changed_after_planning(&context, COUNT, change).await;
            let why = done.unwrap_err();
            assert!(why.contains("has been overwritten"), "{why}");
            assert!(why.contains("a.jsonl"), "{why}");
        }
    }
}

/// As above, between two batches.
#[tokio::test]
async fn a_file_that_is_rewritten_while_it_is_read_is_an_error() {
    let folder = Folder::new();
    let path = folder.write("a.jsonl", long_log(1, 100_000));
    let context = logs(folder.path(), 1).await;
    let sql = "SELECT uuid FROM lines";
    let new = long_log(2, 120_000);
    let change = || fs::write(&path, &new).unwrap();
    let done = changed_while_reading(&context, sql, change).await;
    let why = done.unwrap_err();
    assert!(why.contains("has been overwritten"), "{why}");
}

#[tokio::test]
async fn a_file_that_grows_while_it_is_read_is_read_as_it_was() {
    for is_packed in [false, true] {
        let packed = |text: &str| match is_packed {
            true => zstd::encode_all(text.as_bytes(), 0).unwrap(),
            false => text.as_bytes().to_vec(),
        };
        let folder = Folder::new();
        let path = folder.write("a.jsonl", packed(&long_log(1, 50_000)));
        let context = logs(folder.path(), 1).await;
        let sql = "SELECT uuid FROM lines";
        let change = || {
            let mut file =
                fs::File::options().append(true).open(&path).unwrap();
            file.write_all(&packed(LOG)).unwrap();
        };
        let done = changed_while_reading(&context, sql, change).await;
        assert_eq!(rows_of(done), 50_000);
    }
}

/// One end of the file is enough to notice it.
#[tokio::test]
async fn a_file_with_another_end_is_an_error() {
    for lines in [1, 2, 10, 100] {
        for is_first in [true, false] {
            let folder = Folder::new();
            let log = long_log(1, lines);
            let path = folder.write("a.jsonl", &log);
            let context = logs(folder.path(), 2).await;
            let mut new = format!("{log}{LOG}");
            let at = if is_first { 25 } else { log.len() - 4 };
            assert!(new.as_bytes()[at].is_ascii_digit(), "{new}");
            new.replace_range(at..=at, "x");
            let change = async || fs::write(&path, &new).unwrap();
            let done = changed_after_planning(&context, COUNT, change).await;
            let why = done.unwrap_err();
            assert!(why.contains("has been overwritten"), "{why}");
        }
    }
}

/// A file that was shorter for a moment, and then long again, lost the lines that
/// were to be read in this moment.
#[tokio::test]
async fn a_file_that_is_short_for_a_moment_is_an_error() {
    let folder = Folder::new();
    let long = format!("-\",\"text\":\"{}", "x".repeat(1_000));
    let log = long_log(1, 10_000).replace('-', &long);
    let path = folder.write("a.jsonl", &log);
    let context = logs(folder.path(), 1).await;
    let frame = context.sql("SELECT uuid FROM lines").await.unwrap();
    let plan = frame.create_physical_plan().await.unwrap();
    let mut rows = execute_stream(plan, context.task_ctx()).unwrap();
    let first = rows.next().await.unwrap().unwrap();
    assert!(first.num_rows() < 9_000);
    // At the end of a line.
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_len(log.len() as u64 / 10_000 * 9_500).unwrap();
    let second = rows.next().await.unwrap();
    fs::write(&path, &log).unwrap();
    let why = second.unwrap_err().to_string();
    assert!(why.contains("has become shorter"), "{why}");
}

/// A store that has no tags, as some servers of files.
#[derive(Debug)]
struct Untagged(InMemory);

impl fmt::Display for Untagged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The times of HTTP are full seconds, so a larger object is later by some of them.
fn untagged(meta: ObjectMeta) -> ObjectMeta {
    let last_modified = meta.last_modified + Duration::from_secs(meta.size);
    ObjectMeta { last_modified, e_tag: None, version: None, ..meta }
}

#[async_trait::async_trait]
impl ObjectStore for Untagged {
    async fn put_opts(
        &self,
        to: &Path,
        bytes: PutPayload,
        options: PutOptions,
    ) -> object_store::Result<PutResult> {
        self.0.put_opts(to, bytes, options).await
    }

    async fn put_multipart_opts(
        &self,
        to: &Path,
        options: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        self.0.put_multipart_opts(to, options).await
    }

    async fn get_opts(
        &self,
        from: &Path,
        options: GetOptions,
    ) -> object_store::Result<GetResult> {
        let unconditional =
            GetOptions { if_unmodified_since: None, ..options.clone() };
        let got = self.0.get_opts(from, unconditional).await?;
        let meta = untagged(got.meta.clone());
        options.check_preconditions(&meta)?;
        Ok(GetResult { meta, ..got })
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        self.0.delete_stream(paths)
    }

    fn list(
        &self,
        prefix: Option<&Path>,
    ) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.0.list(prefix).map_ok(untagged).boxed()
    }

    async fn list_with_delimiter(
        &self,
        prefix: Option<&Path>,
    ) -> object_store::Result<ListResult> {
        self.0.list_with_delimiter(prefix).await
    }

    async fn copy_opts(
        &self,
        from: &Path,
        to: &Path,
        options: CopyOptions,
    ) -> object_store::Result<()> {
        self.0.copy_opts(from, to, options).await
    }
}

/// Without a tag, nothing was compared, and the first bytes of the new object were
/// read.
#[tokio::test]
async fn an_object_that_is_replaced_is_an_error_without_a_tag_too() {
    for is_tagged in [true, false] {
        let store: Arc<dyn ObjectStore> = match is_tagged {
            true => Arc::new(InMemory::new()),
            false => Arc::new(Untagged(InMemory::new())),
        };
        let path = Path::from("a.jsonl");
        store.put(&path, PutPayload::from(LOG)).await.unwrap();
        let context = bare(2);
        let url = Url::parse("memory://bucket").unwrap();
        context.register_object_store(&url, Arc::clone(&store));
        let sql = "SELECT count(*) FROM agent_logs('memory://bucket/')";
        let same = changed_after_planning(&context, sql, async || {}).await;
        assert_eq!(rows_of(same), 1);
        let new = PutPayload::from(long_log(2, 2_000));
        let change = async || _ = store.put(&path, new).await.unwrap();
        let done = changed_after_planning(&context, sql, change).await;
        let why = done.unwrap_err();
        assert!(why.contains("a.jsonl"), "{why}");
    }
}

/// A log that was appended to was an error if it was looked at between two steps of the
/// system: its time had changed, and its size had not yet.
#[tokio::test]
async fn a_file_may_grow_a_moment_after_its_time_has_changed() {
    // On a busy machine, the moment may be too long.
    for _ in 0..20 {
        if grown_in_a_moment().await {
            return;
        }
    }
    panic!("it was never waited for");
}

/// Returns whether all rows were read, and not an error.
async fn grown_in_a_moment() -> bool {
    let folder = Folder::new();
    let path = folder.write("a.jsonl", LOG);
    let context = logs(folder.path(), 1).await;
    let mut file = fs::File::options().append(true).open(&path).unwrap();
    let mut appends = None;
    let change = async || {
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
        appends = Some(std::thread::spawn(move || {
            // Nothing waits for this: it is the moment between the two steps.
            std::thread::sleep(Duration::from_millis(10));
            file.write_all(b"{\"type\":\"user\"}\n").unwrap();
        }));
    };
    let sql = "SELECT type FROM lines";
    let done = changed_after_planning(&context, sql, change).await;
    appends.unwrap().join().unwrap();
    match done {
        Ok(_) => {
            assert_eq!(rows_of(done), LOG.lines().count());
            true
        }
        Err(why) => {
            assert!(why.contains("has been overwritten"), "{why}");
            false
        }
    }
}

/// It does not grow.
#[tokio::test]
async fn a_file_with_another_time_is_an_error() {
    let folder = Folder::new();
    let path = folder.write("a.jsonl", LOG);
    let context = logs(folder.path(), 1).await;
    let file = fs::File::options().append(true).open(&path).unwrap();
    let change = async || file.set_modified(std::time::UNIX_EPOCH).unwrap();
    let sql = "SELECT type FROM lines";
    let done = changed_after_planning(&context, sql, change).await;
    let why = done.unwrap_err();
    assert!(why.contains("has been overwritten"), "{why}");
}

//! What the tests of the engine's crates share: folders, logs, rows as JSON, and
//! signals. All functions panic on errors, which fail the test.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{self, Child, Command},
    sync::atomic::{AtomicU32, Ordering},
};

use arrow_array::RecordBatch;
use arrow_json::{WriterBuilder, writer::JsonArray};
use serde_json::Value;

/// A folder that is removed at the end of a test.
#[derive(Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    /// Creates an empty folder.
    #[expect(clippy::new_without_default, reason = "it creates a folder")]
    pub fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("linetape-engine-{}-{next}", process::id());
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// Writes a file, whose name may have folders in it.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Returns the path of the folder as text.
    pub fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A process that was killed a moment ago may still have a file there.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the folder of the project's fixtures.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data")
}

/// Returns the logs of a folder. There must be some.
pub fn logs_in(folder: impl AsRef<Path>) -> Vec<PathBuf> {
    let folder = folder.as_ref();
    let logs = linetape_flow::logs(folder).unwrap();
    assert!(!logs.is_empty(), "{} has no logs", folder.display());
    logs
}

/// Returns rows as an array of objects.
pub fn json(batches: &[RecordBatch]) -> Value {
    let builder = WriterBuilder::new().with_explicit_nulls(true);
    let mut writer = builder.build::<_, JsonArray>(vec![]);
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    serde_json::from_slice(&writer.into_inner()).unwrap()
}

/// Sends a signal, such as `-TERM`, to a process.
pub fn signal(process: &Child, signal: &str) {
    let id = process.id().to_string();
    let sent = Command::new("kill").args([signal, &id]).status();
    assert!(sent.unwrap().success());
}

/// Returns whether SIGHUP ends the processes that this one starts. Only Linux tells it,
/// and only there it is handled.
pub fn obeys_hangup() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let ignored = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.map(|mask| u64::from_str_radix(mask.trim(), 16));
    ignored.is_some_and(|mask| mask.unwrap() & 1 == 0)
}

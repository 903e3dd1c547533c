//! The folder of an executor.

use std::{
    fs,
    fs::File,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use crate::support::{Cluster, Folder, Process, rows};

const EXECUTOR: &str = env!("CARGO_BIN_EXE_linetape-executor");

/// Starts an executor with a folder for rows.
fn start(cluster: &Cluster, folder: &Path, log: PathBuf) -> Process {
    let folder = folder.to_str().unwrap();
    let arguments = [
        "--scheduler",
        &cluster.address,
        "--work-dir",
        folder,
        "--threads",
        "1",
    ];
    let mut executor = Process::start(EXECUTOR, &arguments, log);
    executor.wait_for_lines("linetape-executor: working for", 1);
    executor
}

/// Returns the names of what is in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |path: PathBuf| path.file_name().unwrap().to_owned();
    let names = entries.map(|entry| name(entry.unwrap().path()));
    let mut names: Vec<String> =
        names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// Makes a file or a folder two days old.
fn age(path: &Path) {
    let time = SystemTime::now() - Duration::from_secs(48 * 3600);
    File::open(path).unwrap().set_modified(time).unwrap();
}

/// Ballista removed all folders in it: the old ones at the start, and the others at the
/// end. Intermediate rows could be read by every user of the machine.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn the_folders_of_others_are_not_touched() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    folder.write("logs/a.jsonl", "{\"type\":\"user\"}\n");
    folder.write("work/new/sub/file", "hi");
    folder.write("work/old/sub/file", "hi");
    let work = folder.0.join("work");
    for path in ["old/sub/file", "old/sub", "old"] {
        age(&work.join(path));
    }
    let cluster = Cluster::start(0);
    let mut one = start(&cluster, &work, folder.0.join("1.log"));
    let mut two = start(&cluster, &work, folder.0.join("2.log"));
    let logs = folder.0.join("logs");
    let context = cluster.context(logs.to_str().unwrap(), 1).await;
    let sql = "SELECT type, count(*) AS n FROM lines GROUP BY type";
    let expected = ["{\"n\":1,\"type\":\"user\"}"];
    assert_eq!(rows(&context, sql).await, expected);

    let found = names(&work);
    let ours = |name: &&String| name.starts_with("linetape-executor-");
    assert_eq!(found.iter().filter(ours).count(), 2, "{found:?}");
    for name in found.iter().filter(ours) {
        let mode = work.join(name).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{name}");
    }
    assert_eq!(found.len(), 4, "{found:?}");

    // The end of one is not that of the other.
    one.signal("-TERM");
    assert_eq!(one.end(), Some(0));
    assert_eq!(names(&work).len(), 3);
    assert_eq!(rows(&context, sql).await, expected);
    two.signal("-TERM");
    assert_eq!(two.end(), Some(0));
    assert_eq!(names(&work), ["new", "old"]);
    for name in ["new", "old"] {
        let file = work.join(name).join("sub/file");
        assert_eq!(fs::read_to_string(file).unwrap(), "hi");
    }
}

/// The temporary folder could be read by every user of the machine, although it was
/// said that it cannot.
#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_temporary_folder() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    let cluster = Cluster::start(0);
    // It is the temporary folder of the process, too.
    let log = folder.0.join("executor.log");
    let arguments = ["--scheduler", cluster.address.as_str()];
    let mut executor = Process::start(EXECUTOR, &arguments, log);
    executor.wait_for_lines("linetape-executor: working for", 1);
    let found = names(&folder.0);
    let [_, ours] = found.as_slice() else { panic!("{found:?}") };
    let mode = folder.0.join(ours).metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "{ours}");
    executor.signal("-TERM");
    assert_eq!(executor.end(), Some(0));
    assert_eq!(names(&folder.0), ["executor.log"]);
}

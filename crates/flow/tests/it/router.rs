//! Splitting a stream into the files of a folder.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use linetape_flow::{Checkpoints, Event, Follow, Router};

use crate::support::{Folder, Random};

/// Returns the files of a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let file = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        (name, fs::read_to_string(&path).unwrap())
    };
    entries.map(|entry| file(entry.path())).collect()
}

fn route(router: &mut Router, log: &str) {
    let mut lines = linetape::lines(log.as_bytes());
    while let Some(line) = lines.next_line() {
        router.route(&line.unwrap()).unwrap();
    }
}

const LOG: &str = "{\"type\":\"user\",\"sessionId\":\"../../x\",\"n\": 1 }\r\n\
    {\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"b\"}\n\
    {\"session_id\":\"b\",\"type\":\"user\"}\n\
    {\"no\":\"type\"}";

#[test]
fn lines_go_to_the_file_of_their_key_unchanged() {
    let folder = Folder::new();
    let out = folder.0.join("deep/er/out");
    route(&mut Router::by_session(&out).unwrap(), LOG);
    let expected = [
        (
            "%2E.%2F..%2Fx.jsonl",
            "{\"type\":\"user\",\"sessionId\":\"../../x\",\"n\": 1 }\r\n",
        ),
        ("_none.jsonl", "{\"no\":\"type\"}\n"),
        (
            "b.jsonl",
            "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"b\"}\n\
             {\"session_id\":\"b\",\"type\":\"user\"}\n",
        ),
    ];
    let expected = expected.map(|(n, text)| (n.to_string(), text.to_string()));
    assert_eq!(files(&out), BTreeMap::from(expected));
    // Nothing was written elsewhere.
    assert_eq!(fs::read_dir(folder.0.join("deep")).unwrap().count(), 1);
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);

    let out = folder.0.join("kinds");
    route(&mut Router::by_kind(&out).unwrap(), LOG);
    let names: Vec<String> = files(&out).into_keys().collect();
    let expected = ["_none.jsonl", "system%2Finit.jsonl", "user.jsonl"];
    assert_eq!(names, expected);
}

/// The CR of a line that ends with CR and LF was dropped. The reference
/// implementation is the log.
#[test]
fn lines_keep_their_terminator() {
    let folder = Folder::new();
    let log = "{\"n\":1}\r\n{\"n\":2}\n{\"n\":3}\r\r\n {} \r\n[]\r";
    for open in [1, 64] {
        let out = folder.0.join(format!("{open}"));
        let key = |_: &linetape::Line<'_>| Ok(Some("all".to_string()));
        let mut router = Router::by(&out, key).unwrap().open_files(open);
        route(&mut router, log);
        router.write("all", b"{}").unwrap();
        drop(router);
        assert_eq!(files(&out)["all.jsonl"], format!("{log}\n{{}}\n"));
    }
}

/// With few open files, all lines are written, in order. The reference
/// implementation is a map.
#[test]
fn few_files_are_open_at_a_time() {
    for open in [0, 1, 2, 7, 100] {
        let folder = Folder::new();
        let mut random = Random(77 + open as u64);
        let mut router = Router::by_kind(&folder.0).unwrap().open_files(open);
        let mut expected: BTreeMap<String, String> = BTreeMap::new();
        for n in 0..3000 {
            let key = format!("k{}", random.below(20));
            let line = format!("{{\"n\":{n}}}");
            router.write(&key, line.as_bytes()).unwrap();
            let text = expected.entry(format!("{key}.jsonl")).or_default();
            *text += &format!("{line}\n");
            if cfg!(target_os = "linux") && n % 500 == 0 {
                let root = fs::canonicalize(&folder.0).unwrap();
                let handles = fs::read_dir("/proc/self/fd").unwrap();
                let count = handles
                    .filter_map(|handle| {
                        fs::read_link(handle.ok()?.path()).ok()
                    })
                    // The folder itself is locked.
                    .filter(|path| path.starts_with(&root) && *path != root)
                    .count();
                assert!(count <= open.max(1), "{count} files are open");
            }
        }
        router.flush().unwrap();
        assert_eq!(files(&folder.0), expected);
    }
}

/// A last line that was cut off in an earlier run is removed.
#[test]
fn a_half_line_of_an_earlier_run_is_repaired() {
    let long = "x".repeat(10_000);
    for (before, kept) in [
        ("{}\n{\"half".to_string(), "{}\n".to_string()),
        ("{\"half".to_string(), String::new()),
        (format!("{{}}\n{long}"), "{}\n".to_string()),
        (format!("{long}\n{long}"), format!("{long}\n")),
        ("{}\n".to_string(), "{}\n".to_string()),
        (String::new(), String::new()),
    ] {
        let folder = Folder::new();
        folder.write("k.jsonl", &before);
        let mut router = Router::by_kind(&folder.0).unwrap();
        router.write("k", b"{\"new\":1}").unwrap();
        drop(router);
        let text = fs::read_to_string(folder.0.join("k.jsonl")).unwrap();
        assert_eq!(text, format!("{kept}{{\"new\":1}}\n"));
        // Or all that was there is replaced, once.
        let router = Router::by_kind(&folder.0).unwrap();
        let mut router = router.replacing().open_files(1);
        for key in ["k", "other", "k"] {
            router.write(key, b"{\"new\":2}").unwrap();
        }
        drop(router);
        let text = fs::read_to_string(folder.0.join("k.jsonl")).unwrap();
        assert_eq!(text, "{\"new\":2}\n{\"new\":2}\n");
    }
}

/// Lines that were written after the last checkpoint are delivered again. None
/// is lost, and none that was cut stays.
#[test]
fn a_router_that_is_synced_before_each_checkpoint_loses_nothing() {
    for seed in 1..12 {
        let folder = Folder::new();
        let out = folder.0.join("out");
        folder.write("out/old.jsonl", "{\"old\":1}\n{\"ha");
        folder.write("out/k1.jsonl", "{\"before\":1}\n");
        let mut random = Random(seed * 7919);
        let mut log = String::new();
        let mut expected = BTreeMap::from([
            ("old.jsonl".to_string(), "{\"old\":1}\n{\"ha".to_string()),
            ("k1.jsonl".to_string(), "{\"before\":1}\n".to_string()),
        ]);
        for n in 0..200 {
            let key = format!("k{}", random.below(9));
            let line = format!("{{\"type\":\"{key}\",\"n\":{n}}}\n");
            *expected.entry(format!("{key}.jsonl")).or_default() += &line;
            log += &line;
        }
        let path = folder.write("log.jsonl", &log);
        let state = folder.0.join("state");
        // Runs that are killed at some line, and the last one.
        let mut ends: Vec<usize> = (0..6).map(|_| random.below(90)).collect();
        ends.push(usize::MAX);
        for end in ends {
            let mut saved = Checkpoints::open(&state).unwrap();
            let mut router = Router::by_kind(&out).unwrap().open_files(3);
            let mut follow = saved.resume(Follow::new(&path));
            let mut count = 0;
            let mut last = None;
            while count < end {
                let Event::Line(line) = follow.next_event().unwrap() else {
                    break;
                };
                let mut decoder = linetape::Decoder::new();
                let line = line.line(&mut decoder);
                last = line.kind().unwrap().name().map(str::to_string);
                router.route(&line).unwrap();
                count += 1;
                if random.below(10) == 0 {
                    router.sync().unwrap();
                    saved.update(&mut follow);
                    saved.save().unwrap();
                    last = None;
                }
            }
            drop(router);
            // The last line is cut. It is delivered again.
            if end != usize::MAX
                && let Some(key) = last
            {
                let file = out.join(format!("{key}.jsonl"));
                let text = fs::read_to_string(&file).unwrap();
                fs::write(file, &text[..text.len() - 3]).unwrap();
            }
        }
        let mut found = files(&out);
        found.retain(|name, _| expected.contains_key(name));
        for text in found.values_mut() {
            let mut seen = BTreeSet::new();
            let lines = text.split_inclusive('\n');
            *text = lines.filter(|line| seen.insert(*line)).collect();
        }
        assert_eq!(found, expected, "seed {seed}");
    }
}

#[test]
fn a_line_with_a_newline_is_refused() {
    let folder = Folder::new();
    let mut router = Router::by_kind(&folder.0).unwrap();
    assert!(router.write("k", b"a\nb").is_err());
    assert!(files(&folder.0).is_empty());
}

/// A link in the folder could lead elsewhere.
#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let folder = Folder::new();
    let other = folder.write("other", "{}\n");
    let out = folder.0.join("out");
    fs::create_dir(&out).unwrap();
    std::os::unix::fs::symlink(&other, out.join("k.jsonl")).unwrap();
    let mut router = Router::by_kind(&out).unwrap();
    assert!(router.write("k", b"{}").is_err());
    router.write("l", b"{}").unwrap();
    drop(router);
    assert_eq!(fs::read_to_string(other).unwrap(), "{}\n");
}

/// A full disk: only whole lines are in the file. `/dev/full` is no regular
/// file, so the limit on the size of files takes its place. The limit holds for
/// the child's output too: inherited, it failed where the tests' own output is
/// a file of over 40 KiB. So the child writes to pipes.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_whole_lines() {
    use std::process::Command;

    let folder = Folder::new();
    let this = std::env::current_exe().unwrap();
    // 40 KiB, in units of 1,024 bytes.
    let script = "trap '' XFSZ; ulimit -f 40 && exec \"$0\" \"$@\"";
    let child = Command::new("bash")
        .args(["-c", script])
        .arg(this)
        .args(["router::the_full_disk", "--exact", "--ignored"])
        .env("LINETAPE_FLOW_CHILD", &folder.0)
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
    let text = fs::read_to_string(folder.0.join("k.jsonl")).unwrap();
    assert!(text.ends_with("}\n") && text.len() <= 40 << 10);
    let count = text.lines().count();
    assert!(count > 3000, "{count}");
    for (n, line) in text.lines().enumerate() {
        assert_eq!(line, format!("{{\"n\":{n}}}"));
    }
}

/// The child process of the test above.
#[test]
#[ignore = "the child process of another test"]
fn the_full_disk() {
    let Some(folder) = std::env::var_os("LINETAPE_FLOW_CHILD") else {
        return;
    };
    let mut router = Router::by_kind(PathBuf::from(folder)).unwrap();
    let mut error = None;
    for n in 0..10_000 {
        let line = format!("{{\"n\":{n}}}");
        if let Err(why) = router.write("k", line.as_bytes()) {
            error = Some(why);
            break;
        }
    }
    let error = error.unwrap_or_else(|| router.flush().unwrap_err());
    assert!(error.io_error().is_some(), "{error}");
}

/// A file that appeared after the router was created was emptied.
#[test]
fn a_file_that_appears_later_is_appended_to() {
    let folder = Folder::new();
    let mut router = Router::by_session(&folder.0).unwrap();
    let path = folder.write("s.jsonl", "{\"before\":1}\n");
    router.write("s", b"{}").unwrap();
    drop(router);
    let text = fs::read_to_string(path).unwrap();
    assert_eq!(text, "{\"before\":1}\n{}\n");
}

/// Two routers emptied each other's files.
#[cfg(unix)]
#[test]
fn two_routers_exclude_each_other() {
    let folder = Folder::new();
    let mut first = Router::by_session(&folder.0).unwrap();
    first.write("s", b"{}").unwrap();
    let error = Router::by_kind(&folder.0).unwrap_err();
    let kind = error.io_error().map(std::io::Error::kind);
    assert_eq!(kind, Some(std::io::ErrorKind::WouldBlock));
    // It named line 1 and not the folder.
    let why = "another router writes to this folder";
    let text = format!("{}: {why}", folder.0.display());
    assert_eq!(error.to_string(), text);
    drop(first);
    Router::by_kind(&folder.0).unwrap();
}

/// After a sync that failed, the next one did not try it again, and reported
/// success.
#[test]
fn a_file_that_could_not_be_synced_is_tried_again() {
    let folder = Folder::new();
    let router = Router::by_session(&folder.0).unwrap();
    let mut router = router.open_files(1);
    for key in ["a", "b"] {
        router.write(key, b"{}").unwrap();
    }
    let (file, away) = (folder.0.join("a.jsonl"), folder.0.join("away"));
    fs::rename(&file, &away).unwrap();
    for _ in 0..2 {
        assert!(router.sync().is_err());
    }
    fs::rename(&away, &file).unwrap();
    router.sync().unwrap();
}

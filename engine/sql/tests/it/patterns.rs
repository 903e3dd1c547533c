//! Patterns of paths.

use std::{fs, path::Path, sync::Arc};

use object_store::{ObjectStoreExt, memory::InMemory, path};
use serde_json::json;
use url::Url;

use crate::support::{Folder, bare, error, rows};

const LINE: &str = "{\"type\":\"user\"}\n";

async fn count(pattern: impl AsRef<Path>) -> i64 {
    let pattern = pattern.as_ref().to_str().unwrap().to_string();
    let sql = format!("SELECT count(*) AS n FROM agent_logs('{pattern}')");
    rows(&bare(2), &sql).await[0]["n"].as_i64().unwrap()
}

/// `folder/**` left out the files of the folder itself.
#[tokio::test]
async fn two_stars_are_all_files_below() {
    let folder = Folder::new();
    for name in ["a.jsonl", "b/c.jsonl", "b/d/e.jsonl", ".f/g.jsonl", "x.txt"]
    {
        folder.write(&format!("gl/{name}"), LINE);
    }
    folder.write("other/a.jsonl", LINE);
    for (pattern, expected) in [
        ("gl/**", 4),
        ("gl/**/", 4),
        ("gl/**/*", 4),
        ("gl/**/*.jsonl", 4),
        ("gl/**/**", 4),
        ("gl/*", 4),
        ("gl/*.jsonl", 1),
        ("gl/*/", 3),
        ("gl/**/d/*", 1),
        ("gl/b/**", 2),
        ("gl/**/e.jsonl", 1),
        ("*/a.jsonl", 2),
        ("g[k-m]/?.jsonl", 1),
        ("gl/../gl/b/*.jsonl", 1),
        ("**", 5),
    ] {
        let found = count(folder.0.join(pattern)).await;
        assert_eq!(found, expected, "{pattern}");
    }
    for pattern in ["gl/*.json", "none/**", "gl/x.txt/*"] {
        let sql =
            format!("SELECT * FROM agent_logs('{}/{pattern}')", folder.path());
        let why = error(&bare(1), &sql).await;
        assert!(why.contains("matches"), "{pattern}: {why}");
    }
    let sql = format!("SELECT * FROM agent_logs('{}/a**')", folder.path());
    let why = error(&bare(1), &sql).await;
    assert!(why.contains("recursive wildcards"), "{why}");
}

#[tokio::test]
async fn two_stars_are_all_objects_below() {
    let store = InMemory::new();
    for name in ["gl/a.jsonl", "gl/b/c.jsonl", "other/a.jsonl"] {
        store.put(&path::Path::from(name), LINE.into()).await.unwrap();
    }
    let context = bare(1);
    let url = Url::parse("memory://bucket").unwrap();
    context.register_object_store(&url, Arc::new(store));
    for pattern in ["gl/**", "gl/**/*.jsonl"] {
        let sql = format!(
            "SELECT count(*) AS n FROM agent_logs('memory://bucket/{pattern}')"
        );
        assert_eq!(rows(&context, &sql).await, json!([{"n": 2}]), "{pattern}");
    }
}

/// A file whose name is not Unicode was left out, though its folder has it.
#[cfg(unix)]
#[tokio::test]
async fn a_name_that_is_not_unicode_matches() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let folder = Folder::new();
    folder.write("a.jsonl", LINE);
    let name = OsStr::from_bytes(b"b\xFF.jsonl");
    fs::write(folder.0.join(name), LINE).unwrap();
    let inner = folder.0.join(OsStr::from_bytes(b"c\xFE"));
    fs::create_dir(&inner).unwrap();
    fs::write(inner.join("d.jsonl"), LINE).unwrap();
    assert_eq!(count(&folder.0).await, 3);
    for (pattern, expected) in
        [("*.jsonl", 2), ("**", 3), ("**/*.jsonl", 3), ("b?.jsonl", 1)]
    {
        let found = count(folder.0.join(pattern)).await;
        assert_eq!(found, expected, "{pattern}");
    }
}

/// A link to a folder above it does not go on for ever.
#[cfg(unix)]
#[tokio::test]
async fn links_to_folders_are_followed_once() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new();
    folder.write("gl/a.jsonl", LINE);
    folder.write("far/b.jsonl", LINE);
    symlink("..", folder.0.join("gl/up")).unwrap();
    symlink("../far", folder.0.join("gl/far")).unwrap();
    // Two that lead to each other.
    symlink("../gl", folder.0.join("far/gl")).unwrap();
    let found = count(folder.0.join("gl/**/*.jsonl")).await;
    assert_eq!(found, 2);
}

/// `[^a]` matched `^` and `a`, and in a shell all others.
#[tokio::test]
async fn a_negation_of_shells_is_refused() {
    let folder = Folder::new();
    for name in ["a.jsonl", "b.jsonl", "c.jsonl"] {
        folder.write(&format!("gl/{name}"), LINE);
    }
    assert_eq!(count(folder.0.join("gl/[!a].jsonl")).await, 2);
    let pattern = folder.0.join("gl/[^a].jsonl");
    let sql =
        format!("SELECT * FROM agent_logs('{}')", pattern.to_str().unwrap());
    let why = error(&bare(2), &sql).await;
    assert!(why.contains("[^a].jsonl") && why.contains("[!"), "{why}");
}

/// Folders with links to each other took a time that grew with their factorial.
#[cfg(unix)]
#[tokio::test]
async fn many_links_to_each_other_are_followed_once() {
    use std::os::unix::fs::symlink;

    const FOLDERS: usize = 12;
    let folder = Folder::new();
    for at in 0..FOLDERS {
        folder.write(&format!("gl/{at}/a.jsonl"), LINE);
        for other in (0..FOLDERS).filter(|&other| other != at) {
            let link = folder.0.join(format!("gl/{at}/to-{other}"));
            symlink(format!("../{other}"), link).unwrap();
        }
    }
    for pattern in ["gl/**", "gl/**/*.jsonl", "gl/**/to-*/*.jsonl"] {
        let found = count(folder.0.join(pattern)).await;
        assert_eq!(found, FOLDERS as i64, "{pattern}");
    }
}

/// The folder `[x]` could not be named in a pattern: it was taken for one of `x`. Then it
/// could, but only if there was no `x`, so that `[y]` and `[y]/*` were different folders.
#[tokio::test]
async fn a_name_with_brackets_matches_itself() {
    let folder = Folder::new();
    folder.write("[x]/a.jsonl", LINE);
    folder.write("[x]/b.jsonl", LINE);
    folder.write("[y]/a.jsonl", LINE.repeat(5));
    folder.write("y/a.jsonl", LINE);
    folder.write("z/a.jsonl", LINE.repeat(7));
    folder.write("[q]*/a.jsonl", LINE.repeat(11));
    for (pattern, expected) in [
        ("[x]", 2),
        ("[x]/*.jsonl", 2),
        ("[x]/**", 2),
        ("[x]/?.jsonl", 2),
        ("*/[a]*", 1 + 5 + 1 + 7 + 11),
        // There is another folder that matches.
        ("[y]", 5),
        ("[y]/*.jsonl", 5),
        ("[y]/**", 5),
        // There is none of this name.
        ("[z]/*.jsonl", 7),
        ("[yz]/*.jsonl", 1 + 7),
        // Nothing matches it.
        ("[q]*/*.jsonl", 11),
    ] {
        let found = count(folder.0.join(pattern)).await;
        assert_eq!(found, expected, "{pattern}");
    }
    // Now something does.
    folder.write("q1/a.jsonl", LINE);
    assert_eq!(count(folder.0.join("[q]*/*.jsonl")).await, 1);
}

/// A folder whose name is not a valid pattern could not be read, and the message did not
/// name the pattern.
#[tokio::test]
async fn a_name_that_is_no_valid_pattern_is_a_name() {
    let folder = Folder::new();
    folder.write("a[b/x.jsonl", LINE);
    assert_eq!(count(folder.0.join("a[b/*.jsonl")).await, 1);
    let sql =
        format!("SELECT * FROM agent_logs('{}/c[d/*.jsonl')", folder.path());
    let why = error(&bare(1), &sql).await;
    assert!(why.contains("in the pattern `c[d`, at character 2"), "{why}");
}

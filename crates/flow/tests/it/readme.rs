//! The example in the README of the workspace is compiled in that of the crate,
//! and its loop is run.

use std::path::Path;

use linetape::{BytesLine, Error, Reader};
use linetape_flow::{Checkpoints, Event, Follow};

use crate::support::Folder;

/// Returns the first block of code after a heading, without hidden lines.
fn example(readme: &str) -> String {
    let readme = readme.replace("\r\n", "\n");
    let (_, chapter) = readme.split_once("\n## In a pipeline\n").unwrap();
    let (_, code) = chapter.split_once("\n```rust,").unwrap();
    let (code, _) = code.split_once("\n```\n").unwrap();
    let lines = code.lines().skip(1).filter(|line| !line.starts_with("# "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The chapter had no examples. The library cannot compile them, since it does
/// not depend on this crate.
#[test]
fn the_example_of_a_pipeline_is_compiled() {
    let compiled = example(include_str!("../../README.md"));
    assert!(compiled.contains("Router") && compiled.contains("LineCodec"));
    assert_eq!(example(include_str!("../../../../README.md")), compiled);
}

/// Runs the loop of the README. Returns the lines that it prints, and what it
/// writes to the standard error.
fn run(
    state: &Path,
    growing: Follow,
) -> Result<(Vec<Vec<u8>>, Vec<String>), Error> {
    let (mut lines, mut errors) = (vec![], vec![]);
    let mut print = |line: BytesLine| lines.push(line.as_bytes().to_vec());
    macro_rules! eprintln {
        ($text:literal, $path:expr) => {{
            errors.push(format!($text, $path));
            assert!(errors.len() < 10, "it never ends: {errors:?}");
        }};
    }
    let mut saved = Checkpoints::open(state)?;
    let mut growing = saved.resume(growing);
    loop {
        match growing.next_event() {
            Ok(Event::Line(line)) => print(line),
            Ok(Event::CaughtUp) => break, // or save, wait and go on
            Ok(_) => {}
            // Not `?`: the next run would meet the bad line again.
            Err(error) => eprintln!("{}: {error}", growing.path().display()),
        }
    }
    saved.update(&mut growing);
    saved.save()?;
    Ok((lines, errors))
}

/// The loop was left by `?`, before the checkpoint was saved. So each run ended
/// at the same line that is too long, and no run read the lines after it.
#[test]
fn the_loop_passes_a_line_that_is_too_long() {
    let lines = |text: &str| -> String {
        text.lines().map(|line| format!("{}\n", line.trim())).collect()
    };
    let readme = example(include_str!("../../README.md"));
    let (_, documented) = readme.split_once("\nloop {\n").unwrap();
    let this = lines(include_str!("readme.rs"));
    assert!(this.contains(&lines(documented)), "{documented}");

    let folder = Folder::new();
    let log = |name: &str, rest: &str| {
        let long = "x".repeat(100);
        let text = format!("{{\"a\":1}}\n{{\"{long}\":1}}\n{rest}");
        folder.write(name, text)
    };
    let read = |growing: Follow| {
        let state = folder.0.join("state");
        let (lines, errors) = run(&state, growing).unwrap();
        let lines = lines.into_iter().map(|line| line.len());
        let is_long = |e: &String| e.contains("line too long: 106 bytes");
        assert!(errors.iter().all(is_long), "{errors:?}");
        (lines.collect::<Vec<_>>(), errors.len())
    };
    let builder = Reader::builder().max_line(64);
    let logs = folder.0.join("logs");
    for name in ["logs/one.jsonl", "logs/two.jsonl"] {
        log(name, "{\"bb\":1}\n");
    }
    let all = || Follow::folder_with_builder(&logs, builder.clone());
    assert_eq!(read(all()), (vec![7, 8, 7, 8], 2));
    assert_eq!(read(all()), (vec![], 0));
    log("logs/one.jsonl", "{\"bb\":1}\n{\"ccc\":1}\n");
    assert_eq!(read(all()), (vec![9], 0));

    // The line is the last one, of a single file.
    let path = log("alone", "");
    let alone = || Follow::with_builder(&path, builder.clone());
    assert_eq!(read(alone()), (vec![7], 1));
    assert_eq!(read(alone()), (vec![], 0));
    log("alone", "{\"bb\":1}\n");
    assert_eq!(read(alone()), (vec![8], 0));
}

/// The loop never ended: a folder, or another thing that cannot be read, was an
/// error at each call, and [`Event::CaughtUp`] never came.
#[test]
fn the_loop_ends_if_nothing_can_be_read() {
    let folder = Folder::new();
    let state = folder.0.join("state");
    let path = folder.0.join("folder");
    std::fs::create_dir(&path).unwrap();
    let (lines, errors) = run(&state, Follow::new(&path)).unwrap();
    assert_eq!((lines.len(), errors.len()), (0, 1));
    assert!(errors[0].contains("not a regular file"), "{errors:?}");
}

//! Reading on several threads.

use std::{
    fs,
    io::{self, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use linetape::{Position, Reader};
use linetape_flow::{BlockReader, Input, Parallel, Part, Source};

use crate::support::{Folder, log};

/// A line, or the error about it, with its position.
type Found = (Position, Vec<u8>);

fn found(line: Result<linetape::Line<'_>, linetape::Error>) -> Found {
    match line {
        Ok(line) => (line.position(), line.as_bytes().to_vec()),
        Err(error) => (error.position(), error.kind().as_str().into()),
    }
}

/// The lines of a block.
fn lines(block: &mut BlockReader) -> Vec<Found> {
    let mut lines = vec![];
    while let Some(line) = block.next_line() {
        lines.push(found(line));
    }
    lines
}

/// The reference implementation: one reader.
fn in_one_go(path: &PathBuf) -> Vec<Found> {
    let mut reader = Reader::builder().max_line(200).open(path).unwrap();
    let mut lines = vec![];
    while let Some(line) = reader.next_line() {
        lines.push(found(line));
    }
    lines
}

/// What a test saw: for each input its number and lines, or that it could not
/// be opened.
#[derive(Debug, PartialEq)]
enum Seen {
    Lines(Vec<Found>),
    Unopened,
}

fn in_parallel(parallel: &Parallel, paths: &[PathBuf]) -> Vec<Seen> {
    let parallel = parallel.clone().reader(Reader::builder().max_line(200));
    let (mut seen, mut current) = (vec![], vec![]);
    let merged = parallel.map_ordered(
        paths,
        |_, block| Ok(lines(block)),
        |path, part| {
            // Inputs end in their order.
            assert_eq!(path, &paths[seen.len()]);
            match part {
                Part::Block { made, lines_before } => {
                    let moved = |(at, bytes): Found| {
                        (at.moved_by(lines_before, 0), bytes)
                    };
                    current.extend(made.into_iter().map(moved));
                }
                Part::End => {
                    seen.push(Seen::Lines(std::mem::take(&mut current)));
                }
                Part::Unopened(_) => seen.push(Seen::Unopened),
            }
            Ok::<_, ()>(())
        },
    );
    assert_eq!(merged, Ok(()));
    seen
}

/// The lines and their numbers depend neither on the size of blocks nor on
/// the number of threads.
#[test]
fn blocks_of_every_size_have_the_lines_of_the_file() {
    let folder = Folder::new();
    let mut odd = b"\xEF\xBB\xBF{\"bom\":1}\r\n\n\n  \n{}\n".to_vec();
    odd.extend(log(12));
    odd.extend([b'x'; 500]);
    odd.extend(b"\n{\"last\":true}");
    let path = folder.write("odd.jsonl", &odd);
    let expected = in_one_go(&path);
    assert!(expected.len() > 14);
    for block in (1..60).chain([64, 100, 333, odd.len() as u64, 1 << 20]) {
        for threads in [1, 2, 5] {
            let parallel = Parallel::new().threads(threads).block_size(block);
            let seen = in_parallel(&parallel, std::slice::from_ref(&path));
            let shown = format!("blocks of {block}, {threads} threads");
            assert_eq!(seen, [Seen::Lines(expected.clone())], "{shown}");
        }
    }
}

#[test]
fn many_files_of_all_sizes_are_read_in_order() {
    let folder = Folder::new();
    let mut paths = vec![];
    for number in 0..150 {
        let name = format!("{number}.jsonl");
        paths.push(match number % 7 {
            0 => folder.write(&name, ""),
            1 => folder.0.join("missing"),
            2 => folder.write(&name, log(150)),
            _ => folder.write(&name, log(number % 11)),
        });
    }
    paths.push(folder.0.join("missing too"));
    let expected: Vec<Seen> = paths
        .iter()
        .map(|path| match path.is_file() {
            true => Seen::Lines(in_one_go(path)),
            false => Seen::Unopened,
        })
        .collect();
    for (threads, block) in [(1, 1000), (3, 1000), (4, 64 << 10), (8, 50)] {
        let parallel = Parallel::new().threads(threads).block_size(block);
        assert_eq!(in_parallel(&parallel, &paths), expected);
    }
}

#[test]
fn a_line_over_many_blocks_is_in_one_of_them() {
    let folder = Folder::new();
    let giant = format!("{{\"t\":\"{}\"}}", "x".repeat(100_000));
    let text = format!("{{}}\n{giant}\n{{}}\n{giant}");
    let path = folder.write("giant.jsonl", &text);
    let expected: Vec<usize> = text.lines().map(str::len).collect();
    let parallel = Parallel::new().threads(3).block_size(1000);
    let lengths = parallel.fold(
        &[&path],
        vec![],
        |_, block| {
            let lines = lines(block).into_iter();
            Ok::<_, io::Error>(lines.map(|line| line.1.len()).collect())
        },
        |all, more: Vec<usize>, _| all.extend(more),
    );
    assert_eq!(lengths.unwrap(), expected);
}

#[test]
fn compressed_files_are_read_among_others() {
    use crate::compressed::{gz, zst};

    let folder = Folder::new();
    let log = log(100);
    let paths = [
        folder.write("a.jsonl", &log),
        folder.write("b.jsonl.gz", gz(&log)),
        folder.write("c.jsonl.zst", zst(&log)),
        folder.write("d.jsonl", &log),
    ];
    let expected = in_one_go(&paths[0]);
    // With small blocks, the compressed files are no longer small.
    for block in [100, 1 << 20] {
        let parallel = Parallel::new().threads(3).block_size(block);
        let seen = in_parallel(&parallel, &paths);
        assert_eq!(seen.len(), 4);
        for seen in seen {
            assert_eq!(seen, Seen::Lines(expected.clone()));
        }
    }
    // The limit is for each input.
    let limit = log.len() as u64;
    let count = |limit| {
        Parallel::new().max_plain(limit).fold(
            &paths,
            0,
            |_, block| {
                while let Some(line) = block.next_line() {
                    line?;
                }
                Ok::<_, linetape::Error>(block.stats().lines)
            },
            |total, more, _| *total += more,
        )
    };
    assert_eq!(count(limit).unwrap(), 400);
    let error = count(limit - 1).unwrap_err();
    assert_eq!(error.kind(), linetape::ErrorKind::Decompress);
}

/// What is appended while a file is read is read as well.
#[test]
fn the_last_block_is_open() {
    let folder = Folder::new();
    let path = folder.write("grows.jsonl", log(100));
    let appended = AtomicBool::new(false);
    let parallel = Parallel::new().threads(1).block_size(100);
    let total = parallel.fold(
        &[&path],
        0,
        |path, block| {
            if !appended.swap(true, Ordering::Relaxed) {
                let mut file =
                    fs::OpenOptions::new().append(true).open(path)?;
                file.write_all(b"{\"late\":1}\n{\"late\":2}\n")?;
            }
            Ok::<_, io::Error>(lines(block).len())
        },
        |total, more, _| *total += more,
    );
    assert_eq!(total.unwrap(), 102);
}

/// The first error in the order of the log is returned, whichever thread is
/// the fastest. What is before it has been merged, and nothing after it.
#[test]
fn the_first_error_is_always_the_same() {
    let folder = Folder::new();
    let path = folder.write("log.jsonl", log(400));
    for round in 0..20 {
        let merged = Mutex::new(vec![]);
        let parallel = Parallel::new().threads(1 + round % 8).block_size(64);
        let result = parallel.map_ordered(
            &[&path],
            |_, block| {
                let first = block.next_line().map(|line| found(line).0.byte());
                lines(block);
                match first {
                    Some(byte) if byte > 5000 => Err(byte),
                    first => Ok(first.unwrap_or(0)),
                }
            },
            |_, part| {
                if let Part::Block { made, .. } = part {
                    merged.lock().unwrap().push(made);
                }
                Ok(())
            },
        );
        let mut lines = in_one_go(&path).into_iter();
        let first = lines.find(|line| line.0.byte() > 5000).unwrap();
        assert_eq!(result, Err(first.0.byte()));
        let merged = merged.into_inner().unwrap();
        assert!(merged.iter().all(|byte| *byte <= 5000));
        assert!(merged.len() > 5000 / 200, "{}", merged.len());
    }
}

#[test]
fn an_error_of_merging_ends_the_reading() {
    let folder = Folder::new();
    let path = folder.write("log.jsonl", log(400));
    let read = AtomicU64::new(0);
    let mut merged = 0;
    let result = Parallel::new().threads(2).block_size(64).map_ordered(
        &[&path],
        |_, block| {
            read.fetch_add(1, Ordering::Relaxed);
            lines(block);
            Ok(())
        },
        |_, _| {
            merged += 1;
            if merged == 3 { Err("enough") } else { Ok(()) }
        },
    );
    assert_eq!((result, merged), (Err("enough"), 3));
    // 4 blocks for each thread may wait, and 2 are being read.
    let read = read.into_inner();
    assert!(read <= 3 + 4 * 2 + 2, "{read} blocks");
}

/// Results that wait for an earlier one are bounded.
#[test]
fn threads_do_not_run_away() {
    let folder = Folder::new();
    let path = folder.write("log.jsonl", log(3000));
    let (made, merged) = (AtomicU64::new(0), AtomicU64::new(0));
    let most = AtomicU64::new(0);
    let threads = 3;
    Parallel::new()
        .threads(threads)
        .block_size(64)
        .map_ordered(
            &[&path],
            |_, block| {
                lines(block);
                let made = made.fetch_add(1, Ordering::SeqCst) + 1;
                let merged = merged.load(Ordering::SeqCst);
                most.fetch_max(made - merged, Ordering::SeqCst);
                Ok::<_, ()>(())
            },
            |_, part| {
                if let Part::Block { .. } = part {
                    merged.fetch_add(1, Ordering::SeqCst);
                    // The merging thread is slow.
                    std::thread::yield_now();
                }
                Ok(())
            },
        )
        .unwrap();
    let most = most.into_inner();
    assert!(made.into_inner() > 1000);
    // One more can be merged, but not yet counted as such.
    assert!(most <= 4 * threads as u64 + 1, "{most}");
}

/// The other threads waited for the block of a thread that had panicked.
#[test]
fn a_panic_ends_the_reading_and_is_passed_on() {
    let folder = Folder::new();
    let path = folder.write("log.jsonl", log(400));
    let paths = [&path];
    for (in_work, in_merge) in [(true, false), (false, true)] {
        let is_first = AtomicBool::new(true);
        let read = || {
            Parallel::new().threads(3).block_size(64).map_ordered(
                &paths,
                |_, block| {
                    lines(block);
                    let is_first = is_first.swap(false, Ordering::Relaxed);
                    assert!(!(in_work && is_first), "a panic in a thread");
                    Ok::<_, ()>(())
                },
                |_, _| {
                    assert!(!in_merge, "a panic while merging");
                    Ok(())
                },
            )
        };
        let payload = catch_unwind(AssertUnwindSafe(read)).unwrap_err();
        let text = payload.downcast_ref::<&str>().unwrap();
        assert!(text.starts_with("a panic"), "{text}");
    }
}

/// A stream without an end, or a text.
enum Log {
    Endless,
    Text(&'static str),
    Missing,
}

impl Input for Log {
    fn open(&self) -> io::Result<Source> {
        match self {
            Log::Endless => Ok(Source::stream(io::repeat(b'\n'))),
            Log::Text(text) => Ok(Source::stream(text.as_bytes())),
            Log::Missing => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// Another thread would read forever.
#[test]
fn an_error_ends_blocks_that_are_not_needed() {
    let logs = [Log::Text("{}\n"), Log::Endless];
    let work = |log: &Log, block: &mut BlockReader| match log {
        Log::Text(_) => Err("failed"),
        _ => {
            let lines = lines(block);
            // It ends with an error, and not as if the log had ended.
            assert_eq!(lines.last().unwrap().1, b"io");
            Ok(())
        }
    };
    let parallel = Parallel::new().threads(2);
    let result = parallel.map_ordered(&logs, work, |_, _| Ok(()));
    assert_eq!(result, Err("failed"));

    let logs = [Log::Endless, Log::Text("{}\n")];
    let work = |log: &Log, block: &mut BlockReader| match log {
        Log::Text(_) => Err(io::Error::other("failed")),
        _ => {
            lines(block);
            Ok(())
        }
    };
    let error = parallel.for_each(&logs, work).unwrap_err();
    assert_eq!(error.to_string(), "failed");
    // An input that cannot be opened is an error, too.
    let logs = [Log::Endless, Log::Missing];
    let error = parallel.for_each(&logs, work).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    let logs = [Log::Text("{}\n"), Log::Missing];
    let read = |_: &Log, block: &mut BlockReader| Ok(lines(block).len());
    let folded = parallel.fold(&logs, 0, read, |sum, more, _| *sum += more);
    let error: io::Error = folded.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

#[test]
fn any_order_has_all_lines_once() {
    let folder = Folder::new();
    let paths: Vec<PathBuf> = (0..20)
        .map(|n| folder.write(&format!("{n}.jsonl"), log(10 * n)))
        .collect();
    let found = Mutex::new(vec![]);
    let parallel = Parallel::new().threads(4).block_size(200);
    let read = parallel.for_each(&paths, |path, block| {
        let lines = lines(block).into_iter();
        let mut found = found.lock().unwrap();
        found.extend(lines.map(|line| (path.clone(), line)));
        Ok::<_, io::Error>(())
    });
    read.unwrap();
    let mut found = found.into_inner().unwrap();
    found.sort_by_key(|(path, (at, _))| (path.clone(), at.byte()));
    let mut expected = vec![];
    for path in &paths {
        let lines = in_one_go(path).into_iter();
        expected.extend(lines.map(|line| (path.clone(), line)));
    }
    expected.sort_by_key(|(path, (at, _))| (path.clone(), at.byte()));
    assert_eq!(found.len(), expected.len());
    let mut unknown = 0;
    for (found, expected) in found.into_iter().zip(expected) {
        assert_eq!((found.0, (found.1).1), (expected.0, (expected.1).1));
        let (found, expected) = ((found.1).0, (expected.1).0);
        assert_eq!(found.byte(), expected.byte());
        // A line number is right or unknown.
        assert!([0, expected.line()].contains(&found.line()));
        unknown += u64::from(found.line() == 0);
    }
    assert!(unknown > 1000, "{unknown}");
}

#[test]
fn what_is_read_is_counted() {
    static READ: AtomicU64 = AtomicU64::new(0);
    let folder = Folder::new();
    let text = log(500);
    let path = folder.write("log.jsonl", &text);
    let parallel = Parallel::new().block_size(1000).on_read(|count| {
        READ.fetch_add(count as u64, Ordering::Relaxed);
    });
    let read = parallel.for_each(&[&path], |_, block| {
        lines(block);
        Ok::<_, io::Error>(())
    });
    read.unwrap();
    let (read, size) = (READ.load(Ordering::Relaxed), text.len() as u64);
    assert!(read >= size, "{read} of {size}");
}

/// A source that cannot be divided is read as one block.
#[test]
fn streams_are_one_block() {
    let text = "{\"a\":1}\n\n{\"b\":2}\n";
    let logs = [Log::Text(text), Log::Text("{}")];
    let mut numbers = vec![];
    let merged = Parallel::new().block_size(1).map_ordered(
        &logs,
        |_, block| Ok(lines(block)),
        |_, part| {
            if let Part::Block { made, lines_before } = part {
                assert_eq!(lines_before, 0);
                numbers.extend(made.into_iter().map(|line| line.0.line()));
            }
            Ok::<_, ()>(())
        },
    );
    assert_eq!((merged, numbers), (Ok(()), vec![1, 3, 1]));
}

#[test]
fn no_inputs_have_no_results() {
    let none: [PathBuf; 0] = [];
    assert_eq!(in_parallel(&Parallel::new(), &none), []);
}

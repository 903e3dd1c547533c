//! The speed of each source of logs, measured by criterion.
//!
//! `cargo bench -p linetape-flow` measures, and
//! `cargo bench -p linetape-flow -- --test` runs everything once. Every result
//! is compared with the expected one first.

use std::{
    env,
    fs::{self, OpenOptions},
    io::{Read, Write},
    path::{Path, PathBuf},
    process,
    time::Duration,
};

use criterion::{
    BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use linetape::{Error, Reader};
use linetape_flow::{Decompressed, Event, Follow, LineCodec, Parallel};
use linetape_generate::{Shape, generate};
use tokio_util::{
    bytes::BytesMut,
    codec::{Decoder, LinesCodec},
};

/// A folder that is removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("linetape-bench-{name}-{}", process::id());
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// Counts the lines of a source.
fn count(source: impl Read) -> u64 {
    let mut reader = Reader::new(source);
    let mut lines = 0;
    while let Some(line) = reader.next_line() {
        lines += u64::from(line.is_ok());
    }
    lines
}

fn in_parallel(path: &Path, threads: usize) -> u64 {
    let parallel = Parallel::new().threads(threads);
    let lines = |_: &&Path, block: &mut linetape_flow::BlockReader| {
        let mut lines = 0;
        while let Some(line) = block.next_line() {
            line?.check()?;
            lines += 1;
        }
        Ok::<u64, Error>(lines)
    };
    parallel.fold(&[path], 0, lines, |sum, more, _| *sum += more).unwrap()
}

/// What `FramedRead` does, in pieces of 128 KiB.
fn decoded<D: Decoder>(mut codec: D, log: &[u8]) -> u64
where
    D::Error: std::fmt::Debug,
{
    let (mut lines, mut buffer) = (0, BytesMut::new());
    for piece in log.chunks(128 << 10) {
        buffer.extend_from_slice(piece);
        while codec.decode(&mut buffer).unwrap().is_some() {
            lines += 1;
        }
    }
    while codec.decode_eof(&mut buffer).unwrap().is_some() {
        lines += 1;
    }
    lines
}

fn sources(c: &mut Criterion) {
    let log = generate(Shape::Transcript, 1, 4 << 20);
    let lines = log.iter().filter(|byte| **byte == b'\n').count() as u64;
    let level = flate2::Compression::default();
    let mut gzip = flate2::write::GzEncoder::new(vec![], level);
    gzip.write_all(&log).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::encode_all(&log[..], 3).unwrap();
    let folder = Folder::new("parallel");
    let path = folder.0.join("log.jsonl");
    fs::write(&path, &log).unwrap();

    let mut group = c.benchmark_group("flow");
    group.sample_size(10);
    group.warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(1));
    group.throughput(Throughput::Bytes(log.len() as u64));
    type Job<'j> = (&'static str, Box<dyn Fn() -> u64 + 'j>);
    let jobs: [Job<'_>; 7] = [
        ("plain", Box::new(|| count(&log[..]))),
        ("gzip", Box::new(|| count(Decompressed::new(&gzip[..])))),
        ("zstd", Box::new(|| count(Decompressed::new(&zstd[..])))),
        ("parallel/1", Box::new(|| in_parallel(&path, 1))),
        ("parallel/2", Box::new(|| in_parallel(&path, 2))),
        ("codec", Box::new(|| decoded(LineCodec::new(), &log))),
        ("lines_codec", Box::new(|| decoded(LinesCodec::new(), &log))),
    ];
    for (name, job) in jobs {
        assert_eq!(job(), lines, "{name}");
        group.bench_function(name, |bencher| bencher.iter(&job));
    }
    group.finish();
}

/// A poll that finds nothing, and one that finds a line, with some files.
fn ticks(c: &mut Criterion) {
    let mut group = c.benchmark_group("flow");
    group.sample_size(10);
    group.warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(1));
    for files in [1usize, 100, 10_000] {
        let folder = Folder::new(&format!("tick-{files}"));
        for n in 0..files {
            let path = folder.0.join(format!("{n}.jsonl"));
            fs::write(path, "{\"type\":\"user\"}\n").unwrap();
        }
        // The time between two searches, and a search each time.
        for (name, rescan) in
            [("tick", Duration::from_secs(3600)), ("search", Duration::ZERO)]
        {
            let last = folder.0.join("0.jsonl");
            fs::write(&last, "{\"type\":\"user\"}\n").unwrap();
            let mut follow = Follow::folder(&folder.0).rescan(rescan);
            assert_eq!(new_lines(&mut follow), files);
            assert_eq!(new_lines(&mut follow), 0);
            let id = BenchmarkId::new(name, files);
            group.bench_function(id, |bencher| {
                bencher.iter(|| new_lines(&mut follow));
            });
            // Without a search, only lines of open files are found, and few of
            // 10,000 files are open.
            if name == "tick" && files > 100 {
                continue;
            }
            let mut last = OpenOptions::new().append(true).open(last).unwrap();
            last.write_all(b"{}\n").unwrap();
            let mut follow = Follow::folder(&folder.0).rescan(rescan);
            new_lines(&mut follow);
            let id = BenchmarkId::new(format!("{name}_line"), files);
            group.bench_function(id, |bencher| {
                bencher.iter(|| {
                    last.write_all(b"{\"type\":\"user\"}\n").unwrap();
                    assert_eq!(new_lines(&mut follow), 1);
                });
            });
        }
    }
    group.finish();
}

/// Polls until there is nothing new. Returns the number of lines.
fn new_lines(follow: &mut Follow) -> usize {
    let mut lines = 0;
    loop {
        match follow.next_event().unwrap() {
            Event::CaughtUp => return lines,
            Event::Line(_) => lines += 1,
            event => panic!("{event:?}"),
        }
    }
}

criterion_group!(benches, sources, ticks);
criterion_main!(benches);

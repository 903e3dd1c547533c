//! Measures the parts of linetape-flow against their peers, interleaved, and
//! prints the minimum time of each and the ratios.
//!
//! Usage: `cargo run --release -p linetape-flow --all-features --example measure
//! -- [MEGABYTES [ROUNDS]]`

use std::{
    env,
    error::Error,
    fs::File,
    hint::black_box,
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::Path,
    pin::{Pin, pin},
    process,
    sync::atomic::{AtomicU64, Ordering},
    task::{Context, Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use flate2::{Compression, bufread::MultiGzDecoder, write::GzEncoder};
use futures_core::Stream;
use linetape::{Level, Reader};
use linetape_flow::{
    BlockReader, Decompressed, LineCodec, LineStream, Parallel,
};
use linetape_generate::{Shape, generate};
use tokio_util::{
    bytes::Bytes,
    codec::{FramedRead, LinesCodec},
};

type Outcome = Result<(), Box<dyn Error>>;

/// A measured function, which returns the number of lines.
struct Case<'c> {
    name: &'static str,
    run: Box<dyn Fn() -> Result<u64, Box<dyn Error>> + 'c>,
    least: Duration,
}

impl<'c> Case<'c> {
    fn new(
        name: &'static str,
        run: impl Fn() -> Result<u64, Box<dyn Error>> + 'c,
    ) -> Case<'c> {
        Case { name, run: Box::new(run), least: Duration::MAX }
    }
}

/// Runs all cases in turn, and prints the minimum of each.
fn measure(
    cases: &mut [Case<'_>],
    rounds: usize,
    lines: u64,
    bytes: usize,
) -> Outcome {
    for _ in 0..rounds {
        for case in &mut *cases {
            let start = Instant::now();
            let found = (case.run)()?;
            case.least = case.least.min(start.elapsed());
            assert_eq!(found, lines, "{}", case.name);
        }
    }
    for case in cases {
        let seconds = case.least.as_secs_f64();
        let speed = bytes as f64 / 1e6 / seconds;
        println!(
            "  {:40} {:8.1} ms {speed:8.0} MB/s",
            case.name,
            seconds * 1e3
        );
    }
    Ok(())
}

fn ratio(cases: &[Case<'_>], of: usize, to: usize) -> f64 {
    cases[to].least.as_secs_f64() / cases[of].least.as_secs_f64()
}

fn main() -> Outcome {
    let mut arguments = env::args().skip(1);
    let megabytes: usize = arguments.next().map_or(Ok(2), |n| n.parse())?;
    let rounds: usize = arguments.next().map_or(Ok(2), |n| n.parse())?;
    let log = generate(Shape::Transcript, 1, megabytes << 20);
    let lines = log.iter().filter(|byte| **byte == b'\n').count() as u64;
    let name = format!("linetape-measure-{}.jsonl", process::id());
    let path = env::temp_dir().join(name);
    File::create(&path)?.write_all(&log)?;
    let measured = in_parallel(&path, log.len(), lines, rounds);
    std::fs::remove_file(&path)?;
    measured?;
    compressed(&log, lines, rounds)?;
    asynchronous(&log, lines, rounds)
}

/// What the second thread gains, compared with a loop over memchr.
fn in_parallel(
    path: &Path,
    bytes: usize,
    lines: u64,
    rounds: usize,
) -> Outcome {
    println!("all cores, {bytes} bytes:");
    let paths = [path];
    let read = |threads, work: fn(&mut BlockReader) -> io::Result<u64>| {
        let builder = Reader::builder().level(Level::Kind);
        let parallel = Parallel::new().threads(threads).reader(builder);
        let work = move |_: &&Path, block: &mut BlockReader| work(block);
        Ok(parallel.fold(&paths, 0, work, |sum, more, _| *sum += more)?)
    };
    let mut cases = [
        Case::new("memchr, 1 thread", || memchr_loop(path, 1)),
        Case::new("memchr, 2 threads", || memchr_loop(path, 2)),
        Case::new("kind, 1 thread", || read(1, kinds)),
        Case::new("kind, 2 threads", || read(2, kinds)),
        Case::new("check, 1 thread", || read(1, checks)),
        Case::new("check, 2 threads", || read(2, checks)),
        Case::new("decode, 1 thread", || read(1, decodes)),
        Case::new("decode, 2 threads", || read(2, decodes)),
    ];
    measure(&mut cases, rounds, lines, bytes)?;
    let bare = ratio(&cases, 1, 0);
    println!("  gain of the second thread: memchr {bare:.2}");
    for (name, at) in [("kind", 2), ("check", 4), ("decode", 6)] {
        let gain = ratio(&cases, at + 1, at);
        println!("  {name} {gain:.2}, {:.2} of memchr", gain / bare);
    }
    Ok(())
}

/// The bare loop: each thread takes the next 2 MiB and counts line feeds.
fn memchr_loop(path: &Path, threads: usize) -> Result<u64, Box<dyn Error>> {
    let (next, lines) = (AtomicU64::new(0), AtomicU64::new(0));
    let count = || -> io::Result<()> {
        let mut file = File::open(path)?;
        let mut room = vec![0; 128 << 10];
        loop {
            let block = next.fetch_add(2 << 20, Ordering::Relaxed);
            file.seek(SeekFrom::Start(block))?;
            for _ in 0..16 {
                let length = file.read(&mut room)?;
                if length == 0 {
                    return Ok(());
                }
                let found = memchr::memchr_iter(b'\n', &room[..length]);
                let found = found.count() as u64;
                lines.fetch_add(found, Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        let start = |_| scope.spawn(count);
        let running: Vec<_> = (0..threads).map(start).collect();
        for thread in running {
            thread.join().map_err(|_| "a thread panicked")??;
        }
        Ok(lines.load(Ordering::Relaxed))
    })
}

fn kinds(block: &mut BlockReader) -> io::Result<u64> {
    while let Some(line) = block.next_line() {
        black_box(line?.kind()?);
    }
    Ok(block.stats().lines)
}

fn checks(block: &mut BlockReader) -> io::Result<u64> {
    while let Some(line) = block.next_line() {
        line?.check()?;
    }
    Ok(block.stats().lines)
}

fn decodes(block: &mut BlockReader) -> io::Result<u64> {
    while let Some(record) = block.next_record() {
        black_box(record?);
    }
    Ok(block.stats().lines)
}

/// Decompression alone, and with lines.
fn compressed(log: &[u8], lines: u64, rounds: usize) -> Outcome {
    println!("compressed, {} plain bytes:", log.len());
    let mut encoder = GzEncoder::new(vec![], Compression::default());
    encoder.write_all(log)?;
    let gzip = encoder.finish()?;
    let zstd = zstd::encode_all(log, 3)?;
    let drained = |mut source: Box<dyn Read + '_>| {
        let mut room = vec![0; 128 << 10];
        let mut total = 0;
        loop {
            match source.read(&mut room)? {
                0 => break,
                length => total += length,
            }
        }
        assert_eq!(total, log.len());
        Ok(lines)
    };
    let framed = |source: &[u8]| {
        let mut reader = Reader::new(Decompressed::new(source));
        while let Some(line) = reader.next_line() {
            black_box(line?);
        }
        Ok(reader.stats().lines)
    };
    let mut cases = [
        Case::new("MultiGzDecoder", || {
            let source = BufReader::with_capacity(128 << 10, &gzip[..]);
            drained(Box::new(MultiGzDecoder::new(source)))
        }),
        Case::new("Decompressed, gzip", || {
            drained(Box::new(Decompressed::new(&gzip[..])))
        }),
        Case::new("Reader of Decompressed, gzip", || framed(&gzip)),
        Case::new("zstd::Decoder", || {
            drained(Box::new(zstd::Decoder::new(&zstd[..])?))
        }),
        Case::new("Decompressed, zstd", || {
            drained(Box::new(Decompressed::new(&zstd[..])))
        }),
        Case::new("Reader of Decompressed, zstd", || framed(&zstd)),
    ];
    measure(&mut cases, rounds, lines, log.len())?;
    println!("  gzip: {:.2} of MultiGzDecoder", ratio(&cases, 1, 0));
    println!("  gzip with lines: {:.2}", ratio(&cases, 2, 0));
    println!("  zstd: {:.2} of zstd::Decoder", ratio(&cases, 4, 3));
    println!("  zstd with lines: {:.2}", ratio(&cases, 5, 3));
    Ok(())
}

/// Codecs over bytes in memory, which are always ready.
fn asynchronous(log: &[u8], lines: u64, rounds: usize) -> Outcome {
    println!("asynchronous, {} bytes:", log.len());
    const CAPACITY: usize = 128 << 10;
    let shared = Bytes::copy_from_slice(log);
    let mut cases = [
        Case::new("FramedRead with LinesCodec", || {
            let codec = LinesCodec::new();
            Ok(drain(FramedRead::with_capacity(log, codec, CAPACITY)))
        }),
        Case::new("FramedRead with LineCodec", || {
            let codec = LineCodec::new();
            Ok(drain(FramedRead::with_capacity(log, codec, CAPACITY)))
        }),
        Case::new("LineStream of 64 KiB chunks", || {
            let chunks = InChunks(shared.clone());
            Ok(drain(LineStream::new(chunks)))
        }),
    ];
    measure(&mut cases, rounds, lines, log.len())?;
    println!("  LineCodec: {:.2} of LinesCodec", ratio(&cases, 1, 0));
    println!("  LineStream: {:.2} of LinesCodec", ratio(&cases, 2, 0));
    Ok(())
}

struct InChunks(Bytes);

impl Stream for InChunks {
    type Item = io::Result<Bytes>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Bytes>>> {
        let length = self.0.len().min(64 << 10);
        let chunk = self.0.split_to(length);
        Poll::Ready(Some(Ok(chunk)).filter(|_| length > 0))
    }
}

/// Counts the items of a stream that is always ready.
fn drain<S: Stream>(stream: S) -> u64 {
    let mut stream = pin!(stream);
    let mut context = Context::from_waker(Waker::noop());
    let mut count = 0;
    loop {
        match stream.as_mut().poll_next(&mut context) {
            Poll::Ready(Some(item)) => {
                black_box(item);
                count += 1;
            }
            Poll::Ready(None) => return count,
            Poll::Pending => {}
        }
    }
}

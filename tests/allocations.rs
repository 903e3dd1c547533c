//! Memory, counted by the allocator and not by trust. Every test here takes
//! the same lock, because the counters belong to the whole process.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    io::{self, Read},
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use linetape::{Chunks, ErrorKind, Limits, Lines, Reader};

struct Counting;

static CALLS: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

fn grew(by: usize) {
    CALLS.fetch_add(1, Relaxed);
    let live = LIVE.fetch_add(by as u64, Relaxed) + by as u64;
    PEAK.fetch_max(live, Relaxed);
}

// A `realloc` is counted as if it copied: old and new live together.
#[allow(unsafe_code)] // a global allocator cannot be written without
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grew(layout.size());
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grew(layout.size());
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as u64, Relaxed);
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(
        &self,
        block: *mut u8,
        layout: Layout,
        size: usize,
    ) -> *mut u8 {
        grew(size);
        LIVE.fetch_sub(layout.size() as u64, Relaxed);
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Repeats one stream for ever, or for a number of bytes, without allocating.
struct Repeat {
    stream: Vec<u8>,
    at: usize,
    left: u64,
}

impl Repeat {
    fn new(stream: &[u8], left: u64) -> Repeat {
        Repeat { stream: stream.to_vec(), at: 0, left }
    }
}

impl Read for Repeat {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let rest = &self.stream[self.at..];
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        let count = rest.len().min(buf.len()).min(left);
        buf[..count].copy_from_slice(&rest[..count]);
        self.at = (self.at + count) % self.stream.len();
        self.left -= count as u64;
        Ok(count)
    }
}

/// Short, long, blank, CRLF and over-long lines, and a bad one.
fn mixture() -> Vec<u8> {
    let mut stream = Vec::new();
    for round in 0..50 {
        stream.extend(b"{\"type\":\"user\",\"message\":\"hello\"}\n");
        stream.extend(b"\n  \t\r\n{\"crlf\":true}\r\n\xFF\xFE bad\n");
        if round % 10 == 0 {
            stream.extend([b'x'; 150_000]); // longer than the buffer
            stream.push(b'\n');
        }
        if round % 25 == 0 {
            stream.extend([b'y'; 1_200_000]); // longer than the limit
            stream.push(b'\n');
        }
    }
    stream
}

const MAX_LINE: usize = 1_000_000;

#[test]
fn a_reader_allocates_nothing_per_line() {
    let _alone = alone();
    let source = Repeat::new(&mixture(), u64::MAX);
    let mut reader = Reader::builder().max_line(MAX_LINE).build(source);
    let (mut lines, mut errors) = (0, 0);
    let mut run = |count| {
        for _ in 0..count {
            match reader.next_line() {
                Some(Ok(line)) => lines += line.as_bytes().len(),
                Some(Err(_)) => errors += 1,
                None => unreachable!("the source never ends"),
            }
        }
    };
    run(1_000);
    let before = CALLS.load(Relaxed);
    run(10_000);
    assert_eq!(CALLS.load(Relaxed) - before, 0);
    assert!(lines > 100 * 150_000 && errors > 100, "{lines} {errors}");
}

#[test]
fn lines_in_memory_allocate_nothing() {
    let _alone = alone();
    let stream = mixture();
    let before = CALLS.load(Relaxed);
    let mut lines =
        Lines::with_limits(&stream, Limits { max_line: MAX_LINE });
    let mut count = 0;
    while lines.next_line().is_some() {
        count += 1;
    }
    assert_eq!(CALLS.load(Relaxed) - before, 0);
    assert_eq!(count, 157);
}

#[test]
fn chunks_allocate_per_chunk_and_not_per_line() {
    let _alone = alone();
    let chunk = b"{\"type\":\"keep_alive\"}\n".repeat(1000);
    let mut chunks = Chunks::new();
    chunks.push(&b"{}\n"[..]);
    while chunks.next_line().is_some() {}
    let chunk = bytes::Bytes::from(chunk);
    let before = CALLS.load(Relaxed);
    chunks.push(chunk);
    let mut count = 0;
    while let Some(line) = chunks.next_line() {
        count += u64::from(line.is_ok());
    }
    let calls = CALLS.load(Relaxed) - before;
    assert_eq!(count, 1000);
    assert!(calls <= 1, "{calls} for one chunk");
}

/// No newline ever comes. The line is dropped, not gathered.
#[test]
fn an_endless_line_stays_within_the_bound() {
    let _alone = alone();
    const CONSTANT: u64 = 300 << 10;
    for max_line in [1_000, 100_000, 1 << 20, (1 << 20) + 1, 5_000_000] {
        let bound = 2 * max_line as u64 + CONSTANT;
        let endless = 40_000_000;

        let source = Repeat::new(&[b'a'; 4096], endless);
        let before = LIVE.load(Relaxed);
        PEAK.store(before, Relaxed);
        let mut reader = Reader::builder().max_line(max_line).build(source);
        let error = reader.next_line().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LineTooLong);
        assert_eq!(error.found(), Some(endless));
        assert!(reader.next_line().is_none());
        let peak = PEAK.load(Relaxed) - before;
        assert!(peak <= bound, "reader: {peak} for {max_line}");
        drop(reader);

        let mut chunks = Chunks::with_limits(Limits { max_line });
        let before = LIVE.load(Relaxed);
        PEAK.store(before, Relaxed);
        for _ in 0..endless / 4096 {
            chunks.push(vec![b'a'; 4096]);
            assert!(chunks.next_line().is_none());
        }
        chunks.finish();
        let error = chunks.next_line().unwrap().unwrap_err();
        assert_eq!(error.found(), Some(endless / 4096 * 4096));
        let peak = PEAK.load(Relaxed) - before;
        assert!(peak <= bound, "chunks: {peak} for {max_line}");
    }
}

/// Lines of just the longest length, which must all be kept, take no more.
#[test]
fn the_longest_lines_stay_within_the_bound() {
    let _alone = alone();
    let max_line = 3_000_000;
    let mut stream = vec![b'a'; max_line];
    stream.push(b'\n');
    let bound = 2 * max_line as u64 + (300 << 10);
    let source = Repeat::new(&stream, 10 * stream.len() as u64);
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let mut reader = Reader::builder().max_line(max_line).build(source);
    let mut count = 0;
    while let Some(line) = reader.next_line() {
        assert_eq!(line.unwrap().as_bytes().len(), max_line);
        count += 1;
    }
    assert_eq!(count, 10);
    let peak = PEAK.load(Relaxed) - before;
    assert!(peak <= bound, "{peak} > {bound}");
}

/// A giant line is forgotten at once, a long one after a while.
#[test]
fn memory_comes_back_after_a_giant_line() {
    let _alone = alone();
    for (giant, small) in [(16 << 20, 100), (2 << 20, 10_000)] {
        let mut stream = vec![b'a'; giant];
        stream.push(b'\n');
        for _ in 0..small {
            stream.extend(b"{\"type\":\"keep_alive\"}\n");
        }
        let before = LIVE.load(Relaxed);
        let mut reader = Reader::new(&stream[..]);
        while reader.next_line().is_some() {}
        let kept = LIVE.load(Relaxed) - before;
        assert_eq!(reader.stats().lines, small + 1);
        assert!(kept < 1 << 20, "{kept} bytes kept after {giant}");
    }
}

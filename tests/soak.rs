//! One reader for gigabytes: every line arrives once, unchanged and with its
//! position, and memory does not grow.
//!
//! `ci/soak.sh GIB` runs this on gibibytes. Without `LINETAPE_SOAK_MIB`, it
//! does nothing.

#[allow(dead_code)] // this binary uses a part of it
#[path = "support/counting.rs"]
mod counting;

use std::{
    env,
    io::{self, Read},
    sync::LazyLock,
    time::Instant,
};

use counting::{CALLS, LIVE, PEAK, start};
use linetape::{Error, ErrorKind, Level, Line, Reader};
use linetape_generate::{Generator, Shape};
use serde_json::Value as Json;

const MAX_LINE: usize = 1 << 18;
const TOKENS: &str = "/message/usage/output_tokens";

// ---- the data --------------------------------------------------------------

/// The expected result for a line.
#[derive(Clone, Copy)]
enum Fate {
    Record { hash: u64, tokens: u64 },
    Blank,
    Bad(ErrorKind),
}

/// A pool of lines of many shapes, which is repeated.
#[derive(Default)]
struct Pool {
    bytes: Vec<u8>,
    /// The length of each line with its terminator, and its expected result.
    lines: Vec<(usize, Fate)>,
}

impl Pool {
    fn new(size: usize) -> Pool {
        use ErrorKind::*;
        let mut shapes = Shape::ALL.map(|shape| Generator::new(shape, 1));
        // The last two are a record of the maximum length, and one that is
        // longer.
        let odd = [
            (&b""[..], Fate::Blank),
            (b" \t\r", Fate::Blank),
            (b"Compiling ...", Fate::Bad(NotAnObject)),
            (b"\0\0\0\0{\"type\":\"user\"}", Fate::Bad(NotAnObject)),
            (b"{\"a\":[1,,2]}", Fate::Bad(Syntax)),
            (b"{\"type\":\"user\",\"text\":\"torn", Fate::Bad(Syntax)),
            (b"{\"a\":\"\\ud800\"}", Fate::Bad(Syntax)),
            (b"{\"a\":\"\xC0\xAF\"}", Fate::Bad(Utf8)),
            (b"{\"a\":1}{\"b\":2}", Fate::Bad(TrailingData)),
            (b"{\"type\":1,\"typ\\u0065\":2}", Fate::Bad(DuplicateKey)),
            (&deep(129), Fate::Bad(Depth)),
            (&long(MAX_LINE), record(&long(MAX_LINE))),
            (&long(MAX_LINE + 1), Fate::Bad(LineTooLong)),
        ];
        let mut odd = odd.iter().cycle();
        let mut pool = Pool::default();
        // The same number of bytes of each shape, except for the shape of
        // large lines.
        let mut sizes = [0; Shape::ALL.len()];
        for count in 0.. {
            if pool.bytes.len() >= size {
                break;
            }
            let least = (0..5).min_by_key(|shape| sizes[*shape]);
            let shape = if count % 1009 == 0 { 5 } else { least.unwrap() };
            let line = shapes[shape].next_line();
            sizes[shape] += line.len();
            let ends = [&b"\n"[..], b"\r\n"][usize::from(count % 5 == 0)];
            let is_long = line.len() + ends.len() - 1 > MAX_LINE;
            let fate =
                if is_long { Fate::Bad(LineTooLong) } else { record(line) };
            pool.push(line, ends, fate);
            if count % 997 == 0 {
                let (line, fate) = odd.next().unwrap();
                pool.push(line, b"\n", *fate);
            }
        }
        pool
    }

    fn push(&mut self, line: &[u8], ends: &[u8], fate: Fate) {
        self.bytes.extend_from_slice(line);
        self.bytes.extend_from_slice(ends);
        self.lines.push((line.len() + ends.len(), fate));
    }
}

/// serde_json determines the content of a good line.
fn record(line: &[u8]) -> Fate {
    let json: Json = serde_json::from_slice(line).unwrap();
    let tokens = json.pointer(TOKENS).and_then(Json::as_u64);
    Fate::Record { hash: hash(line), tokens: tokens.unwrap_or(0) }
}

fn long(length: usize) -> Vec<u8> {
    let frame = "{\"type\":\"\"}".len();
    format!("{{\"type\":\"{}\"}}", "x".repeat(length - frame)).into_bytes()
}

fn deep(levels: usize) -> Vec<u8> {
    let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
    format!("{{\"a\":{open}{close}}}").into_bytes()
}

/// The line between two rounds. Its length varies, so that lines are at
/// varying offsets of the reader's buffer.
fn seam(round: u64) -> &'static [u8] {
    static SEAM: LazyLock<Vec<u8>> = LazyLock::new(|| {
        format!("{}{{\"type\":\"seam\"}}\n", " ".repeat(LONGEST)).into_bytes()
    });
    const LONGEST: usize = 100_003;
    &SEAM[(round * 7919) as usize % LONGEST..]
}

/// A source that repeats the pool, and returns reads of varying sizes.
struct Rounds<'a> {
    pool: &'a Pool,
    left: u64,
    seam: &'static [u8],
    /// The number of bytes read of the seam, and then of the pool.
    at: usize,
    random: u64,
}

impl Rounds<'_> {
    fn new(pool: &Pool, rounds: u64) -> Rounds<'_> {
        Rounds { pool, left: rounds, seam: seam(rounds), at: 0, random: 1 }
    }
}

impl Read for Rounds<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.at == self.seam.len() + self.pool.bytes.len() {
            self.left -= 1;
            self.seam = seam(self.left);
            self.at = 0;
        }
        if self.left == 0 {
            return Ok(0);
        }
        let rest = match self.at.checked_sub(self.seam.len()) {
            Some(at) => &self.pool.bytes[at..],
            None => &self.seam[self.at..],
        };
        self.random = self.random.wrapping_mul(0x5851_F42D_4C95_7F2D) + 1;
        let most = 1 + (self.random >> 47) as usize;
        let count = rest.len().min(buf.len()).min(most);
        buf[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}

// ---- the results -----------------------------------------------------------

/// The expected or the actual results of the reader.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    lines: u64,
    bytes: u64,
    blank: u64,
    records: u64,
    tokens: u64,
    errors: [u64; 16],
    /// A checksum of all lines that are not blank, in order, with their
    /// positions.
    checksum: u64,
}

impl Tally {
    /// The expected results of the rounds.
    fn of(pool: &Pool, rounds: u64) -> Tally {
        let mut tally = Tally::default();
        for round in 0..rounds {
            let seam = seam(rounds - round);
            let fate = record(&seam[..seam.len() - 1]);
            let lines = pool.lines.iter().copied();
            for (length, fate) in [(seam.len(), fate)].into_iter().chain(lines)
            {
                tally.lines += 1;
                match fate {
                    Fate::Blank => tally.blank += 1,
                    Fate::Bad(kind) => tally.bad(tally.lines, kind),
                    Fate::Record { hash, tokens } => {
                        tally.record(tally.lines, tally.bytes, hash, tokens);
                    }
                }
                tally.bytes += length as u64;
            }
        }
        tally
    }

    fn record(&mut self, line: u64, byte: u64, hash: u64, tokens: u64) {
        self.records += 1;
        self.tokens += tokens;
        [line, byte, hash].iter().for_each(|word| self.fold(*word));
    }

    fn bad(&mut self, line: u64, kind: ErrorKind) {
        self.errors[kind as usize] += 1;
        [line, kind as u64].iter().for_each(|word| self.fold(*word));
    }

    fn fold(&mut self, word: u64) {
        self.checksum = fold(self.checksum, word);
    }

    /// Adds the next line, peeked or decoded.
    fn add<R: Read>(&mut self, reader: &mut Reader<R>, way: Way) -> bool {
        let read = match way {
            Way::Decode => reader.next_record().map(|record| {
                let record = record?;
                let tokens = record.value().pointer(TOKENS);
                let tokens = tokens.and_then(|tokens| tokens.as_u64());
                let hash = hash(record.raw().expect("it is kept"));
                Ok((record.position(), hash, tokens))
            }),
            Way::Peek => {
                reader.next_line().map(|line| line.and_then(|l| peeked(&l)))
            }
        };
        match read {
            None => return false,
            Some(Ok((at, hash, tokens))) => {
                self.record(at.line(), at.byte(), hash, tokens.unwrap_or(0));
            }
            Some(Err(error)) => {
                self.bad(error.position().line(), error.kind())
            }
        }
        true
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Decode,
    Peek,
}

fn peeked(
    line: &Line<'_>,
) -> Result<(linetape::Position, u64, Option<u64>), Error> {
    line.check()?;
    let tokens = line.peek()?.value().pointer(TOKENS);
    let tokens = tokens.and_then(|tokens| tokens.as_u64());
    Ok((line.position(), hash(line.as_bytes()), tokens))
}

fn fold(sum: u64, word: u64) -> u64 {
    (sum.rotate_left(5) ^ word).wrapping_mul(0x517C_C1B7_2722_0A95)
}

fn hash(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(bytes.len() as u64, |sum, word| {
        fold(sum, u64::from_le_bytes(*word))
    });
    rest.iter().fold(sum, |sum, byte| fold(sum, u64::from(*byte)))
}

// ---- the soak --------------------------------------------------------------

fn soak(way: Way) {
    let size = env::var("LINETAPE_SOAK_MIB").map(|mib| mib.parse().unwrap());
    let size: u64 = size.unwrap_or(32) << 20;
    // At least ten rounds, because the first tenth is for warming up.
    let pool = Pool::new((size / 10).min(32 << 20) as usize);
    let rounds = size.div_ceil(pool.bytes.len() as u64).max(10);
    let expected = Tally::of(&pool, rounds);

    let clock = Instant::now();
    let mut reader = Reader::builder()
        .max_line(MAX_LINE)
        .level(match way {
            Way::Peek => Level::Kind,
            _ => Level::Line,
        })
        .build(Rounds::new(&pool, rounds));
    let mut tally = Tally::default();
    let mut first = PEAK.get();
    let (mut live, mut calls) = (0, 0);
    start();
    while tally.add(&mut reader, way) {
        if live == 0 && reader.position().byte() >= expected.bytes / 10 {
            first = PEAK.get();
            (live, calls) = (start(), CALLS.get());
        }
    }
    let (calls, growth) = (CALLS.get() - calls, LIVE.get() - live);
    let (last, seconds) = (PEAK.get(), clock.elapsed().as_secs_f64());

    let stats = reader.stats();
    (tally.lines, tally.bytes, tally.blank) =
        (stats.lines, stats.bytes, stats.blank);
    assert_eq!(tally, expected);
    assert_eq!(reader.position().byte(), expected.bytes);
    assert_eq!(reader.position().line(), expected.lines + 1);
    println!(
        "{way:?}: {} bytes, {} lines, {} records, {} bad, {} blank, \
         {} tokens, checksum {:016x}, all as written, in {seconds:.1} s; \
         live bytes {live} after a tenth, {growth:+} at the end; \
         peak {first} in the first tenth, {last} after it; \
         {calls} allocations after it",
        tally.bytes,
        tally.lines,
        tally.records,
        tally.errors.iter().sum::<u64>(),
        tally.blank,
        tally.tokens,
        tally.checksum
    );
    assert!(tally.records > 0 && tally.tokens > 0 && tally.blank > 0);
    assert_eq!(tally.errors.iter().filter(|count| **count > 0).count(), 7);
    assert!(growth <= 1 << 20, "{growth} bytes more than after a tenth");
    assert!(last <= first + (1 << 20), "{last} at once, {first} before");
}

#[test]
fn decoding_is_exact_and_takes_no_more_memory_the_longer_it_goes_on() {
    soak(Way::Decode);
}

#[test]
fn looking_is_exact_and_takes_no_more_memory_the_longer_it_goes_on() {
    soak(Way::Peek);
}

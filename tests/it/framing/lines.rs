//! Lines depend only on the bytes: not on the pieces in which the bytes
//! arrive, the size of a buffer, or the type of the reader.

use linetape::{Position, Reader, Stats};
use proptest::prelude::*;

use crate::support::{
    framing::{
        self, agree, naive, through_chunks, through_lines, through_reader,
    },
    logs::exhaustive,
    texts,
};

const NO_LIMIT: usize = 1 << 20;

/// One case per line: a name, a stream, and the expected lines.
macro_rules! lines_to {
    ($($name:ident, $stream:expr, [$($line:expr),*];)*) => {$(
        #[test]
        fn $name() {
            let stream: &[u8] = $stream;
            let expected: &[&[u8]] = &[$($line),*];
            let mut lines = linetape::lines(stream);
            let mut found = vec![];
            while let Some(line) = lines.next_line() {
                found.push(line.unwrap().as_bytes().to_vec());
            }
            assert_eq!(found, expected);
            for plan in [&[1][..], &[2], &[3], &[1, 2], &[usize::MAX]] {
                for capacity in [1, 2, 3, 4, 7, 100] {
                    agree(stream, NO_LIMIT, capacity, plan);
                }
            }
        }
    )*};
}

lines_to! {
    nothing, b"", [];
    one_line, b"a\n", [b"a"];
    tail_without_newline, b"a\nb", [b"a", b"b"];
    blank_lines_are_skipped, b"\n\n \t\r\n\r\na\n\n", [b"a"];
    only_blanks_are_blank, b"\x0b\n\x0c\n\0\n\xC2\xA0\n\x1f\n",
        [b"\x0b", b"\x0c", b"\0", b"\xC2\xA0", b"\x1f"];
    blank_tail, b"a\n  ", [b"a"];
    crlf, b"a\r\nb\r\n", [b"a", b"b"];
    one_cr_is_trimmed, b"a\r\r\n", [b"a\r"];
    lone_cr_does_not_split, b"a\rb\n", [b"a\rb"];
    cr_at_the_end_stays, b"a\r", [b"a\r"];
    bom, b"\xEF\xBB\xBFa\nb\n", [b"a", b"b"];
    bom_alone, b"\xEF\xBB\xBF", [];
    bom_then_newline, b"\xEF\xBB\xBF\na", [b"a"];
    bom_torn, b"\xEF\xBB", [b"\xEF\xBB"];
    bom_broken, b"\xEF\xBBa\n", [b"\xEF\xBBa"];
    bom_twice, b"\xEF\xBB\xBF\xEF\xBB\xBFa", [b"\xEF\xBB\xBFa"];
    bom_later, b"a\n\xEF\xBB\xBFb", [b"a", b"\xEF\xBB\xBFb"];
    nul, b"\0\0\n\0", [b"\0\0", b"\0"];
    other_separators, "a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f\n".as_bytes(),
        ["a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f".as_bytes()];
    not_utf8, b"\xC0\xAF\n\xED\xA0\x80", [b"\xC0\xAF", b"\xED\xA0\x80"];
    utf16_mark_later, b"a\n\xFF\xFEb", [b"a", b"\xFF\xFEb"];
}

#[test]
fn utf16_is_one_error_and_reading_goes_on() {
    for stream in
        [&b"\xFF\xFE{\0}\0\n\0{\0"[..], b"\xFE\xFF\0{\n{}\n", b"\xFF\xFE"]
    {
        for plan in [&[1][..], &[2], &[usize::MAX]] {
            agree(stream, NO_LIMIT, 4, plan);
        }
    }
    // Its bytes are kept, as for any other bad line.
    let builder = linetape::Reader::builder().keep_raw(true);
    let mut reader = builder.build(&b"\xFF\xFE{\0\n"[..]);
    let error = reader.next_line().unwrap().unwrap_err();
    assert_eq!(error.raw(), Some(&b"\xFF\xFE{\0"[..]));

    let mut lines = linetape::lines(b"\xFF\xFE{\0\n{}\n");
    let error = lines.next_line().unwrap().unwrap_err();
    assert_eq!(error.kind(), linetape::ErrorKind::Encoding);
    assert!(error.is_recoverable());
    assert_eq!(
        error.to_string(),
        r"line 1 (byte 0): UTF-16 input; expected UTF-8, at `\xff\xfe{\u{0}`"
    );
    assert_eq!(lines.next_line().unwrap().unwrap().as_bytes(), b"{}");
}

#[test]
fn a_limit_is_exact_wherever_the_newline_arrives() {
    for length in 6..=12 {
        for end in ["", "\n", "\r\n"] {
            let line = "x".repeat(length);
            let stream = format!("ok\n{line}{end}");
            for tail in ["", "ok", "\nok\n"] {
                let stream = format!("{stream}{tail}");
                for piece in 1..=stream.len() {
                    for capacity in [1, 3, 8, 9, 64] {
                        agree(stream.as_bytes(), 9, capacity, &[piece]);
                    }
                }
            }
        }
    }
}

/// Long lines in pieces of all sizes, each byte different from its
/// neighbours, so that pieces in the wrong order would show.
#[test]
fn long_lines_keep_their_bytes_in_order() {
    let line: Vec<u8> =
        (0..700_000u32).map(|n| b'a' + (n % 23) as u8).collect();
    let stream = [&line[..], b"\n", &line[..300_000], b"\r\n", &line].concat();
    let plans: [&[usize]; 6] = [
        &[65_536, 1],
        &[1, 65_536],
        &[100, 70_000, 3, 4_096],
        &[5_000, 5_000, 200_000],
        &[65_535],
        &[131_072, 10, 10],
    ];
    for plan in plans {
        agree(&stream, NO_LIMIT, 4096, plan);
    }
}

/// All strings of up to four bytes from an alphabet of significant bytes, each
/// split in every possible way. With `LINETAPE_EXHAUSTIVE`, up to six bytes,
/// which is 299,593 strings.
#[test]
fn every_short_stream_in_every_cut() {
    const ALPHABET: &[u8; 8] = b"{}\"\\\n\ra\0";
    let longest = if exhaustive() { 6 } else { 4 };
    for length in 0..=longest {
        for index in 0..8usize.pow(length) {
            let stream: Vec<u8> = (0..length)
                .map(|place| ALPHABET[index >> (3 * place) & 7])
                .collect();
            let limited = naive(&stream, 3);
            let expected = naive(&stream, NO_LIMIT);
            assert_eq!(through_lines(&stream, 3), limited, "{stream:?}");
            assert_eq!(through_lines(&stream, NO_LIMIT), expected);
            for cuts in 0..1usize << length.saturating_sub(1) {
                let plan = plan_of(cuts, length as usize);
                let odd = (index + cuts) % 2 == 1;
                let max = if odd { 3 } else { NO_LIMIT };
                let expected = if max == 3 { &limited } else { &expected };
                let reading = through_reader(&stream, max, 2, &plan);
                assert_eq!(&reading, expected, "{stream:?} {plan:?}");
                let reading = through_chunks(&stream, max, &plan);
                assert_eq!(&reading, expected, "{stream:?} {plan:?}");
            }
        }
    }
}

/// Returns the sizes of the pieces. Bit `i` of `cuts` is a cut after byte `i`.
fn plan_of(cuts: usize, length: usize) -> Vec<usize> {
    let mut plan = vec![1];
    for place in 1..length {
        if cuts >> (place - 1) & 1 == 1 {
            plan.push(1);
        } else if let Some(last) = plan.last_mut() {
            *last += 1;
        }
    }
    plan
}

/// Generates streams with lines of every length around the given buffer size.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..40),
        2 => Just(b"\n".to_vec()),
        1 => Just(b"\r\n".to_vec()),
        1 => Just(b" \t\r".to_vec()),
        1 => Just(b"\xEF\xBB\xBF".to_vec()),
        1 => Just(b"\xFF\xFE".to_vec()),
        1 => Just(b"{\"type\":\"user\"}\n".to_vec()),
        1 => (1usize..400).prop_map(|n| vec![b'x'; n]),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Generates piece sizes: single bytes, primes, sizes around that of the
/// buffer, or the whole stream.
fn plan(capacity: usize) -> impl Strategy<Value = Vec<usize>> {
    let size = prop_oneof![
        Just(1),
        prop::sample::select(vec![2, 3, 5, 7, 13, 31, 61, 127]),
        (capacity.saturating_sub(1).max(1))..=(capacity + 1),
        Just(usize::MAX),
    ];
    prop::collection::vec(size, 1..8)
}

/// All results of a reader: lines with their positions, and errors.
fn everything(mut reader: Reader<&[u8]>) -> (Vec<String>, Stats) {
    let mut outcomes = vec![];
    while let Some(line) = reader.next_line() {
        outcomes.push(match line {
            Ok(line) => {
                let shown = line.as_bytes().escape_ascii();
                format!("{}: {shown}", line.position())
            }
            Err(error) => error.to_string(),
        });
    }
    (outcomes, reader.stats())
}

proptest! {
    #![proptest_config(texts::cases(128))]

    #[test]
    fn the_outcome_is_a_function_of_the_bytes(
        stream in stream(),
        (capacity, plan) in (1usize..300).prop_flat_map(|capacity| {
            (Just(capacity), plan(capacity))
        }),
        max_line in prop_oneof![0usize..64, Just(NO_LIMIT)],
    ) {
        agree(&stream, max_line, capacity, &plan);
    }

    #[test]
    fn pieces_that_end_with_a_line_change_nothing(stream in stream()) {
        let plan: Vec<usize> =
            stream.split_inclusive(|&b| b == b'\n').map(<[u8]>::len).collect();
        if !plan.is_empty() {
            agree(&stream, NO_LIMIT, 64, &plan);
        }
    }

    /// Property: parts that are read separately give the same as the whole
    /// stream, if each reader has the start position of its part.
    #[test]
    fn parts_are_the_whole(
        stream in stream(),
        cuts in any::<[prop::sample::Index; 3]>(),
        salvage in any::<bool>(),
    ) {
        let whole = Reader::builder()
            .max_line(40).salvage(salvage).build(&stream[..]);
        let (expected, expected_stats) = everything(whole);
        let lines: Vec<&[u8]> =
            stream.split_inclusive(|&b| b == b'\n').collect();
        let mut cuts = cuts.map(|cut| cut.index(lines.len() + 1));
        cuts.sort();
        let (mut found, mut stats) = (vec![], Stats::default());
        let (mut byte, mut from) = (0, 0);
        for to in cuts.into_iter().chain([lines.len()]) {
            let part = lines[from..to].concat();
            let start = Position::new(from as u64 + 1, byte);
            let reader = Reader::builder()
                .max_line(40).salvage(salvage).start(start).build(&part[..]);
            let (outcomes, part_stats) = everything(reader);
            found.extend(outcomes);
            stats += part_stats;
            (byte, from) = (byte + part.len() as u64, to);
        }
        prop_assert_eq!(found, expected);
        prop_assert_eq!(stats, expected_stats);
    }

    /// Property: `next_where` skips the lines for which `wanted` returns
    /// false, and no others.
    #[test]
    fn next_where_is_a_filter(stream in stream(), wanted in any::<u8>()) {
        let has = |line: &[u8]| line.contains(&wanted);
        let mut expected = naive(&stream, NO_LIMIT).outcomes;
        expected.retain(|outcome| match outcome {
            framing::Outcome::Line { bytes, .. } => has(bytes),
            framing::Outcome::Error { .. } => true,
        });
        let mut reader = Reader::new(&stream[..]);
        let mut lines = linetape::lines(&stream);
        for outcome in expected {
            let one = reader.next_where(|line| has(line.as_bytes()));
            let two = lines.next_where(|line| has(line.as_bytes()));
            for found in [one.unwrap(), two.unwrap()] {
                let (number, bytes) = match &outcome {
                    framing::Outcome::Line { number, bytes, .. } => {
                        (number, bytes)
                    }
                    framing::Outcome::Error { .. } => {
                        prop_assert!(found.is_err());
                        continue;
                    }
                };
                let found = found.unwrap();
                prop_assert_eq!(found.number(), *number);
                prop_assert_eq!(found.as_bytes(), &bytes[..]);
            }
        }
        prop_assert!(reader.next_where(|l| has(l.as_bytes())).is_none());
        prop_assert!(lines.next_where(|l| has(l.as_bytes())).is_none());
    }
}

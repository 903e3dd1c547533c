//! Compressed streams: cases 55 to 65 of the list of cases.

use std::{
    fs,
    io::{self, Read, Write},
};

use flate2::{Compression, write::GzEncoder};
use linetape::{Error, ErrorKind, Position, Reader};
use linetape_flow::{Decompressed, Format, open, open_range};

use crate::support::{Folder, InPieces, log, split};

pub fn gz(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(vec![], Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

pub fn zst(plain: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(vec![], 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// A skippable frame, which has no plain text.
pub fn skippable(content: &[u8]) -> Vec<u8> {
    let length = content.len() as u32;
    let magic = [0x5A, 0x2A, 0x4D, 0x18];
    [&magic[..], &length.to_le_bytes(), content].concat()
}

/// What a reader returns: lines with their offsets, and the last error.
type Outcome = (Vec<(u64, Vec<u8>)>, Option<Error>);

fn read(compressed: &[u8], size: usize) -> Outcome {
    let source = Decompressed::new(InPieces::new(compressed, size));
    lines(Reader::new(source))
}

fn lines(mut reader: Reader<impl Read>) -> Outcome {
    let (mut lines, mut error) = (vec![], None);
    while let Some(line) = reader.next_line() {
        assert!(error.is_none(), "nothing comes after an error");
        match line {
            Ok(line) => lines.push((line.offset(), line.as_bytes().to_vec())),
            Err(found) => error = Some(found),
        }
    }
    (lines, error)
}

/// Asserts that the lines of a compressed stream are those of its plain text.
fn reads_as(compressed: &[u8], plain: &[u8]) {
    for size in [1, 2, 3, 7, 1000, usize::MAX] {
        let (lines, error) = read(compressed, size);
        assert!(error.is_none(), "{error:?}");
        assert_eq!(lines, split(plain), "in pieces of {size}");
    }
}

/// Asserts that reading fails after the plain text, at an offset of the
/// compressed stream.
fn fails_after(compressed: &[u8], plain: &[u8], offset: usize, why: &str) {
    for size in [1, 3, usize::MAX] {
        let (lines, error) = read(compressed, size);
        let error = error.expect("an error");
        assert_eq!(error.kind(), ErrorKind::Decompress);
        assert_eq!(compressed_offset(&error), Some(offset as u64));
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(error.position().byte(), plain.len() as u64);
        assert!(!error.is_recoverable());
        // The last line is lost, since it is not known to be complete.
        let end = plain.iter().rposition(|byte| *byte == b'\n');
        let whole = &plain[..end.map_or(0, |end| end + 1)];
        assert_eq!(lines, split(whole), "in pieces of {size}");
    }
}

/// Returns the offset in the compressed bytes, from the text of an error.
fn compressed_offset(error: &Error) -> Option<u64> {
    let text = error.to_string();
    let (_, offset) = text.split_once("at compressed byte ")?;
    offset.parse().ok()
}

#[test]
fn case_55_members_of_gzip_are_one_stream() {
    let log = log(30);
    let parts: Vec<&[u8]> = log.chunks(500).collect();
    let members: Vec<u8> = parts.iter().flat_map(|part| gz(part)).collect();
    assert!(parts.len() > 3);
    reads_as(&gz(&log), &log);
    reads_as(&members, &log);
}

#[test]
fn case_56_frames_of_zstd_are_one_stream() {
    let log = log(30);
    let mut frames = skippable(b"a note");
    for part in log.chunks(500) {
        frames.extend(zst(part));
        frames.extend(skippable(b""));
        frames.extend(skippable(&[0x1F, 0x8B, 8]));
    }
    reads_as(&zst(&log), &log);
    reads_as(&frames, &log);
    // Nothing but skippable frames.
    reads_as(&skippable(b"only"), b"");
}

/// The lines of a truncated stream are the first lines of the log, and then
/// there is one error.
#[test]
fn case_57_truncated_at_every_byte() {
    let log = log(12);
    let (first, second) = log.split_at(log.len() / 2);
    for (parts, format) in [
        ([gz(first), gz(second)], Format::Gzip),
        ([zst(first), zst(second)], Format::Zstd),
    ] {
        let stream = parts.concat();
        let border = parts[0].len();
        for cut in 1..stream.len() {
            let (lines, error) = read(&stream[..cut], 64);
            let expected = split(&log);
            let count = lines.len();
            let shown = format!("{format:?} cut at {cut} of {}", stream.len());
            if cut == border {
                // This is a whole stream.
                assert!(error.is_none(), "{shown}");
                assert_eq!(lines, split(first), "{shown}");
                continue;
            }
            assert_eq!(lines, expected[..count], "{shown}");
            let error = error.expect(&shown);
            assert_eq!(error.kind(), ErrorKind::Decompress, "{shown}");
            let offset = compressed_offset(&error).unwrap();
            // Too few bytes of the second frame are rubbish.
            let is_begun = (border..border + 4).contains(&cut);
            let expected =
                if is_begun && offset < cut as u64 { border } else { cut };
            assert_eq!(offset, expected as u64, "{shown}");
        }
        // Nothing at all is an empty log.
        assert_eq!(read(b"", 64).0, []);
    }
}

#[test]
fn case_58_rubbish_after_the_data_is_an_error_after_all_lines() {
    let log = log(9);
    for packed in [gz(&log), zst(&log)] {
        for rubbish in [&b"rubbish"[..], b"\n", b"\x1F\x8A", b"{}\n", b"\xFF"]
        {
            let stream = [&packed, rubbish].concat();
            fails_after(&stream, &log, packed.len(), "trailing data");
        }
    }
    // The other format is rubbish, too.
    let stream = [gz(&log), zst(&log)].concat();
    fails_after(&stream, &log, gz(&log).len(), "trailing data");
    let stream = [zst(&log), gz(&log)].concat();
    fails_after(&stream, &log, zst(&log).len(), "trailing data");
}

/// gzip(1) ignores zeros after the last member, and zstd(1) does not.
#[test]
fn case_59_zeros_after_gzip_are_ignored() {
    let log = log(9);
    let packed = gz(&log);
    for zeros in [1, 2, 511, 300_000] {
        let stream = [&packed[..], &vec![0; zeros]].concat();
        let (lines, error) = read(&stream, 4096);
        assert!(error.is_none(), "{zeros} {error:?}");
        assert_eq!(lines, split(&log));
        let more = [&stream[..], b"x"].concat();
        let (lines, error) = read(&more, 4096);
        let offset = compressed_offset(&error.unwrap());
        assert_eq!(offset, Some(stream.len() as u64));
        assert_eq!(lines, split(&log));
    }
    let packed = zst(&log);
    let stream = [&packed[..], &[0; 4]].concat();
    fails_after(&stream, &log, packed.len(), "trailing data");
}

#[test]
fn case_60_empty_members_are_nothing() {
    let log = log(5);
    let (first, second) = log.split_at(50);
    let empty = gz(b"");
    reads_as(&empty, b"");
    let members = [&empty, &gz(first), &empty, &gz(second), &empty];
    reads_as(&members.map(|member| &member[..]).concat(), &log);
    let empty = zst(b"");
    reads_as(&empty, b"");
    let frames = [&empty, &zst(first), &empty, &zst(second), &empty];
    reads_as(&frames.map(|frame| &frame[..]).concat(), &log);
}

#[test]
fn case_61_a_member_may_end_anywhere_in_a_line() {
    let log = b"{\"n\":1}\r\n{\"text\":\"\xC3\xA9\"}\n{}";
    let expected: Vec<_> = linetape_lines(log);
    for cut in 0..=log.len() {
        let (first, second) = log.split_at(cut);
        for stream in [
            [gz(first), gz(second)].concat(),
            [zst(first), zst(second)].concat(),
        ] {
            let (lines, error) = read(&stream, 5);
            assert!(error.is_none());
            assert_eq!(lines, expected, "cut at {cut}");
        }
    }
}

fn linetape_lines(plain: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let (lines, error) = lines(Reader::new(plain));
    assert!(error.is_none());
    lines
}

/// The first bytes decide, and not the name.
#[test]
fn case_63_a_name_says_nothing() {
    let folder = Folder::new();
    let log = log(9);
    for (name, content) in [
        ("plain.jsonl.gz", log.clone()),
        ("gzip.jsonl", gz(&log)),
        ("gzip.jsonl.zst", gz(&log)),
        ("zstd", zst(&log)),
    ] {
        let path = folder.write(name, content);
        let reader = open(path, &Reader::builder()).unwrap();
        let (lines, error) = lines(reader);
        assert!(error.is_none(), "{name}");
        assert_eq!(lines, split(&log), "{name}");
    }
}

#[test]
fn case_64_only_the_range_with_byte_0_of_a_compressed_file_has_lines() {
    let folder = Folder::new();
    let log = log(20);
    let builder = Reader::builder();
    for (content, is_plain) in
        [(log.clone(), true), (gz(&log), false), (zst(&log), false)]
    {
        let path = folder.write("log", content);
        let length = fs::metadata(&path).unwrap().len();
        for cut in [0, 1, length / 2, length, length + 1] {
            let mut found = vec![];
            let mut per_range = vec![];
            for range in [0..cut, cut..u64::MAX] {
                let reader = open_range(&path, range, &builder).unwrap();
                let (lines, error) = lines(reader);
                assert!(error.is_none(), "{error:?}");
                per_range.push(lines.len());
                found.extend(lines);
            }
            assert_eq!(found, split(&log), "{cut}");
            if !is_plain {
                assert!(per_range.contains(&0), "{cut}");
                assert_eq!(per_range[1] == 0, cut > 0, "{cut}");
            }
        }
    }
    let error = open_range("no/such/file", 0..1, &builder).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
}

#[test]
fn case_65_a_bomb_meets_a_limit() {
    let line = format!("{{\"t\":\"{}\"}}\n", "0".repeat(1 << 20));
    let plain = line.repeat(16).into_bytes();
    for packed in [gz(&plain), zst(&plain)] {
        assert!(packed.len() < plain.len() / 100);
        let exact = plain.len() as u64;
        for (limit, is_over) in [
            (exact + 1, false),
            (exact, false),
            (exact - 1, true),
            (2_500_000, true),
            (0, true),
        ] {
            let source = Decompressed::new(&packed[..]).max_plain(limit);
            let (lines, error) = lines(Reader::new(source));
            assert_eq!(error.is_some(), is_over, "{limit}");
            let whole = limit.min(exact) / line.len() as u64;
            assert_eq!(lines.len() as u64, whole, "{limit}");
            if let Some(error) = error {
                assert_eq!(error.kind(), ErrorKind::Decompress);
                assert_eq!(error.position().byte(), limit);
                let why = format!("decompressed size exceeds {limit} bytes");
                assert!(error.to_string().contains(&why), "{error}");
            }
        }
        // A plain text is not limited.
        let mut read = vec![];
        let mut source = Decompressed::new(&plain[..]).max_plain(1);
        source.read_to_end(&mut read).unwrap();
        assert!(read == plain);
        // A line that is too long is dropped while it is read.
        let source = Decompressed::new(&packed[..]);
        let mut reader = Reader::builder().max_line(1000).build(source);
        let mut errors = 0;
        while let Some(line) = reader.next_line() {
            assert_eq!(line.unwrap_err().kind(), ErrorKind::LineTooLong);
            errors += 1;
        }
        assert_eq!(errors, 16);
        assert_eq!(reader.stats().bytes, exact);
    }
}

/// Each changed byte gives other lines or an error, but never a crash or an
/// endless loop.
#[test]
fn a_damaged_stream_ends() {
    let log = log(12);
    for packed in [gz(&log), zst(&log)] {
        let mut errors = 0;
        for at in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x55;
            let (_, error) = read(&damaged, 50);
            if let Some(error) = error {
                errors += 1;
                let offset = compressed_offset(&error).unwrap_or(0);
                assert!(offset <= packed.len() as u64);
            }
        }
        assert!(errors > packed.len() / 2, "{errors} of {}", packed.len());
    }
}

/// A damaged stream is read as the C library of zstd reads it. Most
/// are refused; without a checksum, some have another text.
#[test]
fn a_damaged_zstd_stream_is_what_the_c_library_says() {
    let log = log(40);
    let (mut good, mut bad) = (0, 0);
    for level in [1, 9, 19] {
        let packed = zstd::encode_all(&log[..], level).unwrap();
        let flips = (0..packed.len()).flat_map(|at| [(at, 1), (at, 0xFF)]);
        for (at, flip) in flips {
            let mut damaged = packed.clone();
            damaged[at] ^= flip;
            let theirs = zstd::decode_all(&damaged[..]);
            let mut ours = vec![];
            let source = Decompressed::new(&damaged[..]);
            // A text of which the format is not recognised is plain.
            if Format::of(&damaged) != Format::Zstd {
                continue;
            }
            let read = source.take(1 << 20).read_to_end(&mut ours);
            assert_eq!(read.is_ok(), theirs.is_ok(), "{level} {at} {flip}");
            match theirs {
                Ok(theirs) => {
                    assert!(theirs == ours, "{level} {at} {flip}");
                    good += 1;
                }
                Err(_) => bad += 1,
            }
        }
    }
    assert!(good > 100 && bad > 100, "{good} good, {bad} bad");
}

/// A block can have no text. Once, a compressed one was an error.
#[test]
fn blocks_of_zstd_without_text_are_read_as_the_c_library_does() {
    let block = |is_last: bool, kind: usize, size: usize, bytes: &[u8]| {
        let header = u32::try_from(size << 3 | kind << 1).unwrap();
        let header = header | u32::from(is_last);
        [&header.to_le_bytes()[..3], bytes].concat()
    };
    let text = |is_last| block(is_last, 0, 3, b"{}\n");
    let literals = [
        &[0, 0][..],
        &[4, 0, 0],
        &[12, 0, 0, 0],
        &[1, 7, 0],
        &[5, 0, 7, 0],
        &[13, 0, 0, 7, 0],
        // Invalid.
        &[0],
        &[0, 1],
        &[0, 0, 0],
        &[2, 0],
        &[5, 0, 0],
    ];
    let compressed = literals.map(|bytes| (2, bytes.len(), bytes));
    let others = [(0, 0, &[][..]), (1, 0, b"x")];
    let mut good = 0;
    for (kind, size, bytes) in others.into_iter().chain(compressed) {
        let empty = |is_last| block(is_last, kind, size, bytes);
        for blocks in [
            vec![empty(true)],
            vec![empty(false), text(true)],
            vec![text(false), empty(true)],
            vec![text(false), empty(false), empty(false), text(true)],
        ] {
            let plain = blocks.iter().filter(|b| b.ends_with(b"{}\n"));
            let plain = b"{}\n".repeat(plain.count());
            let mut encoder = zstd::Encoder::new(vec![], 1).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.write_all(&plain).unwrap();
            let encoded = encoder.finish().unwrap();
            let checksum = &encoded[encoded.len() - 4..];
            for (flag, checksum) in [(0, &[][..]), (4, checksum)] {
                let header = [0x28, 0xB5, 0x2F, 0xFD, flag, 0x58];
                let frame = [&header, &blocks.concat()[..], checksum].concat();
                let theirs = zstd::decode_all(&frame[..]);
                for step in [1, 50] {
                    let (lines, error) = read(&frame, step);
                    assert_eq!(error.is_none(), theirs.is_ok(), "{frame:x?}");
                    if let Ok(theirs) = &theirs {
                        assert_eq!(lines, split(theirs), "{frame:x?}");
                        good += 1;
                    }
                }
            }
        }
    }
    assert!(good > 100, "{good}");
}

/// The blocks before a block that is invalid are returned.
#[test]
fn lines_before_an_invalid_block_are_returned() {
    let log = log(20_000);
    assert!(log.len() > 8 * (128 << 10));
    for packed in [gz(&log), zst(&log)] {
        let mut damaged = packed.clone();
        let at = packed.len() * 3 / 4;
        damaged[at..at + 20].fill(0xFF);
        let (lines, error) = read(&damaged, usize::MAX);
        let error = error.unwrap();
        assert_eq!(error.kind(), ErrorKind::Decompress);
        let offset = compressed_offset(&error).unwrap() as usize;
        // The offset is that of a block, or of a place in it.
        assert!(offset > packed.len() / 2, "{offset} of {}", packed.len());
        let expected = split(&log);
        let good = lines.iter().zip(&expected).take_while(|(a, b)| a == b);
        let good = good.count();
        assert!(good > expected.len() / 2, "{good} lines");
    }
}

/// A checksum that is wrong, or cut off, is found after all lines. Once, the
/// lines of the last block waited for the checksum, and were lost without it.
#[test]
fn a_wrong_checksum_is_an_error_after_all_lines() {
    let log = log(9);
    let (gzip, zstd) = (gz(&log), zst(&log));
    for (packed, back) in [(gzip, 8), (zstd, 4)] {
        let checksum = packed.len() - back;
        let mut wrong = packed.clone();
        wrong[checksum] ^= 1;
        let cut = (0..back).map(|kept| packed[..checksum + kept].to_vec());
        for damaged in cut.chain([wrong]) {
            let (lines, error) = read(&damaged, 64);
            assert_eq!(error.unwrap().kind(), ErrorKind::Decompress);
            assert_eq!(lines, split(&log));
        }
    }
}

/// The source may have no data yet, at any byte.
#[test]
fn a_source_that_has_no_data_yet_is_asked_again() {
    let log = log(9);
    let streams = [
        [gz(&log), gz(&log), vec![0; 3]].concat(),
        [zst(&log), skippable(b"x"), zst(&log)].concat(),
        log.repeat(2),
    ];
    for stream in streams {
        let mut source = InPieces::new(&stream, 1);
        source.is_slow = true;
        let mut reader = Reader::new(Decompressed::new(source));
        let mut found = vec![];
        while let Some(line) = reader.next_line() {
            match line {
                Ok(line) => found.push(line.as_bytes().to_vec()),
                Err(error) => assert!(error.is_recoverable(), "{error}"),
            }
        }
        let expected = split(&log.repeat(2)).into_iter();
        assert_eq!(found, expected.map(|line| line.1).collect::<Vec<_>>());
    }
}

/// Gives out its pieces, and panics when it is asked for more.
struct Live<'p>(&'p [&'p [u8]]);

impl Read for Live<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let (first, rest) = self.0.split_first().expect("this would block");
        self.0 = rest;
        room[..first.len()].copy_from_slice(first);
        Ok(first.len())
    }
}

/// A live pipe is not asked for more than is needed for the next bytes.
#[test]
fn bytes_are_returned_as_soon_as_they_are_there() {
    let mut room = [0; 64];
    let mut source = Decompressed::new(Live(&[b"{}\n", b"{\"n\""]));
    assert_eq!(source.read(&mut room).unwrap(), 3);
    assert_eq!(source.read(&mut room).unwrap(), 4);

    let mut encoder = GzEncoder::new(vec![], Compression::fast());
    encoder.write_all(b"{}\n").unwrap();
    encoder.flush().unwrap();
    let pieces = [&encoder.get_ref()[..]];
    let mut source = Decompressed::new(Live(&pieces));
    assert_eq!(source.read(&mut room).unwrap(), 3);

    let mut encoder = zstd::Encoder::new(vec![], 1).unwrap();
    encoder.write_all(b"{}\n").unwrap();
    encoder.flush().unwrap();
    let pieces = [&encoder.get_ref()[..]];
    let mut source = Decompressed::new(Live(&pieces));
    assert_eq!(source.read(&mut room).unwrap(), 3);
}

/// An I/O error of the source is not an error of the format.
#[test]
fn a_source_that_fails_is_an_io_error() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
    let packed = gz(&log(9));
    let half = &packed[..packed.len() / 2];
    let source = Decompressed::new(half.chain(Broken));
    let (_, error) = lines(Reader::new(source));
    let error = error.unwrap();
    assert_eq!(error.kind(), ErrorKind::Io);
    let kind = error.io_error().unwrap().kind();
    assert_eq!(kind, io::ErrorKind::ConnectionReset);
    assert_ne!(error.position(), Position::START);
}

/// The format was taken from whatever bytes were next.
#[test]
fn the_format_stays_the_same_while_the_stream_is_read() {
    for (bytes, expected) in [
        (gz(b"{}\n{}\n"), Format::Gzip),
        (zst(b"{}\n{}\n"), Format::Zstd),
        (b"{}\n\x1F\x8B\x08\n".to_vec(), Format::Plain),
    ] {
        let mut source = Decompressed::new(InPieces::new(&bytes, 3));
        let mut read = [0; 3];
        source.read_exact(&mut read).unwrap();
        assert_eq!(source.format().unwrap(), expected);
        source.read_to_end(&mut vec![]).unwrap();
        assert_eq!(source.format().unwrap(), expected);
    }
}

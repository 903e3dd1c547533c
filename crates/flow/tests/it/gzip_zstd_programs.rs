//! Compressed streams, compared with gzip(1) and zstd(1) where they are
//! installed.

use std::{
    io::{Read, Write},
    process::{Command, Stdio},
    thread,
};

use linetape_flow::Decompressed;

use crate::{
    compressed::{gz, skippable, zst},
    support::log,
};

/// Runs a program on some bytes. Returns its output, and whether it
/// succeeded; or `None` if it is not installed.
fn run(program: &[&str], input: &[u8]) -> Option<(Vec<u8>, bool)> {
    let child = Command::new(program[0])
        .args(&program[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else {
        println!("skipped: {} is not installed", program[0]);
        return None;
    };
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A program that stops early closes the pipe.
    let writer = thread::spawn(move || stdin.write_all(&input).is_ok());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Some((output.stdout, output.status.success()))
}

/// Returns the plain text up to the first error, and whether there was none.
fn ours(stream: &[u8]) -> (Vec<u8>, bool) {
    let mut plain = vec![];
    let read = Decompressed::new(stream).read_to_end(&mut plain);
    (plain, read.is_ok())
}

#[test]
fn what_the_programs_compress_is_read() {
    let log = log(3000);
    for program in [
        &["gzip", "-1"][..],
        &["gzip", "-9"],
        &["zstd", "-1", "-q"],
        &["zstd", "-19", "-q"],
        &["zstd", "-q", "--long=27", "--no-check"],
    ] {
        if let Some((packed, true)) = run(program, &log) {
            assert_eq!(ours(&packed), (log.clone(), true), "{program:?}");
        }
    }
}

/// Both agree on which streams are good, and on the plain text of those.
#[test]
fn the_programs_agree_on_good_and_bad_streams() {
    let log = log(40);
    let (gzip, zstd) = (gz(&log), zst(&log));
    let streams = |packed: &[u8]| {
        let mut flipped = packed.to_vec();
        let middle = flipped.len() / 2;
        flipped[middle] ^= 0xFF;
        let mut checksum = packed.to_vec();
        if let Some(last) = checksum.last_mut() {
            *last ^= 0xFF;
        }
        vec![
            packed.to_vec(),
            packed.repeat(3),
            [packed, &[0; 5]].concat(),
            [packed, &[0; 5], packed].concat(),
            [packed, b"rubbish"].concat(),
            [packed, &packed[..1]].concat(),
            [packed, &packed[..20]].concat(),
            packed[..packed.len() - 1].to_vec(),
            packed[..middle].to_vec(),
            flipped,
            checksum,
        ]
    };
    let mut cases: Vec<(&[&str], Vec<u8>)> = vec![];
    let is_gzip = &["gzip", "-dcq"][..];
    let is_zstd = &["zstd", "-dcq"][..];
    cases.extend(streams(&gzip).into_iter().map(|s| (is_gzip, s)));
    cases.extend(streams(&zstd).into_iter().map(|s| (is_zstd, s)));
    let note = skippable(b"note");
    cases.push((is_zstd, [&note[..], &zstd, &note].concat()));
    cases.push((is_zstd, [&zstd[..], &note[..6]].concat()));
    cases.push((is_gzip, [&gzip[..], &zstd].concat()));
    for (index, (program, stream)) in cases.into_iter().enumerate() {
        let Some((theirs, is_good)) = run(program, &stream) else {
            continue;
        };
        let (plain, was_good) = ours(&stream);
        assert_eq!(was_good, is_good, "{program:?}, stream {index}");
        if is_good {
            assert_eq!(plain, theirs, "{program:?}, stream {index}");
        } else {
            // A program may drop its last buffer when it fails.
            assert!(plain.starts_with(&theirs), "{program:?} {index}");
        }
    }
}

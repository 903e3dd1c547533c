//! The JSON conformance suite, if it is there: what must be accepted is, what
//! must be rejected is, and what is left open is written down here.
//!
//! Each file is the value of a member of an object, because a record is an
//! object; a newline in it becomes a space, because it would end the line.

use std::{env, fs, path::PathBuf};

use linetape::{Chunks, Decoder, ErrorKind, Reader};

/// The files that the suite leaves open and that are accepted. All others of
/// that sort are rejected.
const ACCEPTED: &[&str] = &[
    "i_number_double_huge_neg_exp.json",
    "i_number_real_underflow.json",
    "i_number_too_big_neg_int.json",
    "i_number_too_big_pos_int.json",
    "i_number_very_big_negative_int.json",
];

/// A file whose only fault is the newline, which cannot be brought in a line.
const GOOD_IN_A_LINE: &[&str] = &["n_string_unescaped_newline.json"];

fn suite() -> Vec<(String, Vec<u8>)> {
    let folder = env::var_os("LINETAPE_CONFORMANCE").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| "../shared/conformance".into());
    let mut files = vec![];
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".json") {
                files.push((name.into_owned(), fs::read(&path).unwrap()));
            }
        }
    }
    if files.is_empty() {
        println!("skipped: no suite, LINETAPE_CONFORMANCE is not there");
    }
    files.sort();
    files
}

/// The file as a line: `{"v":FILE}`.
fn line(file: &[u8]) -> Vec<u8> {
    let file: Vec<u8> =
        file.iter().map(|&b| if b == b'\n' { b' ' } else { b }).collect();
    [b"{\"v\":", &file[..], b"}"].concat()
}

fn accepts(mut reader: Reader<&[u8]>, line: usize) -> bool {
    let mut accepted = None;
    while let Some(record) = reader.next_record() {
        let at = match &record {
            Ok(record) => record.position().line(),
            Err(error) => error.position().line(),
        };
        if at == line as u64 {
            accepted = Some(record.is_ok());
        } else {
            assert!(record.is_ok(), "a neighbour was hurt");
        }
    }
    accepted.expect("the line was lost")
}

/// What each way to bring the line makes of it.
fn framings(line: &[u8]) -> Vec<(&'static str, bool)> {
    let with = |before: &[u8], after: &[u8]| [before, line, after].concat();
    let neighbour = b"{\"a\":\"b\\n\"}\n";
    let packed = with(neighbour, &[b"\n", &neighbour[..]].concat());
    let lf = with(b"", b"\n");
    let mut chunks = Chunks::new();
    let mut in_bytes = None;
    for byte in &lf {
        chunks.push(vec![*byte]);
        while let Some(line) = chunks.next_line() {
            let mut decoder = Decoder::new();
            in_bytes = Some(line.unwrap().line(&mut decoder).decode().is_ok());
        }
    }
    vec![
        ("LF", accepts(Reader::new(&lf), 1)),
        ("CRLF", accepts(Reader::new(&with(b"", b"\r\n")), 1)),
        ("no LF", accepts(Reader::new(line), 1)),
        ("BOM", accepts(Reader::new(&with(b"\xEF\xBB\xBF", b"\n")), 1)),
        ("packed", accepts(Reader::new(&packed), 2)),
        ("bytes", in_bytes.unwrap()),
    ]
}

#[test]
fn every_file_is_judged_as_the_suite_says_in_every_framing() {
    for (name, file) in suite() {
        let expected = match &name[..2] {
            "y_" => true,
            "n_" => GOOD_IN_A_LINE.contains(&name.as_str()),
            _ => ACCEPTED.contains(&name.as_str()),
        };
        for (framing, accepted) in framings(&line(&file)) {
            assert_eq!(accepted, expected, "{name}, {framing}");
        }
    }
}

/// Bare, a file is a record only if it is an object.
#[test]
fn a_bare_value_is_no_object() {
    for (name, file) in suite() {
        let file: Vec<u8> = line(&file);
        let file = &file[5..file.len() - 1];
        let first = file.iter().find(|b| !b" \t\r\n".contains(b));
        let mut decoder = Decoder::new();
        let kind = decoder.decode(file).map(drop).map_err(|e| e.kind());
        if first != Some(&b'{') {
            assert_eq!(kind, Err(ErrorKind::NotAnObject), "{name}");
        } else if name.starts_with("y_") {
            // The suite repeats keys, but not those that decide.
            assert_eq!(kind, Ok(()), "{name}");
        } else {
            assert_ne!(kind, Err(ErrorKind::NotAnObject), "{name}");
        }
    }
}

//! Functions that take any bytes, and panic if linetape-flow violates an
//! invariant. The targets in `fuzz/fuzz_targets` call them, and so does
//! `it/fuzz_seeds.rs`.

use std::{
    env, fs,
    io::{self, Read, Write},
    path::PathBuf,
    process, thread,
};

use linetape::{BytesLine, Error, Reader};
use linetape_flow::{
    Checkpoint, Checkpoints, Decompressed, Format, LineCodec,
};
use tokio_util::{bytes::BytesMut, codec::Decoder};

/// A target: its name and its oracle.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 3] = [
    ("codec", codec),
    ("checkpoints", checkpoints),
    ("compressed", compressed),
];

/// A text, and bytes that are parameters: the last `FF` separates the two.
/// Missing parameters are 0.
fn split(data: &[u8]) -> (&[u8], impl FnMut() -> usize) {
    let at = data.iter().rposition(|byte| *byte == 0xFF);
    let at = at.unwrap_or(data.len());
    let mut choices = data[at..].iter().skip(1);
    let next = move || choices.next().copied().map_or(0, usize::from);
    (&data[..at], next)
}

/// Lines of any bytes are the same, however they arrive.
pub fn codec(data: &[u8]) {
    let (text, mut choice) = split(data);
    let builder = Reader::builder()
        .max_line([64 << 20, 1, 8, 64][choice() % 4])
        .skip_noise(choice() % 2 == 1)
        .salvage(choice() % 2 == 1);
    type Found = Result<BytesLine, String>;
    let found = |line: Result<BytesLine, Error>| -> Found {
        line.map_err(|error| error.to_string())
    };
    let mut chunks = builder.chunks();
    chunks.push(text.to_vec());
    chunks.finish();
    let mut expected = vec![];
    while let Some(line) = chunks.next_line() {
        expected.push(found(line));
    }

    let mut codec = LineCodec::with_builder(builder);
    let (mut lines, mut buffer, mut rest) = (vec![], BytesMut::new(), text);
    while !rest.is_empty() {
        let size = (1 + choice()).min(rest.len());
        buffer.extend_from_slice(&rest[..size]);
        rest = &rest[size..];
        while let Some(line) = codec.decode(&mut buffer).unwrap() {
            lines.push(found(line));
        }
    }
    while let Some(line) = codec.decode_eof(&mut buffer).unwrap() {
        lines.push(found(line));
    }
    assert_eq!(lines, expected);
}

/// A file that only this thread uses.
fn path(name: &str) -> PathBuf {
    let id = format!("{:?}", thread::current().id());
    let id: String = id.chars().filter(char::is_ascii_digit).collect();
    env::temp_dir()
        .join(format!("linetape-fuzz-{}-{id}-{name}", process::id()))
}

/// Any bytes are a file of checkpoints or an error. What is read can be
/// written, and is then the same. A checkpoint likewise.
pub fn checkpoints(data: &[u8]) {
    if let Ok(checkpoint) = Checkpoint::parse(data) {
        let text = checkpoint.to_json().unwrap();
        assert!(!text.contains('\n'));
        assert_eq!(Checkpoint::parse(text.as_bytes()).unwrap(), checkpoint);
    }
    let file = path("state");
    fs::write(&file, data).unwrap();
    if let Ok(mut first) = Checkpoints::open(&file) {
        first.save().unwrap();
        let before: Vec<Checkpoint> = first.iter().cloned().collect();
        let state = first.state().to_vec();
        drop(first);
        let second = Checkpoints::open(&file).unwrap();
        assert_eq!(second.iter().cloned().collect::<Vec<_>>(), before);
        assert_eq!(second.state(), state);
    }
    // A state of any bytes comes back, and a file with one byte changed or
    // cut is an error.
    let (state, mut choice) = split(data);
    let mut anew = Checkpoints::create(&file).unwrap();
    anew.set_state(state);
    anew.save().unwrap();
    drop(anew);
    let opened = Checkpoints::open(&file).unwrap();
    assert_eq!(opened.state(), state);
    drop(opened);
    let mut bytes = fs::read(&file).unwrap();
    let at = (choice() << 8 | choice()) % bytes.len();
    match choice() % 2 {
        0 => bytes.truncate(at),
        _ => bytes[at] ^= 1 << (choice() % 8),
    }
    fs::write(&file, &bytes).unwrap();
    assert!(Checkpoints::open(&file).is_err());
    fs::remove_file(&file).unwrap();
    let mut lock = file.into_os_string();
    lock.push(".lock");
    fs::remove_file(lock).unwrap();
}

/// Reads all that can be read, in pieces of a size. Returns whether it ended
/// without an error.
fn plain(stream: &[u8], size: usize) -> (Vec<u8>, bool) {
    /// Returns the bytes in pieces of a size.
    struct Pieces<'b>(&'b [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            let size = self.1.min(room.len());
            self.0.read(&mut room[..size])
        }
    }

    let mut plain = vec![];
    // A bomb.
    let limit = 1 << 20;
    let source = Decompressed::new(Pieces(stream, size));
    let result = source.take(limit).read_to_end(&mut plain);
    (plain, result.is_ok())
}

/// Asserts that a stream has the same plain text in pieces as at once, and the
/// same text before an error.
fn is_same_in_pieces(stream: &[u8], size: usize) {
    assert_eq!(plain(stream, size), plain(stream, usize::MAX));
}

/// A stream of any bytes, compressed or not, has the same plain text in any
/// pieces; what was compressed comes back; and if it is cut, the first part
/// comes back.
pub fn compressed(data: &[u8]) {
    let (text, mut choice) = split(data);
    let size = 1 + choice();
    let packed = match choice() % 3 {
        0 => {
            return is_same_in_pieces(data, size);
        }
        1 => {
            let level = flate2::Compression::fast();
            let mut writer = flate2::write::GzEncoder::new(vec![], level);
            writer.write_all(text).unwrap();
            writer.finish().unwrap()
        }
        _ => zstd::encode_all(text, 1).unwrap(),
    };
    if Format::of(text) == Format::Array {
        return is_same_in_pieces(&packed, size);
    }
    let expected = &text[..text.len().min(1 << 20)];
    assert_eq!(plain(&packed, size), (expected.to_vec(), true));
    let at = (choice() << 8 | choice()) % packed.len();
    let cut = plain(&packed[..at], size);
    if at > 0 {
        assert!(text.starts_with(&cut.0) && !cut.1, "cut at {at}");
    }
    let mut changed = packed.clone();
    changed[at] ^= 1 << (choice() % 8);
    is_same_in_pieces(&changed, size);
}

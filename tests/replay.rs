//! Calls every accessor of every line of some logs, and of a damaged copy of
//! each line, with every kernel that this CPU has. Prints a digest of all
//! results for each kernel, and fails if the digests differ.
//!
//! Folders are read recursively. Without arguments, it reads generated logs,
//! and the logs of `LINETAPE_CORPUS` and `LINETAPE_CONFORMANCE`.
//!
//! ```console
//! $ cargo run --release -p linetape-tests --example replay -- logs/
//! ```

#[allow(dead_code)] // this example uses a part of it
#[path = "support/logs.rs"]
mod files;

use std::{
    env,
    error::Error,
    fmt::{self, Write},
    fs, io,
    path::PathBuf,
    process::ExitCode,
};

use linetape::{
    Chunks, Decoder, Kernel, Level, Projection, Reader, Value, Writer, owned,
};
use linetape_generate::{Shape, generate};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut paths: Vec<PathBuf> =
        env::args_os().skip(1).map(Into::into).collect();
    let mut logs = vec![];
    if paths.is_empty() {
        logs.extend(Shape::ALL.map(|shape| generate(shape, 1, 1 << 20)));
        for (variable, folder) in [
            ("LINETAPE_CORPUS", "../shared/corpus"),
            ("LINETAPE_CONFORMANCE", "../shared/conformance"),
        ] {
            let named = env::var_os(variable).map(PathBuf::from);
            match named.or_else(|| fs::canonicalize(folder).ok()) {
                Some(folder) => paths.push(folder),
                None => eprintln!("skipped: {variable} is not set"),
            }
        }
    }
    for path in paths {
        if path.is_dir() {
            let found = files::files(path, "json");
            logs.extend(found.into_iter().map(|(_, bytes)| bytes));
        } else {
            logs.push(fs::read(path)?);
        }
    }

    let bytes: usize = logs.iter().map(Vec::len).sum();
    let kernels = Kernel::ALL.into_iter().filter(|k| k.is_available());
    let mut digests = vec![];
    for kernel in kernels {
        let mut digest = Digest { sum: 0xCBF2_9CE4_8422_2325, lines: 0 };
        for log in &logs {
            replay(log, kernel, &mut digest)?;
        }
        let Digest { sum, lines } = digest;
        println!("{sum:016x} {kernel}, {lines} lines of {bytes} bytes");
        digests.push(sum);
    }
    digests.dedup();
    Ok(ExitCode::from(u8::from(digests.len() != 1)))
}

/// An FNV-1a hash of all results.
struct Digest {
    sum: u64,
    lines: u64,
}

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.add(text.as_bytes());
        Ok(())
    }
}

impl io::Write for &mut Digest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        self.sum = bytes.iter().fold(self.sum, |sum, byte| {
            (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
        });
    }

    fn error(&mut self, error: &linetape::Error) -> fmt::Result {
        let (limit, found) = (error.limit(), error.found());
        write!(self, "{} {error} {limit:?} {found:?}", error.kind())
    }
}

fn replay(
    log: &[u8],
    kernel: Kernel,
    digest: &mut Digest,
) -> Result<(), Box<dyn Error>> {
    let mut decoder = Decoder::new();
    decoder.set_kernel(kernel)?;
    for (number, line) in log.split(|&byte| byte == b'\n').enumerate() {
        digest.lines += 1;
        one_line(&mut decoder, line, digest)?;
        one_line(&mut decoder, &damaged(line, number), digest)?;
    }
    for salvage in [false, true] {
        let builder = Reader::builder().level(Level::Kind).salvage(salvage);
        let mut reader = builder.kernel(kernel)?.build(log);
        while let Some(line) = reader.next_line() {
            match line.and_then(|line| {
                Ok((line.position(), line.kind()?.to_string()))
            }) {
                Ok((position, kind)) => write!(digest, "{position} {kind}")?,
                Err(error) => digest.error(&error)?,
            }
        }
        write!(digest, "{:?}", reader.stats())?;
    }
    let mut chunks = Chunks::new();
    for chunk in log.chunks(60_000).chain([&[][..]]) {
        if chunk.is_empty() {
            chunks.finish();
        }
        chunks.push(chunk.to_vec());
        while let Some(line) = chunks.next_line() {
            match line {
                Ok(line) => write!(digest, "{}", line.position())?,
                Err(error) => digest.error(&error)?,
            }
        }
    }
    Ok(())
}

/// Adds the results of all accessors of a line.
fn one_line(
    decoder: &mut Decoder,
    line: &[u8],
    digest: &mut Digest,
) -> Result<(), Box<dyn Error>> {
    let line = decoder.line(line);
    match line.kind() {
        Ok(kind) => write!(digest, "{kind}")?,
        Err(error) => digest.error(&error)?,
    }
    if let Err(error) = line.check() {
        digest.error(&error)?;
    }
    let paths = ["/type", "/a/0", "/message/content", "/message/usage"];
    match line.projected(&Projection::new(paths)) {
        Ok(found) => write!(digest, "{found:?}")?,
        Err(error) => digest.error(&error)?,
    }
    match line.peek() {
        Ok(message) => {
            write!(digest, "{message:?}")?;
            faults(message.value(), digest)?;
        }
        Err(error) => digest.error(&error)?,
    }
    match line.decode() {
        Ok(record) => {
            write!(digest, "{} {:?}", record.kind(), record.message())?;
            let owned: owned::Message = record.into_owned();
            Writer::new(digest).write_value(&owned)?;
        }
        Err(error) => digest.error(&error)?,
    }
    Ok(())
}

/// Adds the errors of a peeked value and of all values inside it.
fn faults(value: Value<'_>, digest: &mut Digest) -> fmt::Result {
    if let Err(error) = value.check() {
        digest.error(&error)?;
    }
    for (_, value) in value.as_object().into_iter().flatten() {
        faults(value, digest)?;
    }
    for item in value.as_array().into_iter().flatten() {
        faults(item, digest)?;
    }
    Ok(())
}

/// Returns a line with one fault. `number` selects the kind and the offset of
/// the fault.
fn damaged(line: &[u8], number: usize) -> Vec<u8> {
    let at = (number * 31) % (line.len() + 1);
    let (head, tail) = line.split_at(at);
    match number % 8 {
        0 => head.to_vec(),
        1 => [head, b"\0", tail].concat(),
        2 => [head, b"\"", tail].concat(),
        3 => [head, b"\\", tail].concat(),
        4 => [head, b"\xFF", tail].concat(),
        5 => [head, line].concat(),
        6 => [head, tail.get(1..).unwrap_or_default()].concat(),
        _ => [line, line].concat(),
    }
}

use std::{
    fs::File,
    io::{Seek, SeekFrom},
    ops::Range,
    path::Path,
};

use linetape::{Error, Position, Reader, ReaderBuilder};

use crate::decompress::{Decompressed, Format};

/// Opens a file that may be compressed.
///
/// Positions refer to the decompressed text. A range or a start position of
/// `builder` is ignored: see [`open_range`].
///
/// # Errors
///
/// Returns an error if the file cannot be opened.
///
/// # Example
///
/// This shows how to open a log with other settings than the default.
///
/// ```no_run
/// let builder = linetape::Reader::builder().skip_noise(true);
/// let mut reader = linetape_flow::open("old.jsonl.gz", &builder)?;
/// while let Some(line) = reader.next_line() {
///     println!("{}", line?.kind()?);
/// }
/// # Ok::<(), linetape::Error>(())
/// ```
pub fn open(
    path: impl AsRef<Path>,
    builder: &ReaderBuilder,
) -> Result<Reader<Decompressed<File>>, Error> {
    let source = Decompressed::new(file(path.as_ref())?);
    Ok(builder.clone().start(Position::START).build(source))
}

/// Opens a [range](linetape::ReaderBuilder::range) of a file that may be
/// compressed.
///
/// A compressed file or a JSON array cannot be divided: the range that contains byte 0 has all
/// lines, and every other range has none. So if several ranges cover the file,
/// each line is still in exactly one of them.
///
/// # Errors
///
/// Returns an error if the file cannot be opened or read, or if seeking to the
/// range fails.
///
/// # Example
///
/// This shows how to read the second half of a log.
///
/// ```no_run
/// let path = "session.jsonl";
/// let middle = std::fs::metadata(path)?.len() / 2;
/// let builder = linetape::Reader::builder();
/// let range = middle..u64::MAX;
/// let mut reader = linetape_flow::open_range(path, range, &builder)?;
/// while let Some(line) = reader.next_line() {
///     println!("{}", line?.offset());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open_range(
    path: impl AsRef<Path>,
    range: Range<u64>,
    builder: &ReaderBuilder,
) -> Result<Reader<Decompressed<File>>, Error> {
    let mut source = Decompressed::new(file(path.as_ref())?);
    let start = range.start;
    let builder = builder.clone().range(range.clone());
    let result = source.format().and_then(|format| match format {
        Format::Plain if start > 0 => {
            let mut file = source.into_inner();
            file.seek(SeekFrom::Start(start - 1))?;
            Ok(builder.build(Decompressed::plain(file)))
        }
        Format::Plain => Ok(builder.build(source)),
        _ if range.contains(&0) => {
            Ok(builder.start(Position::START).build(source))
        }
        _ => Ok(builder.range(0..0).build(source)),
    });
    result.map_err(Error::from)
}

fn file(path: &Path) -> Result<File, Error> {
    // The reader is not used, so it needs no buffer.
    let opened = ReaderBuilder::new().buffer_capacity(1).open(path)?;
    Ok(opened.into_inner())
}

use std::{collections::BTreeMap, path::PathBuf};

use linetape::{Decoder, Error, Object};

use crate::{checkpoints::digest::digest, follow::Checkpoint};

/// The version of the format.
const VERSION: u64 = 1;

/// The name in the first line.
const NAME: &str = "linetape-checkpoints";

/// How every file begins.
pub(crate) const START: &str = "{\"format\":\"linetape-checkpoints\"";

/// Returns the beginning of a file: a header line, and one line for each
/// checkpoint. The bytes of the state follow it.
pub(crate) fn encode<'c>(
    checkpoints: impl Iterator<Item = &'c Checkpoint>,
    state: &[u8],
) -> Result<Vec<u8>, Error> {
    let (mut lines, mut count) = (String::new(), 0u64);
    for checkpoint in checkpoints {
        lines += &checkpoint.to_json()?;
        lines.push('\n');
        count += 1;
    }
    let length = state.len() as u64;
    let hash = digest(&[lines.as_bytes(), state]);
    let header = Header { version: VERSION, count, length, hash };
    let text = header.to_json() + "\n" + &lines;
    Ok(text.into_bytes())
}

/// Reads the checkpoints of a file, or returns the reason why it cannot be used. `lines` are its
/// bytes before the state.
pub(crate) fn decode(
    lines: &[u8],
    state: &[u8],
) -> Result<BTreeMap<PathBuf, Checkpoint>, &'static str> {
    let (first, mut rest) = split_line(lines).ok_or(FOREIGN)?;
    let header = Header::of(first).ok_or(FOREIGN)?;
    let Header { version, count, length, hash } = header;
    if version != VERSION {
        return Err(OTHER_VERSION);
    }
    // No other byte may have changed, either.
    if header.to_json().as_bytes() != first {
        return Err(TORN);
    }
    let lines = rest;
    let mut checkpoints = BTreeMap::new();
    for _ in 0..count {
        let (line, more) = split_line(rest).ok_or(TORN)?;
        let checkpoint = Checkpoint::parse(line).map_err(|_| TORN)?;
        checkpoints.insert(checkpoint.path().to_path_buf(), checkpoint);
        rest = more;
    }
    let is_whole = rest.is_empty() && state.len() as u64 == length;
    if !is_whole || digest(&[lines, state]) != hash {
        return Err(TORN);
    }
    Ok(checkpoints)
}

/// Returns where the state begins in a file that begins with some bytes, if
/// these are all its lines.
pub(crate) fn start_of_state(bytes: &[u8]) -> Option<usize> {
    let (first, mut rest) = split_line(bytes)?;
    for _ in 0..Header::of(first)?.count {
        (_, rest) = split_line(rest)?;
    }
    Some(bytes.len() - rest.len())
}

pub(crate) const FOREIGN: &str = "not a file of checkpoints";
pub(crate) const TORN: &str = "a file of checkpoints that is damaged; remove \
                               it, and all logs are read again";
const OTHER_VERSION: &str = "a file of checkpoints of another version; remove \
                             it, and all logs are read again";

/// The first line.
struct Header {
    version: u64,
    count: u64,
    length: u64,
    hash: u64,
}

impl Header {
    fn to_json(&self) -> String {
        let Header { version, count, length, hash } = self;
        format!(
            "{{\"format\":\"{NAME}\",\"version\":{version},\
             \"checkpoints\":{count},\"state\":{length},\
             \"hash\":\"{hash:016x}\"}}"
        )
    }

    fn of(line: &[u8]) -> Option<Header> {
        let mut decoder = Decoder::new();
        let record = decoder.decode(line).ok()?;
        record.value().as_object().and_then(Header::read)
    }

    fn read(object: Object<'_>) -> Option<Header> {
        let number = |name| object.get(name)?.as_u64();
        if object.get("format")?.as_str()? != NAME {
            return None;
        }
        let hash = object.get("hash")?.as_str()?;
        Some(Header {
            version: number("version")?,
            count: number("checkpoints")?,
            length: number("state")?,
            hash: u64::from_str_radix(hash, 16).ok()?,
        })
    }
}

fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let (line, rest) = bytes.split_at_checked(end)?;
    Some((line, rest.get(1..)?))
}

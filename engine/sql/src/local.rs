//! Files of this machine.
//!
//! They are opened by their paths, and not by the object store for local files:
//! that one refuses names with control characters, or that are not Unicode, and
//! does not notice that a file was replaced.

use std::{
    fs::{File, Metadata},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use datafusion::{
    common::{DataFusionError, Result},
    datasource::listing::PartitionedFile,
};
use object_store::{ObjectMeta, path};

use crate::ends;

/// A file that was listed.
pub(crate) struct Listed {
    pub(crate) file: PartitionedFile,
    /// Its path without links. Two files with one path are the same.
    pub(crate) whole: PathBuf,
}

/// Returns what is known of a file. Its path must be absolute.
pub(crate) fn look_up(path: &Path) -> Result<Listed> {
    let found = path.metadata().and_then(|facts| {
        let whole = path.canonicalize()?;
        // Opening a pipe would wait for a writer.
        if !facts.is_file() {
            return Ok((facts.modified()?, facts, whole, None));
        }
        let mut file = File::open(path)?;
        // Another file may have been moved there since.
        let facts = file.metadata()?;
        let tag = ends::tag(&mut file, facts.len())?;
        Ok((facts.modified()?, facts, whole, Some(tag)))
    });
    let (modified, facts, whole, e_tag) = found.map_err(|error| {
        let error = DataFusionError::IoError(error);
        error.context(format!("cannot read {}", shown(path)))
    })?;
    let meta = ObjectMeta {
        location: encode(path)?,
        last_modified: modified.into(),
        size: facts.len(),
        e_tag,
        version: None,
    };
    let identity = Known::Here(identity(&facts));
    let state = State { identity, modified };
    let file = PartitionedFile::from(meta).with_extension(state);
    Ok(Listed { file, whole })
}

/// Returns a path as a message may show it.
pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string().escape_debug().to_string()
}

/// The state of a file when it was listed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    identity: Known,
    modified: SystemTime,
}

/// How long, and how often, a file with another time is waited for: 50 ms in all.
const WAIT: Duration = Duration::from_millis(2);
const MAX_WAITS: u32 = 25;

/// Who has listed a file.
#[derive(Clone, Copy, Debug)]
enum Known {
    /// This process, which knows what identifies the file.
    Here(Option<(u64, u64)>),
    /// Another one, for which the file may be a copy on another disk.
    Elsewhere,
}

impl State {
    /// Returns the state of a file that another process has listed.
    pub(crate) fn elsewhere(meta: &ObjectMeta) -> State {
        let modified = meta.last_modified.into();
        State { identity: Known::Elsewhere, modified }
    }

    /// Returns an error if an opened file is not the one that was listed.
    fn check_same(self, facts: &Metadata) -> Result<()> {
        match self.identity {
            Known::Here(known) if identity(facts) != known => {
                Err(changed("has been replaced"))
            }
            _ => Ok(()),
        }
    }

    /// Returns an error if a file was written to and did not grow.
    ///
    /// A system may set the time of a file before its size when something is appended,
    /// and Linux does. So a file with another time gets a moment to grow.
    pub(crate) fn check_unchanged(self, file: &File, size: u64) -> Result<()> {
        let mut waits = 0;
        loop {
            let facts = file.metadata()?;
            if facts.len() != size {
                return Ok(());
            }
            match self.check_time(facts.modified()?) {
                Err(_) if waits < MAX_WAITS => std::thread::sleep(WAIT),
                result => return result,
            }
            waits += 1;
        }
    }

    /// Returns an error if a time of modification is not that of the listed file.
    fn check_time(self, modified: SystemTime) -> Result<()> {
        match self.identity {
            Known::Here(_) if modified != self.modified => {
                Err(changed("has been overwritten"))
            }
            Known::Elsewhere if !is_same_time(modified, self.modified) => {
                let why = "the file has changed since the scheduler listed \
                           it, or is a copy that has not kept its time of \
                           modification";
                Err(DataFusionError::Execution(why.to_string()))
            }
            _ => Ok(()),
        }
    }
}

/// Returns whether two times of modification are the same, as far as a copy keeps them:
/// some disks and archives have full seconds, or every second one.
fn is_same_time(one: SystemTime, other: SystemTime) -> bool {
    let difference =
        one.duration_since(other).unwrap_or_else(|error| error.duration());
    difference < Duration::from_secs(2)
}

/// Returns the error of a file that has changed.
pub(crate) fn changed(how: &str) -> DataFusionError {
    let why = format!("the file {how} since the query began");
    DataFusionError::Execution(why)
}

/// Opens a file for reading. Returns an error if it is not the listed file, or if it was
/// overwritten since.
pub(crate) fn open(path: &Path, size: u64, state: State) -> Result<File> {
    let file = File::open(path)?;
    let facts = file.metadata()?;
    if !facts.is_file() {
        let why = io::Error::other("not a regular file");
        return Err(DataFusionError::IoError(why));
    }
    state.check_same(&facts)?;
    state.check_unchanged(&file, size)?;
    Ok(file)
}

#[cfg(unix)]
fn identity(facts: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;

    Some((facts.dev(), facts.ino()))
}

#[cfg(not(unix))]
fn identity(_facts: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Returns an absolute path as the location of an object: `%`, and bytes that
/// a location cannot have, are written as `%` and two digits.
#[cfg(unix)]
fn encode(path: &Path) -> Result<path::Path> {
    use std::{fmt::Write, os::unix::ffi::OsStrExt};

    let mut text = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            match c.is_ascii_control() || c == '%' {
                true => _ = write!(text, "%{:02X}", u32::from(c)),
                false => text.push(c),
            }
        }
        for byte in chunk.invalid() {
            _ = write!(text, "%{byte:02X}");
        }
    }
    path::Path::parse(text).map_err(|error| error_of(path, error))
}

#[cfg(not(unix))]
fn encode(path: &Path) -> Result<path::Path> {
    path::Path::from_absolute_path(path).map_err(|error| error_of(path, error))
}

fn error_of(path: &Path, error: path::Error) -> DataFusionError {
    let error = DataFusionError::External(Box::new(error));
    error.context(format!("cannot read {}", shown(path)))
}

/// Returns the path of a location: the inverse of `encode`.
#[cfg(unix)]
pub(crate) fn decode(location: &path::Path) -> PathBuf {
    use std::{ffi::OsString, os::unix::ffi::OsStringExt};

    let mut bytes = vec![b'/'];
    let mut rest = location.as_ref();
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend(before.bytes());
        let digits = after.get(..2);
        match digits.map(|digits| u8::from_str_radix(digits, 16)) {
            Some(Ok(byte)) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(b'%');
                rest = after;
            }
        }
    }
    bytes.extend(rest.bytes());
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(not(unix))]
pub(crate) fn decode(location: &path::Path) -> PathBuf {
    PathBuf::from(location.as_ref())
}
